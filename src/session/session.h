/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - a plan made real: loaded and attached BPF programs, their maps,
 * and what they counted. In: a plan. Out: snapshots. Prints nothing. Everything
 * it makes lives in file descriptors, so that nothing outlives the process.
 * Called by cmd/.
 */
#ifndef KSTATS_SESSION_H
#define KSTATS_SESSION_H

#include <sys/types.h>

#include "hook/rows.h"
#include "pin/pin.h"
#include "plan/plan.h"
#include "snapshot/snapshot.h"
#include "store/store.h"

#define SESSION_PIN_CELLS "cells"
#define SESSION_PIN_VARIABLES "variables"
#define SESSION_PIN_IDLE "idle" /* stacks of the idle tasks */
#define SESSION_PIN_TASK_SLOTS "task_slots" /* stacks of tasks */
#define SESSION_PIN_STACKS "stacks" /* of tasks that have no task slot */
#define SESSION_PIN_KEYS "keys" /* open starts, by key */
#define SESSION_PIN_HITS "hits" /* the iterator over links, see struct kstats_hits */
#define SESSION_PIN_OWNERS "owners" /* holds the nodes in the module */
#define SESSION_PIN_PROG "prog-%s" /* helpers, see session_helpers */
#define SESSION_PIN_LINK "link-%s"
#define SESSION_PIN_HOOK_PROG "prog-%u-%s" /* probe; start or end */
#define SESSION_PIN_HOOK_LINK "link-%u-%s"
#define SESSION_PIN_NAME 32 /* bytes of such a name */

struct session;

/** enum session_need - what a helper is loaded for; several are possible */
enum session_need {
	SESSION_STAMPS = 1 << 0, /* stamps in tasks */
	SESSION_COMMAND = 1 << 1, /* only a command and its children are measured */
	SESSION_BPF_CALLS = 1 << 2, /* the kernel skips programs of kprobes uncounted */
};

/** struct session_helper - a program that keeps the account of tasks */
struct session_helper {
	const char *name; /* of the program */
	unsigned int needs; /* enum session_need; one of them is enough */
};

/** session_helpers - all of them in the order of attaching, ended by a NULL name */
extern const struct session_helper session_helpers[];

/**
 * session_open() - load and attach; nothing is recorded yet
 * @plan: what to do; must outlive the session
 * @e: why it cannot be done, naming who refused
 *
 * Each probe gets the first of its ways that really loads and attaches. Where
 * there are several, one that gets none is left out, see session_left_out().
 *
 * Return: a session, freed by session_close(), or NULL.
 */
struct session *session_open(const struct plan *plan, struct error *e);

/**
 * session_left_out() - a probe that no way worked for
 * @i: 0, 1, 2, ... until NULL is returned
 * @why: receives the reason; owned by the session
 *
 * Return: its name, or NULL when there are no more.
 */
const char *session_left_out(const struct session *s, unsigned int i, const char **why);

/**
 * session_follow() - make a process and all its children the measured ones
 * @s: session whose plan has a command
 * @pid: the process, before it runs the command
 */
int session_follow(struct session *s, pid_t pid, struct error *e);

/** session_start() - record from now on */
void session_start(struct session *s);

/**
 * session_switch() - record for some moments only, once it has started
 * @s: session, not stopped
 * @on: record from now on, or nothing
 *
 * What a program has begun it ends; who measures itself has none in between.
 */
void session_switch(struct session *s, bool on);

/** session_detach() - take the programs off their points, and keep them loaded */
void session_detach(struct session *s);

/**
 * session_attach() - put them back
 * @s: session after session_detach()
 * @e: why not; then some may be attached and others not
 */
int session_attach(struct session *s, struct error *e);

/**
 * session_stop() - record nothing any more, and wait until no program runs
 *
 * Calls that are open now stay open stamps: they are in flight for good.
 */
void session_stop(struct session *s);

/**
 * session_again() - make ready for another run, still attached
 * @s: session after session_stop()
 * @plan: the plan of the next run, which differs in its command only
 *
 * Needs no privileges. session_follow() and session_start() come next.
 */
int session_again(struct session *s, const struct plan *plan, struct error *e);

/**
 * session_about() - what a session measures, and how
 *
 * Reads no slot and walks no task.
 *
 * Return: a snapshot with no counts, freed by snapshot_free(), or NULL.
 */
struct snapshot *session_about(const struct session *s, struct error *e);

/**
 * session_snapshot() - copy what was counted so far
 *
 * After session_stop() the snapshot is final: what is in flight is counted by
 * walking the stamps of all tasks, and the ledger must balance. Before it, in
 * flight is the difference.
 *
 * Return: a snapshot, freed by snapshot_free(), or NULL.
 */
struct snapshot *session_snapshot(struct session *s, struct error *e);

/**
 * session_others() - calls that the filters left out so far
 * @s: session whose spec has a limit of what measuring may take
 *
 * Return: their number, about; 0 without filters. A point of a pair is half of one.
 */
uint64_t session_others(const struct session *s);

/**
 * session_way() - how a probe was attached
 * @i: index of the probe
 *
 * Return: the way, or NULL where it is left out.
 */
const struct plan_way *session_way(const struct session *s, uint32_t i);

/**
 * session_variables() - what is shared with the programs
 * @size: receives the bytes of the variables
 * @on_at: where the word is that lets them record
 * @epoch_at: where the time is before which no call began that counts
 */
void session_variables(const struct session *s, size_t *size, size_t *on_at, size_t *epoch_at);

/**
 * session_calls() - what others need to talk to its nodes in the module
 *
 * Return: see store_calls_of().
 */
struct store_call_ids session_calls(const struct session *s);

/** session_wait_programs() - no program runs any more that ran before */
void session_wait_programs(void);

/**
 * session_hits_read() - read what the kernel left out of kprobes, where it does not count it
 * @hits: replaced; freed with rows_free()
 * @link_fd: what is pinned as SESSION_PIN_HITS; negative: nothing, and no row is read
 * @settle: at an end: a program that is just about to run is not taken for a skipped one
 *
 * Return: 0 or -errno.
 */
int session_hits_read(struct rows *hits, int link_fd, bool settle);

/**
 * session_pin() - let everything outlive the process
 * @f: folder that receives the names, by the words above
 *
 * Return: 0 or -errno; the folder's owner clears up.
 */
int session_pin(const struct session *s, const struct pin_folder *f, struct error *e);

/**
 * session_untracked() - tasks of the command that could not be followed
 *
 * Return: their number; 0 unless the table of processes was full.
 */
uint64_t session_untracked(const struct session *s);

/** session_close() - detach and unload everything; @s may be NULL */
void session_close(struct session *s);

#endif /* KSTATS_SESSION_H */
