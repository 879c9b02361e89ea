// SPDX-License-Identifier: GPL-2.0-only
/*
 * async.c - operations that need an interrupt or other threads
 *
 * Comes in: the numbers of a written line. Goes out: calls, and their truth.
 * Every thread is waited for, so that the module can go afterwards; it ends in
 * kthread_complete_and_exit(), which leaves no moment in the module's text.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/semaphore.h>
#include <linux/slab.h>
#include <linux/version.h>

#include "kt.h"

/* ---- interrupts -------------------------------------------------------------- */

static enum hrtimer_restart irq_fires(struct hrtimer *timer)
{
	struct kt_irq *irq = container_of(timer, struct kt_irq, timer);

	truth_add(TRUTH_kt_irq_work, kt_irq_work(irq->ns));
	WRITE_ONCE(irq->fired, true);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart nest_fires(struct hrtimer *timer)
{
	struct kt_irq *irq = container_of(timer, struct kt_irq, timer);
	u64 took = kt_nest(irq->ns, NULL);

	truth_add(TRUTH_kt_nest, took);
	truth_add(TRUTH_nest_in_irq, took);
	WRITE_ONCE(irq->fired, true);
	return HRTIMER_NORESTART;
}

static void irq_setup(struct kt_irq *irq, enum hrtimer_restart (*fires)(struct hrtimer *timer))
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup_on_stack(&irq->timer, fires, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init_on_stack(&irq->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	irq->timer.function = fires;
#endif
}

static int irq_run(const u64 *arg, u64 (*call)(u64 ns, struct kt_irq *irq), enum truth_id id,
		   enum hrtimer_restart (*fires)(struct hrtimer *timer))
{
	struct kt_irq irq = { .ns = arg[1] };
	u64 i;

	irq_setup(&irq, fires);
	for (i = 0; calls_go_on(i, arg[0], 1); i++) {
		irq.fired = false;
		truth_add(id, call(arg[1], &irq));
		hrtimer_cancel(&irq.timer); /* it fired: waits for its last steps */
	}
	destroy_hrtimer_on_stack(&irq.timer);
	return calls_result(i, arg[0]);
}

int op_irq(const u64 *arg)
{
	return irq_run(arg, kt_outer, TRUTH_kt_outer, irq_fires);
}

int op_nest(const u64 *arg)
{
	return irq_run(arg, kt_nest, TRUTH_kt_nest, nest_fires);
}

/* ---- threads ------------------------------------------------------------------ */

static int thread_start(int (*run)(void *data), void *data, int cpu)
{
	struct task_struct *task = kthread_create(run, data, "kstats_target");

	if (IS_ERR(task))
		return PTR_ERR(task);
	if (cpu >= 0)
		kthread_bind(task, cpu);
	wake_up_process(task);
	return 0;
}

static int noreturn_thread(void *done)
{
	truth_count(TRUTH_kt_never_returns, 1);
	kt_never_returns(done);
	return 0;
}

int op_noreturn(const u64 *arg)
{
	DECLARE_COMPLETION_ONSTACK(done);
	int err = 0;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0], 1); i++) {
		err = thread_start(noreturn_thread, &done, -1);
		if (err)
			return err;
		wait_for_completion(&done);
	}
	return calls_result(i, arg[0]);
}

static DEFINE_MUTEX(block_lock);
static DECLARE_COMPLETION(block_done);
static unsigned int blocked; /* threads started and not yet waited for */

static int block_thread(void *unused)
{
	truth_add(TRUTH_kt_block, kt_block());
	kthread_complete_and_exit(&block_done, 0);
}

/*
 * One thread after the other: the kernel skips programs of tasks that enter at the same time where
 * it preempts one of them inside a program.
 */
int op_block(const u64 *arg)
{
	int err = 0;
	u64 i;

	mutex_lock(&block_lock);
	for (i = 0; i < arg[0] && !err; i++) {
		err = thread_start(block_thread, NULL, -1);
		blocked += !err;
		while (block_inside() < blocked)
			usleep_range(100, 200);
	}
	mutex_unlock(&block_lock);
	return err;
}

int op_unblock(const u64 *unused)
{
	mutex_lock(&block_lock);
	for (block_release(); blocked; blocked--)
		wait_for_completion(&block_done);
	mutex_unlock(&block_lock);
	return 0;
}

/* ---- a request that ends on another CPU ----------------------------------------- */

#define CROSS_IN_FLIGHT 64

struct cross {
	struct kt_req reqs[CROSS_IN_FLIGHT];
	struct semaphore idle; /* requests to start */
	struct semaphore busy; /* requests to end; one more without a request: stop */
	struct completion done;
	u64 started;
};

static int cross_thread(void *data)
{
	struct cross *cross = data;
	u64 i;

	for (i = 0;; i++) {
		struct kt_req *req = &cross->reqs[i % CROSS_IN_FLIGHT];

		down(&cross->busy);
		if (i == READ_ONCE(cross->started))
			break;
		req_end(req);
		up(&cross->idle);
	}
	kthread_complete_and_exit(&cross->done, 0);
}

static void cross_start(struct cross *cross, u64 calls)
{
	u64 i;

	for (i = 0; calls_go_on(i, calls, 1); i++) {
		down(&cross->idle);
		req_start(&cross->reqs[i % CROSS_IN_FLIGHT]);
		WRITE_ONCE(cross->started, i + 1);
		up(&cross->busy);
	}
	up(&cross->busy);
}

int op_pair_cross(const u64 *arg)
{
	struct cross *cross = kzalloc(sizeof(*cross), GFP_KERNEL);
	int err;

	if (!cross)
		return -ENOMEM;
	sema_init(&cross->idle, CROSS_IN_FLIGHT);
	sema_init(&cross->busy, 0);
	init_completion(&cross->done);
	migrate_disable(); /* the other CPU is another one throughout */
	err = thread_start(cross_thread, cross, next_cpu(smp_processor_id()));
	if (!err) {
		cross_start(cross, arg[0]);
		wait_for_completion(&cross->done);
		err = calls_result(cross->started, arg[0]);
	}
	migrate_enable();
	kfree(cross);
	return err;
}

/* ---- the same on every CPU -------------------------------------------------------- */

struct crew {
	struct completion go;
	struct completion done;
	int (*run)(const u64 *arg); /* NULL: nothing to do after all */
	const u64 *arg;
	int err; /* of any of them */
};

static int crew_thread(void *data)
{
	struct crew *crew = data;
	int err;

	wait_for_completion(&crew->go);
	err = crew->run ? crew->run(crew->arg) : 0;
	if (err)
		WRITE_ONCE(crew->err, err);
	kthread_complete_and_exit(&crew->done, 0);
}

int par_run(int (*run)(const u64 *arg), const u64 *arg)
{
	struct crew crew = { .run = run, .arg = arg };
	int cpu, threads = 0, err = 0;

	init_completion(&crew.go);
	init_completion(&crew.done);
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		err = thread_start(crew_thread, &crew, cpu);
		if (err)
			break;
		threads++;
	}
	cpus_read_unlock();
	if (err)
		crew.run = NULL;
	complete_all(&crew.go);
	while (threads--)
		wait_for_completion(&crew.done);
	return err ? err : crew.err;
}
