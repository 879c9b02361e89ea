// SPDX-License-Identifier: GPL-2.0-only
/*
 * arguments.c - the arguments of a static probe, as its note describes them:
 * "8@%rdi -4@$5 4@-20(%rbp)", or of arm64 "8@x0 -4@5 4@[sp, 20]". What stands behind an @ is read
 * in operand_*.c.
 */
#include <stdlib.h>
#include <string.h>

#include "user/priv.h"

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

/* The bytes up to the next argument. There may be a space in brackets. */
static size_t argument_length(const char *text)
{
	size_t n = strcspn(text, " [");

	if (text[n] == '[')
		n += strcspn(text + n, "]");
	return n + strcspn(text + n, " ");
}

bool user_argument(const char *arguments, unsigned int index, struct user_argument *a)
{
	const char *operand;
	size_t n;

	*a = (struct user_argument){ .at = -1 };
	for (arguments += strspn(arguments, " "); index && *arguments; index--) {
		arguments += argument_length(arguments);
		arguments += strspn(arguments, " ");
	}
	if (!*arguments)
		return false;
	n = argument_length(arguments);
	operand = read_width(arguments, a);
	if (operand && operand < arguments + n)
		user_operand(operand, arguments + n - operand, a);
	return true;
}
