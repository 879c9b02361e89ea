// SPDX-License-Identifier: GPL-2.0-only
/* How many bytes does each read(2) return? A program that records into a node of the module. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "kstats_kfunc.h"

struct owner {
	struct kstats __kptr *node;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct owner);
} owners SEC(".maps");

__s64 id; /* of the node; a negative errno when there is none */

SEC("syscall")
int create(void *ctx)
{
	char name[] = "read_sizes";
	__u32 first = 0;
	struct owner *owner = bpf_map_lookup_elem(&owners, &first);
	struct kstats *node = kstats_node_create(name, sizeof(name), KSTATS_BITS_DEFAULT, &id);

	if (owner && node)
		node = bpf_kptr_xchg(&owner->node, node);
	if (node) /* what was parked there before */
		kstats_node_release(node);
	return id < 0;
}

SEC("fexit/vfs_read")
int BPF_PROG(read_end, void *file, void *buf, __u64 size, void *pos, __s64 got)
{
	if (got >= 0)
		kstats_record(id, got);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
