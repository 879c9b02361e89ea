// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - a module whose allocations have a known truth, for tests only
 *
 * DOC: files in /sys/kernel/debug/kstats_memory
 *
 * truth       read: rows of nine words, see below; written (anything): no rows
 * lives       read: rows `FIRST_NS INNER OUTER`: objects of km_live whose life, measured
 *             from within and from without, lies in this slot of KSTATS_KMEM_LIFE_BITS
 *
 *     alloc SITE CACHE - REQ EACH COUNT 0 0     CACHE: kmalloc, pages or a cache's name;
 *                                               EACH: bytes given, 0 of a cache
 *     free SITE HOW FREE_SITE CPU TASK COUNT 0 0   SITE: of the allocation; CPU, TASK: 1
 *                                               where another one frees
 *     life SITE - - 0 0 COUNT INNER OUTER       sums in ns; the true life lies between
 *     count NAME - - 0 0 COUNT 0 0              null, failed, in_place, bulk, vmalloc,
 *                                               no_caller, idle
 *
 * Every other file is an operation. One line of decimal numbers is written to it; the
 * write returns when all is done. EINVAL: not that many numbers, or one too large.
 *
 * kmalloc N SIZE          N times kmalloc(SIZE), SIZE not known to the compiler, and kfree
 * atomic N SIZE           the same with GFP_ATOMIC
 * fixed N                 N times all sizes of km_fixed, known to the compiler
 * zalloc N SIZE           kzalloc
 * node N SIZE             kmalloc_node on node 0
 * kvmalloc N SIZE         kvmalloc and kvfree
 * realloc N FROM TO       kmalloc(FROM), krealloc(TO), kfree
 * nothing N               kmalloc(0), and three frees of NULL and of its result
 * too_much N              kmalloc of more than there can be
 * helpers N SIZE          kmemdup and kasprintf of SIZE bytes, kfree
 * behind N SIZE           kmalloc by a helper of a helper, and twice as many by a helper, each
 *                         by another caller; kfree and kfree_rcu, by a helper and without one
 * behind_cache N          kmem_cache_alloc and kmem_cache_free by helpers
 * behind_bulk N           kmem_cache_alloc_bulk and kmem_cache_free_bulk by helpers
 * behind_pages N ORDER    __get_free_pages and free_pages by helpers
 * deep N SIZE             kmalloc by a helper that calls itself 40 times, kfree
 * pages N ORDER           alloc_pages and __free_pages, by a task named kstats_memory
 * cost N                  kmalloc(64), kfree: nothing else in the loop
 * rcu N MORE              kmalloc(16 + MORE) and kfree_rcu
 * rcu_alone N MORE        the same with kvfree_rcu_mightsleep, which needs no rcu_head
 * cache N                 kmem_cache_alloc, kmem_cache_free: kstats_memory_plain, 200 bytes
 * cache_ctor N            the same: kstats_memory_ctor, 333 bytes, with a constructor
 * cache_kfree N           kmem_cache_alloc of the plain cache, kfree
 * bulk N COUNT            kmem_cache_alloc_bulk and kmem_cache_free_bulk of COUNT
 * bulk_alloc N COUNT      kmem_cache_alloc_bulk, kmem_cache_free one by one
 * bulk_free N COUNT       kmem_cache_alloc one by one, kmem_cache_free_bulk
 * cache_keep N            N objects of the plain cache stay
 * cache_drop              they are freed (the line is ignored)
 * cache_many N            N caches of 40 bytes, an object of each; all are destroyed
 * live N SIZE NS          kmalloc, busy for NS, kfree
 * sleep N SIZE US         kmalloc, asleep for US, kfree
 * keep N SIZE             N of kmalloc(SIZE) stay
 * realloc_keep N FROM TO  N of kmalloc(FROM) stay, and krealloc(TO) of all that stay
 * drop                    they are freed (the line is ignored)
 * forget                  neither they nor the caches are ever freed (the line is ignored)
 * hop N SIZE              N of kmalloc(SIZE); the same task frees them on the next CPU
 * task N SIZE             another task frees them, on the same CPU
 * cross N SIZE            another task frees them on the next CPU
 * idle N SIZE             N of kmalloc(SIZE) by an interrupt of this CPU, freed by one of the
 *                         next CPU; nothing else runs on both
 * irq N SIZE              N of kmalloc(SIZE) and kfree by a timer's hard interrupt
 * softirq N SIZE          the same in a softirq
 * storm N SIZE NS         as `irq`, timed, about every NS at random moments, while this task makes
 *                         as many of `kmalloc` as it can
 * exchange N SIZE THREADS N allocations by each of THREADS threads on all CPUs, which free
 *                         what another one allocated; the writer frees the last ones
 * par OP [NUMBER...]      the operation OP on every online CPU at once
 *
 * Whoever writes must stay on one CPU.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "km.h"

#define LINE_LENGTH 128
#define CALLS_MAX 1000000000
#define SIZE_MAX_HERE (8 << 20)
#define NS_MAX 1000000000

struct op {
	const char *name;
	int (*run)(const u64 *arg);
	int args;
	u64 max[OP_ARGS];
};

static const struct op ops[] = {
	{ "kmalloc", op_kmalloc, 2, { CALLS_MAX, SIZE_MAX_HERE } },
	{ "atomic", op_atomic, 2, { CALLS_MAX, SIZE_MAX_HERE } },
	{ "fixed", op_fixed, 1, { CALLS_MAX } },
	{ "zalloc", op_zalloc, 2, { CALLS_MAX, SIZE_MAX_HERE } },
	{ "node", op_node, 2, { CALLS_MAX, SIZE_MAX_HERE } },
	{ "kvmalloc", op_kvmalloc, 2, { CALLS_MAX, SIZE_MAX_HERE } },
	{ "realloc", op_realloc, 3, { CALLS_MAX, SIZE_MAX_HERE, SIZE_MAX_HERE } },
	{ "nothing", op_nothing, 1, { CALLS_MAX } },
	{ "too_much", op_too_much, 1, { CALLS_MAX } },
	{ "helpers", op_helpers, 2, { CALLS_MAX, 2000 } },
	{ "behind", op_behind, 2, { CALLS_MAX, 1000 } },
	{ "behind_cache", op_behind_cache, 1, { CALLS_MAX } },
	{ "behind_bulk", op_behind_bulk, 1, { CALLS_MAX } },
	{ "behind_pages", op_behind_pages, 2, { CALLS_MAX, 9 } },
	{ "deep", op_deep, 2, { CALLS_MAX, 1000 } },
	{ "pages", op_pages, 2, { CALLS_MAX, 9 } },
	{ "cost", op_cost, 1, { CALLS_MAX } },
	{ "rcu", op_rcu, 2, { CALLS_MAX, 8192 } },
	{ "rcu_alone", op_rcu_alone, 2, { CALLS_MAX, 8192 } },
	{ "cache", op_cache, 1, { CALLS_MAX } },
	{ "cache_ctor", op_cache_ctor, 1, { CALLS_MAX } },
	{ "cache_kfree", op_cache_kfree, 1, { CALLS_MAX } },
	{ "bulk", op_bulk, 2, { CALLS_MAX, 64 } },
	{ "bulk_alloc", op_bulk_alloc, 2, { CALLS_MAX, 64 } },
	{ "bulk_free", op_bulk_free, 2, { CALLS_MAX, 64 } },
	{ "cache_keep", op_cache_keep, 1, { 4096 } },
	{ "cache_drop", op_cache_drop, 0 },
	{ "cache_many", op_cache_many, 1, { 2048 } },
	{ "live", op_live, 3, { CALLS_MAX, SIZE_MAX_HERE, NS_MAX } },
	{ "sleep", op_sleep, 3, { CALLS_MAX, SIZE_MAX_HERE, NS_MAX / 1000 } },
	{ "keep", op_keep, 2, { 65536, SIZE_MAX_HERE } },
	{ "realloc_keep", op_realloc_keep, 3, { 65536, SIZE_MAX_HERE, SIZE_MAX_HERE } },
	{ "drop", op_drop, 0 },
	{ "forget", op_forget, 0 },
	{ "hop", op_hop, 2, { 65536, SIZE_MAX_HERE } },
	{ "task", op_task, 2, { 65536, SIZE_MAX_HERE } },
	{ "cross", op_cross, 2, { 65536, SIZE_MAX_HERE } },
	{ "idle", op_idle, 2, { CALLS_MAX, 8192 } },
	{ "irq", op_irq, 2, { CALLS_MAX, 8192 } },
	{ "softirq", op_softirq, 2, { CALLS_MAX, 8192 } },
	{ "storm", op_storm, 3, { CALLS_MAX, 8192, NS_MAX } },
	{ "exchange", op_exchange, 3, { CALLS_MAX, 8192, 64 } },
};

static int op_parse(const struct op *op, char *line, u64 *arg)
{
	int n = 0;
	char *word;

	if (!op->args)
		return 0;
	while ((word = strsep(&line, " \t\n"))) {
		if (!*word)
			continue;
		if (n == op->args || kstrtou64(word, 10, &arg[n]) || arg[n] > op->max[n])
			return -EINVAL;
		n++;
	}
	return n == op->args ? 0 : -EINVAL;
}

static int run_here(const struct op *op, char *line)
{
	u64 arg[OP_ARGS] = { 0 };

	return op_parse(op, line, arg) ?: op->run(arg);
}

static int run_par(char *line)
{
	u64 arg[OP_ARGS] = { 0 };
	char *name;
	int i;

	line = skip_spaces(line);
	name = strsep(&line, " \t\n");
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		if (ops[i].args && !strcmp(name, ops[i].name))
			return op_parse(&ops[i], line, arg) ?: par_run(ops[i].run, arg);
	return -EINVAL;
}

/* The file of `par` has no operation of its own. */
static ssize_t op_write(struct file *file, const char __user *from, size_t size, loff_t *pos)
{
	const struct op *op = file->private_data;
	char line[LINE_LENGTH];
	int err;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, size))
		return -EFAULT;
	line[size] = '\0';
	err = op ? run_here(op, line) : run_par(line);
	return err ? err : size;
}

static const struct file_operations op_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = op_write,
};

static int truth_seq(struct seq_file *seq, void *unused)
{
	truth_show(seq);
	return 0;
}

static int truth_open(struct inode *inode, struct file *file)
{
	return single_open(file, truth_seq, NULL);
}

static ssize_t truth_write(struct file *file, const char __user *from, size_t size, loff_t *pos)
{
	truth_reset();
	return size;
}

static const struct file_operations truth_fops = {
	.owner = THIS_MODULE,
	.open = truth_open,
	.read = seq_read,
	.write = truth_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int lives_show(struct seq_file *seq, void *unused)
{
	truth_show_lives(seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(lives);

static struct dentry *folder;

static int __init kstats_memory_init(void)
{
	int i, err = caches_make();

	if (err)
		goto caches;
	folder = debugfs_create_dir("kstats_memory", NULL);
	err = PTR_ERR_OR_ZERO(folder);
	if (err)
		goto caches;
	debugfs_create_file("truth", 0600, folder, NULL, &truth_fops);
	debugfs_create_file("lives", 0400, folder, NULL, &lives_fops);
	debugfs_create_file("par", 0200, folder, NULL, &op_fops);
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		debugfs_create_file(ops[i].name, 0200, folder, (void *)&ops[i], &op_fops);
	return 0;

caches:
	caches_destroy();
	return err;
}

static void __exit kstats_memory_exit(void)
{
	debugfs_remove_recursive(folder); /* waits for writers */
	kept_free();
	if (!forgotten)
		op_cache_drop(NULL);
	caches_destroy();
}

module_init(kstats_memory_init);
module_exit(kstats_memory_exit);
MODULE_DESCRIPTION("Allocations with a known truth, for the tests of kstats-bpf");
MODULE_LICENSE("GPL");
