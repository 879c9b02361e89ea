/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_kfunc.h - the kfuncs of the module kstats. Included by BPF programs of anyone,
 * after vmlinux.h and bpf_helpers.h, and by the module itself. The manual is kstats(9);
 * examples/ has a program.
 *
 * Nodes are made, read and controlled by the commands of kstats_dev.h, and each has an id. By it
 * any program may record. No kfunc sleeps or takes a lock. A node is held by the file that created
 * it and by those who acquired it; stored in a map (bpf_kptr_xchg), it is released with the map.
 * An id is reused only after 65,535 other nodes have had its place.
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
 * kstats_node_acquire() - hold a node
 * @id: node that a user created by /dev/kstats
 *
 * It stays until it is released, also if the file by which it was created is closed. Only for the
 * user who created it, and for CAP_SYS_ADMIN; not in callbacks of timers and work queues, which
 * run as nobody in particular.
 *
 * Context: syscall programs.
 * Return: the node, owned by the caller, or NULL.
 */
KSTATS_KFUNC struct kstats *kstats_node_acquire(__u32 id) KSTATS_KSYM;

/**
 * kstats_node_release() - let go of a node; it is removed when nobody holds it any more
 * @node: node, owned by the caller, who must not use it afterwards
 *
 * Context: syscall programs.
 */
KSTATS_KFUNC void kstats_node_release(struct kstats *node) KSTATS_KSYM;

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

#endif /* KSTATS_KFUNC_H */
