// SPDX-License-Identifier: GPL-2.0-only
/* stub.c - see stub.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "stub.h"

#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <asm/msr.h>
#include <asm/tsc.h>

#include "compat.h"
#include "node.h"
#include "who.h"

static_assert(DIRECT_STUBS == KSTATS_DIRECT_STUBS);
static_assert(sizeof(struct direct_stub) == DIRECT_SIZE);
static_assert(offsetof(struct direct_stub, calls) == DIRECT_CALLS);
static_assert(offsetof(struct direct_stub, bits) == DIRECT_BITS);
static_assert(offsetof(struct direct_calls, started) == DIRECT_STARTED);
static_assert(offsetof(struct direct_calls, mode) == DIRECT_MODE);

/* Shared with direct_stubs.S. */
struct direct_stub direct_stubs[DIRECT_STUBS];
extern char direct_pass[];
asmlinkage void direct_end(struct direct_stub *stub, u64 start);

/* The stubs know the offset of tgid in a task by a symbol with that value. */
static void __used define_offsets(void)
{
	asm volatile(".globl direct_tgid_at\n\t.set direct_tgid_at, %c0"
		     :
		     : "i"(offsetof(struct task_struct, tgid)));
}

static struct ftrace_ops all_ops[DIRECT_STUBS];
static DEFINE_MUTEX(entry_lock); /* @entry and @leaving; taken inside ftrace's locks */
static u32 mult, shift; /* time stamp counter to ns */

/* ---- the static calls ---- */

typedef void body(void);

#define DEFINE_BODY(n)                              \
	DECLARE_STATIC_CALL(direct_body_##n, body); \
	DEFINE_STATIC_CALL_NULL(direct_body_##n, body);
DIRECT_EACH(DEFINE_BODY)

/* ---- the end of a call ---- */

/* Called by the stubs, wherever the function may be called. */
asmlinkage void notrace direct_end(struct direct_stub *stub, u64 start)
{
	u64 ticks = rdtsc() - start;

	/* The counter of another CPU may be slightly behind. */
	if (unlikely((s64)ticks < 0))
		ticks = 0;
	preempt_disable_notrace();
	/* Before its sample: see direct_reset(). */
	this_cpu_inc(stub->calls->ended);
	if (unlikely(node_count(stub->node, mul_u64_u32_shr(ticks, mult, shift))))
		this_cpu_inc(stub->calls->missed);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(direct_end);

/*
 * While no stub is in use: some seconds after boot the kernel measures the frequency once more,
 * and the first figure may be wrong by one percent.
 */
void stub_set_scale(void)
{
	u64 factor;

	for (shift = 32;; shift--) {
		factor = div_u64((u64)NSEC_PER_MSEC << shift, tsc_khz);
		if (factor <= U32_MAX)
			break;
	}
	mult = factor;
}

/* ---- where they are ---- */

/* The stubs lie one behind the other, in this order, and are alike. */
struct direct_stub *stub_at(unsigned long addr)
{
	unsigned long first = direct_entries[0].code;
	unsigned long size = direct_entries[1].code - first;
	unsigned long n = (addr - first) / size;

	return addr >= first && n < DIRECT_STUBS ? &direct_stubs[n] : NULL;
}

int stubs_check(void)
{
	unsigned long first = direct_entries[0].code;
	unsigned int i;

	for (i = 0; i < DIRECT_STUBS; i++)
		if (direct_entries[i].code != first + i * (direct_entries[1].code - first))
			return -ENOEXEC;
	return 0;
}

/* ---- calls ---- */

static u64 sum_of(struct direct_stub *stub, size_t member)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*(u64 *)((char *)per_cpu_ptr(stub->calls, cpu) + member));
	return sum;
}

u64 stub_ended(struct direct_stub *stub)
{
	return sum_of(stub, offsetof(struct direct_calls, ended));
}

u64 stub_died(struct direct_stub *stub)
{
	return sum_of(stub, offsetof(struct direct_calls, died));
}

u64 stub_missed(struct direct_stub *stub)
{
	return sum_of(stub, offsetof(struct direct_calls, missed));
}

u64 stub_started(struct direct_stub *stub)
{
	return sum_of(stub, offsetof(struct direct_calls, started));
}

/* ---- ftrace ---- */

static struct direct_stub *stub_of(struct ftrace_ops *ops)
{
	return &direct_stubs[ops - all_ops];
}

static struct ftrace_ops *ops_of(struct direct_stub *stub)
{
	return &all_ops[stub - direct_stubs];
}

/*
 * A livepatch is about to attach. Let it: put a plain return in place of the stub, which leads to
 * whatever ftrace and the livepatch have chosen. While the stub is being unregistered, return
 * -EAGAIN: the livepatch can be tried again.
 */
static int give_way(struct ftrace_ops *ops)
{
	struct direct_stub *stub = stub_of(ops);
	int err = -EAGAIN;

	mutex_lock(&entry_lock);
	if (!stub->leaving) {
		err = compat_modify_direct(ops, (unsigned long)direct_pass);
		if (!err) {
			stub->entry = (unsigned long)direct_pass;
			WRITE_ONCE(stub->state, KSTATS_DIRECT_PATCHED);
		}
	}
	mutex_unlock(&entry_lock);
	return err;
}

static int asked_by_ftrace(struct ftrace_ops *ops, COMPAT_OPS_IP enum ftrace_ops_cmd cmd)
{
	switch (cmd) {
	case FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF:
		return -EBUSY;
	case FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER:
		return give_way(ops);
	default:
		return 0;
	}
}

int stub_register(struct direct_stub *stub)
{
	struct ftrace_ops *ops = ops_of(stub);
	u8 was = stub->state;
	int err;

	memset(ops, 0, sizeof(*ops));
	ops->ops_func = asked_by_ftrace;
	stub->entry = ftrace_jmp_set(direct_entries[stub - direct_stubs].code);
	stub->leaving = false;
	/* Before registering: from then on a livepatch may change the state. */
	WRITE_ONCE(stub->state, KSTATS_DIRECT_ATTACHED);
	err = ftrace_set_filter_ip(ops, stub->place, 0, 0);
	if (!err) {
		err = compat_register_direct(ops, stub->entry);
		if (err)
			ftrace_free_filter(ops);
	}
	stub->registered = !err;
	if (err)
		stub->state = was;
	return err;
}

/* ftrace must be given the address that it calls now: with another one it keeps the function as
 * taken. */
void stub_unregister(struct direct_stub *stub, enum kstats_direct_state state)
{
	unsigned long entry;
	int err;

	if (!stub->registered)
		return;
	mutex_lock(&entry_lock);
	stub->leaving = true;
	entry = stub->entry;
	mutex_unlock(&entry_lock);
	err = compat_unregister_direct(ops_of(stub), entry);
	if (err) {
		/* Whoever calls the function enters the stub: it must stay. */
		pr_warn_once(
			"ftrace does not detach %ps (error %d): the module stays until it does\n",
			(void *)stub->place, err);
		return;
	}
	stub->registered = false;
	stub->state = state;
}

void stub_set_modes(struct direct_stub *stub, bool on)
{
	const struct direct_filter *filter = node_of(stub->node)->filter;
	unsigned int cpu;
	u8 mode;

	for_each_possible_cpu(cpu) {
		mode = stub->bits ? DIRECT_LISTED : DIRECT_EVERYBODY;
		if (!on || (filter && filter->by_cpu && !cpumask_test_cpu(cpu, &filter->cpus)))
			mode = DIRECT_NOBODY;
		WRITE_ONCE(per_cpu_ptr(stub->calls, cpu)->mode, mode);
	}
}
