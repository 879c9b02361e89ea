// SPDX-License-Identifier: GPL-2.0-only
/*
 * uprobes_swap.c - what the owner of a folder, or a container, can do while a program in it is
 * measured: another file takes its place at a chosen moment. Preloaded by uprobes.sh and
 * uprobe_nodes.sh. SWAP is a folder with "own/program", which is measured, and "other/program".
 * Counts the calls that open the first or put probes. Around the one with the number SWAP_AT, the
 * two folders change places, which no time of the files tells. Then SWAP/done has a line; and one
 * more if the other file got a probe, if only for a moment, at SWAP_OFFSET.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BREAKPOINT 0xcc
#define EXCHANGE 2 /* RENAME_EXCHANGE */
#define PAGE 4096UL

static char own[256], path[256], other[256], done[256];
static const unsigned char *code; /* of the other file, where no probe may be */
static int at, count;

static void say(const char *line)
{
	FILE *out = fopen(done, "a");

	if (!out)
		return;
	fprintf(out, "%s\n", line);
	fclose(out);
}

static void swap(void)
{
	if (renameat2(AT_FDCWD, own, AT_FDCWD, other, EXCHANGE))
		say("cannot swap");
}

__attribute__((constructor)) static void begin(void)
{
	unsigned long place = strtoul(getenv("SWAP_OFFSET"), NULL, 0);
	const char *folder = getenv("SWAP");
	char *page;
	int fd;

	snprintf(other, sizeof(other), "%s/other/program", folder);
	fd = open(other, O_RDONLY | O_CLOEXEC);
	page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, place & ~(PAGE - 1));
	if (page == MAP_FAILED)
		_exit(99);
	close(fd);
	code = (unsigned char *)page + (place & (PAGE - 1));
	snprintf(other, sizeof(other), "%s/other", folder);
	snprintf(own, sizeof(own), "%s/own", folder);
	snprintf(done, sizeof(done), "%s/done", folder);
	snprintf(path, sizeof(path), "%s/own/program", folder);
	at = atoi(getenv("SWAP_AT"));
	unsetenv("LD_PRELOAD");
}

static bool begin_call(void)
{
	bool now = *path && ++count == at;

	if (now) {
		swap();
		say("swapped");
	}
	return now;
}

/* @swapped: then they change back, so that all who look later see the right file. */
static void end_call(bool swapped)
{
	int err = errno;

	if (*path && *code == BREAKPOINT)
		say("probed");
	if (swapped)
		swap();
	errno = err;
}

static bool puts_probe(long number, const long *args)
{
	const struct perf_event_attr *event = (void *)args[0];
	const union bpf_attr *link = (void *)args[1];

	if (number == SYS_perf_event_open)
		return event->config1; /* the path */
	return number == SYS_bpf && args[0] == BPF_LINK_CREATE &&
	       link->link_create.attach_type >= 48;
}

long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	bool swapped;
	va_list ap;
	long a[6];
	int i;

	va_start(ap, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	swapped = puts_probe(number, a) && begin_call();
	number = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	end_call(swapped);
	return number;
}

int open(const char *file, int flags, ...)
{
	int (*real)(const char *, int, ...) =
		(int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	bool swapped = !strcmp(file, path) && begin_call();
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = real(file, flags, va_arg(ap, mode_t));
	va_end(ap);
	end_call(swapped);
	return fd;
}
