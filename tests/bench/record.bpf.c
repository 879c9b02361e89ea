// SPDX-License-Identifier: GPL-2.0-only
/*
 * record.bpf.c - one record and what stands around it, at the entry of an empty
 * function. Compiled twice, as kstats.bpf.c is. Loaded by kmod.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "store.bpf.h"

__u64 sample;

SEC("fentry/kt_empty")
int around(void *ctx)
{
	struct kstats_cell *cell = store_cell(0);

	if (cell)
		asm volatile("" : : "r"(cell), "r"(sample));
	return 0;
}

SEC("fentry/kt_empty")
int record(void *ctx)
{
	struct kstats_cell *cell = store_cell(0);

	if (cell)
		store_sample(cell, sample);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
