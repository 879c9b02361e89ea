/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem_event.bpf.h - what the trace events of memory tell: the programs of kernels that preempt
 * tasks inside of programs on raw tracepoints. In: a record of the event. Out: an allocation or
 * a free. Included by kmem.bpf.c.
 *
 * Preemption is off here. Where the fields of a record lie is relocated. The records do not tell
 * the cache; a function of the kernel finds it by the address of the object.
 */
#ifndef KSTATS_KMEM_EVENT_BPF_H
#define KSTATS_KMEM_EVENT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "kmem_table.bpf.h"

/*
 * User space turns this call into one of bpf_get_kmem_cache(). Its result is a pointer, which
 * only memory turns into a plain number. Nothing else runs on the CPU meanwhile.
 */
static __always_inline __u64 cache_of(__u64 ptr, __u64 cpu)
{
	void *(*get)(__u64) = (void *)(KSTATS_KMEM_MAGIC + KSTATS_KMEM_GET_CACHE);
	struct kstats_kmem_counts *c = table_of(&counts);
	void *cache = get(ptr);

	SET_AND(cpu, CPU_MASK);
	*(void *volatile *)&c[cpu].scratch = cache;
	return *(volatile __u64 *)&c[cpu].scratch;
}

/* Pages are known by their numbers. As an address, such a number is too low for an object. */
static __always_inline __u64 page_of(__u64 pfn)
{
	return (pfn + 1) << 12;
}

#endif /* KSTATS_KMEM_EVENT_BPF_H */
