// SPDX-License-Identifier: GPL-2.0-only
/* main.c - loading and unloading of the module. */
#include <linux/init.h>
#include <linux/module.h>

#include "direct.h"
#include "node.h"

static int __init kstats_init(void)
{
	int err;

	err = nodes_init();
	if (err)
		return err;
	debugfs_init();
	err = direct_init();
	if (err)
		goto no_direct;
	err = selftest_run();
	if (err)
		goto no_test;
	/* This comes last: from here on programs may call, and nothing can be undone. */
	err = record_init();
	if (err)
		goto no_test;
	return 0;

no_test:
	direct_exit();
no_direct:
	debugfs_exit();
	nodes_exit();
	return err;
}

static void __exit kstats_exit(void)
{
	nodes_exit();
	direct_exit();
	debugfs_exit();
}

module_init(kstats_init);
module_exit(kstats_exit);

MODULE_AUTHOR("The kstats-bpf developers");
MODULE_DESCRIPTION("Per-CPU log-linear histograms of durations, for BPF programs and modules");
MODULE_LICENSE("GPL");
MODULE_VERSION(KSTATS_VERSION);
