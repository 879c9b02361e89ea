/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_user_x86.h - what the markers of kstats_user.h do in instructions of x86-64. Included by
 * kstats_user_node.h alone; kstats_user_arm64.h offers the same.
 */
#ifndef KSTATS_USER_X86_H
#define KSTATS_USER_X86_H

/* Set operand 0 to the address of a symbol of this program or library. */
#define KSTATS_USER_ADDRESS(symbol) "leaq " symbol "(%%rip), %0"

/* Replace @from by @to; signal handlers see one or the other. Return: 1 if @from was there. */
KSTATS_USER_INLINE int kstats_user_swap_here(void *at, void *from, void *to)
{
	void *was = from;

	__asm__ volatile("cmpxchgq %[to], %[at]"
			 : "+a"(was), [at] "+m"(*(void **)at)
			 : [to] "r"(to)
			 : "memory", "cc");
	return was == from;
}

KSTATS_USER_INLINE char *kstats_user_self_pointer(void)
{
	char *at;

	__asm__("movq %%fs:0, %0" : "=r"(at));
	return at;
}

/*
 * Add to 16 bytes in the cell of the CPU, in a restartable sequence: if the thread is preempted,
 * moved or gets a signal before the last store, the kernel lets it continue at "again". The
 * last store writes both words, so that a slot is never half written. 4 and 8 are the
 * offsets of cpu_id and rseq_cs in the area that thread and kernel share.
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
		"leaq 3b(%%rip), %%rax\n\t"
		"movq %%rax, 8(%[rseq])\n"
		"1:\n\t"
		"cmpq %[session], (%[control])\n\t"
		"jne %l[stopped]\n\t"
		"movl 4(%[rseq]), %%eax\n\t"
		"cmpl %[n_cpus], %%eax\n\t"
		"jae %l[no_cpu]\n\t"
		"imulq %[size], %%rax\n\t"
		"addq %[offset], %%rax\n\t"
		"movdqa (%%rax), %%xmm15\n\t"
		"paddq %[more], %%xmm15\n\t"
		"movdqa %%xmm15, (%%rax)\n"
		"2:\n\t"
		"movq $0, 8(%[rseq])\n\t"
		".pushsection __rseq_failure, \"ax\"\n\t"
		/* The signature of glibc, which the kernel expects before the label. */
		".byte 0x0f, 0xb9, 0x3d\n\t"
		".long 0x53053053\n"
		"4:\n\t"
		"jmp %l[again]\n\t"
		".popsection"
		:
		: [rseq] "r"(rseq), [session] "r"(session), [control] "r"(&node->control->session),
		  [n_cpus] "r"(node->n_cpus), [size] "r"((__u64)node->cell_size),
		  [offset] "r"(node->cells + offset), [more] "x"(more)
		: "rax", "xmm15", "memory", "cc"
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
	__u64 low = slot[0], high = slot[1];

	__asm__ volatile("1:\n\t"
			 "movq %%rax, %%rbx\n\t"
			 "movq %%rdx, %%rcx\n\t"
			 "addq %[more], %%rbx\n\t"
			 "addq %[more_sum], %%rcx\n\t"
			 "lock cmpxchg16b (%[slot])\n\t"
			 "jne 1b"
			 : "+a"(low), "+d"(high)
			 : [slot] "r"(slot), [more] "r"(more), [more_sum] "r"(more_sum)
			 : "rbx", "rcx", "memory", "cc");
}

#endif /* KSTATS_USER_X86_H */
