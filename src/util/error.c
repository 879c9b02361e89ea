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

int error_number(const char *name)
{
	int i;

	for (i = 1; i < 134; i++)
		if (strerrorname_np(i) && !strcmp(strerrorname_np(i), name))
			return i;
	return 0;
}
