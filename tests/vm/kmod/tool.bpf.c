// SPDX-License-Identifier: GPL-2.0-only
/*
 * tool.bpf.c - every kfunc of the module, called with what user space puts into
 * a struct tool_call, unchecked. Loaded by tool.c, which calls the device itself.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "kstats_kfunc.h"
#include "tool.h"

/* Kernels before 6.4 call a pointer that a map owns by another name. */
#ifdef OLD_POINTERS
#undef __kptr
#define __kptr __attribute__((btf_type_tag("kptr_ref")))
#endif

struct owner {
	struct kstats __kptr *node;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TOOL_PLACES);
	__type(key, __u32);
	__type(value, struct owner);
} owners SEC(".maps");

/* A hash map frees its element at once, in the context that deletes it. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TOOL_PLACES);
	__type(key, __u32);
	__type(value, struct owner);
} hashed SEC(".maps");

struct tool_call calls[TOOL_THREADS];
__u32 traced_id; /* node that traced programs record into */
__u64 traced_ok;

struct args {
	__u32 thread;
};

static struct tool_call *call_of(struct args *ctx)
{
	__u32 thread = ctx->thread;

	return thread < TOOL_THREADS ? &calls[thread] : NULL;
}

/* Lets a map hold a node, and whatever was in that place go. */
SEC("syscall")
int keep(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);
	struct owner *owner;
	struct kstats *node;
	__u32 place;

	if (!c)
		return 1;
	place = c->place;
	owner = bpf_map_lookup_elem(&owners, &place);
	if (!owner)
		return 1;
	c->result = -1;
	node = kstats_node_acquire(c->id);
	if (!node)
		return 0;
	c->result = 0;
	node = bpf_kptr_xchg(&owner->node, node);
	if (node)
		kstats_node_release(node);
	return 0;
}

SEC("syscall")
int let_go(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);
	struct kstats *node = NULL;
	struct owner *owner;
	__u32 place;

	if (!c)
		return 1;
	place = c->place;
	owner = bpf_map_lookup_elem(&owners, &place);
	if (owner)
		node = bpf_kptr_xchg(&owner->node, NULL);
	c->result = -1;
	if (!node)
		return 0;
	kstats_node_release(node);
	c->result = 0;
	return 0;
}

/* The same as keep, in an element that a traced program then deletes. */
SEC("syscall")
int keep_hashed(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);
	struct owner *owner, none = {};
	struct kstats *node;
	__u32 place;

	if (!c)
		return 1;
	place = c->place;
	bpf_map_update_elem(&hashed, &place, &none, BPF_ANY);
	owner = bpf_map_lookup_elem(&hashed, &place);
	if (!owner)
		return 1;
	c->result = -1;
	node = kstats_node_acquire(c->id);
	if (!node)
		return 0;
	c->result = 0;
	node = bpf_kptr_xchg(&owner->node, node);
	if (node)
		kstats_node_release(node);
	return 0;
}

__u64 page; /* of user space */

/* Is bound to its CPU, and waits for the page. */
SEC("syscall")
int wait_bound(struct args *ctx)
{
	__u64 word;

	return bpf_copy_from_user(&word, sizeof(word), (void *)page) != 0;
}

SEC("syscall")
int record(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);

	if (c)
		c->result = kstats_record(c->id, c->value);
	return !c;
}

SEC("syscall")
int array_record(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);

	if (c)
		c->result = kstats_array_record(c->id, c->index, c->value);
	return !c;
}

SEC("syscall")
int burst(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);
	__u32 id;
	int i;

	if (!c)
		return 1;
	id = c->id;
	for (i = 0; i < TOOL_BURST; i++) {
		if (!kstats_record(id, TOOL_VALUE + i)) {
			c->accepted++;
			c->accepted_sum += TOOL_VALUE + i;
		} else {
			c->refused++;
		}
	}
	return 0;
}

/* Every system call of the machine, so that an owner is killed while it records. */
SEC("tp_btf/sys_enter")
int traced(void *ctx)
{
	__u32 place = 0;

	if (!kstats_record(traced_id, TOOL_VALUE))
		__sync_fetch_and_add(&traced_ok, 1);
	bpf_map_delete_elem(&hashed, &place);
	return 0;
}

/* ---- other programs that may record: each is tried alone, see verb_types() ---- */

SEC("?perf_event")
int type_perf_event(void *ctx)
{
	return kstats_record(traced_id, TOOL_VALUE) & 1;
}

SEC("?kprobe/do_nanosleep")
int type_kprobe(void *ctx)
{
	return kstats_record(traced_id, TOOL_VALUE);
}

SEC("?raw_tp/sys_enter")
int type_raw_tp(void *ctx)
{
	return kstats_record(traced_id, TOOL_VALUE);
}

/* ---- what must not load: each is tried alone, see verb_refused() ---- */

SEC("?syscall")
int bad_leak(void *ctx)
{
	return !kstats_node_acquire(calls[0].id);
}

/* Owned by the map still. */
SEC("?syscall")
int bad_release(void *ctx)
{
	__u32 place = 0;
	struct owner *owner = bpf_map_lookup_elem(&owners, &place);

	if (owner && owner->node)
		kstats_node_release(owner->node);
	return 0;
}

/* What may be no node at all. */
SEC("?syscall")
int bad_nothing(void *ctx)
{
	kstats_node_release(kstats_node_acquire(calls[0].id));
	return 0;
}

SEC("?tp_btf/sys_enter")
int bad_acquire(void *ctx)
{
	struct kstats *node = kstats_node_acquire(1);

	if (node)
		kstats_node_release(node);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
