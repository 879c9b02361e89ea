/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parts_irq.bpf.h - interrupts in calls (--parts). In: begins and ends of interrupts. Out: how long
 * tasks with open calls were interrupted, for parts.bpf.h. Included by kstats.bpf.c.
 */
#ifndef KSTATS_PARTS_IRQ_BPF_H
#define KSTATS_PARTS_IRQ_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "parts.bpf.h"

/** struct parts_irqs - interrupts that began on this CPU, while a task with an open call ran */
struct parts_irqs {
	__u64 hard_ns; /* begin of the last one; 0: it is over */
	__u64 soft_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct parts_irqs);
} parts_irqs SEC(".maps");

/*
 * A lower bound: what the kernel does before and after these points is left out, and so are
 * interrupts that the kernel skips a program for. An interrupt on top of a soft one is part of
 * that, from before the soft one reads the clock until after.
 */
static __always_inline struct parts_irqs *irqs_here(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&parts_irqs, &zero);
}

static __always_inline int irq_begin(bool soft)
{
	struct parts_irqs *irqs;
	__u64 *at;

	if (!parts_of(bpf_get_current_task_btf()))
		return 0;
	irqs = irqs_here();
	if (!irqs) /* never; for the verifier */
		return 0;
	at = soft ? &irqs->soft_ns : &irqs->hard_ns;
	if (soft)
		*(volatile __u64 *)at = ~0ULL;
	*(volatile __u64 *)at = bpf_ktime_get_ns();
	return 0;
}

/* None lasts longer than its task runs. */
static __always_inline int irq_end(bool soft)
{
	struct kstats_parts *p = parts_of(bpf_get_current_task_btf());
	struct parts_irqs *irqs;
	__u64 began, in, now;

	if (!p)
		return 0;
	irqs = irqs_here();
	if (!irqs)
		return 0;
	now = bpf_ktime_get_ns();
	in = p->in_ns;
	began = soft ? irqs->soft_ns : irqs->hard_ns;
	*(volatile __u64 *)(soft ? &irqs->soft_ns : &irqs->hard_ns) = 0;
	if (began >= in && (soft || irqs->soft_ns < in))
		*(volatile __u64 *)&p->irq_ns += parts_since(now, began);
	return 0;
}

/*
 * A program for all points of a kind, which user space attaches. They ask for no arguments; for one
 * that is loaded for a single point, newer kernels look through all their types.
 */
SEC("raw_tp")
int irq_begins(void *ctx)
{
	return irq_begin(false);
}

SEC("raw_tp")
int irq_ends(void *ctx)
{
	return irq_end(false);
}

SEC("raw_tp")
int softirq_begins(void *ctx)
{
	return irq_begin(true);
}

SEC("raw_tp")
int softirq_ends(void *ctx)
{
	return irq_end(true);
}

#endif /* KSTATS_PARTS_IRQ_BPF_H */
