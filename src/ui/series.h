/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * series.h - several runs and their verdict: `trace --runs`. In: spec, plan. Out: recordings
 * in a folder, a verdict, an exit code. Called by trace.
 */
#ifndef KSTATS_UI_SERIES_H
#define KSTATS_UI_SERIES_H

#include "facts/facts.h"
#include "result/cost.h"
#include "plan/plan.h"

/**
 * series_check() - check the rules and the format of a series
 * @spec: its words
 *
 * Return: 0 or -EINVAL.
 */
int series_check(const struct spec *spec, struct error *e);

/**
 * series_run() - measure all runs, keep them, judge them
 * @plan: what to measure; its spec has a series
 * @facts: description of the machine
 * @costs: overhead, for the recordings
 * @e: filled in on failure, such as a failed command or an interrupt
 *
 * Stops at the first run that fails: a verdict over the remaining runs would answer another
 * question than the user asked.
 *
 * Return: an exit code, or -errno.
 */
int series_run(const struct plan *plan, struct facts *facts, const struct costs *costs,
	       struct error *e);

#endif /* KSTATS_UI_SERIES_H */
