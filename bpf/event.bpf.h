/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event.bpf.h - a start or an end, as a program describes it to the pairing, and the start that an
 * end has found. Called by stack.bpf.h, start.bpf.h, interval.bpf.h and kstats.bpf.c.
 */
#ifndef KSTATS_EVENT_BPF_H
#define KSTATS_EVENT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "insn.bpf.h"
#include "kstats_abi.h"

/** enum event_place - where an event is, for those who ask who called */
enum event_place {
	EVENT_ELSEWHERE,
	EVENT_TRACED, /* in a trampoline of a function */
	EVENT_PROBED, /* at the entry of a function of the kernel */
	EVENT_USER, /* in a program */
};

/** struct event - a start or an end */
struct event {
	enum event_place place;
	bool has_hook; /* @hook is there; else the hook word is in the program */
	__u64 hook; /* hook word, see KSTATS_HOOK_NODE_BITS */
	/*
	 * the lower half of an address in the frame that the event runs in, the same at the entry
	 * and at the return of a call
	 */
	__u32 at;
	__u32 ident; /* distinguishes this call from others, see struct kstats_stamp */
	bool is_pair; /* start and end are different points */
	bool is_several; /* it is one of several points, see points_start() */
	bool cancels; /* it ends a start without a sample */
	const __u64 *words; /* of a start among several: what its end needs, with kept_words */
	__u32 pairing; /* how an end finds its start */
	__u64 key; /* argument that joins start and end, when pairing by key */
	bool has_ret; /* @ret is set and needed */
	__u64 ret; /* return value, at the end of a call */
	bool is_trampoline; /* a return that shows arguments and result */
	/* word in which the kernel keeps the start of this very call; NULL if it keeps none */
	__u64 *cookie;
	bool is_asked; /* a start that no filter leaves out: see call_is_of_others() */
	bool is_framed; /* the cookie may be another call's: then it holds no time up to now */
	/* in interrupts the kernel skips the start and the end of a call together */
	bool is_symmetric;
};

/** struct start - the start that an end has found */
struct start {
	__u64 ns; /* monotonic clock; 0: none */
	__u32 switches; /* how often the task had been switched out; only with keeps_switches */
	__u32 by; /* node of its key; set only with by_at_start */
	__u64 kept[KSTATS_KEPT_WORDS]; /* what its end needs; set only with kept_words */
};

/* The hook's settings in one word; patched before a copy is loaded. */
static __always_inline __u64 hook_patched(void)
{
	__u64 word;

	INSN_PATCHED(word, KSTATS_HOOK_MAGIC);
	return word;
}

/* Computed again each time: that is one instruction, and registers are scarce. */
static __always_inline __u64 hook_word(const struct event *ev)
{
	return ev->has_hook ? ev->hook : hook_patched();
}

static __always_inline __u32 hook_node(const struct event *ev)
{
	return (__u32)hook_word(ev);
}

#endif /* KSTATS_EVENT_BPF_H */
