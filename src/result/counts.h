/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counts.h - the slots of one node on all CPUs. Only slots in use take memory, 6 to 14 bytes each.
 * Counts do not change once they are made, so copies of a snapshot share them. In: slots in
 * ascending order. Out: the same slots, sums and differences. Pure. Called by store, recording,
 * dist and render.
 */
#ifndef KSTATS_RESULT_COUNTS_H
#define KSTATS_RESULT_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kstats_slot.h"

#define COUNTS_ALL_CPUS (-1)

/* One node's slots in use; NULL if there are none. */
struct counts;

/** struct counts_cursor - a walk over slots in use, by CPU and then by slot */
struct counts_cursor {
	uint32_t cpu; /* CPU number of the current slot */
	uint32_t slot; /* its index */
	struct kstats_slot count; /* its samples and their sum, scaled by kstats_slot_scale() */
	uint64_t place; /* ascends with the walk; COUNTS_END past the last slot */
	const struct counts *of; /* the counts */
	uint32_t row; /* next row of the CPUs in use */
	uint32_t rows; /* number of these rows */
	const uint8_t *at; /* the next byte */
	const uint8_t *end; /* end of the bytes of @cpu */
};

#define COUNTS_END UINT64_MAX

/** struct counts_writer - counts that are being made; zero-filled at first */
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
	bool failed; /* memory was short */
};

/** counts_begin() - begin a walk; @cpu: CPU number, or COUNTS_ALL_CPUS */
struct counts_cursor counts_begin(const struct counts *c, int cpu);

/** counts_next() - go to the next slot in use. Return: false if there are no more */
bool counts_next(struct counts_cursor *at);

/**
 * counts_next_cpu() - the first CPU from @cpu on that has slots in use; @cpu: updated
 *
 * Return: false if there are no more.
 */
bool counts_next_cpu(const struct counts *c, uint32_t *cpu);

/** counts_slots() - number of slots in use on all CPUs */
size_t counts_slots(const struct counts *c);

/** counts_samples() - samples in all slots */
uint64_t counts_samples(const struct counts *c);

/** counts_same() - whether all slots are equal */
bool counts_same(const struct counts *a, const struct counts *b);

/**
 * counts_add() - add one slot
 * @cpu: CPU number, not below that of the slot before
 * @slot: index, above that of the slot before on this CPU
 * @count: samples and sum; nothing is added if both are 0
 */
void counts_add(struct counts_writer *w, uint32_t cpu, uint32_t slot,
		const struct kstats_slot *count);

/** counts_add_cpu() - add all slots of a CPU, used or not; @cpu: above that of the CPU before */
void counts_add_cpu(struct counts_writer *w, uint32_t cpu, const struct kstats_slot *slots,
		    uint32_t n);

/**
 * counts_end() - make counts of what was added
 * @w: ready for the next counts afterwards
 * @to: receives the counts, freed by counts_drop(); what it held is dropped
 *
 * Return: 0, or -ENOMEM with @to unchanged.
 */
int counts_end(struct counts_writer *w, struct counts **to);

/** counts_writer_free() - release; @w may be zero-filled */
void counts_writer_free(struct counts_writer *w);

/** counts_share() - add an owner. Return: @c */
struct counts *counts_share(struct counts *c);

/** counts_drop() - remove an owner; the last one frees */
void counts_drop(struct counts *c);

/** counts_pack() - write counts as few bytes, which counts_unpack() reads; @c: NULL for none */
void counts_pack(const struct counts *c, FILE *out);

/**
 * counts_unpack() - read what counts_pack() wrote; it is trusted
 * @at: the bytes; moved behind them
 * @to: receives the counts, freed by counts_drop(); NULL for none
 *
 * Return: 0 or -ENOMEM.
 */
int counts_unpack(const uint8_t **at, struct counts **to);

/** counts_number() - read a number of counts_put_number(); @at: moved behind it */
uint64_t counts_number(const uint8_t **at);

/** counts_put_number() - write a number, 7 bits in each byte, the lowest first */
void counts_put_number(FILE *out, uint64_t n);

/**
 * counts_sum() - add two counts
 * @to: receives the sum; may be the variable that holds @a or @b
 *
 * Return: 0, -EOVERFLOW or -ENOMEM, with @to unchanged.
 */
int counts_sum(const struct counts *a, const struct counts *b, struct counts **to);

/**
 * counts_difference() - subtract counts
 * @to: receives @a less @b; may be the variable that holds @a or @b
 *
 * Return: 0; -EINVAL if a slot of @b is larger than that of @a; or -ENOMEM; with @to unchanged.
 */
int counts_difference(const struct counts *a, const struct counts *b, struct counts **to);

#endif /* KSTATS_RESULT_COUNTS_H */
