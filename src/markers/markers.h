/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * markers.h - distributions in which programs with markers count. In: the names of markers, and who
 * may count. Out: what programs find at their next marker, and what they have counted. Called by
 * node, whose distributions stay, and by measure, whose distributions go when it ends.
 */
#ifndef KSTATS_MARKERS_H
#define KSTATS_MARKERS_H

#include "pin/user.h"
#include "plan/plan.h"
#include "result/snapshot.h"
#include "store/user.h"

#define MARKERS_METHOD "markers"
#define MARKERS_BACKEND "user"
#define MARKERS_PAIRING "by thread"

/* ---- one of them ---- */

/** struct marker - a name, and where programs with markers of that name count; nothing is owned */
struct marker {
	const char *name;
	const char *folder; /* in which programs look */
	struct pin_access access; /* who may count */
	const struct user_maps *maps;
};

/**
 * marker_publish() - let programs find it; they count nothing yet
 * @folder: by pin_user_open()
 *
 * Return: 0; -EEXIST if programs find another one of that name; or -errno.
 */
int marker_publish(const struct marker *m, int folder);

/** marker_sweep() - end and remove what killed measurements left; @folder: by pin_user_open() */
void marker_sweep(int folder);

/** marker_is_published() - whether programs find this one; @folder: by pin_user_open() */
bool marker_is_published(const struct marker *m, int folder);

/** marker_end() - let programs that have found it leave it, for good. Return: 0 or -errno */
int marker_end(const struct marker *m);

/** marker_withdraw() - the same, and nobody finds it any more. Return: 0 or -errno */
int marker_withdraw(const struct marker *m);

/**
 * marker_record() - let programs count from now on
 * @folder: by pin_user_open(), or a negative errno: those that have found it still see it
 */
int marker_record(const struct marker *m, int folder, uint64_t now_ns);

/** marker_announce() - let programs look at their markers again; @folder: by pin_user_open() */
int marker_announce(int folder);

/** marker_halt() - end that. Only a thread without restartable sequences may still add a sample */
int marker_halt(const struct marker *m);

/** MARKER_FROZEN - what is wrong if user_is_frozen(): whoever may write may also freeze */
#define MARKER_FROZEN "a program froze its counts, so that nobody can change them"

/**
 * marker_read() - what programs have counted
 * @node: of @s; its counts and its ledger are replaced
 *
 * What programs wrote and cannot be is left out, and told in what @s says is unseen. Return: 0 or
 * -errno.
 */
int marker_read(const struct marker *m, struct snapshot *s, struct snapshot_node *node);

/* ---- those of a measurement ---- */

struct markers;

/**
 * markers_open() - make the markers of a plan, whose targets are markers, and publish them
 * @owner: the user whose programs may count; everybody may if the plan says so
 *
 * Those that a killed process left behind are replaced. Return: freed by markers_close(), or NULL.
 */
struct markers *markers_open(const struct plan *plan, uid_t owner, struct error *e);

/** markers_again() - forget what was counted; @m: stopped; @plan: of the next run, the same else */
int markers_again(struct markers *m, const struct plan *plan, struct error *e);

/** markers_start() - let programs count */
int markers_start(struct markers *m, struct error *e);

/** markers_stop() - end that */
void markers_stop(struct markers *m);

/** markers_about() - a snapshot without counts. Return: freed by the caller, or NULL */
struct snapshot *markers_about(const struct markers *m, struct error *e);

/** markers_snapshot() - what was counted until now. Return: freed by the caller, or NULL */
struct snapshot *markers_snapshot(struct markers *m, struct error *e);

/** markers_close() - stop, withdraw and free; @m: may be NULL */
void markers_close(struct markers *m);

#endif /* KSTATS_MARKERS_H */
