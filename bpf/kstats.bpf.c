// SPDX-License-Identifier: GPL-2.0-only
/*
 * kstats.bpf.c - thin programs: a start and an end for each method. In: the kernel's
 * events. Out: calls of interval_start() and interval_end().
 *
 * The programs for points are templates: user space loads a copy for each function, with
 * the hook word in place of KSTATS_HOOK_MAGIC.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "args.bpf.h"
#include "calls.bpf.h"
#include "command.bpf.h"
#include "deep.bpf.h"
#include "hits.bpf.h"
#include "interval.bpf.h"
#include "parts_irq.bpf.h"
#include "point.bpf.h"

const volatile __u32 key_start; /* argument that joins start and end */
const volatile __u32 key_end;

/*
 * A program, and its twin for measurements with expressions. They are two, since otherwise each
 * program would have to keep its context in a register.
 */
#define PROGRAM(section, name, context)        \
	SEC(section)                           \
	int name(context *ctx)                 \
	{                                      \
		return name##_run(ctx, false); \
	}                                      \
                                               \
	SEC(section)                           \
	int name##_asking(context *ctx)        \
	{                                      \
		return name##_run(ctx, true);  \
	}

/* ---- entry and return of one function, through a trampoline ---- */

/*
 * Set what distinguishes one call from another: the address of its frame. The points of a
 * pair share no frame; for them it only tells whether they run in an interrupt, and on which
 * processor: the same task may be interrupted on another one later.
 */
static __always_inline void event_identify(struct event *ev, __u32 at)
{
	ev->at = at;
	if (!ev->is_pair)
		ev->ident = at;
	else if (ev->pairing == KSTATS_BY_KEY || on_stack_of(bpf_get_current_task_btf(), at))
		ev->ident = KSTATS_LEVEL_TASK;
	else
		ev->ident = KSTATS_LEVEL_INTERRUPT + bpf_get_smp_processor_id();
}

/* Settings that several steps need are read once, here. */
static __always_inline void trace_start(void *ctx, enum event_place at, bool of_pair, bool asks)
{
	struct event ev = { .place = at, .is_pair = of_pair, .pairing = pairing };

	if (asks && ev.pairing == KSTATS_BY_POINT) {
		point_record(&ev, ctx, false);
		return;
	}
	event_identify(&ev, address_low(ctx));
	if (ev.pairing == KSTATS_BY_KEY)
		ev.key = trace_arg(ctx, key_start);
	interval_start(&ev, ctx, asks);
}

static __always_inline void trace_end(void *ctx, bool asks)
{
	struct event ev = { .is_pair = true, .pairing = pairing };

	event_identify(&ev, address_low(ctx));
	if (ev.pairing == KSTATS_BY_KEY)
		ev.key = trace_arg(ctx, key_end);
	interval_end(&ev, ctx, asks);
}

static __always_inline int fentry_start_run(void *ctx, bool asks)
{
	if ((asks && point_counted(hook_patched())) || start_is_of_others())
		return 0;
	if (is_pair)
		trace_start(ctx, EVENT_TRACED, true, asks);
	else
		trace_start(ctx, EVENT_TRACED, false, asks);
	return 0;
}

PROGRAM("fentry", fentry_start, void)

static __always_inline int fentry_end_run(void *ctx, bool asks)
{
	if (!end_is_of_others())
		trace_end(ctx, asks);
	return 0;
}

PROGRAM("fentry", fentry_end, void)

/* Uses a variable of its own, so that the event can stay in registers. */
static __always_inline __u64 func_ret(void *ctx)
{
	__u64 ret = 0;

	bpf_get_func_ret(ctx, &ret);
	return ret;
}

static __always_inline int fexit_end_run(void *ctx, bool asks)
{
	struct event ev = {
		.place = EVENT_TRACED,
		.pairing = pairing,
		.is_trampoline = true,
	};

	if ((asks && point_counted(hook_patched())) || end_is_of_others())
		return 0;
	if (asks && ev.pairing == KSTATS_BY_POINT) {
		point_record(&ev, ctx, true);
		return 0;
	}
	event_identify(&ev, address_low(ctx));
	/* Written twice: without by_ret the kernel removes the first branch. */
	if (by_ret) {
		ev.has_ret = true;
		ev.ret = func_ret(ctx);
		interval_end(&ev, ctx, asks);
	} else {
		interval_end(&ev, ctx, asks);
	}
	return 0;
}

PROGRAM("fexit", fexit_end, void)

/* ---- entry and return of one function, in one program, with a cookie for each call ---- */

#if defined(KSTATS_SESSION) && !defined(KSTATS_SESSION_VOID)
/* User space loads it as an fsession program; the libbpf in use may not know that type. */
static __always_inline int fsession_both_run(void *ctx, bool asks)
{
	struct event ev = { .place = EVENT_TRACED, .is_asked = true, .is_trampoline = true };

	if (asks && pairing == KSTATS_BY_POINT) {
		if (session_is_return(ctx) == point_at_return)
			point_record(&ev, ctx, point_at_return);
		return 0;
	}
	if (!session_is_return(ctx)) {
		if (call_is_of_others())
			return 0;
		ev.at = address_low(ctx);
		ev.cookie = session_cookie(ctx);
		interval_start(&ev, ctx, asks);
		return 0;
	}
	ev.cookie = session_cookie(ctx);
	if (by_ret) {
		ev.has_ret = true;
		ev.ret = func_ret(ctx);
	}
	interval_end(&ev, ctx, asks);
	return 0;
}

PROGRAM("fentry", fsession_both, void)
#endif

/* Where one program serves many functions, the attach cookie tells which one was called. */
static __always_inline __u64 hook_of(void *ctx)
{
	__u64 word = hook_patched();

	return word == KSTATS_HOOK_OF_LINK ? bpf_get_attach_cookie(ctx) : word;
}

#ifdef KSTATS_SESSION

/* User space loads it as a session program. Returning 1 at the entry skips the return. */
static __always_inline int kprobe_session_both_run(struct pt_regs *ctx, bool asks)
{
	struct event ev = { .place = EVENT_PROBED, .has_hook = true, .is_asked = true };

	if (asks && pairing == KSTATS_BY_POINT) {
		ev.hook = hook_of(ctx);
		if (session_is_return(ctx) == point_at_return)
			point_record(&ev, ctx, point_at_return);
		return !point_at_return;
	}
	if (!session_is_return(ctx)) {
		if (call_is_of_others())
			return 1;
		ev.at = ctx->sp;
		ev.hook = hook_of(ctx);
		ev.cookie = session_cookie(ctx);
		return !interval_start(&ev, ctx, asks);
	}
	ev.hook = hook_of(ctx);
	ev.cookie = session_cookie(ctx);
	ev.has_ret = by_ret;
	ev.ret = arch_returned(ctx);
	interval_end(&ev, ctx, asks);
	/*
	 * Before 6.14 the cookie comes from a pool and is not zeroed, and the program may
	 * run at the return even if it was skipped at the entry.
	 */
	*ev.cookie = 0;
	return 0;
}

PROGRAM("kprobe", kprobe_session_both, struct pt_regs)
#endif

/* ---- tracepoints ---- */

static __always_inline int tp_start_run(void *ctx, bool asks)
{
	if (!start_is_of_others())
		trace_start(ctx, EVENT_ELSEWHERE, true, asks);
	return 0;
}

PROGRAM("tp_btf", tp_start, void)

static __always_inline int tp_end_run(void *ctx, bool asks)
{
	if (!end_is_of_others())
		trace_end(ctx, asks);
	return 0;
}

PROGRAM("tp_btf", tp_end, void)

/*
 * An address on the stack that the trace event was made on. @ctx points into a per-CPU
 * buffer, which begins with a pointer to the registers.
 */
static __always_inline __u32 trace_event_at(void *ctx)
{
	struct pt_regs *regs = NULL;
	__u64 sp = 0;

	bpf_probe_read_kernel(&regs, sizeof(regs), ctx);
	bpf_probe_read_kernel(&sp, sizeof(sp), &regs->sp);
	return sp;
}

/* Preemption is off here. The tracepoint's arguments cannot be read. */
SEC("tracepoint")
int trace_event_start(void *ctx)
{
	struct event ev = { .is_pair = true, .pairing = pairing };

	if (start_is_of_others())
		return 0;
	event_identify(&ev, trace_event_at(ctx));
	interval_start(&ev, ctx, false);
	return 0;
}

SEC("tracepoint")
int trace_event_end(void *ctx)
{
	struct event ev = { .is_pair = true, .pairing = pairing };

	if (end_is_of_others())
		return 0;
	event_identify(&ev, trace_event_at(ctx));
	interval_end(&ev, ctx, false);
	return 0;
}

/* ---- kprobes ---- */

static __always_inline int kprobe_start_run(struct pt_regs *ctx, bool asks)
{
	struct event ev = { .place = EVENT_PROBED, .is_pair = is_pair, .pairing = pairing };

	run_count(false);
	if (start_is_of_others())
		return 0;
	if (asks && ev.pairing == KSTATS_BY_POINT) {
		point_record(&ev, ctx, false);
		return 0;
	}
	event_identify(&ev, ctx->sp);
	if (ev.pairing == KSTATS_BY_KEY)
		ev.key = regs_arg(ctx, key_start);
	interval_start(&ev, ctx, asks);
	return 0;
}

PROGRAM("kprobe", kprobe_start, struct pt_regs)

static __always_inline int kprobe_end_run(struct pt_regs *ctx, bool asks)
{
	struct event ev = { .is_pair = true, .pairing = pairing };

	run_count(true);
	if (end_is_of_others())
		return 0;
	event_identify(&ev, ctx->sp);
	if (ev.pairing == KSTATS_BY_KEY)
		ev.key = regs_arg(ctx, key_end);
	interval_end(&ev, ctx, asks);
	return 0;
}

PROGRAM("kprobe", kprobe_end, struct pt_regs)

static __always_inline int kretprobe_end_run(struct pt_regs *ctx, bool asks)
{
	struct event ev = {
		.place = EVENT_PROBED,
		.pairing = pairing,
		.has_ret = by_ret,
		.ret = arch_returned(ctx),
		.is_symmetric = true,
	};

	run_count(true);
	if (end_is_of_others())
		return 0;
	if (asks && ev.pairing == KSTATS_BY_POINT) {
		point_record(&ev, ctx, true);
		return 0;
	}
	event_identify(&ev, arch_sp_of_entry(ctx));
	interval_end(&ev, ctx, asks);
	return 0;
}

PROGRAM("kretprobe", kretprobe_end, struct pt_regs)

/* ---- functions and static probes of programs ---- */

/*
 * They run in the task itself, and no call is skipped. What distinguishes a call is its frame
 * on the user's stack, which is compared like a frame of the kernel's.
 */
static __always_inline void user_identify(struct event *ev, __u64 at)
{
	ev->at = at;
	ev->ident = ev->is_pair ? KSTATS_LEVEL_TASK : (__u32)at;
	ev->is_symmetric = true;
}

/*
 * Keep the variables of this BPF program on the kernel's stack. From 6.13 on, the kernel may give
 * BPF programs of this type a private stack per CPU, and assumes that they are not entered again
 * there. But a task can be preempted inside a uprobe, and the next task would overwrite the
 * variables. A BPF program with a tail call gets no private stack. This one is dead code, which
 * the verifier removes.
 */
static __always_inline void avoid_private_stack(void)
{
	INSN_TAIL_CALL();
}

/* Points are joined by a key only in programs that ask, since the key is an expression. */
static __always_inline __u32 user_pairing(bool asks)
{
	return asks && is_pair ? pairing : KSTATS_BY_TASK;
}

static __always_inline int uprobe_start_run(struct pt_regs *ctx, bool asks)
{
	struct event ev = { .place = EVENT_USER,
			    .is_pair = is_pair,
			    .pairing = user_pairing(asks),
			    .has_hook = true,
			    .hook = hook_of(ctx) };

	avoid_private_stack();
	if (start_is_of_others())
		return 0;
	if (asks && pairing == KSTATS_BY_POINT) {
		point_record(&ev, ctx, false);
		return 0;
	}
	user_identify(&ev, ctx->sp);
	interval_start(&ev, ctx, asks);
	return 0;
}

PROGRAM("kprobe", uprobe_start, struct pt_regs)

static __always_inline int uprobe_end_run(struct pt_regs *ctx, bool asks)
{
	struct event ev = { .place = EVENT_USER, .is_pair = true, .pairing = user_pairing(asks) };

	avoid_private_stack();
	if (end_is_of_others())
		return 0;
	user_identify(&ev, ctx->sp);
	interval_end(&ev, ctx, asks);
	return 0;
}

PROGRAM("kprobe", uprobe_end, struct pt_regs)

static __always_inline int uretprobe_end_run(struct pt_regs *ctx, bool asks)
{
	struct event ev = { .pairing = KSTATS_BY_TASK,
			    .has_hook = true,
			    .hook = hook_of(ctx),
			    .ret = arch_returned(ctx) };

	avoid_private_stack();
	if (end_is_of_others())
		return 0;
	if (asks && pairing == KSTATS_BY_POINT) {
		point_record(&ev, ctx, true);
		return 0;
	}
	user_identify(&ev, arch_sp_of_entry(ctx));
	interval_end(&ev, ctx, asks);
	return 0;
}

PROGRAM("kprobe", uretprobe_end, struct pt_regs)

#ifdef KSTATS_SESSION
/* Added to the time in a cookie: only the same frame can subtract it again. */
static __always_inline __u64 frame_salt(__u64 at)
{
	return at * FRAME_FACTOR;
}

#define RETURNS_MAX 64 /* MAX_URETPROBE_DEPTH of the kernel */

/*
 * The kernel hooks no more returns of functions than this in one thread. It does not count the
 * others, and runs the program at their entry.
 */
static __always_inline bool returns_are_full(void)
{
	return bpf_get_current_task_btf()->utask->depth >= RETURNS_MAX;
}

/*
 * User space loads it as a session program. Returning 1 at the entry skips the return. A child
 * returns from the calls that were open when its parent called fork(), too: the start of such a
 * call is older than the child, and belongs to the parent's return.
 *
 * The kernel treats calls of a thread as nested. If the thread switches stacks inside a call, as
 * coroutines do, a return gets the cookie of the call that began last. With the salt of another
 * frame, the time is outside of this measurement. With a key of --by in the cookie, too
 * few bits would be left for that, so calls whose key is known at the entry are not measured here.
 */
static __always_inline int uprobe_session_both_run(struct pt_regs *ctx, bool asks)
{
	struct event ev = {
		.place = EVENT_USER, .has_hook = true, .is_asked = true, .is_framed = true
	};

	avoid_private_stack();
	if (!session_is_return(ctx)) {
		if (call_is_of_others())
			return 1;
		ev.at = ctx->sp;
		ev.hook = hook_of(ctx);
		ev.cookie = session_cookie(ctx);
		if (!interval_start(&ev, ctx, asks))
			return 1;
		if (returns_are_full()) {
			store_count_node(hook_node(&ev), KSTATS_NESTED);
			return 1;
		}
		*ev.cookie += frame_salt(ctx->sp);
		return 0;
	}
	ev.hook = hook_of(ctx);
	ev.cookie = session_cookie(ctx);
	*ev.cookie -= frame_salt(arch_sp_of_entry(ctx));
	ev.ret = arch_returned(ctx);
	if (*ev.cookie <= bpf_get_current_task_btf()->start_time)
		*ev.cookie = 0;
	interval_end(&ev, ctx, asks);
	return 0;
}

PROGRAM("kprobe", uprobe_session_both, struct pt_regs)
#endif

#include "points.bpf.h"

/* ---- tasks that begin and end ---- */

/* The open calls of a task in do_exit() never return. */
SEC("tp_btf/sched_process_exit")
int task_exit(__u64 *ctx)
{
	task_abandon(bpf_get_current_task_btf(), false);
	return 0;
}

/* Count what the task opened after sched_process_exit, and free its stamps. */
SEC("tp_btf/sched_process_free")
int task_free(__u64 *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx[0];

	task_abandon(task, true);
	command_end(task);
	return 0;
}

/* ---- calls of bpf(2), see verify.bpf.h ---- */

SEC(ARCH_BPF_BEGINS)
int bpf_begins(__u64 *ctx)
{
	if (arch_begins_bpf(ctx))
		bpf_call_begins();
	return 0;
}

SEC(ARCH_BPF_ENDS)
int bpf_ends(__u64 *ctx)
{
	if (arch_ends_bpf(ctx))
		bpf_call_ends();
	return 0;
}

#include "tell.bpf.h"

char LICENSE[] SEC("license") = "GPL";
