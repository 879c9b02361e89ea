/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * account.h - how many nodes and how much memory each user has. In: nodes that come and go. Out:
 * whether there may be more. Included by account.c, node.c and
 * who.c.
 */
#ifndef KSTATS_ACCOUNT_H
#define KSTATS_ACCOUNT_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct account;
struct kstats_node;

/**
 * account_open() - begin to count a node; its owner is set
 * @node: new
 *
 * Return: 0, -ENOSPC if the owner has as many as there may be, -ENOMEM.
 */
int account_open(struct kstats_node *node);

/** account_leave() - the node is in the table no more; @node: it has an account */
void account_leave(struct kstats_node *node);

/**
 * account_take() - count memory as the node's
 * @node: it has an account
 * @n: bytes
 *
 * Return: false if its owner would have more than there may be.
 */
bool account_take(struct kstats_node *node, u64 n);

/** account_give() - count it no more; @node: it has an account. @n: bytes */
void account_give(struct kstats_node *node, u64 n);

/**
 * account_keep() - count memory as that of a node's owner, also when the node has gone
 * @node: it has an account
 * @n: bytes
 *
 * Return: the account, until account_return(); NULL if its owner would have more than there may be.
 */
struct account *account_keep(struct kstats_node *node, u64 n);

/** account_return() - the memory was freed; @account: of account_keep(). @n: the same bytes */
void account_return(struct account *account, u64 n);

/** account_close() - the node is freed; @node: it may have no account. Context: any but NMI */
void account_close(struct kstats_node *node);

/** account_places() - places that the table of all nodes needs; 0: max_nodes is wrong */
u32 account_places(void);

#endif /* KSTATS_ACCOUNT_H */
