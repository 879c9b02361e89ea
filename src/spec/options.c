// SPDX-License-Identifier: GPL-2.0-only
/* options.c - the options of `trace`, one row each, and setters for values that no type fits. */
#include "spec/spec.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "spec/priv.h"
#include "util/units.h"

#define KEY_ARGS 6

/* ---- what ---- */

static int set_pair_point(void *to, const char *value, struct error *e)
{
	return spec_add_point(to, value, e);
}

static int set_node(void *to, const char *value, struct error *e)
{
	char **name = to;

	if (!spec_node_name_ok(value))
		return spec_bad(e, "--name", value, SPEC_NODE_NAME, NULL);
	free(*name);
	*name = strdup(value);
	return *name ? 0 : -ENOMEM;
}

const char *const spec_method_names[] = {
	[SPEC_METHOD_AUTO] = "auto",
	[SPEC_METHOD_FENTRY] = "fentry",
	[SPEC_METHOD_KPROBE] = "kprobe",
	[SPEC_METHOD_FSESSION] = "fsession",
	[SPEC_METHOD_KPROBE_SESSION] = "kprobe-session",
	[SPEC_METHOD_TP_BTF] = "tp_btf",
	[SPEC_METHOD_TRACE_EVENT] = "trace-event",
	[SPEC_METHOD_DIRECT] = "direct",
	[SPEC_METHOD_UPROBE_SESSION] = "uprobe-session",
	[SPEC_METHOD_UPROBE_MULTI] = "uprobe-multi",
	[SPEC_METHOD_UPROBE] = "uprobe",
	[SPEC_METHOD_FAST] = "fast",
	NULL,
};

const char *const spec_backend_names[] = {
	[SPEC_BACKEND_AUTO] = "auto",
	[SPEC_BACKEND_MAP] = "map",
	[SPEC_BACKEND_KMOD] = "kmod",
	NULL,
};

static int options_set_size(void *to, const char *value, struct error *e)
{
	if (!units_parse_bytes(value, to))
		return 0;
	return spec_bad(e, "--limit memory", value, "it is an amount of memory, like 200M or 1G",
			NULL);
}

const char *const spec_floor_names[] = {
	[SPEC_FLOOR_KEEP] = "keep",
	[SPEC_FLOOR_MEASURE] = "measure",
	[SPEC_FLOOR_SUBTRACT] = "subtract",
	NULL,
};

const char *const spec_undecided_names[] = { "pass", "fail", NULL };

bool spec_is_argument(const char *text, int *index)
{
	int n = 0;

	return sscanf(text, "arg%1d%n", index, &n) == 1 && !text[n] && *index >= 0 &&
	       *index < KEY_ARGS;
}

int spec_set_keys(struct spec *spec, const char *value, struct error *e)
{
	int i, err;

	for (i = 0; i < 2; i++) {
		free(spec->keys[i]);
		spec->keys[i] = malloc(sizeof(*spec->keys[i]));
		if (!spec->keys[i])
			return error_no_memory(e, "cannot read the words");
		err = expr_parse_key(spec->keys[i], "--key", value, e);
		if (err)
			return err;
		if (spec->keys[i]->nodes[spec->keys[i]->root].op == EXPR_NUMBER)
			return spec_bad(e, "--key", value, "a number is the same for all calls",
					"name a parameter, like arg0 to arg5");
	}
	return 0;
}

static int set_key(void *to, const char *value, struct error *e)
{
	struct spec *spec = to;

	if (spec->by_key || spec->per_cpu)
		return spec_bad(e, "--key", value, "it is there twice", "join both with a comma");
	spec->per_cpu = !strcmp(value, "cpu");
	spec->by_key = !spec->per_cpu;
	if (spec->per_cpu)
		return 0;
	if (!spec_is_argument(value, &spec->key_start))
		return spec_set_keys(spec, value, e);
	spec->key_end = spec->key_start;
	return 0;
}

int spec_set_if(void *to, const char *value, struct error *e)
{
	struct expr **condition = to;

	if (*condition)
		return spec_bad(e, "--if", value, "it is there twice",
				"join both conditions by &&");
	*condition = malloc(sizeof(**condition));
	if (!*condition)
		return error_no_memory(e, "cannot read the words");
	return expr_parse(*condition, "--if", value, e);
}

int spec_set_by(void *to, const char *value, struct error *e)
{
	struct spec *spec = to;
	char text[EXPR_LENGTH_MAX + 2];
	const char *part = value;
	size_t length;
	int err;

	if (spec->n_by)
		return spec_bad(e, "--by", value, "it is there twice", "join both with a comma");
	for (;;) {
		if (spec->n_by == KSTATS_BY_PARTS)
			return spec_bad(e, "--by", value, "it has more than three parts", NULL);
		spec->by[spec->n_by] = malloc(sizeof(*spec->by[0]));
		if (!spec->by[spec->n_by])
			return error_no_memory(e, "cannot read the words");
		length = expr_cut(part);
		snprintf(text, sizeof(text), "%.*s", (int)length, part);
		err = expr_parse(spec->by[spec->n_by++], "--by", text, e);
		if (err || !part[length])
			return err;
		part += length + 1;
	}
}

/* ---- who ---- */

int spec_set_comm(void *to, const char *value, struct error *e)
{
	struct spec_who *who = to;

	if (!*value || strlen(value) >= sizeof(who->comm))
		return spec_bad(e, "--comm", value, "a task's name has 1 to 15 bytes",
				"the kernel cuts longer ones; give the first 15");
	memset(who->comm, 0, sizeof(who->comm));
	strcpy(who->comm, value);
	return 0;
}

int spec_set_cpu(void *to, const char *value, struct error *e)
{
	static const char why[] = "it is a list like 0-3,8 of CPUs below 4096";
	struct spec_who *who = to;
	unsigned long first, last, cpu;
	const char *p = value;
	char *end;

	do {
		if (*p < '0' || *p > '9')
			return spec_bad(e, "--cpu", value, why, NULL);
		first = last = strtoul(p, &end, 10);
		p = end;
		if (*p == '-') {
			if (p[1] < '0' || p[1] > '9')
				return spec_bad(e, "--cpu", value, why, NULL);
			last = strtoul(p + 1, &end, 10);
			p = end;
		}
		if (last >= KSTATS_CPUS_MAX || first > last || (*p && *p != ','))
			return spec_bad(e, "--cpu", value, why, NULL);
		for (cpu = first; cpu <= last; cpu++)
			who->cpus[cpu / 64] |= 1ULL << (cpu % 64);
	} while (*p++ == ',');
	who->by_cpu = true;
	return 0;
}

/* ---- what is written ---- */

int spec_set_tag(void *to, const char *value, struct error *e)
{
	return tags_set_word(to, value, e);
}

#define WHAT "What is measured"
#define WHICH "Which calls, and when"
#define GATE "Gate of a pipeline"
#define OUTPUT "What is shown"

#define OPTIONS_OF struct spec

static const struct option_row limits[] = {
	{ "functions", .arg = "N", OPTION_NUMBER(max_functions, 1, 65536) },
	{ "keys", .arg = "N", OPTION_NUMBER(max_keys, 1, KSTATS_BY_MAX) },
	{ "memory", .arg = "SIZE", OPTION_BY(slot_memory, options_set_size) },
	{ "overhead", .arg = "PERCENT", OPTION_PERCENT(max_overhead, DBL_MIN, 100),
	  .why = "it is a percentage of the processors' time, above 0 and at most 100, like "
		 "0.5" },
	{},
};

const struct option_row spec_options[] = {
	{ "start", 0, "POINT", WHAT, "start of a pair: 'NAME[KEY] if EXPR' (repeatable)",
	  OPTION_BY(start, set_pair_point), .offers = OFFER_POINTS },
	{ "end", 0, "POINT", WHAT, "end of a pair, in the same words (repeatable)",
	  OPTION_BY(end, set_pair_point), .offers = OFFER_POINTS },
	{ "cancel", 0, "POINT", WHAT, "end a start without a sample (repeatable)",
	  OPTION_BY(cancel, set_pair_point), .offers = OFFER_POINTS, .rare = true },
	{ "via", 0, "POINT,...", WHAT, "points on the way: a distribution for each stage",
	  OPTION_BY(via, spec_add_vias), .offers = OFFER_POINTS },
	{ "first", 0, NULL, WHAT, "of several starts before an end, the first counts",
	  OPTION_FLAG(first), .rare = true },
	{ "value", 0, "EXPR", WHAT, "record a number, like ret, in place of a duration",
	  OPTION_BY(value, spec_set_value), .offers = OFFER_EXPRESSIONS },
	{ "name", 'n', "NAME", WHAT, "name of the distribution", OPTION_BY(name, set_node),
	  .rare = true },
	{ "method", 'm', "METHOD", WHAT, "auto, fast, fentry, ...: METHODS of kstats-bpf(8)",
	  OPTION_INDEX(method, enum spec_method, spec_method_names), .rare = true },
	{ "throws", 0, NULL, WHAT, "also programs that throw exceptions or switch stacks",
	  OPTION_FLAG(throws), .rare = true },
	{ "backend", 0, "BACKEND", WHAT, "auto, map or kmod (auto: the module if loaded)",
	  OPTION_INDEX(backend, enum spec_backend, spec_backend_names), .rare = true },
	{ "key", 0, "EXPR,...", WHAT, "pair a start with the end of the same value, like rq",
	  .set = set_key, .offers = OFFER_EXPRESSIONS },
	{ "gap", 0, NULL, WHAT, "also the time from an end to the next start", OPTION_FLAG(gap),
	  .rare = true },
	{ "parts", 0, NULL, WHAT, "also where the time went: running, waiting, asleep",
	  OPTION_FLAG(parts) },
	{ "callees", 0, "[=NAME,...]", WHAT, "also the time in each function that the target calls",
	  OPTION_BY(callees, spec_set_callees), .offers = OFFER_POINTS },
	{ "merge", 0, NULL, WHAT, "one distribution for all functions", OPTION_FLAG(merge),
	  .rare = true },
	{ "limit", 0, "WHAT=N,...", WHAT, "functions=N keys=N memory=SIZE overhead=PERCENT",
	  OPTION_GROUP(limits),
	  .why = "the limits are functions, keys, memory and overhead, as in keys=64,memory=200M",
	  .rare = true },
	{ "bits", 'b', "N", WHAT, "2^N slots for each power of two, 0..5 (5)",
	  OPTION_NUMBER(bits, 0, KSTATS_BITS_MAX), .why = "bits are a number from 0 to 5",
	  .rare = true },
	SPEC_WHO_OPTIONS(who, all, WHICH, "starts on "),
	{ "if", 0, "EXPR", WHICH, "only if true, like 'ret < 0' or 'duration > 10us'",
	  OPTION_BY(condition, spec_set_if), .offers = OFFER_EXPRESSIONS },
	{ "by", 0, "EXPR,...", WHICH, "a distribution for each value, like comm or ret",
	  .set = spec_set_by, .offers = OFFER_EXPRESSIONS },
	{ "duration", 'd', "SECONDS", WHICH, "stop after this time (also 500ms, 1m)",
	  OPTION_SECONDS(duration_ns) },
	{ "interval", 'i', "SECONDS", WHICH, "report at this interval",
	  OPTION_SECONDS(interval_ns) },
	{ "as-root", 0, NULL, WHICH, "run the command as root under sudo", OPTION_FLAG(as_root),
	  .rare = true },
	{ "runs", 0, "N[..M]", GATE, "N runs; N..M: until it is decided, at most M",
	  OPTION_RANGE(series.first, series.runs, 1, SPEC_RUNS_MAX) },
	{ "warmup", 0, "N", GATE, "N runs of each side before these, not judged",
	  OPTION_NUMBER(series.warmup, 1, SPEC_RUNS_MAX), .rare = true },
	{ "vs", 0, "COMMAND", GATE, "compare with runs of this shell command",
	  OPTION_FILLED(series.vs) },
	SPEC_GATE_OPTIONS(GATE, series.gate, "the runs of --vs", true),
	{ "format", 'f', "FORMAT", OUTPUT, "summary, line, hist, json, csv, hgrm, ...",
	  OPTION_TEXT(format), .offers = OFFER_FORMATS },
	{ "output", 'o', "FILE", OUTPUT, "write to this file, complete or not at all",
	  OPTION_FILLED(output) },
	{ "record", 0, "FILE", OUTPUT, "write a recording (with --runs: a folder)",
	  OPTION_FILLED(record) },
	{ "tag", 0, "KEY=VALUE", OUTPUT, "put this into the recording",
	  OPTION_BY(tags, spec_set_tag), .rare = true },
	{ "unit", 'u', "UNIT", OUTPUT, "auto, ns, us, ms or s; of --value bytes, none, ...",
	  OPTION_BY(unit, spec_set_unit), .rare = true },
	{ "sort", 0, "FIGURE", OUTPUT, "rows of a table: total, count, p50, p99 or max",
	  OPTION_INDEX(sort, enum sort_by, sort_names), .rare = true },
	{ "buckets", 0, "BOUNDS", OUTPUT, "bounds of openmetrics, vmrange: 8 or 1us..1s/8",
	  OPTION_BY(buckets, buckets_set), .rare = true },
	{ "floor", 0, "WHAT", OUTPUT, "time of an empty function: keep, measure, subtract",
	  OPTION_INDEX(floor, enum spec_floor, spec_floor_names), .rare = true },
	{ "dry-run", 0, NULL, OUTPUT, "print the plan, attach nothing", OPTION_FLAG(dry_run),
	  .rare = true },
	{ "quiet", 'q', NULL, OUTPUT, "only errors on standard error", OPTION_FLAG(quiet),
	  .rare = true },
	{ "verbose", 'v', NULL, OUTPUT, "also print what libbpf and the verifier say",
	  OPTION_FLAG(verbose), .rare = true },
	{},
};
