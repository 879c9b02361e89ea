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

#endif /* KSTATS_RECIPES_PRIV_H */
