// SPDX-License-Identifier: GPL-2.0-only
/*
 * record.c - the kfuncs, and which programs may call them. In: calls from BPF programs,
 * which are not trusted. Out: calls of node.c.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bpf.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "array.h"
#include "compat.h"
#include "kstats_kfunc.h"
#include "node.h"

__bpf_kfunc_start_defs();

/* notrace: a program that traces it would call it again for its own sample. */
__bpf_kfunc notrace int kstats_record(u32 id, u64 value)
{
	struct kstats *node;
	int err = -ENOENT;

	/* Like rcu_read_lock(), this keeps the node; it also keeps the task on this CPU. */
	preempt_disable_notrace();
	node = node_find(id);
	if (likely(node))
		err = node_count(node, value);
	preempt_enable_notrace();
	return err;
}
NOKPROBE_SYMBOL(kstats_record);

__bpf_kfunc notrace int kstats_array_record(u32 id, u32 index, u64 value)
{
	struct kstats *node;
	int err = -ENOENT;

	preempt_disable_notrace();
	node = node_find(id);
	if (likely(node))
		err = array_count(node, index, value);
	preempt_enable_notrace();
	return err;
}
NOKPROBE_SYMBOL(kstats_array_record);

/* The node of a module goes when the module says so, whoever holds it. */
static bool may_hold(const struct kstats_node *node)
{
	return uid_valid(node->owner) && node_may(node);
}

/*
 * The caller is a user's task: callbacks of timers run in interrupts, those of work queues in
 * threads of the kernel, which may do everything.
 */
__bpf_kfunc struct kstats *kstats_node_acquire(u32 id)
{
	struct kstats *node;

	if (!in_task() || (current->flags & PF_KTHREAD))
		return NULL;
	rcu_read_lock();
	node = node_find(id);
	if (node && !may_hold(node_of(node)))
		node = NULL;
	if (node && !node_get(node_of(node)))
		node = NULL;
	rcu_read_unlock();
	return node;
}

__bpf_kfunc void kstats_node_release(struct kstats *node)
{
	node_put_anywhere(node_of(node));
}

/*
 * The same, called when a map is freed; the kernel requires exactly this type. Kernels before 6.3
 * call it for places without a node, too.
 */
void kstats_node_release_dtor(void *node);

__bpf_kfunc void kstats_node_release_dtor(void *node)
{
	if (node)
		node_put_anywhere(node_of(node));
}
#ifdef CFI_NOSEAL
CFI_NOSEAL(kstats_node_release_dtor);
#endif

__bpf_kfunc_end_defs();

/* ---- who may call them ---- */

BTF_KFUNCS_START(record_ids)
BTF_ID_FLAGS(func, kstats_record)
BTF_ID_FLAGS(func, kstats_array_record)
BTF_KFUNCS_END(record_ids)

BTF_KFUNCS_START(syscall_ids)
BTF_ID_FLAGS(func, kstats_record)
BTF_ID_FLAGS(func, kstats_array_record)
BTF_ID_FLAGS(func, kstats_node_acquire, KF_ACQUIRE | KF_RET_NULL)
BTF_ID_FLAGS(func, kstats_node_release, KF_RELEASE)
BTF_KFUNCS_END(syscall_ids)

BTF_ID_LIST(dtor_ids)
BTF_ID(struct, kstats)
BTF_ID(func, kstats_node_release_dtor)

static const struct btf_kfunc_id_set record_set = {
	.owner = THIS_MODULE,
	.set = &record_ids,
};

static const struct btf_kfunc_id_set syscall_set = {
	.owner = THIS_MODULE,
	.set = &syscall_ids,
};

/*
 * Without BTF the kernel warns, registers nothing, and still returns 0. The ids are 0 in a
 * module that was built without resolve_btfids.
 */
static bool has_btf(void)
{
	return THIS_MODULE->btf_data_size && dtor_ids[0] && dtor_ids[1];
}

/*
 * If the BTF does not match and the kernel allows that, it loads the module and discards
 * the BTF. Only then does it accept the registration of an impossible destructor.
 */
static bool btf_taken(void)
{
	const struct btf_id_dtor_kfunc none = {};

	return register_btf_id_dtor_kfuncs(&none, 1, THIS_MODULE);
}

int record_init(void)
{
	const struct btf_id_dtor_kfunc dtors[] = {
		{ .btf_id = dtor_ids[0], .kfunc_btf_id = dtor_ids[1] },
	};
	int err;

	if (!has_btf()) {
		pr_err("built without BTF, so no BPF program could use it; not loaded\n");
		return -ENOEXEC;
	}
	if (!btf_taken()) {
		pr_err("the kernel does not take its BTF: build it for this kernel; not loaded\n");
		return -ENOEXEC;
	}
	/*
	 * Kernels before 6.10 do not offer kfuncs to kprobe programs; these fail to load. This
	 * comes first, since 6.1 then forgets what the module has registered so far.
	 */
	if (register_btf_kfunc_id_set(BPF_PROG_TYPE_KPROBE, &record_set))
		pr_info("kprobe programs cannot record on this kernel\n");
	err = register_btf_kfunc_id_set(BPF_PROG_TYPE_TRACING, &record_set);
	if (!err)
		err = register_btf_kfunc_id_set(BPF_PROG_TYPE_SYSCALL, &syscall_set);
	if (!err)
		err = register_btf_id_dtor_kfuncs(dtors, ARRAY_SIZE(dtors), THIS_MODULE);
	if (err) {
		pr_err("the kernel takes no kfuncs (error %d); not loaded\n", err);
		return err;
	}
	return 0;
}
