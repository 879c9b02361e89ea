// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - a module that records from every context at once, for tests only
 *
 * DOC: files in /sys/kernel/debug/kstats_records
 *
 * run    written N1 N2 N3 N4: tasks, softirqs, hard interrupts and NMIs record
 *        that many samples into the node "records" (bits 3), on all online CPUs
 *        at once; the write returns when all are done. EBUSY: it runs already.
 * truth  read: a row `slot CPU SAMPLES SUM` for each slot and CPU that must have
 *        any, counted apart from the node; then rows `task N 0`, `softirq N I`,
 *        `hardirq N I`, `nmi N I`: the records, and how many of these interrupts
 *        came while a task was between the begin and the end of its record.
 *
 * Each context counts down a number of its own. What is true is kept for each
 * context and CPU, where nothing interrupts itself.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/version.h>
#include <linux/vmalloc.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "kstats.h"
#include "kstats_slot.h"

#define BITS 3
#define SLOTS KSTATS_N_SLOTS(BITS)
#define HARDIRQ_NS 100000

enum context { TASK, SOFTIRQ, HARDIRQ, NMI, CONTEXTS };

static const char *const names[CONTEXTS] = { "task", "softirq", "hardirq", "nmi" };
/* Records at one go. */
static const int batches[CONTEXTS] = { 64, 512, 32, 16 };

struct cpu_state {
	struct kstats_slot truth[CONTEXTS][SLOTS];
	u64 done[CONTEXTS];
	u64 inside[CONTEXTS];
	u32 seed[CONTEXTS];
	bool recording; /* a task is between begin and end of its record */
	struct hrtimer hard;
	struct timer_list soft;
	struct task_struct *task;
};

static struct kstats *node;
static struct dentry *dir;
static struct cpu_state *states; /* by CPU number */
static atomic64_t left[CONTEXTS];
static s64 nmis_inside; /* records that are left for NMIs which come inside of records */
static atomic_t running;
static DECLARE_WAIT_QUEUE_HEAD(all_done);
static DEFINE_MUTEX(run_lock);

/* Small, large, and far above where sums are kept without their lowest bits. */
static u64 next_value(u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return (u64)*seed << (*seed >> 27) >> 16;
}

static void record_one(struct cpu_state *s, enum context c)
{
	u64 value = next_value(&s->seed[c]);
	struct kstats_slot *t;
	u32 i;

	if (c == TASK)
		WRITE_ONCE(s->recording, true);
	kstats_record(node, value);
	if (c == TASK)
		WRITE_ONCE(s->recording, false);
	i = kstats_slot_index(value, BITS);
	t = &s->truth[c][i];
	t->samples++;
	t->sum += kstats_slot_scale(value, i, BITS);
	s->done[c]++;
}

/* False once this context has made all its records. */
static bool record_batch(enum context c)
{
	struct cpu_state *s = &states[smp_processor_id()];
	s64 before = atomic64_fetch_sub(batches[c], &left[c]);
	s64 n = min_t(s64, before, batches[c]);

	if (c != TASK && READ_ONCE(s->recording))
		s->inside[c]++;
	for (; n > 0; n--)
		record_one(s, c);
	return before > batches[c];
}

static void one_done(void)
{
	if (atomic_dec_and_test(&running))
		wake_up(&all_done);
}

/* ---- the contexts ---- */

static void send_nmi(unsigned int cpu)
{
	native_apic_mem_write(APIC_ICR2, SET_XAPIC_DEST_FIELD(per_cpu(x86_cpu_to_apicid, cpu)));
	native_apic_mem_write(APIC_ICR, APIC_DM_NMI | APIC_DEST_PHYSICAL);
}

static void send_nmis(void)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		if (cpu != smp_processor_id())
			send_nmi(cpu);
}

/*
 * Sends the other CPUs NMIs until all records of NMIs are made. While tasks make records, some of
 * those are left for the NMIs of timers that came inside of a record; see hard_main().
 */
static int task_main(void *unused)
{
	bool more = true, nmi;

	do {
		preempt_disable();
		if (more)
			more = record_batch(TASK);
		nmi = atomic64_read(&left[NMI]) > 0;
		if (atomic64_read(&left[NMI]) > (more ? nmis_inside : 0))
			send_nmis();
		preempt_enable();
		cond_resched();
	} while (more || nmi);
	one_done();
	return 0;
}

static void soft_main(struct timer_list *t)
{
	if (record_batch(SOFTIRQ))
		mod_timer(t, jiffies + 1);
	else
		one_done();
}

/*
 * An NMI from another CPU comes inside of a record by chance, in an emulator rarely. If this timer
 * came inside of one, it sends its own CPU an NMI, which does so for certain; then no other send of
 * this CPU is under way.
 */
static enum hrtimer_restart hard_main(struct hrtimer *t)
{
	unsigned int cpu = smp_processor_id();

	if (READ_ONCE(states[cpu].recording) && atomic64_read(&left[NMI]) > 0)
		send_nmi(cpu);
	if (record_batch(HARDIRQ)) {
		hrtimer_forward_now(t, ns_to_ktime(HARDIRQ_NS));
		return HRTIMER_RESTART;
	}
	one_done();
	return HRTIMER_NORESTART;
}

static int nmi_main(unsigned int type, struct pt_regs *regs)
{
	if (atomic64_read(&left[NMI]) <= 0)
		return NMI_DONE;
	record_batch(NMI);
	return NMI_HANDLED;
}

/* ---- running ---- */

static long start_hard(void *arg)
{
	struct cpu_state *s = arg;

	hrtimer_start(&s->hard, ns_to_ktime(HARDIRQ_NS), HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

static void prepare_timers(struct cpu_state *s)
{
	timer_setup(&s->soft, soft_main, TIMER_PINNED);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(&s->hard, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	s->hard.function = hard_main;
#else
	hrtimer_setup(&s->hard, hard_main, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#endif
}

static int start_cpu(unsigned int cpu)
{
	struct cpu_state *s = &states[cpu];
	enum context c;

	for (c = 0; c < CONTEXTS; c++)
		s->seed[c] = cpu * 7919 + c * 104729 + 1;
	prepare_timers(s);
	s->task = kthread_create_on_cpu(task_main, NULL, cpu, "records/%u");
	if (IS_ERR(s->task))
		return PTR_ERR(s->task);
	atomic_add(3, &running);
	s->soft.expires = jiffies + 1;
	add_timer_on(&s->soft, cpu);
	work_on_cpu(cpu, start_hard, s);
	wake_up_process(s->task);
	return 0;
}

static int run(const u64 *n)
{
	unsigned int cpu;
	enum context c;
	int err = 0;

	for (c = 0; c < CONTEXTS; c++)
		atomic64_set(&left[c], n[c]);
	nmis_inside = n[NMI] / 2;
	atomic_set(&running, 1);
	cpus_read_lock();
	for_each_online_cpu(cpu)
		err = err ?: start_cpu(cpu);
	cpus_read_unlock();
	one_done();
	wait_event(all_done, !atomic_read(&running));
	for_each_possible_cpu(cpu) {
		timer_delete_sync(&states[cpu].soft);
		hrtimer_cancel(&states[cpu].hard);
	}
	return err;
}

static ssize_t run_write(struct file *file, const char __user *from, size_t size, loff_t *pos)
{
	unsigned long long n[CONTEXTS];
	char buf[128];
	u64 want[CONTEXTS];
	int i, err;

	if (size >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, from, size))
		return -EFAULT;
	buf[size] = '\0';
	if (sscanf(buf, "%llu %llu %llu %llu", &n[0], &n[1], &n[2], &n[3]) != CONTEXTS)
		return -EINVAL;
	for (i = 0; i < CONTEXTS; i++)
		want[i] = n[i];
	if (!mutex_trylock(&run_lock))
		return -EBUSY;
	err = run(want);
	mutex_unlock(&run_lock);
	return err ?: size;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.write = run_write,
};

static int truth_show(struct seq_file *m, void *v)
{
	u64 samples, sum, done[CONTEXTS] = {}, inside[CONTEXTS] = {};
	unsigned int cpu;
	enum context c;
	u32 i;

	for_each_possible_cpu(cpu) {
		for (c = 0; c < CONTEXTS; c++) {
			done[c] += states[cpu].done[c];
			inside[c] += states[cpu].inside[c];
		}
		for (i = 0; i < SLOTS; i++) {
			samples = sum = 0;
			for (c = 0; c < CONTEXTS; c++) {
				samples += states[cpu].truth[c][i].samples;
				sum += states[cpu].truth[c][i].sum;
			}
			if (samples)
				seq_printf(m, "%u %u %llu %llu\n", i, cpu, samples, sum);
		}
	}
	for (c = 0; c < CONTEXTS; c++)
		seq_printf(m, "%s %llu %llu\n", names[c], done[c], inside[c]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth);

static int __init records_init(void)
{
	int err;

	states = vzalloc(array_size(nr_cpu_ids, sizeof(*states)));
	if (!states)
		return -ENOMEM;
	node = kstats_new("records", BITS);
	err = register_nmi_handler(NMI_LOCAL, nmi_main, 0, "kstats_records");
	if (err) {
		kstats_delete(node);
		vfree(states);
		return err;
	}
	dir = debugfs_create_dir("kstats_records", NULL);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_file("truth", 0400, dir, NULL, &truth_fops);
	return 0;
}

static void __exit records_exit(void)
{
	debugfs_remove(dir);
	unregister_nmi_handler(NMI_LOCAL, "kstats_records");
	kstats_delete(node);
	vfree(states);
}

module_init(records_init);
module_exit(records_exit);

MODULE_DESCRIPTION("Records from every context at once, for tests of kstats");
MODULE_LICENSE("GPL");
