/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats.h - record samples from a module of your own. In: any u64: a time, a
 * size, the length of a batch. Out: a distribution under
 * /sys/kernel/debug/kstats/. See kstats(9).
 *
 * Build with -DCONFIG_KSTATS=1 to depend on the module kstats; without it all
 * of this is nothing at all.
 */
#ifndef KSTATS_H
#define KSTATS_H

#include <linux/types.h>

struct kstats;

#if IS_ENABLED(CONFIG_KSTATS)

/**
 * kstats_new() - create a node, which records at once
 * @name: letters, digits, and any of _ . - : ; at most 63 bytes; copied
 * @frac_bits: resolution: every power of two is split into 2^frac_bits slots;
 *	0 to 5, above that 3 is used and the kernel's log says so
 *
 * Context: process context; may sleep.
 * Return: the node, or NULL with the reason in the kernel's log: a bad name or
 * one in use, or no room. NULL is a node that records nothing, so that nobody
 * needs to look.
 */
struct kstats *kstats_new(const char *name, u8 frac_bits);

/**
 * kstats_delete() - remove a node and its slots
 * @node: node, or NULL
 *
 * Records that began before this are waited for by the kernel. None may begin
 * any more.
 *
 * Context: process context; may sleep.
 */
void kstats_delete(struct kstats *node);

/**
 * kstats_add() - what kstats_record() does with a node
 * @node: node, not NULL
 * @value: sample
 *
 * Context: any.
 */
void kstats_add(struct kstats *node, u64 value);

/**
 * kstats_record() - count a sample
 * @node: node, or NULL for none
 * @value: any value
 *
 * Takes no lock, allocates nothing, prints nothing.
 *
 * Context: any: task, softirq, hardirq, NMI.
 */
static inline void kstats_record(struct kstats *node, u64 value)
{
	if (node)
		kstats_add(node, value);
}

#else

static inline struct kstats *kstats_new(const char *name, u8 frac_bits)
{
	return NULL;
}

static inline void kstats_delete(struct kstats *node)
{
}

static inline void kstats_record(struct kstats *node, u64 value)
{
}

#endif

#endif /* KSTATS_H */
