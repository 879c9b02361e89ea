/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording.h - everything that a later question about one measurement needs:
 * the snapshot, its intervals, the machine, the tags, how the command ended. In:
 * a measurement, or a file. Out: to render and compare. Pure: no kernel, no root.
 * Called by measure, render, compare and cmd/.
 */
#ifndef KSTATS_RECORDING_H
#define KSTATS_RECORDING_H

#include <stdio.h>

#include "cost/cost.h"
#include "snapshot/snapshot.h"
#include "util/tags.h"

/** struct recording_machine - where it was measured */
struct recording_machine {
	char *cpu; /* owned; model name of the processor, or "" */
	uint32_t cpus_online; /* number of CPUs online */
	char *clock; /* owned; the kernel's clock source, or "" */
	char *build_id; /* owned; of the kernel, in hexadecimal, or "" */
};

/** struct recording - one measurement, or several merged */
struct recording {
	char *source; /* owned; the file it was read from, or NULL; not part of the file */
	uint32_t runs; /* how many measurements are in it */
	struct recording_machine machine; /* where */
	struct tags tags; /* owned; what the user says about it */
	/*
	 * exit status of the command, 128 + signal when it was killed; 0 where there was none, see
	 * the snapshot's command; of several the first that is not 0
	 */
	uint32_t status;
	/* owned; floor and overhead of those of its methods that were calibrated */
	struct costs costs;
	struct snapshot *whole; /* owned; what was measured */
	size_t n_periods; /* number of @periods, 0 where no interval was asked for */
	/* owned; the intervals in the order of time, which add up to @whole; without texts */
	struct snapshot **periods;
};

/**
 * recording_new() - a recording of one run
 * @whole: handed over, also when it fails; NULL where it will be set later
 *
 * Return: a recording, freed by recording_free(), or NULL when out
 * of memory.
 */
struct recording *recording_new(struct snapshot *whole);

/** recording_set_machine() - where it was measured; @m: copied. Return: 0 or -ENOMEM */
int recording_set_machine(struct recording *r, const struct recording_machine *m);

/**
 * recording_set_costs() - keep floor and overhead of the methods that were used
 * @s: what was measured, or a part of it: its nodes say the methods
 * @all: costs; copied
 *
 * Return: 0 or -ENOMEM.
 */
int recording_set_costs(struct recording *r, const struct snapshot *s, const struct costs *all);

/**
 * recording_cost() - floor and overhead of a distribution's method
 * @node: index of its node
 *
 * Return: a row of its costs; NULL where it is not known, and for gaps, which are
 * not of one call.
 */
const struct cost *recording_cost(const struct recording *r, uint32_t node);

/** recording_free() - release; @r may be NULL */
void recording_free(struct recording *r);

/**
 * recording_add_period() - append an interval
 * @period: what happened in it, not kept
 *
 * Return: 0 or -ENOMEM.
 */
int recording_add_period(struct recording *r, const struct snapshot *period);

/**
 * recording_period() - one interval as a snapshot
 * @i: below @r->n_periods
 *
 * Return: a snapshot, freed by snapshot_free(), or NULL when out of memory.
 */
struct snapshot *recording_period(const struct recording *r, size_t i);

/**
 * recording_merge() - add another recording of the same things
 * @into: added to
 * @from: what is added; its distributions may be in another order
 * @e: why not, naming both: bits, pairing, filters, clock, or a distribution or
 *	its method differ; a counter would overflow
 *
 * Counts and times add up exactly. Where only one has intervals, all of the
 * other is one. Of what else differs both are told, as "a; b";
 * costs that differ are told no more.
 *
 * Return: 0, or -errno with the counts of @into unchanged.
 */
int recording_merge(struct recording *into, const struct recording *from, struct error *e);

/**
 * recording_save() - write as one JSON document, see kstats-bpf-formats(5)
 * @out: stream; not closed
 */
int recording_save(const struct recording *r, FILE *out, struct error *e);

/**
 * recording_load() - read what recording_save() wrote; the input is not trusted
 * @in: stream; not closed
 *
 * Return: a recording, freed by recording_free(), or NULL.
 */
struct recording *recording_load(FILE *in, struct error *e);

#endif /* KSTATS_RECORDING_H */
