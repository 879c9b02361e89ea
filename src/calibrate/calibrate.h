/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calibrate.h - what measuring takes on this machine, measured; and how that is
 * kept until the next boot. In: what is wanted. Out: costs. Prints nothing.
 * Called by cmd/.
 *
 * The target is lseek() on an eventfd of this process, which calls
 * noop_llseek(): it reads one word and returns. For tracepoints it is lseek() on
 * no file at all, between the two events of system calls. Nobody else is
 * measured; the process stays on one CPU meanwhile.
 */
#ifndef KSTATS_CALIBRATE_H
#define KSTATS_CALIBRATE_H

#include "cost/cost.h"
#include "facts/facts.h"
#include "plan/plan.h"

#define CALIBRATE_FOLDER "/run/kstats-bpf"
#define CALIBRATE_FILE "calibration.json"
#define CALIBRATE_LOCK "lock" /* beside it */

/**
 * struct calibrate_want - which ways of measuring
 * @plan: those that this plan will use, or NULL
 * @label: with a plan: only this of the methods it names, or NULL
 * @method: without a plan: word of --method, or NULL for all methods
 * @backend: without a plan: this one, or both where they are there
 */
struct calibrate_want {
	const struct plan *plan;
	const char *label;
	const char *method;
	enum spec_backend backend;
};

/**
 * struct calibrate_watch - who wants to know what
 * @ctx: handed to the functions
 * @begin: the next way is being measured; may be NULL
 * @refused: one cannot be measured, and why; may be NULL
 */
struct calibrate_watch {
	void *ctx;
	void (*begin)(void *ctx, const char *way);
	void (*refused)(void *ctx, const char *way, const char *why);
};

/**
 * calibrate_run() - measure
 * @facts: what the kernel offers
 * @want: what
 * @watch: who wants to know
 * @c: receives the rows, in place of earlier ones of the same way
 * @e: why nothing at all could be measured
 *
 * Return: 0 where at least one way was measured, or -errno.
 */
int calibrate_run(struct facts *facts, const struct calibrate_want *want,
		  const struct calibrate_watch *watch, struct costs *c, struct error *e);

/**
 * calibrate_can() - whether there is a calibration for what a plan measures
 * @plan: plan
 *
 * Return: false for pairs that are not of two tracepoints.
 */
bool calibrate_can(const struct plan *plan);

/**
 * struct calibrate_place - where costs are kept, and what they are true for
 * @folder: normally CALIBRATE_FOLDER
 * @proc: normally "/proc": the boot and the kernel
 */
struct calibrate_place {
	const char *folder;
	const char *proc;
};

/** calibrate_here - where they are kept on this machine */
extern const struct calibrate_place calibrate_here;

/**
 * calibrate_load() - what was measured since the boot
 * @p: place
 * @c: empty; receives the rows, freed by the caller
 * @e: why it is not used: of an earlier boot, another kernel or version, not a
 *	file that only its owner and root may write, or not what was saved
 *
 * Return: 0, -ENOENT where nothing is kept, -ESTALE where it is true no more, or
 * -errno.
 */
int calibrate_load(const struct calibrate_place *p, struct costs *c, struct error *e);

/**
 * calibrate_lock() - alone from here on: two that measure at once measure each other
 * @p: place
 * @wait: called where somebody else measures, before his end is waited for
 * @ctx: handed to @wait
 *
 * Return: a descriptor that is closed to let the next one in; -1 where nothing can be
 * kept, and so nobody is kept from anything.
 */
int calibrate_lock(const struct calibrate_place *p, void (*wait)(void *ctx), void *ctx);

/**
 * calibrate_save() - keep it
 * @p: place, locked by calibrate_lock()
 * @c: rows
 * @e: why not
 *
 * Return: 0 or -errno.
 */
int calibrate_save(const struct calibrate_place *p, const struct costs *c, struct error *e);

/**
 * calibrate_write() - write what calibrate_save() keeps
 * @p: place, for what it is true for
 * @c: rows
 * @out: stream; not closed
 *
 * Return: 0 or -errno.
 */
int calibrate_write(const struct calibrate_place *p, const struct costs *c, FILE *out);

#endif /* KSTATS_CALIBRATE_H */
