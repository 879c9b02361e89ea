/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * collect.h - single calls of a measurement, kept while it runs. In: a session that records them.
 * Out: struct why. Called by measure.c.
 *
 * If slow calls are those above a quantile, it is learned first: until there are enough calls,
 * each of them leaves a record. Then calls are counted by thread, processor and duration, and the
 * threshold follows the distribution. In the result it is one for all calls.
 */
#ifndef KSTATS_MEASURE_COLLECT_H
#define KSTATS_MEASURE_COLLECT_H

#include "plan/plan.h"
#include "result/why.h"
#include "session/session.h"

#define COLLECT_TICK_NS 10000000

struct collect;

/** collect_begin() - prepare; @s, @plan: must outlive it. Return: freed by collect_free(), or NULL
 */
struct collect *collect_begin(struct session *s, const struct plan *plan, struct error *e);

/** collect_tick() - take what programs have left; every COLLECT_TICK_NS. Return: 0 or -ENOMEM */
int collect_tick(struct collect *c);

/**
 * collect_end() - what is known of single calls
 * @c: its session has stopped
 * @all: final snapshot of the session
 *
 * Return: freed by why_free(), or NULL.
 */
struct why *collect_end(struct collect *c, const struct snapshot *all, struct error *e);

/** collect_free() - release; @c may be NULL */
void collect_free(struct collect *c);

#endif /* KSTATS_MEASURE_COLLECT_H */
