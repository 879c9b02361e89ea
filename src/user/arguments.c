// SPDX-License-Identifier: GPL-2.0-only
/*
 * arguments.c - where the arguments of a static probe are, as its note says:
 * "8@%rdi -4@$5 4@-20(%rbp)".
 */
#include <stdlib.h>
#include <string.h>

#include "user/user.h"
#include "util/arch.h"

static const struct arch_register registers[] = ARCH_REGISTERS;

/* @name: "%rdi" and @n bytes. Return: its place, or -1. */
static int register_at(const char *name, size_t n)
{
	size_t i, width;

	for (i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		for (width = 0; width < 4; width++)
			if (*name == '%' && strlen(registers[i].names[width]) == n - 1 &&
			    !strncmp(registers[i].names[width], name + 1, n - 1))
				return registers[i].at;
	return -1;
}

/* "-4@": four bytes with sign. Return: what follows, or NULL if it is not an integer. */
static const char *read_width(const char *text, struct user_argument *a)
{
	char *end;
	long bytes = strtol(text, &end, 10);

	if (*end != '@' || bytes < -8 || bytes > 8)
		return NULL;
	a->is_signed = bytes < 0;
	a->bytes = labs(bytes);
	return a->bytes == 1 || a->bytes == 2 || a->bytes == 4 || a->bytes == 8 ? end + 1 : NULL;
}

/* "-20(%rbp)" or "(%rbp)" */
static bool read_memory(const char *text, size_t n, struct user_argument *a)
{
	char *end;
	long offset = strtol(text, &end, 10);

	if (*end != '(' || text[n - 1] != ')' || offset != (int32_t)offset)
		return false;
	a->number = offset;
	a->at = register_at(end + 1, text + n - 1 - (end + 1));
	return a->at >= 0;
}

static void read_operand(const char *text, size_t n, struct user_argument *a)
{
	char *end;

	if (*text == '$') {
		a->number = strtoll(text + 1, &end, 10);
		if (end == text + n && n > 1)
			a->where = USER_IS_NUMBER;
	} else if (*text == '%') {
		a->at = register_at(text, n);
		if (a->at >= 0)
			a->where = USER_IN_REGISTER;
	} else if (n && read_memory(text, n, a)) {
		a->where = USER_IN_MEMORY;
	}
}

bool user_argument(const char *arguments, unsigned int index, struct user_argument *a)
{
	const char *operand;
	size_t n;

	*a = (struct user_argument){ .at = -1 };
	for (arguments += strspn(arguments, " "); index && *arguments; index--) {
		arguments += strcspn(arguments, " ");
		arguments += strspn(arguments, " ");
	}
	if (!*arguments)
		return false;
	n = strcspn(arguments, " ");
	operand = read_width(arguments, a);
	if (operand && operand < arguments + n)
		read_operand(operand, arguments + n - operand, a);
	return true;
}
