// SPDX-License-Identifier: GPL-2.0-only
/* symbols.c - the kernel's symbols, one after the other. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hook/hook.h"

/* "ffffffffc0123450 t kt_empty<tab>[kstats_target]" */
static bool parse(char *line, struct hook_symbol *symbol)
{
	char *end = line + strcspn(line, "\n"), *bracket;

	*end = '\0';
	symbol->address = strtoull(line, &end, 16);
	if (end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	symbol->type = end[1];
	symbol->name = end + 3;
	symbol->module = (char *)"";
	bracket = strchr(symbol->name, '\t');
	if (bracket) {
		*bracket++ = '\0';
		bracket[strcspn(bracket, "]")] = '\0';
		symbol->module = *bracket == '[' ? bracket + 1 : bracket;
	}
	return true;
}

int hook_symbols(int (*each)(void *ctx, const struct hook_symbol *symbol), void *ctx)
{
	FILE *in = fopen("/proc/kallsyms", "re");
	struct hook_symbol symbol;
	char line[1024];
	int end = 0;

	if (!in)
		return -errno;
	while (!end && fgets(line, sizeof(line), in))
		if (parse(line, &symbol))
			end = each(ctx, &symbol);
	fclose(in);
	return end;
}
