/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of this room share. */
#ifndef KSTATS_SPEC_PRIV_H
#define KSTATS_SPEC_PRIV_H

#include "spec/spec.h"

/* Why a name is refused. */
#define SPEC_NODE_NAME \
	"a node's name has 1 to 63 letters, digits and _ . - : and is neither . nor .."

#define SPEC_PID_MOST 4194304 /* PID_MAX_LIMIT of the kernel */

/*
 * Rows of the options by which tasks and CPUs are chosen. @who: the struct spec_who among what
 * the options fill in; @all: the flag of --all there; @title: of the section; @on: what stands
 * before "these CPUs" in the help.
 */
/* clang-format off */
#define SPEC_WHO_OPTIONS(who, all, title, on) \
	{ "pid", 'p', "LIST", title, "these processes", \
	  OPTION_NUMBERS(who.pids, who.n_pids, SPEC_PID_MOST) }, \
	{ "tid", 't', "LIST", title, "these threads", \
	  OPTION_NUMBERS(who.tids, who.n_tids, SPEC_PID_MOST), .rare = true }, \
	{ "comm", 0, "NAME", title, "tasks of this name", OPTION_BY(who, spec_set_comm), \
	  .rare = true }, \
	{ "cpu", 'C', "LIST", title, on "these CPUs, like 0-3,8", OPTION_BY(who, spec_set_cpu), \
	  .rare = true }, \
	{ "cgroup", 'c', "PATH", title, "tasks of this cgroup (v2) and below", \
	  OPTION_FILLED(who.cgroup) }, \
	{ "all", 'a', NULL, title, "all tasks, not only the command's processes", \
	  OPTION_FLAG(all) }
/* clang-format on */

/** spec_set_point() - read the name of a point; @p: empty; @glob: patterns are allowed */
int spec_set_point(struct spec_point *p, const char *text, bool glob, struct error *e);

/**
 * spec_add_point() - read a point of a pair: NAME, its key in brackets, and "if" with a condition
 * @p: the first of its kind; a further one is put behind the last
 */
int spec_add_point(struct spec_point *p, const char *text, struct error *e);

/** spec_add_vias() - read --via: such points with commas between them; @to: the first */
int spec_add_vias(void *to, const char *value, struct error *e);

/** spec_set_if() - read a condition; @to: its pointer in struct spec */
int spec_set_if(void *to, const char *value, struct error *e);

/** spec_set_by() - read the parts of --by; @to: the struct spec */
int spec_set_by(void *to, const char *value, struct error *e);

/** spec_set_callees() - read --callees; @to: the names of callees in struct spec */
int spec_set_callees(void *to, const char *value, struct error *e);

/** spec_check_callees() - check what --callees is used with, and take the parts, too */
int spec_check_callees(struct spec *spec, struct error *e);

/** spec_check_vias() - check what --via is used with, and make a pair of a target */
int spec_check_vias(struct spec *spec, struct error *e);

/** spec_check_points() - check that the points of a pair fit together, and take keys from them */
int spec_check_points(struct spec *spec, struct error *e);

/** spec_free_point() - release what a point owns, and those that follow */
void spec_free_point(struct spec_point *p);

/**
 * spec_set_user_point() - read the name of a point in a program
 * @p: empty
 *
 * Return: 1, 0 if @text names none, or -errno.
 */
int spec_set_user_point(struct spec_point *p, const char *text, struct error *e);

/** spec_check_user() - check that the options fit points in programs */
int spec_check_user(const struct spec *spec, struct error *e);

/** spec_set_marker() - read m:NAME. Return: 1, 0 if @text names none, or -errno */
int spec_set_marker(struct spec_point *p, const char *text, struct error *e);

/** spec_check_markers() - check that the options fit markers of programs */
int spec_check_markers(const struct spec *spec, struct error *e);

/** spec_name_keys() - turn "arg0" of --key into expressions where a point is in a program */
int spec_name_keys(struct spec *spec, struct error *e);

/** spec_is_argument() - whether a key is an argument alone, arg0 to arg5; @index: receives which */
bool spec_is_argument(const char *text, int *index);

/** spec_set_keys() - read --key: its parts, with commas between them, are the same at both points
 */
int spec_set_keys(struct spec *spec, const char *value, struct error *e);

/** spec_user_name() - write a point's name with the letters of a node's name only */
void spec_user_name(const struct spec_point *p, char *buf, size_t size);

/** spec_node_name_ok() - whether it can name a node, see SPEC_NODE_NAME */
bool spec_node_name_ok(const char *name);

/** spec_set_comm() - keep the word of --comm; @to: struct spec_who */
int spec_set_comm(void *to, const char *value, struct error *e);

/** spec_set_cpu() - read the list of --cpu; @to: struct spec_who; @value: like "0-3,8" */
int spec_set_cpu(void *to, const char *value, struct error *e);

/** spec_set_tag() - keep the word of --tag; @to: struct tags; @value: KEY=VALUE */
int spec_set_tag(void *to, const char *value, struct error *e);

/**
 * spec_take_command() - find the command, which follows "--"
 * @spec: receives it
 * @argc: number of words; receives the number of those before "--"
 *
 * Return: 0 or -EINVAL.
 */
int spec_take_command(struct spec *spec, int *argc, char **argv, struct error *e);

/** spec_set_defaults() - what is measured, and how, if no word says otherwise */
void spec_set_defaults(struct spec *spec);

/** spec_parse_words() - spec_parse_with(), without setting the defaults */
int spec_parse_words(struct spec *spec, const struct option_row *rows, int argc, char **argv,
		     struct error *e);

/** spec_check_command() - check that the options about a command fit; @spec: all words read */
int spec_check_command(const struct spec *spec, struct error *e);

/** spec_check_cost() - check that the options about overhead fit the others */
int spec_check_cost(const struct spec *spec, struct error *e);

/** spec_check_series() - check runs and rules; one run is assumed if there are only rules */
int spec_check_series(struct spec *spec, struct error *e);

/** spec_set_value() - read the expression of --value; @to: struct expr * */
int spec_set_value(void *to, const char *value, struct error *e);

/** spec_set_unit() - keep the word of --unit; @to: const char * */
int spec_set_unit(void *to, const char *value, struct error *e);

/** spec_check_unit() - check the unit, and take it for the value if there is one */
int spec_check_unit(struct spec *spec, struct error *e);

/** spec_check_value() - check that the options about a value fit the others */
int spec_check_value(const struct spec *spec, struct error *e);

/** spec_choose_point() - whether one point is enough for the value, and which */
void spec_choose_point(struct spec *spec);

/** spec_bad() - refuse the value of an option, such as "--bits". Return: -EINVAL */
int spec_bad(struct error *e, const char *option, const char *value, const char *why,
	     const char *next);

#endif /* KSTATS_SPEC_PRIV_H */
