// SPDX-License-Identifier: GPL-2.0-only
/*
 * truth.c - what was really allocated and freed, and how long it really lived
 *
 * Comes in: allocations and frees, from any context. Goes out: rows of text. Nothing is
 * allocated here.
 */
#include <linux/seq_file.h>
#include <linux/spinlock.h>

#include "kstats_kmem.h"
#include "km.h"

#define ROWS_MAX 256
#define LIFE_BITS KSTATS_KMEM_LIFE_BITS

/* The words are literals and __func__: one address each where they are equal, mostly. */
struct row {
	const char *what;
	const char *word[3];
	u64 number[2];
	u64 count;
	u64 sum[2];
};

static struct row rows[ROWS_MAX];
static int rows_n;
static DEFINE_RAW_SPINLOCK(lock);
static atomic64_t inner_slots[KSTATS_N_SLOTS(LIFE_BITS)];
static atomic64_t outer_slots[KSTATS_N_SLOTS(LIFE_BITS)];

static bool same(const struct row *a, const struct row *b)
{
	return a->what == b->what && a->word[0] == b->word[0] && a->word[1] == b->word[1] &&
	       a->word[2] == b->word[2] && a->number[0] == b->number[0] &&
	       a->number[1] == b->number[1];
}

static void add(const struct row *one)
{
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&lock, flags);
	for (i = 0; i < rows_n && !same(&rows[i], one); i++)
		;
	if (i < ROWS_MAX) {
		if (i == rows_n) {
			rows[rows_n++] = *one;
		} else {
			rows[i].count += one->count;
			rows[i].sum[0] += one->sum[0];
			rows[i].sum[1] += one->sum[1];
		}
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	WARN_ONCE(i == ROWS_MAX, "no room for the truth\n");
}

void truth_alloc(const char *site, const char *cache, u64 req, u64 each, u64 count)
{
	add(&(struct row){ "alloc", { site, cache, "-" }, { req, each }, count });
}

void truth_free(const struct object *o, const char *how, const char *site)
{
	u64 cpu = o->cpu != raw_smp_processor_id();
	u64 task = o->task != current;

	add(&(struct row){ "free", { o->site, how, site }, { cpu, task }, 1 });
}

void truth_frees(const char *alloc, const char *how, const char *site, u64 count)
{
	add(&(struct row){ "free", { alloc, how, site }, { 0, 0 }, count });
}

void truth_life(const char *site, u64 inner, u64 outer)
{
	add(&(struct row){ "life", { site, "-", "-" }, { 0, 0 }, 1, { inner, outer } });
	atomic64_inc(&inner_slots[kstats_slot_index(inner, LIFE_BITS)]);
	atomic64_inc(&outer_slots[kstats_slot_index(outer, LIFE_BITS)]);
}

void truth_count(const char *name, u64 count)
{
	add(&(struct row){ "count", { name, "-", "-" }, { 0, 0 }, count });
}

void truth_reset(void)
{
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&lock, flags);
	rows_n = 0;
	raw_spin_unlock_irqrestore(&lock, flags);
	for (i = 0; i < ARRAY_SIZE(inner_slots); i++) {
		atomic64_set(&inner_slots[i], 0);
		atomic64_set(&outer_slots[i], 0);
	}
}

/* The reader waits until the operation is done: nobody adds. */
void truth_show(struct seq_file *seq)
{
	int i;

	for (i = 0; i < rows_n; i++) {
		const struct row *r = &rows[i];

		seq_printf(seq, "%s %s %s %s %llu %llu %llu %llu %llu\n", r->what, r->word[0],
			   r->word[1], r->word[2], r->number[0], r->number[1], r->count, r->sum[0],
			   r->sum[1]);
	}
}

void truth_show_lives(struct seq_file *seq)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(inner_slots); i++) {
		u64 inner = atomic64_read(&inner_slots[i]), outer = atomic64_read(&outer_slots[i]);

		if (inner || outer)
			seq_printf(seq, "%llu %llu %llu\n", (u64)kstats_slot_first(i, LIFE_BITS),
				   inner, outer);
	}
}
