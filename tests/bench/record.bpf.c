// SPDX-License-Identifier: GPL-2.0-only
/*
 * record.bpf.c - one record and what stands around it, at the entry of an empty
 * function, or as a program that the kernel repeats by itself. Compiled twice, as
 * kstats.bpf.c is. Loaded by kmod.c and step.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "store.bpf.h"

__u64 sample;

static __always_inline void pass(void)
{
	struct kstats_cell *cell = store_cell(0);

	if (cell)
		asm volatile("" : : "r"(cell), "r"(sample));
}

static __always_inline void count(void)
{
	struct kstats_cell *cell = store_cell(0);

	if (cell)
		store_sample(cell, sample);
}

SEC("fentry/kt_empty")
int around(void *ctx)
{
	pass();
	return 0;
}

SEC("fentry/kt_empty")
int record(void *ctx)
{
	count();
	return 0;
}

SEC("socket")
int repeat_around(void *ctx)
{
	pass();
	return 0;
}

SEC("socket")
int repeat_record(void *ctx)
{
	count();
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
