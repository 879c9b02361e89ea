// SPDX-License-Identifier: GPL-2.0-only
/* operand_arm64.c - where an argument of a static probe is, in the assembler's words of arm64. */
#ifdef __aarch64__
#include <stdlib.h>
#include <string.h>

#include "user/priv.h"
#include "util/arch.h"

/* @name: "x0", "w12" or "sp"; @n: its bytes. Return: its place, or -1. */
static int numbered_register(const char *name, size_t n)
{
	char *end;
	long number;

	if (n == 2 && !strncmp(name, "sp", n))
		return ARCH_SP_AT;
	if (n < 2 || (*name != 'x' && *name != 'w') || name[1] < '0' || name[1] > '9')
		return -1;
	number = strtol(name + 1, &end, 10);
	return end == name + n && number <= 30 ? ARCH_X0_AT + 8 * number : -1;
}

/* Clang writes numbers with a #, GCC without. */
static bool read_number(const char *text, const char *end, int64_t *number)
{
	char *stop;

	text += *text == '#';
	*number = strtoll(text, &stop, 0);
	return text < end && stop == end;
}

/* "[sp, 16]" or "[x0]" */
static bool read_bracket(const char *text, size_t n, struct user_argument *a)
{
	const char *end = text + n - 1, *at = text + 1;
	size_t name = strcspn(at, ",]");

	if (*text != '[' || *end != ']')
		return false;
	a->at = numbered_register(at, name);
	at += name;
	if (*at == ',') {
		at++;
		at += strspn(at, " ");
		if (!read_number(at, end, &a->number) || a->number != (int32_t)a->number)
			return false;
		at = end;
	}
	return a->at >= 0 && at == end;
}

void user_operand(const char *text, size_t n, struct user_argument *a)
{
	if (!n)
		return;
	a->at = numbered_register(text, n);
	if (a->at >= 0)
		a->where = USER_IN_REGISTER;
	else if ((n == 3 && !strncmp(text, "xzr", n)) || (n == 3 && !strncmp(text, "wzr", n)))
		a->where = USER_IS_NUMBER;
	else if (*text == '[' && read_bracket(text, n, a))
		a->where = USER_IN_MEMORY;
	else if (*text != '[' && read_number(text, text + n, &a->number))
		a->where = USER_IS_NUMBER;
}
#endif
