// SPDX-License-Identifier: GPL-2.0-only
/*
 * locate.c - the path of a program or library: a path as it was given, what a process has
 * mapped, what the loader would find, a program in PATH.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/priv.h"
#include "util/arch.h"

#define CACHE "/etc/ld.so.cache"
#define CACHE_MAGIC "glibc-ld.so.cache1.1"
#define CACHE_MOST (64U << 20)

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* "libc" names libc.so.6 and libc-2.31.so; "bash" names bash. */
static bool is_named(const char *file, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(file, word, len))
		return false;
	file += len;
	return !*file || !strncmp(file, ".so", 3) ||
	       (*file == '-' && file[1] >= '0' && file[1] <= '9');
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- in a process ---- */

static bool locate_is_called(const struct user_mapped *m, const char *word)
{
	return *word == '/' ? !strcmp(m->path, word) : is_named(base(m->path), word);
}

/* @word: a name, or a path as /proc/PID/maps has it. */
static char *find_mapped(const char *word, pid_t pid)
{
	char name[64], line[PATH_MAX + 128], *path = NULL;
	struct user_mapped m;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	f = fopen(name, "re");
	while (f && !path && fgets(line, sizeof(line), f))
		if (user_mapped_read(line, &m) && *m.path == '/' && locate_is_called(&m, word))
			path = user_mapped_path("", pid, &m);
	if (f)
		fclose(f);
	return path;
}

/*
 * Open a path as the process would: links that begin with a slash lead into its root, and not
 * into ours. @shown: receives its path as /proc/PID/maps has it, without links.
 */
static int open_inside(pid_t pid, const char *path, char shown[PATH_MAX])
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	char name[64];
	ssize_t n;
	int root, fd;

	snprintf(name, sizeof(name), "/proc/%d/root", (int)pid);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = root < 0 ? -1 : syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (root >= 0)
		close(root);
	if (fd < 0)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	n = readlink(name, shown, PATH_MAX - 1);
	shown[n > 0 ? n : 0] = '\0';
	return fd;
}

/* The path as /proc/PID/maps has it, even if the file was removed: its folder is still there. */
static void locate_name_gone(pid_t pid, const char *path, char shown[PATH_MAX])
{
	char *folder = strndup(path, base(path) - path);
	int fd = folder ? open_inside(pid, folder, shown) : -1;
	size_t len = strlen(shown);

	if (fd >= 0)
		close(fd);
	if (fd < 0)
		snprintf(shown, PATH_MAX, "%s", path);
	else
		snprintf(shown + len, PATH_MAX - len, "%s%s", len > 1 ? "/" : "", base(path));
	free(folder);
}

/* The path from here of an open file in the root of a process. */
static char *path_from_here(pid_t pid, int fd, const char *shown)
{
	char root[64] = "", *path;
	struct stat there, here;
	int i;

	for (i = 0; i < 2 && !fstat(fd, &there); i++) {
		if (!i)
			snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
		if (asprintf(&path, "%s%s", i ? "" : root, shown) < 0)
			return NULL;
		if (!stat(path, &here) && here.st_ino == there.st_ino &&
		    here.st_dev == there.st_dev && S_ISREG(here.st_mode))
			return path;
		free(path);
	}
	return NULL;
}

/* The file that the process has mapped from this path, even if replaced since; else the file there.
 */
static char *find_inside(const char *word, pid_t pid)
{
	char shown[PATH_MAX] = "", *path;
	int fd = open_inside(pid, word, shown);

	if (fd < 0)
		locate_name_gone(pid, word, shown);
	path = find_mapped(shown, pid);
	if (!path && fd >= 0)
		path = path_from_here(pid, fd, shown);
	if (fd >= 0)
		close(fd);
	return path;
}

/* ---- as the loader finds it ---- */

struct cache_entry {
	int32_t flags;
	uint32_t key; /* place of the name */
	uint32_t value; /* place of the path */
	uint32_t osversion;
	uint64_t hwcap;
};

#define CACHE_HEAD 48

static const char *cache_text(const char *cache, size_t size, uint32_t at)
{
	return at < size && memchr(cache + at, '\0', size - at) ? cache + at : NULL;
}

static char *search_cache(const char *cache, size_t size, const char *word)
{
	const char *name, *path;
	struct cache_entry entry;
	uint32_t n, i;

	if (size < CACHE_HEAD || memcmp(cache, CACHE_MAGIC, strlen(CACHE_MAGIC)))
		return NULL;
	memcpy(&n, cache + strlen(CACHE_MAGIC), sizeof(n));
	for (i = 0; i < n && CACHE_HEAD + (i + 1) * sizeof(entry) <= size; i++) {
		memcpy(&entry, cache + CACHE_HEAD + i * sizeof(entry), sizeof(entry));
		name = cache_text(cache, size, entry.key);
		path = cache_text(cache, size, entry.value);
		if ((entry.flags & 0xffff) == ARCH_CACHE_KIND && name && path &&
		    is_named(name, word) && is_file(path))
			return strdup(path);
	}
	return NULL;
}

static char *find_cached(const char *word)
{
	int fd = open(CACHE, O_RDONLY | O_CLOEXEC);
	char *cache, *path = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return NULL;
	cache = fstat(fd, &st) || st.st_size > CACHE_MOST ? NULL : malloc(st.st_size + 1);
	n = cache ? pread(fd, cache, st.st_size, 0) : -1;
	if (n > 0)
		path = search_cache(cache, n, word);
	free(cache);
	close(fd);
	return path;
}

/* ---- by folders ---- */

static char *find_in(const char *folders, const char *word, const char *end)
{
	char *list = strdup(folders), *save = NULL, *folder, *path = NULL;

	for (folder = list ? strtok_r(list, ":", &save) : NULL; folder && !path;
	     folder = strtok_r(NULL, ":", &save)) {
		if (asprintf(&path, "%s/%s%s", folder, word, end) < 0)
			path = NULL;
		if (path && !is_file(path)) {
			free(path);
			path = NULL;
		}
	}
	free(list);
	return path;
}

static const char *program_folders(void)
{
	const char *folders = getenv("PATH");

	return folders ? folders : "/usr/bin:/bin:/usr/sbin:/sbin";
}

static char *find_anywhere(const char *word)
{
	static const char folders[] = ARCH_LIBRARIES ":/lib64:"
						     "/usr/lib64:/lib:/usr/lib:/usr/local/lib";
	char *path = find_cached(word);

	if (!path)
		path = find_in(folders, word, strstr(word, ".so") ? "" : ".so");
	if (!path)
		path = find_in(program_folders(), word, "");
	return path;
}

char *user_program(const char *word, struct error *e)
{
	char *path;

	if (strchr(word, '/'))
		return user_locate(word, 0, e);
	path = find_in(program_folders(), word, "");
	if (!path)
		error_set(e, EXIT_USAGE, -ENOENT, "it is not in PATH", "give a path",
			  "cannot find the program '%s'", word);
	return path;
}

/* ---- all ---- */

char *user_locate(const char *word, pid_t pid, struct error *e)
{
	bool is_path = strchr(word, '/');
	char *path;

	if (is_path)
		path = pid && *word == '/' ? find_inside(word, pid) : realpath(word, NULL);
	else
		path = pid ? find_mapped(word, pid) : find_anywhere(word);
	if (path && !is_path)
		return path;
	if (path && is_file(path))
		return path;
	free(path);
	if (is_path)
		error_set(e, EXIT_USAGE, -ENOENT,
			  pid ? "the process has no such file" : "there is no such file", NULL,
			  "cannot open '%s'", word);
	else if (pid)
		error_set(e, EXIT_USAGE, -ENOENT, "the process has no file of that name mapped",
			  "see /proc/PID/maps, or give a path", "cannot find '%s' in process %d",
			  word, (int)pid);
	else
		error_set(e, EXIT_USAGE, -ENOENT,
			  "it is not in the loader's cache, in the usual folders or in PATH",
			  "give a path", "cannot find '%s'", word);
	return NULL;
}
