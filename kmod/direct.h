/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * direct.h - stubs that measure a function without a BPF program. In: a node and the address
 * of a function. Out: samples in the node. Included by direct.c, direct_stubs.S, dying.c,
 * node.c and dev.c.
 */
#ifndef KSTATS_DIRECT_H
#define KSTATS_DIRECT_H

/* clang-format off */
/* Calls @x with the number of each stub. */
#define DIRECT_EACH(x)    \
	x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) \
	x(10) x(11) x(12) x(13) x(14) x(15) x(16) x(17) x(18) x(19) \
	x(20) x(21) x(22) x(23) x(24) x(25) x(26) x(27) x(28) x(29) \
	x(30) x(31) x(32) x(33) x(34) x(35) x(36) x(37) x(38) x(39) \
	x(40) x(41) x(42) x(43) x(44) x(45) x(46) x(47) x(48) x(49) \
	x(50) x(51) x(52) x(53) x(54) x(55) x(56) x(57) x(58) x(59) \
	x(60) x(61) x(62) x(63)
/* clang-format on */

/* Stubs that exist; each serves one function at a time. */
#define DIRECT_ONE(n) +1
#define DIRECT_STUBS (0 DIRECT_EACH(DIRECT_ONE))

/* Offsets in struct direct_stub, for assembly. */
#define DIRECT_CALLS 0
#define DIRECT_BITS 8
#define DIRECT_SIZE 64

/* Offsets in struct direct_calls. */
#define DIRECT_STARTED 0
#define DIRECT_MODE 32

/* Whose calls are measured on a CPU. */
#define DIRECT_NOBODY 0
#define DIRECT_EVERYBODY 1
#define DIRECT_LISTED 2 /* those whose bit is set */

#ifndef __ASSEMBLY__

#include <linux/errno.h>
#include <linux/types.h>

struct kstats_node;
struct direct_stub;
struct kstats_direct_counts;
struct kstats_direct_filter;

#ifdef CONFIG_KSTATS_DIRECT
/**
 * direct_init() - prepare the stubs
 *
 * Return: 0 or -errno.
 */
int direct_init(void);

/** direct_exit() - undo direct_init(); no stub is in use */
void direct_exit(void);

/** direct_in_use() - whether there is any stub that may be entered */
bool direct_in_use(void);

/**
 * direct_died() - a call will not return
 * @addr: where it would; if that is in no stub, nothing happens
 *
 * Context: task, preemption off.
 */
void direct_died(unsigned long addr);

/**
 * direct_attach() - measure a function
 * @node: records what is measured; the caller holds it
 * @addr: where the function begins; 0: the one it was detached from
 * @program: see abi_check(); 0 if @addr is 0
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP without a stable time stamp counter, -ENOSPC if all stubs are in use,
 * -EINVAL, -EDOM or -EAGAIN as of place_of(), or what abi_check() says; -EINTR, -EALREADY if the
 * node has a stub that is attached or is for another function, -ESTALE if the module of the
 * function goes or has gone, or what ftrace says: -EBUSY or -EINVAL for a function that somebody
 * else traces in the same way.
 */
int direct_attach(struct kstats_node *node, unsigned long addr, u32 program);

/**
 * direct_filter() - measure only calls of some processes, or on some CPUs
 * @node: has no filter yet, and no stub
 * @like: has the set of processes that it shares, or NULL for a set of its own
 * @filter: which
 *
 * Context: process; the caller holds it.
 * Return: 0; -EALREADY if it has a filter or a stub, -ENOENT if @like has no set, -EINVAL for
 * flags that do not exist, -EOPNOTSUPP if new processes cannot be seen, -ENOMEM.
 */
int direct_filter(struct kstats_node *node, struct kstats_node *like,
		  const struct kstats_direct_filter *filter);

/**
 * direct_follow() - measure one process more
 * @node: any node
 * @process: its number in the initial PID namespace; 0: take all out
 *
 * Return: 0; -ENOENT if it has no set of processes, -EINVAL if no process has such a number.
 */
int direct_follow(struct kstats_node *node, u32 process);

/** direct_release() - free the filter of a node; @node: has no stub. Context: process */
void direct_release(struct kstats_node *node);

/**
 * direct_detach() - stop measuring; calls that are open may still come to their end
 * @node: any node
 *
 * Context: process.
 * Return: 0, or -EINTR if the caller was killed while it waited for others.
 */
int direct_detach(struct kstats_node *node);

/**
 * direct_idle() - whether nobody is inside the stub of a node any more; frees the stub then
 * @node: node that nobody else uses
 *
 * Context: process; may wait for all tasks to be scheduled.
 * Return: 0 if the node has no stub any more, else jiffies after which to ask again.
 */
unsigned long direct_idle(struct kstats_node *node);

/**
 * direct_switch() - let the stub of a node measure, or let it pass
 * @node: any node
 * @on: it measures if the node records
 *
 * Return: 0 or -EINTR.
 */
int direct_switch(struct kstats_node *node, bool on);

/**
 * direct_reset() - count from now on
 * @node: any node, its lock held
 * @samples: all of them that are before the reset
 */
void direct_reset(struct kstats_node *node, u64 samples);

/**
 * direct_counts() - read the calls of a node
 * @node: any node
 * @to: receives the sum over all CPUs
 *
 * Return: 0, or -ENOENT if it has no stub.
 */
int direct_counts(struct kstats_node *node, struct kstats_direct_counts *to);
#else
static inline int direct_init(void)
{
	return 0;
}

static inline void direct_exit(void)
{
}

static inline int direct_attach(struct kstats_node *node, unsigned long addr, u32 program)
{
	return -EOPNOTSUPP;
}

static inline int direct_filter(struct kstats_node *node, struct kstats_node *like,
				const struct kstats_direct_filter *filter)
{
	return -EOPNOTSUPP;
}

static inline int direct_follow(struct kstats_node *node, u32 process)
{
	return -ENOENT;
}

static inline void direct_release(struct kstats_node *node)
{
}

static inline int direct_detach(struct kstats_node *node)
{
	return 0;
}

static inline unsigned long direct_idle(struct kstats_node *node)
{
	return 0;
}

static inline int direct_switch(struct kstats_node *node, bool on)
{
	return 0;
}

static inline void direct_reset(struct kstats_node *node, u64 samples)
{
}

static inline int direct_counts(struct kstats_node *node, struct kstats_direct_counts *to)
{
	return -ENOENT;
}
#endif

#endif /* __ASSEMBLY__ */
#endif /* KSTATS_DIRECT_H */
