/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * check.h - the gate: is it slower, is it within its bounds? In: rules, and runs
 * or compared sets of them. Out: a verdict for each rule and function, and why.
 * Pure. Called by cmd/ and render.
 *
 * Three answers: what is not shown to hold and not shown to fail is inconclusive.
 */
#ifndef KSTATS_CHECK_H
#define KSTATS_CHECK_H

#include "compare.h"

/** enum check_verdict - what can be said of one rule */
enum check_verdict {
	CHECK_PASS,
	CHECK_FAIL,
	CHECK_INCONCLUSIVE,
	CHECK_VERDICTS,
};

/**
 * check_verdict_name() - "pass", "fail" or "inconclusive"
 * @v: verdict
 *
 * Return: constant text.
 */
const char *check_verdict_name(enum check_verdict v);

/**
 * check_increase() - has a metric grown by more than is allowed
 * @row: compared metric
 * @limit: 0.05 allows 5 %; 0 or more
 *
 * Return: CHECK_FAIL when the interval excludes no change, and all of it is above
 * the limit; CHECK_PASS when all of it is at or below; else CHECK_INCONCLUSIVE.
 */
enum check_verdict check_increase(const struct compare_row *row, double limit);

#endif /* KSTATS_CHECK_H */
