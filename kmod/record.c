// SPDX-License-Identifier: GPL-2.0-only
/*
 * record.c - the kfuncs, and which programs may call them. In: calls from BPF programs,
 * which are not trusted. Out: calls of node.c.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>

#include "array.h"
#include "compat.h"
#include "direct.h"
#include "kstats_kfunc.h"
#include "node.h"

/* Checked, since anyone can refer to a node by its id. */
static bool may_control(struct kstats *node)
{
	return uid_eq(node_of(node)->owner, current_euid()) || capable(CAP_SYS_ADMIN);
}

/* Nodes are held also after an error. */
static struct kstats *hold_own(u32 id)
{
	struct kstats *node;

	nodes_hold();
	node = node_find(id);
	if (!node)
		return ERR_PTR(-ENOENT);
	return may_control(node) ? node : ERR_PTR(-EPERM);
}

/* One that a stub may record into, which an array is not. */
static struct kstats *hold_own_plain(u32 id)
{
	struct kstats *node = hold_own(id);

	return !IS_ERR(node) && node->n ? ERR_PTR(-EINVAL) : node;
}

/*
 * The kfuncs that take memory check for NULL: the verifier of 6.1 lets it in, also with
 * KF_TRUSTED_ARGS.
 */

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

/* What a caller who is to own a node receives. */
static struct kstats *created(struct kstats_node *node, s64 *id)
{
	if (IS_ERR(node)) {
		*id = PTR_ERR(node);
		return NULL;
	}
	*id = node->hot.id;
	return &node->hot;
}

__bpf_kfunc struct kstats *kstats_node_create(const char *name, u32 name__sz, u32 frac_bits,
					      s64 *id)
{
	char text[KSTATS_NAME_MAX + 1];
	size_t len = name ? strnlen(name, name__sz) : 0;

	if (!id)
		return NULL;
	if (!name || len > KSTATS_NAME_MAX) {
		*id = -EINVAL;
		return NULL;
	}
	memcpy(text, name, len);
	text[len] = '\0';
	return created(node_create(text, frac_bits, current_euid()), id);
}

__bpf_kfunc struct kstats *kstats_array_create(u32 frac_bits, u32 n, u32 blocks, s64 *id)
{
	if (!id)
		return NULL;
	return created(node_create_array(frac_bits, n, blocks, current_euid()), id);
}

__bpf_kfunc void kstats_node_release(struct kstats *node)
{
	node_destroy_later(node_of(node));
}

/*
 * The same, called when a map is freed; the kernel requires exactly this type. Kernels before 6.3
 * call it for places without a node, too.
 */
void kstats_node_release_dtor(void *node);

__bpf_kfunc void kstats_node_release_dtor(void *node)
{
	if (node)
		node_destroy_later(node_of(node));
}
#ifdef CFI_NOSEAL
CFI_NOSEAL(kstats_node_release_dtor);
#endif

static int copy_slots(u32 id, u32 cpu, void *slots, u32 size, bool take)
{
	struct kstats *node;
	int n = -ENOENT, err = 0;

	if (!slots || cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;
	nodes_hold();
	node = node_find(id);
	if (!node)
		goto out;
	if (take && !may_control(node)) {
		err = -EPERM;
		goto out;
	}
	n = kstats_n_slots(node->bits);
	if (node->n)
		err = -EINVAL;
	else if (size / sizeof(struct kstats_slot) < n)
		err = -ENOSPC;
	else if (take)
		err = node_take(node_of(node), cpu, slots);
	else
		node_read(node_of(node), cpu, slots);
out:
	nodes_drop();
	return err ?: n;
}

__bpf_kfunc int kstats_node_read(u32 id, u32 cpu, void *slots, u32 slots__sz)
{
	return copy_slots(id, cpu, slots, slots__sz, false);
}

__bpf_kfunc int kstats_node_take(u32 id, u32 cpu, void *slots, u32 slots__sz)
{
	return copy_slots(id, cpu, slots, slots__sz, true);
}

__bpf_kfunc int kstats_array_read(u32 id, u32 index, u32 cpu, void *blocks, u32 blocks__sz)
{
	u32 room = blocks__sz / sizeof(struct kstats_block);
	struct kstats *node;
	int n = -ENOENT;

	if (!blocks)
		return -EINVAL;
	if (room < KSTATS_N_BLOCKS_MAX)
		return -ENOSPC;
	nodes_hold();
	node = node_find(id);
	if (node)
		n = index < node->n ? array_read(node_of(node), index, cpu, blocks, room) : -EINVAL;
	nodes_drop();
	return n;
}

__bpf_kfunc int kstats_node_control(u32 id, u32 op)
{
	struct kstats *node = hold_own(id);
	int err = PTR_ERR_OR_ZERO(node);

	if (!err)
		err = node_control(node_of(node), op);
	nodes_drop();
	return err;
}

__bpf_kfunc int kstats_direct_attach(u32 id, u64 addr)
{
	struct kstats *node;
	int err;

	/* An address that is not a function's, or a function of another kind, crashes the kernel.
	 */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	node = hold_own_plain(id);
	err = PTR_ERR_OR_ZERO(node);
	if (!err)
		err = direct_attach(node_of(node), addr);
	nodes_drop();
	return err;
}

__bpf_kfunc int kstats_direct_filter(u32 id, const void *filter, u32 filter__sz)
{
	struct kstats_direct_filter now;
	struct kstats *node, *like = NULL;
	int err;

	if (!filter || filter__sz < sizeof(now))
		return -EINVAL;
	/* Others may write to that memory. */
	memcpy(&now, filter, sizeof(now));
	node = hold_own_plain(id);
	err = PTR_ERR_OR_ZERO(node);
	if (!err && now.like) {
		like = node_find(now.like);
		err = !like ? -ENOENT : may_control(like) ? 0 : -EPERM;
	}
	if (!err)
		err = direct_filter(node_of(node), like ? node_of(like) : NULL, &now);
	nodes_drop();
	return err;
}

__bpf_kfunc int kstats_direct_follow(u32 id, u32 process)
{
	struct kstats *node = hold_own(id);
	int err = PTR_ERR_OR_ZERO(node);

	if (!err)
		err = direct_follow(node_of(node), process);
	nodes_drop();
	return err;
}

__bpf_kfunc int kstats_direct_detach(u32 id)
{
	struct kstats *node = hold_own(id);
	int err = PTR_ERR_OR_ZERO(node);

	if (!err)
		direct_detach(node_of(node));
	nodes_drop();
	return err;
}

__bpf_kfunc int kstats_direct_read(u32 id, void *counts, u32 counts__sz)
{
	struct kstats_direct_counts now = {};
	struct kstats *node;
	int err = -ENOENT;

	if (!counts)
		return -EINVAL;
	if (counts__sz < sizeof(now))
		return -ENOSPC;
	nodes_hold();
	node = node_find(id);
	if (node)
		err = direct_counts(node_of(node), &now);
	nodes_drop();
	memcpy(counts, &now, sizeof(now));
	return err;
}

__bpf_kfunc_end_defs();

/* ---- who may call them ---- */

BTF_KFUNCS_START(record_ids)
BTF_ID_FLAGS(func, kstats_record)
BTF_ID_FLAGS(func, kstats_array_record)
BTF_KFUNCS_END(record_ids)

BTF_KFUNCS_START(syscall_ids)
BTF_ID_FLAGS(func, kstats_record)
BTF_ID_FLAGS(func, kstats_array_record)
/* Trusted arguments: without the flag the verifier accepts NULL for memory. */
BTF_ID_FLAGS(func, kstats_node_create, KF_ACQUIRE | KF_RET_NULL | KF_SLEEPABLE | KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, kstats_array_create, KF_ACQUIRE | KF_RET_NULL | KF_SLEEPABLE | KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, kstats_array_read, KF_SLEEPABLE | KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, kstats_node_release, KF_RELEASE)
BTF_ID_FLAGS(func, kstats_node_read, KF_SLEEPABLE | KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, kstats_node_take, KF_SLEEPABLE | KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, kstats_node_control, KF_SLEEPABLE)
BTF_ID_FLAGS(func, kstats_direct_attach, KF_SLEEPABLE)
BTF_ID_FLAGS(func, kstats_direct_detach, KF_SLEEPABLE)
BTF_ID_FLAGS(func, kstats_direct_filter, KF_SLEEPABLE | KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, kstats_direct_follow, KF_SLEEPABLE)
BTF_ID_FLAGS(func, kstats_direct_read, KF_SLEEPABLE | KF_TRUSTED_ARGS)
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
