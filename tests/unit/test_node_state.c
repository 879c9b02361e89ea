// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_node_state.c - a kill between any two instructions of a start and of a stop
 * leaves figures that are true. Each instruction raises SIGTRAP, and what the state
 * says at that moment is what a later command would find.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>
#include <cmocka.h>

#include "node/priv.h"

#define MARKS 3
#define TRAP_FLAG 0x100

static struct node_state *st;
static const uint64_t *counts, *wanted;
static uint64_t now, active;
static unsigned int steps, wrong;

/* The kernel's count of what is not attached is of no meaning. */
static void look(int sig)
{
	unsigned int i;

	steps++;
	for (i = 0; i < MARKS; i++)
		wrong += node_mark_skipped(st, &st->marks[i], node_runs(st) ? counts[i] : 4711) !=
			 wanted[i];
	wrong += node_time_active(st, now) != active;
}

static void step(bool on)
{
	uint64_t flags = __readeflags();

	__writeeflags(on ? flags | TRAP_FLAG : flags & ~(uint64_t)TRAP_FLAG);
}

static void start(const uint64_t *count)
{
	unsigned int i;

	counts = count;
	step(true);
	for (i = 0; i < MARKS; i++)
		node_mark_begin(&st->marks[i], count[i]);
	node_time_begin(st, now);
	__atomic_store_n(&st->phase, NODE_RUNNING, __ATOMIC_SEQ_CST);
	step(false);
}

static void stop(const uint64_t *count)
{
	unsigned int i;

	counts = count;
	step(true);
	for (i = 0; i < MARKS; i++)
		node_mark_keep(&st->marks[i], count[i]);
	node_time_keep(st, now);
	__atomic_store_n(&st->phase, NODE_STOPPING, __ATOMIC_SEQ_CST);
	step(false);
}

static void test_kills(void **state)
{
	static const uint64_t begin[MARKS] = { 100, 0, 7 }, nothing[MARKS];
	static const uint64_t first[MARKS] = { 101, 2, 10 }, first_sum[MARKS] = { 1, 2, 3 };
	static const uint64_t second[MARKS] = { 101, 20, 10 }, second_sum[MARKS] = { 1, 20, 3 };
	static const uint64_t anew[MARKS] = { 0, 25, 9 };
	static const uint64_t last[MARKS] = { 4, 26, 9 }, last_sum[MARKS] = { 5, 21, 3 };
	const struct sigaction trap = { .sa_handler = look };
	struct sigaction old;

	st = calloc(1, sizeof(*st) + MARKS * sizeof(st->marks[0]));
	assert_non_null(st);
	assert_int_equal(sigaction(SIGTRAP, &trap, &old), 0);
	/* It never ran: what the kernel counted was before. */
	st->phase = NODE_STARTING;
	now = 1000;
	wanted = nothing;
	start(begin);
	now += 500;
	active += 500;
	wanted = first_sum;
	stop(first);
	/* As if killed right before the end of that: it ran on, and is stopped later. */
	st->phase = NODE_RUNNING;
	now += 500;
	active += 500;
	wanted = second_sum;
	stop(second);
	/* What is attached anew may count from 0. */
	st->phase = NODE_STARTING;
	now += 10000;
	start(anew);
	now += 30;
	active += 30;
	wanted = last_sum;
	stop(last);
	sigaction(SIGTRAP, &old, NULL);
	assert_int_equal(wrong, 0);
	assert_true(steps > 5 * 2 * (MARKS + 2)); /* it did look between the stores */
	free(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
