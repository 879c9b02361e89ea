// SPDX-License-Identifier: GPL-2.0-only
/* tell.c - see tell.h. */
#include "tell.h"

#include <stdarg.h>
#include <stdio.h>

bool model_tells;
char wrong[200];

void tell(const char *format, ...)
{
	struct machine_task *t = machine_task();
	va_list args;

	if (!model_tells)
		return;
	printf("%6llu cpu %d task %d level %d  ", machine.at, machine.cpu,
	       t ? (int)(t - machine.tasks) : -1, machine_here()->level);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

void say(const char *format, ...)
{
	va_list args;

	if (wrong[0])
		return;
	va_start(args, format);
	vsnprintf(wrong, sizeof(wrong), format, args);
	va_end(args);
	tell("WRONG: %s", wrong);
}
