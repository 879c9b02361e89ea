// SPDX-License-Identifier: GPL-2.0-only
/*
 * slots.c - choose how the slots lie in kernel memory: all of them in the cells, which is the
 * fastest, or in blocks out of a pool, which takes far less memory for many distributions on
 * many CPUs.
 */
#include "plan/priv.h"

#include <errno.h>
#include "util/units.h"

#define MEMORY_MOST (64ULL << 20) /* for which all slots are there from the start */
#define NODES_MOST 1024 /* that the module makes for one plan; more distributions share one */
/* Half blocks in a pool for each distribution: 100 neighbouring slots are in 7 or 8 blocks. */
#define HALF_BLOCKS 15
/* The pools of two CPUs share no cache line if each has a multiple of 8 blocks. */
#define BLOCKS_STEP 8

static uint64_t cells_bytes(const struct plan *plan, uint64_t cell)
{
	return cell * plan_all_nodes(plan) * plan->n_cpus;
}

/* More than the module makes nodes for: they share one, and that has blocks. */
static bool has_many_nodes(const struct plan *plan)
{
	return plan->kmod && plan_all_nodes(plan) > NODES_MOST;
}

/* One distribution without blocks. */
static uint64_t cell_bytes(const struct plan *plan)
{
	return plan->kmod ? KSTATS_CELL_SIZE_ARRAY : KSTATS_CELL_SIZE_BLOCKS;
}

static uint64_t pool_bytes(const struct plan *plan, uint64_t blocks)
{
	return blocks * plan->n_cpus * sizeof(struct kstats_block);
}

/* Blocks of a pool in @bytes for all pools. Less than all slots take, so all can be used. */
static uint64_t blocks_in(const struct plan *plan, uint64_t bytes)
{
	uint64_t n = bytes / pool_bytes(plan, 1), most = UINT32_MAX / plan->n_cpus;

	return (n < most ? n : most) / BLOCKS_STEP * BLOCKS_STEP;
}

static int too_small(const struct plan *plan, uint64_t least, struct error *e)
{
	char why[128], bytes[UNITS_TEXT];

	snprintf(why, sizeof(why), "%u distribution%s on %u CPU%s take at least %s",
		 plan_all_nodes(plan), units_plural(plan_all_nodes(plan)), plan->n_cpus,
		 units_plural(plan->n_cpus), units_bytes(bytes, least));
	return error_set(e, EXIT_USAGE, -ENOSPC, why,
			 plan->by.most ? "raise it, or lower --limit keys"
				       : "raise it, or measure fewer functions",
			 "--limit memory is too small");
}

/* Stubs of the module find their slots without a look at blocks. */
static bool has_stubs(const struct plan *plan)
{
	return plan->spec->method == SPEC_METHOD_DIRECT;
}

static int no_blocks_for_stubs(const struct plan *plan, struct error *e)
{
	char why[128], bytes[UNITS_TEXT];

	snprintf(why, sizeof(why), "stubs need all slots of every distribution, here %s",
		 units_bytes(bytes, plan->slot_bytes_all));
	return error_set(e, EXIT_USAGE, -ENOSPC, why, "raise it, or use another method",
			 "--limit memory is too small for the method 'direct'");
}

/* What was asked for: all slots where they fit, else a pool of what the cells leave. */
static int choose_within(struct plan *plan, uint64_t most, struct error *e)
{
	uint64_t cells = cells_bytes(plan, cell_bytes(plan));
	uint64_t least = cells + pool_bytes(plan, BLOCKS_STEP);

	if (has_stubs(plan))
		return no_blocks_for_stubs(plan, e);
	if (most < least)
		return too_small(plan, least, e);
	plan->blocks_of_cpu = blocks_in(plan, most - cells);
	return 0;
}

/* As many blocks as usual, or as fit into the memory for which all slots would be there. */
static void choose_usual(struct plan *plan)
{
	uint64_t cells = cells_bytes(plan, cell_bytes(plan));
	uint64_t blocks_each = KSTATS_N_BLOCKS(plan->spec->bits);
	/* Unverified samples are rare. */
	uint64_t n = (plan->unverified_at ? plan->unverified_at : plan->n_nodes) + plan->by.most;
	uint64_t most = cells + pool_bytes(plan, n * HALF_BLOCKS / 2 + BLOCKS_STEP);

	uint64_t all = cells + pool_bytes(plan, plan_all_nodes(plan) * blocks_each + BLOCKS_STEP);

	if (most < MEMORY_MOST)
		most = MEMORY_MOST;
	if (has_many_nodes(plan) && most > all)
		most = all;
	if (most < plan->slot_bytes_all || has_many_nodes(plan))
		plan->blocks_of_cpu = blocks_in(plan, most - cells);
}

int plan_choose_slots(struct plan *plan, struct facts *facts, struct error *e)
{
	uint64_t most = plan->spec->slot_memory;
	int err = 0;

	plan->n_cpus = facts_cpus(facts);
	plan->slot_bytes_all =
		cells_bytes(plan, KSTATS_CELL_SIZE(kstats_n_slots(plan->spec->bits)));
	if (most && (most < plan->slot_bytes_all || has_many_nodes(plan)))
		err = choose_within(plan, most, e);
	else if (!most && !has_stubs(plan) &&
		 (plan->slot_bytes_all > MEMORY_MOST || has_many_nodes(plan)))
		choose_usual(plan);
	plan->slot_bytes = plan->slot_bytes_all;
	if (plan->blocks_of_cpu)
		plan->slot_bytes =
			cells_bytes(plan, cell_bytes(plan)) + pool_bytes(plan, plan->blocks_of_cpu);
	return err;
}
