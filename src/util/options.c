// SPDX-License-Identifier: GPL-2.0-only
#include "util/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "util/instead.h"
#include "util/units.h"

#define FIRST_LONG 256 /* above every letter */
#define HELP_COLUMN 28

static int usage(struct error *e, const char *verb, const char *why, const char *word)
{
	char next[96];

	snprintf(next, sizeof(next), "see 'kstats-bpf %s --help'", verb);
	return error_set(e, EXIT_USAGE, -EINVAL, why, next, "wrong option '%s'", word);
}

/* @letter: the letter that is not known, or 0; else it is the whole word. */
static int unknown_option(struct error *e, const char *verb, const char *word, int letter)
{
	char option[64];
	const char *next;

	if (letter && word[1] != '-')
		snprintf(option, sizeof(option), "-%c", letter);
	else
		snprintf(option, sizeof(option), "%.*s", (int)strcspn(word, "="), word);
	next = instead_of(verb, option);
	if (!next)
		return usage(e, verb, "there is none of that name, or it takes no value", word);
	return error_set(e, EXIT_USAGE, -EINVAL, "there is none of that name", next,
			 "wrong option '%s'", option);
}

/* Whether the option may stand without its argument, and has none in the next word. */
static bool options_may_be_bare(const struct option_row *row)
{
	return row->arg && row->arg[0] == '[';
}

/* The long forms, numbered from FIRST_LONG; the letters as getopt wants them. */
static struct option *tables(const struct option_row *rows, char *letters)
{
	struct option *longs;
	size_t n, i;
	char *p = letters;

	for (n = 0; rows[n].name; n++)
		;
	longs = calloc(n + 2, sizeof(*longs));
	if (!longs)
		return NULL;
	*p++ = ':';
	*p++ = 'h';
	for (i = 0; i < n; i++) {
		longs[i].name = rows[i].name;
		longs[i].has_arg = !rows[i].arg                    ? no_argument
				   : options_may_be_bare(&rows[i]) ? optional_argument
								   : required_argument;
		longs[i].val = FIRST_LONG + i;
		if (rows[i].letter) {
			*p++ = rows[i].letter;
			if (rows[i].arg)
				*p++ = ':';
		}
	}
	longs[n].name = "help";
	longs[n].has_arg = optional_argument;
	longs[n].val = 'h';
	*p = '\0';
	return longs;
}

static const struct option_row *options_row_of(const struct option_row *rows, int c)
{
	if (c >= FIRST_LONG)
		return &rows[c - FIRST_LONG];
	while (rows->name && rows->letter != c)
		rows++;
	return rows->name ? rows : NULL;
}

/* ---- values ---- */

/* "a, b or c" */
static const char *join(const char *const *words, char *text, size_t size)
{
	size_t len = snprintf(text, size, "%s", words[0]), i;

	for (i = 1; words[i] && len < size; i++)
		len += snprintf(text + len, size - len, "%s%s", words[i + 1] ? ", " : " or ",
				words[i]);
	return text;
}

static const char *expected(const struct option_row *row, char *text, size_t size)
{
	char words[256];

	if (row->type == OPTION_IS_WORD || row->type == OPTION_IS_INDEX)
		snprintf(text, size, "it is %s", join(row->words, words, sizeof(words)));
	else if (row->type == OPTION_IS_NUMBERS)
		snprintf(text, size, "it is a list of numbers up to %.0f, with commas", row->most);
	else if (row->type == OPTION_IS_RANGE)
		snprintf(text, size,
			 "it is a number from %.0f to %.0f, or two of them like 6..40, "
			 "the smaller first",
			 row->least, row->most);
	else if (row->type == OPTION_IS_TIME)
		snprintf(text, size, "it is a time above 0, like 10us, 1.5ms or 2s");
	else if (row->type == OPTION_IS_TEXT)
		snprintf(text, size, "it is empty");
	else if (row->type == OPTION_IS_GROUP)
		snprintf(text, size, "it is like %s", row->arg);
	else
		snprintf(text, size, "it is a %s from %.10g to %.10g",
			 row->type == OPTION_IS_NUMBER ? "number" : "percentage", row->least,
			 row->most);
	return text;
}

/* @why: what is wrong, or NULL where the row tells what it should be. */
static int options_refuse(const struct option_row *row, const char *value, const char *why,
			  struct error *e)
{
	char text[300];

	if (row->why)
		why = row->why;
	if (!why)
		why = expected(row, text, sizeof(text));
	return error_set(e, EXIT_USAGE, -EINVAL, why, row->next, "cannot use '%s' for --%s", value,
			 row->name);
}

static bool read_number(const struct option_row *row, const char *text, unsigned long *n)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*n = strtoul(text, &end, 10);
	return !errno && !*end && *n >= row->least && *n <= row->most;
}

static int set_word(const struct option_row *row, void *at, const char *value, struct error *e)
{
	int i;

	for (i = 0; row->words[i] && strcmp(value, row->words[i]); i++)
		;
	if (!row->words[i])
		return options_refuse(row, value, NULL, e);
	if (row->type == OPTION_IS_INDEX)
		*(int *)at = i;
	else
		*(const char **)at = row->words[i];
	return 0;
}

static int set_number(const struct option_row *row, unsigned int *at, const char *value,
		      struct error *e)
{
	unsigned long n;

	if (!read_number(row, value, &n))
		return options_refuse(row, value, NULL, e);
	*at = n;
	return 0;
}

static int set_range(const struct option_row *row, unsigned int *first, unsigned int *last,
		     const char *value, struct error *e)
{
	const char *dots = strstr(value, "..");
	unsigned long from = 0, to;
	char text[16];

	if (dots) {
		snprintf(text, sizeof(text), "%.*s", (int)(dots - value), value);
		if (dots - value >= (int)sizeof(text) || !read_number(row, text, &from))
			return options_refuse(row, value, NULL, e);
	}
	if (!read_number(row, dots ? dots + 2 : value, &to) || from > to)
		return options_refuse(row, value, NULL, e);
	*first = from;
	*last = to;
	return 0;
}

static int set_numbers(const struct option_row *row, uint32_t *at, size_t *count, const char *value,
		       struct error *e)
{
	char copy[256], *save = NULL, *word;
	unsigned long n;
	char why[64];

	if (strlen(value) >= sizeof(copy))
		return options_refuse(row, value, "the list is too long", e);
	strcpy(copy, value);
	snprintf(why, sizeof(why), "there are more than %zu", row->size);
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (!read_number(row, word, &n))
			return options_refuse(row, value, NULL, e);
		if (*count == row->size)
			return options_refuse(row, value, why, e);
		at[(*count)++] = n;
	}
	return *count ? 0 : options_refuse(row, value, NULL, e);
}

static int set_percent(const struct option_row *row, double *at, const char *value, struct error *e)
{
	size_t digits = strspn(value, "0123456789.");
	char *end;
	double percent = strtod(value, &end);

	if (!digits || end != value + digits || (*end && strcmp(end, "%")) ||
	    percent < row->least || percent > row->most)
		return options_refuse(row, value, NULL, e);
	*at = percent;
	return 0;
}

static int set_time(const struct option_row *row, uint64_t *at, const char *value, struct error *e)
{
	int err = units_parse_duration(value, row->unit, at);

	if (err == -ERANGE)
		return options_refuse(row, value, "it is too long, or finer than a nanosecond", e);
	return err || !*at ? options_refuse(row, value, NULL, e) : 0;
}

static int set_value(const struct option_row *row, char *to, const char *value, struct error *e);

static const struct option_row *options_row_named(const struct option_row *rows, const char *name,
						  size_t length)
{
	while (rows->name && (strlen(rows->name) != length || strncmp(rows->name, name, length)))
		rows++;
	return rows->name ? rows : NULL;
}

/* "NAME=VALUE,NAME=VALUE" */
static int set_group(const struct option_row *row, char *to, const char *value, struct error *e)
{
	const struct option_row *one;
	struct option_row named;
	const char *part = value;
	char text[64], name_of[64];
	size_t name, length;
	int err;

	for (;;) {
		length = strcspn(part, ",");
		name = strcspn(part, "=,");
		one = options_row_named(row->rows, part, name);
		if (!one || name == length || length - name > sizeof(text))
			return options_refuse(row, value, NULL, e);
		snprintf(text, sizeof(text), "%.*s", (int)(length - name - 1), part + name + 1);
		named = *one;
		snprintf(name_of, sizeof(name_of), "%s %s", row->name, one->name);
		named.name = name_of;
		err = set_value(&named, to, text, e);
		if (err || !part[length])
			return err;
		part += length + 1;
	}
}

static int set_value(const struct option_row *row, char *to, const char *value, struct error *e)
{
	void *at = to + row->at;

	switch (row->type) {
	case OPTION_SET:
		return row->set(at, value, e);
	case OPTION_IS_FLAG:
		*(bool *)at = true;
		return 0;
	case OPTION_IS_TEXT:
		*(const char **)at = value;
		return strlen(value) < row->least ? options_refuse(row, value, NULL, e) : 0;
	case OPTION_IS_WORD:
	case OPTION_IS_INDEX:
		return set_word(row, at, value, e);
	case OPTION_IS_NUMBER:
		return set_number(row, at, value, e);
	case OPTION_IS_RANGE:
		return set_range(row, (unsigned int *)(to + row->count), at, value, e);
	case OPTION_IS_NUMBERS:
		return set_numbers(row, at, (size_t *)(to + row->count), value, e);
	case OPTION_IS_PERCENT:
		return set_percent(row, at, value, e);
	case OPTION_IS_TIME:
		return set_time(row, at, value, e);
	case OPTION_IS_GROUP:
		return set_group(row, to, value, e);
	}
	return -EINVAL;
}

/* Whether getopt took the next option for the value that this one needs. */
static bool takes_option(const struct option_row *row, char **argv)
{
	return optarg && !options_may_be_bare(row) && optarg == argv[optind - 1] &&
	       !strncmp(optarg, "--", 2);
}

int options_parse(const struct option_row *rows, void *to, int argc, char **argv, int *first,
		  struct error *e)
{
	char letters[128];
	struct option *longs = tables(rows, letters);
	const struct option_row *row;
	int c, err = 0;

	if (!longs)
		return error_no_memory(e, "cannot read the options");
	opterr = 0;
	optind = 0;
	while (!err && (c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (c == 'h') {
			err = !optarg ? OPTIONS_HELP
			      : !strcmp(optarg, "all")
				      ? OPTIONS_HELP_ALL
				      : usage(e, argv[0], "it is --help or --help=all",
					      argv[optind - 1]);
		} else if (c == '?') {
			err = unknown_option(e, argv[0], argv[optind - 1], optopt);
		} else if (c == ':') {
			err = usage(e, argv[0], "its value is missing", argv[optind - 1]);
		} else {
			row = options_row_of(rows, c);
			err = takes_option(row, argv)
				      ? usage(e, argv[0], "its value is missing", argv[optind - 2])
				      : set_value(row, to,
						  optarg || !options_may_be_bare(row) ? optarg : "",
						  e);
		}
	}
	*first = optind;
	free(longs);
	return err;
}

static void help_row(const struct option_row *row, FILE *out)
{
	char text[64];
	int len;

	len = snprintf(text, sizeof(text), "%c%c%s --%s%s%s", row->letter ? '-' : ' ',
		       row->letter ? row->letter : ' ', row->letter ? "," : " ", row->name,
		       row->arg && !options_may_be_bare(row) ? " " : "", row->arg ? row->arg : "");
	if (len > HELP_COLUMN - 4)
		fprintf(out, "  %s\n%*s%s\n", text, HELP_COLUMN, "", row->help);
	else
		fprintf(out, "  %-*s%s\n", HELP_COLUMN - 2, text, row->help);
}

/* One paragraph, broken before the 80th column. */
static void help_rare(const struct option_row *rows, const char *usage, FILE *out)
{
	int at, len;

	at = fprintf(out, "\nMore, see 'kstats-bpf %.*s --help=all':", (int)strcspn(usage, " "),
		     usage) -
	     1;
	for (; rows->name; rows++) {
		if (!rows->rare)
			continue;
		len = strlen(rows->name) + 3;
		if (at + len >= 80)
			at = fprintf(out, "\n     ") - 1;
		at += len;
		fprintf(out, " --%s", rows->name);
	}
	fputc('\n', out);
}

static bool has_rare(const struct option_row *rows)
{
	while (rows->name && !rows->rare)
		rows++;
	return rows->name;
}

void options_help(const struct option_row *rows, const struct verb_help *help, bool all, FILE *out)
{
	const struct option_row *row;
	const char *group = "";

	fprintf(out, "Usage: kstats-bpf %s\n\n%s\n", help->usage, help->about);
	for (row = rows; row->name; row++) {
		if (row->rare && !all)
			continue;
		if (strcmp(group, row->group))
			fprintf(out, "\n%s:\n", row->group);
		group = row->group;
		help_row(row, out);
	}
	if (!all && has_rare(rows))
		help_rare(rows, help->usage, out);
	if (help->examples)
		fprintf(out, "\nExamples:\n%s", help->examples);
}
