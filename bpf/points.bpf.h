/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * points.bpf.h - programs for one of several points of a pair: a start, an end, a cancel, or a
 * point on the way. In: the kernel's events. Out: calls of interval_start(), interval_end() and
 * via_pass(). Part of kstats.bpf.c.
 *
 * They are programs of their own, so that other measurements pay nothing for them. Each copy has
 * the condition and the key of its point.
 */
#ifndef KSTATS_POINTS_BPF_H
#define KSTATS_POINTS_BPF_H

/** enum points_role - what an event does at its point */
enum points_role {
	POINTS_START,
	POINTS_END,
	POINTS_CANCEL,
	POINTS_VIA, /* a start passes it on the way to its end */
};

static __always_inline void points_run(struct event *ev, void *ctx, enum points_role role)
{
	ev->is_pair = true;
	ev->is_several = true;
	ev->pairing = pairing;
	if (is_of_others(1))
		return;
	if (role == POINTS_VIA)
		via_pass(ev, ctx);
	else if (role == POINTS_START)
		interval_start(ev, ctx, true);
	else
		interval_end(ev, ctx, true);
}

static __always_inline void points_trace(void *ctx, enum points_role role)
{
	struct event ev = { .is_pair = true, .pairing = pairing, .cancels = role == POINTS_CANCEL };

	event_identify(&ev, address_low(ctx));
	points_run(&ev, ctx, role);
}

static __always_inline void points_kprobe(struct pt_regs *ctx, enum points_role role)
{
	struct event ev = { .is_pair = true, .pairing = pairing, .cancels = role == POINTS_CANCEL };

	run_count(role != POINTS_START);
	event_identify(&ev, ctx->sp);
	points_run(&ev, ctx, role);
}

static __always_inline void points_uprobe(struct pt_regs *ctx, enum points_role role)
{
	struct event ev = { .is_pair = true, .cancels = role == POINTS_CANCEL };

	avoid_private_stack();
	user_identify(&ev, ctx->sp);
	points_run(&ev, ctx, role);
}

#define POINTS_PROGRAM(section, name, context, run, role) \
	SEC(section)                                      \
	int name(context *ctx)                            \
	{                                                 \
		run(ctx, role);                           \
		return 0;                                 \
	}

#define POINT_PROGRAMS(section, name, context, run)                                 \
	POINTS_PROGRAM(section, name##_start_several, context, run, POINTS_START)   \
	POINTS_PROGRAM(section, name##_end_several, context, run, POINTS_END)       \
	POINTS_PROGRAM(section, name##_cancel_several, context, run, POINTS_CANCEL) \
	POINTS_PROGRAM(section, name##_via_several, context, run, POINTS_VIA)

POINT_PROGRAMS("fentry", fentry, void, points_trace)
POINT_PROGRAMS("tp_btf", tp, void, points_trace)
POINT_PROGRAMS("kprobe", kprobe, struct pt_regs, points_kprobe)
POINT_PROGRAMS("kprobe", uprobe, struct pt_regs, points_uprobe)

/* Returns of functions, whose calls have points on the way. */
POINTS_PROGRAM("fexit", fexit_end_several, void, points_trace, POINTS_END)
POINTS_PROGRAM("kretprobe", kretprobe_end_several, struct pt_regs, points_kprobe, POINTS_END)

#endif /* KSTATS_POINTS_BPF_H */
