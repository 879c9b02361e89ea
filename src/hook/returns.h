/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * returns.h - kretprobes with room for many calls at once. In: a function. Out: a perf event of
 * an event in tracefs. Called by hook.c and node.
 *
 * The kernel must remember each open call of a kretprobe. For one that is made by perf alone it
 * has room for about ten; the return of every other call is not seen. An event in tracefs has as
 * much room as it asks for.
 *
 * Such an event does not end with the process that made it. But the kernel lets nobody remove one
 * that is attached, so whatever it lets us remove was left behind by a process that was killed,
 * or is about to be attached by one that then makes another. So no process waits for another.
 */
#ifndef KSTATS_HOOK_RETURNS_H
#define KSTATS_HOOK_RETURNS_H

#include "plan/plan.h"

/**
 * returns_open() - make an event for the returns of a function, and open it
 * @plan: has the number of its calls
 * @name: receives its name in tracefs, for returns_drop(); "" if there is none
 *
 * Return: file descriptor of a perf event, or -errno if tracefs cannot be used.
 */
int returns_open(const struct plan_hook *plan, char *name, size_t size);

/** returns_drop() - remove an event; if it is still attached somewhere, it stays */
void returns_drop(const char *name);

/**
 * returns_clean() - remove all events of this program that nothing is attached to
 *
 * Done once before a plan is hooked, since it tries each event.
 *
 * Return: number of those that are attached; 0 if tracefs cannot be used.
 */
unsigned int returns_clean(void);

/**
 * returns_wait() - the same after links have gone, until at most @most are attached
 *
 * An event is free some moments after its link. What is still there after half a second stays
 * until the next time.
 */
void returns_wait(unsigned int most);

#endif /* KSTATS_HOOK_RETURNS_H */
