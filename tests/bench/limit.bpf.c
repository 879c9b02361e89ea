// SPDX-License-Identifier: GPL-2.0-only
/*
 * limit.bpf.c - what no tool can be cheaper than: two programs that do nothing,
 * and two that read the clock. And what kstats-bpf kmem is held against: allocations
 * and frees followed by a stack id and two hashes, as leak finders usually do it.
 * Loaded by calls.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

SEC("tp_btf/sys_enter")
int empty_enter(void *ctx)
{
	return 0;
}

SEC("tp_btf/sys_exit")
int empty_exit(void *ctx)
{
	return 0;
}

SEC("tp_btf/sys_enter")
int clocks_enter(void *ctx)
{
	bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sys_exit")
int clocks_exit(void *ctx)
{
	bpf_ktime_get_ns();
	return 0;
}

SEC("fentry/kt_empty")
int empty_fentry(void *ctx)
{
	return 0;
}

SEC("fexit/kt_empty")
int empty_fexit(void *ctx)
{
	return 0;
}

SEC("fentry/kt_empty")
int clocks_fentry(void *ctx)
{
	bpf_ktime_get_ns();
	return 0;
}

SEC("fexit/kt_empty")
int clocks_fexit(void *ctx)
{
	bpf_ktime_get_ns();
	return 0;
}

SEC("raw_tp/kmalloc")
int empty_kmalloc(void *ctx)
{
	return 0;
}

SEC("raw_tp/kfree")
int empty_kfree(void *ctx)
{
	return 0;
}

/* The same by other hooks. Where preemption is on in the ones above, it is off in these. */
SEC("tp/kmem/kmalloc")
int events_kmalloc(void *ctx)
{
	return 0;
}

SEC("tp/kmem/kfree")
int events_kfree(void *ctx)
{
	return 0;
}

SEC("kprobe/__kmalloc_cache_noprof")
int probes_kmalloc(void *ctx)
{
	return 0;
}

SEC("kprobe/kfree")
int probes_kfree(void *ctx)
{
	return 0;
}

SEC("kprobe.multi/__kmalloc_cache_noprof")
int links_kmalloc(void *ctx)
{
	return 0;
}

SEC("kprobe.multi/kfree")
int links_kfree(void *ctx)
{
	return 0;
}

/* ---- a leak finder ---- */

#define STACK_DEPTH 127
#define OBJECTS_MAX 1000000
#define STACKS_MAX 10240

struct object {
	__u64 size;
	__u64 ns;
	__s64 stack;
};

struct total {
	__u64 bytes;
	__u64 count;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, OBJECTS_MAX);
	__type(key, __u64);
	__type(value, struct object);
} objects SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, STACKS_MAX);
	__type(key, __u64);
	__type(value, struct total);
} totals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, STACKS_MAX);
	__type(key, __u32);
	__uint(value_size, STACK_DEPTH * sizeof(__u64));
} stacks SEC(".maps");

static void total_add(__u64 stack, __s64 bytes, __s64 count)
{
	struct total zero = {}, *t = bpf_map_lookup_elem(&totals, &stack);

	if (!t) {
		bpf_map_update_elem(&totals, &stack, &zero, BPF_NOEXIST);
		t = bpf_map_lookup_elem(&totals, &stack);
	}
	if (!t)
		return;
	__sync_fetch_and_add(&t->bytes, bytes);
	__sync_fetch_and_add(&t->count, count);
}

/* site, ptr, bytes requested, bytes allocated */
SEC("raw_tp/kmalloc")
int leak_kmalloc(__u64 *ctx)
{
	struct object o = { ctx[3], bpf_ktime_get_ns(), bpf_get_stackid(ctx, &stacks, 0) };
	__u64 ptr = ctx[1];

	bpf_map_update_elem(&objects, &ptr, &o, BPF_ANY);
	if (o.stack >= 0)
		total_add(o.stack, o.size, 1);
	return 0;
}

/* site, ptr */
SEC("raw_tp/kfree")
int leak_kfree(__u64 *ctx)
{
	__u64 ptr = ctx[1];
	struct object *o = bpf_map_lookup_elem(&objects, &ptr);

	if (!o)
		return 0;
	if (o->stack >= 0)
		total_add(o->stack, -o->size, -1);
	bpf_map_delete_elem(&objects, &ptr);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
