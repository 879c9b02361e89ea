// SPDX-License-Identifier: GPL-2.0-only
/*
 * keys.bpf.c - the table of keys without events: a program that makes starts and
 * ends, run by many threads at once. In: struct keys_run. Out: the same, filled.
 * The lowest byte of a time is that of its key, so that the start of another key
 * is recognized. The clock is coarse and now and then slow, so that there is time
 * for others where the table reads it, and they get the same time.
 * Run by keys.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

static inline __attribute__((always_inline)) __u64 slow_clock(void)
{
	int i;

	if (!(bpf_get_prandom_u32() & 7))
#pragma clang loop unroll(full)
		for (i = 0; i < 24; i++)
			bpf_ktime_get_ns();
	return bpf_ktime_get_ns() >> 20;
}

#define BY_KEY true
#define KEY_CLOCK(key) (slow_clock() << 8 | (__u8)(key))
#define KEY_CLOCK_STEP 256
#include "key.bpf.h"
#include "keys.h"

/* Keys by their number; many of them share a bucket. Set by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, KEYS_MANY);
	__type(key, __u32);
	__type(value, __u64);
} names SEC(".maps");

static __always_inline __u64 draw(struct keys_run *r)
{
	__u64 x = r->seed;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	r->seed = x;
	return x >> 16;
}

static __noinline void start(struct keys_run *r, __u64 key, __u64 bit)
{
	r->starts++;
	if (r->open & bit)
		r->superseded++;
	r->open |= bit;
	key_start_open(key, 0);
}

static __noinline void end(struct keys_run *r, __u64 key, __u64 bit)
{
	__u64 ns = key_end_take(key, 0, ANY_TIME);

	if (ns)
		r->recorded++;
	else
		r->unmatched++;
	if (ns && (__u8)ns != (__u8)key)
		r->wrong++;
	if (r->work == KEYS_OWN && !ns != !(r->open & bit))
		r->wrong++;
	r->open &= ~bit;
}

static long step(__u32 i, struct keys_run *r)
{
	__u64 what = draw(r), *key;
	__u32 number = r->work >= KEYS_FILL ? i : (what >> 8) % (r->n_keys ?: 1);
	__u64 bit = r->work == KEYS_OWN ? 1ULL << (number & 63) : 0;

	number += r->first;
	key = bpf_map_lookup_elem(&names, &number);
	if (!key)
		return 1;
	if (r->work == KEYS_FILL || (r->work != KEYS_DRAIN && (what & 7) < 4))
		start(r, *key, bit);
	else
		end(r, *key, bit);
	return 0;
}

SEC("syscall")
int keys_run(struct keys_run *ctx)
{
	struct keys_run r = *ctx;

	bpf_loop(r.n, step, &r, 0);
	*ctx = r;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
