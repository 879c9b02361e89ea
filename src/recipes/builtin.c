// SPDX-License-Identifier: GPL-2.0-only
/* builtin.c - the recipes that are in this program: the files of recipes/, see the Makefile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recipes/priv.h"

/* Each file stands behind a form feed, its name and a newline. */
__asm__(".pushsection .rodata.recipes_text, \"a\"\nrecipes_text:\n"
	".incbin \"" KSTATS_RECIPES "\"\n.byte 0\n.popsection\n");
extern const char recipes_text[];

#define BEGINS '\f'

char *recipe_built_in(unsigned int nth, char *name)
{
	const char *begin = strchr(recipes_text, BEGINS), *text, *end;

	while (begin && nth--)
		begin = strchr(begin + 1, BEGINS);
	if (!begin)
		return NULL;
	text = strchr(begin, '\n') + 1;
	end = strchrnul(text, BEGINS);
	snprintf(name, RECIPE_NAME_MOST + 1, "%.*s", (int)(text - begin - 2), begin + 1);
	return strndup(text, end - text);
}
