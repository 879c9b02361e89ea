// SPDX-License-Identifier: GPL-2.0-only
#include "kmem_priv.h"

#include <stdio.h>
#include <string.h>

static __u64 told[2][SITES][SIZES];
static __u64 lifes_told, lifes_ns_told;
static __u64 counts_before[KSTATS_KMEM_COUNT_N]; /* of kmem_sums, before this run */
static __u64 skipped_before; /* frees, likewise */

struct kmem_sums kmem_sums;

/* ---- what the machine tells ---- */

static struct machine_run *running(void)
{
	return machine_task() ? machine_task()->run : NULL;
}

void model_clock(__u64 ns)
{
	if (running() && !running()->ns)
		running()->ns = ns;
}

void model_exchanged(void *at, __u64 old)
{
}

void model_touched(void *map, __u32 i)
{
}

static bool is_in(void *map, void *at, __u64 *offset)
{
	struct machine_map *m = machine_map_of(map);

	*offset = (char *)at - m->values;
	return *offset < (__u64)m->entries * m->size;
}

int programs_run(void)
{
	int i, n = 0;

	for (i = 0; i < machine.n_tasks; i++)
		n += machine.tasks[i].in_program;
	return n;
}

/* Whether no other program has run since this one began. */
static bool is_alone(const struct machine_run *run)
{
	return run->began_alone && run->began == n_events;
}

/* In the two buckets of an address. */
static int free_places(__u64 ptr)
{
	const struct kstats_kmem_live *l = (struct kstats_kmem_live *)machine_map_of(live)->values;
	__u64 first = (ptr * 0x9e3779b97f4a7c15ULL >> 38) & settings[KSTATS_KMEM_LIVE_FIRST];
	int i, n = 0;

	for (i = 0; i < 2 * KSTATS_KMEM_WAYS; i++)
		n += !l[first ^ i].ptr || l[first ^ i].ptr & 1;
	return n;
}

#define MEMBER(type, member) __builtin_offsetof(struct type, member)

void model_adds(void *at)
{
	struct machine_run *run = running();
	__u64 offset;

	if (!run)
		return;
	if (is_in(rows, at, &offset) &&
	    offset % sizeof(struct kstats_kmem_row) == MEMBER(kstats_kmem_row, count)) {
		run->rows++;
		run->row = offset / sizeof(struct kstats_kmem_row);
	} else if (is_in(lifes, at, &offset) &&
		   offset % sizeof(struct kstats_kmem_life) == MEMBER(kstats_kmem_life, count)) {
		run->lifes++;
		run->life = at - MEMBER(kstats_kmem_life, count);
	} else if (is_in(counts, at, &offset)) {
		offset = offset % sizeof(struct kstats_kmem_counts) / 8;
		if (offset < KSTATS_KMEM_COUNT_N)
			run->counted[offset]++;
		if (offset == KSTATS_KMEM_N_NO_LIVE)
			run->free = is_alone(run) ? free_places(run->o->ptr) : 0;
	}
}

/* ---- what must be ---- */

/* Of an event at least one thing is counted. */
static bool counts_any(const struct machine_run *run)
{
	int i;

	for (i = 0; i < KSTATS_KMEM_COUNT_N; i++)
		if (run->counted[i])
			return true;
	return run->rows || run->lifes;
}

void judge_off(struct machine_run *run)
{
	bool was_off = run->switched & 1, is_same = run->switched == n_switched;
	bool counts = counts_any(run);

	if (counts && was_off && is_same)
		say("an event is counted while nothing is to be counted");
	run->saw_off = !counts && (was_off || !is_same);
	kmem_sums.off += run->saw_off;
}

static void judge_row(const struct machine_run *run)
{
	const struct kstats_kmem_row *r =
		(struct kstats_kmem_row *)machine_map_of(rows)->values + run->row;
	const struct object *o = run->o;
	bool of_cache = is_cache(o->program);
	int i;

	for (i = 0; i < shape->keys; i++)
		if ((r->by[i] ^ KSTATS_KMEM_BY_CHANGED) != o->by[i] || !r->by[i])
			say("an allocation is counted under another key");
	if ((__u32)r->site != o->site)
		say("an allocation is counted at another site");
	if (of_cache ? r->what != (__u64)&cache_of[o->cache] : r->what != o->req + 8)
		say("an allocation is counted with another size or cache");
	if (KSTATS_KMEM_KIND_OF(r->site) != (of_cache ? KSTATS_KMEM_CACHE : KSTATS_KMEM_KMALLOC))
		say("an allocation is counted as one of another kind");
}

void alloc_done(const struct machine_run *run)
{
	struct object *o = run->o;
	__u32 kind = is_cache(o->program) ? KSTATS_KMEM_CACHE - 1 : KSTATS_KMEM_KMALLOC - 1;
	__u32 none = run->counted[KSTATS_KMEM_N_NO_ROW + kind];

	if (run->counted[KSTATS_KMEM_N_IF] != o->left_out)
		say("a condition leaves out an allocation, or does not");
	if (o->left_out) {
		if (run->rows || none || run->counted[KSTATS_KMEM_N_NO_LIVE])
			say("an allocation that is left out is counted");
		if (o->is_live)
			o->stale = true;
		return;
	}
	if (run->rows + none != 1)
		say("an allocation has %d rows, and is %d times without one", run->rows, none);
	if (run->rows) {
		judge_row(run);
		told[is_cache(o->program)][o->site & (SITES - 1)]
		    [is_cache(o->program) ? o->cache : o->size]++;
	}
	if (run->counted[KSTATS_KMEM_N_NO_LIVE]) {
		if (!run->counted[KSTATS_KMEM_N_RACED] && run->free)
			say("there is no place for an object, and its buckets are not full");
		if (o->is_live)
			o->stale = true; /* the older object is still there */
		return;
	}
	if (run->counted[KSTATS_KMEM_N_REUSED] != o->is_live)
		say("an address is counted as reused %d times; its free was%s seen",
		    run->counted[KSTATS_KMEM_N_REUSED], o->is_live ? " not" : "");
	o->is_live = true;
	o->stale = o->freed_by_rcu = false;
	o->ns = run->ns;
	o->row = run->rows ? run->row : KSTATS_KMEM_NO_ROW;
	o->cpu = machine.cpu;
	o->tid = machine_task()->ts.pid;
	o->old_req = is_cache(o->program) ? 0 : o->req;
}

static void judge_life(const struct machine_run *run, __u32 site, enum kstats_kmem_free how)
{
	const struct kstats_kmem_life *l = run->life;
	const struct object *o = run->o;
	__u64 ns = run->ns - o->ns, flags = l->key & 7;
	__u32 slot = kstats_slot_index(ns, KSTATS_KMEM_LIFE_BITS);
	bool other_cpu = o->cpu != (__u32)machine.cpu;

	bool is_sure = !(l->key & KSTATS_KMEM_UNVERIFIED);

	if (!is_sure && kmem_sums.skipped_frees == skipped_before)
		say("a lifetime is not sure, though no free was skipped");
	if (o->stale) {
		kmem_sums.stale++;
		kmem_sums.stale_and_sure += is_sure;
		if (is_sure && o->skipped_how == (int)how && o->skipped_cpu == machine.cpu)
			say("a lifetime of two objects is sure, though its program was skipped");
		return;
	}
	if (l->key >> 32 != o->row)
		say("a lifetime is of another row");
	if ((l->key >> 8 & 0xffffff) != slot)
		say("a lifetime is in another slot: %llu ns", ns);
	if (l->site != (1ULL << 63 | (__u64)how << 32 | site))
		say("a lifetime is of another free");
	if (!(flags & KSTATS_KMEM_OTHER_CPU) != !other_cpu ||
	    !(flags & KSTATS_KMEM_OTHER_NUMA) != !other_cpu)
		say("a free on this processor is told as one on another, or the reverse");
	if (!(flags & KSTATS_KMEM_OTHER_TASK) != (o->tid == (__u32)machine_task()->ts.pid))
		say("a free in this task is told as one in another, or the reverse");
}

static void judge_unknown(const struct machine_run *run)
{
	const struct object *o = run->o;

	if (o->is_live)
		say("an object that is in the table is not found");
	if (run->counted[KSTATS_KMEM_N_AGAIN] && o->freed_by_rcu)
		say("what kfree_rcu() freed is told as freed again");
	if (run->counted[KSTATS_KMEM_N_AGAIN] && !o->ns)
		say("an address that was never seen is told as freed again");
}

void free_done(const struct machine_run *run, __u32 site, enum kstats_kmem_free how)
{
	struct object *o = run->o;
	__u32 counted = run->counted[KSTATS_KMEM_N_FREES + how],
	      done = run->counted[KSTATS_KMEM_N_RCU_DONE];

	if (run->lifes + counted + done != 1)
		say("a free has %d lifetimes, and is counted %d times, and %d as done before",
		    run->lifes, counted, done);
	if (run->lifes > 0 || run->counted[KSTATS_KMEM_N_NO_LIFE]) {
		if (!o->is_live)
			say("the lifetime of an object that is not in the table");
	} else if (run->counted[KSTATS_KMEM_N_UNKNOWN]) {
		judge_unknown(run);
	} else if (!done || !o->freed_by_rcu) {
		say("a free is told as done by kfree_rcu() before");
	}
	if (run->lifes) {
		judge_life(run, site, how);
		lifes_told++;
		lifes_ns_told += run->ns - o->ns;
	}
	o->is_live = o->stale = false;
	if (run->lifes || run->counted[KSTATS_KMEM_N_NO_LIFE])
		o->freed_by_rcu = how == KSTATS_KMEM_RCU_FREE;
}

void free_skipped(const struct machine_run *run, enum kstats_kmem_free how)
{
	kmem_sums.skipped_frees++;
	run->o->skipped_how = how;
	run->o->skipped_cpu = machine.cpu;
}

/* ---- after a run ---- */

static void judge_rows(void)
{
	const struct kstats_kmem_row *r = (struct kstats_kmem_row *)machine_map_of(rows)->values;
	__u64 found = 0, expected = 0, req = 0;
	int i, j, k;

	for (i = 0; i < ROWS_MOST * COPIES; i++)
		found += r[i].count;
	for (i = 0; i < ROWS_MOST * COPIES; i++)
		req += r[i].req;
	for (i = 0; i < 2; i++)
		for (j = 0; j < SITES; j++)
			for (k = 0; k < SIZES; k++)
				expected += told[i][j][k];
	if (found != expected)
		say("%llu allocations are in rows, and %llu were counted there", found, expected);
	for (j = 0, expected = 0; j < SITES; j++)
		for (k = 0; k < SIZES; k++)
			if (sizes[k] > KSTATS_KMEM_EXACT)
				expected += told[0][j][k] * sizes[k];
	if (req != expected)
		say("%llu bytes of large sizes are in rows, and %llu were counted", req, expected);
}

static void judge_lifes(void)
{
	const struct kstats_kmem_life *l = (struct kstats_kmem_life *)machine_map_of(lifes)->values;
	__u64 n = 0, ns = 0;
	int i;

	for (i = 0; i < LIFES_MOST * COPIES; i++) {
		n += l[i].count;
		ns += l[i].sum_ns;
	}
	if (n != lifes_told || ns != lifes_ns_told)
		say("%llu lifetimes of %llu ns are in the table, and %llu of %llu were counted", n,
		    ns, lifes_told, lifes_ns_told);
}

static struct object *object_at(__u64 ptr)
{
	int i;

	for (i = 0; i < KMEM_ADDRESSES; i++)
		if (objects[i].ptr == (ptr & ~7ULL))
			return &objects[i];
	return NULL;
}

/* Each live object is in the table once, as it was allocated, and nothing else is. */
static void judge_live(void)
{
	const struct kstats_kmem_live *l = (struct kstats_kmem_live *)machine_map_of(live)->values;
	int places[KMEM_ADDRESSES] = {}, i;
	struct object *o;

	for (i = 0; i < LIVE_MOST; i++) {
		if (!l[i].ptr)
			continue;
		o = object_at(l[i].ptr);
		if (!o || places[o - objects]++) {
			say("an address is in two places");
			continue;
		}
		if ((l[i].ptr & 1) == o->is_live)
			say("object %d is %s in the table", (int)(o - objects),
			    o->is_live ? "free" : "live");
		if (o->is_live && !o->stale &&
		    (l[i].ns != o->ns || l[i].row != o->row || l[i].cpu != o->cpu ||
		     l[i].tid != o->tid || l[i].req != o->old_req))
			say("object %d is not as it was allocated", (int)(o - objects));
	}
	for (i = 0; i < KMEM_ADDRESSES; i++)
		if (objects[i].is_live && !places[i])
			say("object %d is in no place", i);
}

static void judge_counts(void)
{
	const struct kstats_kmem_counts *c =
		(struct kstats_kmem_counts *)machine_map_of(counts)->values;
	int i;

	for (i = 0; i < KSTATS_KMEM_COUNT_N; i++)
		if (c[0].n[i] + c[1].n[i] < kmem_sums.counts[i] - counts_before[i] &&
		    (i < KSTATS_KMEM_REQ_NO_ROW || i >= KSTATS_KMEM_N_NO_LIVE))
			say("counter %d lost a count", i);
}

static void forget_told(void)
{
	memset(told, 0, sizeof(told));
	memcpy(counts_before, kmem_sums.counts, sizeof(counts_before));
	lifes_told = lifes_ns_told = 0;
}

void judge_reset(void)
{
	struct object *o;

	kmem_sums.lifetimes += lifes_told;
	forget_told();
	for (o = objects; o < objects + KMEM_ADDRESSES; o++) {
		o->is_live = o->stale = o->freed_by_rcu = false;
		o->ns = 0;
	}
	kmem_sums.resets++;
}

void judge_begin(void)
{
	forget_told();
	skipped_before = kmem_sums.skipped_frees;
	wrong[0] = 0;
}

const char *judge_all(void)
{
	judge_rows();
	judge_lifes();
	judge_live();
	judge_counts();
	kmem_sums.lifetimes += lifes_told;
	return wrong[0] ? wrong : NULL;
}
