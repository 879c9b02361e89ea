// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel_marker.c - a marker in a module: a jump that the kernel patches in to switch it on. While
 * it is off, it is one NOP. After `make kmod` and `insmod .output/kmod/kstats.ko`, as root:
 *
 *	make -C /lib/modules/$(uname -r)/build M=$PWD/examples/kernel_marker \
 *		KBUILD_EXTRA_SYMBOLS=$PWD/.output/kmod/Module.symvers modules
 *	insmod examples/kernel_marker/kernel_marker.ko
 *	cd /sys/module/kernel_marker/parameters
 *	echo Y > measure
 *	echo 1000 > run
 *	cat /sys/kernel/debug/kstats/kernel_marker
 */
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/timekeeping.h>

#include "kstats.h"

static DEFINE_STATIC_KEY_FALSE(measuring);
/* Deleted with the module only: a call may record just after the marker was switched off. */
static struct kstats *durations;

/* Stands for the work that a real module does. */
static noinline void work(unsigned int request)
{
	barrier();
}

static noinline void work_measured(unsigned int request)
{
	u64 start = ktime_get_mono_fast_ns();

	work(request);
	kstats_record(durations, ktime_get_mono_fast_ns() - start);
}

static noinline void serve(unsigned int request)
{
	if (IS_ENABLED(CONFIG_KSTATS) && static_branch_unlikely(&measuring))
		work_measured(request);
	else
		work(request);
}

static int set_measure(const char *word, const struct kernel_param *kp)
{
	bool on;
	int err = kstrtobool(word, &on);

	if (err)
		return err;
	/* The kernel lets one writer at a time call this. */
	if (on)
		static_branch_enable(&measuring);
	else
		static_branch_disable(&measuring);
	return 0;
}

static int get_measure(char *to, const struct kernel_param *kp)
{
	return sprintf(to, "%c\n", static_key_enabled(&measuring) ? 'Y' : 'N');
}

static const struct kernel_param_ops measure_ops = { .set = set_measure, .get = get_measure };
module_param_cb(measure, &measure_ops, NULL, 0600);
MODULE_PARM_DESC(measure, "whether requests are measured");

static int set_run(const char *word, const struct kernel_param *kp)
{
	unsigned int n, i;
	int err = kstrtouint(word, 0, &n);

	for (i = 0; !err && i < n; i++)
		serve(i);
	return err;
}

static const struct kernel_param_ops run_ops = { .set = set_run };
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "serve that many requests");

static int __init kernel_marker_init(void)
{
	durations = kstats_new("kernel_marker", 3);
	return 0;
}
module_init(kernel_marker_init);

static void __exit kernel_marker_exit(void)
{
	kstats_delete(durations);
}
module_exit(kernel_marker_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Example of a marker that records with kstats");
