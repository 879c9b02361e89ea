// SPDX-License-Identifier: GPL-2.0-only
/*
 * slow.c - preloaded, every call of bpf(2) takes 20 ms more, so that what could
 * happen between two of them does. Called by node.sh.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DELAY_US 20000

long syscall(long nr, ...)
{
	static long (*real)(long nr, ...);
	long a[6], result;
	va_list ap;
	int i, err;

	va_start(ap, nr);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	result = real(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	err = errno;
	if (nr == SYS_bpf)
		usleep(DELAY_US);
	errno = err;
	return result;
}
