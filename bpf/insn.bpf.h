/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn.bpf.h - instructions that the compiler would not choose, or that user space replaces
 * before it loads a program. Called by the other headers, which say why. The model
 * (tests/model) compiles the programs for the machine it runs on, and has others in their place.
 */
#ifndef KSTATS_INSN_BPF_H
#define KSTATS_INSN_BPF_H

#ifdef __bpf__
/* Set a word to a number in place of which user space patches another. */
#define INSN_PATCHED(word, magic) asm volatile("%0 = %1 ll" : "=r"(word) : "i"(magic))

/* The body of a function with the arguments @ctx, @value and @duration, which is replaced. */
#define INSN_EXPR(magic, ctx, value, duration)                           \
	register __u64 outcome asm("r0");                                \
                                                                         \
	asm volatile("%0 = %1 ll"                                        \
		     : "=r"(outcome)                                     \
		     : "i"(magic), "r"(ctx), "r"(value), "r"(duration)); \
	return outcome

#define INSN_LOAD(v, at, offset) \
	asm volatile("%0 = *(u64 *)(%1 + %2)" : "=r"(v) : "r"(at), "i"(offset))
#define INSN_LOW(low, p) asm volatile("%0 = %1" : "=w"(low) : "w"((__u32)(__u64)(p)))
#define INSN_ADD(at, p) asm volatile("%0 += %1" : "+r"(at) : "r"(p))
#define INSN_KEEP(i) asm volatile("%0 += 0" : "+r"(i))
#define INSN_FORGET(i, unknown) asm volatile("%0 ^= %1\n%0 ^= %1" : "+r"(i) : "r"(unknown))
#define INSN_NUMBER(v, n) asm("%0 = %1" : "=r"(v) : "i"(n))
#define INSN_AND(v, n) asm volatile("%0 &= %1" : "+r"(v) : "i"(n))
#define INSN_SHIFT(v, n) asm volatile("%0 <<= %1" : "+r"(v) : "i"(n))
#define INSN_NOTHING() asm volatile("r0 = 0" ::: "r0")
#define INSN_TABLE(map) asm volatile("" : "+r"(map))
#define INSN_TAIL_CALL() \
	asm volatile("r0 = 0; if r0 == 0 goto +1; call 12 /* bpf_tail_call() */" ::: "r0")
#endif

/*
 * The lower half of an address. The verifier allows no arithmetic on the address itself,
 * but treats a 32-bit copy as a number.
 */
static __always_inline __u32 address_low(const void *p)
{
	__u32 low;

	INSN_LOW(low, p);
	return low;
}

/* The body is replaced before a copy of the program is loaded. Returns enum kstats_outcome. */
#define EXPR_FUNCTION(name, magic)                                            \
	static __noinline __u64 name(void *ctx, __u64 *value, __u64 duration) \
	{                                                                     \
		INSN_EXPR(magic, ctx, value, duration);                       \
	}

/* Keeps the compiler from dropping an argument, which would move those behind it. */
static __always_inline __u64 opaque(__u64 v)
{
	asm volatile("" : "+r"(v));
	return v;
}

#endif /* KSTATS_INSN_BPF_H */
