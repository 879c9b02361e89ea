// SPDX-License-Identifier: GPL-2.0-only
/*
 * who.c - filters of stubs, and the sets of processes in them. See who.h.
 *
 * While there is a set, a probe at the tracepoint of fork decides for each new process whether
 * it is in the set. The parent runs it before the new process can run.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "who.h"

#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <trace/events/sched.h>

#include "account.h"
#include "dying.h"
#include "node.h"

static LIST_HEAD(sets); /* changed under sets_lock, read under RCU */
static DEFINE_MUTEX(sets_lock);
static struct tracepoint *fork_point;

/* ---- new processes ---- */

/* Its threads have the number of the process, and so its bit. */
static void forked(void *unused, struct task_struct *parent, struct task_struct *child)
{
	struct who *who;

	if (!thread_group_leader(child))
		return;
	/* Tracepoints of newer kernels do not keep readers of RCU. */
	rcu_read_lock();
	list_for_each_entry_rcu(who, &sets, list)
	{
		if (who->follows && test_bit(parent->tgid, who->bits))
			set_bit(child->tgid, who->bits);
		else if (test_bit(child->tgid, who->bits))
			clear_bit(child->tgid, who->bits);
	}
	rcu_read_unlock();
}

/* The kernel does not export this tracepoint by its name. */
static int watch(void)
{
	check_trace_callback_type_sched_process_fork(forked);
	if (!fork_point)
		fork_point = tracepoint_named("sched_process_fork");
	return fork_point ? tracepoint_probe_register(fork_point, forked, NULL) : -EOPNOTSUPP;
}

static void unwatch(void)
{
	tracepoint_probe_unregister(fork_point, forked, NULL);
	tracepoint_synchronize_unregister();
}

/* ---- sets ---- */

static void set_free(struct who *who)
{
	if (who->account)
		account_return(who->account, WHO_BYTES);
	vfree(who->bits);
	kfree(who);
}

static struct who *who_new(struct kstats_node *node, bool follows)
{
	struct who *who = kzalloc(sizeof(*who), GFP_KERNEL_ACCOUNT);
	int err = 0;

	if (!who)
		return ERR_PTR(-ENOMEM);
	who->account = account_keep(node, WHO_BYTES);
	refcount_set(&who->users, 1);
	who->follows = follows;
	if (who->account)
		who->bits = __vmalloc(WHO_BYTES, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!who->bits) {
		set_free(who);
		return ERR_PTR(-ENOMEM);
	}
	mutex_lock(&sets_lock);
	if (list_empty(&sets))
		err = watch();
	if (!err)
		list_add_rcu(&who->list, &sets);
	mutex_unlock(&sets_lock);
	if (!err)
		return who;
	set_free(who);
	return ERR_PTR(err);
}

static struct who *who_get(struct who *who)
{
	refcount_inc(&who->users);
	return who;
}

/* No stub of that node reads it any more. */
static void who_put(struct who *who)
{
	if (!who || !refcount_dec_and_test(&who->users))
		return;
	mutex_lock(&sets_lock);
	list_del_rcu(&who->list);
	if (list_empty(&sets))
		unwatch();
	mutex_unlock(&sets_lock);
	synchronize_rcu(); /* a fork may be reading it */
	set_free(who);
}

int who_add(struct who *who, u32 process)
{
	if (!process || process >= PID_MAX_LIMIT)
		return -EINVAL;
	set_bit(process, who->bits);
	return 0;
}

void who_clear(struct who *who)
{
	unsigned long i;

	for (i = 0; i < BITS_TO_LONGS(PID_MAX_LIMIT); i++)
		WRITE_ONCE(who->bits[i], 0);
}

/* ---- filters ---- */

#define FILTER_FLAGS (KSTATS_DIRECT_BY_PROCESS | KSTATS_DIRECT_FOLLOW | KSTATS_DIRECT_BY_CPU)

static struct who *who_like(struct kstats_node *node, struct kstats_node *like, bool follows)
{
	if (like)
		return like->filter && like->filter->who ? who_get(like->filter->who)
							 : ERR_PTR(-ENOENT);
	return who_new(node, follows);
}

struct direct_filter *filter_new(struct kstats_node *node, struct kstats_node *like,
				 const struct kstats_direct_filter *from)
{
	struct direct_filter *filter;
	struct who *who = NULL;
	unsigned int cpu;

	if (from->flags & ~FILTER_FLAGS)
		return ERR_PTR(-EINVAL);
	filter = kzalloc(sizeof(*filter), GFP_KERNEL_ACCOUNT);
	if (!filter)
		return ERR_PTR(-ENOMEM);
	if (from->flags & KSTATS_DIRECT_BY_PROCESS)
		who = who_like(node, like, from->flags & KSTATS_DIRECT_FOLLOW);
	if (IS_ERR(who)) {
		kfree(filter);
		return ERR_CAST(who);
	}
	filter->who = who;
	filter->by_cpu = from->flags & KSTATS_DIRECT_BY_CPU;
	for_each_possible_cpu(cpu)
		if (cpu < KSTATS_CPUS_MAX && from->cpus[cpu / 64] >> (cpu % 64) & 1)
			cpumask_set_cpu(cpu, &filter->cpus);
	return filter;
}

void filter_free(struct direct_filter *filter)
{
	if (filter)
		who_put(filter->who);
	kfree(filter);
}
