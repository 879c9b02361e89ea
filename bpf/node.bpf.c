// SPDX-License-Identifier: GPL-2.0-only
/*
 * node.bpf.c - a program that creates nodes of the kernel module. In: the variables
 * below; user space sets them, then runs it. Out: the same variables. A node lives in
 * the map and is released with it.
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

/* The same for kernels before 6.4, which call such a pointer by another name. */
struct old_owner {
	struct kstats __attribute__((btf_type_tag("kptr_ref"))) * node;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by user space */
	__type(key, __u32);
	__type(value, struct old_owner);
} old_owners SEC(".maps");

__u32 place; /* index in the map */
char name[KSTATS_NAME_MAX + 1];
__u32 frac_bits;
__u32 array_n; /* distributions of an array; 0: the node is to be none */
__u32 array_blocks; /* on each CPU */
__s64 id; /* of the node, or a negative errno */
struct kstats_slot slot;
struct kstats_block blocks[KSTATS_N_BLOCKS_MAX];
struct kstats_direct_counts counts;

/* @at: place in a map, or NULL. */
static __always_inline int create(void *at)
{
	struct kstats *node;

	if (array_n)
		node = kstats_array_create(frac_bits, array_n, array_blocks, &id);
	else
		node = kstats_node_create(name, sizeof(name), frac_bits, &id);
	if (at && node)
		node = bpf_kptr_xchg(at, node);
	/* The place was free, but the verifier cannot know that. */
	if (node)
		kstats_node_release(node);
	return 0;
}

SEC("syscall")
int node_create(void *ctx)
{
	__u32 key = place;

	return create(bpf_map_lookup_elem(&owners, &key));
}

SEC("?syscall")
int node_create_old(void *ctx)
{
	__u32 key = place;

	return create(bpf_map_lookup_elem(&old_owners, &key));
}

/*
 * Never run: the loader puts in which functions these are, in this order, and user space
 * reads it there for programs of its own (src/store/calls.c).
 */
SEC("syscall")
int node_calls(void *ctx)
{
	int n = kstats_node_read(0, 0, &slot, sizeof(slot));

	n += kstats_node_control(0, 0);
	n += kstats_direct_read(0, &counts, sizeof(counts));
	return n + kstats_array_read(0, 0, 0, blocks, sizeof(blocks));
}

char LICENSE[] SEC("license") = "GPL";
