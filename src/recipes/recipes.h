/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recipes.h - the words of `trace` that answer a known question, under a name: "@biolat". In: a
 * command line, and files of one recipe each. Out: the command line with the words of the recipe
 * in the place of its name. Called by cmd/.
 *
 * A recipe NAME is looked for in the file NAME.recipe of the user's folder, then of that of the
 * machine, and then in this program, which has the files of recipes/ in it. docs/recipes.md tells
 * how they are written.
 */
#ifndef KSTATS_RECIPES_H
#define KSTATS_RECIPES_H

#include <stdbool.h>
#include <stdio.h>

#include "util/error.h"

#define RECIPE_MARK '@' /* before its name on a command line */
#define RECIPES_OF_MACHINE "/etc/kstats-bpf/recipes"

/** struct recipe - a recipe as its file tells it */
struct recipe {
	char *name; /* owned; letters, digits, _ and - */
	char *file; /* owned; its path, or NULL if it is in this program */
	char *answers; /* owned; the question that it answers */
	char *blind; /* owned; what it cannot see, or NULL */
	char *needs; /* owned; what to do where a kernel lacks its points, or NULL */
	char *param; /* owned; the name of its parameter, or NULL if it takes none */
	char *about_param; /* owned; what that is */
	char *words; /* owned; of trace, without the parameter; NULL: it needs the parameter */
	char *with; /* owned; of trace, with $PARAMETER in it, or NULL */
	unsigned int words_line; /* where @words begin in the file */
	unsigned int with_line; /* where @with begin */
};

/** recipe_open() - find a recipe by its name, without the mark. Return: NULL if it cannot be used
 */
struct recipe *recipe_open(const char *name, struct error *e);

/** recipe_free() - release; @r may be NULL */
void recipe_free(struct recipe *r);

/**
 * recipes_each() - all recipes by name
 * @each: gets a recipe and NULL, or NULL and why a file cannot be used
 * @ctx: handed to @each
 *
 * Return: 0 or -ENOMEM.
 */
int recipes_each(void (*each)(void *ctx, const struct recipe *r, const struct error *bad),
		 void *ctx, struct error *e);

/** struct recipe_words - a command line in which a recipe's words may have taken its place */
struct recipe_words {
	struct recipe *recipe; /* owned; NULL if no word names one */
	int argc;
	char **argv; /* ended by NULL */
	char **joined; /* owned; @argv, if it is another one than the caller's; or NULL */
	char **made; /* owned; words of @argv that are not the caller's, or NULL */
	int n_made; /* number of @made */
};

/** enum recipe_name - whether a distribution gets the name of its recipe */
enum recipe_name {
	RECIPE_NAMES, /* it does, unless --name gives another one */
	RECIPE_NAMELESS, /* the caller names it */
};

/**
 * recipe_take() - put the words of a recipe in the place of its name
 * @w: filled in; released by recipe_drop() also after an error
 * @argc: number of words
 * @argv: the words of `trace`, the verb first; they must live as long as @w
 *
 * Without a word "@NAME" before "--", @w has the words of the caller. Options behind the recipe's
 * add to it, or take the place of its own: see docs/recipes.md.
 *
 * Return: 0, -EINVAL, -ENOENT, -EPERM for a file that others may write, or -ENOMEM.
 */
int recipe_take(struct recipe_words *w, int argc, char **argv, enum recipe_name named,
		struct error *e);

/** recipe_explain() - say in an error that the kernel cannot run the recipe, if there is one */
void recipe_explain(const struct recipe_words *w, struct error *e);

/** recipe_drop() - release; @w may be zero-filled */
void recipe_drop(struct recipe_words *w);

#endif /* KSTATS_RECIPES_H */
