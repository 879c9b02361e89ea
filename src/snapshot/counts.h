/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counts.h - the slots of one node on all CPUs. Only slots in use take memory, some
 * 6 to 14 bytes each. Counts do not change once they are made, so copies of a snapshot
 * share them. In: slots in ascending order. Out: the same again, and sums and
 * differences. Pure. Called by store, recording, dist and render.
 */
#ifndef KSTATS_SNAPSHOT_COUNTS_H
#define KSTATS_SNAPSHOT_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kstats_slot.h"

#define COUNTS_ALL_CPUS (-1)

/* One node's slots in use; NULL stands for none. */
struct counts;

/** struct counts_cursor - a walk over slots in use, by CPU and then by slot */
struct counts_cursor {
	uint32_t cpu; /* CPU number of the slot that the walk is at */
	uint32_t slot; /* its index */
	struct kstats_slot count; /* its samples and their sum, scaled by kstats_slot_scale() */
	uint64_t place; /* ascends with the walk; COUNTS_END past the last slot */
	const struct counts *of; /* what is walked over */
	uint32_t row; /* next of the CPUs in use */
	uint32_t rows; /* where these end */
	const uint8_t *at; /* bytes that follow */
	const uint8_t *end; /* where those of @cpu end */
};

#define COUNTS_END UINT64_MAX

/** struct counts_writer - counts in the making; all zero at the begin */
struct counts_writer {
	uint8_t *bytes; /* owned; slots */
	size_t size; /* bytes used of @bytes */
	size_t room; /* bytes allocated for @bytes */
	struct counts_cpu *cpus; /* owned; CPUs in use */
	uint32_t n_cpus; /* rows used of @cpus */
	uint32_t cpus_room; /* rows allocated for @cpus */
	uint32_t slot; /* slot that was added last */
	uint32_t slots; /* slots so far */
	uint64_t samples; /* samples so far */
	bool failed; /* there was no memory for one of them */
};

/**
 * counts_begin() - walk over counts
 * @cpu: CPU number, or COUNTS_ALL_CPUS
 *
 * Return: a cursor in front of the first slot.
 */
struct counts_cursor counts_begin(const struct counts *c, int cpu);

/** counts_next() - go to the next slot in use. Return: false past the last */
bool counts_next(struct counts_cursor *at);

/**
 * counts_next_cpu() - the next CPU that has slots in use
 * @cpu: CPU number to look from; receives the first one in use from there on
 *
 * Return: false where there are no more.
 */
bool counts_next_cpu(const struct counts *c, uint32_t *cpu);

/** counts_slots() - how many slots are in use. Return: their number, on all CPUs */
size_t counts_slots(const struct counts *c);

/** counts_samples() - samples in all slots */
uint64_t counts_samples(const struct counts *c);

/** counts_same() - whether two counts are equal. Return: true where every slot of every CPU is */
bool counts_same(const struct counts *a, const struct counts *b);

/**
 * counts_add() - add one slot to counts in the making
 * @cpu: CPU number, not below the last one's
 * @slot: index, above the last one's of this CPU
 * @count: samples and sum; nothing is added where both are 0
 */
void counts_add(struct counts_writer *w, uint32_t cpu, uint32_t slot,
		const struct kstats_slot *count);

/**
 * counts_add_cpu() - add all slots of a CPU
 * @cpu: CPU number, above the last one's
 * @slots: all slots, those in use and those that are not
 */
void counts_add_cpu(struct counts_writer *w, uint32_t cpu, const struct kstats_slot *slots,
		    uint32_t n);

/**
 * counts_end() - counts out of what was added
 * @w: writer; ready for the next counts afterwards
 * @to: receives the counts, freed by counts_drop(); what it held is dropped
 *
 * Return: 0, or -ENOMEM with @to unchanged.
 */
int counts_end(struct counts_writer *w, struct counts **to);

/** counts_writer_free() - release; @w may be all zero */
void counts_writer_free(struct counts_writer *w);

/** counts_share() - one more owner. Return: @c */
struct counts *counts_share(struct counts *c);

/** counts_drop() - one owner less; the last one frees */
void counts_drop(struct counts *c);

/**
 * counts_sum() - add the slots of two counts
 * @to: receives the sum; may be where @a or @b is kept
 *
 * Return: 0, -EOVERFLOW or -ENOMEM, with @to unchanged.
 */
int counts_sum(const struct counts *a, const struct counts *b, struct counts **to);

/**
 * counts_difference() - subtract the slots of two counts
 * @b: counts, no slot of which is above that of @a
 * @to: receives @a less @b; may be where @a or @b is kept
 *
 * Return: 0; -EINVAL where a slot of @b is above; or -ENOMEM; with @to unchanged.
 */
int counts_difference(const struct counts *a, const struct counts *b, struct counts **to);

#endif /* KSTATS_SNAPSHOT_COUNTS_H */
