/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stub.h - a stub as ftrace and the assembly see it. In: a place of ftrace, and a node. Out:
 * samples in the node. Included by stub.c and direct.c; the code of the stubs is in direct_stubs.S.
 */
#ifndef KSTATS_STUB_H
#define KSTATS_STUB_H

#include <linux/ftrace.h>
#include <linux/percpu.h>
#include <linux/static_call.h>

#include "direct.h"
#include "kstats_abi.h"

/* Calls of a function on one CPU. The first is counted by the stub. */
struct direct_calls {
	u64 started;
	u64 ended;
	u64 died; /* whose task ended inside */
	u64 missed; /* that ended while the node was stopped */
	u8 mode; /* whose calls are measured: DIRECT_NOBODY and so on */
};

/* What the stub reads of itself, and who it is for. */
struct direct_stub {
	struct direct_calls __percpu *calls;
	const unsigned long *bits; /* processes, with DIRECT_LISTED */
	struct kstats *node;
	unsigned long place; /* where ftrace enters it; 0: it is free */
	unsigned long entry; /* what ftrace calls now */
	u64 base; /* calls whose samples, or lack of them, were before the last reset */
	u64 base_died; /* those of them whose task ended inside */
	bool leaving; /* it will be unregistered now: its entry stays */
	bool registered;
	bool suspended; /* the machine was, while it was in use */
	u8 state; /* see enum kstats_direct_state */
} __aligned(DIRECT_SIZE);

/* The code of a stub, and the static call in it. */
struct direct_entry {
	unsigned long code;
	struct static_call_key *key;
	void *tramp;
};

extern struct direct_stub direct_stubs[DIRECT_STUBS];
extern const struct direct_entry direct_entries[DIRECT_STUBS];

/** stub_register() - let ftrace enter it at its place; @stub: open. Return: 0 or -errno */
int stub_register(struct direct_stub *stub);

/**
 * stub_unregister() - let ftrace enter it no more; calls that are open end in it
 * @stub: any
 * @state: what it is then
 *
 * If ftrace refuses, it stays registered.
 */
void stub_unregister(struct direct_stub *stub, enum kstats_direct_state state);

/**
 * stub_set_modes() - say whose calls are measured from now on
 * @stub: any
 * @on: false: nobody's
 *
 * Calls that are open keep what was decided when they began.
 */
void stub_set_modes(struct direct_stub *stub, bool on);

/** stub_set_scale() - learn how fast the time stamp counter is; no stub is in use */
void stub_set_scale(void);

/** stub_at() - the stub in whose code an address is, or NULL; @addr: any number */
struct direct_stub *stub_at(unsigned long addr);

/** stubs_check() - whether the code of the stubs is as stub_at() believes. Return: 0 or -errno */
int stubs_check(void);

/** stub_ended() - calls that came to their end; @stub: in use */
u64 stub_ended(struct direct_stub *stub);

/** stub_died() - calls whose task ended inside; @stub: in use */
u64 stub_died(struct direct_stub *stub);

/** stub_missed() - calls that ended while the node was stopped; @stub: in use */
u64 stub_missed(struct direct_stub *stub);

/** stub_started() - calls that began; @stub: in use */
u64 stub_started(struct direct_stub *stub);

#endif /* KSTATS_STUB_H */
