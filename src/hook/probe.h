/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * probe.h - what the kernel really lets this user load. Out: yes, or who refused. Each probe
 * loads a program of two instructions, attaches it where that is harmless, and removes it.
 * Called by session and the verbs doctor and list.
 */
#ifndef KSTATS_HOOK_PROBE_H
#define KSTATS_HOOK_PROBE_H

#include <stddef.h>

#include "plan/plan.h"

/** probe_task_iter() - a program that walks all tasks; @why: receives half a sentence on refusal */
int probe_task_iter(char *why, size_t size);

/** probe_kmod() - programs that call the module kstats; -ENOENT if it is not loaded */
int probe_kmod(char *why, size_t size);

/** probe_type() - a program on one kind of hook; @why: receives half a sentence on a refusal */
int probe_type(enum plan_hook_type type, char *why, size_t size);

#endif /* KSTATS_HOOK_PROBE_H */
