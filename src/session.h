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

#include "plan.h"
#include "snapshot.h"

struct session;

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
 * @s: session
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
 * @e: why not
 *
 * Return: 0 or -errno.
 */
int session_follow(struct session *s, pid_t pid, struct error *e);

/**
 * session_start() - record from now on
 * @s: session
 */
void session_start(struct session *s);

/**
 * session_stop() - record nothing any more, and wait until no program runs
 * @s: session
 *
 * Calls that are open now stay open stamps: they are in flight for good.
 */
void session_stop(struct session *s);

/**
 * session_snapshot() - copy what was counted so far
 * @s: session
 * @e: why not
 *
 * After session_stop() the snapshot is final: what is in flight is counted by
 * walking the stamps of all tasks, and the ledger must balance. Before it, in
 * flight is the difference.
 *
 * Return: a snapshot, freed by snapshot_free(), or NULL.
 */
struct snapshot *session_snapshot(struct session *s, struct error *e);

/**
 * session_untracked() - processes of the command that could not be followed
 * @s: session
 *
 * Return: their number; 0 unless the table of processes was full.
 */
uint64_t session_untracked(const struct session *s);

/**
 * session_close() - detach and unload everything
 * @s: may be NULL
 */
void session_close(struct session *s);

#endif /* KSTATS_SESSION_H */
