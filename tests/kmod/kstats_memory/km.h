/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * km.h - what the files of the test module share
 *
 * Functions that allocate or free are named km_*, and never inlined, so that each call
 * site lies in a function of its own. None of them ends with a call (the truth is counted
 * last): a call at the end would become a jump, and the site that of the caller.
 */
#ifndef KM_H
#define KM_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/types.h>

#define __site noinline __attribute__((noipa))

/* ---- the truth: any context -------------------------------------------------- */

/** struct object - what was allocated, where, by whom */
struct object {
	void *ptr;
	const char *site; /* a function's __func__ */
	int cpu;
	const void *task; /* the idle tasks of all CPUs have one number */
};

/* Allocations of one size: @cache and the kind as the row has them, @each given. */
void truth_alloc(const char *site, const char *cache, u64 req, u64 each, u64 count);

/* One free of @o by the caller, here and now. */
void truth_free(const struct object *o, const char *how, const char *site);

/* @count frees, each by the task and on the CPU that allocated. */
void truth_frees(const char *alloc, const char *how, const char *site, u64 count);

/* An object of @site lived at least @inner and at most @outer ns. */
void truth_life(const char *site, u64 inner, u64 outer);

/* What is only counted, by name. */
void truth_count(const char *name, u64 count);

void truth_reset(void);
struct seq_file;
void truth_show(struct seq_file *seq);
void truth_show_lives(struct seq_file *seq);

/* ---- what allocates and frees, with its truth ----------------------------------- */

/* Each gives false where there is no memory. */
bool km_kmalloc(struct object *o, size_t size, gfp_t gfp);
bool km_realloc(struct object *o, size_t size);
void km_kfree(struct object *o);

/* ---- operations: as many numbers as the table in main.c says --------------------- */

#define OP_ARGS 3

int op_kmalloc(const u64 *arg);
int op_atomic(const u64 *arg);
int op_fixed(const u64 *arg);
int op_zalloc(const u64 *arg);
int op_node(const u64 *arg);
int op_kvmalloc(const u64 *arg);
int op_realloc(const u64 *arg);
int op_nothing(const u64 *arg);
int op_too_much(const u64 *arg);
int op_helpers(const u64 *arg);
int op_pages(const u64 *arg);
int op_cost(const u64 *arg);
int op_rcu(const u64 *arg);
int op_rcu_alone(const u64 *arg);

int op_behind(const u64 *arg);
int op_behind_cache(const u64 *arg);
int op_behind_bulk(const u64 *arg);
int op_behind_pages(const u64 *arg);
int op_deep(const u64 *arg);

int op_cache(const u64 *arg);
int op_cache_ctor(const u64 *arg);
int op_cache_kfree(const u64 *arg);
int op_bulk(const u64 *arg);
int op_bulk_alloc(const u64 *arg);
int op_bulk_free(const u64 *arg);
int op_cache_keep(const u64 *arg);
int op_cache_drop(const u64 *arg);
int op_cache_many(const u64 *arg);
int caches_make(void);
struct kmem_cache *plain_cache(void);
#define PLAIN_NAME "kstats_memory_plain"
#define PLAIN_SIZE 200
void caches_destroy(void);

int op_live(const u64 *arg);
int op_sleep(const u64 *arg);
int op_keep(const u64 *arg);
int op_realloc_keep(const u64 *arg);
int op_drop(const u64 *arg);
int op_forget(const u64 *arg);
int op_hop(const u64 *arg);
int op_task(const u64 *arg);
int op_cross(const u64 *arg);
int op_idle(const u64 *arg);
int op_irq(const u64 *arg);
int op_softirq(const u64 *arg);
int op_storm(const u64 *arg);
int op_exchange(const u64 *arg);
void kept_free(void);
extern bool forgotten; /* objects were left for good, so their caches must stay */

/* Runs an operation on every online CPU at once. */
int par_run(int (*run)(const u64 *arg), const u64 *arg);

/* Runs one in a task named kstats_memory, on this CPU. */
int named_run(int (*run)(const u64 *arg), const u64 *arg);

/* Before each call: is there another one to make? Lets others run. */
static inline bool calls_go_on(u64 done, u64 calls)
{
	if (done >= calls)
		return false;
	if (done % 64 == 0) {
		cond_resched();
		return !fatal_signal_pending(current);
	}
	return true;
}

/* What an operation returns that was to make that many calls. */
static inline int calls_result(u64 done, u64 calls)
{
	return done == calls ? 0 : -EINTR;
}

static __always_inline void busy_until(u64 end_ns)
{
	while (ktime_get_ns() < end_ns)
		cpu_relax();
}

static inline unsigned int next_cpu(unsigned int cpu)
{
	cpu = cpumask_next(cpu, cpu_online_mask);
	return cpu < nr_cpu_ids ? cpu : cpumask_first(cpu_online_mask);
}

/* Fills in @o: @ptr was just allocated here. */
static inline bool object_made(struct object *o, void *ptr, const char *site)
{
	*o = (struct object){ ptr, site, raw_smp_processor_id(), current };
	return ptr;
}

#endif
