/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parts.h - where the time of calls went (--parts). In: a snapshot with distributions of parts,
 * see enum kstats_part. Out: those of one function or pair together. Pure. Called by render and
 * report.
 */
#ifndef KSTATS_RESULT_PARTS_H
#define KSTATS_RESULT_PARTS_H

#include <errno.h>

#include "kstats_parts.h"
#include "result/dist.h"

/** struct parts - of a function or pair, by enum kstats_part */
struct parts {
	struct dist of[KSTATS_PARTS_N];
};

/** snapshot_has_parts() - whether parts were recorded */
bool snapshot_has_parts(const struct snapshot *s);

/** snapshot_part() - the node of a kind that @owner accounts for. Return: its index, or -1 */
int snapshot_part(const struct snapshot *s, uint32_t owner, enum snapshot_kind kind);

/** snapshot_without_parts() - a copy without them, or NULL when out of memory */
struct snapshot *snapshot_without_parts(const struct snapshot *s);

/**
 * parts_open() - the parts of a function or pair
 * @p: filled in; freed with parts_close() also after an error
 *
 * Return: 0, -ENOENT if there are none, or -ENOMEM.
 */
int parts_open(struct parts *p, const struct snapshot *s, uint32_t owner);

/** parts_close() - release */
void parts_close(struct parts *p);

/** parts_total() - time of all calls with parts, in ns */
double parts_total(const struct parts *p);

/**
 * parts_stayed() - durations of calls whose task never left the processor
 * @d: filled in, without sums; freed with dist_close() also after an error
 *
 * Return: 0 or -ENOMEM.
 */
int parts_stayed(const struct parts *p, const struct snapshot *s, uint32_t owner, struct dist *d);

#endif /* KSTATS_RESULT_PARTS_H */
