// SPDX-License-Identifier: GPL-2.0-only
/* lines.c - finds the files with debug information, and keeps what was looked up. */
#include "lines/priv.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"

#define PATH_MOST 512
#define FILE_MOST (8LL << 30) /* bytes of a file; a kernel has 700 MB of debug information */
#define WHY_MOST 700
#define MODULE_MOST 64 /* MODULE_NAME_LEN is less */

/* What is known of the kernel proper, or of a module. */
struct part {
	struct part *next;
	char name[MODULE_MOST]; /* "" of the kernel proper */
	bool is_code; /* of the kernel or of a module, not of a BPF program and the like */
	struct dwarf_file *file; /* or NULL */
	uint64_t shift; /* of the kernel proper: from an address of the file to one in memory */
};

/* A place that was looked up. */
struct known {
	uint64_t address;
	char *text; /* or NULL */
};

struct lines {
	char *root;
	char *release;
	uint64_t stext;
	struct part *parts;
	void *known; /* tree of struct known */
	char why[WHY_MOST]; /* the first reason for a missing file */
};

/* ---- files ---- */

/* A file that other users can write is not read: this program has more rights than they. */
static const char *lines_check(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *why = NULL;
	off_t size;

	if (fd < 0)
		return strerror(errno);
	size = file_check(fd, S_IFREG, FILE_MOST, &why);
	close(fd);
	if (size >= 0)
		return NULL;
	return why ? why : strerror(-size);
}

/* Tries a file. Only a file that exists gives a reason. */
static bool try_file(struct lines *l, struct part *part, const char *build_id, const char *path)
{
	char full[2 * PATH_MOST];
	const char *why;

	snprintf(full, sizeof(full), "%s%s", l->root, path);
	if (access(full, F_OK))
		return false;
	why = lines_check(full);
	if (!why)
		part->file = dwarf_open(full, build_id, &why);
	if (why && !*l->why)
		snprintf(l->why, sizeof(l->why), "%s: %s", path, why);
	return part->file != NULL;
}

static bool try_build_id(struct lines *l, struct part *part, const char *build_id)
{
	char path[PATH_MOST];

	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id,
		 build_id + 2);
	return try_file(l, part, build_id, path);
}

static void find_kernel(struct lines *l, struct part *part)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux",
		"/boot/vmlinux-%s",
		"/lib/modules/%s/build/vmlinux",
		"/lib/modules/%s/vmlinux",
		"/usr/lib/debug/boot/vmlinux-%s.debug",
	};
	char build_id[BUILD_ID_TEXT], path[PATH_MOST];
	uint64_t stext;
	size_t i;

	part->is_code = true;
	build_id_read(l->root, "/sys/kernel/notes", build_id);
	if (!*build_id || !l->stext || try_build_id(l, part, build_id))
		goto out;
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), places[i], l->release);
		if (try_file(l, part, build_id, path))
			break;
	}
out:
	if (!part->file)
		return;
	if (dwarf_symbol(part->file, "_stext", &stext)) {
		part->shift = l->stext - stext;
		return;
	}
	dwarf_close(part->file);
	part->file = NULL;
}

/* The name of a module may have '_' where that of its file has '-'. */
static bool lines_is_module(const char *path, const char *name)
{
	const char *base = strrchr(path, '/');
	size_t i, n = strlen(name);

	base = base ? base + 1 : path;
	for (i = 0; i < n; i++)
		if (base[i] != name[i] && !(base[i] == '-' && name[i] == '_'))
			return false;
	return !strncmp(base + n, ".ko", 3);
}

/* The path of a module below /lib/modules/RELEASE. */
static bool find_path(const struct lines *l, const char *name, char path[PATH_MOST])
{
	char line[4096], full[PATH_MOST], *end;
	bool found = false;
	FILE *f;

	snprintf(full, sizeof(full), "%s/lib/modules/%s/modules.dep", l->root, l->release);
	f = fopen(full, "re");
	while (f && !found && fgets(line, sizeof(line), f)) {
		end = strchr(line, ':');
		if (!end)
			continue;
		*end = '\0';
		found = lines_is_module(line, name);
	}
	if (f)
		fclose(f);
	if (found)
		snprintf(path, PATH_MOST, "%.*s", PATH_MOST - 1, line);
	return found;
}

static void find_module(struct lines *l, struct part *part)
{
	static const char *const places[] = { "/usr/lib/debug/lib/modules/%s/%s",
					      "/usr/lib/debug/lib/modules/%s/%s.debug" };
	char build_id[BUILD_ID_TEXT], below[PATH_MOST], path[2 * PATH_MOST];
	size_t i;

	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", part->name);
	build_id_read(l->root, path, build_id);
	part->is_code = *build_id;
	if (!*build_id || try_build_id(l, part, build_id) || !find_path(l, part->name, below))
		return;
	snprintf(path, sizeof(path), "/lib/modules/%s/%s", l->release, below);
	if (try_file(l, part, build_id, path))
		return;
	strstr(strrchr(below, '/') ?: below, ".ko")[3] = '\0'; /* without .xz and the like */
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), places[i], l->release, below);
		if (try_file(l, part, build_id, path))
			return;
	}
}

/* Each part is looked for once, whether there is a file or not. */
static struct part *find_part(struct lines *l, const char *module)
{
	struct part *part;

	for (part = l->parts; part; part = part->next)
		if (!strcmp(part->name, module))
			return part;
	part = calloc(1, sizeof(*part));
	if (!part || strlen(module) >= sizeof(part->name)) {
		free(part);
		return NULL;
	}
	strcpy(part->name, module);
	part->next = l->parts;
	l->parts = part;
	part->is_code = !dwarf_is_built();
	if (part->is_code)
		return part;
	if (*module)
		find_module(l, part);
	else
		find_kernel(l, part);
	return part;
}

/* ---- places ---- */

struct lines *lines_open(const char *root, const char *release, uint64_t stext)
{
	struct lines *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->root = strdup(root);
	l->release = strdup(release);
	l->stext = stext;
	if (l->root && l->release)
		return l;
	lines_close(l);
	return NULL;
}

size_t lines_frames(struct lines *l, const struct lines_place *p,
		    struct lines_frame frames[LINES_FRAMES])
{
	const struct part *part = find_part(l, p->module);
	uint64_t begin;

	if (!part || !part->file)
		return 0;
	if (!*p->module)
		return dwarf_frames(part->file, p->address - part->shift, frames);
	/* The sections of a module are loaded anywhere, so count from the function. */
	if (!dwarf_symbol(part->file, p->function, &begin))
		return 0;
	return dwarf_frames(part->file, begin + p->offset, frames);
}

static bool is_header(const char *file)
{
	size_t n = strlen(file);

	return n > 2 && !strcmp(file + n - 2, ".h");
}

static char *lines_make_text(struct lines *l, const struct lines_place *p)
{
	struct lines_frame frames[LINES_FRAMES], *f = frames;
	size_t n = lines_frames(l, p, frames);
	char path[PATH_MOST], *text;
	bool inlined;

	while (f < frames + n && (!f->file || !f->line || is_header(f->file)))
		f++;
	if (f == frames + n)
		f = frames;
	if (!n || !f->file || !f->line)
		return NULL;
	inlined = f->function && f < frames + n - 1;
	if (asprintf(&text, "%s:%u%s%s", lines_path(f, path, sizeof(path)), f->line,
		     inlined ? " " : "", inlined ? f->function : "") < 0)
		return NULL;
	return text;
}

static int lines_by_address(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

const char *lines_text(struct lines *l, const struct lines_place *p)
{
	const struct known key = { .address = p->address };
	struct known **hit = tfind(&key, &l->known, lines_by_address), *k;

	if (hit)
		return (*hit)->text;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	k->address = p->address;
	k->text = lines_make_text(l, p);
	if (tsearch(k, &l->known, lines_by_address))
		return k->text;
	free(k->text);
	free(k);
	return NULL;
}

const char *lines_missing(const struct lines *l, char *buf, size_t size)
{
	const struct part *part, *missing = NULL;

	for (part = l->parts; part; part = part->next)
		if (!part->file && part->is_code && (!missing || !*part->name))
			missing = part;
	if (!missing)
		return NULL;
	if (!dwarf_is_built())
		snprintf(buf, size, "no source lines: this program was built without libdw");
	else if (*l->why)
		snprintf(buf, size, "source lines are missing: %s", l->why);
	else
		snprintf(buf, size,
			 "source lines are missing: there is no debug information of %s%s; install "
			 "linux-image-%s-dbg (Debian), linux-image-%s-dbgsym (Ubuntu) or "
			 "kernel-debuginfo (Fedora)",
			 *missing->name ? "the module " : "Linux ",
			 *missing->name ? missing->name : l->release, l->release, l->release);
	return buf;
}

static void free_known(void *k)
{
	free(((struct known *)k)->text);
	free(k);
}

void lines_close(struct lines *l)
{
	struct part *next;

	if (!l)
		return;
	for (; l->parts; l->parts = next) {
		next = l->parts->next;
		dwarf_close(l->parts->file);
		free(l->parts);
	}
	tdestroy(l->known, free_known);
	free(l->root);
	free(l->release);
	free(l);
}
