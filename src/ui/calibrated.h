/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calibrated.h - calibrations for the verbs: measured now, or read from what is kept. In:
 * which methods. Out: costs, and messages on standard error. Called by calibrate, trace and
 * node.
 */
#ifndef KSTATS_UI_CALIBRATED_H
#define KSTATS_UI_CALIBRATED_H

#include "calibrate/calibrate.h"

/**
 * calibrated_measure() - measure, and add it to what is kept
 * @c: receives the rows, even if they cannot be kept
 * @e: filled in if nothing was measured, or if it cannot be kept
 */
int calibrated_measure(struct facts *facts, const struct calibrate_want *want, bool quiet,
		       struct costs *c, struct error *e);

/**
 * calibrated_renew() - measure what a plan will use, and replace what was known
 * @c: what is known; receives the rows
 * @e: filled in if nothing was measured
 *
 * If the result cannot be kept, it is used all the same, and a message says so.
 */
int calibrated_renew(struct facts *facts, const struct calibrate_want *want, bool quiet,
		     struct costs *c, struct error *e);

/**
 * calibrated_load() - read what is kept, if it can be trusted and is still valid
 * @quiet: do not say why it is not used
 * @c: empty; receives the rows
 */
void calibrated_load(bool quiet, struct costs *c);

/**
 * calibrated_missing() - fill in an error: an option needs costs that are not known
 * @spec: with that option
 * @method: whose costs are not known
 * @e: filled in; why it was not measured
 *
 * Return: -ENODATA.
 */
int calibrated_missing(const struct spec *spec, const char *method, struct error *e);

#endif /* KSTATS_UI_CALIBRATED_H */
