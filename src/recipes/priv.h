/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of this room share. */
#ifndef KSTATS_RECIPES_PRIV_H
#define KSTATS_RECIPES_PRIV_H

#include <stddef.h>

#include "recipes/recipes.h"

#define RECIPE_NAME_MOST 63

/** recipe_name_ok() - whether a recipe can have this name */
bool recipe_name_ok(const char *name);

/** recipe_at() - where a recipe is, for messages. @line: in its file, or 0. Return: @buf */
const char *recipe_at(const struct recipe *r, unsigned int line, char *buf, size_t size);

/**
 * recipe_read() - read the text of a recipe
 * @name: of the recipe
 * @file: its path, or NULL if it is in this program
 * @text: is written to
 *
 * Return: a recipe, or NULL with the file and the line of what is wrong.
 */
struct recipe *recipe_read(const char *name, const char *file, char *text, struct error *e);

/**
 * recipe_built_in() - the text of a recipe of this program
 * @name: receives its name, in a buffer of RECIPE_NAME_MOST + 1 bytes
 *
 * Return: its text, owned by the caller; NULL past the last one, or with errno ENOMEM.
 */
char *recipe_built_in(unsigned int nth, char *name);

/** struct recipe_list - words, each owned, ended by NULL */
struct recipe_list {
	char **words;
	int n;
	bool no_memory;
};

/** recipe_list_add() - @word: is owned by the list from now on; NULL: there was no memory for it */
void recipe_list_add(struct recipe_list *l, char *word);

/** recipe_list_free() - release; it is empty afterwards */
void recipe_list_free(struct recipe_list *l);

struct option_row;

/**
 * recipe_option() - the option that a word is, or the last one of a group of letters
 * @value: receives its value in the word, or NULL
 * @next: receives whether the next word is its value
 *
 * Return: NULL if it is none.
 */
const struct option_row *recipe_option(const char *word, const char **value, bool *next);

/** recipe_option_is() - whether a word is an option, or has it among its letters; @name: long */
bool recipe_option_is(const char *word, const char *name);

/**
 * recipe_filter() - let filters by task look at the task whose events a recipe measures
 * @argc: number of the user's words, without those of a command
 * @command: whether a command follows
 * @out: receives the words, in which conditions may have taken the place of filters
 *
 * Return: 0, or -EINVAL for a filter that would look at another task.
 */
int recipe_filter(const struct recipe *r, int argc, char **argv, bool command,
		  struct recipe_list *out, struct error *e);

#endif /* KSTATS_RECIPES_PRIV_H */
