/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_user_arm64.h - what the markers of kstats_user.h do in instructions of arm64. Included by
 * kstats_user_node.h alone; kstats_user_x86.h offers the same.
 */
#ifndef KSTATS_USER_ARM64_H
#define KSTATS_USER_ARM64_H

/* Set operand 0 to the address of a symbol of this program or library. */
#define KSTATS_USER_ADDRESS(symbol) "adrp %0, " symbol "\n\tadd %0, %0, :lo12:" symbol

/* Replace @from by @to; signal handlers see one or the other. Return: 1 if @from was there. */
KSTATS_USER_INLINE int kstats_user_swap_here(void *at, void *from, void *to)
{
	__u32 failed;
	void *was;

	__asm__ volatile("1:\n\t"
			 "ldxr %[was], %[at]\n\t"
			 "cmp %[was], %[from]\n\t"
			 "b.ne 2f\n\t"
			 "stxr %w[failed], %[to], %[at]\n\t"
			 "cbnz %w[failed], 1b\n"
			 "2:"
			 : [was] "=&r"(was), [failed] "=&r"(failed), [at] "+Q"(*(void **)at)
			 : [from] "r"(from), [to] "r"(to)
			 : "memory", "cc");
	return was == from;
}

KSTATS_USER_INLINE char *kstats_user_self_pointer(void)
{
	char *at;

	__asm__("mrs %0, tpidr_el0" : "=r"(at));
	return at;
}

/*
 * Add to 16 bytes in the cell of the CPU, in a restartable sequence: if the thread is preempted,
 * moved or gets a signal before the last store, the kernel lets it continue at "again". An
 * interrupt may come between the two words of an ordinary store, but not between those of an
 * exclusive one, which also fails after any interrupt. 4 and 8 are the offsets of cpu_id and
 * rseq_cs in the area that thread and kernel share.
 */
KSTATS_USER_COLD int kstats_user_add_here(const struct kstats_user_node *node, __u64 session,
					  __u64 offset, kstats_user_pair more)
{
	char *rseq = kstats_user_self_pointer() + __rseq_offset;
	int tries = 0;

again:
	/* A debugger that steps through the sequence restarts it each time. */
	if (tries++ == 100)
		return -1;
	__asm__ volatile goto(
		".pushsection __rseq_cs, \"aw\"\n\t"
		".balign 32\n"
		"3:\n\t"
		".long 0, 0\n\t"
		".quad 1f, (2f - 1f), 4f\n\t"
		".popsection\n\t"
		"adrp x9, 3b\n\t"
		"add x9, x9, :lo12:3b\n\t"
		"str x9, [%[rseq], #8]\n"
		"1:\n\t"
		"ldr x9, [%[control]]\n\t"
		"cmp x9, %[session]\n\t"
		"b.ne %l[stopped]\n\t"
		"ldr w9, [%[rseq], #4]\n\t"
		"cmp w9, %w[n_cpus]\n\t"
		"b.hs %l[no_cpu]\n\t"
		"madd x9, x9, %[size], %[offset]\n\t"
		"ldxp x10, x11, [x9]\n\t"
		"add x10, x10, %[more]\n\t"
		"add x11, x11, %[more_sum]\n\t"
		"stxp w12, x10, x11, [x9]\n"
		"2:\n\t"
		"str xzr, [%[rseq], #8]\n\t"
		"cbnz w12, %l[again]\n\t"
		".pushsection __rseq_failure, \"ax\"\n\t"
		/* The signature of glibc before the label, which the kernel expects: brk #0x45e0.
		 */
		".inst 0xd428bc00\n"
		"4:\n\t"
		"b %l[again]\n\t"
		".popsection"
		:
		: [rseq] "r"(rseq), [session] "r"(session), [control] "r"(&node->control->session),
		  [n_cpus] "r"(node->n_cpus), [size] "r"((__u64)node->cell_size),
		  [offset] "r"(node->cells + offset), [more] "r"(more[0]), [more_sum] "r"(more[1])
		: "x9", "x10", "x11", "x12", "memory", "cc"
		: again, stopped, no_cpu);
	return 1;
stopped:
	*(volatile __u64 *)(rseq + 8) = 0;
	return 0;
no_cpu:
	*(volatile __u64 *)(rseq + 8) = 0;
	return -1;
}

/* Add to both words of a slot by one atomic operation. */
KSTATS_USER_INLINE void kstats_user_add_both(__u64 *slot, __u64 more, __u64 more_sum)
{
	__u64 low, high;
	__u32 failed;

	__asm__ volatile("1:\n\t"
			 "ldaxp %[low], %[high], [%[slot]]\n\t"
			 "add %[low], %[low], %[more]\n\t"
			 "add %[high], %[high], %[more_sum]\n\t"
			 "stlxp %w[failed], %[low], %[high], [%[slot]]\n\t"
			 "cbnz %w[failed], 1b"
			 : [low] "=&r"(low), [high] "=&r"(high), [failed] "=&r"(failed)
			 : [slot] "r"(slot), [more] "r"(more), [more_sum] "r"(more_sum)
			 : "memory");
}

#endif /* KSTATS_USER_ARM64_H */
