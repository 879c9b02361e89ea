// SPDX-License-Identifier: GPL-2.0-only
/* recipes.c - the verb `recipes`: what is known under a name, and the words that it stands for. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "recipes/recipes.h"
#include "util/safe_str.h"
#include "util/words.h"

struct recipes {
	bool show; /* only the command */
	int width; /* of the column of names */
	int status;
};

#define OPTIONS_OF struct recipes

static const struct option_row recipes_options[] = {
	{ "show", 0, NULL, "Options", "print the command in full, for a shell", OPTION_FLAG(show) },
	{},
};

static const struct verb_help recipes_help = {
	.usage = "recipes [NAME [PARAMETER]] [options]",
	.about = "List the recipes: each is a known question, and 'kstats-bpf trace @NAME'\n"
		 "measures what answers it. With a name, tell what a recipe measures and what\n"
		 "it cannot see. Add recipes as files in " RECIPES_OF_MACHINE " or\n"
		 "~/.config/kstats-bpf/recipes: see kstats-bpf-recipes(8).",
	.examples = "  kstats-bpf recipes\n"
		    "  kstats-bpf recipes biolat\n"
		    "  kstats-bpf recipes --show syscalls read\n",
};

/* ---- all ---- */

/* "syscalls [NAME]", "fs TYPE" */
static const char *recipes_head(const struct recipe *r, char *buf, size_t size)
{
	snprintf(buf, size, !r->param ? "%s" : r->words ? "%s [%s]" : "%s %s", r->name, r->param);
	return buf;
}

static void recipes_measure(void *ctx, const struct recipe *r, const struct error *bad)
{
	struct recipes *all = ctx;
	char head[160];

	if (r && (int)strlen(recipes_head(r, head, sizeof(head))) > all->width)
		all->width = strlen(head);
}

static void recipes_print(void *ctx, const struct recipe *r, const struct error *bad)
{
	struct recipes *all = ctx;
	char head[160], safe[600];

	if (r)
		printf("%-*s  %s\n", all->width, recipes_head(r, head, sizeof(head)),
		       safe_str(safe, sizeof(safe), r->answers));
	else
		all->status = error_print(bad);
}

static int recipes_list(struct recipes *all, struct error *e)
{
	int err = recipes_each(recipes_measure, all, e);

	return err ? err : recipes_each(recipes_print, all, e);
}

/* ---- one ---- */

#define RECIPES_COLUMN 16
#define RECIPES_WIDTH 80

/* A text behind its title, in lines of 80 columns. */
static void recipes_tell(const char *title, const char *text)
{
	int column = printf("  %-*s", RECIPES_COLUMN - 2, title), length;
	char safe[1000];

	for (text = safe_str(safe, sizeof(safe), text); *text; text += length) {
		text += strspn(text, " ");
		length = strcspn(text, " ");
		if (column > RECIPES_COLUMN && column + 1 + length > RECIPES_WIDTH)
			column = printf("\n%*s", RECIPES_COLUMN, "") - 1;
		column += printf("%s%.*s", column > RECIPES_COLUMN ? " " : "", length, text);
	}
	putchar('\n');
}

static void recipes_command(int argc, char **argv)
{
	int i;

	printf("kstats-bpf trace");
	for (i = 1; i < argc; i++) {
		putchar(' ');
		words_quote(stdout, argv[i]);
	}
	putchar('\n');
}

static void recipes_about(const struct recipe *r)
{
	char head[160];

	printf("@%s\n", recipes_head(r, head, sizeof(head)));
	recipes_tell("answers", r->answers);
	if (r->param)
		recipes_tell(r->param, r->about_param);
	if (r->words)
		recipes_tell("trace", r->words);
	if (r->with) {
		snprintf(head, sizeof(head), "%s %s", r->words ? "or with" : "trace",
			 r->words ? r->param : "");
		recipes_tell(head, r->with);
	}
	if (r->needs)
		recipes_tell("needs", r->needs);
	if (r->blind)
		recipes_tell("cannot see", r->blind);
	recipes_tell("from", r->file ? r->file : "this program");
}

/* @argv: the name, with its mark or without, and its parameter */
static int recipes_one(const struct recipes *all, int argc, char **argv, struct error *e)
{
	char name[80], *words[] = { "trace", name, argc > 1 ? argv[1] : NULL, NULL };
	struct recipe_words w = {};
	struct recipe *r;
	int err;

	snprintf(name, sizeof(name), "%s%s", *argv[0] == RECIPE_MARK ? "" : "@", argv[0]);
	if (!all->show && argc == 1) {
		r = recipe_open(name + 1, e);
		if (r)
			recipes_about(r);
		recipe_free(r);
		return r ? 0 : -ENOENT;
	}
	err = recipe_take(&w, argc + 1, words, RECIPE_NAMES, e);
	if (!err)
		recipes_command(w.argc, w.argv);
	recipe_drop(&w);
	return err;
}

static int recipes_run(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct recipes all = {};
	int first, err = options_parse(v->options, &all, argc, argv, &first, e);

	if (!err && argc - first > 2)
		err = error_set(e, EXIT_USAGE, -EINVAL, "a recipe has one parameter at most",
				"quote it, so that the shell keeps it together", "cannot use '%s'",
				argv[first + 2]);
	if (!err && first == argc && all.show)
		err = error_set(e, EXIT_USAGE, -EINVAL, "no recipe is named",
				"write kstats-bpf recipes --show NAME", "cannot use --show");
	if (!err)
		err = first == argc ? recipes_list(&all, e)
				    : recipes_one(&all, argc - first, argv + first, e);
	return err ? err : all.status;
}

const struct verb recipes_verb = {
	.name = "recipes",
	.line = "list recipes: named measurements for known questions",
	.help = &recipes_help,
	.options = recipes_options,
	.takes = OFFER_RECIPES,
	.run = recipes_run,
};
