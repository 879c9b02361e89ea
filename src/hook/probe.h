/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * probe.h - what the kernel really lets this user load. In: nothing. Out: yes,
 * or who refused. Each probe loads a program of two instructions, attaches it
 * where that is harmless, and takes it away again. Called by doctor and
 * session.
 */
#ifndef KSTATS_HOOK_PROBE_H
#define KSTATS_HOOK_PROBE_H

#include <stddef.h>

#include "plan/plan.h"

/**
 * probe_fentry() - a program on the entry of a function, by its BTF
 * @why: receives half a sentence on a refusal
 * @size: size of @why
 *
 * Return: 0 or -errno.
 */
int probe_fentry(char *why, size_t size);

/**
 * probe_fsession() - one program on entry and return of a function
 * @why: receives half a sentence on a refusal
 * @size: size of @why
 *
 * Return: 0 or -errno.
 */
int probe_fsession(char *why, size_t size);

/**
 * probe_kprobe_session() - one program on entry and return of functions, by one link
 * @why: receives half a sentence on a refusal
 * @size: size of @why
 *
 * Return: 0 or -errno.
 */
int probe_kprobe_session(char *why, size_t size);

/**
 * probe_kprobe() - a program on a kprobe
 * @why: receives half a sentence on a refusal
 * @size: size of @why
 *
 * Return: 0 or -errno.
 */
int probe_kprobe(char *why, size_t size);

/**
 * probe_trace_event() - a program on a trace event
 * @why: receives half a sentence after an error
 * @size: size of @why
 *
 * Return: 0, or -errno.
 */
int probe_trace_event(char *why, size_t size);

/**
 * probe_tp_btf() - a program on a tracepoint, by its BTF
 * @why: receives half a sentence on a refusal
 * @size: size of @why
 *
 * Return: 0 or -errno.
 */
int probe_tp_btf(char *why, size_t size);

/**
 * probe_task_iter() - a program that walks all tasks
 * @why: receives half a sentence on a refusal
 * @size: size of @why
 *
 * Return: 0 or -errno.
 */
int probe_task_iter(char *why, size_t size);

/**
 * probe_kmod() - programs that talk to the kernel module kstats
 * @why: receives half a sentence on a refusal
 * @size: size of @why
 *
 * Return: 0 or -errno; -ENOENT when the module is not loaded.
 */
int probe_kmod(char *why, size_t size);

/**
 * probe_type() - a program on one kind of hook
 * @type: kind
 * @why: receives half a sentence on a refusal
 * @size: size of @why
 *
 * Return: 0 or -errno.
 */
int probe_type(enum plan_hook_type type, char *why, size_t size);

#endif /* KSTATS_HOOK_PROBE_H */
