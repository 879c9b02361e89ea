// SPDX-License-Identifier: GPL-2.0-only
/*
 * tool.bpf.c - every kfunc of the module, called with what user space puts into
 * a struct tool_call, unchecked. Loaded by tool.c.
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

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, char[TOOL_ROOM]);
} values SEC(".maps");

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

SEC("syscall")
int create(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);
	struct owner *owner;
	struct kstats *node;
	__u32 place, size;

	if (!c)
		return 1;
	place = c->place;
	size = c->name_size;
	if (size > sizeof(c->name))
		return 1;
	owner = bpf_map_lookup_elem(&owners, &place);
	node = kstats_node_create(c->name, size, c->bits, &c->result);
	if (owner && node)
		node = bpf_kptr_xchg(&owner->node, node);
	if (node)
		kstats_node_release(node);
	return 0;
}

SEC("syscall")
int release(struct args *ctx)
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

/* Parks a new node in an element that a traced program then deletes. */
SEC("syscall")
int create_hashed(struct args *ctx)
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
	node = kstats_node_create(c->name, sizeof(c->name), c->bits, &c->result);
	if (owner && node)
		node = bpf_kptr_xchg(&owner->node, node);
	if (node)
		kstats_node_release(node);
	return 0;
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
int array_create(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);
	struct owner *owner;
	struct kstats *node;
	__u32 place;

	if (!c)
		return 1;
	place = c->place;
	owner = bpf_map_lookup_elem(&owners, &place);
	node = kstats_array_create(c->bits, c->index, c->op, &c->result);
	if (owner && node)
		node = bpf_kptr_xchg(&owner->node, node);
	if (node)
		kstats_node_release(node);
	return 0;
}

SEC("syscall")
int array_record(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);

	if (c)
		c->result = kstats_array_record(c->id, c->index, c->value);
	return !c;
}

/* With all of the memory there is, or with less than is enough. */
SEC("syscall")
int array_read(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);
	__u32 size;

	if (!c)
		return 1;
	size = c->slots_size < sizeof(c->slots) ? c->slots_size : sizeof(c->blocks);
	c->result = kstats_array_read(c->id, c->index, c->cpu, c->blocks, size);
	return 0;
}

SEC("syscall")
int node_read(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);

	if (!c || c->slots_size > sizeof(c->slots))
		return 1;
	c->result = kstats_node_read(c->id, c->cpu, c->slots, c->slots_size);
	return 0;
}

SEC("syscall")
int node_take(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);

	if (!c || c->slots_size > sizeof(c->slots))
		return 1;
	c->result = kstats_node_take(c->id, c->cpu, c->slots, c->slots_size);
	return 0;
}

SEC("syscall")
int node_control(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);

	if (c)
		c->result = kstats_node_control(c->id, c->op);
	return !c;
}

SEC("syscall")
int direct_attach(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);

	if (c)
		c->result = kstats_direct_attach(c->id, c->value);
	return !c;
}

SEC("syscall")
int direct_detach(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);

	if (c)
		c->result = kstats_direct_detach(c->id);
	return !c;
}

SEC("syscall")
int direct_filter(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);

	if (!c || c->slots_size > sizeof(c->slots))
		return 1;
	c->result = kstats_direct_filter(c->id, c->slots, c->slots_size);
	return 0;
}

SEC("syscall")
int direct_follow(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);

	if (c)
		c->result = kstats_direct_follow(c->id, c->value);
	return !c;
}

SEC("syscall")
int direct_read(struct args *ctx)
{
	struct tool_call *c = call_of(ctx);

	if (!c || c->slots_size > sizeof(c->slots))
		return 1;
	c->result = kstats_direct_read(c->id, c->slots, c->slots_size);
	return 0;
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
int bad_id(void *ctx)
{
	struct kstats *node = kstats_node_create(calls[0].name, TOOL_NAME_SPACE, 3, NULL);

	if (!node)
		return TOOL_EINVAL;
	kstats_node_release(node);
	return 0;
}

/* What a lookup gave, which may be nothing, as memory to be written to. */
SEC("?syscall")
int bad_slots(void *ctx)
{
	__u32 place = 0;

	return kstats_node_read(1, 0, bpf_map_lookup_elem(&values, &place), TOOL_VALUE);
}

SEC("?syscall")
int bad_blocks(void *ctx)
{
	__u32 place = 0;

	return kstats_array_read(1, 0, 0, bpf_map_lookup_elem(&values, &place), TOOL_ROOM);
}

SEC("?syscall")
int bad_array_id(void *ctx)
{
	struct kstats *node = kstats_array_create(3, 1, 1, NULL);

	if (!node)
		return TOOL_EINVAL;
	kstats_node_release(node);
	return 0;
}

SEC("?syscall")
int bad_slots_taken(void *ctx)
{
	__u32 place = 0;

	return kstats_node_take(1, 0, bpf_map_lookup_elem(&values, &place), TOOL_VALUE);
}

SEC("?syscall")
int bad_filter(void *ctx)
{
	__u32 place = 0;

	return kstats_direct_filter(1, bpf_map_lookup_elem(&values, &place), TOOL_ROOM);
}

SEC("?syscall")
int bad_counts(void *ctx)
{
	__u32 place = 0;

	return kstats_direct_read(1, bpf_map_lookup_elem(&values, &place), TOOL_VALUE);
}

SEC("?syscall")
int bad_name(void *ctx)
{
	__u32 place = 0;
	struct kstats *node;

	node = kstats_node_create(bpf_map_lookup_elem(&values, &place), TOOL_VALUE, 3,
				  &calls[0].result);
	if (!node)
		return calls[0].result;
	kstats_node_release(node);
	return 0;
}

SEC("?syscall")
int bad_size(void *ctx)
{
	return kstats_node_read(1, 0, calls[0].slots, sizeof(calls) * 2);
}

SEC("?syscall")
int bad_leak(void *ctx)
{
	return !kstats_node_create(calls[0].name, TOOL_NAME_SPACE, 3, &calls[0].result);
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

SEC("?tp_btf/sys_enter")
int bad_control(void *ctx)
{
	return kstats_node_control(1, KSTATS_OP_RESET);
}

char LICENSE[] SEC("license") = "GPL";
