// SPDX-License-Identifier: GPL-2.0-only
/*
 * places.c - hold a file while probes are put into it, and see that they are there: in the code as
 * this process has mapped it, or in the process that is measured.
 */
#include "hook/places.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "hook/hook.h"
#include "user/user.h"
#include "util/arch.h"

static const unsigned char breakpoint[] = ARCH_BREAKPOINT;

#define CODE 8 /* bytes at a place: the breakpoint, and what tells whether it is the same code */

static void span(const uint64_t *offsets, uint32_t n, uint64_t *from, uint64_t *to)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	uint32_t i;

	*from = *to = offsets[0];
	for (i = 1; i < n; i++) {
		*from = offsets[i] < *from ? offsets[i] : *from;
		*to = offsets[i] > *to ? offsets[i] : *to;
	}
	*from -= *from % page;
	*to += page - *to % page;
}

static bool is_breakpoint(const unsigned char *code)
{
	return !memcmp(code, breakpoint, sizeof(breakpoint));
}

static bool has_probe(const struct places *p, uint64_t offset)
{
	return p->code && is_breakpoint(p->code + (offset - p->from));
}

/* Only of a mapping that could be executed does the kernel ask for probes. */
static int map_code(struct places *p, const uint64_t *offsets, uint32_t n)
{
	struct statvfs fs;
	struct stat st;
	uint64_t to;

	if (fstatvfs(p->fd, &fs) || fstat(p->fd, &st))
		return -errno;
	span(offsets, n, &p->from, &to);
	if (fs.f_flag & ST_NOEXEC)
		return 0;
	if (to >= (uint64_t)st.st_size + sysconf(_SC_PAGESIZE))
		return -ESTALE;
	p->size = to - p->from;
	p->code = mmap(NULL, p->size, PROT_READ, MAP_PRIVATE, p->fd, p->from);
	if (p->code == MAP_FAILED) {
		p->code = NULL;
		return -errno;
	}
	return 0;
}

/* Also other processes can follow it. */
static void name_fd(struct places *p)
{
	char self[16] = "self";
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);

	if (n > 0)
		self[n] = '\0';
	snprintf(p->path, sizeof(p->path), "/proc/%s/fd/%d", self, p->fd);
}

int places_hold(struct places *p, const struct plan_places *of, const uint64_t *offsets, uint32_t n,
		char *why, size_t size)
{
	int err;

	*p = (struct places){ .of = of };
	p->fd = user_file_hold(of->path, &of->file);
	if (p->fd == -ESTALE) {
		if (!user_file_moved(of->path, &of->file, why, size))
			snprintf(why, size, "%s was changed since it was read", of->path);
		return p->fd;
	}
	err = p->fd < 0 ? p->fd : map_code(p, offsets, n);
	if (err)
		snprintf(why, size, "its file cannot be read: %s", strerror(-err));
	name_fd(p);
	return err;
}

void places_release(struct places *p)
{
	if (p->code)
		munmap(p->code, p->size);
	if (p->of && p->fd >= 0)
		close(p->fd);
	*p = (struct places){};
}

/* ---- in another process ---- */

/* A line of /proc/PID/maps: where the code at a place of the file is. Return: 0 if it is not. */
static uint64_t address_in(const char *line, const struct stat *st, uint64_t offset)
{
	unsigned long begin, end, at, inode;
	char rights[8];

	if (sscanf(line, "%lx-%lx %7s %lx %*x:%*x %lu", &begin, &end, rights, &at, &inode) != 5)
		return 0;
	if (inode != st->st_ino || rights[2] != 'x' || offset < at || offset - at >= end - begin)
		return 0;
	return begin + (offset - at);
}

/* What its code is there. Return: false if the file is not mapped, or it is no copy of this file.
 */
static bool read_code(const struct places *p, const char *maps, int mem, uint64_t offset,
		      bool *is_probe)
{
	unsigned char code[CODE], own[CODE];
	char line[PATH_MAX + 128];
	struct stat st;
	uint64_t address = 0;
	FILE *f = fopen(maps, "re");

	while (f && !address && !fstat(p->fd, &st) && fgets(line, sizeof(line), f))
		address = address_in(line, &st, offset);
	if (f)
		fclose(f);
	if (!address || pread(mem, code, sizeof(code), address) != sizeof(code) ||
	    pread(p->fd, own, sizeof(own), offset) != sizeof(own) ||
	    (memcmp(code + sizeof(breakpoint), own + sizeof(breakpoint),
		    CODE - sizeof(breakpoint)) &&
	     !is_breakpoint(code)))
		return false;
	*is_probe = is_breakpoint(code);
	return true;
}

/* Whether the kernel would take a probe there: tried in this process alone. */
static int try_here(const struct places *p, uint64_t offset)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.uprobe_path = (uintptr_t)p->path,
					.probe_offset = offset };
	int fd = hook_uprobe_event(&attr, 0), err;

	if (fd < 0)
		return fd;
	err = !p->code || has_probe(p, offset) ? 0 : -EOPNOTSUPP;
	close(fd);
	return err;
}

static int check_process(const struct places *p, uint64_t offset, char *why, size_t size)
{
	char maps[64], name[64];
	bool is_mapped, is_probe = false;
	int mem;

	snprintf(maps, sizeof(maps), "/proc/%u/maps", p->of->pid);
	snprintf(name, sizeof(name), "/proc/%u/mem", p->of->pid);
	mem = open(name, O_RDONLY | O_CLOEXEC);
	is_mapped = mem >= 0 && read_code(p, maps, mem, offset, &is_probe);
	if (mem >= 0)
		close(mem);
	if (!is_mapped)
		return try_here(p, offset);
	if (is_probe)
		return 0;
	snprintf(why, size,
		 "the kernel put no probe into the code of process %u, which may be writable or "
		 "shared there",
		 p->of->pid);
	return -EOPNOTSUPP;
}

/* ---- all ---- */

int places_check(const struct places *p, const uint64_t *offsets, uint32_t n, char *why,
		 size_t size)
{
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		if (p->of->pid) {
			err = check_process(p, offsets[i], why, size);
		} else if (p->code && !has_probe(p, offsets[i])) {
			snprintf(why, size, "the kernel put no probe there, and gave no reason");
			err = -EOPNOTSUPP;
		}
	}
	return err;
}
