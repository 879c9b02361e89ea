/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_kfunc.h - the kfuncs of the module kstats. Included by BPF programs of anyone,
 * after vmlinux.h and bpf_helpers.h, and by the module itself. The manual is kstats(9);
 * examples/ has a program.
 *
 * A node has one owner, who holds the pointer that kstats_node_create() returned. Stored in
 * a map (bpf_kptr_xchg), the node is released with the map. Everyone else refers to it by
 * its id. Anyone may read a node and record into it. Only a caller with CAP_SYS_ADMIN, or
 * the user whose program created it, may start, stop, take or reset it. An id is reused
 * only after 65,535 other nodes have had its place.
 */
#ifndef KSTATS_KFUNC_H
#define KSTATS_KFUNC_H

#include "kstats_abi.h"

#ifdef __bpf__
#define KSTATS_KFUNC extern
#define KSTATS_KSYM __ksym
/* These have a body, since libbpf before 1.2 accepts no kfunc with a forward declaration. */
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
 * Takes no lock and allocates nothing. For tracing, tp_btf, kprobe, perf event and syscall
 * programs, and for raw tracepoints where the kernel allows it.
 *
 * Context: any: task, softirq, hardirq, NMI.
 * Return: 0, -ENOENT when there is no such node, -ESHUTDOWN when it is stopped.
 */
KSTATS_KFUNC int kstats_record(__u32 id, __u64 value) KSTATS_KSYM;

/**
 * kstats_node_create() - create a node, which records at once
 * @name: up to 63 letters, digits, and any of _ . - : ; ended by a NUL or by
 *	@name__sz; "" makes a node without a name, known by its id only
 * @name__sz: bytes of @name
 * @frac_bits: resolution, 0 to 5
 * @id: receives the id, or a negative errno: -EINVAL for an invalid name or resolution,
 *	-EEXIST, -ENOSPC if the module has as many nodes or as much memory as its parameters
 *	allow, -ENOMEM
 *
 * Context: syscall programs.
 * Return: the node, owned by the caller, or NULL.
 */
KSTATS_KFUNC struct kstats *kstats_node_create(const char *name, __u32 name__sz, __u32 frac_bits,
					       __s64 *id) KSTATS_KSYM;

/**
 * kstats_node_release() - remove a node
 * @node: node, owned by the caller, who must not use it afterwards
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
 * Return: number of slots; -ENOENT; -EINVAL if the CPU is not possible; -ENOSPC if @slots
 * is too small. Also -EINVAL for an array.
 */
KSTATS_KFUNC int kstats_node_read(__u32 id, __u32 cpu, void *slots, __u32 slots__sz) KSTATS_KSYM;

/**
 * kstats_node_take() - copy the slots of one CPU and reset them, in one step
 * @id: node
 * @cpu: a possible CPU
 * @slots: receives struct kstats_slot, one after another
 * @slots__sz: bytes of @slots
 *
 * Copies of several callers add up to what was recorded: each sample is in exactly one
 * copy.
 *
 * Context: syscall programs.
 * Return: like kstats_node_read(); also -EPERM for another user's node, and -ENOMEM, which
 * only the first reset of a node can return.
 */
KSTATS_KFUNC int kstats_node_take(__u32 id, __u32 cpu, void *slots, __u32 slots__sz) KSTATS_KSYM;

/**
 * kstats_node_control() - start, stop or reset a node
 * @id: node
 * @op: see enum kstats_op
 *
 * While an array is reset, it refuses samples.
 *
 * Context: syscall programs.
 * Return: 0, -ENOENT, -EINVAL, -EPERM for another user's node, or -ENOMEM, which only the
 * first reset of a node can return.
 */
KSTATS_KFUNC int kstats_node_control(__u32 id, __u32 op) KSTATS_KSYM;

/**
 * kstats_array_create() - create a node without a name that holds many distributions
 * @frac_bits: resolution of all, 0 to 5
 * @n: number of distributions
 * @blocks: on each CPU, how many blocks of 16 neighbouring slots all of them together can take
 * @id: receives the id, or a negative errno as kstats_node_create() tells it
 *
 * A distribution takes a block when it first needs one of its slots. On each CPU it takes 128
 * bytes, and a block 264.
 *
 * Context: syscall programs.
 * Return: the node, owned by the caller, or NULL.
 */
KSTATS_KFUNC struct kstats *kstats_array_create(__u32 frac_bits, __u32 n, __u32 blocks,
						__s64 *id) KSTATS_KSYM;

/**
 * kstats_array_record() - count a sample in a distribution of an array
 * @id: array
 * @index: distribution, below the number of them
 * @value: any value
 *
 * Takes no lock and allocates nothing. For the same programs as kstats_record(), which refuses
 * an array as a node that is stopped.
 *
 * Context: any: task, softirq, hardirq, NMI.
 * Return: 0, -ENOENT when there is no such node, -EINVAL when it has no such distribution,
 * -ESHUTDOWN when it is stopped or being reset, -ENOSPC when this CPU has no block left for the
 * sample.
 */
KSTATS_KFUNC int kstats_array_record(__u32 id, __u32 index, __u64 value) KSTATS_KSYM;

/**
 * kstats_array_read() - copy the blocks of a distribution that are in use
 * @id: array
 * @index: distribution
 * @cpu: the first possible CPU that is read
 * @blocks: receives struct kstats_block, those of one CPU after those of another; in each, @next
 *	is the number of its CPU
 * @blocks__sz: bytes of @blocks: at least KSTATS_N_BLOCKS_MAX blocks
 *
 * The blocks of a CPU are in any order. It stops at a CPU for which there may be too little room
 * left: it has read all CPUs if KSTATS_N_BLOCKS_MAX more blocks would fit.
 *
 * Context: syscall programs.
 * Return: number of blocks; -ENOENT; -EINVAL if the node has no such distribution; -ENOSPC if
 * @blocks is too small.
 */
KSTATS_KFUNC int kstats_array_read(__u32 id, __u32 index, __u32 cpu, void *blocks,
				   __u32 blocks__sz) KSTATS_KSYM;

/**
 * kstats_direct_attach() - measure a function without a BPF program, into a node
 * @id: node; it measures one function
 * @addr: address of the function; 0: of the one that was detached
 *
 * The kernel crashes if the function takes arguments on the stack, or returns in more than two
 * registers, or has another address. So this needs CAP_SYS_ADMIN.
 *
 * Context: syscall programs.
 * Return: 0, -ENOENT, -EPERM, -EOPNOTSUPP if the kernel lacks what it takes or its time stamp
 * counter is not stable, -ENOSPC if as many functions are measured as can be, -EINVAL if ftrace
 * cannot hook the address or the node is an array, -EALREADY if the node measures a function,
 * -ESTALE if the module of the function goes or has gone since, -EBUSY (or -EINVAL) if the function
 * is traced by a BPF trampoline or has a livepatch, -ENOMEM.
 */
KSTATS_KFUNC int kstats_direct_attach(__u32 id, __u64 addr) KSTATS_KSYM;

/**
 * kstats_direct_filter() - before kstats_direct_attach(): measure only some calls
 * @id: node
 * @filter: a struct kstats_direct_filter
 * @filter__sz: its size
 *
 * It is decided when a call begins. A set of processes takes 512 KiB.
 *
 * Context: syscall programs.
 * Return: 0, -ENOENT if the node or the one whose processes it shares does not exist, -EPERM for
 * another user's node, -EALREADY if the node has a filter or measures a function, -EINVAL for
 * unknown flags or a smaller size, -EOPNOTSUPP, -ENOMEM.
 */
KSTATS_KFUNC int kstats_direct_filter(__u32 id, const void *filter, __u32 filter__sz) KSTATS_KSYM;

/**
 * kstats_direct_follow() - measure the calls of one process more
 * @id: node with the filter KSTATS_DIRECT_BY_PROCESS
 * @process: its number in the initial PID namespace; 0: no process any more
 *
 * It counts until that process has ended: another one that gets its number is not measured.
 *
 * Context: syscall programs.
 * Return: 0, -ENOENT if the node does not exist or has no such filter, -EPERM for another user's
 * node, -EINVAL if no process can have that number.
 */
KSTATS_KFUNC int kstats_direct_follow(__u32 id, __u32 process) KSTATS_KSYM;

/**
 * kstats_direct_detach() - stop measuring the function of a node, until it is attached again
 * @id: node
 *
 * Releasing the node does it too.
 *
 * Context: syscall programs.
 * Return: 0, -ENOENT, or -EPERM for another user's node.
 */
KSTATS_KFUNC int kstats_direct_detach(__u32 id) KSTATS_KSYM;

/**
 * kstats_direct_read() - read the calls of the function that a node measures
 * @id: node
 * @counts: receives a struct kstats_direct_counts
 * @counts__sz: its size
 *
 * Context: syscall programs.
 * Return: 0, -ENOENT if it measures none, or -ENOSPC.
 */
KSTATS_KFUNC int kstats_direct_read(__u32 id, void *counts, __u32 counts__sz) KSTATS_KSYM;

#endif /* KSTATS_KFUNC_H */
