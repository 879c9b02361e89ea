/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - the options of a verb as data: one table gives the parsing, the
 * help and the completion. In: a table and words. Out: fields set. Called by
 * spec and cmd/.
 */
#ifndef KSTATS_OPTIONS_H
#define KSTATS_OPTIONS_H

#include <stdio.h>

#include "util/error.h"

/**
 * struct option_row - one option
 * @name: long name; a row with a NULL name ends the table
 * @letter: short name, or 0
 * @arg: name of its argument, or NULL
 * @group: heading in the help
 * @help: one line
 * @set: stores the value (NULL without argument); 0, or -EINVAL with the
 *	error filled in
 */
struct option_row {
	const char *name;
	char letter;
	const char *arg;
	const char *group;
	const char *help;
	int (*set)(void *to, const char *value, struct error *e);
};

/**
 * struct verb_help - what the help of a verb says
 * @usage: the words after "kstats-bpf "
 * @about: what it does, one or two lines
 * @examples: lines, each an example command and what it does
 */
struct verb_help {
	const char *usage;
	const char *about;
	const char *examples;
};

#define OPTIONS_HELP 1

/**
 * options_parse() - read options; the other words are moved to the end
 * @rows: table
 * @to: handed to each row's set()
 * @argc: number of words, the verb first
 * @argv: words; reordered
 * @first: receives the index of the first word that is not an option
 * @e: what is wrong
 *
 * "--" ends the options: what follows it starts at *@first too, and is told
 * apart by the caller, which looks for it before calling.
 *
 * Return: 0, OPTIONS_HELP when --help was among them, or -EINVAL.
 */
int options_parse(const struct option_row *rows, void *to, int argc, char **argv, int *first,
		  struct error *e);

/**
 * options_help() - the help of a verb, 80 columns wide
 * @rows: table
 * @help: its words
 * @out: stream
 */
void options_help(const struct option_row *rows, const struct verb_help *help, FILE *out);

#endif /* KSTATS_OPTIONS_H */
