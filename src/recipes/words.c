// SPDX-License-Identifier: GPL-2.0-only
/* words.c - the words of a command line: which are options, and lists of them. */
#include <stdlib.h>
#include <string.h>

#include "recipes/priv.h"
#include "spec/spec.h"

static const struct option_row *words_long(const char *word)
{
	const struct option_row *row, *found = NULL;
	size_t length = strcspn(word, "=");

	/* As getopt: the begin of a name will do if no other begins so. */
	for (row = spec_options; row->name; row++) {
		if (strncmp(row->name, word, length))
			continue;
		if (!row->name[length])
			return row;
		found = row;
	}
	return found;
}

static const struct option_row *words_letter(char letter)
{
	const struct option_row *row;

	for (row = spec_options; row->name; row++)
		if (row->letter == letter)
			return row;
	return NULL;
}

const struct option_row *recipe_option(const char *word, const char **value, bool *next)
{
	const struct option_row *row = NULL;
	const char *letter;

	*next = false;
	*value = NULL;
	if (word[0] != '-' || !word[1])
		return NULL;
	if (word[1] == '-') {
		row = words_long(word + 2);
		*value = row && row->arg ? strchr(word, '=') : NULL;
		*value += !!*value;
	} else {
		for (letter = word + 1; *letter; letter++) {
			row = words_letter(*letter);
			if (!row || row->arg)
				break;
		}
		*value = row && row->arg && letter[1] ? letter + 1 : NULL;
	}
	*next = row && row->arg && !*value;
	return row;
}

bool recipe_option_is(const char *word, const char *name)
{
	const struct option_row *row;

	if (word[0] != '-')
		return false;
	if (word[1] == '-') {
		row = words_long(word + 2);
		return row && !strcmp(row->name, name);
	}
	for (word++; *word; word++) {
		row = words_letter(*word);
		if (row && !strcmp(row->name, name))
			return true;
		if (!row || row->arg)
			return false;
	}
	return false;
}

void recipe_list_add(struct recipe_list *l, char *word)
{
	char **grown = word ? realloc(l->words, (l->n + 2) * sizeof(*grown)) : NULL;

	if (!grown) {
		free(word);
		l->no_memory = true;
		return;
	}
	l->words = grown;
	grown[l->n++] = word;
	grown[l->n] = NULL;
}

void recipe_list_free(struct recipe_list *l)
{
	while (l->n)
		free(l->words[--l->n]);
	free(l->words);
	*l = (struct recipe_list){};
}
