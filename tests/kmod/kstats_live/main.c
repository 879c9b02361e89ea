// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - a livepatch of a function of kstats_target, for tests only
 *
 * From now on calls of kt_empty() go to a function here that counts them and returns. The
 * parameter `calls` tells how many there were.
 */
#include <linux/livepatch.h>
#include <linux/module.h>

static ulong calls;
module_param(calls, ulong, 0400);

static void live_empty(u64 arg)
{
	WRITE_ONCE(calls, calls + 1);
}

static struct klp_func funcs[] = { { .old_name = "kt_empty", .new_func = live_empty }, {} };

static struct klp_object objects[] = { { .name = "kstats_target", .funcs = funcs }, {} };

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objects };

static int __init live_init(void)
{
	return klp_enable_patch(&patch);
}

/* Only after the livepatch was switched off. */
static void __exit live_exit(void)
{
}

module_init(live_init);
module_exit(live_exit);
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
MODULE_DESCRIPTION("For tests: a livepatch");
