// SPDX-License-Identifier: GPL-2.0-only
/*
 * step.c - calls that others come in between of: tasks that share a CPU, a task
 * with a priority, a timer's hard interrupt
 *
 * Comes in: the numbers of a written line. Goes out: calls of kt_step, each with a
 * pair of functions and of tracepoints inside, and two truths. The one is of the
 * body, as everywhere. The other, step_outer, is taken by the caller around the
 * call: whoever takes the CPU away while the probe runs is in it, so no sample of
 * any method may be longer. Of it the distribution is kept as well.
 */
#include <linux/delay.h>
#include <linux/seq_file.h>
#include <linux/version.h>

#include "kstats_slot.h"
#include "kt.h"
#include "kt_trace.h"

#define OUTER_BITS 2 /* all that a report's slots can be, at bits 2 and more */

static atomic64_t outer[KSTATS_N_SLOTS(OUTER_BITS)];

void step_reset(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(outer); i++)
		atomic64_set(&outer[i], 0);
}

void step_show(struct seq_file *seq)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(outer); i++) {
		if (atomic64_read(&outer[i]))
			seq_printf(seq, "%llu %llu\n", (u64)kstats_slot_first(i, OUTER_BITS),
				   (u64)atomic64_read(&outer[i]));
	}
}

u64 __traced kt_step(struct kt_req *req, u64 ns, u64 us, u64 odd)
{
	u64 start = ktime_get_ns();

	trace_kt_tp_start((unsigned long)req);
	kt_start(req);
	busy_until(start + ns);
	if (us)
		usleep_range(us, us);
	kt_end(req);
	trace_kt_tp_end((unsigned long)req);
	return ktime_get_ns() - start;
}

/* Returns what the caller saw. */
static u64 notrace step(u64 ns, u64 us, u64 odd)
{
	u64 begin = ktime_get_ns();
	struct kt_req req;
	u64 took = kt_step(&req, ns, us, odd);

	begin = ktime_get_ns() - begin;
	truth_add(TRUTH_kt_step, took);
	truth_add(TRUTH_step_outer, begin);
	if (odd)
		truth_add(TRUTH_step_odd, begin);
	atomic64_inc(&outer[kstats_slot_index(begin, OUTER_BITS)]);
	return begin;
}

/* From half of @mean to one and a half; the same numbers at each run. */
static u64 about(u64 mean, u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return mean / 2 + ((*seed >> 32) * mean >> 32);
}

int op_step(const u64 *arg)
{
	u64 i;

	for (i = 0; calls_go_on(i, arg[0], 1024); i++)
		step(arg[1], 0, i & 1);
	return calls_result(i, arg[0]);
}

int op_step_every(const u64 *arg)
{
	u64 i, us, seed = 0x5eed;

	for (i = 0; calls_go_on(i, arg[0], 1); i++) {
		step(0, arg[2], seed & 1);
		us = about(arg[1], &seed);
		usleep_range(us, us);
	}
	return calls_result(i, arg[0]);
}

struct random_timer {
	struct hrtimer timer;
	u64 mean_ns;
	u64 seed;
	pid_t writer;
	bool apart;
	u64 fired;
};

/* A start without an end counts as a call of no time. */
static void begin_alone(void)
{
	struct kt_req req;

	kt_start(&req);
	truth_add(TRUTH_step_outer, 0);
	atomic64_inc(&outer[0]);
}

static enum hrtimer_restart random_fires(struct hrtimer *timer)
{
	struct random_timer *t = container_of(timer, struct random_timer, timer);

	u64 took;

	if (t->apart && t->fired++ % 2 == 0) {
		begin_alone();
	} else {
		took = step(0, 0, t->seed & 1);
		if (current->tgid == t->writer)
			truth_add(TRUTH_step_mine, took);
	}
	hrtimer_forward_now(timer, ns_to_ktime(about(t->mean_ns, &t->seed)));
	return HRTIMER_RESTART;
}

static int step_interrupted(const u64 *arg, bool apart)
{
	struct random_timer t = {
		.mean_ns = arg[1], .seed = 0x5eed, .writer = current->tgid, .apart = apart
	};
	u64 i;

	if (!arg[1])
		return -EINVAL;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup_on_stack(&t.timer, random_fires, CLOCK_MONOTONIC,
			       HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init_on_stack(&t.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	t.timer.function = random_fires;
#endif
	hrtimer_start(&t.timer, ns_to_ktime(arg[1]), HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; calls_go_on(i, arg[0], 1024); i++)
		truth_add(TRUTH_step_mine, step(0, 0, i & 1));
	hrtimer_cancel(&t.timer);
	destroy_hrtimer_on_stack(&t.timer);
	return calls_result(i, arg[0]);
}

int op_step_irq(const u64 *arg)
{
	return step_interrupted(arg, false);
}

int op_step_apart(const u64 *arg)
{
	return step_interrupted(arg, true);
}
