// SPDX-License-Identifier: GPL-2.0-only
/*
 * planted.c - calls of which it is known why some are slow
 *
 * Comes in: a number of calls, and why every SLOW-th of them is slow. Goes out: calls of
 * kt_planted, which calls three functions.
 */
#include <linux/delay.h>
#include <linux/version.h>

#include "kt.h"

#define SLOW 37
#define QUICK_NS 2000
#define SLOW_US 16000 /* more than an emulator stops for */
#define STORM 6 /* interrupts, one after the other */
#define STORM_NS 2000000 /* each of them */
#define STORM_GAP_NS 20000

enum planted_why {
	BY_CALLEE, /* one of its callees sleeps */
	BY_STORM,
};

/** struct planted_storm - interrupts that come while a call goes on */
struct planted_storm {
	struct hrtimer timer;
	unsigned int left; /* written by the interrupt, read by the call */
};

/* No argument tells which calls are slow. */
static u64 sleep_us;
static struct planted_storm *storm_now;

static u64 planted_busy(u64 ns)
{
	u64 start = ktime_get_ns();

	busy_until(start + ns);
	return start;
}

static u64 __traced kt_planted_first(u64 ns)
{
	return planted_busy(ns);
}

static u64 __traced kt_planted_maybe(u64 ns)
{
	if (sleep_us)
		usleep_range(sleep_us, sleep_us + 1);
	return ns;
}

/* Until the interrupts are over. */
static u64 __traced kt_planted_last(u64 ns)
{
	while (storm_now && READ_ONCE(storm_now->left))
		cpu_relax();
	return planted_busy(ns);
}

static u64 __traced kt_planted(u64 ns)
{
	kt_planted_first(ns);
	kt_planted_maybe(ns);
	return kt_planted_last(ns) & 1;
}

static enum hrtimer_restart storm_fires(struct hrtimer *timer)
{
	struct planted_storm *storm = container_of(timer, struct planted_storm, timer);
	unsigned int left = storm->left - 1;

	planted_busy(STORM_NS);
	if (left)
		hrtimer_forward_now(timer, ns_to_ktime(STORM_GAP_NS));
	WRITE_ONCE(storm->left, left);
	return left ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

static void storm_begin(struct planted_storm *storm)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup_on_stack(&storm->timer, storm_fires, CLOCK_MONOTONIC,
			       HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init_on_stack(&storm->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	storm->timer.function = storm_fires;
#endif
	storm->left = STORM;
	hrtimer_start(&storm->timer, ns_to_ktime(STORM_GAP_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

/* Interrupts are of the processor that began them. */
static void planted_storm(void)
{
	struct planted_storm storm;

	migrate_disable();
	storm_now = &storm;
	storm_begin(&storm);
	kt_planted(QUICK_NS);
	storm_now = NULL;
	hrtimer_cancel(&storm.timer);
	migrate_enable();
	destroy_hrtimer_on_stack(&storm.timer);
}

static void planted_sleep(u64 us)
{
	sleep_us = us;
	kt_planted(QUICK_NS);
	sleep_us = 0;
}

/* One at a time. */
int op_planted(const u64 *arg)
{
	bool slow;
	u64 i;

	for (i = 1; calls_go_on(i - 1, arg[0], 1); i++) {
		slow = i % SLOW == 0;
		if (slow && arg[1] == BY_STORM)
			planted_storm();
		else
			planted_sleep(slow ? SLOW_US : 0);
	}
	return calls_result(i - 1, arg[0]);
}
