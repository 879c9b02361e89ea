/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * series.h - several runs and their gate: the whole of `trace --runs`. In: spec,
 * plan. Out: recordings in a folder, a verdict, an exit code. Called by trace.
 */
#ifndef KSTATS_UI_SERIES_H
#define KSTATS_UI_SERIES_H

#include "facts/facts.h"
#include "cost/cost.h"
#include "plan/plan.h"

/**
 * series_check() - are the rules and the format of a series right
 * @spec: its words
 * @e: what is wrong
 *
 * Return: 0 or -EINVAL.
 */
int series_check(const struct spec *spec, struct error *e);

/**
 * series_run() - measure all runs, keep them, judge them
 * @plan: what to measure; its spec has a series
 * @facts: what the machine is
 * @costs: what measuring takes, for the recordings
 * @e: what went wrong: a command failed, somebody interrupted it, ...
 *
 * Ends at the first run that fails: a verdict over the others would be about
 * something else than what was asked.
 *
 * Return: an exit code, or -errno.
 */
int series_run(const struct plan *plan, struct facts *facts, const struct costs *costs,
	       struct error *e);

#endif /* KSTATS_UI_SERIES_H */
