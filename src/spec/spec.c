// SPDX-License-Identifier: GPL-2.0-only
/* spec.c - words into a spec: targets, classic words, contradictions. */
#include "spec/spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "spec/priv.h"
#include "util/arch.h"

#define TP_PREFIX "tp:"
#define CLASSIC_TP_PREFIX "__tracepoint_"
#define BITS_UNSET (KSTATS_BITS_MAX + 1)

static int wrong(struct error *e, const char *why, const char *next, const char *word)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, next, "cannot use '%s'", word);
}

/* ---- points ---- */

static bool name_ok(const char *s, const char *more)
{
	if (!*s || strlen(s) > 127)
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_' && *s != '.' && !strchr(more, *s))
			return false;
	return true;
}

/* "a:b" into its two parts; without a colon the first part is NULL. */
static int split(const char *text, struct spec_point *p)
{
	const char *colon = strchr(text, ':');

	p->module = colon ? strndup(text, colon - text) : NULL;
	p->name = strdup(colon ? colon + 1 : text);
	return p->name && (!colon || p->module) ? 0 : -ENOMEM;
}

int spec_set_point(struct spec_point *p, const char *text, bool glob, struct error *e)
{
	const char *more = glob ? "*?[]-!^" : "";
	const char *rest = text;
	int user;

	if (p->kind != SPEC_NONE)
		return wrong(e, "the point is given twice", "give one start and one end", text);
	user = spec_set_user_point(p, text, e);
	if (!user)
		user = spec_set_marker(p, text, e);
	if (user)
		return user < 0 ? user : 0;
	p->kind = SPEC_FUNCTION;
	if (!strncmp(text, TP_PREFIX, strlen(TP_PREFIX))) {
		p->kind = SPEC_TRACEPOINT;
		rest = text + strlen(TP_PREFIX);
	} else if (!strncmp(text, CLASSIC_TP_PREFIX, strlen(CLASSIC_TP_PREFIX))) {
		p->kind = SPEC_TRACEPOINT;
		rest = text + strlen(CLASSIC_TP_PREFIX);
	}
	if (split(rest, p))
		return error_no_memory(e, "cannot read the words");
	if (name_ok(p->name, more) && (!p->module || name_ok(p->module, glob ? "*?[]-!^" : "-")))
		return 0;
	return wrong(
		e, "it is not the name of a function or a tracepoint",
		"write FUNCTION, MODULE:FUNCTION, tp:SUBSYSTEM:TRACEPOINT, u:BINARY:FUNCTION or "
		"m:NAME",
		text);
}

bool spec_node_name_ok(const char *name)
{
	size_t len = strlen(name);

	return len && len <= KSTATS_NAME_MAX && strcmp(name, ".") && strcmp(name, "..") &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-:") ==
		       len;
}

/* A point that has no duration of its own. */
static int no_duration(const struct spec *spec, const struct spec_point *p, const char *text,
		       struct error *e)
{
	static const char *const calls[] = { "sys_enter_", "sys_exit_" };
	const char *between = spec->why ? "measure between two points with --start and --end"
					: "measure between two points with --start and --end, or "
					  "record a value with --value";
	char next[160];
	size_t i;

	if (p->kind == SPEC_USER_MARK)
		return wrong(e, "a static probe has no duration of its own", between, text);
	for (i = 0; i < 2; i++) {
		if (strncmp(p->name, calls[i], strlen(calls[i])))
			continue;
		snprintf(next, sizeof(next), "write 'kstats-bpf %s " ARCH_SYSTEM_CALL "%s'",
			 spec->why ? "why" : "trace", p->name + strlen(calls[i]));
		return wrong(e, "the function of the system call has its duration", next, text);
	}
	return wrong(e, "a tracepoint has no duration of its own", between, text);
}

static int add_only_point(struct spec *spec, struct spec_point *p, const char *text,
			  struct error *e)
{
	int err = 0;

	if (!spec->value)
		err = no_duration(spec, p, text, e);
	else if (spec->at.kind != SPEC_NONE)
		err = wrong(e, "it is the second point",
			    "a value is read at one point: measure twice", text);
	if (err)
		spec_free_point(p);
	else
		spec->at = *p;
	return err;
}

static int add_target(struct spec *spec, const char *text, struct error *e)
{
	struct spec_point *grown, p = {};
	int err;

	err = spec_set_point(&p, text, true, e);
	if (!err && (p.kind == SPEC_TRACEPOINT || p.kind == SPEC_USER_MARK))
		return add_only_point(spec, &p, text, e);
	grown = err ? NULL : realloc(spec->targets, (spec->n_targets + 1) * sizeof(*grown));
	if (!grown) {
		free(p.module);
		free(p.name);
		return err ? err : error_no_memory(e, "cannot read the words");
	}
	spec->targets = grown;
	grown[spec->n_targets++] = p;
	return 0;
}

/* ---- the classic words ---- */

static bool is_key_word(const char *word)
{
	return !strcasecmp(word, "bits") || !strcasecmp(word, "start") || !strcasecmp(word, "end");
}

static int classic_bits(struct spec *spec, const char *value, struct error *e)
{
	if (strlen(value) != 1 || *value < '0' || *value > '0' + KSTATS_BITS_MAX)
		return wrong(e, "bits are a number from 0 to 5", NULL, value);
	spec->bits = *value - '0';
	return 0;
}

static int classic_pair(struct spec *spec, unsigned int *seen, const char *key, const char *value,
			struct error *e)
{
	unsigned int bit = 1U << (tolower((unsigned char)*key) % 8);

	if (!is_key_word(key))
		return wrong(e, "the words after the name are bits, start and end",
			     "write trace S [bits B] [start X] [end Y]", key);
	if (!value)
		return wrong(e, "its value is missing", NULL, key);
	if (*seen & bit)
		return wrong(e, "the word is there twice", NULL, key);
	*seen |= bit;
	if (!strcasecmp(key, "bits"))
		return classic_bits(spec, value, e);
	return spec_set_point(strcasecmp(key, "end") ? &spec->start : &spec->end, value, false, e);
}

static int set_name(struct spec *spec, const char *name, struct error *e)
{
	if (!spec_node_name_ok(name))
		return wrong(e, SPEC_NODE_NAME, NULL, name);
	free(spec->name);
	spec->name = strdup(name);
	return spec->name ? 0 : error_no_memory(e, "cannot read the words");
}

/* @words: S and its key/value pairs. X defaults to S; without Y, entry to return is measured. */
static int classic_words(struct spec *spec, int n, char **words, struct error *e)
{
	unsigned int seen = 0;
	int err, i;

	spec->classic = true;
	spec->gap = true;
	if (spec->bits == BITS_UNSET)
		spec->bits = KSTATS_BITS_DEFAULT;
	err = set_name(spec, words[0], e);
	for (i = 1; !err && i < n; i += 2)
		err = classic_pair(spec, &seen, words[i], i + 1 < n ? words[i + 1] : NULL, e);
	if (!err && spec->start.kind == SPEC_NONE)
		err = spec_set_point(&spec->start, words[0], false, e);
	if (err || spec->end.kind != SPEC_NONE)
		return err;
	if (spec->start.kind == SPEC_TRACEPOINT)
		return wrong(e, "a tracepoint has no return", "give an end", words[0]);
	spec->targets = malloc(sizeof(*spec->targets));
	if (!spec->targets)
		return error_no_memory(e, "cannot read the words");
	spec->targets[0] = spec->start;
	spec->n_targets = 1;
	spec->start = (struct spec_point){};
	return 0;
}

/* ---- contradictions ---- */

static int clash(struct error *e, const char *a, const char *b, const char *why)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, "leave one out", "cannot combine %s with %s",
			 a, b);
}

static int check_pair(const struct spec *spec, struct error *e)
{
	if (spec->n_targets)
		return clash(e, "--start and --end", "a target",
			     "a run measures either functions or one pair");
	if (spec->start.kind == SPEC_NONE || spec->end.kind == SPEC_NONE)
		return error_set(e, EXIT_USAGE, -EINVAL, "a pair needs both",
				 spec->end.kind == SPEC_NONE ? "add --end" : "add --start",
				 "cannot measure with %s alone",
				 spec->end.kind == SPEC_NONE ? "--start" : "--end");
	if (spec->merge)
		return clash(e, "--merge", "a pair", "a pair has one distribution");
	return 0;
}

int spec_check_command(const struct spec *spec, struct error *e)
{
	if (spec_has_markers(spec))
		return 0;
	if (spec->all && !spec->command)
		return error_set(e, EXIT_USAGE, -EINVAL, "there is no command",
				 "leave it out: all tasks are measured", "cannot use --all");
	if (spec->as_root && !spec->command)
		return error_set(e, EXIT_USAGE, -EINVAL, "there is no command after --",
				 "leave it out", "cannot use --as-root");
	return 0;
}

static int check_by(const struct spec *spec, struct error *e)
{
	if (spec->max_keys && !spec->n_by)
		return error_set(e, EXIT_USAGE, -EINVAL, "there is no --by",
				 "add it, or leave this out", "cannot use --limit keys");
	if (!spec->n_by)
		return 0;
	if (spec->method == SPEC_METHOD_TRACE_EVENT)
		return clash(e, "--by", "--method trace-event",
			     "a trace event does not show what keys are made of");
	if (spec->value && spec_by_when(spec) & EXPR_AT_BOTH)
		return clash(e, "--value", "a --by that names duration or switches",
			     "a value is recorded in place of the duration");
	return 0;
}

/* Parts are sums of a task, from the start of a call to its end. */
static int spec_check_parts(const struct spec *spec, struct error *e)
{
	if (!spec->parts)
		return 0;
	if (spec->value)
		return clash(e, "--parts", "--value", "only a duration has parts");
	if (spec->by_key)
		return clash(e, "--parts", "--key",
			     "start and end may be in two tasks, and parts are of one");
	if (spec->per_cpu)
		return clash(e, "--parts", "--key cpu",
			     "start and end may be in two tasks, and parts are of one");
	if (spec->floor == SPEC_FLOOR_SUBTRACT)
		return clash(e, "--parts", "--floor subtract",
			     "parts add up to the duration as it was measured");
	if (spec->method == SPEC_METHOD_DIRECT || spec->method == SPEC_METHOD_TRACE_EVENT)
		return clash(e, "--parts",
			     spec->method == SPEC_METHOD_DIRECT ? "--method direct"
								: "--method trace-event",
			     "this method keeps no account of tasks");
	return 0;
}

static int check_clashes(const struct spec *spec, struct error *e)
{
	bool pair = spec->start.kind != SPEC_NONE || spec->end.kind != SPEC_NONE ||
		    spec->cancel.kind != SPEC_NONE || spec->via.kind != SPEC_NONE || spec->first;
	int err = pair ? check_pair(spec, e) : 0;

	if (!err)
		err = spec_check_value(spec, e);
	if (err)
		return err;
	if (spec->per_cpu && spec->by_key)
		return clash(e, "--key cpu", "keys of points",
			     "starts are paired either by CPU or by key");
	if (spec->by_key && !pair)
		return clash(e, "--key", "a target",
			     "entry and return of a call need no key; it joins --start and --end");
	err = check_by(spec, e);
	if (!err)
		err = spec_check_parts(spec, e);
	if (err)
		return err;
	if (spec->quiet && spec->verbose)
		return clash(e, "--quiet", "--verbose", "they are opposites");
	if (spec->record && spec->output && !strcmp(spec->record, spec->output))
		return clash(e, "--record", "--output", "they name the same file");
	err = spec_check_command(spec, e);
	if (!err)
		err = spec_check_user(spec, e);
	if (!err)
		err = spec_check_markers(spec, e);
	if (err)
		return err;
	if (!pair && !spec->n_targets && spec->at.kind == SPEC_NONE)
		return error_set(e, EXIT_USAGE, -EINVAL, "no function is named",
				 "try 'kstats-bpf trace vfs_read', or 'kstats-bpf list'",
				 "nothing to trace");
	return 0;
}

static int default_name(struct spec *spec, struct error *e)
{
	char start[128], end[128], name[300];

	if (spec->name || spec->n_targets)
		return 0;
	if (spec->at.kind != SPEC_NONE) {
		snprintf(name, sizeof(name), "%s", spec->at.name);
	} else {
		spec_user_name(&spec->start, start, sizeof(start));
		spec_user_name(&spec->end, end, sizeof(end));
		snprintf(name, sizeof(name), "%s..%s", start, end);
	}
	name[KSTATS_NAME_MAX] = '\0';
	return set_name(spec, name, e);
}

/*
 * A key that is 1 for errors: two distributions do, which take fewer instructions than keys. Of
 * points in programs no types are known.
 */
static void spec_choose_split(struct spec *spec)
{
	struct expr_simple by;

	if (spec->n_by != 1 || !spec->n_targets || spec->value || spec->max_keys ||
	    spec_has_user(spec) || !expr_is_simple(spec->by[0], &by) || by.name != EXPR_RET ||
	    by.op != EXPR_LT || by.number)
		return;
	free(spec->by[0]);
	spec->by[0] = NULL;
	spec->n_by = 0;
	spec->split_ret = true;
}

static int spec_finish(struct spec *spec, struct error *e)
{
	int err;

	spec_choose_split(spec);
	if (spec->per_cpu)
		spec->pairing = KSTATS_BY_CPU;
	else if (spec->by_key)
		spec->pairing = KSTATS_BY_KEY;
	else
		spec_choose_point(spec);
	if (spec->bits == BITS_UNSET)
		spec->bits = KSTATS_BITS_MAX;
	err = spec_name_keys(spec, e);
	return err ? err : default_name(spec, e);
}

const char spec_usual_format[] = "summary";

void spec_set_defaults(struct spec *spec)
{
	*spec = (struct spec){
		.bits = BITS_UNSET,
		.format = spec_usual_format,
		.unit = "auto",
		.series.gate = SPEC_NO_GATE,
	};
}

int spec_take_command(struct spec *spec, int *argc, char **argv, struct error *e)
{
	int i;

	for (i = 1; i < *argc && strcmp(argv[i], "--"); i++)
		;
	if (i == *argc)
		return 0;
	if (!argv[i + 1])
		return error_set(e, EXIT_USAGE, -EINVAL, "no command follows it",
				 "write -- COMMAND [ARGS]", "cannot use '--'");
	spec->command = &argv[i + 1];
	*argc = i;
	return 0;
}

int spec_parse_trace(struct spec *spec, int argc, char **argv, struct error *e)
{
	return spec_parse_with(spec, spec_options, argc, argv, e);
}

int spec_parse_with(struct spec *spec, const struct option_row *rows, int argc, char **argv,
		    struct error *e)
{
	spec_set_defaults(spec);
	return spec_parse_words(spec, rows, argc, argv, e);
}

int spec_parse_words(struct spec *spec, const struct option_row *rows, int argc, char **argv,
		     struct error *e)
{
	int first, i, err;

	err = spec_take_command(spec, &argc, argv, e);
	if (!err)
		err = options_parse(rows, spec, argc, argv, &first, e);
	if (err)
		return err;
	if (argc - first >= 3 && is_key_word(argv[first + 1]))
		err = classic_words(spec, argc - first, argv + first, e);
	else
		for (i = first; !err && i < argc; i++)
			err = add_target(spec, argv[i], e);
	if (spec->method == SPEC_METHOD_FAST) {
		spec->method = SPEC_METHOD_AUTO;
		spec->fast = true;
	}
	if (!err)
		err = spec_check_vias(spec, e);
	if (!err)
		err = spec_check_points(spec, e);
	if (!err)
		err = spec_check_callees(spec, e);
	if (!err)
		err = check_clashes(spec, e);
	if (!err)
		err = spec_check_unit(spec, e);
	if (!err)
		err = spec_check_series(spec, e);
	if (!err)
		err = spec_check_cost(spec, e);
	return err ? err : spec_finish(spec, e);
}

int spec_parse_line(struct spec *spec, const char *line, struct error *e)
{
	char copy[KSTATS_LINE_MAX + 1], *words[KSTATS_WORDS_MAX + 1], *save = NULL, *word;
	int n = 0, err;

	spec_set_defaults(spec);
	if (strlen(line) > KSTATS_LINE_MAX)
		return error_set(e, EXIT_USAGE, -EINVAL, "it is longer than 255 bytes", NULL,
				 "cannot use the line");
	strcpy(copy, line);
	for (word = strtok_r(copy, " \t\n", &save); word; word = strtok_r(NULL, " \t\n", &save)) {
		if (n == KSTATS_WORDS_MAX)
			return error_set(e, EXIT_USAGE, -EINVAL, "it has more than 10 words", NULL,
					 "cannot use the line");
		words[n++] = word;
	}
	if (n < 2 || strcasecmp(words[0], "trace"))
		return error_set(e, EXIT_USAGE, -EINVAL,
				 n && !strcasecmp(words[0], "trace")
					 ? "it names no node"
					 : "its first word is not known",
				 "write trace S [bits B] [start X] [end Y], or remove, start, "
				 "stop or reset S",
				 "cannot use the line");
	err = classic_words(spec, n - 1, words + 1, e);
	return err ? err : spec_finish(spec, e);
}

char *spec_command_text(const struct spec *spec)
{
	char *const *word = spec->command;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (; word && *word; word++)
		fprintf(f, "%s%s", word == spec->command ? "" : " ", *word);
	return fclose(f) ? NULL : text;
}

bool spec_leaves_out(const struct spec *spec)
{
	const struct spec_who *who = &spec->who;

	return who->n_pids || who->n_tids || who->comm[0] || who->by_cpu || who->cgroup ||
	       spec_follows(spec);
}

bool spec_follows(const struct spec *spec)
{
	return spec->command && !spec->all && !spec_has_markers(spec);
}

bool spec_asks_at_entry(const struct spec *spec)
{
	struct expr entry, end;

	if (!spec->condition)
		return false;
	if (spec->pairing == KSTATS_BY_POINT)
		return true;
	expr_split(spec->condition, &entry, &end);
	return entry.n;
}

unsigned int spec_by_when(const struct spec *spec)
{
	unsigned int when = 0, i;

	for (i = 0; i < spec->n_by; i++)
		when |= expr_when(spec->by[i]);
	return when;
}

bool spec_asks_switches(const struct spec *spec)
{
	unsigned int when = spec_by_when(spec), i;

	when |= spec->condition ? expr_when(spec->condition) : 0;
	when |= spec->value ? expr_when(spec->value) : 0;
	for (i = 0; i < spec->n_show; i++)
		when |= expr_when(spec->show[i]);
	return when & EXPR_SWITCHES_OF_CALL;
}

void spec_free(struct spec *spec)
{
	size_t i;

	for (i = 0; i < spec->n_targets; i++)
		spec_free_point(&spec->targets[i]);
	free(spec->targets);
	spec_free_point(&spec->start);
	spec_free_point(&spec->end);
	spec_free_point(&spec->cancel);
	spec_free_point(&spec->via);
	spec_free_point(&spec->at);
	free(spec->name);
	free(spec->condition);
	free(spec->value);
	for (i = 0; i < KSTATS_BY_PARTS; i++)
		free(spec->by[i]);
	for (i = 0; i < KSTATS_WHY_SHOW; i++)
		free(spec->show[i]);
	free(spec->keys[0]);
	free(spec->keys[1]);
	tags_free(&spec->tags);
	*spec = (struct spec){};
}
