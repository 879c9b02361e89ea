// SPDX-License-Identifier: GPL-2.0-only
/* api.c - the functions for other modules, declared in kstats.h; the manual is kstats(9). */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/module.h>

#include "kstats.h"
#include "node.h"

struct kstats *kstats_new(const char *name, u8 frac_bits)
{
	struct kstats_node *node;

	if (frac_bits > KSTATS_BITS_MAX) {
		pr_notice("node '%s': frac_bits %u is more than %u, using %u\n", name ?: "",
			  frac_bits, KSTATS_BITS_MAX, KSTATS_BITS_DEFAULT);
		frac_bits = KSTATS_BITS_DEFAULT;
	}
	node = name && *name ? node_create(name, frac_bits, INVALID_UID) : ERR_PTR(-EINVAL);
	if (!IS_ERR(node))
		return &node->hot;
	pr_notice("no node '%s': %pe\n", name ?: "", node);
	return NULL;
}
EXPORT_SYMBOL_GPL(kstats_new);

void kstats_delete(struct kstats *node)
{
	if (node)
		node_destroy(node_of(node));
}
EXPORT_SYMBOL_GPL(kstats_delete);

notrace void kstats_add(struct kstats *node, u64 value)
{
	preempt_disable_notrace();
	node_count(node, value);
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(kstats_add);
NOKPROBE_SYMBOL(kstats_add);
