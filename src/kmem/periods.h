/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * periods.h - memory events over time: what each interval of a measurement added. In: what was
 * seen up to each end of an interval. Out: the intervals in a value. Called by the verb, and by
 * report.
 */
#ifndef KSTATS_KMEM_PERIODS_H
#define KSTATS_KMEM_PERIODS_H

#include "kmem/kmem.h"

#define KMEM_PERIODS_MOST 512 /* if there are more, neighbours are joined */

/** struct kmem_periods - what was seen at the ends of intervals of a running measurement */
struct kmem_periods;

/**
 * kmem_periods_add() - keep the sums up to the end of an interval
 * @p: made where it is NULL; freed by kmem_periods_free()
 * @k: all that was seen since the begin of the measurement
 *
 * Return: 0 or -ENOMEM.
 */
int kmem_periods_add(struct kmem_periods **p, const struct kmem *k);

/**
 * kmem_periods_put() - fill in the periods and parts of a whole measurement
 * @p: may be NULL: then nothing happens
 * @k: has no periods yet; its end is the end of the last one
 *
 * Besides the sums of each kind there are those of the ten call sites with the most bytes, of
 * the ten with the most waste, and of the ten with the most live bytes.
 *
 * Return: 0 or -ENOMEM.
 */
int kmem_periods_put(struct kmem_periods *p, struct kmem *k);

/** kmem_periods_free() - release; @p may be NULL */
void kmem_periods_free(struct kmem_periods *p);

/**
 * kmem_part_find() - what one interval added
 * @site: index in the sites, or KMEM_ALL_SITES
 *
 * Return: a part with zeros if there is none.
 */
struct kmem_part kmem_part_find(const struct kmem *k, size_t period, enum kstats_kmem_kind kind,
				uint32_t site);

/** kmem_period_begin() - when an interval began, by the monotonic clock */
uint64_t kmem_period_begin(const struct kmem *k, size_t period);

#endif /* KSTATS_KMEM_PERIODS_H */
