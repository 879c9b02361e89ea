/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * refusal.h - who refused, when the kernel says no. In: an errno. Out: half a
 * sentence. Called by session's files and probe.
 */
#ifndef KSTATS_REFUSAL_H
#define KSTATS_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>

/**
 * refusal_blame() - who it was, as far as that can be told from outside
 * @err: negative errno of the refusal
 * @why: receives half a sentence
 * @size: size of @why
 */
void refusal_blame(int err, char *why, size_t size);

/**
 * refusal_blame_module() - the same, for programs that call a module's kfuncs
 * @err: negative errno of the refusal
 * @why: receives the text; left alone when it holds one and nothing better is known
 * @size: size of @why
 *
 * The kernel lets only CAP_SYS_ADMIN have the BTF of a module, and the loader's
 * error does not say so.
 */
void refusal_blame_module(int err, char *why, size_t size);

/**
 * refusal_has_cap() - does this process hold a capability
 * @cap: its number
 *
 * Return: 1 or 0.
 */
int refusal_has_cap(int cap);

/**
 * refusal_in_user_namespace() - are this process's privileges of a user namespace
 *
 * BPF takes those of the first one, whatever root may do in another.
 *
 * Return: true when they are.
 */
bool refusal_in_user_namespace(void);

#endif /* KSTATS_REFUSAL_H */
