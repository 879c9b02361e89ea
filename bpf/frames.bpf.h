/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frames.bpf.h - stacks and callers as parts of a key of --by. In: the context of an event. Out:
 * words of a key: an address, or where the table of stacks has its frames. Called by by.bpf.h.
 *
 * The table only grows, as that of keys does: who finds a free place claims it by one exchange,
 * writes the frames, and sets the place. A stack that meets itself while it is written gets a
 * second place; user space adds up what has the same names. A stack without a place is a key of its
 * own, and so its calls are counted.
 */
#ifndef KSTATS_FRAMES_BPF_H
#define KSTATS_FRAMES_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "arch.bpf.h"
#include "kstats_frames.h"
#include "loop.bpf.h"
#include "stack.bpf.h"

#ifndef BPF_F_USER_STACK
#define BPF_F_USER_STACK (1ULL << 8)
#endif

const volatile __u32 by_kstacks; /* as bits: the words of a key that are stacks of the kernel */
const volatile __u32 by_ustacks; /* of programs */
const volatile __u32 by_callers; /* return addresses of functions of the kernel */
const volatile bool by_user_calls; /* points are entries of a program's functions */
const volatile __u32 frames_shift; /* 64 less the bits of a place's number */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by user space where stacks are kept */
	__type(key, __u32);
	__type(value, struct kstats_frames);
} frames SEC(".maps");

/* A program may be interrupted, or preempted by a task with a program of its own. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* the same */
	__type(key, __u32);
	__type(value, struct kstats_frames_room);
} frames_rooms SEC(".maps");

static __always_inline struct kstats_frames_room *frames_take_room(void)
{
	struct kstats_frames_room *r;
	__u64 i;

	for (i = 0; i < KSTATS_FRAMES_ROOMS; i = loop_next(i)) {
		__u32 at = i;

		r = bpf_map_lookup_elem(&frames_rooms, &at);
		if (!r)
			return NULL;
		if (!*(volatile __u32 *)&r->taken && !__sync_lock_test_and_set(&r->taken, 1))
			return r;
	}
	return NULL;
}

static __always_inline __u64 frames_hash(const struct kstats_frames_room *r, __u64 n, __u32 tgid)
{
	__u64 hash = tgid, i;

	for (i = 0; i < KSTATS_FRAMES_MOST; i = loop_next(i)) {
		if (i >= n)
			break;
		hash = (hash ^ r->at[i]) * KSTATS_BY_GOLDEN;
	}
	return hash;
}

static __always_inline bool frames_are(const struct kstats_frames *f,
				       const struct kstats_frames_room *r, __u64 n)
{
	__u64 i;

	for (i = 0; i < KSTATS_FRAMES_MOST; i = loop_next(i)) {
		if (i >= n)
			break;
		if (f->at[i] != r->at[i])
			return false;
	}
	return true;
}

static __always_inline bool frames_claim(struct kstats_frames *f, __u32 state)
{
	return !state && !__sync_val_compare_and_swap(&f->state, 0, KSTATS_BY_FILLING);
}

static __always_inline void frames_fill(struct kstats_frames *f, const struct kstats_frames_room *r,
					__u64 n, __u32 tgid, __u64 hash)
{
	f->n = n;
	f->tgid = tgid;
	f->hash = hash;
	bpf_probe_read_kernel(f->at, sizeof(f->at), r->at);
	/* A barrier: whoever sees the state sees the frames. */
	__sync_lock_test_and_set(&f->state, KSTATS_BY_NUMBER);
}

/*
 * Where the @n frames of @r are in the table, which they are put into. The verifier goes through
 * what follows a loop once if it knows no more of @n than before.
 */
static __noinline __u64 frames_find(const struct kstats_frames_room *r, __u64 n, __u32 tgid)
{
	__u64 hash = frames_hash(r, n, tgid), i;
	struct kstats_frames *f = NULL;
	__u32 place = 0, state;

	n = loop_forget(n, hash);
	for (i = 0; i < KSTATS_FRAMES_TRIES; i = loop_next(i)) {
		place = ((hash >> frames_shift) + i) & (~0ULL >> frames_shift);
		f = bpf_map_lookup_elem(&frames, &place);
		if (!f)
			return KSTATS_FRAMES_FULL;
		state = *(volatile __u32 *)&f->state;
		if (frames_claim(f, state)) {
			frames_fill(f, r, n, tgid, hash);
			return KSTATS_FRAMES_FIRST + place;
		}
		if (state == KSTATS_BY_NUMBER && f->hash == hash && f->n == n && f->tgid == tgid)
			break;
		f = NULL;
	}
	return f && frames_are(f, r, n) ? KSTATS_FRAMES_FIRST + place : KSTATS_FRAMES_FULL;
}

/*
 * At the entry of a program's function its frame is not made yet, so that the kernel may leave out
 * the caller, whose address is behind the stack pointer. Returns the number of frames.
 */
static __always_inline __u64 frames_of_call(struct pt_regs *regs, struct kstats_frames_room *r)
{
	long bytes =
		bpf_get_stack(regs, &r->at[1], sizeof(r->at) - sizeof(r->at[0]), BPF_F_USER_STACK);
	__u64 caller;

	if (bytes <= 0)
		return 0;
	caller = arch_return_address(regs);
	r->at[0] = r->at[1];
	r->at[1] = r->at[2] == caller ? 0 : caller;
	return bytes / sizeof(r->at[0]) + 1;
}

static __noinline __u64 frames_id(void *ctx, bool of_program, bool at_entry)
{
	struct kstats_frames_room *r = frames_take_room();
	__u64 n, id;
	long bytes;

	if (!r)
		return KSTATS_FRAMES_BUSY;
	if (at_entry) {
		n = frames_of_call(ctx, r);
	} else {
		bytes = bpf_get_stack(ctx, r->at, sizeof(r->at), of_program ? BPF_F_USER_STACK : 0);
		n = bytes > 0 ? bytes / sizeof(r->at[0]) : 0;
	}
	id = n ? frames_find(r, n, of_program ? bpf_get_current_task_btf()->tgid : 0)
	       : KSTATS_FRAMES_NONE;
	*(volatile __u32 *)&r->taken = 0;
	return id;
}

#define CALLER_WITHIN 8 /* frames of BPF, of the trampoline, and of the function itself */
#define CALLER_BEHIND 4 /* two functions of BPF, its program, and the trampoline */

/*
 * The first frame behind that of the function. From 7.0 on, the kernel may jump to a trampoline
 * instead of calling it: then the function has no frame. Returns 0 if there is none.
 */
static __noinline __u64 caller_of(void *ctx, __u32 place)
{
	__u64 at[CALLER_WITHIN] = {}, ip;
	__u32 i;

	if (bpf_get_stack(ctx, at, place == EVENT_PROBED ? 2 * sizeof(*at) : sizeof(at), 0) <= 0)
		return 0;
	if (place == EVENT_PROBED)
		return at[1];
	ip = bpf_get_func_ip(ctx);
	_Pragma("clang loop unroll(full)") for (i = 0; i + 1 < CALLER_WITHIN; i++)
	{
		if (at[i] - ip <= ARCH_TRACED_WITHIN)
			return at[i + 1];
	}
	return at[CALLER_BEHIND];
}

#endif /* KSTATS_FRAMES_BPF_H */
