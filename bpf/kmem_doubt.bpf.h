/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem_doubt.bpf.h - may a lifetime be that of two objects? In: the time of an allocation, and
 * the kernel's own counts of what it skipped. Out: yes or no. Called by kmem_live.bpf.h.
 *
 * The kernel skips a program that is already running on the CPU: it does so in an interrupt. An
 * object whose free is skipped stays in the table. If the next allocation of its memory is skipped
 * as well, the free after that seems to end the life of the first object. So a lifetime is sure
 * only if no free was skipped since its allocation.
 *
 * The kernel counts what it skips, for each program and CPU. A program on a free compares this
 * count of itself on its CPU with the one that it last saw. If it is larger, frees were skipped up
 * to now. So a run knows of all that was skipped of its program on its CPU before it. Programs on
 * other events and CPUs know of it as soon as that run has told: the check is the last thing that
 * it does but for counting its lifetime. On a raw tracepoint a program is skipped only while it
 * runs itself, so what waits for the next run is what is skipped in the last 30 instructions. On
 * trace events a program is skipped while any of them runs; what is skipped during an allocation is
 * known with the next free on that CPU, and until then a free on another CPU does not know of it.
 */
#ifndef KSTATS_KMEM_DOUBT_BPF_H
#define KSTATS_KMEM_DOUBT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "kmem_table.bpf.h"
#include "loop.bpf.h"

#define DOUBT_TRIES 8
#define DOUBT_OF(how) ((how) == KSTATS_KMEM_PAGE_FREE) /* index of skipped_ns */

__u64 skipped_ns[2]; /* until when frees may have been skipped: of objects, of pages */
__u32 free_programs[KSTATS_KMEM_FREE_N]; /* their numbers; 0: there is none */
__u64 free_misses[KSTATS_KMEM_FREE_N]; /* per-CPU addresses of their counts */
__u64 here_base; /* the same of @here */
__u64 here_map; /* address of @here itself */

/* Used for its address only: its distance to other per-CPU memory is the same on each CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} here SEC(".maps");

/* Before 6.2 */
static __noinline __u64 kernel_word_copied(__u64 at)
{
	__u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), (void *)at);
	return word;
}

/*
 * A word of the kernel's memory. From 6.2 on a cast of the address costs no call; before, the
 * instruction of the call is an assignment in dead code.
 */
static __always_inline __u64 kernel_word(__u64 at)
{
	void *(*cast)(__u64, __u64) = (void *)(KSTATS_KMEM_MAGIC + KSTATS_KMEM_CAST);

	__u64 type = SETTING(WORD);

	if (type)
		return *(volatile __u64 *)cast(at, type);
	REMOVABLE();
	return kernel_word_copied(at);
}

/* The time never goes back. If others change it at every try, no lifetime is sure any more. */
static __always_inline void doubt_until_now(__u64 *until)
{
	__u64 now = bpf_ktime_get_ns(), was, i;

	for (i = 0; i < DOUBT_TRIES; i = loop_next(i)) {
		was = *(volatile __u64 *)until;
		if (was >= now || __sync_val_compare_and_swap(until, was, now) == was)
			return;
	}
	__sync_lock_test_and_set(until, -1);
}

/*
 * The count of a program has changed, or is read for the first time on this CPU. Not static: the
 * verifier goes through it once.
 */
__noinline int doubt_renew(__u64 how, __u64 cpu)
{
	struct kstats_kmem_counts *c = table_of(&counts);
	__u32 zero = 0;
	__u64 misses;
	void *at;

	SET_AND(cpu, CPU_MASK);
	c += cpu;
	how &= 7;
	if (how >= KSTATS_KMEM_FREE_N)
		return 0;
	if (!c->misses_at[how]) {
		at = bpf_map_lookup_elem(&here, &zero);
		/* Only memory turns a pointer into a plain number. */
		*(void *volatile *)&c->misses_at[how] = at;
		c->misses_at[how] =
			*(volatile __u64 *)&c->misses_at[how] - here_base + free_misses[how];
	}
	misses = kernel_word(c->misses_at[how]);
	if (c->misses[how] == misses + 1)
		return 0;
	if (c->misses[how] || misses)
		doubt_until_now(&skipped_ns[DOUBT_OF(how)]);
	c->misses[how] = misses + 1;
	return 0;
}

/* Looks for frees that were skipped here; @how: of the program that runs. */
static __always_inline void doubt_look(enum kstats_kmem_free how, __u64 cpu)
{
	struct kstats_kmem_counts *c = table_of(&counts);
	__u64 place = cpu;

	SET_AND(place, CPU_MASK);
	c += place;
	asm volatile("" : "+r"(c));
	if (kernel_word(c->misses_at[how]) + 1 != c->misses[how])
		doubt_renew(how, cpu);
}

/* May the free of an object that was allocated at @ns have been skipped since? */
static __always_inline bool doubt_since(__u64 ns, enum kstats_kmem_free how)
{
	return *(volatile __u64 *)&skipped_ns[DOUBT_OF(how)] >= ns;
}

/* Where the kernel counts the runs of our programs on frees that it skips. It writes nothing. */
SEC("iter/bpf_prog")
int tell_misses(struct bpf_iter__bpf_prog *ctx)
{
	struct bpf_prog *prog = ctx->prog;
	__u32 i;

	if (!prog)
		return 0;
	*(void *volatile *)&here_map = &here;
	bpf_probe_read_kernel(&here_base, sizeof(here_base),
			      (void *)*(volatile __u64 *)&here_map +
				      bpf_core_field_offset(struct bpf_array, pptrs));
	for (i = 0; i < KSTATS_KMEM_FREE_N; i++) {
		if (prog->aux->id != free_programs[i])
			continue;
		bpf_probe_read_kernel(&free_misses[i], sizeof(free_misses[i]), &prog->stats);
		free_misses[i] += bpf_core_field_offset(struct bpf_prog_stats, misses);
	}
	return 0;
}

#endif /* KSTATS_KMEM_DOUBT_BPF_H */
