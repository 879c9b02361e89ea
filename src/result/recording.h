/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording.h - everything that a later question about one measurement needs: the snapshot, its
 * intervals, the machine, the tags, how the command ended. In: a measurement, or a file. Out: to
 * render and compare. Pure: no kernel, no root. Called by measure, render, judge and cmd/.
 */
#ifndef KSTATS_RESULT_RECORDING_H
#define KSTATS_RESULT_RECORDING_H

#include <stdio.h>

#include "result/cost.h"
#include "result/snapshot.h"
#include "result/why.h"
#include "util/tags.h"

/** struct recording_machine - where it was measured */
struct recording_machine {
	char *cpu; /* owned; model name of the processor, or "" */
	uint32_t cpus_online; /* number of CPUs online */
	char *clock; /* owned; the kernel's clock source, or "" */
	char *build_id; /* owned; of the kernel, in hexadecimal, or "" */
};

/** recording_free_machine() - release its texts */
void recording_free_machine(struct recording_machine *m);

/** struct period - one interval of a recording, packed */
struct period {
	struct snapshot_span span; /* its time */
	size_t slots; /* in use */
	size_t size; /* of @bytes */
	uint8_t *bytes; /* owned; NULL where they are in the file of the recording */
	off_t at; /* where they are there */
};

/** struct recording - one measurement, or several merged */
struct recording {
	char *source; /* owned; the file it was read from, or NULL; not part of the file */
	uint32_t runs; /* how many measurements are in it */
	struct recording_machine machine; /* where */
	struct tags tags; /* owned; what the user says about it */
	/*
	 * exit status of the command, 128 + signal if it was killed, 0 if there was none; of
	 * several runs the first that is not 0
	 */
	uint32_t status;
	/* owned; floor and overhead of those of its methods that were calibrated */
	struct costs costs;
	struct snapshot *whole; /* owned; what was measured */
	size_t n_periods; /* number of @periods; 0 without intervals */
	/* owned; intervals in the order of time; they add up to @whole */
	struct period *periods;
	FILE *spool; /* owned; where new intervals go, which so take no memory; or NULL */
	off_t spooled; /* bytes in it */
	struct why *why; /* owned; single calls of one of its distributions, or NULL */
	bool why_left_out; /* a merge has left single calls out; not part of the file */
};

/**
 * recording_new() - a recording of one run
 * @whole: handed over, also on failure; NULL if it is set later
 *
 * Return: a recording, freed by recording_free(), or NULL when out of memory.
 */
struct recording *recording_new(struct snapshot *whole);

/** recording_copy_machine() - release @to, and make it a copy. Return: 0 or -ENOMEM */
int recording_copy_machine(struct recording_machine *to, const struct recording_machine *from);

/** recording_set_machine() - set a copy of @m. Return: 0 or -ENOMEM */
int recording_set_machine(struct recording *r, const struct recording_machine *m);

/**
 * recording_set_costs() - keep copies of the costs of the methods that @s used. Return: 0 or
 * -ENOMEM
 */
int recording_set_costs(struct recording *r, const struct snapshot *s, const struct costs *all);

/**
 * recording_cost() - the costs of a distribution's method
 *
 * Return: a row of its costs; NULL if they are not known, and for gaps, which are not of one call.
 */
const struct cost *recording_cost(const struct recording *r, uint32_t node);

/** recording_free() - release; @r may be NULL */
void recording_free(struct recording *r);

/** recording_add_period() - append an interval; @s: not needed afterwards. Return: 0 or -ENOMEM */
int recording_add_period(struct recording *r, const struct snapshot *s);

/** recording_free_periods() - remove all intervals */
void recording_free_periods(struct recording *r);

/** recording_drop_unused() - remove distributions of keys that have no samples */
void recording_drop_unused(struct recording *r);

/**
 * recording_period() - one interval as a snapshot; @i: below @r->n_periods
 *
 * Return: a snapshot, freed by snapshot_free(), or NULL: out of memory, or @r->spool has an error.
 */
struct snapshot *recording_period(const struct recording *r, size_t i);

/** recording_bare_period() - the same without texts */
struct snapshot *recording_bare_period(const struct recording *r, size_t i);

/**
 * recording_period_counts() - the slots of one node in an interval
 * @to: receives the counts, freed by counts_drop(); NULL for none
 *
 * Return: 0 or -ENOMEM.
 */
int recording_period_counts(const struct recording *r, size_t i, uint32_t node, struct counts **to);

/**
 * recording_merge() - add another recording of the same things
 * @from: its distributions may be in another order
 * @e: filled in, with both names, if bits, pairing, filters, clock, a distribution or its method
 *	differ, or if a counter would overflow
 *
 * Counts and times are added. If only one has intervals, all of the other is one interval.
 * Descriptions that differ are joined as "a; b"; costs that differ are dropped. Single calls are
 * dropped too: each measurement has a threshold and a clock of its own.
 *
 * Return: 0, or -errno with the counts of @into unchanged.
 */
int recording_merge(struct recording *into, const struct recording *from, struct error *e);

/** recording_save() - write one JSON document, see kstats-bpf-formats(5); @out is not closed */
int recording_save(const struct recording *r, FILE *out, struct error *e);

/**
 * recording_load() - read what recording_save() wrote; it is not trusted; @in is not closed
 *
 * Return: a recording, freed by recording_free(), or NULL.
 */
struct recording *recording_load(FILE *in, struct error *e);

#endif /* KSTATS_RESULT_RECORDING_H */
