/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * points.bpf.h - programs for one of several points of a pair: a start, an end, or a cancel. In:
 * the kernel's events. Out: calls of interval_start() and interval_end(). Part of kstats.bpf.c.
 *
 * They are programs of their own, so that other measurements pay nothing for them. Each copy has
 * the condition and the key of its point.
 */
#ifndef KSTATS_POINTS_BPF_H
#define KSTATS_POINTS_BPF_H

static __always_inline void points_run(struct event *ev, void *ctx, bool starts)
{
	ev->is_pair = true;
	ev->is_several = true;
	ev->pairing = pairing;
	if (is_of_others(1))
		return;
	if (starts)
		interval_start(ev, ctx, true);
	else
		interval_end(ev, ctx, true);
}

static __always_inline void points_trace(void *ctx, bool starts, bool cancels)
{
	struct event ev = { .is_pair = true, .pairing = pairing, .cancels = cancels };

	event_identify(&ev, address_low(ctx));
	points_run(&ev, ctx, starts);
}

static __always_inline void points_kprobe(struct pt_regs *ctx, bool starts, bool cancels)
{
	struct event ev = { .is_pair = true, .pairing = pairing, .cancels = cancels };

	run_count(!starts);
	event_identify(&ev, ctx->sp);
	points_run(&ev, ctx, starts);
}

static __always_inline void points_uprobe(struct pt_regs *ctx, bool starts, bool cancels)
{
	struct event ev = { .is_pair = true, .cancels = cancels };

	avoid_private_stack();
	user_identify(&ev, ctx->sp);
	points_run(&ev, ctx, starts);
}

#define POINT_PROGRAMS(section, name, context, run) \
	SEC(section)                                \
	int name##_start_several(context *ctx)      \
	{                                           \
		run(ctx, true, false);              \
		return 0;                           \
	}                                           \
                                                    \
	SEC(section)                                \
	int name##_end_several(context *ctx)        \
	{                                           \
		run(ctx, false, false);             \
		return 0;                           \
	}                                           \
                                                    \
	SEC(section)                                \
	int name##_cancel_several(context *ctx)     \
	{                                           \
		run(ctx, false, true);              \
		return 0;                           \
	}

POINT_PROGRAMS("fentry", fentry, void, points_trace)
POINT_PROGRAMS("tp_btf", tp, void, points_trace)
POINT_PROGRAMS("kprobe", kprobe, struct pt_regs, points_kprobe)
POINT_PROGRAMS("kprobe", uprobe, struct pt_regs, points_uprobe)

#endif /* KSTATS_POINTS_BPF_H */
