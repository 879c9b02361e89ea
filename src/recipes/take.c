// SPDX-License-Identifier: GPL-2.0-only
/*
 * take.c - the words of a recipe in the place of its name on a command line. An option of the
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
	{ "start" }, { "end" }, { "cancel" }, { "at" }, { "value" }, { "by" }, { "key", "per-cpu" },
};

#define N_PLACES (sizeof(places) / sizeof(*places))

/* ---- a command line ---- */

static const struct option_row *take_long(const char *word)
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

/*
 * The option that a word is, or the last one of a group of letters. @next: receives whether the
 * next word is its value.
 */
static const struct option_row *take_option(const char *word, bool *next)
{
	const struct option_row *row = NULL;

	*next = false;
	if (word[0] != '-' || !word[1])
		return NULL;
	if (word[1] == '-') {
		row = take_long(word + 2);
		*next = row && row->arg && !strchr(word, '=');
		return row;
	}
	for (word++; *word; word++) {
		for (row = spec_options; row->name && row->letter != *word; row++)
			;
		if (!row->name || row->arg)
			break;
	}
	if (!*word || !row->name)
		return NULL;
	*next = !word[1];
	return row;
}

/* Of the words of a command line: which names a recipe; 0: none. @end: where they end. */
static int take_find(int argc, char **argv, int *end, bool *twice)
{
	int i, at = 0;
	bool next;

	*twice = false;
	for (i = 1; i < argc && strcmp(argv[i], COMMAND); i++) {
		take_option(argv[i], &next);
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
	const char *is;
	bool next;
	int i;

	for (i = 1; i < argc; i++) {
		is = take_slot(take_option(argv[i], &next));
		if (is && !strcmp(is, place))
			return true;
		i += next;
	}
	return false;
}

/* The condition among the words, and how many of them it takes; 0: there is none. */
static int take_condition(int argc, char **argv, int *at, const char **text)
{
	const struct option_row *row;
	bool next;
	int i;

	for (i = 1; i < argc; i++) {
		row = take_option(argv[i], &next);
		if (row && !strcmp(row->name, "if") && (!next || i + 1 < argc)) {
			*at = i;
			*text = next ? argv[i + 1] : strchr(argv[i], '=') + 1;
			return next ? 2 : 1;
		}
		i += next;
	}
	return 0;
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

/* Words, each owned, ended by NULL. */
struct word_list {
	char **words;
	int n;
	bool no_memory;
};

/* @word: is owned by the list from now on; NULL: there was no memory for it */
static void take_add(struct word_list *l, char *word)
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

static void take_free(struct word_list *l)
{
	while (l->n)
		free(l->words[--l->n]);
	free(l->words);
	*l = (struct word_list){};
}

/* @param: its value, or NULL. The first word is the verb. */
static int own_words(const struct recipe *r, const char *param, struct word_list *l,
		     struct error *e)
{
	const char *words = param ? r->with : r->words;
	char *copy = strdup(words), *text = copy, *word;

	take_add(l, strdup("trace"));
	while (text && (word = words_next(&text)))
		take_add(l, param ? take_fill(word, r->param, param) : strdup(word));
	if (!copy)
		l->no_memory = true;
	free(copy);
	return l->no_memory ? error_no_memory(e, "cannot read the recipe @%s", r->name) : 0;
}

/* What the recipe itself does wrong is told with its file, not with what the user typed. */
static int check_own(const struct recipe *r, const struct word_list *own, unsigned int line,
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

/* The words of the recipe that no word of the user replaces; @user: those without its name. */
static void join_own(const struct word_list *own, int n_user, char **user, struct word_list *to)
{
	int i, at = 0, condition = take_condition(n_user, user, &at, &(const char *){ NULL });
	const struct option_row *row;
	const char *place;
	bool next, drop;

	for (i = 1; i < own->n; i++) {
		row = take_option(own->words[i], &next);
		place = take_slot(row);
		drop = (place && take_gives(n_user, user, place)) ||
		       (condition && row && !strcmp(row->name, "if"));
		if (!drop)
			take_add(to, strdup(own->words[i]));
		if (next && i + 1 < own->n && !drop)
			take_add(to, strdup(own->words[i + 1]));
		i += next;
	}
}

static void join_user(const struct word_list *own, int n_user, char **user, struct word_list *to)
{
	const char *ours = NULL, *theirs = NULL;
	int i, at = 0, from = 0, n = take_condition(n_user, user, &at, &theirs);
	char *both = NULL;

	if (n && take_condition(own->n, own->words, &from, &ours)) {
		take_add(to, strdup("--if"));
		if (asprintf(&both, "(%s) && (%s)", ours, theirs) < 0)
			both = NULL;
		take_add(to, both);
	} else {
		n = 0;
	}
	for (i = 1; i < n_user; i++) {
		if (n && i == at)
			i += n - 1;
		else
			take_add(to, strdup(user[i]));
	}
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

/* Owns its words one by one, so that those of the command can stand behind them. */
static int take_join(struct recipe_words *w, const struct word_list *own, int n_user, char **user,
		     enum recipe_name named, struct error *e)
{
	struct word_list to = {};
	bool next;
	int i;

	take_add(&to, strdup(user[0]));
	for (i = 1; i < own->n && named == RECIPE_NAMES; i++) {
		const struct option_row *row = take_option(own->words[i], &next);

		if (row && !strcmp(row->name, "name"))
			named = RECIPE_NAMELESS;
		i += next;
	}
	if (named == RECIPE_NAMES) {
		take_add(&to, strdup("--name"));
		take_add(&to, strdup(w->recipe->name));
	}
	join_own(own, n_user, user, &to);
	join_user(own, n_user, user, &to);
	w->made = to.words;
	w->n_made = to.n;
	return to.no_memory ? error_no_memory(e, "cannot use @%s", w->recipe->name) : 0;
}

/* @user: words up to the command, with the recipe's name at @at */
static int take_words(struct recipe_words *w, int at, int n_user, char **user,
		      enum recipe_name named, struct error *e)
{
	const struct recipe *r = w->recipe;
	const char *param = cut_name(r, at, &n_user, user);
	struct word_list own = {};
	char why[300];
	int err = 0;

	if (!param && !r->words) {
		snprintf(why, sizeof(why), "it needs %s, %s", r->param, r->about_param);
		return take_refuse(r, why, "write it behind the name of the recipe", e);
	}
	err = own_words(r, param, &own, e);
	if (!err)
		err = check_own(r, &own, param ? r->with_line : r->words_line, e);
	if (!err)
		err = take_join(w, &own, n_user, user, named, e);
	take_free(&own);
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
	err = take_words(w, at, end, user, named, e);
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
	snprintf(why, sizeof(why), "%.180s: %.200s", e->what, e->why);
	strcpy(e->why, why);
	snprintf(e->what, sizeof(e->what), "cannot run @%s", w->recipe->name);
	if (w->recipe->needs && e->err == -ENOENT)
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
