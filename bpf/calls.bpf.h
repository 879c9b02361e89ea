/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calls.bpf.h - the kfuncs that the programs call, by numbers of kstats_calls.h. In the model they
 * are functions of the machine it runs on.
 */
#ifndef KSTATS_CALLS_BPF_H
#define KSTATS_CALLS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "kstats_calls.h"

#ifdef __bpf__
#define CALL_KFUNC(type, name, call, ...) \
	static type (*const name)(__VA_ARGS__) = (void *)(KSTATS_CALL_MAGIC + (call))
#else
#define CALL_KFUNC(type, name, call, ...) extern type name(__VA_ARGS__) __weak
#endif

/* Before 7.0 those of sessions take no argument, and there is no fsession. */
#if defined(KSTATS_SESSION_VOID)
CALL_KFUNC(bool, bpf_session_is_return, KSTATS_CALL_IS_RETURN, void);
CALL_KFUNC(__u64 *, bpf_session_cookie, KSTATS_CALL_COOKIE, void);
#define session_is_return(ctx) bpf_session_is_return()
#define session_cookie(ctx) bpf_session_cookie()
#elif defined(KSTATS_SESSION)
CALL_KFUNC(bool, bpf_session_is_return, KSTATS_CALL_IS_RETURN, void *ctx);
CALL_KFUNC(__u64 *, bpf_session_cookie, KSTATS_CALL_COOKIE, void *ctx);
#define session_is_return(ctx) bpf_session_is_return(ctx)
#define session_cookie(ctx) bpf_session_cookie(ctx)
#endif

/* What is in it only the kernel knows. */
struct bpf_iter_task {
	__u64 opaque[3];
} __attribute__((aligned(8)));

CALL_KFUNC(int, bpf_iter_task_new, KSTATS_CALL_TASK_NEW, struct bpf_iter_task *it,
	   struct task_struct *task, unsigned int flags);
CALL_KFUNC(struct task_struct *, bpf_iter_task_next, KSTATS_CALL_TASK_NEXT,
	   struct bpf_iter_task *it);
CALL_KFUNC(void, bpf_iter_task_destroy, KSTATS_CALL_TASK_DESTROY, struct bpf_iter_task *it);

/* See kstats_kfunc.h. */
CALL_KFUNC(int, kstats_record, KSTATS_CALL_RECORD, __u32 id, __u64 value);
CALL_KFUNC(int, kstats_array_record, KSTATS_CALL_ARRAY_RECORD, __u32 id, __u32 index, __u64 value);

#endif /* KSTATS_CALLS_BPF_H */
