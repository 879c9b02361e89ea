/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calibrate.h - measure the overhead on this machine, and keep it until the next boot. In:
 * which methods. Out: costs. Prints nothing. Called by cmd/.
 *
 * The traced call is lseek() on an eventfd of this process, which calls noop_llseek(), a
 * function that reads one word and returns. For tracepoints it is lseek() on an invalid
 * descriptor, between the two events of system calls. A filter leaves all other processes
 * out. For programs it is an empty function of this program, for each kind of first instruction
 * that the kernel treats in its own way. The process stays on one CPU.
 */
#ifndef KSTATS_CALIBRATE_H
#define KSTATS_CALIBRATE_H

#include "result/cost.h"
#include "facts/facts.h"
#include "plan/plan.h"

#define CALIBRATE_FOLDER "/run/kstats-bpf"
#define CALIBRATE_FILE "calibration.json"
#define CALIBRATE_LOCK "lock" /* in the same folder */
#define CALIBRATE_TOLD "told" /* the same: the boot in which calibrate_hint() said yes */

/** struct calibrate_want - which ways of measuring */
struct calibrate_want {
	const struct plan *plan; /* measure the ways that this plan will use; or NULL */
	const char *label; /* with a plan: only this one of its methods; or NULL */
	const char *method; /* without a plan: a word of --method, or NULL for all methods */
	/* without a plan: this backend, or NULL for all that are available */
	enum spec_backend backend;
};

/** struct calibrate_watch - callbacks that report progress */
struct calibrate_watch {
	void *ctx; /* handed to the callbacks */
	void (*begin)(void *ctx, const char *way); /* a way is about to be measured; may be NULL */
	/* a way cannot be measured, and why; may be NULL */
	void (*refused)(void *ctx, const char *way, const char *why);
};

/**
 * calibrate_run() - measure
 * @watch: callbacks
 * @c: receives the rows, in place of earlier ones of the same way
 * @e: filled in if nothing could be measured
 *
 * Return: 0 if at least one way was measured, or -errno.
 */
int calibrate_run(struct facts *facts, const struct calibrate_want *want,
		  const struct calibrate_watch *watch, struct costs *c, struct error *e);

/**
 * calibrate_can() - whether calibrate_run() knows a way of measuring like that of a plan
 *
 * Return: false for values, for several functions of programs merged into one distribution, and
 * for pairs other than of two tracepoints or of two nops in programs.
 */
bool calibrate_can(struct facts *facts, const struct plan *plan);

/** struct calibrate_place - where costs are kept, and where their validity is checked */
struct calibrate_place {
	const char *folder; /* normally CALIBRATE_FOLDER */
	const char *proc; /* normally "/proc": the boot and the kernel */
};

/** calibrate_here - the place on this machine */
extern const struct calibrate_place calibrate_here;

/**
 * calibrate_load() - read what was measured since the boot
 * @c: empty; receives the rows, freed by the caller
 * @e: filled in if it is not used: from an earlier boot, another kernel or version; others
 *	than its owner and root may write the file; or its contents are invalid
 *
 * Return: 0; -ENOENT if nothing is kept; -ESTALE if it is no longer valid; or -errno.
 */
int calibrate_load(const struct calibrate_place *p, struct costs *c, struct error *e);

/**
 * calibrate_lock() - let only one process calibrate, since two would measure each other
 * @wait: called before waiting for another process
 * @ctx: handed to @wait
 *
 * Return: a descriptor; closing it unlocks. -1 if the lock cannot be made because nothing
 * can be kept here; nobody is locked out then.
 */
int calibrate_lock(const struct calibrate_place *p, void (*wait)(void *ctx), void *ctx);

/** calibrate_save() - keep costs; @p: place, locked by calibrate_lock() */
int calibrate_save(const struct calibrate_place *p, const struct costs *c, struct error *e);

/**
 * calibrate_hint() - whether to tell a user of calibrate
 * @p: place, which keeps that it was told
 *
 * Return: true once in a boot, and always where that cannot be kept.
 */
bool calibrate_hint(const struct calibrate_place *p);

/**
 * calibrate_write() - write what calibrate_save() keeps
 * @p: place, which gives the boot and the kernel
 * @out: stream; not closed
 */
int calibrate_write(const struct calibrate_place *p, const struct costs *c, FILE *out);

#endif /* KSTATS_CALIBRATE_H */
