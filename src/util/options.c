// SPDX-License-Identifier: GPL-2.0-only
/* options.c - see options.h. */
#include "util/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LONG 256 /* above every letter */
#define HELP_COLUMN 28

static int usage(struct error *e, const char *verb, const char *why, const char *word)
{
	char next[96];

	snprintf(next, sizeof(next), "see 'kstats-bpf %s --help'", verb);
	return error_set(e, EXIT_USAGE, -EINVAL, why, next, "wrong option '%s'", word);
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
		longs[i].has_arg = rows[i].arg ? required_argument : no_argument;
		longs[i].val = FIRST_LONG + i;
		if (rows[i].letter) {
			*p++ = rows[i].letter;
			if (rows[i].arg)
				*p++ = ':';
		}
	}
	longs[n].name = "help";
	longs[n].val = 'h';
	*p = '\0';
	return longs;
}

static const struct option_row *row_of(const struct option_row *rows, int c)
{
	if (c >= FIRST_LONG)
		return &rows[c - FIRST_LONG];
	while (rows->name && rows->letter != c)
		rows++;
	return rows->name ? rows : NULL;
}

int options_parse(const struct option_row *rows, void *to, int argc, char **argv, int *first,
		  struct error *e)
{
	char letters[128];
	struct option *longs = tables(rows, letters);
	const struct option_row *row;
	int c, err = 0;

	if (!longs)
		return error_set(e, EXIT_KERNEL, -ENOMEM, NULL, NULL, "cannot read the options");
	opterr = 0;
	optind = 0;
	while (!err && (c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (c == 'h') {
			err = OPTIONS_HELP;
		} else if (c == '?') {
			err = usage(e, argv[0], "there is none of that name, or it takes no value",
				    argv[optind - 1]);
		} else if (c == ':') {
			err = usage(e, argv[0], "its value is missing", argv[optind - 1]);
		} else {
			row = row_of(rows, c);
			err = row->set(to, optarg, e);
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
		       row->arg ? " " : "", row->arg ? row->arg : "");
	if (len > HELP_COLUMN - 4)
		fprintf(out, "  %s\n%*s%s\n", text, HELP_COLUMN, "", row->help);
	else
		fprintf(out, "  %-*s%s\n", HELP_COLUMN - 2, text, row->help);
}

void options_help(const struct option_row *rows, const struct verb_help *help, FILE *out)
{
	const char *group = "";

	fprintf(out, "Usage: kstats-bpf %s\n\n%s\n", help->usage, help->about);
	for (; rows->name; rows++) {
		if (strcmp(group, rows->group))
			fprintf(out, "\n%s:\n", rows->group);
		group = rows->group;
		help_row(rows, out);
	}
	if (help->examples)
		fprintf(out, "\nExamples:\n%s", help->examples);
}
