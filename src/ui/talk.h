/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * talk.h - what is said of a measurement beside its result, and what --strict
 * makes of it. In: a measurement, a snapshot. Out: standard error. Called by the
 * verbs that measure.
 */
#ifndef KSTATS_UI_TALK_H
#define KSTATS_UI_TALK_H

#include "measure/measure.h"

/**
 * talk_left_out() - which functions are not measured, and why
 * @m: measurement
 */
void talk_left_out(const struct measure *m);

/**
 * talk_end() - whether the command had more tasks than were followed
 * @m: measurement that was run
 */
void talk_end(const struct measure *m);

/**
 * talk_floor() - where samples are short and nobody knows what an empty function
 *	reads: how it can be known
 * @r: recording
 */
void talk_floor(const struct recording *r);

/**
 * talk_overhead() - what measuring took, where there is a limit
 * @m: measurement that was run
 * @spec: with the limit
 * @e: it was passed
 *
 * Return: 0 or -EDQUOT.
 */
int talk_overhead(const struct measure *m, const struct spec *spec, struct error *e);

/**
 * talk_unseen() - whether programs were kept from running for a time
 * @s: what was measured
 * @e: filled in where they were
 *
 * Return: 0, or -EIO with EXIT_LEDGER.
 */
int talk_unseen(const struct snapshot *s, struct error *e);

/**
 * talk_followed() - were all tasks of the command followed
 * @m: measurement that was run
 * @e: they were not
 *
 * Return: 0 or -EIO.
 */
int talk_followed(const struct measure *m, struct error *e);

/**
 * talk_strict() - is every event accounted for, and none lost
 * @s: what was measured
 * @e: which function is not exact
 *
 * Return: 0 or -EIO.
 */
int talk_strict(const struct snapshot *s, struct error *e);

#endif /* KSTATS_UI_TALK_H */
