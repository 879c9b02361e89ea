/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * refusal.h - find out why the kernel refused something. In: an errno. Out: half a sentence.
 * Called by session's files and probe.
 */
#ifndef KSTATS_REFUSAL_H
#define KSTATS_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

#define ENOTSUPP 524 /* of the kernel alone */

/** refusal_is_by_limit() - whether an error says nothing about the program: too many files */
bool refusal_is_by_limit(int err);

/**
 * refusal_blame() - say what refused, as far as it can be found out
 * @err: negative errno of the refusal
 * @why: receives half a sentence
 */
void refusal_blame(int err, char *why, size_t size);

/**
 * refusal_few_files() - blame a low limit of open files
 * @err: negative errno of the refusal
 * @why: receives half a sentence
 *
 * What libbpf tries first and cannot open comes back as an invalid argument of something else.
 *
 * Return: true if the limit is lower than a session may need; else @why is left alone.
 */
bool refusal_few_files(int err, char *why, size_t size);

/**
 * refusal_blame_module() - the same for programs that call a module's kfuncs
 * @err: negative errno of the refusal
 * @why: receives the text; a text that is there already is replaced only by a better one
 *
 * The kernel requires CAP_SYS_ADMIN to read a module's BTF, which the loader's error does not
 * say.
 */
void refusal_blame_module(int err, char *why, size_t size);

/**
 * refusal_may_load() - whether this process holds what loading tracing programs takes
 *
 * Return: true with CAP_SYS_ADMIN, or CAP_BPF and CAP_PERFMON. The kernel may still refuse it.
 */
bool refusal_may_load(void);

/**
 * refusal_check_user() - refuse what the kernel would refuse this user anyway
 * @needs_bpf: it loads tracing programs; if false, everybody may do it
 * @what: "trace", "add a node"
 *
 * Return: 0 or -EPERM.
 */
int refusal_check_user(bool needs_bpf, const char *what, struct error *e);

/**
 * refusal_check_pages() - fail where pages of memory are larger than the BPF programs know
 * @most: bytes
 * @what: "trace"
 */
int refusal_check_pages(long most, const char *what, struct error *e);

/** refusal_has_cap() - whether this process holds a capability; @cap: its number. Return: 1 or 0 */
int refusal_has_cap(int cap);

/**
 * refusal_in_user_namespace() - whether this process is in a user namespace of its own
 *
 * BPF checks the capabilities in the initial user namespace only.
 */
bool refusal_in_user_namespace(void);

#endif /* KSTATS_REFUSAL_H */
