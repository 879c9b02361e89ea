// SPDX-License-Identifier: GPL-2.0-only
/*
 * slot.bpf.c - the slot arithmetic as the BPF programs compute it. In: values
 * and bits in a map. Out: index, first, last and scaled value of each. Run by
 * slot.c through BPF_PROG_RUN.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "kstats_slot.h"
#include "slot.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SLOT_BATCH);
	__type(key, __u32);
	__type(value, struct slot_case);
} cases SEC(".maps");

SEC("syscall")
int slot_run(void *ctx)
{
	struct slot_case *c;
	__u32 i, key;

	for (i = 0; i < SLOT_BATCH; i++) {
		key = i;
		c = bpf_map_lookup_elem(&cases, &key);
		if (!c)
			return 1;
		c->index = kstats_slot_index(c->value, c->bits & 7);
		c->first = kstats_slot_first(c->index, c->bits & 7);
		c->last = kstats_slot_last(c->index, c->bits & 7);
		c->scaled = kstats_slot_scale(c->value, c->index, c->bits & 7);
	}
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
