/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spec.h - what the user asked for, as a value. In: argv of `trace`, or a
 * classic line. Out: struct spec, owned by the caller. Pure: looks at nothing
 * but the words. Called by cmd/; read by plan, session and cmd/.
 */
#ifndef KSTATS_SPEC_H
#define KSTATS_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "expr/expr.h"
#include "kstats_abi.h"
#include "util/buckets.h"
#include "util/error.h"
#include "util/options.h"
#include "util/sort.h"
#include "util/tags.h"
#include "util/units.h"

#define SPEC_RULES_MAX 64
#define SPEC_RUNS_MAX 1000
#define SPEC_KEYS_DEFAULT 256 /* keys of --by that get a distribution */

/** enum spec_method - method forced by --method */
enum spec_method {
	SPEC_METHOD_AUTO,
	SPEC_METHOD_FENTRY,
	SPEC_METHOD_KPROBE,
	SPEC_METHOD_FSESSION,
	SPEC_METHOD_KPROBE_SESSION,
	SPEC_METHOD_TP_BTF,
	SPEC_METHOD_TRACE_EVENT,
	SPEC_METHOD_DIRECT,
	SPEC_METHOD_UPROBE_SESSION,
	SPEC_METHOD_UPROBE_MULTI,
	SPEC_METHOD_UPROBE,
	SPEC_METHOD_LAST = SPEC_METHOD_UPROBE,
	SPEC_METHOD_FAST, /* only a word: it sets fast, and leaves the choice to the plan */
};

/** enum spec_floor - what is done about the duration that an empty function reads */
enum spec_floor {
	SPEC_FLOOR_KEEP, /* shown beside the figures, where it is known */
	SPEC_FLOOR_MEASURE, /* measured first */
	SPEC_FLOOR_SUBTRACT, /* subtracted from what is shown */
};

/** spec_floor_names - words of --floor, by enum spec_floor, ended by NULL */
extern const char *const spec_floor_names[];

/** spec_method_names - words of --method, by enum spec_method, ended by NULL */
extern const char *const spec_method_names[];

/** enum spec_backend - backend forced by --backend */
enum spec_backend {
	SPEC_BACKEND_AUTO,
	SPEC_BACKEND_MAP,
	SPEC_BACKEND_KMOD,
};

/** enum spec_point_kind - what a point is */
enum spec_point_kind {
	SPEC_NONE,
	SPEC_FUNCTION,
	SPEC_TRACEPOINT,
	SPEC_USER_FUNCTION, /* of a program or library */
	SPEC_USER_MARK, /* a static probe (USDT) of one */
	SPEC_MARKER, /* markers of kstats_user.h, in whatever program has them */
};

/** struct spec_point - a place in the kernel or in a program, as the user named it */
struct spec_point {
	enum spec_point_kind kind; /* what it is */
	/* owned; module or tracepoint subsystem, NULL when not given; program or library */
	char *module;
	/* owned; function (may be a glob in a target), tracepoint, or [PROVIDER:]NAME of a mark */
	char *name;
	struct expr *key; /* owned; what joins it with other points, in place of --key; or NULL */
	struct expr *condition; /* owned; what makes an event this point, or NULL */
	struct spec_point *next; /* owned; a further one of the same use, or NULL */
	bool is_return; /* of a function, its return */
};

/** struct spec_who - filters: who is measured */
struct spec_who {
	uint32_t pids[KSTATS_IDS_MAX]; /* process ids (tgid), @n_pids of them */
	size_t n_pids;
	uint32_t tids[KSTATS_IDS_MAX]; /* thread ids, @n_tids of them */
	size_t n_tids;
	char comm[KSTATS_COMM_LEN]; /* task name, "" when not given */
	bool by_cpu;
	uint64_t cpus[KSTATS_CPUS_MAX / 64]; /* bit mask of CPUs, valid when @by_cpu */
	const char *cgroup; /* path, or NULL */
};

/** struct spec_rule - the words of a rule, see judge/check.h */
struct spec_rule {
	bool relative; /* of --max-increase, else of --assert */
	const char *text; /* points into the caller's argv */
};

/** spec_usual_format - "summary": the format where none was given, told apart by its address */
extern const char spec_usual_format[];

/** struct spec_gate - what has to hold; the words only */
struct spec_gate {
	struct spec_rule rules[SPEC_RULES_MAX]; /* @n_rules of them */
	size_t n_rules;
	double confidence; /* percent, of the intervals; less than 0 if it was not given */
	/* percent of the calls; less than 0 if it was not given; also without rules */
	double max_loss;
	const char *undecided; /* "pass" or "fail", or NULL if it was not given */
	bool allow_empty; /* functions without samples pass */
	const char *require[SPEC_RULES_MAX]; /* @n_require of them; what must have samples */
	size_t n_require;
};

#define SPEC_NO_GATE ((struct spec_gate){ .confidence = -1, .max_loss = -1 })

/*
 * The rows of a gate. @group: heading; @in: a struct spec_gate in OPTIONS_OF; @base: what an
 * increase is over; @seldom: only in the whole help.
 */
/* clang-format off */
#define SPEC_GATE_OPTIONS(group, in, base, seldom) \
	{ "assert", 0, "RULE", group, "require this, like 'p99<10us' or 'loss==0'", \
	  OPTION_BY(in, spec_set_assert) }, \
	{ "max-increase", 0, "RULE", group, "at most this much above " base ": p99=5%", \
	  OPTION_BY(in, spec_set_increase) }, \
	{ "confidence", 0, "PERCENT", group, "confidence of all intervals together (99)", \
	  OPTION_PERCENT(in.confidence, 50, 99.99), .rare = seldom }, \
	{ "max-loss", 0, "PERCENT", group, "exit 3 if more was lost (with a rule: 1)", \
	  OPTION_PERCENT(in.max_loss, 0, 100), .rare = seldom }, \
	{ "allow-empty", 0, NULL, group, "a function without samples passes", \
	  OPTION_FLAG(in.allow_empty), .rare = seldom }, \
	{ "require", 0, "NAME", group, "fail if a side has no samples of NAME", \
	  OPTION_BY(in, spec_set_require), .rare = seldom }, \
	{ "inconclusive", 0, "AS", group, "exit as for pass or fail if undecided (3)", \
	  OPTION_WORD(in.undecided, spec_undecided_names), \
	  .next = "leave it out for an exit code of its own", .rare = seldom }
/* clang-format on */

/** spec_set_assert() - keep the word of --assert; @to: struct spec_gate */
int spec_set_assert(void *to, const char *value, struct error *e);

/** spec_set_increase() - keep the word of --max-increase; @to: struct spec_gate */
int spec_set_increase(void *to, const char *value, struct error *e);

/** spec_set_require() - keep the word of --require; @to: struct spec_gate */
int spec_set_require(void *to, const char *value, struct error *e);

/** struct spec_series - several runs and what has to hold for them; the words only */
struct spec_series {
	unsigned int runs; /* their number, at most; 0 if one run is shown as it is */
	unsigned int warmup; /* runs of each side before, which are not kept */
	unsigned int first; /* look after each run from this one on; 0: only after the last */
	const char *vs; /* shell command whose runs come in turn with the others, or NULL */
	struct spec_gate gate;
};

/** struct spec_slower - which calls are slow; both 0: single calls are not looked at */
struct spec_slower {
	unsigned int millionths; /* of a quantile: those from it on; or 0 */
	uint64_t ns; /* those of this duration or more; or 0 */
};

/** struct spec - one request to measure */
struct spec {
	struct spec_point *targets; /* owned; functions or globs measured from entry to return */
	size_t n_targets; /* number of @targets; 0 when @start and @end are given */
	struct spec_point start; /* start point of a pair; further ones follow it */
	struct spec_point end; /* end point of a pair; the same */
	struct spec_point cancel; /* ends a start without a sample, or SPEC_NONE; the same */
	struct spec_point via; /* what a pair passes on its way, or SPEC_NONE; the same */
	bool is_call; /* the pair is a call: its start is a function, and its end the return */
	bool first; /* of several starts before an end the first counts, else the newest */
	struct spec_point at; /* the one point of a value, if it is no function of the targets */
	char *name; /* owned; name of the pair's node, or NULL */
	bool classic; /* given in the classic words */
	bool stays; /* it outlives the program, and its distributions have names for all */
	unsigned int bits; /* resolution */
	bool per_cpu; /* --key cpu was used */
	bool by_key; /* --key was used */
	enum spec_method method; /* forced method */
	bool throws; /* also functions whose program may end by a probe at their returns */
	bool fast; /* the cheapest method, also where it may lose calls */
	enum spec_backend backend; /* forced backend */
	enum kstats_pairing pairing; /* how an end finds its start */
	/* owned; what joins start and end if it is not an argument; else NULL */
	struct expr *keys[2]; /* at the start and at the end */
	int key_start; /* argument index of the key at the start, with KSTATS_BY_KEY */
	int key_end; /* argument index of the key at the end */
	bool gap; /* record gaps too */
	bool parts; /* record where the time of each call went, too */
	/* which functions that it calls are traced within calls: "": those found; NULL: none */
	const char *callees;
	bool why; /* look at single calls, too */
	struct spec_slower slower; /* with @why: which of them are slow */
	bool merge; /* one distribution for all functions */
	/* most functions of a glob; 0: as many as attach fast, see plan_make() */
	unsigned int max_functions;
	uint64_t slot_memory; /* most bytes of kernel memory for slots; 0: as plan decides */
	struct spec_who who; /* filters */
	bool all; /* with a command, measure everybody */
	bool split_ret; /* --by 'ret < 0' of functions of the kernel: successes and errors apart */
	struct expr *condition; /* owned; only calls for which it holds, or NULL */
	struct expr *value; /* owned; the sample in place of the duration, or NULL */
	char value_unit[UNITS_WORD]; /* of the value; "": ns, as of durations */
	bool at_return; /* with KSTATS_BY_POINT and targets: their return is the point */
	struct expr *by[KSTATS_BY_PARTS]; /* owned; a distribution for each value; @n_by of them */
	unsigned int n_by; /* number of @by */
	unsigned int max_keys; /* keys that get a distribution; 0: SPEC_KEYS_DEFAULT */
	enum sort_by sort; /* the order of rows in tables */
	uint64_t duration_ns; /* 0 for until interrupted */
	uint64_t interval_ns; /* 0 for no interval reports */
	enum spec_floor floor; /* of an empty function */
	/* percent of the processors' time that measuring may take; 0: no limit */
	double max_overhead;
	struct spec_series series; /* several runs, and rules */
	const char *format; /* name of the output format */
	const char *output; /* file, or NULL for standard output */
	/* file the recording is kept in, folder of those of a series, or NULL */
	const char *record;
	struct tags tags; /* owned; what is said about it */
	const char *unit; /* "auto", "ns", "us", "ms" or "s"; with a value also its unit */
	struct buckets buckets; /* bounds of the format openmetrics */
	bool dry_run; /* print the plan only */
	bool as_root; /* the command keeps root */
	bool quiet; /* no talk on stderr but errors */
	bool verbose; /* more talk: verifier's words, attach times */
	/* NULL-terminated argv of the command, pointing into the caller's argv, or NULL */
	char **command;
};

/** spec_backend_names - words of --backend, by enum spec_backend, ended by NULL */
extern const char *const spec_backend_names[];

/** spec_undecided_names - words of --inconclusive, as enum check_verdict counts them,
 *	ended by NULL */
extern const char *const spec_undecided_names[];

/** spec_options - the options of `trace` */
extern const struct option_row spec_options[];

/**
 * spec_parse_trace() - the words of `kstats-bpf trace`
 * @spec: filled in; freed with spec_free() also after an error
 * @argc: number of words, "trace" first
 * @argv: the words; they must live as long as @spec, which points into them
 * @e: the first thing wrong, naming the word
 *
 * Understands options and the classic words `S bits B start X end Y`.
 *
 * Return: 0, OPTIONS_HELP when help is asked for, or -EINVAL with @e filled in.
 */
int spec_parse_trace(struct spec *spec, int argc, char **argv, struct error *e);

/**
 * spec_parse_with() - the same with other options
 * @spec: may be the first member of what @rows fill in
 */
int spec_parse_with(struct spec *spec, const struct option_row *rows, int argc, char **argv,
		    struct error *e);

/** spec_why_options - the options of `why` beside those of `trace` */
extern const struct option_row spec_why_options[];

/** spec_parse_why() - the words of `kstats-bpf why`; @rows: spec_why_options and spec_options */
int spec_parse_why(struct spec *spec, const struct option_row *rows, int argc, char **argv,
		   struct error *e);

/**
 * spec_parse_line() - one classic control line, `trace S [bits B] [start X] [end Y]`
 * @spec: filled in; freed with spec_free() also after an error
 * @line: at most KSTATS_LINE_MAX bytes and KSTATS_WORDS_MAX words
 *
 * Return: 0, or -EINVAL.
 */
int spec_parse_line(struct spec *spec, const char *line, struct error *e);

/** spec_is_user() - whether a point is in a program or library */
static inline bool spec_is_user(enum spec_point_kind kind)
{
	return kind == SPEC_USER_FUNCTION || kind == SPEC_USER_MARK;
}

/** spec_is_several() - whether a pair has more than a start and an end without conditions */
bool spec_is_several(const struct spec *spec);

/** spec_has_kind() - whether a point of a pair, or that of a value, is of this kind */
bool spec_has_kind(const struct spec *spec, enum spec_point_kind kind);

/** spec_target_name() - the name of a node that is named by its only target */
void spec_target_name(const char *target, char *buf, size_t size);

/** spec_has_user() - whether any point is */
bool spec_has_user(const struct spec *spec);

/** SPEC_MARKER_NAME - why a name of markers is refused */
#define SPEC_MARKER_NAME "markers have names like variables in C, of at most 63 bytes"

/** spec_is_marker() - whether markers can have this name */
bool spec_is_marker(const char *name);

/** spec_has_markers() - whether the targets are markers of programs, which count by themselves */
bool spec_has_markers(const struct spec *spec);

/** SPEC_OWN - in the place of a file, the program of the command */
#define SPEC_OWN "%"

/** spec_names_own() - whether any point is in the program of the command */
bool spec_names_own(const struct spec *spec);

/**
 * spec_program() - the program that the command of a spec runs, which SPEC_OWN stands for
 *
 * Of "sh -c TEXT", the one that TEXT starts, if it starts one only.
 *
 * Return: a path, or a name to be found in PATH, owned by the caller; or NULL.
 */
char *spec_program(const struct spec *spec, struct error *e);

/** spec_follows() - whether only a command and its children are measured */
bool spec_follows(const struct spec *spec);

/** spec_leaves_out() - whether a filter leaves some tasks out */
bool spec_leaves_out(const struct spec *spec);

/** spec_asks_at_entry() - whether the condition decides which starts are counted */
bool spec_asks_at_entry(const struct spec *spec);

/** spec_by_when() - what the parts of --by need, as bits of enum expr_when */
unsigned int spec_by_when(const struct spec *spec);

/** spec_command_text() - the words of the command. Return: owned by the caller, or NULL */
char *spec_command_text(const struct spec *spec);

/** spec_free() - release what a spec owns; @spec may be zero-filled */
void spec_free(struct spec *spec);

#endif /* KSTATS_SPEC_H */
