// SPDX-License-Identifier: GPL-2.0-only
/* error.c - describing and printing a failure. */
#include "util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/safe_str.h"

static int set(struct error *e, enum exit_status status, int err, const char *why, const char *next,
	       const char *what, va_list ap)
{
	char text[sizeof(e->what)];

	if (!e)
		return err;
	vsnprintf(text, sizeof(text), what, ap);
	e->err = err;
	e->status = status;
	safe_str(e->what, sizeof(e->what), text);
	safe_str(e->why, sizeof(e->why), why ? why : strerror(-err));
	safe_str(e->next, sizeof(e->next), next);
	return err;
}

int error_set(struct error *e, enum exit_status status, int err, const char *why, const char *next,
	      const char *what, ...)
{
	va_list ap;

	va_start(ap, what);
	set(e, status, err, why, next, what, ap);
	va_end(ap);
	return err;
}

int error_no_memory(struct error *e, const char *what, ...)
{
	va_list ap;

	va_start(ap, what);
	set(e, EXIT_KERNEL, -ENOMEM, NULL, NULL, what, ap);
	va_end(ap);
	return -ENOMEM;
}

int error_print(const struct error *e)
{
	fprintf(stderr, "kstats-bpf: %s: %s%s%s\n", e->what[0] ? e->what : "it failed",
		e->what[0] ? e->why : "the reason was not kept", e->next[0] ? "; " : "", e->next);
	/* A failure that nobody has described is still a failure. */
	return e->status ? e->status : EXIT_KERNEL;
}

/* Of include/linux/errno.h: system calls that begin anew after a signal, and errors inside the
 * kernel. */
static const struct {
	int number;
	const char *name;
} kernel_only[] = {
	{ 512, "ERESTARTSYS" },
	{ 513, "ERESTARTNOINTR" },
	{ 514, "ERESTARTNOHAND" },
	{ 515, "ENOIOCTLCMD" },
	{ 516, "ERESTART_RESTARTBLOCK" },
	{ 517, "EPROBE_DEFER" },
	{ 518, "EOPENSTALE" },
	{ 519, "ENOPARAM" },
	{ 521, "EBADHANDLE" },
	{ 522, "ENOTSYNC" },
	{ 523, "EBADCOOKIE" },
	{ 524, "ENOTSUPP" },
	{ 525, "ETOOSMALL" },
	{ 526, "ESERVERFAULT" },
	{ 527, "EBADTYPE" },
	{ 528, "EJUKEBOX" },
	{ 529, "EIOCBQUEUED" },
	{ 530, "ERECALLCONFLICT" },
	{ 531, "ENOGRACE" },
};

#define N_KERNEL_ONLY (sizeof(kernel_only) / sizeof(*kernel_only))

const char *error_name(int number)
{
	size_t i;

	for (i = 0; i < N_KERNEL_ONLY; i++)
		if (kernel_only[i].number == number)
			return kernel_only[i].name;
	return strerrorname_np(number);
}

int error_number(const char *name)
{
	int i;

	for (i = 1; i <= kernel_only[N_KERNEL_ONLY - 1].number; i++)
		if (error_name(i) && !strcmp(error_name(i), name))
			return i;
	return 0;
}
