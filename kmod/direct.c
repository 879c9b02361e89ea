// SPDX-License-Identifier: GPL-2.0-only
/*
 * direct.c - which stub measures which function. In: calls from record.c and node.c. Out:
 * stubs that ftrace enters; samples in nodes. The stubs are in direct_stubs.S.
 *
 * A stub is free, attached, or draining. It drains while calls that began in it are open: their
 * tasks return into it. Only then does its node go, and the module may be removed only when
 * no stub is in use.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "direct.h"

#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include <asm/msr.h>
#include <asm/tsc.h>

#include "compat.h"
#include "going.h"
#include "node.h"
#include "who.h"

#define CALL_SIZE 5 /* bytes of ftrace's place */

/* Calls of a function on one CPU. The first is counted by the stub. */
struct direct_calls {
	u64 started;
	u64 ended;
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
	bool leaving; /* it will be unregistered now: its entry stays */
	bool registered;
	u8 state; /* see enum kstats_direct_state */
} __aligned(DIRECT_SIZE);

static_assert(DIRECT_STUBS == KSTATS_DIRECT_STUBS);
static_assert(sizeof(struct direct_stub) == DIRECT_SIZE);
static_assert(offsetof(struct direct_stub, calls) == DIRECT_CALLS);
static_assert(offsetof(struct direct_stub, bits) == DIRECT_BITS);
static_assert(offsetof(struct direct_calls, started) == DIRECT_STARTED);
static_assert(offsetof(struct direct_calls, mode) == DIRECT_MODE);

/* The code of a stub, and the static call in it. */
struct direct_entry {
	unsigned long code;
	struct static_call_key *key;
	void *tramp;
};

/* Shared with direct_stubs.S. */
extern struct direct_stub direct_stubs[DIRECT_STUBS];
struct direct_stub direct_stubs[DIRECT_STUBS];
extern const struct direct_entry direct_entries[DIRECT_STUBS];
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
static DEFINE_MUTEX(stubs_lock); /* which stub is whose */
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

#define ENDBR_SIZE 4

/* A nop, or a call or a jump if somebody else traces the function. */
static bool is_place(const u8 *code)
{
	static const u8 nop[CALL_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	return !memcmp(code, nop, sizeof(nop)) || *code == 0xe8 || *code == 0xe9;
}

/* The place of ftrace at the begin of a function, perhaps behind an endbr or what replaced it. */
static unsigned long place_of(unsigned long addr)
{
	u8 code[ENDBR_SIZE + CALL_SIZE];

	if (copy_from_kernel_nofault(code, (void *)addr, sizeof(code)))
		return 0;
	if (is_place(code))
		return addr;
	return is_place(code + ENDBR_SIZE) ? addr + ENDBR_SIZE : 0;
}

static int register_stub(struct direct_stub *stub)
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
static void unregister_stub(struct direct_stub *stub, enum kstats_direct_state state)
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
	if (WARN_ONCE(err, "ftrace does not detach a stub: error %d", err))
		return;
	stub->registered = false;
	stub->state = state;
}

/* Calls that are open keep what was decided when they began. */
static void set_modes(struct direct_stub *stub, bool on)
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

/* ---- modules that are being unloaded ---- */

/* Before ftrace forgets the functions of the module: with a stub there, it would warn and stop. */
static void detach_from(struct module *mod)
{
	struct direct_stub *stub;

	for (stub = direct_stubs; stub < direct_stubs + DIRECT_STUBS; stub++) {
		if (!stub->place || !within_module(stub->place, mod))
			continue;
		set_modes(stub, false);
		unregister_stub(stub, KSTATS_DIRECT_UNLOADED);
		stub->state = KSTATS_DIRECT_UNLOADED;
	}
}

static int module_changes(struct notifier_block *nb, unsigned long state, void *data)
{
	unsigned long from = (unsigned long)compat_module_text(data);
	unsigned long to = from + compat_module_text_size(data);

	mutex_lock(&stubs_lock);
	if (state == MODULE_STATE_COMING) {
		going_forget(from, to);
	} else if (state == MODULE_STATE_GOING) {
		going_tell(from, to);
		detach_from(data);
	}
	mutex_unlock(&stubs_lock);
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = { .notifier_call = module_changes };

/* ---- stubs of nodes ---- */

static struct direct_stub *stub_take(void)
{
	struct direct_stub *stub;

	for (stub = direct_stubs; stub < direct_stubs + DIRECT_STUBS; stub++)
		if (!stub->place)
			return stub;
	return ERR_PTR(-ENOSPC);
}

static bool stubs_used(void)
{
	struct direct_stub *stub;

	for (stub = direct_stubs; stub < direct_stubs + DIRECT_STUBS; stub++)
		if (stub->place)
			return true;
	return false;
}

/*
 * While no stub is in use: some seconds after boot the kernel measures the frequency once more,
 * and the first figure may be wrong by one percent.
 */
static void set_scale(void)
{
	u64 factor;

	for (shift = 32;; shift--) {
		factor = div_u64((u64)NSEC_PER_MSEC << shift, tsc_khz);
		if (factor <= U32_MAX)
			break;
	}
	mult = factor;
}

static void stub_free(struct direct_stub *stub)
{
	free_percpu(stub->calls);
	memset(stub, 0, sizeof(*stub));
}

static int stub_open(struct direct_stub *stub, struct kstats_node *node, unsigned long place)
{
	const struct direct_entry *entry = &direct_entries[stub - direct_stubs];
	int err;

	stub->calls = alloc_percpu_gfp(struct direct_calls, GFP_KERNEL_ACCOUNT);
	if (!stub->calls)
		return -ENOMEM;
	stub->place = place;
	stub->node = &node->hot;
	stub->bits = node->filter && node->filter->who ? node->filter->who->bits : NULL;
	set_modes(stub, READ_ONCE(node->hot.on));
	__static_call_update(entry->key, entry->tramp, (void *)(place + CALL_SIZE));
	err = register_stub(stub);
	if (err)
		stub_free(stub);
	return err;
}

static int attach_first(struct kstats_node *node, unsigned long place)
{
	struct direct_stub *stub;
	int err;

	if (!place)
		return -EINVAL;
	/* The kernel forgets the functions of a module some time after it has told that it goes. */
	if (going_has(place))
		return -ESTALE;
	stub = stub_take();
	if (IS_ERR(stub))
		return PTR_ERR(stub);
	if (!stubs_used())
		set_scale();
	err = stub_open(stub, node, place);
	if (err)
		return err;
	__module_get(THIS_MODULE);
	node->direct = stub;
	return 0;
}

/* Another function may be where the function of an unloaded module was. */
static int attach_again(struct direct_stub *stub, unsigned long place)
{
	int err;

	if (stub->state == KSTATS_DIRECT_UNLOADED)
		return -ESTALE;
	if (stub->registered || (place && stub->place != place))
		return -EALREADY;
	err = register_stub(stub);
	if (!err)
		set_modes(stub, READ_ONCE(stub->node->on));
	return err;
}

int direct_attach(struct kstats_node *node, unsigned long addr)
{
	unsigned long place = addr ? place_of(addr) : 0;
	int err;

	if (!tsc_khz || check_tsc_unstable())
		return -EOPNOTSUPP;
	mutex_lock(&stubs_lock);
	err = node->direct ? attach_again(node->direct, place) : attach_first(node, place);
	mutex_unlock(&stubs_lock);
	return err;
}

void direct_detach(struct kstats_node *node)
{
	mutex_lock(&stubs_lock);
	if (node->direct) {
		set_modes(node->direct, false);
		unregister_stub(node->direct, KSTATS_DIRECT_DETACHED);
	}
	mutex_unlock(&stubs_lock);
}

static u64 sum_of(struct direct_stub *stub, size_t member)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*(u64 *)((char *)per_cpu_ptr(stub->calls, cpu) + member));
	return sum;
}

static u64 n_ended(struct direct_stub *stub)
{
	return sum_of(stub, offsetof(struct direct_calls, ended));
}

static u64 n_started(struct direct_stub *stub)
{
	return sum_of(stub, offsetof(struct direct_calls, started));
}

static long nothing(void *unused)
{
	return 0;
}

/* Wait until every task that is in a stub, and does not sleep there, has left it. */
static void stubs_leave(void)
{
	unsigned int cpu;

	synchronize_rcu_tasks();
	/* The line above does not wait for the idle tasks. They run while no other task does. */
	cpus_read_lock();
	for_each_online_cpu(cpu)
		work_on_cpu(cpu, nothing, NULL);
	cpus_read_unlock();
}

bool direct_idle(struct kstats_node *node)
{
	struct direct_stub *stub = node->direct;

	if (!stub)
		return true;
	/*
	 * Unregistering waits until every task that entered the stub has been counted. So if the
	 * numbers are equal, no task has a frame in it.
	 */
	if (stub->registered || n_ended(stub) != n_started(stub))
		return false;
	stubs_leave();
	mutex_lock(&stubs_lock);
	stub_free(stub);
	node->direct = NULL;
	mutex_unlock(&stubs_lock);
	module_put(THIS_MODULE);
	return true;
}

void direct_switch(struct kstats_node *node, bool on)
{
	mutex_lock(&stubs_lock);
	if (node->direct)
		set_modes(node->direct, on && node->direct->registered && READ_ONCE(node->hot.on));
	mutex_unlock(&stubs_lock);
}

/*
 * Calls that are open count as started after the reset. So do calls that have ended since the
 * slots of their CPU were copied: otherwise more samples than starts would be left. So @samples,
 * those in the copies, are subtracted, and not the calls that have ended by now. Fewer calls than
 * @samples have ended only if others than the stub recorded, too.
 */
void direct_reset(struct kstats_node *node, u64 samples)
{
	struct direct_stub *stub = node->direct;

	if (stub) {
		samples += sum_of(stub, offsetof(struct direct_calls, missed));
		stub->base = min(samples, n_ended(stub));
	}
}

int direct_counts(struct kstats_node *node, struct kstats_direct_counts *to)
{
	struct direct_stub *stub;
	int err = -ENOENT;

	mutex_lock(&stubs_lock);
	stub = node->direct;
	if (stub) {
		to->started = n_started(stub) - stub->base;
		to->state = READ_ONCE(stub->state);
		if (to->state <= KSTATS_DIRECT_DETACHED && check_tsc_unstable())
			to->state = KSTATS_DIRECT_UNSTABLE;
		err = 0;
	}
	mutex_unlock(&stubs_lock);
	return err;
}

/* ---- filters ---- */

int direct_filter(struct kstats_node *node, struct kstats_node *like,
		  const struct kstats_direct_filter *from)
{
	struct direct_filter *filter = ERR_PTR(-EALREADY);

	mutex_lock(&stubs_lock);
	if (!node->filter && !node->direct)
		filter = filter_new(node, like, from);
	if (!IS_ERR(filter))
		node->filter = filter;
	mutex_unlock(&stubs_lock);
	return PTR_ERR_OR_ZERO(filter);
}

int direct_follow(struct kstats_node *node, u32 process)
{
	int err = -ENOENT;

	mutex_lock(&stubs_lock);
	if (node->filter && node->filter->who) {
		err = process ? who_add(node->filter->who, process) : 0;
		if (!process)
			who_clear(node->filter->who);
	}
	mutex_unlock(&stubs_lock);
	return err;
}

void direct_release(struct kstats_node *node)
{
	filter_free(node->filter);
	node->filter = NULL;
}

/* ---- who is asked to go, and stays ---- */

/* A line for each stub in use: function, calls that began and ended, what it does. */
static int stubs_get(char *buf, const struct kernel_param *kp)
{
	static const char *const states[] = { "attached", "detached", "livepatch", "unloaded" };
	struct direct_stub *stub;
	int n = 0, last = 0;

	mutex_lock(&stubs_lock);
	for (stub = direct_stubs; stub < direct_stubs + DIRECT_STUBS; stub++) {
		if (!stub->place)
			continue;
		last = n;
		/* The place of a module that was unloaded has no name any more. */
		n += sysfs_emit_at(buf, n, "%ps %llu %llu %s\n", (void *)stub->place,
				   n_started(stub), n_ended(stub), states[stub->state]);
		/* sysfs cut the last line at the end of the page: leave it out. */
		if (n == PAGE_SIZE - 1) {
			n = last;
			break;
		}
	}
	mutex_unlock(&stubs_lock);
	return n;
}

static const struct kernel_param_ops stubs_ops = { .get = stubs_get };
module_param_cb(direct, &stubs_ops, NULL, 0400);
MODULE_PARM_DESC(direct, "Functions in stubs: name, calls begun, ended, state (cannot be set)");

static int free_get(char *buf, const struct kernel_param *kp)
{
	struct direct_stub *stub;
	int n = 0;

	mutex_lock(&stubs_lock);
	for (stub = direct_stubs; stub < direct_stubs + DIRECT_STUBS; stub++)
		n += !stub->place;
	mutex_unlock(&stubs_lock);
	return sysfs_emit(buf, "%d\n", n);
}

static const struct kernel_param_ops free_ops = { .get = free_get };
module_param_cb(direct_free, &free_ops, NULL, 0444);
MODULE_PARM_DESC(direct_free, "Stubs that are free (cannot be set)");

int direct_init(void)
{
	return register_module_notifier(&module_notifier);
}

void direct_exit(void)
{
	unregister_module_notifier(&module_notifier);
}
