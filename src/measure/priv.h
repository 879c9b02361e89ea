/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files about single calls share. */
#ifndef KSTATS_MEASURE_PRIV_H
#define KSTATS_MEASURE_PRIV_H

#include "kstats_why.h"
#include "measure/collect.h"
#include "stacks/stacks.h"

/** struct collect_call - a call as it was read */
struct collect_call {
	/* without values, samples and times in callees, which come at the end */
	struct why_call call;
	uint64_t callee_ns[KSTATS_CALLEES_MAX + 1]; /* the last one: in the call itself */
	uint64_t node; /* its distribution, or that of its key */
	uint64_t cgroup;
	uint64_t ret;
	uint64_t args[KSTATS_WHY_ARGS];
	uint64_t shown[KSTATS_WHY_SHOWN];
	uint32_t uid;
	char comm[KSTATS_COMM_LEN + 1];
	bool is_chosen; /* by chance, whatever its duration */
	bool is_counted; /* it ended after counting began */
	bool is_divided; /* @callee_ns are known */
};

/** struct collect_sample - a task in a long call, on a processor */
struct collect_sample {
	uint32_t tid;
	uint32_t stack;
	uint64_t ns; /* monotonic clock */
};

/** struct collect_stacks - backtraces, each kept once */
struct collect_stacks {
	size_t n; /* number of @of */
	size_t room; /* of @of */
	struct why_stack *of; /* owned */
	uint64_t *hashes; /* owned; by stack */
	bool *in_interrupt; /* owned; by stack: an interrupt had come upon what ran */
	uint32_t *places; /* owned; a hash table of indexes, WHY_NO_STACK: free */
	size_t n_places; /* a power of two, or 0 */
	struct stacks *names; /* owned */
	bool knows_programs; /* processes have the numbers here that the kernel tells */
	bool has_user; /* a hook is in a program */
};

/** struct collect_frames - addresses of a backtrace as the kernel gave them */
struct collect_frames {
	const __u64 *at;
	uint32_t n;
};

/** enum collect_place - where a backtrace begins */
enum collect_place {
	COLLECT_HOOK, /* in the program of a hook, whose own frames are left out */
	COLLECT_WAIT, /* behind the call that put a task to sleep */
	COLLECT_SAMPLE, /* at the instruction that ran */
};

/** struct collect_trace - a backtrace as the kernel gave it */
struct collect_trace {
	enum collect_place place;
	struct collect_frames kernel;
	struct collect_frames user; /* further out, in the process @tgid */
	uint32_t tgid;
};

/** collect_stack() - keep a backtrace. Return: its index; WHY_NO_STACK if it has no frames; -ENOMEM
 */
int64_t collect_stack(struct collect_stacks *s, const struct collect_trace *t);

/** collect_stacks_free() - release */
void collect_stacks_free(struct collect_stacks *s);

/** struct collect - see collect.h */
struct collect {
	struct session *session;
	const struct plan *plan;
	int err; /* -ENOMEM once something could not be kept */
	uint64_t base_ns; /* lowest threshold that slow calls are counted for; 0: still learning */
	uint64_t counting_ns; /* all calls that ended before were looked at, not counted */
	uint64_t look_ns; /* when the distribution is read next */
	double chance; /* of each call to be kept as an ordinary one; 0: not set yet */
	uint64_t chance_ns; /* when it was set */
	uint64_t n_chosen; /* calls that were chosen since then */
	uint64_t choose_most; /* it is set anew once there are so many */
	uint32_t bits; /* resolution of thresholds */
	size_t n_calls; /* number of @calls */
	size_t room; /* of @calls */
	struct collect_call *calls; /* owned */
	uint64_t keep_every; /* of so many calls that come, one is kept */
	uint64_t worst_ns; /* those of this duration or more are kept always */
	uint64_t n_come; /* calls that have come */
	size_t n_samples; /* number of @samples */
	size_t room_samples; /* of @samples */
	struct collect_sample *samples; /* owned */
	uint64_t lost_samples; /* since there were too many */
	struct collect_stacks stacks;
};

/** struct collect_slow - calls that a snapshot counted */
struct collect_slow {
	uint64_t all;
	uint64_t slow;
};

/**
 * collect_slow_from() - the duration that a share of the calls of all distributions stays below
 * @bits: resolution: thresholds are where slots begin
 * @millionths: the share
 * @samples: receives the number of calls
 *
 * Return: where the slot of the quantile begins, or the next one if that comes nearer to the
 * share; 0 without calls or memory.
 */
uint64_t collect_slow_from(uint32_t bits, const struct snapshot *all, uint32_t millionths,
			   uint64_t *samples);

/** collect_count() - calls of a distribution, and how many were at least as long; 0 or -ENOMEM */
int collect_count(const struct snapshot *all, uint32_t node, uint64_t threshold_ns,
		  struct collect_slow *n);

/** collect_name_callees() - fill in the callees of @w. Return: 0 or -ENOMEM */
int collect_name_callees(const struct collect *c, struct why *w);

/** collect_divide() - fill in the times of a call in them, if they are known; 0 or -ENOMEM */
int collect_divide(const struct collect *c, const struct why *w, const struct collect_call *from,
		   struct why_call *call);

/** collect_show() - the values of --show; those that could not be read stay NULL. 0 or -ENOMEM */
int collect_show(const struct collect *c, const struct collect_call *from, char **values);

/** collect_describe() - fill in fields, values and calls of @w. Return: 0 or -ENOMEM */
int collect_describe(struct collect *c, const struct snapshot *all, struct why *w);

#endif /* KSTATS_MEASURE_PRIV_H */
