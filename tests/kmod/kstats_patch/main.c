// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - replaces a function as a livepatch does, for tests only
 *
 * addr=ADDRESS of the function: from now on its calls go to a function here that counts
 * them and returns. The parameter `calls` tells how many there were.
 *
 * unstable=1: the kernel takes the time stamp counter for unstable, until the next boot.
 *
 * slow=MODULE: unloading it waits, once other modules were told that it goes. Then the parameter
 * `waits` is Y, and it goes on when `go_on` is Y.
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/version.h>
#include <asm/tsc.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define ftrace_regs_set_instruction_pointer ftrace_instruction_pointer_set
#endif

static unsigned long addr;
module_param(addr, ulong, 0400);

static ulong calls;
module_param(calls, ulong, 0400);

static bool unstable;
module_param(unstable, bool, 0400);

static char *slow = "";
module_param(slow, charp, 0400);

static bool waits;
module_param(waits, bool, 0400);

static bool go_on;
module_param(go_on, bool, 0600);

static notrace void replacement(void)
{
	WRITE_ONCE(calls, calls + 1);
}

static void notrace redirect(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			     struct ftrace_regs *fregs)
{
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)replacement);
}

static struct ftrace_ops ops = {
	.func = redirect,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static int wait(struct notifier_block *nb, unsigned long state, void *mod)
{
	if (state != MODULE_STATE_GOING || strcmp(((struct module *)mod)->name, slow))
		return NOTIFY_OK;
	WRITE_ONCE(waits, true);
	while (!READ_ONCE(go_on))
		msleep(20);
	return NOTIFY_OK;
}

static struct notifier_block waiter = { .notifier_call = wait, .priority = -1 };

static int __init patch_init(void)
{
	int err;

	if (unstable)
		mark_tsc_unstable("a test says so");
	if (!addr)
		return register_module_notifier(&waiter);
	err = ftrace_set_filter_ip(&ops, addr, 0, 0);
	if (!err) {
		err = register_ftrace_function(&ops);
		if (err)
			ftrace_free_filter(&ops);
	}
	return err;
}

static void __exit patch_exit(void)
{
	if (!addr) {
		unregister_module_notifier(&waiter);
		return;
	}
	unregister_ftrace_function(&ops);
	ftrace_free_filter(&ops);
}

module_init(patch_init);
module_exit(patch_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("For tests: replaces a function as a livepatch does");
