/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * switches.h - switches of the kernel that keep programs from running: ftrace and
 * kprobes. The programs do not notice it. In: which switches matter. Out: whether one was off,
 * or was written to, during a measurement. Called by measure and node.
 */
#ifndef KSTATS_HOOK_SWITCHES_H
#define KSTATS_HOOK_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/plan.h"

/** enum switches_which - the switches, as bits */
enum switches_which {
	SWITCHES_FTRACE = 1 << 0, /* kernel.ftrace_enabled: all programs on functions */
	SWITCHES_KPROBES = 1 << 1, /* kprobes/enabled in debugfs: kprobes and kretprobes */
	SWITCHES_N = 2,
};

/** struct switches - a watch over them */
struct switches {
	int notify; /* tells of writes, or -1 */
	int held[SWITCHES_N]; /* the files, so that everybody writes to the same ones; or -1 */
	int watches[SWITCHES_N]; /* their watches, or -1 */
};

/** switches_of() - those that matter to a program, as bits; @hook: where it is attached */
unsigned int switches_of(const struct plan_hook *hook);

/**
 * switches_watch() - watch from now on
 * @s: filled in; ended by switches_close()
 * @root: "" for this machine, or a folder that has proc and sys
 *
 * A switch that cannot be read is not watched: the kernel lacks it, or this user may not see it.
 */
void switches_watch(struct switches *s, const char *root);

/**
 * switches_moved() - whether a switch is off, or was written to since
 * @which: those that matter, bits of enum switches_which
 * @buf: receives half a sentence, "" if nothing happened
 */
bool switches_moved(struct switches *s, unsigned int which, char *buf, size_t size);

/** switches_close() - end the watch; @s: watch, or zeroes */
void switches_close(struct switches *s);

#endif /* KSTATS_HOOK_SWITCHES_H */
