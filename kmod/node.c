// SPDX-License-Identifier: GPL-2.0-only
/*
 * node.c - the life of a node: created, recorded into, read, controlled, destroyed. In:
 * calls from dev.c, record.c, api.c and debugfs.c.
 *
 * nodes_sem is held for writing to add or remove a node, and for reading to keep a node
 * that somebody else owns. Recording takes only RCU.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "account.h"
#include "array.h"
#include "direct.h"
#include "node.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/module.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/wait_bit.h>

static DECLARE_RWSEM(nodes_sem);
static struct workqueue_struct *undertaker;
static u16 *generations; /* how often each place has been used */
static u32 last_place;
static LIST_HEAD(nodes); /* in the table */
static LIST_HEAD(leavers);

struct kstats __rcu **kstats_table;
unsigned int kstats_table_size;

/* ---- memory ---- */

bool node_take_memory(struct kstats_node *node, u64 n)
{
	return account_take(node, n);
}

static size_t slots_bytes(const struct kstats_node *node)
{
	return kstats_n_slots(node->hot.bits) * sizeof(struct kstats_slot);
}

static void node_free(struct rcu_head *rcu)
{
	struct kstats_node *node = container_of(rcu, struct kstats_node, rcu);

	account_close(node);
	free_percpu(node->hot.counters);
	array_free(node);
	kvfree(node->base);
	kfree(node);
}

static int node_alloc_slots(struct kstats_node *node)
{
	size_t size = slots_bytes(node);

	if (!account_take(node, size * num_possible_cpus()))
		return -ENOSPC;
	node->hot.on = true;
	node->hot.counters = __alloc_percpu_gfp(size, SMP_CACHE_BYTES, GFP_KERNEL_ACCOUNT);
	return node->hot.counters ? 0 : -ENOMEM;
}

/* ---- names and places ---- */

static bool name_ok(const char *name)
{
	const char *p;

	for (p = name; *p; p++)
		if (!isascii(*p) || (!isalnum(*p) && !strchr("_.-:", *p)))
			return false;
	return p - name <= KSTATS_NAME_MAX && strcmp(name, ".") && strcmp(name, "..");
}

struct kstats_node *nodes_next(struct kstats_node *node)
{
	lockdep_assert_held(&nodes_sem);
	if (node ? list_is_last(&node->all, &nodes) : list_empty(&nodes))
		return NULL;
	return node ? list_next_entry(node, all)
		    : list_first_entry(&nodes, struct kstats_node, all);
}

static bool name_used(const char *name)
{
	struct kstats_node *node;

	if (!*name)
		return false;
	if (!strcmp(name, "_control"))
		return true;
	list_for_each_entry(node, &leavers, all) if (!strcmp(node->name, name)) return true;
	list_for_each_entry(node, &nodes, all) if (!strcmp(node->name, name)) return true;
	return false;
}

/* Find the place that has been free the longest, so that old ids stay invalid. */
static int place_find(void)
{
	u32 i, place = last_place;

	for (i = 1; i < kstats_table_size; i++) {
		place = place + 1 < kstats_table_size ? place + 1 : 1;
		if (!rcu_access_pointer(kstats_table[place]))
			return place;
	}
	return -ENOSPC;
}

static void place_take(struct kstats_node *node, u32 place)
{
	last_place = place;
	generations[place]++;
	node->hot.id = place | (u32)generations[place] << 16;
	list_add_tail(&node->all, &nodes);
	rcu_assign_pointer(kstats_table[place], &node->hot);
}

/* ---- life ---- */

/**
 * struct shape - what a node holds
 * @bits: resolution
 * @n: distributions of an array; 0: the node is none
 * @blocks: in each pool of an array
 */
struct shape {
	u32 bits;
	u32 n;
	u32 blocks;
};

/* Wait until nobody can record into the node by a stub any more, then free it. */
static void drain(struct work_struct *work)
{
	struct kstats_node *node = container_of(to_delayed_work(work), struct kstats_node, drain);

	unsigned long again = direct_idle(node);

	if (again) {
		queue_delayed_work(undertaker, &node->drain, again);
		return;
	}
	direct_release(node);
	call_rcu(&node->rcu, node_free);
}

static void bury(struct work_struct *work)
{
	node_destroy(container_of(work, struct kstats_node, work));
}

static void kick(struct irq_work *work)
{
	struct kstats_node *node = container_of(work, struct kstats_node, kick);

	queue_work(undertaker, &node->work);
}

static int alloc_slots(struct kstats_node *node, const struct shape *shape)
{
	if (!account_take(node, sizeof(*node)))
		return -ENOSPC;
	return shape->n ? array_init(node, shape->n, shape->blocks) : node_alloc_slots(node);
}

/* All but its place in the table. */
static int node_fill(struct kstats_node *node, const struct shape *shape)
{
	int err = account_open(node);

	if (err)
		return err;
	err = alloc_slots(node, shape);
	/* Nobody finds it by its file before this is unlocked. */
	if (!err && *node->name)
		err = debugfs_add(node);
	if (err)
		account_leave(node);
	return err;
}

static struct kstats_node *node_alloc(const char *name, const struct shape *shape, kuid_t owner)
{
	struct kstats_node *node = kzalloc(sizeof(*node), GFP_KERNEL_ACCOUNT);
	int err;

	if (!node)
		return ERR_PTR(-ENOMEM);
	node->hot.bits = shape->bits;
	node->owner = owner;
	strscpy(node->name, name, sizeof(node->name));
	mutex_init(&node->lock);
	refcount_set(&node->holders, 1);
	/* Hard also with PREEMPT_RT: RCU then waits for it; it would not wait for a thread. */
	node->kick = IRQ_WORK_INIT_HARD(kick);
	INIT_WORK(&node->work, bury);
	INIT_DELAYED_WORK(&node->drain, drain);
	err = node_fill(node, shape);
	if (!err)
		return node;
	node_free(&node->rcu);
	return ERR_PTR(err);
}

static struct kstats_node *create(const char *name, const struct shape *shape, kuid_t owner)
{
	struct kstats_node *node;
	int place;

	if (shape->bits > KSTATS_BITS_MAX || !name_ok(name))
		return ERR_PTR(-EINVAL);
	if (down_write_killable(&nodes_sem))
		return ERR_PTR(-EINTR);
	if (name_used(name)) {
		node = ERR_PTR(-EEXIST);
		goto out;
	}
	place = place_find();
	if (place < 0) {
		node = ERR_PTR(place);
		goto out;
	}
	node = node_alloc(name, shape, owner);
	if (!IS_ERR(node))
		place_take(node, place);
out:
	up_write(&nodes_sem);
	return node;
}

struct kstats_node *node_create(const char *name, u32 bits, kuid_t owner)
{
	return create(name, &(struct shape){ .bits = bits }, owner);
}

struct kstats_node *node_create_array(u32 bits, u32 n, u32 blocks, kuid_t owner)
{
	struct shape shape = { .bits = bits, .n = n, .blocks = blocks };

	return n ? create("", &shape, owner) : ERR_PTR(-EINVAL);
}

void node_destroy(struct kstats_node *node)
{
	down_write(&nodes_sem);
	RCU_INIT_POINTER(kstats_table[node->hot.id & 0xffff], NULL);
	list_move(&node->all, &leavers);
	account_leave(node);
	up_write(&nodes_sem);
	/* This waits for callers that are opening the file or controlling the node by it. */
	debugfs_del(node);
	down_write(&nodes_sem);
	list_del(&node->all);
	up_write(&nodes_sem);
	/* That of a module is removed while the module holds it, and others may be at it. */
	if (refcount_read(&node->holders))
		synchronize_rcu(); /* after this, nobody finds it any more */
	wait_var_event(&node->holders, refcount_read(&node->holders) <= 1);
	direct_detach(node);
	drain(&node->drain.work);
}

bool node_may(const struct kstats_node *node)
{
	return uid_eq(node->owner, current_euid()) || capable(CAP_SYS_ADMIN);
}

bool node_get(struct kstats_node *node)
{
	return refcount_inc_not_zero(&node->holders);
}

void node_put(struct kstats_node *node)
{
	/* Whoever waits is not the last one. */
	if (refcount_dec_and_test(&node->holders)) {
		queue_work(undertaker, &node->work);
	} else {
		/* One who begins to wait now sees the new number, or is seen here. */
		smp_mb();
		wake_up_var(&node->holders);
	}
}

void node_put_anywhere(struct kstats_node *node)
{
	if (refcount_dec_and_test(&node->holders))
		irq_work_queue(&node->kick);
}

void nodes_hold(void)
{
	down_read(&nodes_sem);
}

void nodes_drop(void)
{
	up_read(&nodes_sem);
}

/* ---- reading and control ---- */

/*
 * Copy the counts since the last reset to @to, unless it is NULL. With @take, the next copy
 * starts from what is copied here. Each counter is read once, since @to may be memory that
 * others write to.
 */
static void copy_slots(struct kstats_node *node, unsigned int cpu, struct kstats_slot *to,
		       bool take)
{
	const struct kstats_counter *c = per_cpu_ptr(node->hot.counters, cpu);
	u32 i, n = kstats_n_slots(node->hot.bits);
	struct kstats_slot now, *base = NULL;

	if (node->base)
		base = node->base + (size_t)cpu * n;
	for (i = 0; i < n; i++) {
		now.samples = local64_read(&c[i].samples);
		now.sum = local64_read(&c[i].sum);
		if (to) {
			to[i].samples = now.samples - (base ? base[i].samples : 0);
			to[i].sum = now.sum - (base ? base[i].sum : 0);
		}
		if (take)
			base[i] = now;
	}
	cond_resched();
}

int node_read(struct kstats_node *node, unsigned int cpu, struct kstats_slot *to)
{
	if (mutex_lock_killable(&node->lock))
		return -EINTR;
	copy_slots(node, cpu, to, false);
	mutex_unlock(&node->lock);
	return 0;
}

static int node_alloc_base(struct kstats_node *node)
{
	size_t size = slots_bytes(node) * nr_cpu_ids;

	if (node->base)
		return 0;
	if (!account_take(node, size))
		return -ENOMEM;
	node->base = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (node->base)
		return 0;
	account_give(node, size);
	return -ENOMEM;
}

int node_take(struct kstats_node *node, unsigned int cpu, struct kstats_slot *to)
{
	int err;

	if (mutex_lock_killable(&node->lock))
		return -EINTR;
	err = node_alloc_base(node);
	if (!err)
		copy_slots(node, cpu, to, true);
	mutex_unlock(&node->lock);
	return err;
}

static u64 base_samples(const struct kstats_node *node)
{
	u32 i, n = kstats_n_slots(node->hot.bits);
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		for (i = 0; i < n; i++)
			sum += node->base[(size_t)cpu * n + i].samples;
	return sum;
}

static int node_op_reset(struct kstats_node *node)
{
	unsigned int cpu;
	int err;

	if (mutex_lock_killable(&node->lock))
		return -EINTR;
	err = node_alloc_base(node);
	if (!err)
		for_each_possible_cpu(cpu)
			copy_slots(node, cpu, NULL, true);
	if (!err)
		direct_reset(node, base_samples(node));
	mutex_unlock(&node->lock);
	return err;
}

static int node_op_stop(struct kstats_node *node)
{
	int err = direct_switch(node, false);

	WRITE_ONCE(node->hot.on, false);
	/* Once more: a stub may have been attached, or the node started, since. */
	if (!err)
		err = direct_switch(node, true);
	synchronize_rcu(); /* after this, all records that saw it on are complete */
	return err;
}

int node_control(struct kstats_node *node, u32 op)
{
	if (node->hot.n)
		return array_control(node, op);
	switch (op) {
	case KSTATS_OP_START:
		WRITE_ONCE(node->hot.on, true);
		return direct_switch(node, true);
	case KSTATS_OP_STOP:
		return node_op_stop(node);
	case KSTATS_OP_RESET:
		return node_op_reset(node);
	}
	return -EINVAL;
}

/* ---- the table ---- */

int nodes_init(void)
{
	u32 places = account_places();

	if (!places)
		return -EINVAL;
	kstats_table_size = places + 1;
	kstats_table = kvcalloc(kstats_table_size, sizeof(*kstats_table), GFP_KERNEL);
	generations = kvcalloc(kstats_table_size, sizeof(*generations), GFP_KERNEL);
	undertaker = alloc_ordered_workqueue("kstats", 0);
	if (kstats_table && generations && undertaker)
		return 0;
	if (undertaker)
		destroy_workqueue(undertaker);
	kvfree(generations);
	kvfree(kstats_table);
	return -ENOMEM;
}

/* Wait for nodes on their way from the interrupt to the work queue. */
static void kicks_finish(void)
{
	struct kstats_node *node = NULL;

	nodes_hold();
	while ((node = nodes_next(node)))
		irq_work_sync(&node->kick);
	nodes_drop();
	synchronize_rcu(); /* also for those that have left the table */
}

void nodes_exit(void)
{
	struct kstats_node *node;

	kicks_finish();
	destroy_workqueue(undertaker);
	for (;;) {
		nodes_hold();
		node = nodes_next(NULL);
		nodes_drop();
		if (!node)
			break;
		pr_warn("node '%s' was not deleted by its owner\n", node->name);
		node_destroy(node);
	}
	rcu_barrier();
	kvfree(generations);
	kvfree(kstats_table);
}
