/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dying.h - tasks that end inside functions that stubs measure. In: tasks that exit. Out: calls of
 * direct_died() for each frame that a stub will wait for in vain. Included by dying.c, direct.c
 * and who.c.
 */
#ifndef KSTATS_DYING_H
#define KSTATS_DYING_H

struct tracepoint;

/**
 * dying_init() - look at each task that exits from now on
 *
 * Return: 0 or -errno.
 */
int dying_init(void);

/** dying_exit() - look no more */
void dying_exit(void);

/** tracepoint_named() - find a tracepoint of the kernel, or NULL; @name: the whole one */
struct tracepoint *tracepoint_named(const char *name);

#endif /* KSTATS_DYING_H */
