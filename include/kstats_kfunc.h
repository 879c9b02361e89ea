/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_kfunc.h - what the module kstats offers to BPF programs. Included by
 * BPF programs, anybody's, after vmlinux.h and bpf_helpers.h, and by the module
 * itself. See kstats(9), and the programs under examples/.
 *
 * A node has one owner, who holds the pointer that kstats_node_create() gave;
 * parked in a map (bpf_kptr_xchg) it dies with the map. Everybody else names it
 * by its id. Everybody may read it and record into it; only who has CAP_SYS_ADMIN, or
 * is the user whose program created it, may start, stop, take and reset it. An id is
 * not used again before 65,535 others of its place were.
 */
#ifndef KSTATS_KFUNC_H
#define KSTATS_KFUNC_H

#include "kstats_abi.h"

#ifdef __bpf__
#define KSTATS_KFUNC extern
#define KSTATS_KSYM __ksym
/* A body, since libbpf before 1.2 takes no kfunc with a forward declaration. */
struct kstats {
	__u32 id;
} __attribute__((preserve_access_index));
#else
#define KSTATS_KFUNC
#define KSTATS_KSYM
struct kstats;
#endif

/**
 * kstats_record() - count a sample
 * @id: node
 * @value: any value
 *
 * Takes no lock, allocates nothing. For tracing, tp_btf, kprobe, perf event and
 * syscall programs, and raw tracepoints where the kernel lets them.
 *
 * Context: any: task, softirq, hardirq, NMI.
 * Return: 0, -ENOENT when there is no such node, -ESHUTDOWN when it is stopped.
 */
KSTATS_KFUNC int kstats_record(__u32 id, __u64 value) KSTATS_KSYM;

/**
 * kstats_node_create() - a new node, which records at once
 * @name: up to 63 letters, digits, and any of _ . - : ; ended by a NUL or by
 *	@name__sz; "" makes a node without a name, known by its id only
 * @name__sz: bytes of @name
 * @frac_bits: resolution, 0 to 5
 * @id: receives the id, or a negative errno: -EINVAL for a bad name or
 *	resolution, -EEXIST, -ENOSPC when the module holds all the nodes or memory
 *	it may (its parameters), -ENOMEM
 *
 * Context: syscall programs.
 * Return: the node, owned by the caller, or NULL.
 */
KSTATS_KFUNC struct kstats *kstats_node_create(const char *name, __u32 name__sz, __u32 frac_bits,
					       __s64 *id) KSTATS_KSYM;

/**
 * kstats_node_release() - remove a node
 * @node: node, owned; not to be used afterwards
 *
 * Context: syscall programs.
 */
KSTATS_KFUNC void kstats_node_release(struct kstats *node) KSTATS_KSYM;

/**
 * kstats_node_read() - copy the slots of one CPU
 * @id: node
 * @cpu: a possible CPU
 * @slots: receives struct kstats_slot, one after another
 * @slots__sz: bytes of @slots
 *
 * Context: syscall programs.
 * Return: number of slots; -ENOENT, -EINVAL for no such CPU, -ENOSPC when
 * @slots is too small.
 */
KSTATS_KFUNC int kstats_node_read(__u32 id, __u32 cpu, void *slots, __u32 slots__sz) KSTATS_KSYM;

/**
 * kstats_node_take() - copy the slots of one CPU and reset them, in one step
 * @id: node
 * @cpu: a possible CPU
 * @slots: receives struct kstats_slot, one after another
 * @slots__sz: bytes of @slots
 *
 * What several takers get adds up to what was recorded: no sample is in two
 * copies, or in none.
 *
 * Context: syscall programs.
 * Return: as kstats_node_read(), -EPERM for a node of somebody else, or -ENOMEM for
 * the first reset of a node.
 */
KSTATS_KFUNC int kstats_node_take(__u32 id, __u32 cpu, void *slots, __u32 slots__sz) KSTATS_KSYM;

/**
 * kstats_node_control() - start, stop or reset a node
 * @id: node
 * @op: see enum kstats_op
 *
 * Context: syscall programs.
 * Return: 0, -ENOENT, -EINVAL, -EPERM for a node of somebody else, or -ENOMEM for
 * the first reset of a node.
 */
KSTATS_KFUNC int kstats_node_control(__u32 id, __u32 op) KSTATS_KSYM;

#endif /* KSTATS_KFUNC_H */
