// SPDX-License-Identifier: GPL-2.0-only
#include "store/flight.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result/ledger.h"
#include "store/table.h"

/* For a moment, a task that has just ended is neither listed nor counted as ended. */
#define SETTLE_TRIES 100
#define SETTLE_US 10000
#define BATCH 64 /* stacks that are read at once */

static void count_open(struct snapshot *s, uint32_t node)
{
	if (node < s->n_nodes)
		s->nodes[s->nodes[node].owner].ledger[KSTATS_IN_FLIGHT]++;
}

static void count_stack(const struct flight *f, struct snapshot *s, const struct kstats_stack *st)
{
	unsigned int i;

	for (i = 0; i < KSTATS_STACK_DEPTH; i++)
		if (kstats_stamp_counts(st->stamps[i].start_ns, f->epoch_ns))
			count_open(s, st->stamps[i].node);
}

static int count_task_slots(const struct flight *f, struct snapshot *s)
{
	struct table t = { 0 };
	int err = table_open(&t, f->task_slots_fd, sizeof(struct kstats_task_slot));
	const struct kstats_task_slot *task_slots = t.at;
	size_t i;

	for (i = 0; i < t.n; i++)
		count_stack(f, s, &task_slots[i].stack);
	table_close(&t);
	return err;
}

/*
 * Whole buckets of the table are read at a time, so that no task is read twice if another ends
 * in the meantime. A bucket never holds more than BATCH, since there are as many buckets as
 * tasks.
 */
static int count_stacks(const struct flight *f, struct snapshot *s)
{
	struct kstats_stack stacks[BATCH];
	__u64 tasks[BATCH];
	__u32 at, n, i;
	bool begun = false;
	int err;

	do {
		n = BATCH;
		err = bpf_map_lookup_batch(f->stacks_fd, begun ? &at : NULL, &at, tasks, stacks, &n,
					   NULL);
		if (err && err != -ENOENT)
			return err;
		for (i = 0; i < n; i++)
			count_stack(f, s, &stacks[i]);
		begun = true;
	} while (!err);
	return 0;
}

static int count_idle(const struct flight *f, struct snapshot *s)
{
	struct kstats_stack *stacks = calloc(f->n_cpus, sizeof(*stacks));
	unsigned int cpu;
	__u32 zero = 0;
	int err = 0;

	if (!stacks)
		return -ENOMEM;
	if (bpf_map_lookup_elem(f->idle_fd, &zero, stacks))
		err = -errno;
	for (cpu = 0; !err && cpu < f->n_cpus; cpu++)
		count_stack(f, s, &stacks[cpu]);
	free(stacks);
	return err;
}

static void count_bucket(const struct flight *f, struct snapshot *s, const struct kstats_keys *b)
{
	uint64_t word;
	int way;

	for (way = 0; way < KSTATS_KEY_WAYS; way++) {
		word = *(const volatile __u64 *)&b->places[way].word;
		if (kstats_place_is_open(word) && kstats_place_ns(word) >= f->epoch_ns)
			count_open(s, 0);
	}
}

static int count_keys(const struct flight *f, struct snapshot *s)
{
	struct table t = { 0 };
	int err = table_open(&t, f->keys_fd, sizeof(struct kstats_keys));
	const struct kstats_keys *b = t.at;
	size_t i;

	for (i = 0; i < t.n; i++)
		count_bucket(f, s, &b[i]);
	table_close(&t);
	return err;
}

/* Stamps of --key cpu are in the cells, where store_read() counts them. */
static int count(const struct flight *f, struct snapshot *s)
{
	int err;

	if (f->pairing == KSTATS_BY_CPU || f->pairing == KSTATS_BY_POINT)
		return 0;
	if (f->pairing == KSTATS_BY_KEY)
		return count_keys(f, s);
	if (f->task_slots_fd < 0)
		return 0;
	err = count_task_slots(f, s);
	if (!err)
		err = count_stacks(f, s);
	return err ? err : count_idle(f, s);
}

static bool in_cookies(const struct flight *f, uint32_t node)
{
	return f->in_cookies && f->in_cookies[node];
}

/* How many starts have not ended is known, but not why: put them into one counter. */
static void tally_rest(const struct flight *f, struct snapshot *s, bool final)
{
	enum kstats_ledger rest;
	int64_t diff;
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++) {
		if (!ledger_is_owner(s, i) || (final && !in_cookies(f, i)))
			continue;
		rest = in_cookies(f, i) ? KSTATS_NO_END : KSTATS_IN_FLIGHT;
		diff = ledger_balance(s, i);
		s->nodes[i].ledger[rest] += diff > 0 ? diff : 0;
	}
}

static bool balanced(const struct flight *f, const struct snapshot *s)
{
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++)
		if (ledger_is_owner(s, i) && !in_cookies(f, i) && ledger_balance(s, i))
			return false;
	return true;
}

static int tally_final(const struct flight *f, struct store *st, struct snapshot *s,
		       struct error *e)
{
	int i, err = 0;

	for (i = 0; i < SETTLE_TRIES; i++) {
		if (i)
			usleep(SETTLE_US);
		err = store_read(st, s, e);
		if (err)
			return err;
		err = count(f, s);
		if (err)
			return error_set(e, EXIT_KERNEL, err, NULL, NULL,
					 "cannot count the calls in flight");
		if (balanced(f, s))
			break;
	}
	return 0;
}

int flight_tally(const struct flight *f, struct store *st, struct snapshot *s, bool final,
		 struct error *e)
{
	int err = final ? tally_final(f, st, s, e) : store_read(st, s, e);

	if (!err)
		tally_rest(f, s, final);
	return err;
}

void flight_forget(const struct flight *f)
{
	struct table t = { 0 };

	if (f->pairing == KSTATS_BY_KEY && !table_open(&t, f->keys_fd, sizeof(struct kstats_keys)))
		memset(t.at, 0, t.size);
	table_close(&t);
}
