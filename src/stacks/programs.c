// SPDX-License-Identifier: GPL-2.0-only
/* programs.c - frames of programs: by the memory of a process, or by a file. */
#include "stacks/priv.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* ---- files ---- */

static struct stacks_file *find_file(const struct stacks *s, const char *shown,
				     const struct user_file *file)
{
	size_t i;

	for (i = 0; i < s->n_files; i++)
		if (s->files[i]->inode == file->inode && s->files[i]->device == file->device &&
		    !strcmp(s->files[i]->shown, shown))
			return s->files[i];
	return NULL;
}

/* @path: by which it is opened; @shown: as the process has it. Takes @path. */
static struct stacks_file *add_file(struct stacks *s, char *path, const char *shown,
				    const struct user_file *file)
{
	struct stacks_file **grown, *f = calloc(1, sizeof(*f));

	grown = realloc(s->files, (s->n_files + 1) * sizeof(*grown));
	if (grown)
		s->files = grown;
	if (!f || !grown || !path || !(f->shown = strdup(shown))) {
		free(path);
		free(f);
		return NULL;
	}
	f->device = file->device;
	f->inode = file->inode;
	f->path = path;
	f->base = strrchr(f->shown, '/') ? strrchr(f->shown, '/') + 1 : f->shown;
	f->names = user_names_open(path, file);
	s->files[s->n_files++] = f;
	return f;
}

static void name_in_file(struct stacks_file *file, uint64_t offset, enum stacks_kind kind,
			 struct stacks_frame *f)
{
	uint64_t into = 0;

	f->in = file->base;
	f->offset = offset;
	if (file->names)
		f->function = user_names_find(file->names, offset - (kind == STACKS_RETURN), &into);
	if (f->function)
		f->offset = into + (kind == STACKS_RETURN);
}

bool stacks_file(struct stacks *s, const char *path, const struct user_file *file, uint64_t offset,
		 enum stacks_kind kind, struct stacks_frame *f)
{
	struct stacks_file *at = find_file(s, path, file);
	char *full;

	*f = (struct stacks_frame){ .offset = offset };
	if (!at && asprintf(&full, "%s%s", s->root, path) >= 0)
		at = add_file(s, full, path, file);
	if (!at)
		return false;
	name_in_file(at, offset, kind, f);
	return at->names;
}

void stacks_free_files(struct stacks *s)
{
	size_t i;

	for (i = 0; i < s->n_files; i++) {
		user_names_close(s->files[i]->names);
		free(s->files[i]->path);
		free(s->files[i]->shown);
		free(s->files[i]);
	}
	free(s->files);
}

/* ---- processes ---- */

/* The first range that ends behind @address. */
static size_t range_place(const struct stacks_process *p, uint64_t address)
{
	size_t low = 0, high = p->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (p->ranges[mid].mapped.end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void stacks_process_map(struct stacks_process *p, const struct user_mapped *m)
{
	size_t at = range_place(p, m->begin), n = at, i;
	struct stacks_range *grown = realloc(p->ranges, (p->n + 1) * sizeof(*grown));
	char *path = strdup(m->path);

	if (grown)
		p->ranges = grown;
	if (!grown || !path) {
		free(path);
		return;
	}
	while (n < p->n && grown[n].mapped.begin < m->end)
		n++;
	for (i = at; i < n; i++)
		free(grown[i].mapped.path);
	memmove(grown + at + 1, grown + n, (p->n - n) * sizeof(*grown));
	p->n += 1 + at - n;
	grown[at] = (struct stacks_range){ .mapped = *m };
	grown[at].mapped.path = path;
}

void stacks_process_clear(struct stacks_process *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		free(p->ranges[i].mapped.path);
	free(p->ranges);
	*p = (struct stacks_process){ .pid = p->pid };
}

static void read_ranges(struct stacks *s, struct stacks_process *p)
{
	char name[PATH_MAX], line[PATH_MAX + 128];
	struct user_mapped m;
	FILE *f;

	snprintf(name, sizeof(name), "%s/proc/%d/maps", s->root, (int)p->pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f))
		if (user_mapped_read(line, &m) && m.is_code)
			stacks_process_map(p, &m);
	if (f)
		fclose(f);
}

/* The first process that is not below @pid. */
static size_t process_place(const struct stacks *s, pid_t pid)
{
	size_t low = 0, high = s->n_processes, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (s->processes[mid].pid < pid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct stacks_process *stacks_process_find(const struct stacks *s, pid_t pid)
{
	size_t at = process_place(s, pid);

	return at < s->n_processes && s->processes[at].pid == pid ? &s->processes[at] : NULL;
}

struct stacks_process *stacks_process_add(struct stacks *s, pid_t pid)
{
	struct stacks_process *known = stacks_process_find(s, pid), *grown;
	size_t at = process_place(s, pid);

	if (known)
		return known;
	grown = realloc(s->processes, (s->n_processes + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	s->processes = grown;
	memmove(grown + at + 1, grown + at, (s->n_processes++ - at) * sizeof(*grown));
	grown[at] = (struct stacks_process){ .pid = pid };
	return &grown[at];
}

/* One that ended before it was looked at has what its parent has. */
static struct stacks_process *stacks_process_of(struct stacks *s, pid_t pid)
{
	struct stacks_process *p = stacks_process_add(s, pid), *from;
	size_t i;

	if (!p || p->is_read)
		return p;
	p->is_read = true;
	read_ranges(s, p);
	if (p->n || !p->parent)
		return p;
	from = stacks_process_of(s, p->parent);
	p = stacks_process_find(s, pid);
	for (i = 0; from && i < from->n; i++)
		stacks_process_map(p, &from->ranges[i].mapped);
	return p;
}

void stacks_forget_gone(struct stacks *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n_processes; i++) {
		if (s->processes[i].is_gone)
			stacks_process_clear(&s->processes[i]);
		else
			s->processes[n++] = s->processes[i];
	}
	s->n_processes = n;
}

static struct stacks_range *range_at(const struct stacks_process *p, uint64_t address)
{
	size_t at = range_place(p, address);

	return at < p->n && p->ranges[at].mapped.begin <= address ? &p->ranges[at] : NULL;
}

/* Where it cannot be opened, it is kept without names, so that nobody tries again. */
static struct stacks_file *file_of(struct stacks *s, pid_t pid, const struct user_mapped *m)
{
	const struct user_file which = { .device = makedev(m->major, m->minor), .inode = m->inode };
	struct stacks_file *f = find_file(s, m->path, &which);
	struct user_file now = {};
	char *path;

	if (f)
		return f;
	path = user_mapped_path(s->root, pid, m);
	f = add_file(s, path, m->path, &now);
	if (f) {
		f->device = which.device;
		f->inode = which.inode;
	}
	return f;
}

/* "[vdso]" is the kernel's, "" what the process made itself. */
static void name_without_file(const struct stacks_range *r, uint64_t address,
			      struct stacks_frame *f)
{
	f->in = !strcmp(r->mapped.path, "[vdso]") ? "vdso" : "anon";
	f->offset = address - r->mapped.begin;
}

void stacks_program(struct stacks *s, pid_t pid, uint64_t address, enum stacks_kind kind,
		    struct stacks_frame *f)
{
	struct stacks_process *p = stacks_process_of(s, pid);
	struct stacks_range *r = p ? range_at(p, address - (kind == STACKS_RETURN)) : NULL;

	*f = (struct stacks_frame){};
	if (!r)
		return;
	if (*r->mapped.path != '/') {
		name_without_file(r, address, f);
		return;
	}
	if (!r->file)
		r->file = file_of(s, pid, &r->mapped);
	if (r->file)
		name_in_file(r->file, address - r->mapped.begin + r->mapped.offset, kind, f);
}

void stacks_free_processes(struct stacks *s)
{
	size_t i;

	for (i = 0; i < s->n_processes; i++)
		stacks_process_clear(&s->processes[i]);
	free(s->processes);
}
