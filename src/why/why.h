/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * why.h - what makes slow calls slow. In: single calls. Out: where the time of slow and of ordinary
 * calls went, what sets slow ones apart, where they waited. Pure. Called by report. The method is
 * in docs/why.md.
 */
#ifndef KSTATS_WHY_H
#define KSTATS_WHY_H

#include "result/why.h"

#define STUDY_CONFIDENCE 0.95 /* of each interval */
#define STUDY_FALSE 0.01 /* of measurements without a cause, so many name one at most */
#define STUDY_WORST 5 /* calls that are told one by one */
#define STUDY_BURSTS_LEAST 5 /* below it there are no intervals, and nothing is named */

/**
 * struct study_part - the mean of a part, of slow and of ordinary calls
 * @slow: ns
 * @ordinary: ns
 * @lo: lower end of the interval of their difference, ns
 * @hi: upper end
 */
struct study_part {
	double slow;
	double ordinary;
	double lo;
	double hi;
};

/** enum study_kind - what is said of calls */
enum study_kind {
	STUDY_ENTRY, /* known at the entry: shares of calls are compared */
	STUDY_PAIR, /* two of these at once */
	STUDY_DURING, /* comes about in the call: rates by time in the call are compared */
};

/**
 * struct study_cause - a value that slow calls have more often than others
 * @kind: what is compared
 * @n: number of fields, 1 or 2
 * @field: their names; not owned
 * @value: their values; not owned
 * @by_time: of STUDY_DURING: shares of the time of ordinary calls are compared
 * @is_counted: @others is exact, else it is by the ordinary calls kept
 * @slow_calls: slow calls that have it
 * @of_slow: slow calls that are known
 * @bursts: bursts of slow calls that have it, each by its share
 * @slow: share of the bursts
 * @others: share of all calls that have it; of STUDY_DURING, of the ordinary calls kept
 * @ratio: how many times as likely a call with it is slow; of STUDY_DURING, the ratio of rates;
 *	infinite where no ordinary call has it
 * @share: of the slow calls that it explains, if it makes them slow
 * @share_lo: lower end of the interval of @share
 * @p: family-wise: probability that chance lets any value of any field stand out as much
 * @is_named: @p is at most STUDY_FALSE
 * @goes_with: number of the cause, from 1, that explains this one: of the calls that have that,
 *	slow ones do not have this more often; 0: none does
 */
struct study_cause {
	enum study_kind kind;
	int n;
	const char *field[2];
	const char *value[2];
	bool by_time;
	bool is_counted;
	uint64_t slow_calls;
	uint64_t of_slow;
	double bursts;
	double slow;
	double others;
	double ratio;
	double share;
	double share_lo;
	double p;
	bool is_named;
	size_t goes_with;
};

/**
 * struct study_place - where slow calls were off or on the processor
 * @stack: one of the stacks there
 * @frame: the function; not owned; or NULL
 * @part: how they waited; KSTATS_PART_RUNNING: samples on the processor
 * @calls: slow calls
 * @ns: in all of them
 * @share: of the excess of all slow calls kept; of samples, the share of all samples
 * @waker: who woke most of them, or NULL; not owned
 * @waker_calls: so many of @calls
 * @waker_stack: where it was, or WHY_NO_STACK
 */
struct study_place {
	uint32_t stack;
	const char *frame;
	enum kstats_part part;
	size_t calls;
	double ns;
	double share;
	const char *waker;
	size_t waker_calls;
	uint32_t waker_stack;
};

/**
 * struct study - what is known of slow calls
 * @n_slow: slow calls kept
 * @n_ordinary: ordinary calls kept
 * @n_bursts: bursts of slow calls, each of which is one observation
 * @n_split: slow calls whose parts are known
 * @is_split: parts are known on both sides
 * @n_divided: slow calls of which the time in callees is known
 * @is_divided: it is known on both sides
 * @has_intervals: there are enough bursts for intervals, and to name a cause
 * @whole: mean durations
 * @parts: by enum kstats_part; with @is_split
 * @callees: owned; the same of callees, and behind them of the calls themselves; with @is_divided
 * @has_callee_intervals: @callees and @divided have intervals
 * @divided: mean durations of calls of which it is known
 * @frames: owned; of each stack the function that says most of where it is: not the scheduler
 * @n_frames: number of @frames
 * @n_causes: number of @causes
 * @causes: owned; those that are named first, those of the entry before others, by @share_lo;
 *	then what most slow calls have, but not more often for each time in the call
 * @n_named: so many of them are named
 * @n_tried: values that were tried, of all fields and pairs
 * @n_waits: number of @waits
 * @waits: owned; by their time
 * @n_runs: number of @runs
 * @runs: owned; places on the processor, by samples
 * @n_worst: number of @worst
 * @worst: indexes of the longest calls, the longest first
 */
struct study {
	size_t n_slow;
	size_t n_ordinary;
	size_t n_bursts;
	size_t n_split;
	bool is_split;
	size_t n_divided;
	bool is_divided;
	bool has_intervals;
	struct study_part whole;
	struct study_part parts[KSTATS_PART_TIMES];
	struct study_part *callees;
	bool has_callee_intervals;
	struct study_part divided;
	size_t n_frames;
	char **frames;
	size_t n_causes;
	struct study_cause *causes;
	size_t n_named;
	size_t n_tried;
	size_t n_waits;
	struct study_place *waits;
	size_t n_runs;
	struct study_place *runs;
	size_t n_worst;
	size_t worst[STUDY_WORST];
};

/**
 * why_study() - find out what makes slow calls slow
 * @s: filled in; freed with study_free(), also after an error
 * @w: must outlive @s
 *
 * The same calls give the same answer.
 *
 * Return: 0 or -ENOMEM.
 */
int why_study(struct study *s, const struct why *w);

/** study_free() - release; @s may be zero-filled */
void study_free(struct study *s);

#endif /* KSTATS_WHY_H */
