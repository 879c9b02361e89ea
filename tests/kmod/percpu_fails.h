/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * percpu_fails.h - each allocation of per-CPU memory is a point where fail-nth counts, as the
 * kernel has them in kmalloc() and for pages alone. faults-run lets each file of a copy of the
 * module include it.
 */
#include <linux/fault-inject.h>
#include <linux/percpu.h>

/* As DECLARE_FAULT_ATTR() has it, but without a stack in the log for each. */
static __maybe_unused struct fault_attr percpu_fails = {
	.times = ATOMIC_INIT(-1),
	.require_end = ULONG_MAX,
	.stacktrace_depth = 32,
};

#undef __alloc_percpu_gfp
#define __alloc_percpu_gfp(size, align, gfp)                \
	((void __percpu *)(should_fail(&percpu_fails, size) \
				   ? NULL                   \
				   : alloc_hooks(pcpu_alloc_noprof(size, align, false, gfp))))

#undef __alloc_percpu
#define __alloc_percpu(size, align) __alloc_percpu_gfp(size, align, GFP_KERNEL)
