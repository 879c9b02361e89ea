// SPDX-License-Identifier: GPL-2.0-only
/* options.c - the options of `trace`, one row and one setter each. See spec.h. */
#include "spec/spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spec/priv.h"
#include "util/units.h"

#define KEY_ARGS 6
#define PID_MOST 4194304 /* PID_MAX_LIMIT of the kernel */

/* ---- what ---- */

static int set_start(void *to, const char *value, struct error *e)
{
	return spec_set_point(&((struct spec *)to)->start, value, false, e);
}

static int set_end(void *to, const char *value, struct error *e)
{
	return spec_set_point(&((struct spec *)to)->end, value, false, e);
}

static int set_node(void *to, const char *value, struct error *e)
{
	struct spec *spec = to;

	if (!spec_node_name_ok(value))
		return spec_bad(e, "--node", value, SPEC_NODE_NAME, NULL);
	free(spec->name);
	spec->name = strdup(value);
	return spec->name ? 0 : -ENOMEM;
}

int spec_number(const char *text, unsigned long most, unsigned long *n)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*n = strtoul(text, &end, 10);
	return errno || *end || *n > most ? -EINVAL : 0;
}

static int set_max_functions(void *to, const char *value, struct error *e)
{
	unsigned long n;

	if (spec_number(value, 65536, &n) || !n)
		return spec_bad(e, "--max-functions", value, "it is a number from 1 to 65536",
				NULL);
	((struct spec *)to)->max_functions = n;
	return 0;
}

/* The index of a word among @names, which a NULL ends; -1 when it is none. */
static int index_of(const char *const *names, const char *value)
{
	int i;

	for (i = 0; names[i]; i++)
		if (!strcmp(value, names[i]))
			return i;
	return -1;
}

const char *const spec_method_names[] = {
	[SPEC_METHOD_AUTO] = "auto",
	[SPEC_METHOD_FENTRY] = "fentry",
	[SPEC_METHOD_KPROBE] = "kprobe",
	[SPEC_METHOD_FSESSION] = "fsession",
	[SPEC_METHOD_KPROBE_SESSION] = "kprobe-session",
	[SPEC_METHOD_TP_BTF] = "tp_btf",
	[SPEC_METHOD_TRACE_EVENT] = "trace-event",
	NULL,
};

static int set_method(void *to, const char *value, struct error *e)
{
	int i = index_of(spec_method_names, value);

	if (i < 0)
		return spec_bad(e, "--method", value,
				"it is auto, fentry, kprobe, fsession, kprobe-session, "
				"tp_btf or trace-event",
				NULL);
	((struct spec *)to)->method = i;
	return 0;
}

static int set_backend(void *to, const char *value, struct error *e)
{
	static const char *const names[] = {
		[SPEC_BACKEND_AUTO] = "auto",
		[SPEC_BACKEND_MAP] = "map",
		[SPEC_BACKEND_KMOD] = "kmod",
		NULL,
	};
	int i = index_of(names, value);

	if (i < 0)
		return spec_bad(e, "--backend", value, "it is auto, map or kmod", NULL);
	((struct spec *)to)->backend = i;
	return 0;
}

static int set_bits(void *to, const char *value, struct error *e)
{
	struct spec *spec = to;
	unsigned long n;

	if (spec_number(value, KSTATS_BITS_MAX, &n))
		return spec_bad(e, "--bits", value, "bits are a number from 0 to 5", NULL);
	spec->bits = n;
	spec->bits_given = true;
	return 0;
}

static int set_key(void *to, const char *value, struct error *e)
{
	struct spec *spec = to;
	int n = 0, start, end, got = sscanf(value, "arg%1d%n,arg%1d%n", &start, &n, &end, &n);

	if (got < 1 || value[n] || start >= KEY_ARGS || (got == 2 && end >= KEY_ARGS) ||
	    start < 0 || (got == 2 && end < 0))
		return spec_bad(e, "--key", value,
				"it is arg0 to arg5, or two of them with a comma",
				"the second is for the end");
	spec->by_key = true;
	spec->key_start = start;
	spec->key_end = got == 2 ? end : start;
	return 0;
}

/* Options that only say yes. */
#define FLAG(field)                                                          \
	static int set_##field(void *to, const char *value, struct error *e) \
	{                                                                    \
		((struct spec *)to)->field = true;                           \
		return 0;                                                    \
	}

FLAG(fast)
FLAG(per_cpu)
FLAG(gap)
FLAG(merge)
FLAG(all)
FLAG(split_ret)
FLAG(per_cpu_rows)
FLAG(strict)
FLAG(dry_run)
FLAG(as_root)
FLAG(quiet)
FLAG(verbose)

/* ---- who ---- */

static int set_ids(uint32_t *ids, size_t *n, const char *option, const char *value, struct error *e)
{
	static const char why[] = "it is a list of numbers up to 4194304, with commas";
	char copy[256], *save = NULL, *word;
	unsigned long id;

	if (strlen(value) >= sizeof(copy))
		return spec_bad(e, option, value, "the list is too long", NULL);
	strcpy(copy, value);
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (spec_number(word, PID_MOST, &id))
			return spec_bad(e, option, value, why, NULL);
		if (*n == KSTATS_IDS_MAX)
			return spec_bad(e, option, value, "there are more than 16", NULL);
		ids[(*n)++] = id;
	}
	return *n ? 0 : spec_bad(e, option, value, why, NULL);
}

static int set_pid(void *to, const char *value, struct error *e)
{
	struct spec_who *who = &((struct spec *)to)->who;

	return set_ids(who->pids, &who->n_pids, "--pid", value, e);
}

static int set_tid(void *to, const char *value, struct error *e)
{
	struct spec_who *who = &((struct spec *)to)->who;

	return set_ids(who->tids, &who->n_tids, "--tid", value, e);
}

static int set_comm(void *to, const char *value, struct error *e)
{
	struct spec_who *who = &((struct spec *)to)->who;

	if (!*value || strlen(value) >= sizeof(who->comm))
		return spec_bad(e, "--comm", value, "a task's name has 1 to 15 bytes",
				"the kernel cuts longer ones; give the first 15");
	memset(who->comm, 0, sizeof(who->comm));
	strcpy(who->comm, value);
	return 0;
}

static int set_cpu(void *to, const char *value, struct error *e)
{
	static const char why[] = "it is a list like 0-3,8 of CPUs below 4096";
	struct spec_who *who = &((struct spec *)to)->who;
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

static int set_text(char **field, const char *option, const char *value, struct error *e)
{
	if (!*value)
		return spec_bad(e, option, value, "it is empty", NULL);
	free(*field);
	*field = strdup(value);
	return *field ? 0 : -ENOMEM;
}

static int set_cgroup(void *to, const char *value, struct error *e)
{
	return set_text(&((struct spec *)to)->who.cgroup, "--cgroup", value, e);
}

/* ---- which calls ---- */

static int set_duration_field(uint64_t *ns, const char *option, const char *value,
			      uint64_t default_unit, struct error *e)
{
	int err = units_parse_duration(value, default_unit, ns);

	if (err == -ERANGE)
		return spec_bad(e, option, value, "it is too long, or finer than a nanosecond",
				NULL);
	if (err || !*ns)
		return spec_bad(e, option, value, "it is a time above 0, like 10us, 1.5ms or 2s",
				NULL);
	return 0;
}

static int set_min_duration(void *to, const char *value, struct error *e)
{
	return set_duration_field(&((struct spec *)to)->min_duration_ns, "--min-duration", value, 1,
				  e);
}

/* ---- when, and what is written ---- */

static int set_duration(void *to, const char *value, struct error *e)
{
	return set_duration_field(&((struct spec *)to)->duration_ns, "--duration", value,
				  1000000000, e);
}

static int set_interval(void *to, const char *value, struct error *e)
{
	return set_duration_field(&((struct spec *)to)->interval_ns, "--interval", value,
				  1000000000, e);
}

static int set_format(void *to, const char *value, struct error *e)
{
	((struct spec *)to)->format = value;
	return 0;
}

static int set_output(void *to, const char *value, struct error *e)
{
	return set_text(&((struct spec *)to)->output, "--output", value, e);
}

static int set_record(void *to, const char *value, struct error *e)
{
	return set_text(&((struct spec *)to)->record, "--record", value, e);
}

static int set_tag(void *to, const char *value, struct error *e)
{
	return tags_set_word(&((struct spec *)to)->tags, value, e);
}

static int set_unit(void *to, const char *value, struct error *e)
{
	const char *unit = units_find(value);

	if (!unit)
		return spec_bad(e, "--unit", value, "it is auto, ns, us, ms or s", NULL);
	((struct spec *)to)->unit = unit;
	return 0;
}

#define WHAT "What is measured"
#define WHO "Who is measured"
#define WHICH "Which calls"
#define WHEN "When"
#define GATE "Gate of a pipeline"
#define OUTPUT "What is shown"

const struct option_row spec_options[] = {
	{ "start", 0, "POINT", WHAT, "start of a pair: a function, or tp:SUBSYS:NAME", set_start },
	{ "end", 0, "POINT", WHAT, "end of a pair", set_end },
	{ "node", 'n', "NAME", WHAT, "name of the distribution", set_node },
	{ "method", 'm', "METHOD", WHAT, "auto, kprobe, fentry, ...: METHODS of kstats-bpf(8)",
	  set_method },
	{ "fast", 0, NULL, WHAT, "the cheapest method, even where it may lose calls", set_fast },
	{ "backend", 0, "BACKEND", WHAT, "auto, map or kmod (auto: the module if loaded)",
	  set_backend },
	{ "per-cpu", 0, NULL, WHAT, "an end takes the last start on its CPU", set_per_cpu },
	{ "key", 0, "argN[,argM]", WHAT, "join start and end by an argument's value", set_key },
	{ "gap", 0, NULL, WHAT, "also from an end to the next start on the CPU", set_gap },
	{ "merge", 0, NULL, WHAT, "one distribution for all functions", set_merge },
	{ "max-functions", 0, "N", WHAT, "most functions a glob may name", set_max_functions },
	{ "bits", 'b', "N", WHAT, "2^N slots for each power of two, 0..5 (5)", set_bits },
	{ "pid", 'p', "LIST", WHO, "these processes", set_pid },
	{ "tid", 't', "LIST", WHO, "these threads", set_tid },
	{ "comm", 0, "NAME", WHO, "tasks of this name", set_comm },
	{ "cpu", 'C', "LIST", WHO, "starts on these CPUs, like 0-3,8", set_cpu },
	{ "cgroup", 'c', "PATH", WHO, "tasks of this cgroup (v2) and below", set_cgroup },
	{ "all", 'a', NULL, WHO, "everybody, not only the command's processes", set_all },
	{ "min-duration", 0, "TIME", WHICH, "at least this long, like 10us", set_min_duration },
	{ "ret", 0, "EXPR", WHICH, "return value: '<0', '==0', '==-EAGAIN'", spec_set_ret },
	{ "split-ret", 0, NULL, WHICH, "successes and errors apart", set_split_ret },
	{ "duration", 'd', "SECONDS", WHEN, "stop after this time (also 500ms, 1m)", set_duration },
	{ "interval", 'i', "SECONDS", WHEN, "report every so often", set_interval },
	{ "max-overhead", 0, "PERCENT", WHEN, "detach where measuring takes more of all CPUs",
	  spec_set_max_overhead },
	{ "as-root", 0, NULL, WHEN, "the command keeps root under sudo", set_as_root },
	{ "runs", 0, "N", GATE, "measure N runs, and judge them", spec_set_runs },
	{ "vs", 0, "COMMAND", GATE, "in turn with runs of this shell command", spec_set_vs },
	{ "assert", 0, "RULE", GATE, "like 'p99<10us', 'count>=1000', 'loss==0'", spec_set_assert },
	{ "max-increase", 0, "RULE", GATE, "over the runs of --vs, like p99=5%",
	  spec_set_increase },
	{ "confidence", 0, "PERCENT", GATE, "of the intervals, all together (99)",
	  spec_set_confidence },
	{ "max-loss", 0, "PERCENT", GATE, "judge nothing where more calls were lost (1)",
	  spec_set_max_loss },
	{ "inconclusive", 0, "AS", GATE, "pass or fail: what it counts as (exit 3)",
	  spec_set_undecided },
	{ "format", 'f', "FORMAT", OUTPUT, "summary, hist, classic, json, csv, hgrm, ...",
	  set_format },
	{ "output", 'o', "FILE", OUTPUT, "write there, all or nothing", set_output },
	{ "record", 0, "FILE", OUTPUT, "keep everything there (a folder with --runs)", set_record },
	{ "tag", 0, "KEY=VALUE", OUTPUT, "say something about it in the recording", set_tag },
	{ "unit", 'u', "UNIT", OUTPUT, "auto, ns, us, ms or s", set_unit },
	{ "per-cpu-rows", 0, NULL, OUTPUT, "a row for each CPU in the summary", set_per_cpu_rows },
	{ "calibrate", 0, NULL, OUTPUT, "first measure what measuring takes", spec_set_calibrate },
	{ "subtract-floor", 0, NULL, OUTPUT, "take what an empty function reads off every sample",
	  spec_set_subtract },
	{ "strict", 0, NULL, OUTPUT, "exit 3 when any event was lost", set_strict },
	{ "dry-run", 0, NULL, OUTPUT, "print the plan, load nothing", set_dry_run },
	{ "quiet", 'q', NULL, OUTPUT, "only errors on standard error", set_quiet },
	{ "verbose", 'v', NULL, OUTPUT, "more on standard error", set_verbose },
	{ NULL, 0, NULL, NULL, NULL, NULL },
};
