// SPDX-License-Identifier: GPL-2.0-only
/*
 * states.c - how many states the kernel's verifier keeps at most for a program. In: every
 * BPF program that the process loads, by being preloaded into it; not the one that reads the
 * kernel's symbols. Out: a line with the peak of states for each, at the end of the file $STATES.
 * Used by guest.sh.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOG_STATISTICS 4 /* of the verifier, and nothing else */
#define LOG_SIZE 4096
#define N_ARGS 6

long syscall(long number, ...);

static long call(long number, const long *a)
{
	static long (*next)(long, ...);

	if (!next)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void tell(const char *log)
{
	const char *name = getenv("STATES"), *at = strstr(log, "peak_states ");
	FILE *f = name && at ? fopen(name, "a") : NULL;

	if (!f)
		return;
	fprintf(f, "%lu\n", strtoul(at + strlen("peak_states "), NULL, 10));
	fclose(f);
}

/* What reads the kernel's symbols at the start runs in no call. */
static bool reads_symbols(const union bpf_attr *attr)
{
	return !strcmp(attr->prog_name, "tell_symbol");
}

/* Returns the file descriptor; negative if it is to be loaded without statistics. */
static long load(const long *a)
{
	char log[LOG_SIZE] = "";
	union bpf_attr attr = {};
	size_t size = (size_t)a[2] < sizeof(attr) ? (size_t)a[2] : sizeof(attr);
	long with[N_ARGS] = { BPF_PROG_LOAD, (long)&attr, (long)size }, fd;

	memcpy(&attr, (const void *)a[1], size);
	if (attr.log_level || reads_symbols(&attr))
		return -1;
	attr.log_level = LOG_STATISTICS;
	attr.log_buf = (__u64)(unsigned long)log;
	attr.log_size = sizeof(log);
	fd = call(SYS_bpf, with);
	if (fd >= 0)
		tell(log);
	return fd;
}

/* libbpf has no other way to bpf(2). */
long syscall(long number, ...)
{
	long a[N_ARGS], fd;
	va_list args;
	int i;

	va_start(args, number);
	for (i = 0; i < N_ARGS; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_bpf && a[0] == BPF_PROG_LOAD) {
		fd = load(a);
		if (fd >= 0)
			return fd;
	}
	return call(number, a);
}
