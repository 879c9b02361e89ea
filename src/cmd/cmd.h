/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd.h - the verbs. In: argv, the verb first. Out: an exit code; everything
 * said to the user is said here. Called by main.
 */
#ifndef KSTATS_CMD_H
#define KSTATS_CMD_H

#include "util/options.h"

/**
 * struct verb - all there is to know of a verb
 * @name: as it is typed
 * @line: what it does, for the list of verbs; NULL where it is not listed
 * @help: what its --help says
 * @options: its options, or NULL
 * @more: options of another verb, which it takes too and does not explain
 * @takes: its other words
 * @verbs: verbs to choose from, ended by NULL; its own where there is no @run
 * @run: does it. Gets the words, of which the first names the verb for messages;
 *	returns an exit code, OPTIONS_HELP, or -errno with the error filled in
 */
struct verb {
	const char *name;
	const char *line;
	const struct verb_help *help;
	const struct option_row *options;
	const struct option_row *more;
	enum offer takes;
	const struct verb *const *verbs;
	int (*run)(const struct verb *v, int argc, char **argv, struct error *e);
};

extern const struct verb trace_verb;
extern const struct verb report_verb;
extern const struct verb diff_verb;
extern const struct verb check_verb;
extern const struct verb node_verb;
extern const struct verb control_verb;
extern const struct verb list_verb;
extern const struct verb calibrate_verb;
extern const struct verb doctor_verb;

/* Verbs of `node`. */
extern const struct verb node_ls_verb;
extern const struct verb node_show_verb;
extern const struct verb node_export_verb;

/**
 * cmd_complete() - words that may come next
 * @v: its @verbs are those of the program
 * @argc: number of words
 * @argv: words; the last has begun
 * @e: not used
 *
 * Return: exit code.
 */
int cmd_complete(const struct verb *v, int argc, char **argv, struct error *e);

/**
 * cmd_completion() - the script of a shell
 * @v: not used
 * @argc: number of words
 * @argv: words; the second is the shell
 * @e: there is none for that shell
 *
 * Return: exit code, or -EINVAL.
 */
int cmd_completion(const struct verb *v, int argc, char **argv, struct error *e);

#endif /* KSTATS_CMD_H */
