/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - the options of a verb as data: one table gives the parsing, the
 * help and the completion. In: a table and words. Out: fields set. Called by
 * spec and cmd/.
 */
#ifndef KSTATS_OPTIONS_H
#define KSTATS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/error.h"

/** enum option_type - how a value is read, and what it is stored as */
enum option_type {
	OPTION_SET, /* the row's set() reads it */
	OPTION_IS_FLAG, /* bool; there is no value, true is stored */
	OPTION_IS_TEXT, /* const char *; the value as it stands, of at least @least bytes */
	OPTION_IS_WORD, /* const char *; one of @words */
	OPTION_IS_INDEX, /* an enum; the place of the value in @words */
	OPTION_IS_NUMBER, /* unsigned int from @least to @most */
	/* two unsigned int from @least to @most, with ".." between; or one, where the first is 0 */
	OPTION_IS_RANGE,
	OPTION_IS_NUMBERS, /* uint32_t[@size] and their number; a list with commas, up to @most */
	OPTION_IS_PERCENT, /* double from @least to @most; the value may end in "%" */
	OPTION_IS_TIME, /* uint64_t; nanoseconds above 0 */
	OPTION_IS_GROUP, /* NAME=VALUE,...: each is a row of @rows, and stored as that tells */
};

/** enum offer - what the completion offers for a word */
enum offer {
	OFFER_NOTHING,
	OFFER_FUNCTIONS,
	OFFER_POINTS, /* functions and tracepoints */
	OFFER_EXPRESSIONS, /* over the point that was named before */
	OFFER_NODES,
	OFFER_RECIPES, /* by their names, without the mark */
	OFFER_VERBS,
	OFFER_SHELLS,
	OFFER_FORMATS, /* of trace and report */
	OFFER_KMEMS, /* formats of kmem */
	OFFER_VERDICTS, /* formats of check */
	OFFER_DIFFS, /* formats of diff */
	OFFER_WHYS, /* formats of recordings, and those of single calls */
};

/**
 * struct option_row - one option
 *
 * The macros below fill in the fields from @type on.
 */
struct option_row {
	const char *name; /* long name; a row with a NULL name ends the table */
	char letter; /* short name, or 0 */
	const char *arg; /* name of its argument, or NULL; "[=NAME]": it may be left out */
	const char *group; /* heading in the help */
	const char *help; /* one line */
	bool rare; /* only in the whole help */
	enum option_type type; /* how the value is read */
	size_t at; /* where it is stored, as an offset into what the table fills in */
	size_t count; /* of a list: offset of its size_t; of a range: of its first number */
	size_t size; /* of a list: the most numbers it holds */
	const char *const *words; /* the words it may be, ended by NULL; also for the completion */
	const struct option_row *rows; /* of a group: its names; @at counts from the same begin */
	double least; /* smallest value */
	double most; /* largest value */
	uint64_t unit; /* of a time: nanoseconds of a number without a unit */
	enum offer offers; /* what the completion offers where there are no @words */
	const char *why; /* what it should be, where that is not told by the row itself */
	const char *next; /* what to do instead, or NULL */
	/* of OPTION_SET: stores the value at @at; 0, or -EINVAL with the error filled in */
	int (*set)(void *at, const char *value, struct error *e);
};

/*
 * The last fields of a row. Who uses them defines OPTIONS_OF: the type of what the
 * table fills in. A field of another type than the option's does not compile.
 */
#define OPTION_AT(field, is)                                                                \
	(offsetof(OPTIONS_OF, field) +                                                      \
	 0 * sizeof(char[__builtin_types_compatible_p(typeof(((OPTIONS_OF *)0)->field), is) \
				 ? 1                                                        \
				 : -1]))
#define OPTION_FLAG(field) .type = OPTION_IS_FLAG, .at = OPTION_AT(field, bool)
#define OPTION_TEXT(field) .type = OPTION_IS_TEXT, .at = OPTION_AT(field, const char *)
#define OPTION_FILLED(field) OPTION_TEXT(field), .least = 1
#define OPTION_WORD(field, list) \
	.type = OPTION_IS_WORD, .at = OPTION_AT(field, const char *), .words = (list)
#define OPTION_INDEX(field, is, list) \
	.type = OPTION_IS_INDEX, .at = OPTION_AT(field, is), .words = (list)
#define OPTION_NUMBER(field, min, max)                                                  \
	.type = OPTION_IS_NUMBER, .at = OPTION_AT(field, unsigned int), .least = (min), \
	.most = (max)
#define OPTION_RANGE(first, last, min, max)                               \
	.type = OPTION_IS_RANGE, .count = OPTION_AT(first, unsigned int), \
	.at = OPTION_AT(last, unsigned int), .least = (min), .most = (max)
#define OPTION_NUMBERS(field, n_field, max)                           \
	.type = OPTION_IS_NUMBERS, .at = offsetof(OPTIONS_OF, field), \
	.size = sizeof(((OPTIONS_OF *)0)->field) / sizeof(uint32_t),  \
	.count = OPTION_AT(n_field, size_t), .most = (max)
#define OPTION_PERCENT(field, min, max) \
	.type = OPTION_IS_PERCENT, .at = OPTION_AT(field, double), .least = (min), .most = (max)
#define OPTION_SECONDS(field) \
	.type = OPTION_IS_TIME, .at = OPTION_AT(field, uint64_t), .unit = 1000000000
#define OPTION_NANOSECONDS(field) \
	.type = OPTION_IS_TIME, .at = OPTION_AT(field, uint64_t), .unit = 1
#define OPTION_GROUP(table) .type = OPTION_IS_GROUP, .rows = (table)
#define OPTION_BY(field, setter) .at = offsetof(OPTIONS_OF, field), .set = (setter)

/** struct verb_help - what the help of a verb says */
struct verb_help {
	const char *usage; /* the words after "kstats-bpf " */
	const char *about; /* what it does, one or two lines */
	const char *examples; /* lines, each an example command and what it does */
};

/* no exit codes */
#define OPTIONS_HELP 256
#define OPTIONS_HELP_ALL 257

/**
 * options_parse() - read options; the other words are moved to the end
 * @rows: table
 * @to: what they fill in
 * @argc: number of words, the verb first
 * @argv: words; reordered
 * @first: receives the index of the first word that is not an option
 *
 * "--" ends the options: what follows it starts at *@first too, and is told
 * apart by the caller, which looks for it before calling.
 *
 * Return: 0, OPTIONS_HELP when --help was among them, OPTIONS_HELP_ALL for --help=all, or
 *	-EINVAL.
 */
int options_parse(const struct option_row *rows, void *to, int argc, char **argv, int *first,
		  struct error *e);

/**
 * options_help() - the help of a verb, 80 columns wide
 * @rows: table
 * @help: its words; the first of @usage is the name of the verb
 * @all: explain the rare options too, instead of naming them only
 */
void options_help(const struct option_row *rows, const struct verb_help *help, bool all, FILE *out);

#endif /* KSTATS_OPTIONS_H */
