// SPDX-License-Identifier: GPL-2.0-only
/*
 * elsewhere.c - objects that live for a while, and that others free: another CPU, another
 * task, an interrupt
 *
 * Comes in: the numbers of a written line. Goes out: allocations and frees, and their truth.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/smp.h>
#include <linux/version.h>

#include "km.h"

#define KEEP_MAX 65536
#define EXCHANGE_SLOTS 61

bool forgotten;
static struct object kept[KEEP_MAX];
static unsigned int kept_n;
static DEFINE_MUTEX(kept_lock);

/* ---- how long ------------------------------------------------------------------- */

static bool __site km_live(size_t size, u64 ns, u64 us)
{
	u64 before = ktime_get_ns(), begin, end;
	void *p = kmalloc(size, GFP_KERNEL);
	struct object o;

	if (!object_made(&o, p, __func__))
		return false;
	begin = ktime_get_ns();
	truth_alloc(__func__, "kmalloc", size, ksize(p), 1);
	if (us)
		usleep_range(us, us);
	else
		busy_until(begin + ns);
	end = ktime_get_ns();
	kfree(p);
	truth_life(__func__, end - begin, ktime_get_ns() - before);
	truth_free(&o, "kfree", __func__);
	return true;
}

int op_live(const u64 *arg)
{
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++)
		if (!km_live(arg[1], arg[2], 0))
			return -ENOMEM;
	return calls_result(i, arg[0]);
}

int op_sleep(const u64 *arg)
{
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++)
		if (!km_live(arg[1], 0, arg[2]))
			return -ENOMEM;
	return calls_result(i, arg[0]);
}

/* ---- kept until told -------------------------------------------------------------- */

static int keep(u64 n, u64 size)
{
	u64 i;

	for (i = 0; i < n; i++) {
		if (kept_n == KEEP_MAX || !km_kmalloc(&kept[kept_n], size, GFP_KERNEL))
			return -ENOMEM;
		kept_n++;
	}
	return 0;
}

static int realloc_kept(u64 size)
{
	unsigned int i;

	for (i = 0; i < kept_n; i++)
		if (!km_realloc(&kept[i], size))
			return -ENOMEM;
	return 0;
}

static int drop(const u64 *unused)
{
	while (kept_n)
		km_kfree(&kept[--kept_n]);
	return 0;
}

int op_keep(const u64 *arg)
{
	int err;

	mutex_lock(&kept_lock);
	err = keep(arg[0], arg[1]);
	mutex_unlock(&kept_lock);
	return err;
}

int op_realloc_keep(const u64 *arg)
{
	int err;

	mutex_lock(&kept_lock);
	err = keep(arg[0], arg[1]) ?: realloc_kept(arg[2]);
	mutex_unlock(&kept_lock);
	return err;
}

int op_drop(const u64 *arg)
{
	mutex_lock(&kept_lock);
	drop(NULL);
	mutex_unlock(&kept_lock);
	return 0;
}

int op_forget(const u64 *arg)
{
	mutex_lock(&kept_lock);
	kept_n = 0;
	forgotten = true;
	mutex_unlock(&kept_lock);
	return 0;
}

void kept_free(void)
{
	drop(NULL);
}

/* ---- others ------------------------------------------------------------------------ */

struct worker {
	int (*run)(const u64 *arg);
	const u64 *arg;
	int err;
	struct completion done;
};

static int work(void *data)
{
	struct worker *w = data;

	w->err = w->run(w->arg);
	complete(&w->done);
	return 0;
}

/* Not yet running; NULL: it cannot be had. */
static struct task_struct *worker_make(struct worker *w, unsigned int cpu)
{
	struct task_struct *task = kthread_create(work, w, "kstats_memory");

	if (IS_ERR(task))
		return NULL;
	init_completion(&w->done);
	kthread_bind(task, cpu);
	return task;
}

static int run_on(unsigned int cpu, int (*run)(const u64 *arg), const u64 *arg)
{
	struct worker w = { run, arg };
	struct task_struct *task = worker_make(&w, cpu);

	if (!task)
		return -ENOMEM;
	wake_up_process(task);
	wait_for_completion(&w.done);
	return w.err;
}

int named_run(int (*run)(const u64 *arg), const u64 *arg)
{
	return run_on(raw_smp_processor_id(), run, arg);
}

static int run_all(struct worker *workers, unsigned int n)
{
	struct task_struct *task;
	unsigned int i, made, cpu = cpumask_first(cpu_online_mask);
	int err = 0;

	for (made = 0; made < n; made++) {
		task = worker_make(&workers[made], cpu);
		if (!task)
			break;
		wake_up_process(task);
		cpu = next_cpu(cpu);
	}
	for (i = 0; i < made; i++) {
		wait_for_completion(&workers[i].done);
		err = err ?: workers[i].err;
	}
	return made < n ? -ENOMEM : err;
}

static int run_many(unsigned int n, int (*run)(const u64 *arg), const u64 *arg)
{
	struct worker *workers = kcalloc(n, sizeof(*workers), GFP_KERNEL);
	unsigned int i;
	int err;

	if (!workers)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		workers[i] = (struct worker){ run, arg };
	err = run_all(workers, n);
	kfree(workers);
	return err;
}

int par_run(int (*run)(const u64 *arg), const u64 *arg)
{
	return run_many(num_online_cpus(), run, arg);
}

/* Freed by the same task, on the next CPU. */
int op_hop(const u64 *arg)
{
	unsigned int cpu = raw_smp_processor_id();
	int err;

	mutex_lock(&kept_lock);
	err = keep(arg[0], arg[1]) ?: set_cpus_allowed_ptr(current, cpumask_of(next_cpu(cpu)));
	drop(NULL);
	set_cpus_allowed_ptr(current, cpumask_of(cpu));
	mutex_unlock(&kept_lock);
	return err;
}

static int freed_on(const u64 *arg, unsigned int cpu)
{
	int err;

	mutex_lock(&kept_lock);
	err = keep(arg[0], arg[1]) ?: run_on(cpu, drop, NULL);
	mutex_unlock(&kept_lock);
	return err;
}

int op_task(const u64 *arg)
{
	return freed_on(arg, raw_smp_processor_id());
}

int op_cross(const u64 *arg)
{
	return freed_on(arg, next_cpu(raw_smp_processor_id()));
}

/* ---- interrupts ---------------------------------------------------------------------- */

struct firing {
	struct hrtimer timer;
	u64 left;
	u64 size;
	u64 ns;
	u64 seed;
	bool (*allocates)(size_t size);
	int err;
	struct completion done;
};

/* From half of the mean to one and a half; the same numbers at each run. */
static u64 about(struct firing *f)
{
	f->seed ^= f->seed << 13;
	f->seed ^= f->seed >> 7;
	f->seed ^= f->seed << 17;
	return f->ns / 2 + ((f->seed >> 32) * f->ns >> 32);
}

static bool __site km_irq(size_t size)
{
	void *p = kmalloc(size, GFP_ATOMIC);
	struct object o;

	if (!object_made(&o, p, __func__))
		return false;
	truth_alloc(__func__, "kmalloc", size, ksize(p), 1);
	kfree(p);
	truth_free(&o, "kfree", __func__);
	return true;
}

/* The same, and how long the object lived. */
static bool __site km_brief(size_t size)
{
	u64 before = ktime_get_ns(), begin, end, each;
	void *p = kmalloc(size, GFP_ATOMIC);
	struct object o;

	begin = ktime_get_ns();
	if (!object_made(&o, p, __func__))
		return false;
	each = ksize(p);
	end = ktime_get_ns();
	kfree(p);
	truth_life(__func__, end - begin, ktime_get_ns() - before);
	truth_alloc(__func__, "kmalloc", size, each, 1);
	truth_free(&o, "kfree", __func__);
	return true;
}

static enum hrtimer_restart fires(struct hrtimer *timer)
{
	struct firing *f = container_of(timer, struct firing, timer);

	if (f->left && !f->allocates(f->size))
		f->err = -ENOMEM;
	if (!f->left || !--f->left || f->err) {
		complete(&f->done);
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(about(f)));
	return HRTIMER_RESTART;
}

static void firing_start(struct firing *f, enum hrtimer_restart (*fires)(struct hrtimer *),
			 enum hrtimer_mode mode)
{
	init_completion(&f->done);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup_on_stack(&f->timer, fires, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init_on_stack(&f->timer, CLOCK_MONOTONIC, mode);
	f->timer.function = fires;
#endif
	hrtimer_start(&f->timer, ns_to_ktime(f->ns), mode);
}

static int firing_end(struct firing *f)
{
	wait_for_completion(&f->done);
	hrtimer_cancel(&f->timer);
	destroy_hrtimer_on_stack(&f->timer);
	return f->err;
}

static int fire(const u64 *arg, enum hrtimer_mode mode)
{
	struct firing f = {
		.left = arg[0], .size = arg[1], .ns = 50000, .seed = 0x5eed, .allocates = km_irq
	};

	firing_start(&f, fires, mode);
	return firing_end(&f);
}

int op_irq(const u64 *arg)
{
	return fire(arg, HRTIMER_MODE_REL_PINNED);
}

int op_softirq(const u64 *arg)
{
	return fire(arg, HRTIMER_MODE_REL_PINNED_SOFT);
}

struct idling {
	struct firing f;
	call_single_data_t call;
	struct object o;
	unsigned int cpu;
};

static bool __site km_idle(struct object *o, size_t size)
{
	void *p = kmalloc(size, GFP_ATOMIC);

	if (!object_made(o, p, __func__))
		return false;
	truth_alloc(__func__, "kmalloc", size, ksize(p), 1);
	if (is_idle_task(current))
		truth_count("idle", 1);
	return true;
}

static void idle_frees(void *data)
{
	struct idling *i = data;

	km_kfree(&i->o);
	complete(&i->f.done);
}

static enum hrtimer_restart idle_fires(struct hrtimer *timer)
{
	struct idling *i = container_of(timer, struct idling, f.timer);

	if (km_idle(&i->o, i->f.size)) {
		smp_call_function_single_async(i->cpu, &i->call);
	} else {
		i->f.err = -ENOMEM;
		complete(&i->f.done);
	}
	return HRTIMER_NORESTART;
}

/* While this task waits, both CPUs are idle. */
int op_idle(const u64 *arg)
{
	struct idling i = { .f = { .size = arg[1], .ns = 50000 } };
	u64 done;
	int err = 0;

	i.cpu = next_cpu(raw_smp_processor_id());
	INIT_CSD(&i.call, idle_frees, &i);
	for (done = 0; calls_go_on(done, arg[0]) && !err; done++) {
		firing_start(&i.f, idle_fires, HRTIMER_MODE_REL_PINNED);
		err = firing_end(&i.f);
	}
	return err ?: calls_result(done, arg[0]);
}

/* A task allocates all the time while interrupts come at random moments and do so, too. */
int op_storm(const u64 *arg)
{
	struct firing f = {
		.left = arg[0], .size = arg[1], .ns = arg[2], .seed = 0x5eed, .allocates = km_brief
	};
	const u64 some[] = { 64, arg[1] };
	int err = 0;

	firing_start(&f, fires, HRTIMER_MODE_REL_PINNED);
	while (!err && READ_ONCE(f.left))
		err = op_kmalloc(some);
	return firing_end(&f) ?: err;
}

/* ---- threads that free what others allocated -------------------------------------------- */

struct passed {
	int cpu;
	const void *task;
};

static struct passed *slots[EXCHANGE_SLOTS];

static struct passed *__site km_passed(size_t size)
{
	struct passed *p = kmalloc(size, GFP_NOWAIT | __GFP_NOWARN);

	if (!p)
		return NULL;
	p->cpu = raw_smp_processor_id();
	p->task = current;
	truth_alloc(__func__, "kmalloc", size, ksize(p), 1);
	return p;
}

static void __site km_taken(struct passed *p)
{
	struct object o = { p, "km_passed", p->cpu, p->task };

	kfree(p);
	truth_free(&o, "kfree", __func__);
}

static int pass_on(const u64 *arg)
{
	struct passed *p;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0]); i++) {
		p = km_passed(arg[1]);
		if (!p)
			return -ENOMEM;
		p = xchg(&slots[i % EXCHANGE_SLOTS], p);
		if (p)
			km_taken(p);
	}
	return calls_result(i, arg[0]);
}

int op_exchange(const u64 *arg)
{
	int i, err;

	mutex_lock(&kept_lock);
	err = run_many(arg[2], pass_on, arg);
	for (i = 0; i < EXCHANGE_SLOTS; i++) {
		if (slots[i])
			km_taken(slots[i]);
		slots[i] = NULL;
	}
	mutex_unlock(&kept_lock);
	return err;
}
