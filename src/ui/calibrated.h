/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calibrated.h - calibrations for the verbs: measured and kept, or what is kept
 * already. In: what is wanted. Out: costs, and talk on standard error. Called by
 * calibrate, trace and node.
 */
#ifndef KSTATS_UI_CALIBRATED_H
#define KSTATS_UI_CALIBRATED_H

#include "calibrate/calibrate.h"

/**
 * calibrated_measure() - measure, and keep it beside what was kept before
 * @facts: what the kernel offers
 * @want: what
 * @quiet: say nothing on the way
 * @c: receives the rows, also where they cannot be kept
 * @e: why not, or why they cannot be kept
 *
 * Return: 0 or -errno.
 */
int calibrated_measure(struct facts *facts, const struct calibrate_want *want, bool quiet,
		       struct costs *c, struct error *e);

/**
 * calibrated_renew() - measure what a plan will use, in place of what was known
 * @facts: what the kernel offers
 * @want: what
 * @quiet: say nothing on the way
 * @c: what is known; receives the rows
 * @e: why nothing was measured
 *
 * What was measured is used also where it cannot be kept: that is only told.
 *
 * Return: 0 or -errno.
 */
int calibrated_renew(struct facts *facts, const struct calibrate_want *want, bool quiet,
		     struct costs *c, struct error *e);

/**
 * calibrated_load() - what is kept, where it can be trusted and is still true
 * @quiet: do not say why it is not used
 * @c: empty; receives the rows
 */
void calibrated_load(bool quiet, struct costs *c);

/**
 * calibrated_missing() - an option needs what cannot be known
 * @spec: with that option
 * @method: whose costs are not known
 * @e: why it was not measured; filled in
 *
 * Return: -ENODATA.
 */
int calibrated_missing(const struct spec *spec, const char *method, struct error *e);

#endif /* KSTATS_UI_CALIBRATED_H */
