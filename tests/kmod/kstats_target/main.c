// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - a module whose functions have a known truth, for tests only
 *
 * DOC: files in /sys/kernel/debug/kstats_target
 *
 * truth       read: a row `NAME CALLS SUM_NS MIN_NS MAX_NS` for each name;
 *             written (anything): all rows become zero. Names with a time are
 *             timed inside of the call, so a tracer must report as much or
 *             more; the others have zeros. Rows that are no function:
 *             migrated (calls of kt_migrate that changed CPU), nest_in_irq
 *             (calls of kt_nest that an interrupt made, also in kt_nest),
 *             errors (of `ret`), gap, pair (kt_start to kt_end), kt_tp (the
 *             two tracepoints), kt_many (all hundred together), step_outer
 *             (kt_step as its callers saw it: no sample may be longer), step_odd
 *             (the same of those whose parameter odd is 1: about half of them),
 *             step_mine (the same of those of step_irq whose current task was of
 *             the process that wrote it).
 * steps       read: the distribution of step_outer, rows `FIRST_NS CALLS` of slots
 *             of bits 2; emptied with the truth
 *
 * Every other file is an operation. One line of decimal numbers is written to
 * it; the write makes the calls in the writer's context and returns when they
 * are done. EINVAL: not that many numbers, or one too large. EINTR: killed.
 *
 * empty N                 N calls of kt_empty(i)
 * empty_inl N             N of kt_empty_inl, with kt_inlined (no symbol) inside
 * static N                N of kt_static_fn, a static function
 * notrace N               N of kt_notrace, which cannot be traced
 * many N                  N of each of kt_many_00 to kt_many_99
 * busy N NS               N of kt_busy: busy for NS
 * sleep N US              N of kt_sleep: asleep for US microseconds
 * recurse N DEPTH NS      N times kt_recurse nested DEPTH deep, so N * DEPTH
 *                         calls, each busy for NS before it calls the next
 * migrate N NS            N of kt_migrate: busy for NS, moved to the next
 *                         online CPU, busy for NS again
 * irq N NS                N of kt_outer: busy for NS and until a timer's hard
 *                         interrupt in its middle has called kt_irq_work(NS)
 * nest N NS               the same with kt_nest, called by task and interrupt
 * ret N ERRS              N each of kt_ret, kt_ret_ptr, kt_ret_bool,
 *                         kt_ret_u32, kt_void. ERRS of them, spread evenly,
 *                         give -EIO, ERR_PTR(-EIO), false, (u32)-EIO; the
 *                         others 0 or 1, NULL or a pointer, true, a number
 * ret_range N             N each of kt_ret, kt_ret_u32, kt_ret_u64 for every value
 *                         from -3 to 3, so 7 * N calls
 * gap N NS                N times kt_empty, kt_empty_inl twice, then busy until NS
 *                         after kt_empty has returned; gap: from its return to
 *                         its next call
 * key N                   N times kt_key_start(K, K + 1, ... K + 5) and kt_key_end
 *                         with the same six in reverse, K = 8 * i; and
 *                         kt_narrow_start(u8, u16, u32) and kt_narrow_end with the
 *                         number i in each, above which the start has other bits
 * expr N                  N of kt_expr: see expr.c for what it is given in call i
 * args N                  N each of kt_args8, kt_small, kt_struct_arg, kt_varargs
 * wide N                  N of kt_wide(six numbers), which returns 16 bytes; EILSEQ
 *                         if the result is wrong
 * noreturn N              N threads that call kt_never_returns, which ends them
 * block N                 N more threads that enter kt_block and stay; returns
 *                         when all are inside
 * unblock                 all return from kt_block and end (the line is ignored)
 * pair N NS               N times kt_start(req), NS, kt_end(req)
 * pair_nest N DEPTH       N times DEPTH starts, then their ends in reverse
 * pair_cross N            N starts here, ended by a thread on the next online
 *                         CPU; up to 64 in flight
 * pair_lost N             N starts without an end
 * pair_twice N NS         N times kt_start(req), NS, kt_start(req) again, kt_end(req)
 * pair_missed N NS        N times kt_start(req), kt_end(req); kt_start(req), kt_end(req);
 *                         the second and the third are called inside a kprobe, NS apart
 * tp N NS                 N times kstats_target:kt_tp_start, NS, kt_tp_end
 * tp_nest N DEPTH         N times DEPTH of kt_tp_start, then as many of kt_tp_end
 * step N NS               N of kt_step: the two tracepoints, in them kt_start and
 *                         kt_end, in them busy for NS. Never gives the CPU up
 *                         for long by itself: what preempts comes anywhere
 * step_every N US SLEEP   N of kt_step, one about every US microseconds, at random
 *                         times, each asleep for SLEEP us inside
 * callees N NS AGAIN      N of kt_caller, which calls functions in every way there is, each
 *                         busy or asleep for NS, and itself AGAIN times: see callees.c
 * planted N WHY           N of kt_planted, of which every 37th is slow: WHY 0: a callee sleeps;
 *                         1: a storm of interrupts comes
 * step_irq N NS           N of kt_step here, and more of it from a timer's hard
 *                         interrupt on this CPU, about every NS at random times
 * step_apart N NS         the same; every other interrupt calls kt_start alone, which step_outer
 *                         counts as a call of no time
 * par OP [NUMBER...]      the operation OP on every online CPU at once, each as
 *                         often as told; not block, unblock, planted, par
 *
 * The truth is counted after the calls: read it when the write has returned.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "kt.h"

#define LINE_MAX 128
#define CALLS_MAX 1000000000
#define NS_MAX 1000000000
#define IRQ_NS_MAX 10000000 /* interrupts are off as long */
#define DEPTH_MAX 128 /* by fentry each call keeps a frame of the trampoline */

struct op {
	const char *name;
	int (*run)(const u64 *arg);
	int args;
	u64 max[OP_ARGS];
	bool alone; /* not for `par` */
};

static const struct op ops[] = {
	{ "empty", op_empty, 1, { CALLS_MAX } },
	{ "empty_inl", op_empty_inl, 1, { CALLS_MAX } },
	{ "static", op_static, 1, { CALLS_MAX } },
	{ "notrace", op_notrace, 1, { CALLS_MAX } },
	{ "many", op_many, 1, { CALLS_MAX } },
	{ "busy", op_busy, 2, { CALLS_MAX, NS_MAX } },
	{ "sleep", op_sleep, 2, { CALLS_MAX, NS_MAX / 1000 } },
	{ "recurse", op_recurse, 3, { CALLS_MAX, DEPTH_MAX, NS_MAX } },
	{ "migrate", op_migrate, 2, { CALLS_MAX, NS_MAX } },
	{ "irq", op_irq, 2, { CALLS_MAX, IRQ_NS_MAX } },
	{ "nest", op_nest, 2, { CALLS_MAX, IRQ_NS_MAX } },
	{ "ret", op_ret, 2, { CALLS_MAX, CALLS_MAX } },
	{ "ret_range", op_ret_range, 1, { CALLS_MAX / 10 } },
	{ "gap", op_gap, 2, { CALLS_MAX, NS_MAX } },
	{ "key", op_key, 1, { CALLS_MAX } },
	{ "expr", op_expr, 1, { CALLS_MAX } },
	{ "args", op_args, 1, { CALLS_MAX } },
	{ "wide", op_wide, 1, { CALLS_MAX } },
	{ "noreturn", op_noreturn, 1, { 10000 } },
	{ "block", op_block, 1, { 1000 }, true },
	{ "unblock", op_unblock, 0, { 0 }, true },
	{ "pair", op_pair, 2, { CALLS_MAX, NS_MAX } },
	{ "pair_nest", op_pair_nest, 2, { CALLS_MAX, 64 } },
	{ "pair_cross", op_pair_cross, 1, { CALLS_MAX } },
	{ "pair_lost", op_pair_lost, 1, { 1000000 } },
	{ "pair_twice", op_pair_twice, 2, { CALLS_MAX, NS_MAX } },
	{ "pair_missed", op_pair_missed, 2, { CALLS_MAX, NS_MAX }, true },
	{ "tp", op_tp, 2, { CALLS_MAX, NS_MAX } },
	{ "tp_nest", op_tp_nest, 2, { CALLS_MAX, 64 } },
	{ "callees", op_callees, 3, { CALLS_MAX, NS_MAX, 8 } },
	{ "planted", op_planted, 2, { CALLS_MAX, 1 }, true },
	{ "step", op_step, 2, { CALLS_MAX, NS_MAX } },
	{ "step_every", op_step_every, 3, { CALLS_MAX, NS_MAX / 1000, NS_MAX / 1000 } },
	{ "step_irq", op_step_irq, 2, { CALLS_MAX, NS_MAX } },
	{ "step_apart", op_step_apart, 2, { CALLS_MAX, NS_MAX } },
};

static int op_parse(const struct op *op, char *line, u64 *arg)
{
	int n = 0;
	char *word;

	while ((word = strsep(&line, " \t\n"))) {
		if (!*word)
			continue;
		if (n == op->args || kstrtou64(word, 10, &arg[n]) || arg[n] > op->max[n])
			return -EINVAL;
		n++;
	}
	return n == op->args ? 0 : -EINVAL;
}

static int op_run(const struct op *op, char *line)
{
	u64 arg[OP_ARGS] = { 0 };
	int err = op->args ? op_parse(op, line, arg) : 0;

	return err ? err : op->run(arg);
}

static int op_run_par(char *line)
{
	u64 arg[OP_ARGS] = { 0 };
	char *name;
	int i, err;

	line = skip_spaces(line);
	name = strsep(&line, " \t\n");
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		if (ops[i].alone || strcmp(name, ops[i].name))
			continue;
		err = op_parse(&ops[i], line, arg);
		return err ? err : par_run(ops[i].run, arg);
	}
	return -EINVAL;
}

/* The file of `par` has no operation of its own. */
static ssize_t op_write(struct file *file, const char __user *from, size_t size, loff_t *pos)
{
	const struct op *op = file->private_data;
	char line[LINE_MAX];
	int err;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, size))
		return -EFAULT;
	line[size] = '\0';
	err = op ? op_run(op, line) : op_run_par(line);
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
	step_reset();
	return size;
}

static int steps_show(struct seq_file *seq, void *unused)
{
	step_show(seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(steps);

static const struct file_operations truth_fops = {
	.owner = THIS_MODULE,
	.open = truth_open,
	.read = seq_read,
	.write = truth_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static struct dentry *folder;

static int __init kstats_target_init(void)
{
	int i;

	folder = debugfs_create_dir("kstats_target", NULL);
	if (IS_ERR(folder))
		return PTR_ERR(folder);
	debugfs_create_file("truth", 0600, folder, NULL, &truth_fops);
	debugfs_create_file("steps", 0400, folder, NULL, &steps_fops);
	debugfs_create_file("par", 0200, folder, NULL, &op_fops);
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		debugfs_create_file(ops[i].name, 0200, folder, (void *)&ops[i], &op_fops);
	return 0;
}

static void __exit kstats_target_exit(void)
{
	debugfs_remove_recursive(folder); /* waits for writers */
	op_unblock(NULL);
}

module_init(kstats_target_init);
module_exit(kstats_target_exit);
MODULE_DESCRIPTION("Functions with a known truth, for the tests of kstats-bpf");
MODULE_LICENSE("GPL");
