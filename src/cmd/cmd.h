/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd.h - the verbs. In: argv, the verb first. Out: an exit code; everything
 * said to the user is said here. Called by main.
 */
#ifndef KSTATS_CMD_H
#define KSTATS_CMD_H

#include <sys/types.h>

#include "util/options.h"

/** struct verb - all there is to know of a verb */
struct verb {
	const char *name; /* as it is typed */
	const char *also; /* another word for it, or NULL */
	const char *line; /* what it does, for the list of verbs; NULL: it is not listed */
	const struct verb_help *help; /* what its --help says */
	const struct option_row *options; /* its options, or NULL */
	const struct option_row *more; /* options of another verb, which it takes too */
	const char *beside; /* an option beside which it takes @instead, not @more; or NULL */
	const struct option_row *instead; /* options of another verb */
	enum offer takes; /* its other words */
	bool needs_bpf; /* it loads programs: it asks refusal_check_user() once its words are read
			 */
	const char *needs; /* beside @needs_bpf: what help says it needs; NULL: CAP_BPF and so on */
	const struct verb *const *verbs; /* to choose from, ended by NULL; its own without @run */
	/*
	 * Does it. Gets the words, of which the first names the verb for messages. Returns an
	 * exit code, OPTIONS_HELP, or -errno with the error filled in.
	 */
	int (*run)(const struct verb *v, int argc, char **argv, struct error *e);
};

extern const struct verb trace_verb;
extern const struct verb why_verb;
extern const struct verb top_verb;
extern const struct verb report_verb;
extern const struct verb diff_verb;
extern const struct verb check_verb;
extern const struct verb node_verb;
extern const struct verb control_verb;
extern const struct verb list_verb;
extern const struct verb recipes_verb;
extern const struct verb calibrate_verb;
extern const struct verb doctor_verb;
extern const struct verb kmem_verb;
extern const struct verb serve_verb;

struct spec;

/** cmd_parse_spec() - read the words of a verb that measures */
typedef int cmd_parse_spec(struct spec *spec, int argc, char **argv, struct error *e);

/** cmd_measure() - measure and show the result, as `trace` does. Return: exit code */
int cmd_measure(const struct verb *v, cmd_parse_spec *parse, int argc, char **argv,
		struct error *e);

/* Verbs of `node`. */
extern const struct option_row node_add_options[];
extern const struct verb node_apply_verb;
extern const struct verb node_ls_verb;
extern const struct verb node_show_verb;
extern const struct verb node_export_verb;

/* What adding a node needs. */
#define CMD_NODE_NEEDS                                                                   \
	"It needs root. With --pin-root in a BPF file system where this user may make\n" \
	"folders, CAP_BPF and CAP_PERFMON are enough: see 'kstats-bpf doctor'."

struct nodes;

/** cmd_add_user() - "add" with --user */
int cmd_add_user(struct nodes *n, int argc, char **argv, struct error *e);

/** cmd_add_node() - "add" with the words after it; @argv: reordered */
int cmd_add_node(struct nodes *n, int argc, char **argv, struct error *e);

/**
 * cmd_change_nodes() - start, stop, reset or rm the nodes that were found
 * @e: used for what is said of each
 *
 * Return: exit code of the last that failed.
 */
int cmd_change_nodes(struct nodes *n, const char *verb, struct error *e);

/** cmd_is_user() - whether a pattern of `list` names a program or library */
bool cmd_is_user(const char *pattern);

/** struct cmd_list_of - what is listed of a program or library */
struct cmd_list_of {
	const char *pattern; /* "u:BINARY", "u:BINARY:GLOB", or the same with "usdt:" */
	pid_t pid; /* process that has it mapped, or 0 */
	bool json; /* one object a line */
	bool markers; /* with those who listen */
	bool heard; /* only what somebody listens to */
};

/** cmd_list_user() - print the functions or the marks of a program or library */
int cmd_list_user(const struct cmd_list_of *of, struct error *e);

struct facts_listener;
struct json_object;

/** cmd_listeners() - facts_listeners(), with the reason for failing */
int cmd_listeners(bool programs, struct facts_listener **rows, size_t *n, struct error *e);

/** cmd_print_listener() - print a line about somebody who listens */
void cmd_print_listener(const struct facts_listener *at);

/** cmd_listener_json() - the same as an object */
struct json_object *cmd_listener_json(const struct facts_listener *at);

#define CMD_FUNCTIONS "u:" /* before the name of a program or library */
#define CMD_MARKS "usdt:"

/**
 * cmd_complete_user() - offer the files of programs, or the functions or marks in one
 *
 * Return: false if @begin is no word about programs.
 */
bool cmd_complete_user(const char *begin);

/**
 * cmd_complete() - words that may come next
 * @v: its @verbs are those of the program
 * @argv: words; the last has begun
 * @e: not used
 *
 * Return: exit code.
 */
int cmd_complete(const struct verb *v, int argc, char **argv, struct error *e);

/**
 * cmd_completion() - the script of a shell
 * @v: not used
 * @argv: words; the second is the shell
 * @e: there is none for that shell
 *
 * Return: exit code, OPTIONS_HELP, or -EINVAL.
 */
int cmd_completion(const struct verb *v, int argc, char **argv, struct error *e);

#endif /* KSTATS_CMD_H */
