// SPDX-License-Identifier: GPL-2.0-only
/*
 * dev.c - the commands of /dev/kstats, see kstats_dev.h. In: calls of user space, which is not
 * trusted. Out: calls of node.c, array.c and direct.c; the nodes that an open file holds.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "dev.h"

#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/ioctl.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "array.h"
#include "direct.h"
#include "kstats_dev.h"
#include "node.h"

static bool ready; /* the module is loaded, and can no longer fail to be */

/**
 * struct holder - an open file
 * @lock: protects @nodes
 * @nodes: those that it created and has not released
 */
struct holder {
	struct mutex lock;
	struct list_head nodes;
};

/* ---- who may ---- */

/* Until node_put(): nobody waits for whoever has a node. */
static struct kstats_node *get_own(u32 id)
{
	struct kstats_node *node = ERR_PTR(-ENOENT);
	struct kstats *hot;

	rcu_read_lock();
	hot = node_find(id);
	if (hot && !node_may(node_of(hot)))
		node = ERR_PTR(-EPERM);
	else if (hot && node_get(node_of(hot)))
		node = node_of(hot);
	rcu_read_unlock();
	return node;
}

/* One that a stub may record into, which an array is not. */
static struct kstats_node *get_own_plain(u32 id)
{
	struct kstats_node *node = get_own(id);

	if (IS_ERR(node) || !node->hot.n)
		return node;
	node_put(node);
	return ERR_PTR(-EINVAL);
}

/* ---- nodes that a file holds ---- */

static long dev_create(struct holder *holder, void __user *arg)
{
	struct kstats_dev_create now;
	struct kstats_node *node;

	if (copy_from_user(&now, arg, sizeof(now)))
		return -EFAULT;
	if (strnlen(now.name, sizeof(now.name)) == sizeof(now.name) ||
	    (now.n ? !!*now.name : !!now.blocks))
		return -EINVAL;
	node = now.n ? node_create_array(now.frac_bits, now.n, now.blocks, current_euid())
		     : node_create(now.name, now.frac_bits, current_euid());
	if (IS_ERR(node))
		return PTR_ERR(node);
	now.id = node->hot.id;
	if (copy_to_user(arg, &now, sizeof(now))) {
		node_put(node);
		return -EFAULT;
	}
	mutex_lock(&holder->lock);
	list_add(&node->held, &holder->nodes);
	mutex_unlock(&holder->lock);
	return 0;
}

static long dev_release(struct holder *holder, const struct kstats_dev_node *now)
{
	struct kstats_node *node;
	long err = -ENOENT;

	if (now->arg)
		return -EINVAL;
	mutex_lock(&holder->lock);
	list_for_each_entry(node, &holder->nodes, held)
	{
		if (node->hot.id != now->id)
			continue;
		list_del(&node->held);
		node_put(node);
		err = 0;
		break;
	}
	mutex_unlock(&holder->lock);
	return err;
}

/* ---- counts ---- */

/* Each counter is read once: into memory to which nobody else writes. */
static long read_slots(struct kstats_node *node, const struct kstats_dev_read *now, void **buf,
		       size_t *size)
{
	u32 n = kstats_n_slots(node->hot.bits);
	int err;

	*size = n * sizeof(struct kstats_slot);
	if (!cpu_possible(now->cpu) || now->index)
		return -EINVAL;
	if (now->size < *size)
		return -ENOSPC;
	*buf = kvmalloc(*size, GFP_KERNEL_ACCOUNT);
	if (!*buf)
		return -ENOMEM;
	/* What is taken must have a place to go to. */
	if (now->take && clear_user(u64_to_user_ptr(now->to), *size))
		return -EFAULT;
	err = now->take ? node_take(node, now->cpu, *buf) : node_read(node, now->cpu, *buf);
	return err ? err : (int)n;
}

static long read_blocks(struct kstats_node *node, const struct kstats_dev_read *now, void **buf,
			size_t *size)
{
	u64 room = now->size / sizeof(struct kstats_block);
	int n;

	if (now->take || room > KSTATS_DEV_BLOCKS_MAX)
		return -EINVAL;
	if (room < KSTATS_N_BLOCKS_MAX)
		return -ENOSPC;
	if (now->index >= node->hot.n)
		return -EINVAL;
	*buf = kvmalloc_array(room, sizeof(struct kstats_block), GFP_KERNEL_ACCOUNT);
	if (!*buf)
		return -ENOMEM;
	n = array_read(node, now->index, now->cpu, *buf, room);
	*size = n > 0 ? n * sizeof(struct kstats_block) : 0;
	return n;
}

static long dev_read(const struct kstats_dev_read *now)
{
	struct kstats_node *node;
	void *buf = NULL;
	size_t size;
	long n;

	if (now->cpu >= nr_cpu_ids || now->take > 1)
		return -EINVAL;
	node = get_own(now->id);
	if (IS_ERR(node))
		return PTR_ERR(node);
	n = node->hot.n ? read_blocks(node, now, &buf, &size) : read_slots(node, now, &buf, &size);
	node_put(node);
	if (n > 0 && copy_to_user(u64_to_user_ptr(now->to), buf, size))
		n = -EFAULT;
	kvfree(buf);
	return n;
}

static long dev_control(const struct kstats_dev_node *now)
{
	struct kstats_node *node = get_own(now->id);
	long err;

	if (IS_ERR(node))
		return PTR_ERR(node);
	err = node_control(node, now->arg);
	node_put(node);
	return err;
}

/* ---- functions ---- */

static long dev_attach(const struct kstats_dev_attach *now)
{
	struct kstats_node *node;
	long err;

	/* It changes the kernel's code. */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (!now->address && now->program)
		return -EINVAL;
	node = get_own_plain(now->id);
	if (IS_ERR(node))
		return PTR_ERR(node);
	err = direct_attach(node, now->address, now->program);
	node_put(node);
	return err;
}

static long dev_detach(const struct kstats_dev_node *now)
{
	struct kstats_node *node = now->arg ? ERR_PTR(-EINVAL) : get_own(now->id);
	long err;

	if (IS_ERR(node))
		return PTR_ERR(node);
	err = direct_detach(node);
	node_put(node);
	return err;
}

/* Nobody else has a use for it, and each new process looks at all sets. */
static long dev_filter(const struct kstats_dev_filter *now)
{
	struct kstats_node *node, *like = NULL;
	long err;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	node = now->pad ? ERR_PTR(-EINVAL) : get_own_plain(now->id);
	if (IS_ERR(node))
		return PTR_ERR(node);
	if (now->filter.like)
		like = get_own(now->filter.like);
	err = IS_ERR(like) ? PTR_ERR(like) : direct_filter(node, like, &now->filter);
	if (!IS_ERR_OR_NULL(like))
		node_put(like);
	node_put(node);
	return err;
}

static long dev_follow(const struct kstats_dev_node *now)
{
	struct kstats_node *node = get_own(now->id);
	long err;

	if (IS_ERR(node))
		return PTR_ERR(node);
	err = direct_follow(node, now->arg);
	node_put(node);
	return err;
}

static long dev_counts(struct kstats_dev_counts *now, void __user *arg)
{
	struct kstats_node *node = now->pad ? ERR_PTR(-EINVAL) : get_own(now->id);
	long err;

	if (IS_ERR(node))
		return PTR_ERR(node);
	err = direct_counts(node, &now->counts);
	node_put(node);
	if (!err && copy_to_user(arg, now, sizeof(*now)))
		err = -EFAULT;
	return err;
}

/* ---- the file ---- */

static long dev_ioctl(struct file *file, unsigned int cmd, unsigned long number)
{
	struct holder *holder = file->private_data;
	void __user *arg = (void __user *)number;
	union {
		struct kstats_dev_read read;
		struct kstats_dev_node node;
		struct kstats_dev_attach attach;
		struct kstats_dev_filter filter;
		struct kstats_dev_counts counts;
	} now;

	if (cmd == KSTATS_DEV_CREATE)
		return dev_create(holder, arg);
	if (_IOC_TYPE(cmd) != 'k' || _IOC_SIZE(cmd) > sizeof(now))
		return -ENOTTY;
	if (copy_from_user(&now, arg, _IOC_SIZE(cmd)))
		return -EFAULT;
	switch (cmd) {
	case KSTATS_DEV_RELEASE:
		return dev_release(holder, &now.node);
	case KSTATS_DEV_READ:
		return dev_read(&now.read);
	case KSTATS_DEV_CONTROL:
		return dev_control(&now.node);
	case KSTATS_DEV_ATTACH:
		return dev_attach(&now.attach);
	case KSTATS_DEV_DETACH:
		return dev_detach(&now.node);
	case KSTATS_DEV_FILTER:
		return dev_filter(&now.filter);
	case KSTATS_DEV_FOLLOW:
		return dev_follow(&now.node);
	case KSTATS_DEV_COUNTS:
		return dev_counts(&now.counts, arg);
	}
	return -ENOTTY;
}

static int dev_open(struct inode *inode, struct file *file)
{
	struct holder *holder;

	/* Loading may still fail, and would not wait for who has the file open. */
	if (!READ_ONCE(ready))
		return -ENXIO;
	holder = kzalloc(sizeof(*holder), GFP_KERNEL_ACCOUNT);
	if (!holder)
		return -ENOMEM;
	mutex_init(&holder->lock);
	INIT_LIST_HEAD(&holder->nodes);
	file->private_data = holder;
	return nonseekable_open(inode, file);
}

/* However its process ends. */
static int dev_close(struct inode *inode, struct file *file)
{
	struct holder *holder = file->private_data;
	struct kstats_node *node, *next;

	list_for_each_entry_safe(node, next, &holder->nodes, held) node_put(node);
	kfree(holder);
	return 0;
}

static const struct file_operations dev_fops = {
	.owner = THIS_MODULE,
	.open = dev_open,
	.release = dev_close,
	.unlocked_ioctl = dev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kstats",
	.fops = &dev_fops,
	.mode = 0600,
};

int dev_init(void)
{
	int err = misc_register(&device);

	if (err)
		pr_err("cannot make /dev/kstats (error %d); not loaded\n", err);
	return err;
}

void dev_ready(void)
{
	WRITE_ONCE(ready, true);
}

void dev_exit(void)
{
	misc_deregister(&device);
}
