// SPDX-License-Identifier: GPL-2.0-only
/*
 * files.c - the files of programs in which a node has its points. Probes belong to a file and not
 * to its path: a file that an update of a package puts there is not measured.
 */
#include "node/priv.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/json_read.h"

/* ---- the process ---- */

/* When it began, in ticks since boot; 0: not known. Its number may be another process's by now. */
static uint64_t began(uint32_t pid)
{
	char name[64], text[1024] = "", *at;
	uint64_t ticks = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%u/stat", pid);
	f = fopen(name, "re");
	if (!f)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	/* Its name may have spaces and brackets. */
	at = strrchr(text, ')');
	if (at)
		sscanf(at,
		       ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		       "%*s %" SCNu64,
		       &ticks);
	return ticks;
}

static bool has_ended(const struct node_meta *m, const struct plan_places *p, char *why,
		      size_t size)
{
	uint64_t now;

	if (!p->pid)
		return false;
	if (!kill(p->pid, 0) || errno != ESRCH) {
		now = began(p->pid);
		if (!m->began || !now || now == m->began)
			return false;
	}
	snprintf(why, size, "process %u, which alone is measured, has ended", p->pid);
	return true;
}

/* ---- noting them ---- */

static bool is_noted(const struct node_meta *m, const char *path)
{
	uint32_t i;

	for (i = 0; i < m->n_files; i++)
		if (!strcmp(m->files[i].path, path))
			return true;
	return false;
}

static int note(struct node_meta *m, const struct plan_places *places, struct error *e)
{
	struct node_file *f;

	if (places->pid)
		m->began = began(places->pid);
	if (!places->path || is_noted(m, places->path))
		return 0;
	f = &m->files[m->n_files++];
	f->path = strdup(places->path);
	if (!f->path)
		return error_no_memory(e, "cannot add the node");
	f->now = places->file;
	return 0;
}

int node_files_note(struct node_meta *m, struct error *e)
{
	uint32_t i;
	int err = 0;

	m->files = calloc(2 * m->n_probes + 1, sizeof(*m->files));
	if (!m->files)
		return error_no_memory(e, "cannot add the node");
	for (i = 0; !err && i < m->n_probes; i++) {
		err = note(m, &m->probes[i].start.places, e);
		if (!err)
			err = note(m, &m->probes[i].end.places, e);
	}
	return err;
}

void node_files_free(struct node_meta *m)
{
	uint32_t i;

	for (i = 0; i < m->n_files; i++)
		free(m->files[i].path);
	free(m->files);
	m->files = NULL;
	m->n_files = 0;
}

/* ---- writing ---- */

static struct json_object *make_file(const struct node_file *f)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "path", f->path);

	err |= json_add_text(o, "build_id", f->now.build_id);
	err |= json_add_u64(o, "device", f->now.device);
	err |= json_add_u64(o, "inode", f->now.inode);
	err |= json_add_u64(o, "size", f->now.size);
	err |= json_add_u64(o, "changed_ns", f->now.changed_ns);
	return json_made(o, err);
}

int node_files_save(struct json_object *to, const struct node_meta *m)
{
	struct json_object *array = json_object_new_array();
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < m->n_files; i++)
		err = json_push(array, make_file(&m->files[i]));
	err |= json_add_u64(to, "began", m->began);
	return json_add(to, "files", array) | err;
}

int node_places_save(struct json_object *to, const struct plan_places *p)
{
	struct json_object *array;
	uint32_t i;
	int err;

	if (!p->path)
		return 0;
	array = json_object_new_array();
	err = json_add_text(to, "path", p->path);
	err |= json_add_u64(to, "semaphore", p->semaphore);
	err |= json_add_u64(to, "pid", p->pid);
	for (i = 0; !err && i < p->n; i++)
		err = json_push(array, json_object_new_uint64(p->offsets[i]));
	return json_add(to, "offsets", array) | err;
}

/* ---- reading ---- */

static int get_file(struct json_object *o, struct node_file *f, struct error *e)
{
	char *build_id = NULL;
	int err;

	if (!json_object_is_type(o, json_type_object))
		return json_bad(e, "'files' holds what is not an object");
	err = json_get_text(o, "path", &f->path, e);
	if (!err)
		err = json_get_text(o, "build_id", &build_id, e);
	if (!err)
		err = json_get_u64(o, "device", UINT64_MAX, &f->now.device, e);
	if (!err)
		err = json_get_u64(o, "inode", UINT64_MAX, &f->now.inode, e);
	if (!err)
		err = json_get_u64(o, "size", UINT64_MAX, &f->now.size, e);
	if (!err)
		err = json_get_u64(o, "changed_ns", UINT64_MAX, &f->now.changed_ns, e);
	if (!err)
		snprintf(f->now.build_id, sizeof(f->now.build_id), "%s", build_id);
	free(build_id);
	return err;
}

int node_files_load(struct json_object *from, struct node_meta *m, struct error *e)
{
	struct json_object *array;
	size_t n, i;
	int err = json_get_u64(from, "began", UINT64_MAX, &m->began, e);

	if (!err)
		err = json_get(from, "files", json_type_array, &array, e);

	n = err ? 0 : json_object_array_length(array);
	if (n > 2 * NODE_PROBES_MAX)
		return json_bad(e, "'files' has too many entries");
	m->files = calloc(n + 1, sizeof(*m->files));
	if (!m->files)
		return -ENOMEM;
	for (i = 0; !err && i < n; i++)
		err = get_file(json_object_array_get_idx(array, i), &m->files[m->n_files++], e);
	return err;
}

static int get_offsets(struct json_object *from, struct plan_places *p, struct error *e)
{
	struct json_object *array;
	size_t n, i;
	int err = json_get(from, "offsets", json_type_array, &array, e);

	n = err ? 0 : json_object_array_length(array);
	if (!err && (!n || n > NODE_PROBES_MAX))
		return json_bad(e, "a point in a program is nowhere, or in too many places");
	p->offsets = calloc(n + 1, sizeof(*p->offsets));
	if (!p->offsets)
		return -ENOMEM;
	for (i = 0; !err && i < n; i++)
		p->offsets[p->n++] = json_object_get_uint64(json_object_array_get_idx(array, i));
	return err;
}

int node_places_load(struct json_object *from, struct plan_places *p, struct error *e)
{
	uint64_t pid = 0;
	int err = json_get_text(from, "path", &p->path, e);

	if (!err)
		err = json_get_u64(from, "semaphore", UINT64_MAX, &p->semaphore, e);
	if (!err)
		err = json_get_u64(from, "pid", INT32_MAX, &pid, e);
	p->pid = pid;
	return err ? err : get_offsets(from, p, e);
}

void node_files_tell(const struct node_meta *m, struct plan_places *p)
{
	uint32_t i;

	for (i = 0; p->path && i < m->n_files; i++)
		if (!strcmp(m->files[i].path, p->path))
			p->file = m->files[i].now;
}

/* ---- looking ---- */

bool node_files_moved(const struct node *n, char *why, size_t size)
{
	uint32_t i;

	*why = '\0';
	/* Its root goes with a process, so this comes before the files in it. */
	for (i = 0; i < n->meta.n_probes; i++)
		if (has_ended(&n->meta, &n->meta.probes[i].start.places, why, size) ||
		    has_ended(&n->meta, &n->meta.probes[i].end.places, why, size))
			return true;
	for (i = 0; i < n->meta.n_files; i++)
		if (user_file_moved(n->meta.files[i].path, &n->meta.files[i].now, why, size))
			return true;
	return false;
}
