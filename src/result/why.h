/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * why.h - single calls of a measurement, for the question what makes the slow ones slow: the slow
 * calls, ordinary ones chosen with the same chance, and how many calls each value of a field had.
 * In: from a session, or part of a recording. Out: to why, report and recording. Pure.
 */
#ifndef KSTATS_RESULT_WHY_H
#define KSTATS_RESULT_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kstats_parts.h"
#include "util/error.h"
#include "util/json.h"

/** enum why_when - when the value of a field is known */
enum why_when {
	WHY_AT_ENTRY, /* before the call begins: task, processor, arguments, caller */
	WHY_DURING, /* comes about in the call, also while it sleeps: migration */
	/* comes about only while the task is awake: return value, callee, interrupts */
	WHY_AWAKE,
	WHY_SHOWN, /* found at its end to be shown, and not compared */
};

/** struct why_field - what calls may differ by */
struct why_field {
	/* owned; "comm", "cpu", "arg0", "ret", "migrated"...; waits and wakers are no fields */
	char *name;
	enum why_when when;
	/* the numbers of all calls are counted in @values of struct why, not only of those kept */
	bool is_counted;
};

/** struct why_value - calls that had a value of a field that is counted */
struct why_value {
	uint32_t field; /* index of the field */
	char *text; /* owned; "bash", "3", "-EAGAIN" */
	uint64_t calls; /* all of them */
	uint64_t slow; /* those at or over the threshold */
};

/** struct why_stack - a backtrace; the same one is kept once */
struct why_stack {
	uint32_t n; /* number of frames */
	char **frames; /* owned; innermost first: "vfs_read+0x1c", "[kstats] kt_work+0x5" */
	bool is_user; /* of the program, not of the kernel */
};

#define WHY_NO_STACK UINT32_MAX
#define WHY_NO_CPU UINT32_MAX

/** struct why_call - one call */
struct why_call {
	uint64_t start_ns; /* monotonic clock */
	uint64_t duration_ns;
	uint64_t part_ns[KSTATS_PART_TIMES]; /* by enum kstats_part; only if @is_split */
	bool is_split; /* the parts are known */
	/* owned; time in each callee, and behind these in the call itself; NULL: not known */
	uint64_t *callee_ns;
	bool is_slow; /* at or over the threshold; if not, it is an ordinary one */
	uint32_t pid; /* process, first PID namespace */
	uint32_t tid; /* thread */
	uint32_t cpu_begin; /* WHY_NO_CPU: not known, as of a pair by key */
	uint32_t cpu_end;
	/* owned; by index of a field; each owned, NULL: not known */
	char **values;
	/* index of a stack, or WHY_NO_STACK */
	uint32_t caller; /* of the kernel, at the end of the call */
	uint32_t user_caller; /* of the program */
	/* the longest time off the processor; all 0 if there was none that was looked at */
	struct {
		uint64_t ns;
		enum kstats_part part; /* RUNNABLE, SLEEPING or BLOCKED */
		uint32_t stack; /* where the task slept */
		uint32_t waker_tid; /* 0: not known */
		char *waker; /* owned; name of the task that woke it, or NULL */
		uint32_t waker_stack;
	} wait;
	/* stacks sampled on the processor, once the call was over the threshold */
	uint32_t n_samples;
	uint32_t *samples; /* owned; indices of stacks */
};

/** struct why_lost - what could not be kept, by name */
struct why_lost {
	char *name; /* owned; "slow calls", "ordinary calls", "stacks", "values of comm" */
	uint64_t n;
};

/** struct why - what is known of single calls of one function or pair */
struct why {
	uint32_t node; /* index of its distribution in the snapshot */
	/* calls may begin and end in different tasks: their process and thread are those of ends */
	bool no_task;
	uint64_t threshold_ns; /* calls of this duration or more are slow */
	double quantile; /* that the threshold stands for, as 0.99; 0: the user gave a duration */
	uint64_t n_calls; /* all calls that were recorded */
	/* of them at or over the threshold; more may be kept, from when it was lower */
	uint64_t n_slow;
	size_t n_callees; /* number of @callees; 0: time in callees was not asked for */
	char **callees; /* owned; functions that the calls called */
	size_t n_fields;
	struct why_field *fields; /* owned */
	size_t n_values;
	struct why_value *values; /* owned; by field */
	size_t n_calls_kept;
	struct why_call *calls; /* owned; by time of start */
	size_t n_stacks;
	struct why_stack *stacks; /* owned */
	size_t n_lost;
	struct why_lost *lost; /* owned */
};

/** why_free() - release; @w may be NULL */
void why_free(struct why *w);

/** why_json() - a new object of it, or NULL when out of memory */
struct json_object *why_json(const struct why *w);

/** why_json_call() - a new object of a call, or NULL */
struct json_object *why_json_call(const struct why *w, const struct why_call *c);

/** why_json_stacks() - a new array of the stacks, or NULL */
struct json_object *why_json_stacks(const struct why *w);

/** why_json_lost() - a new array of what could not be kept, or NULL */
struct json_object *why_json_lost(const struct why *w);

/**
 * why_read() - read what why_json() made; it is not trusted
 * @nodes: distributions of the recording
 *
 * Return: single calls, freed by why_free(), or NULL.
 */
struct why *why_read(struct json_object *from, uint32_t nodes, struct error *e);

/** why_callee_name() - its name; @i: index, the number of callees for the call itself */
const char *why_callee_name(const struct why *w, size_t i);

/** why_longest_in() - where most of a call's time went: a callee, @n_callees for itself, or -1 */
int why_longest_in(const struct why *w, const struct why_call *c);

#define WHY_CALLEES_MAX 64 /* functions that calls called */
#define WHY_FIELDS_MAX 64 /* most of what a file holds: fields */
#define WHY_VALUES_MAX 200000
#define WHY_CALLS_MAX 100000
#define WHY_STACKS_MAX 200000
#define WHY_FRAMES_MAX 256 /* of a stack */
#define WHY_SAMPLES_MAX 4096 /* of a call */

#endif /* KSTATS_RESULT_WHY_H */
