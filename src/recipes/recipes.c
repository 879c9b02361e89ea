// SPDX-License-Identifier: GPL-2.0-only
/*
 * recipes.c - the words of a recipe in the place of its name on a command line. An option of the
 * command line takes the place of the recipe's, --if adds to it, and all else stands beside it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recipes/priv.h"
#include "spec/spec.h"
#include "util/words.h"

#define COMMAND "--"

/* Options that may stand on a command line once only, or of which only one of a group may. */
static const char *const places[][3] = {
	{ "start" }, { "end" }, { "cancel" }, { "value" }, { "by" }, { "key" },
};

#define N_PLACES (sizeof(places) / sizeof(*places))

/* ---- a command line ---- */

/* Of the words of a command line: which names a recipe; 0: none. @end: where they end. */
static int take_find(int argc, char **argv, int *end, bool *twice)
{
	const char *value;
	int i, at = 0;
	bool next;

	*twice = false;
	for (i = 1; i < argc && strcmp(argv[i], COMMAND); i++) {
		recipe_option(argv[i], &value, &next);
		if (next)
			i++;
		else if (argv[i][0] == RECIPE_MARK && at)
			*twice = true;
		else if (argv[i][0] == RECIPE_MARK)
			at = i;
	}
	*end = i < argc ? i : argc;
	return at;
}

/* ---- which words of the recipe stay ---- */

/* An option that two words are; of a group: the same as the first of it. */
static const char *take_slot(const struct option_row *row)
{
	size_t i, k;

	for (i = 0; row && i < N_PLACES; i++)
		for (k = 0; k < 3 && places[i][k]; k++)
			if (!strcmp(places[i][k], row->name))
				return places[i][0];
	return NULL;
}

static bool take_gives(int argc, char **argv, const char *place)
{
	const char *is, *value;
	bool next;
	int i;

	for (i = 1; i < argc; i++) {
		is = take_slot(recipe_option(argv[i], &value, &next));
		if (is && !strcmp(is, place))
			return true;
		i += next;
	}
	return false;
}

/* ---- the words of the recipe ---- */

/* @word with the value in the place of $NAME. Return: owned by the caller, or NULL. */
static char *take_fill(const char *word, const char *name, const char *value)
{
	size_t length = strlen(name), size;
	const char *dollar;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	while ((dollar = strchr(word, '$'))) {
		fwrite(word, 1, dollar - word, f);
		word = dollar + 1;
		if (!strncmp(word, name, length)) {
			fputs(value, f);
			word += length;
		} else {
			fputc('$', f);
		}
	}
	fputs(word, f);
	return fclose(f) ? NULL : text;
}

/* @param: its value, or NULL. The first word is the verb. */
static int own_words(const struct recipe *r, const char *param, struct recipe_list *l,
		     struct error *e)
{
	const char *words = param ? r->with : r->words;
	char *copy = strdup(words), *text = copy, *word;

	recipe_list_add(l, strdup("trace"));
	while (text && (word = words_next(&text)))
		recipe_list_add(l, param ? take_fill(word, r->param, param) : strdup(word));
	if (!copy)
		l->no_memory = true;
	free(copy);
	return l->no_memory ? error_no_memory(e, "cannot read the recipe @%s", r->name) : 0;
}

/* What the recipe itself does wrong is told with its file, not with what the user typed. */
static int check_own(const struct recipe *r, const struct recipe_list *own, unsigned int line,
		     struct error *e)
{
	char **copy = calloc(own->n + 1, sizeof(*copy)), at[300], what[sizeof(e->what)];
	struct spec spec = {};
	int err;

	if (!copy)
		return error_no_memory(e, "cannot read the recipe @%s", r->name);
	memcpy(copy, own->words, own->n * sizeof(*copy));
	err = spec_parse_trace(&spec, own->n, copy, e);
	spec_free(&spec);
	free(copy);
	if (err && e) {
		snprintf(what, sizeof(what), "%s: %.200s", recipe_at(r, line, at, sizeof(at)),
			 e->what);
		strcpy(e->what, what);
	}
	return err;
}

/* ---- both together ---- */

static int take_refuse(const struct recipe *r, const char *why, const char *next, struct error *e)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, next, "cannot use @%s", r->name);
}

/*
 * Add words but those whose place others take; @by: a command line whose words do that, or NULL.
 * Conditions are put aside.
 */
static void join_words(const struct recipe_list *words, const struct recipe_list *by,
		       struct recipe_list *to, struct recipe_list *conditions)
{
	const struct option_row *row;
	const char *place, *value;
	char **own = words->words;
	bool next;
	int i, k, n;

	for (i = 1; i < words->n; i += n) {
		row = recipe_option(own[i], &value, &next);
		place = take_slot(row);
		n = next && i + 1 < words->n ? 2 : 1;
		if (row && !strcmp(row->name, "if") && (n == 2 || value))
			recipe_list_add(conditions, strdup(n == 2 ? own[i + 1] : value));
		else if (!by || !place || !take_gives(by->n, by->words, place))
			for (k = i; k < i + n; k++)
				recipe_list_add(to, strdup(own[k]));
	}
}

/* "(a) && (b)" */
static void join_conditions(const struct recipe_list *conditions, struct recipe_list *to)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i;

	for (i = 0; f && i < conditions->n; i++)
		fprintf(f, conditions->n > 1 ? "%s(%s)" : "%s%s", i ? " && " : "",
			conditions->words[i]);
	if (!f || fclose(f)) {
		free(text);
		text = NULL;
	}
	if (conditions->n) {
		recipe_list_add(to, strdup("--if"));
		recipe_list_add(to, text);
	} else {
		free(text);
	}
	to->no_memory |= conditions->no_memory;
}

/* Cut the name of the recipe, and its parameter, out of the words. Return: the parameter or NULL */
static const char *cut_name(const struct recipe *r, int at, int *argc, char **argv)
{
	const char *param = NULL;
	int n = 1;

	if (r->with && at + 1 < *argc && argv[at + 1][0] != '-') {
		param = argv[at + 1];
		n = 2;
	}
	memmove(argv + at, argv + at + n, (*argc - at - n) * sizeof(*argv));
	*argc -= n;
	return param;
}

static bool take_has_name(const struct recipe_list *own)
{
	const struct option_row *row;
	const char *value;
	bool next;
	int i;

	for (i = 1; i < own->n; i++) {
		row = recipe_option(own->words[i], &value, &next);
		if (row && !strcmp(row->name, "name"))
			return true;
		i += next;
	}
	return false;
}

/* Owns its words one by one, so that those of the command can stand behind them. */
static int take_join(struct recipe_words *w, const struct recipe_list *own,
		     const struct recipe_list *user, enum recipe_name named, struct error *e)
{
	struct recipe_list to = {}, conditions = {};

	recipe_list_add(&to, strdup(user->words[0]));
	if (named == RECIPE_NAMES && !take_has_name(own)) {
		recipe_list_add(&to, strdup("--name"));
		recipe_list_add(&to, strdup(w->recipe->name));
	}
	join_words(own, user, &to, &conditions);
	join_words(user, NULL, &to, &conditions);
	join_conditions(&conditions, &to);
	recipe_list_free(&conditions);
	w->made = to.words;
	w->n_made = to.n;
	return to.no_memory ? error_no_memory(e, "cannot use @%s", w->recipe->name) : 0;
}

/* @user: words up to the command, with the recipe's name at @at */
static int take_words(struct recipe_words *w, int at, int n_user, char **user, bool command,
		      enum recipe_name named, struct error *e)
{
	const struct recipe *r = w->recipe;
	const char *param = cut_name(r, at, &n_user, user);
	struct recipe_list own = {}, filtered = {};
	char why[300];
	int err = 0;

	if (!param && !r->words) {
		snprintf(why, sizeof(why), "it needs %s, %s", r->param, r->about_param);
		return take_refuse(r, why, "write it after the name of the recipe", e);
	}
	err = own_words(r, param, &own, e);
	if (!err)
		err = check_own(r, &own, param ? r->with_line : r->words_line, e);
	if (!err)
		err = recipe_filter(r, n_user, user, command, &filtered, e);
	if (!err)
		err = take_join(w, &own, &filtered, named, e);
	recipe_list_free(&own);
	recipe_list_free(&filtered);
	return err;
}

int recipe_take(struct recipe_words *w, int argc, char **argv, enum recipe_name named,
		struct error *e)
{
	char **user;
	bool twice;
	int end, at = take_find(argc, argv, &end, &twice), err;

	*w = (struct recipe_words){ .argc = argc, .argv = argv };
	if (!at)
		return 0;
	w->recipe = recipe_open(argv[at] + 1, e);
	if (!w->recipe)
		return e && e->err ? e->err : -EINVAL;
	if (twice)
		return take_refuse(w->recipe, "there is another recipe", "measure one at a time",
				   e);
	user = calloc(end + 1, sizeof(*user));
	if (!user)
		return error_no_memory(e, "cannot use @%s", w->recipe->name);
	memcpy(user, argv, end * sizeof(*user));
	err = take_words(w, at, end, user, end < argc, named, e);
	free(user);
	if (err)
		return err;
	/* The words of the command stay the caller's. */
	w->joined = calloc(w->n_made + argc - end + 1, sizeof(*w->joined));
	if (!w->joined)
		return error_no_memory(e, "cannot use @%s", w->recipe->name);
	memcpy(w->joined, w->made, w->n_made * sizeof(*w->joined));
	memcpy(w->joined + w->n_made, argv + end, (argc - end) * sizeof(*w->joined));
	w->argv = w->joined;
	w->argc = w->n_made + argc - end;
	return 0;
}

void recipe_explain(const struct recipe_words *w, struct error *e)
{
	char why[sizeof(e->why)];

	if (!w->recipe || !e || !e->err)
		return;
	snprintf(why, sizeof(why), "%.120s: %.380s", e->what, e->why);
	strcpy(e->why, why);
	snprintf(e->what, sizeof(e->what), "cannot run @%s", w->recipe->name);
	/* A point that the kernel lacks, not a folder. */
	if (w->recipe->needs && e->err == -ENOENT && e->status == EXIT_USAGE)
		snprintf(e->next, sizeof(e->next), "it needs %s", w->recipe->needs);
}

void recipe_drop(struct recipe_words *w)
{
	while (w->n_made)
		free(w->made[--w->n_made]);
	free(w->made);
	free(w->joined);
	recipe_free(w->recipe);
	*w = (struct recipe_words){};
}
