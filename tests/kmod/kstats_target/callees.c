// SPDX-License-Identifier: GPL-2.0-only
/*
 * callees.c - a function that calls others in every way there is
 *
 * Comes in: the numbers of a written line. Goes out: calls of kt_caller, and the truth of its
 * callees: each is timed inside of itself, and kt_caller as its caller saw it.
 */
#include <linux/delay.h>

#include "kt.h"

#define OFTEN 3
#define DEPTH 3

static u64 callee_busy(enum truth_id id, u64 ns)
{
	u64 start = ktime_get_ns(), took;

	busy_until(start + ns);
	took = ktime_get_ns() - start;
	truth_add(id, took);
	return took;
}

static u64 __traced kt_callee_inner(u64 ns)
{
	return callee_busy(TRUTH_kt_callee_inner, ns);
}

/* Calls one that kt_caller calls, too. */
static u64 __traced kt_callee_once(u64 ns)
{
	u64 start = ktime_get_ns(), took;

	kt_callee_inner(ns);
	took = ktime_get_ns() - start;
	truth_add(TRUTH_kt_callee_once, took);
	return took;
}

static u64 __traced kt_callee_often(u64 ns)
{
	return callee_busy(TRUTH_kt_callee_often, ns);
}

static u64 __traced kt_callee_sleep(u64 ns)
{
	u64 start = ktime_get_ns(), took;

	usleep_range(ns / 1000 + 1, ns / 1000 + 2);
	took = ktime_get_ns() - start;
	truth_add(TRUTH_kt_callee_sleep, took);
	return took;
}

/* Its time is that of the outermost call. */
static u64 __traced kt_callee_deep(u64 ns, u64 depth)
{
	u64 start = ktime_get_ns(), took;

	busy_until(start + ns);
	if (depth > 1)
		kt_callee_deep(ns, depth - 1);
	took = ktime_get_ns() - start;
	if (depth == DEPTH)
		truth_add(TRUTH_kt_callee_deep, took);
	return took;
}

static u64 __traced kt_callee_static(u64 ns)
{
	return callee_busy(TRUTH_kt_callee_static, ns);
}

static u64 __traced kt_callee_pointed(u64 ns)
{
	return callee_busy(TRUTH_kt_callee_pointed, ns);
}

static u64 notrace __traced kt_callee_hidden(u64 ns)
{
	return callee_busy(TRUTH_kt_callee_hidden, ns);
}

static u64 __traced kt_callee_last(u64 ns)
{
	return callee_busy(TRUTH_kt_callee_last, ns);
}

static u64 (*volatile pointed)(u64 ns) = kt_callee_pointed;

/* @again: it calls itself so many times more, after its first callee. */
static u64 __traced kt_caller(u64 ns, u64 again)
{
	int i;

	kt_callee_once(ns);
	if (again)
		kt_caller(ns, again - 1);
	for (i = 0; i < OFTEN; i++)
		kt_callee_often(ns);
	kt_callee_sleep(ns);
	kt_callee_deep(ns, DEPTH);
	kt_callee_static(ns);
	pointed(ns);
	kt_callee_hidden(ns);
	kt_callee_inner(ns);
	return kt_callee_last(ns);
}

/* The kernel traces no function of 13 arguments. */
static u64 __traced kt_callee_wide(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, u64 i,
				   u64 j, u64 k, u64 l, u64 m)
{
	return a + b + c + d + e + f + g + h + i + j + k + l + m;
}

u64 __traced kt_caller_wide(u64 a)
{
	return kt_callee_wide(a, a, a, a, a, a, a, a, a, a, a, a, a) + 1;
}

int op_callees(const u64 *arg)
{
	u64 i, start;

	for (i = 0; calls_go_on(i, arg[0], 1); i++) {
		start = ktime_get_ns();
		kt_caller(arg[1], arg[2]);
		truth_add(TRUTH_kt_caller, ktime_get_ns() - start);
	}
	return calls_result(i, arg[0]);
}
