// SPDX-License-Identifier: GPL-2.0-only
/*
 * node.bpf.c - a program that puts a node of the kernel module into a map, which then holds it.
 * In: the variables below; user space sets them, then runs it. Out: whether it was the caller's.
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
__u32 id; /* of the node */

/*
 * @at: place in a map, or NULL. Each pointer is compared with NULL once: to the verifier of 6.1 a
 * node may be NULL again when it is compared again.
 */
static __always_inline int keep(void *at)
{
	struct kstats *node;

	if (!at)
		return 1;
	node = kstats_node_acquire(id);
	if (!node)
		return 1;
	node = bpf_kptr_xchg(at, node);
	/* The place was free, but the verifier cannot know that. */
	if (node)
		kstats_node_release(node);
	return 0;
}

SEC("syscall")
int node_keep(void *ctx)
{
	__u32 key = place;

	return keep(bpf_map_lookup_elem(&owners, &key));
}

SEC("?syscall")
int node_keep_old(void *ctx)
{
	__u32 key = place;

	return keep(bpf_map_lookup_elem(&old_owners, &key));
}

char LICENSE[] SEC("license") = "GPL";
