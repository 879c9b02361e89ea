/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats.h - record samples from a module of your own. In: any u64, such as a time, a
 * size, or the length of a batch. Out: a distribution under /sys/kernel/debug/kstats/.
 * The manual is kstats(9).
 *
 * Build with -DCONFIG_KSTATS=1 to use the module kstats. Without it all calls compile to
 * nothing.
 */
#ifndef KSTATS_H
#define KSTATS_H

#include <linux/types.h>

struct kstats;

#if IS_ENABLED(CONFIG_KSTATS)

/**
 * kstats_new() - create a node, which records at once
 * @name: letters, digits, and any of _ . - : ; at most 63 bytes; copied
 * @frac_bits: resolution, 0 to 5: every power of two is split into 2^frac_bits slots. A
 *	larger value becomes 3, with a notice in the kernel's log
 *
 * Context: process context; may sleep.
 * Return: the node; or NULL, with the reason in the kernel's log, if the name is invalid or
 * in use, or if the memory or the limits of the module do not suffice. A NULL node records
 * nothing, so callers need not check.
 */
struct kstats *kstats_new(const char *name, u8 frac_bits);

/**
 * kstats_delete() - remove a node and its slots
 * @node: node, or NULL
 *
 * Waits for records that have begun. No record on this node may begin any more.
 *
 * Context: process context; may sleep.
 */
void kstats_delete(struct kstats *node);

/**
 * kstats_add() - count a sample in a node that is not NULL
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
