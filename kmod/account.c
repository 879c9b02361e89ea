// SPDX-License-Identifier: GPL-2.0-only
/* account.c - see account.h. The nodes of all modules are one account. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "account.h"

#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "node.h"

#define PLACES_MAX 65535
#define USERS 16 /* who can have all their nodes at once, at least */

static unsigned int max_nodes = 4096;
module_param(max_nodes, uint, 0444);
MODULE_PARM_DESC(max_nodes, "Most nodes of a user at a time, 1 to 65535 (4096)");

static unsigned int max_mib = 256;
module_param(max_mib, uint, 0644);
MODULE_PARM_DESC(max_mib, "Most memory of all nodes of a user, in MiB (256)");

static unsigned int n_nodes;
module_param_named(nodes, n_nodes, uint, 0444);
MODULE_PARM_DESC(nodes, "Nodes at present (cannot be set)");

static u64 bytes;
static LIST_HEAD(accounts);
static DEFINE_SPINLOCK(lock); /* of all that is in this file, and of the nodes' @bytes */

/**
 * struct account - of one user
 * @list: in the list of all
 * @owner: who
 * @users: nodes that are not freed yet, and memory that outlives its node
 * @nodes: those of them that are in the table
 * @bytes: their memory
 */
struct account {
	struct list_head list;
	kuid_t owner;
	u32 users;
	u32 nodes;
	u64 bytes;
};

static int bytes_get(char *buf, const struct kernel_param *kp)
{
	u64 n;

	spin_lock_bh(&lock);
	n = bytes;
	spin_unlock_bh(&lock);
	return sysfs_emit(buf, "%llu\n", n);
}

static const struct kernel_param_ops bytes_ops = { .get = bytes_get };
module_param_cb(bytes, &bytes_ops, NULL, 0444);
MODULE_PARM_DESC(bytes, "Memory of all nodes at present (cannot be set)");

static struct account *account_of(kuid_t owner)
{
	struct account *account;

	list_for_each_entry(account, &accounts,
			    list) if (uid_eq(account->owner, owner)) return account;
	return NULL;
}

int account_open(struct kstats_node *node)
{
	struct account *spare = kzalloc(sizeof(*spare), GFP_KERNEL_ACCOUNT), *account;
	int err = 0;

	if (!spare)
		return -ENOMEM;
	spin_lock_bh(&lock);
	account = account_of(node->owner);
	if (!account) {
		account = spare;
		spare = NULL;
		account->owner = node->owner;
		list_add(&account->list, &accounts);
	}
	if (account->nodes >= max_nodes) {
		err = -ENOSPC;
	} else {
		account->users++;
		account->nodes++;
		n_nodes++;
		node->account = account;
	}
	spin_unlock_bh(&lock);
	kfree(spare);
	return err;
}

void account_leave(struct kstats_node *node)
{
	spin_lock_bh(&lock);
	node->account->nodes--;
	n_nodes--;
	spin_unlock_bh(&lock);
}

static bool charge(struct account *account, u64 n)
{
	lockdep_assert_held(&lock);
	if (account->bytes + n > (u64)READ_ONCE(max_mib) << 20)
		return false;
	account->bytes += n;
	bytes += n;
	return true;
}

static void uncharge(struct account *account, u64 n)
{
	lockdep_assert_held(&lock);
	account->bytes -= n;
	bytes -= n;
}

/* One who has the lock lets go of it: nobody uses the account any more if it is freed. */
static void leave_and_unlock(struct account *account) __releases(&lock)
{
	if (--account->users)
		account = NULL;
	else
		list_del(&account->list);
	spin_unlock_bh(&lock);
	kfree(account);
}

bool account_take(struct kstats_node *node, u64 n)
{
	bool fits;

	spin_lock_bh(&lock);
	fits = charge(node->account, n);
	if (fits)
		node->bytes += n;
	spin_unlock_bh(&lock);
	return fits;
}

void account_give(struct kstats_node *node, u64 n)
{
	spin_lock_bh(&lock);
	uncharge(node->account, n);
	node->bytes -= n;
	spin_unlock_bh(&lock);
}

struct account *account_keep(struct kstats_node *node, u64 n)
{
	struct account *account = node->account;

	spin_lock_bh(&lock);
	if (!charge(account, n)) {
		spin_unlock_bh(&lock);
		return NULL;
	}
	account->users++;
	spin_unlock_bh(&lock);
	return account;
}

void account_return(struct account *account, u64 n)
{
	spin_lock_bh(&lock);
	uncharge(account, n);
	leave_and_unlock(account);
}

void account_close(struct kstats_node *node)
{
	struct account *account = node->account;

	if (!account)
		return;
	spin_lock_bh(&lock);
	uncharge(account, node->bytes);
	leave_and_unlock(account);
}

u32 account_places(void)
{
	if (!max_nodes || max_nodes > PLACES_MAX) {
		pr_err("max_nodes=%u: it must be a number from 1 to %u\n", max_nodes, PLACES_MAX);
		return 0;
	}
	return min_t(u32, max_nodes * USERS, PLACES_MAX);
}
