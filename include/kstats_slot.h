/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_slot.h - the slot arithmetic, defined here and nowhere else.
 *
 * In: a sample (any u64) and the resolution `bits`. Out: the index of the log-linear slot
 * that counts it, and the range of values of a slot. Used by the kernel module, the BPF
 * programs and user space, so it is freestanding: no libc, no float, no 64-bit division.
 *
 * Every power of two is split into 2^bits slots. Values below 2^bits have a
 * slot of their own.
 */
#ifndef KSTATS_SLOT_H
#define KSTATS_SLOT_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#define KSTATS_BITS_MAX 5
#define KSTATS_BITS_DEFAULT 3

/* Above this bucket, each sample is divided by 2^(bucket - SUM_BUCKET) before it is summed. */
#define KSTATS_SUM_BUCKET 20

#define KSTATS_N_SLOTS(bits) (((64 - (bits) + 1) << (bits)) + 1)
#define KSTATS_N_SLOTS_MAX KSTATS_N_SLOTS(KSTATS_BITS_MAX)

/**
 * struct kstats_slot - one log-linear slot of one CPU
 * @samples: number of samples
 * @sum: sum of the samples, each scaled by kstats_slot_scale()
 */
struct kstats_slot {
	__u64 samples;
	__u64 sum;
};

/* The slots of a block: neighbours, of which one was used. */
#define KSTATS_BLOCK_SHIFT 4
#define KSTATS_BLOCK_SLOTS (1U << KSTATS_BLOCK_SHIFT)
/* Places that a distribution has for its blocks on one CPU; blocks that share one are a chain. */
#define KSTATS_BLOCK_PLACES 32
/* The last slot counts overflow and has no block, since kstats_slot_index() never returns it. */
#define KSTATS_N_BLOCKS(bits) ((KSTATS_N_SLOTS(bits) + KSTATS_BLOCK_SLOTS - 2) / KSTATS_BLOCK_SLOTS)
#define KSTATS_N_BLOCKS_MAX KSTATS_N_BLOCKS(KSTATS_BITS_MAX)
#define KSTATS_BLOCK_CHAIN ((KSTATS_N_BLOCKS_MAX + KSTATS_BLOCK_PLACES - 1) / KSTATS_BLOCK_PLACES)

/**
 * struct kstats_block - neighbouring slots of one distribution on one CPU
 * @slots: the slots
 * @tag: which slots, see kstats_block_tag(); 0 in a block that is not in use
 * @next: number of the next block of the chain; 0: none
 */
struct kstats_block {
	struct kstats_slot slots[KSTATS_BLOCK_SLOTS];
	__u32 tag;
	__u32 next;
};

/* Inside a branch: stops the compiler from computing both sides and choosing one. */
#define kstats_branch() __asm__ volatile("")

/**
 * kstats_fls64_steps() - kstats_fls64() without the builtin
 * @v: any value
 *
 * For BPF, where the count-leading-zeros builtin crashes clang 14. Compiled everywhere, so
 * that a test can compare it with the builtin. It uses branches, since BPF turns every
 * comparison into one; most values do not take the first.
 *
 * Return: as kstats_fls64().
 */
static inline __u32 kstats_fls64_steps(__u64 v)
{
	__u32 r = v != 0;

	if (v > 0xffff) {
		kstats_branch();
		if (v > 0xffffffffULL) {
			kstats_branch();
			v >>= 32;
			r += 32;
		}
		if (v > 0xffff) {
			kstats_branch();
			v >>= 16;
			r += 16;
		}
	}
	if (v > 0xff) {
		kstats_branch();
		v >>= 8;
		r += 8;
	}
	if (v > 0xf) {
		kstats_branch();
		v >>= 4;
		r += 4;
	}
	if (v > 0x3) {
		kstats_branch();
		v >>= 2;
		r += 2;
	}
	return r + (__u32)(v >> 1);
}

/**
 * kstats_fls64() - index of the most significant set bit
 * @v: any value
 *
 * Return: 0 when @v is 0, else the 1-based index of its top bit (1 to 64).
 */
static inline __u32 kstats_fls64(__u64 v)
{
#ifdef __bpf__
	return kstats_fls64_steps(v);
#else
	/* The xor cancels the one that the compiler emits for the builtin on x86. */
	return v ? (__builtin_clzll(v) ^ 63) + 1 : 0;
#endif
}

/**
 * kstats_n_slots() - number of slots of a distribution
 * @bits: resolution, 0 to KSTATS_BITS_MAX
 *
 * Return: 66, 129, 253, 497, 977 or 1921; the last slot counts overflow.
 */
static inline __u32 kstats_n_slots(__u32 bits)
{
	return KSTATS_N_SLOTS(bits);
}

/**
 * kstats_slot_bucket() - the power of two a slot lies in
 * @i: slot index
 * @bits: resolution
 *
 * Return: 0 for the slots of the single values below 2^bits.
 */
static inline __u32 kstats_slot_bucket(__u32 i, __u32 bits)
{
	return i >> bits;
}

/**
 * kstats_slot_index() - the slot that counts a value
 * @v: sample
 * @bits: resolution
 *
 * Inverse of kstats_slot_first() and kstats_slot_last().
 *
 * Return: slot index, below kstats_n_slots(@bits) - 1.
 */
static inline __u32 kstats_slot_index(__u64 v, __u32 bits)
{
	/* One less than the bucket, and 0 for the first two buckets: the top bit of v adds 1. */
	__u32 shift = kstats_fls64(v >> bits | 1) - 1;

	return (shift << bits) + (__u32)(v >> shift);
}

/**
 * kstats_block_tag() - which block a slot is in
 * @i: slot index
 *
 * Return: the same number for all slots of a block, never 0.
 */
static inline __u32 kstats_block_tag(__u32 i)
{
	return ~(i & -KSTATS_BLOCK_SLOTS);
}

/**
 * kstats_block_has() - whether a slot is in a block
 * @tag: of the block
 * @i: slot index
 *
 * Return: 1 if it is; 0 if not, or if the block is not in use.
 */
static inline int kstats_block_has(__u32 tag, __u32 i)
{
	return (tag ^ i) >= -KSTATS_BLOCK_SLOTS;
}

/**
 * kstats_block_of() - the block of a tag
 * @tag: of a block
 *
 * Return: index of its first slot divided by KSTATS_BLOCK_SLOTS; far above KSTATS_N_BLOCKS_MAX
 * if the block is not in use.
 */
static inline __u32 kstats_block_of(__u32 tag)
{
	return ~tag >> KSTATS_BLOCK_SHIFT;
}

/**
 * kstats_block_place() - where a distribution looks for the block of a slot
 * @i: slot index
 *
 * The blocks of 16 powers of two have different places at 5 bits, those of 32 at 4 bits, and
 * all of them with fewer bits.
 *
 * Return: bytes from the first place, each of which is a __u32.
 */
static inline __u32 kstats_block_place(__u32 i)
{
	return i >> (KSTATS_BLOCK_SHIFT - 2) & (KSTATS_BLOCK_PLACES - 1) << 2;
}

/**
 * kstats_block_slot() - where a slot is in its block
 * @i: slot index
 *
 * Return: index below KSTATS_BLOCK_SLOTS.
 */
static inline __u32 kstats_block_slot(__u32 i)
{
	return i & (KSTATS_BLOCK_SLOTS - 1);
}

/**
 * kstats_slot_first() - smallest value of a slot
 * @i: slot index
 * @bits: resolution
 *
 * Return: the smallest value that slot @i counts; ~0 for the overflow slot.
 */
static inline __u64 kstats_slot_first(__u32 i, __u32 bits)
{
	__u32 bucket = kstats_slot_bucket(i, bits);

	if (!bucket)
		return i;
	if (i >= kstats_n_slots(bits) - 1)
		return ~0ULL;
	return (__u64)((1U << bits) | (i & ((1U << bits) - 1))) << (bucket - 1);
}

/**
 * kstats_slot_last() - largest value of a slot
 * @i: slot index
 * @bits: resolution
 *
 * Return: the largest value that slot @i counts; ~0 for the overflow slot.
 */
static inline __u64 kstats_slot_last(__u32 i, __u32 bits)
{
	__u32 bucket = kstats_slot_bucket(i, bits);

	if (!bucket || i >= kstats_n_slots(bits) - 1)
		return kstats_slot_first(i, bits);
	return kstats_slot_first(i, bits) + ((1ULL << (bucket - 1)) - 1);
}

/**
 * kstats_slot_shift() - by how many bits the samples of a slot are scaled down
 * @i: slot index
 * @bits: resolution
 *
 * Return: the number of bits that kstats_slot_scale() drops from each sample,
 * so avg = (sum / samples) << shift.
 */
static inline __u32 kstats_slot_shift(__u32 i, __u32 bits)
{
	__u32 bucket = kstats_slot_bucket(i, bits);

	return bucket < KSTATS_SUM_BUCKET ? 0 : bucket - KSTATS_SUM_BUCKET;
}

/**
 * kstats_slot_scale() - the amount that a sample adds to the sum of its slot
 * @v: sample
 * @i: its slot index
 * @bits: resolution
 *
 * Return: @v >> kstats_slot_shift(); the shift is in a branch that few values take.
 */
static inline __u64 kstats_slot_scale(__u64 v, __u32 i, __u32 bits)
{
	__u32 shift = kstats_slot_shift(i, bits);

	if (shift) {
		kstats_branch();
		v >>= shift;
	}
	return v;
}

/**
 * kstats_slot_avg() - mean of the samples of a slot
 * @quotient: sum / samples of the slot; the caller divides, since 32-bit kernels have their
 *	own division functions
 * @i: slot index
 * @bits: resolution
 *
 * Return: the mean in the samples' unit, limited to the values of the slot: a copy taken
 * while samples arrive may hold a sample without its value, or a value without its sample.
 */
static inline __u64 kstats_slot_avg(__u64 quotient, __u32 i, __u32 bits)
{
	__u64 first = kstats_slot_first(i, bits), last = kstats_slot_last(i, bits);
	__u32 shift = kstats_slot_shift(i, bits);

	if (quotient > last >> shift)
		return last;
	quotient <<= shift;
	return quotient < first ? first : quotient;
}

#endif /* KSTATS_SLOT_H */
