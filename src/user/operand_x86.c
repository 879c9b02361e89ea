// SPDX-License-Identifier: GPL-2.0-only
/* operand_x86.c - where an argument of a static probe is, in the assembler's words of x86-64. */
#ifdef __x86_64__
#include <stdlib.h>
#include <string.h>

#include "user/priv.h"
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

void user_operand(const char *text, size_t n, struct user_argument *a)
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
#endif
