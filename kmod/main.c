// SPDX-License-Identifier: GPL-2.0-only
/* main.c - loading and unloading of the module. */
#include <linux/init.h>
#include <linux/module.h>

#include "dev.h"
#include "direct.h"
#include "node.h"

static int __init kstats_init(void)
{
	int err;

	err = nodes_init();
	if (err)
		return err;
	err = debugfs_init();
	if (err)
		goto no_debugfs;
	err = direct_init();
	if (err)
		goto no_direct;
	err = selftest_run();
	if (err)
		goto no_test;
	err = dev_init();
	if (err)
		goto no_test;
	/* This comes last: from here on programs may call, and nothing can be undone. */
	err = record_init();
	if (err)
		goto no_kfuncs;
	dev_ready();
	return 0;

no_kfuncs:
	dev_exit();
no_test:
	direct_exit();
no_direct:
	debugfs_exit();
no_debugfs:
	nodes_exit();
	return err;
}

static void __exit kstats_exit(void)
{
	dev_exit();
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
