// SPDX-License-Identifier: GPL-2.0-only
/*
 * selftest.c - the module tests itself when it is loaded; debug builds only
 * (`make kmod SELFTEST=1`). If a test fails, the module is not loaded.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": selftest: " fmt

#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "array.h"
#include "node.h"

#define expect(condition)                                              \
	do {                                                           \
		if (!(condition)) {                                    \
			pr_err("line %d: %s\n", __LINE__, #condition); \
			return -EDOM;                                  \
		}                                                      \
	} while (0)

/* By definition, a value belongs to the slot whose first and last value enclose it. */
static int test_edges(u32 bits)
{
	u32 i, n = kstats_n_slots(bits);

	for (i = 0; i < n - 1; i++) {
		u64 first = kstats_slot_first(i, bits), last = kstats_slot_last(i, bits);

		expect(first <= last);
		expect(kstats_slot_index(first, bits) == i);
		expect(kstats_slot_index(last, bits) == i);
		expect(!i || kstats_slot_last(i - 1, bits) + 1 == first);
	}
	expect(kstats_slot_last(n - 2, bits) == U64_MAX);
	return 0;
}

static void count(struct kstats_node *node, u64 value)
{
	preempt_disable();
	node_count(&node->hot, value);
	preempt_enable();
}

static struct kstats_slot total(struct kstats_node *node, struct kstats_slot *slots, u32 i)
{
	struct kstats_slot sum = {};
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		node_read(node, cpu, slots);
		sum.samples += slots[i].samples;
		sum.sum += slots[i].sum;
	}
	return sum;
}

static int test_counts(struct kstats_node *node, struct kstats_slot *slots)
{
	u32 i, seven = kstats_slot_index(7, node->hot.bits);
	struct kstats_slot got;

	for (i = 0; i < 101; i++)
		count(node, 7);
	count(node, U64_MAX);
	got = total(node, slots, seven);
	expect(got.samples == 101 && got.sum == 707);
	i = kstats_n_slots(node->hot.bits) - 2;
	got = total(node, slots, i);
	expect(got.samples == 1 && got.sum == kstats_slot_scale(U64_MAX, i, node->hot.bits));
	expect(!node_control(node, KSTATS_OP_STOP));
	count(node, 7);
	expect(total(node, slots, seven).samples == 101);
	expect(!node_control(node, KSTATS_OP_RESET));
	expect(total(node, slots, seven).samples == 0);
	expect(!node_control(node, KSTATS_OP_START));
	count(node, 7);
	expect(total(node, slots, seven).samples == 1);
	expect(node_control(node, KSTATS_OP_RESET + 1) == -EINVAL);
	return 0;
}

static int test_node(u32 bits)
{
	struct kstats_slot *slots = kcalloc(kstats_n_slots(bits), sizeof(*slots), GFP_KERNEL);
	struct kstats_node *node = node_create("selftest", bits, INVALID_UID);
	int err = -ENOMEM;
	u32 id;

	if (!slots || IS_ERR(node))
		goto out;
	id = node->hot.id;
	err = test_counts(node, slots);
	if (!err && node_find(id) != &node->hot)
		err = -EDOM;
	node_destroy(node);
	if (!err && node_find(id))
		err = -EDOM;
out:
	if (err == -ENOMEM && !IS_ERR(node))
		node_destroy(node);
	kfree(slots);
	return err;
}

/* One sample in each slot takes all blocks, also those that share a place. */
static int test_blocks(struct kstats_node *node, struct kstats_block *blocks)
{
	u32 bits = node->hot.bits, i, n_slots = kstats_n_slots(bits) - 1;
	int err = 0, full, n;
	u64 samples = 0;

	preempt_disable();
	for (i = 0; i < n_slots && !err; i++)
		err = array_count(&node->hot, 1, kstats_slot_first(i, bits));
	full = array_count(&node->hot, 0, 1);
	preempt_enable();
	expect(!err);
	expect(full == -ENOSPC);
	n = array_read(node, 1, 0, blocks, KSTATS_N_BLOCKS_MAX);
	expect(n == KSTATS_N_BLOCKS(bits));
	for (i = 0; i < n * KSTATS_BLOCK_SLOTS; i++)
		samples += blocks[i / KSTATS_BLOCK_SLOTS].slots[i % KSTATS_BLOCK_SLOTS].samples;
	expect(samples == n_slots);
	expect(!array_read(node, 0, 0, blocks, KSTATS_N_BLOCKS_MAX));
	expect(!node_control(node, KSTATS_OP_RESET));
	expect(!array_read(node, 1, 0, blocks, KSTATS_N_BLOCKS_MAX));
	return 0;
}

static int test_array(u32 bits)
{
	struct kstats_block *blocks = kvcalloc(KSTATS_N_BLOCKS_MAX, sizeof(*blocks), GFP_KERNEL);
	struct kstats_node *node = node_create_array(bits, 2, KSTATS_N_BLOCKS(bits), INVALID_UID);
	int err = -ENOMEM;

	if (blocks && !IS_ERR(node))
		err = test_blocks(node, blocks);
	if (!IS_ERR(node))
		node_destroy(node);
	kvfree(blocks);
	return err;
}

int selftest_run(void)
{
	u32 bits;
	int err = 0;

	for (bits = 0; !err && bits <= KSTATS_BITS_MAX; bits++) {
		err = test_edges(bits);
		if (!err)
			err = test_node(bits);
		if (!err)
			err = test_array(bits);
	}
	if (err)
		pr_err("failed at bits %u (error %d); not loaded\n", bits - 1, err);
	else
		pr_info("passed\n");
	return err;
}
