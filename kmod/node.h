/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * node.h - a node of the module: its slots, its name, its life. Included by
 * every file of the module and by nobody else.
 *
 * The counters only grow. A reset copies them, and a read returns the difference. So no
 * reset races with a record, and no sample is lost.
 */
#ifndef KSTATS_NODE_H
#define KSTATS_NODE_H

#include <linux/cache.h>
#include <linux/dcache.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>
#include <asm/local64.h>

#include "kstats_abi.h"

struct account;
struct direct_filter;
struct direct_stub;

/**
 * struct kstats_counter - a slot while it is being counted in
 * @samples: as in struct kstats_slot
 * @sum: as in struct kstats_slot
 *
 * Each is changed by one instruction that an interrupt or NMI of this CPU
 * cannot split, and by no other CPU.
 */
struct kstats_counter {
	local64_t samples;
	local64_t sum;
};

/**
 * struct kstats - the part of a node that recording and others outside may see
 * @id: its place in the table; the upper half tells how often that place has been used
 * @bits: resolution
 * @on: it records; never set in an array, so that node_count() need not ask what it is
 * @n: number of distributions of an array; 0: the node is none
 * @n_on: those that record: all or none
 * @counters: kstats_n_slots(@bits) of them for each CPU; NULL in an array
 * @pools: for each CPU the struct array_pool of an array; NULL for other nodes
 *
 * It has plain types only: BPF compares this type by identity, and if the files of the
 * module saw it differently there would be several.
 */
struct kstats {
	u32 id;
	u8 bits;
	bool on;
	u32 n;
	u32 n_on;
	struct kstats_counter __percpu *counters;
	void *__percpu *pools;
};

/**
 * struct kstats_node - a node
 * @hot: everything that recording reads, in a cache line that is only read
 * @lock: protects @base
 * @base: counters at the last reset, by CPU, or NULL: all zero
 * @bytes: memory that is counted against the limit; protected by the lock of the accounts
 * @account: of its owner, against which the memory is counted
 * @holders: files and programs that hold it
 * @held: in the list of the file that created it
 * @all: in the list of nodes that are in the table, or of those that left it and have a file still
 * @kick: starts @work, from any context
 * @work: destroys the node when nobody holds it any more
 * @rcu: frees it when nobody records any more
 * @dentry: its file, or NULL
 * @owner: the user who created it; INVALID_UID if a module did
 * @direct: stub that measures a function for it, or NULL
 * @filter: which calls that stub measures, or NULL: all
 * @drain: frees the node when nobody is inside the stub any more
 * @name: "" for none
 */
struct kstats_node {
	struct kstats hot;

	struct mutex lock ____cacheline_aligned;
	struct kstats_slot *base;
	u64 bytes;
	struct account *account;
	refcount_t holders;
	struct list_head held;
	struct list_head all;
	struct irq_work kick;
	struct work_struct work;
	struct rcu_head rcu;
	struct dentry *dentry;
	kuid_t owner;
	struct direct_stub *direct;
	struct direct_filter *filter;
	struct delayed_work drain;
	char name[KSTATS_NAME_MAX + 1];
};

static_assert(sizeof(struct kstats_counter) == sizeof(struct kstats_slot));

/** kstats_table - nodes by the lower half of their ids; read under RCU */
extern struct kstats __rcu **kstats_table;

/** kstats_table_size - places in it; the first one is never used */
extern unsigned int kstats_table_size;

/**
 * node_find() - find a node by its id
 * @id: any number
 *
 * Context: preemption off, or rcu_read_lock(), or nodes held.
 * Return: the node, valid while that context lasts, or NULL.
 */
static __always_inline struct kstats *node_find(u32 id)
{
	u32 place = id & 0xffff;
	struct kstats *node;

	if (place >= kstats_table_size)
		return NULL;
	node = rcu_dereference_check(kstats_table[place], 1);
	return node && node->id == id ? node : NULL;
}

/**
 * node_of() - the whole node of a struct kstats
 * @hot: part of it, not NULL
 *
 * Return: the node.
 */
static inline struct kstats_node *node_of(struct kstats *hot)
{
	return container_of(hot, struct kstats_node, hot);
}

/**
 * node_count() - count a sample
 * @node: node
 * @value: any value
 *
 * Context: any, preemption off.
 * Return: 0, or -ESHUTDOWN when the node is stopped.
 */
static __always_inline int node_count(struct kstats *node, u64 value)
{
	u32 bits = node->bits;
	u32 i = kstats_slot_index(value, bits);
	struct kstats_counter *c = this_cpu_ptr(node->counters) + i;

	if (unlikely(!READ_ONCE(node->on)))
		return -ESHUTDOWN;
	local64_inc(&c->samples);
	local64_add(kstats_slot_scale(value, i, bits), &c->sum);
	return 0;
}

/**
 * node_take_memory() - count memory as the node's, until it is freed
 * @node: node
 * @n: bytes
 *
 * Return: false if it would exceed the limit of all nodes.
 */
bool node_take_memory(struct kstats_node *node, u64 n);

/**
 * node_create() - a new node
 * @name: as for KSTATS_DEV_CREATE, ended by NUL
 * @bits: 0 to KSTATS_BITS_MAX
 * @owner: who may use it, or INVALID_UID for nobody
 *
 * Return: node, held once, or an error pointer: -EINVAL, -EEXIST, -ENOSPC, -ENOMEM, -EINTR.
 */
struct kstats_node *node_create(const char *name, u32 bits, kuid_t owner);

/**
 * node_create_array() - a new array
 * @bits: 0 to KSTATS_BITS_MAX
 * @n: number of distributions
 * @blocks: in the pool of each CPU
 * @owner: as for node_create()
 *
 * Return: node, held once, or an error pointer: -EINVAL, -ENOSPC, -ENOMEM, -EINTR.
 */
struct kstats_node *node_create_array(u32 bits, u32 n, u32 blocks, kuid_t owner);

/**
 * node_may() - whether the caller may use a node: its owner, or CAP_SYS_ADMIN
 * @node: node
 *
 * Context: a task of a user.
 * Return: whether it may.
 */
bool node_may(const struct kstats_node *node);

/**
 * node_get() - hold a node
 * @node: one that node_find() returned, in the same context
 *
 * Return: false if nobody holds it any more, and it goes.
 */
bool node_get(struct kstats_node *node);

/** node_put() - let go of a node; the last one removes it, a little later. @node: node */
void node_put(struct kstats_node *node);

/** node_put_anywhere() - the same, from any context. @node: node */
void node_put_anywhere(struct kstats_node *node);

/**
 * node_destroy() - remove a node, whoever holds it; its memory is freed once nobody records into it
 * @node: node
 *
 * Context: process.
 */
void node_destroy(struct kstats_node *node);

/**
 * node_read() - copy the slots of one CPU
 * @node: node
 * @cpu: a possible CPU
 * @to: receives kstats_n_slots() slots
 *
 * Context: process.
 * Return: 0 or -EINTR.
 */
int node_read(struct kstats_node *node, unsigned int cpu, struct kstats_slot *to);

/**
 * node_take() - copy the slots of one CPU and reset them
 * @node: node
 * @cpu: a possible CPU
 * @to: receives kstats_n_slots() slots
 *
 * Context: process.
 * Return: 0, -EINTR or -ENOMEM.
 */
int node_take(struct kstats_node *node, unsigned int cpu, struct kstats_slot *to);

/**
 * node_control() - start, stop or reset
 * @node: node
 * @op: see enum kstats_op
 *
 * Context: process.
 * Return: 0, -EINVAL, -EINTR or -ENOMEM.
 */
int node_control(struct kstats_node *node, u32 op);

/**
 * nodes_hold() - keep all nodes until nodes_drop(): none is created or destroyed
 *
 * Context: process.
 */
void nodes_hold(void);

/** nodes_drop() - end nodes_hold() */
void nodes_drop(void);

/**
 * nodes_next() - walk over all nodes
 * @node: NULL, or what this returned last
 *
 * Context: nodes held.
 * Return: the next node, or NULL.
 */
struct kstats_node *nodes_next(struct kstats_node *node);

/**
 * nodes_init() - allocate the table
 *
 * Return: 0 or -errno.
 */
int nodes_init(void);

/** nodes_exit() - wait until the last node is gone, and free the table */
void nodes_exit(void);

/**
 * record_init() - register the kfuncs
 *
 * Return: 0, or -errno with the reason in the kernel's log.
 */
int record_init(void);

#ifdef CONFIG_DEBUG_FS
/**
 * debugfs_init() - make the folder
 *
 * Return: 0, also if the kernel runs without debugfs; -ENOMEM.
 */
int debugfs_init(void);

/** debugfs_exit() - remove the folder */
void debugfs_exit(void);

/**
 * debugfs_add() - make the file of a node
 * @node: node with a name
 *
 * Return: 0, also without debugfs; -ENOMEM and the like.
 */
int debugfs_add(struct kstats_node *node);

/**
 * debugfs_del() - remove the file of a node, and wait until nobody uses the node by it
 * @node: node
 */
void debugfs_del(struct kstats_node *node);
#else
static inline int debugfs_init(void)
{
	return 0;
}

static inline void debugfs_exit(void)
{
}

static inline int debugfs_add(struct kstats_node *node)
{
	return 0;
}

static inline void debugfs_del(struct kstats_node *node)
{
}
#endif

#ifdef KSTATS_SELFTEST
/**
 * selftest_run() - check that the module works
 *
 * Return: 0, or -EDOM with the reason in the kernel's log.
 */
int selftest_run(void);
#else
static inline int selftest_run(void)
{
	return 0;
}
#endif

#endif /* KSTATS_NODE_H */
