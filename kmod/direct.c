// SPDX-License-Identifier: GPL-2.0-only
/*
 * direct.c - which stub measures which function. In: calls from dev.c and node.c. Out:
 * stubs that ftrace enters; samples in nodes. The stubs are in direct_stubs.S.
 *
 * A stub is free, attached, or draining. It drains while calls that began in it are open: their
 * tasks return into it. Only then does its node go, and the module may be removed only when
 * no stub is in use.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "direct.h"

#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/static_call.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>
#include <asm/cpufeature.h>
#include <asm/tsc.h>

#include "abi.h"
#include "compat.h"
#include "dying.h"
#include "going.h"
#include "node.h"
#include "place.h"
#include "stub.h"
#include "who.h"

#define DRAIN_AGAIN (HZ / 10) /* until it is asked again whether calls are open */
#define STUCK_AGAIN (10 * HZ) /* the same, if ftrace did not detach the stub */

static DEFINE_MUTEX(stubs_lock); /* which stub is whose */
static unsigned int n_used; /* stubs */

/* ---- calls that do not end ---- */

bool direct_in_use(void)
{
	return READ_ONCE(n_used);
}

/* Another one may wait for the calls of this stub: it reads what is counted here last. */
void direct_died(unsigned long addr)
{
	struct direct_stub *stub = stub_at(addr);

	if (stub && stub->calls)
		this_cpu_inc(stub->calls->died);
}

/* ---- modules that are being unloaded ---- */

/* Before ftrace forgets the functions of the module: with a stub there, it would warn and stop. */
static void detach_from(struct module *mod)
{
	struct direct_stub *stub;

	for (stub = direct_stubs; stub < direct_stubs + DIRECT_STUBS; stub++) {
		if (!stub->place || !within_module(stub->place, mod))
			continue;
		stub_set_modes(stub, false);
		stub_unregister(stub, KSTATS_DIRECT_UNLOADED);
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

/*
 * Nobody waits for the functions of others with a node that measures none. What the caller has
 * written before, one who attaches the node now will see: see attach_first().
 */
static bool has_stub(const struct kstats_node *node)
{
	smp_mb();
	return READ_ONCE(node->direct);
}

static struct direct_stub *stub_take(void)
{
	struct direct_stub *stub;

	for (stub = direct_stubs; stub < direct_stubs + DIRECT_STUBS; stub++)
		if (!stub->place)
			return stub;
	return ERR_PTR(-ENOSPC);
}

static void stub_free(struct direct_stub *stub)
{
	free_percpu(stub->calls);
	memset(stub, 0, sizeof(*stub));
	WRITE_ONCE(n_used, n_used - 1);
}

static int stub_open(struct direct_stub *stub, struct kstats_node *node, unsigned long place)
{
	const struct direct_entry *entry = &direct_entries[stub - direct_stubs];
	int err;

	stub->calls = alloc_percpu_gfp(struct direct_calls, GFP_KERNEL_ACCOUNT);
	if (!stub->calls)
		return -ENOMEM;
	/* Before it can be entered: see dying.c. */
	WRITE_ONCE(n_used, n_used + 1);
	stub->place = place;
	stub->node = &node->hot;
	stub->bits = node->filter && node->filter->who ? node->filter->who->bits : NULL;
	stub_set_modes(stub, READ_ONCE(node->hot.on));
	__static_call_update(entry->key, entry->tramp, (void *)(place + CALL_SIZE));
	err = stub_register(stub);
	if (err)
		stub_free(stub);
	return err;
}

static int attach_first(struct kstats_node *node, unsigned long place)
{
	struct direct_stub *stub;
	int err;

	stub = stub_take();
	if (IS_ERR(stub))
		return PTR_ERR(stub);
	if (!n_used)
		stub_set_scale();
	err = stub_open(stub, node, place);
	if (err)
		return err;
	__module_get(THIS_MODULE);
	WRITE_ONCE(node->direct, stub);
	/* Who did not see the stub has not told it whether the node records now. */
	smp_mb();
	stub_set_modes(stub, READ_ONCE(node->hot.on));
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
	err = stub_register(stub);
	if (!err)
		stub_set_modes(stub, READ_ONCE(stub->node->on));
	return err;
}

/* The kernel counts how deep calls are, and the jumps of a stub are none to it. */
static bool counts_depth(void)
{
#ifdef X86_FEATURE_CALL_DEPTH
	return boot_cpu_has(X86_FEATURE_CALL_DEPTH);
#else
	return false;
#endif
}

int direct_attach(struct kstats_node *node, unsigned long addr, u32 program)
{
	unsigned long place = 0;
	int err = 0;

	if (!tsc_khz || check_tsc_unstable() || counts_depth())
		return -EOPNOTSUPP;
	if (mutex_lock_killable(&stubs_lock))
		return -EINTR;
	/*
	 * From here on no module can go without telling. The kernel forgets its functions some time
	 * after it has told.
	 */
	if (!node->direct && going_has(addr))
		err = -ESTALE;
	else if (addr || !node->direct)
		err = place_of(addr, &place);
	if (!err && addr)
		err = abi_check(program, addr);
	if (!err)
		err = node->direct ? attach_again(node->direct, place) : attach_first(node, place);
	mutex_unlock(&stubs_lock);
	return err;
}

int direct_detach(struct kstats_node *node)
{
	if (!has_stub(node))
		return 0;
	if (mutex_lock_killable(&stubs_lock))
		return -EINTR;
	if (node->direct) {
		stub_set_modes(node->direct, false);
		stub_unregister(node->direct, KSTATS_DIRECT_DETACHED);
	}
	mutex_unlock(&stubs_lock);
	return 0;
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

/*
 * Unregistering waits until every task that entered the stub has been counted. So if the numbers
 * are equal, no task has a frame in it to which it will return.
 */
static bool all_ended(struct direct_stub *stub, u64 *started)
{
	u64 n = stub_ended(stub) + stub_died(stub);

	*started = stub_started(stub);
	return n == *started;
}

static bool is_detached(struct kstats_node *node)
{
	direct_detach(node);
	return !READ_ONCE(node->direct->registered);
}

unsigned long direct_idle(struct kstats_node *node)
{
	struct direct_stub *stub = node->direct;
	u64 before, after;

	if (!stub)
		return 0;
	if (!is_detached(node))
		return STUCK_AGAIN;
	if (!all_ended(stub, &before))
		return DRAIN_AGAIN;
	stubs_leave();
	/* Someone had not been counted yet: he may be at the stub's end now. */
	if (!all_ended(stub, &after) || before != after)
		return DRAIN_AGAIN;
	mutex_lock(&stubs_lock);
	stub_free(stub);
	node->direct = NULL;
	mutex_unlock(&stubs_lock);
	module_put(THIS_MODULE);
	return 0;
}

int direct_switch(struct kstats_node *node, bool on)
{
	if (!has_stub(node))
		return 0;
	if (mutex_lock_killable(&stubs_lock))
		return -EINTR;
	if (node->direct)
		stub_set_modes(node->direct,
			       on && node->direct->registered && READ_ONCE(node->hot.on));
	mutex_unlock(&stubs_lock);
	return 0;
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
		samples += stub_missed(stub);
		stub->base_died = stub_died(stub);
		stub->base = min(samples, stub_ended(stub)) + stub->base_died;
	}
}

int direct_counts(struct kstats_node *node, struct kstats_direct_counts *to)
{
	struct direct_stub *stub;
	int err = -ENOENT;

	if (!has_stub(node))
		return err;
	if (mutex_lock_killable(&stubs_lock))
		return -EINTR;
	stub = node->direct;
	if (stub) {
		to->died = stub_died(stub) - stub->base_died;
		to->started = stub_started(stub) - stub->base;
		to->state = READ_ONCE(stub->state);
		if (to->state <= KSTATS_DIRECT_DETACHED && stub->suspended)
			to->state = KSTATS_DIRECT_SUSPENDED;
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

	if (mutex_lock_killable(&stubs_lock))
		return -EINTR;
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

	if (mutex_lock_killable(&stubs_lock))
		return -EINTR;
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

	if (mutex_lock_killable(&stubs_lock))
		return -EINTR;
	for (stub = direct_stubs; stub < direct_stubs + DIRECT_STUBS; stub++) {
		if (!stub->place)
			continue;
		last = n;
		/* The place of a module that was unloaded has no name any more. */
		n += sysfs_emit_at(buf, n, "%ps %llu %llu %s\n", (void *)stub->place,
				   stub_started(stub), stub_ended(stub) + stub_died(stub),
				   states[stub->state]);
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
	return sysfs_emit(buf, "%u\n", DIRECT_STUBS - READ_ONCE(n_used));
}

static const struct kernel_param_ops free_ops = { .get = free_get };
module_param_cb(direct_free, &free_ops, NULL, 0444);
MODULE_PARM_DESC(direct_free, "Stubs that are free (cannot be set)");

/* ---- suspend ---- */

/* The time stamp counter may begin anew, and counts the time in which the machine slept. */
static int power_changes(struct notifier_block *nb, unsigned long what, void *unused)
{
	struct direct_stub *stub;

	if (what != PM_SUSPEND_PREPARE && what != PM_HIBERNATION_PREPARE)
		return NOTIFY_DONE;
	mutex_lock(&stubs_lock);
	for (stub = direct_stubs; stub < direct_stubs + DIRECT_STUBS; stub++)
		stub->suspended = stub->place;
	mutex_unlock(&stubs_lock);
	return NOTIFY_OK;
}

static struct notifier_block power_notifier = { .notifier_call = power_changes };

int direct_init(void)
{
	int err = stubs_check();

	if (!err)
		err = dying_init();
	if (err) {
		pr_err("cannot see tasks that end (error %d); not loaded\n", err);
		return err;
	}
	register_module_notifier(&module_notifier);
	register_pm_notifier(&power_notifier);
	return 0;
}

void direct_exit(void)
{
	unregister_pm_notifier(&power_notifier);
	unregister_module_notifier(&module_notifier);
	dying_exit();
}
