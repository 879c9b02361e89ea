// SPDX-License-Identifier: GPL-2.0-only
/* read.c - the text of a recipe: fields like those of a mail, "Answers: ...". */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "recipes/priv.h"
#include "spec/spec.h"
#include "util/instead.h"
#include "util/words.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

bool recipe_name_ok(const char *name)
{
	size_t length = strlen(name);

	return length && length <= RECIPE_NAME_MOST && *name != '-' &&
	       strspn(name, LETTERS "-") == length;
}

const char *recipe_at(const struct recipe *r, unsigned int line, char *buf, size_t size)
{
	if (r->file && line)
		snprintf(buf, size, "recipe '%s', line %u", r->file, line);
	else if (r->file)
		snprintf(buf, size, "recipe '%s'", r->file);
	else
		snprintf(buf, size, "recipe @%s", r->name);
	return buf;
}

static int recipe_bad(const struct recipe *r, unsigned int line, const char *why, const char *next,
		      struct error *e)
{
	char at[300];

	return error_set(e, EXIT_USAGE, -EINVAL, why, next, "cannot use the %s",
			 recipe_at(r, line, at, sizeof(at)));
}

/* ---- fields ---- */

#define FIELD(member) offsetof(struct recipe, member)

static const struct field {
	const char *name;
	size_t at; /* its text in struct recipe */
	size_t line; /* where its line is kept; 0: nowhere */
} fields[] = {
	{ "Answers", FIELD(answers), 0 },
	{ "Parameter", FIELD(param), 0 },
	{ "Trace", FIELD(words), FIELD(words_line) },
	{ "Trace with parameter", FIELD(with), FIELD(with_line) },
	{ "Task", FIELD(task), 0 },
	{ "Needs", FIELD(needs), 0 },
	{ "Cannot see", FIELD(blind), 0 },
};

#define FIELDS "Answers, Parameter, Trace, Trace with parameter, Task, Needs and Cannot see"
#define N_FIELDS (sizeof(fields) / sizeof(*fields))

static const struct field *field_named(const char *name)
{
	size_t i;

	for (i = 0; i < N_FIELDS; i++)
		if (!strcmp(fields[i].name, name))
			return &fields[i];
	return NULL;
}

static char **field_text(struct recipe *r, const struct field *f)
{
	return (char **)((char *)r + f->at);
}

/* @line: "Name: text". */
static int field_begin(struct recipe *r, char *line, unsigned int number, const struct field **now,
		       struct error *e)
{
	char *colon = strchr(line, ':'), *text = colon ? colon + 1 : NULL;

	if (colon)
		*colon = '\0';
	*now = colon ? field_named(line) : NULL;
	if (!*now)
		return recipe_bad(r, number, "it begins with no field",
				  "the fields are " FIELDS "; begin the further lines of one "
				  "with a space",
				  e);
	if (*field_text(r, *now))
		return recipe_bad(r, number, "the field is there twice", "leave one out", e);
	*field_text(r, *now) = strdup(text + strspn(text, " \t"));
	if ((*now)->line)
		*(unsigned int *)((char *)r + (*now)->line) = number;
	return *field_text(r, *now) ? 0 : error_no_memory(e, "cannot read the recipe");
}

/* @line: begins with a space, and goes on with the field before it. */
static int field_go_on(struct recipe *r, const char *line, unsigned int number,
		       const struct field *now, struct error *e)
{
	char *joined;

	if (!now)
		return recipe_bad(r, number, "it begins with a space, and no field is before it",
				  "the fields are " FIELDS, e);
	line += strspn(line, " \t");
	if (asprintf(&joined, "%s%s%s", *field_text(r, now), **field_text(r, now) ? " " : "",
		     line) < 0)
		return error_no_memory(e, "cannot read the recipe");
	free(*field_text(r, now));
	*field_text(r, now) = joined;
	return 0;
}

static void recipe_cut_end(char *line)
{
	char *end = line + strlen(line);

	while (end > line && isspace((unsigned char)end[-1]))
		*--end = '\0';
}

static int recipe_read_lines(struct recipe *r, char *text, struct error *e)
{
	const struct field *now = NULL;
	unsigned int number = 1;
	char *line, *next;
	int err = 0;

	for (line = text; !err && line; line = next, number++) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		recipe_cut_end(line);
		if (*line == '#' || !*line)
			continue;
		err = isspace((unsigned char)*line) ? field_go_on(r, line, number, now, e)
						    : field_begin(r, line, number, &now, e);
	}
	return err;
}

/* ---- what must hold ---- */

/* "NAME, what it is" becomes the two. */
static int recipe_split_param(struct recipe *r, struct error *e)
{
	size_t length = r->param ? strspn(r->param, LETTERS) : 0;
	const char *about;

	if (!r->param)
		return 0;
	about = r->param + length;
	about += strspn(about, ", ");
	if (!length || !isupper((unsigned char)*r->param) || !*about)
		return recipe_bad(r, 0, "its parameter is no name and what it stands for",
				  "write 'Parameter: NAME, what it is'", e);
	r->about_param = strdup(about);
	r->param[length] = '\0';
	return r->about_param ? 0 : error_no_memory(e, "cannot read the recipe");
}

/* Recipes choose what is measured, and neither write files nor run commands. */
static bool option_allowed(const char *name, size_t length)
{
	static const char *const allowed[] = { "start", "end",    "cancel", "first",   "value",
					       "name",  "method", "throws", "backend", "key",
					       "gap",   "merge",  "limit",  "bits",    "pid",
					       "tid",   "comm",   "cpu",    "cgroup",  "if",
					       "by",    "unit",   "sort",   "buckets", "via",
					       NULL };
	size_t i;

	for (i = 0; allowed[i]; i++)
		if (strlen(allowed[i]) == length && !strncmp(allowed[i], name, length))
			return true;
	return false;
}

static int recipe_check_option(const struct recipe *r, const char *word, unsigned int line,
			       struct error *e)
{
	size_t length = strcspn(word, "=");
	char why[160];

	if (*word != '-' ||
	    (!strncmp(word, "--", 2) && option_allowed(word + 2, length > 2 ? length - 2 : 0)))
		return 0;
	snprintf(why, sizeof(why), "'%.60s' is no option of a recipe", word);
	return recipe_bad(r, line, why,
			  instead_of("trace", word)
				  ?: "write out in full an option that says what is measured, "
				     "which calls, or of whom; others stand on the command line",
			  e);
}

static int recipe_check_words(const struct recipe *r, const char *words, unsigned int line,
			      struct error *e)
{
	char *copy = words ? strdup(words) : NULL, *text = copy, *word;
	int n = 0, err = 0;

	if (!words)
		return 0;
	if (!copy)
		return error_no_memory(e, "cannot read the recipe");
	for (; !err && text && (word = words_next(&text)); n++)
		err = text ? recipe_check_option(r, word, line, e) : 0;
	if (!err && !text)
		err = recipe_bad(r, line, "a quote is not closed", "close it", e);
	if (!err && !n)
		err = recipe_bad(r, line, "it has no words", "write those of 'kstats-bpf trace'",
				 e);
	free(copy);
	return err;
}

static int recipe_check_fields(struct recipe *r, struct error *e)
{
	int err = recipe_split_param(r, e);

	if (err)
		return err;
	if (!r->answers || !*r->answers)
		return recipe_bad(r, 0, "it does not say what it answers",
				  "write 'Answers: a question'", e);
	if (!r->words && !r->with)
		return recipe_bad(r, 0, "it has no words of trace", "write 'Trace: words'", e);
	if (r->with && !r->param)
		return recipe_bad(r, r->with_line, "the recipe has no parameter",
				  "write 'Parameter: NAME, what it is'", e);
	if (r->param && !r->with)
		return recipe_bad(r, 0, "its parameter is in no words",
				  "write 'Trace with parameter: words', with $NAME in them", e);
	err = recipe_check_words(r, r->words, r->words_line, e);
	return err ? err : recipe_check_words(r, r->with, r->with_line, e);
}

struct recipe *recipe_read(const char *name, const char *file, char *text, struct error *e)
{
	struct recipe *r = calloc(1, sizeof(*r));
	int err = r ? 0 : -ENOMEM;

	if (!err) {
		r->name = strdup(name);
		r->file = file ? strdup(file) : NULL;
		err = r->name && (r->file || !file) ? 0 : -ENOMEM;
	}
	if (err)
		error_no_memory(e, "cannot read the recipe @%s", name);
	if (!err)
		err = recipe_read_lines(r, text, e);
	if (!err)
		err = recipe_check_fields(r, e);
	if (!err)
		return r;
	recipe_free(r);
	return NULL;
}

void recipe_free(struct recipe *r)
{
	if (!r)
		return;
	free(r->name);
	free(r->file);
	free(r->answers);
	free(r->blind);
	free(r->needs);
	free(r->task);
	free(r->param);
	free(r->about_param);
	free(r->words);
	free(r->with);
	free(r);
}
