// SPDX-License-Identifier: GPL-2.0-only
/*
 * node.bpf.c - programs that create, read and control nodes of the kernel module. In:
 * the variables below; user space sets them, then runs one program. Out: the same
 * variables. A node lives in the map and is released with it.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "kstats_kfunc.h"

struct owner {
	struct kstats __kptr *node;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by user space */
	__type(key, __u32);
	__type(value, struct owner);
} owners SEC(".maps");

__u32 place; /* index in the map */
char name[KSTATS_NAME_MAX + 1];
__u32 frac_bits;
__s64 id; /* of the node, or a negative errno */
__u32 cpu;
__u32 op;
struct kstats_slot slots[KSTATS_N_SLOTS_MAX];

SEC("syscall")
int node_create(void *ctx)
{
	__u32 key = place;
	struct owner *owner = bpf_map_lookup_elem(&owners, &key);
	struct kstats *node = kstats_node_create(name, sizeof(name), frac_bits, &id);

	if (owner && node)
		node = bpf_kptr_xchg(&owner->node, node);
	/* The place was free, but the verifier cannot know that. */
	if (node)
		kstats_node_release(node);
	return 0;
}

SEC("syscall")
int node_read(void *ctx)
{
	return kstats_node_read(id, cpu, slots, sizeof(slots));
}

SEC("syscall")
int node_control(void *ctx)
{
	return kstats_node_control(id, op);
}

char LICENSE[] SEC("license") = "GPL";
