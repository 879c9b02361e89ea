// SPDX-License-Identifier: GPL-2.0-only
/*
 * refuse.c - lets one call of a program fail. Preloaded by refusals.sh. REFUSE_WHAT is "kernel",
 * for bpf(2) and perf_event_open(2), or "memory", for allocations. The call with the number
 * REFUSE_AT, from 1 on, fails with the number REFUSE_WITH, unless REFUSE_AT is 0. At its end the
 * program writes into the file REFUSE_COUNT how many such calls there were. What the program
 * starts is let alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of glibc: what its own malloc() and so on are. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static long at, with, calls;
static const char *count_file;
static int memory, on;
static pid_t self;

static long number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? atol(text) : 0;
}

__attribute__((constructor)) static void refuse_begin(void)
{
	const char *what = getenv("REFUSE_WHAT");

	memory = what && !strcmp(what, "memory");
	at = number_of("REFUSE_AT");
	with = number_of("REFUSE_WITH");
	count_file = getenv("REFUSE_COUNT");
	unsetenv("LD_PRELOAD");
	self = getpid();
	on = 1;
}

__attribute__((destructor)) static void refuse_end(void)
{
	FILE *out;

	on = 0;
	if (!count_file || getpid() != self)
		return;
	out = fopen(count_file, "w");
	if (out) {
		fprintf(out, "%ld\n", calls);
		fclose(out);
	}
}

static int is_refused(int is_memory)
{
	return on && memory == is_memory && ++calls == at;
}

void *malloc(size_t size)
{
	if (!is_refused(1))
		return __libc_malloc(size);
	errno = ENOMEM;
	return NULL;
}

void *calloc(size_t n, size_t size)
{
	if (!is_refused(1))
		return __libc_calloc(n, size);
	errno = ENOMEM;
	return NULL;
}

void *realloc(void *old, size_t size)
{
	if (!is_refused(1))
		return __libc_realloc(old, size);
	errno = ENOMEM;
	return NULL;
}

/* json-c (0.16) crashes if it gets none for the name of a member. */
char *strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	Dl_info caller;
	char *copy;

	if (dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "json-c"))
		copy = __libc_malloc(size);
	else
		copy = malloc(size);
	return copy ? memcpy(copy, text, size) : NULL;
}

/* All calls of libbpf and of the program itself that glibc has no function for. */
static long call(long number, const long *a)
{
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	if (ret > -4096 && ret < 0) {
		errno = -ret;
		return -1;
	}
	return ret;
}

long syscall(long number, ...)
{
	long a[6];
	va_list list;
	int i;

	if ((number == SYS_bpf || number == SYS_perf_event_open) && is_refused(0)) {
		errno = with;
		return -1;
	}
	va_start(list, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	return call(number, a);
}
