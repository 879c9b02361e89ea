// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls.c - the functions to trace
 *
 * Those that take a known time return it, so that the bookkeeping of their
 * callers stays outside of what a tracer measures. Where a call is not made by
 * an operation itself (recursion, interrupts), it keeps its own books, after
 * its clock was read.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/stdarg.h>
#include <linux/wait.h>

#include "kt.h"

void __traced kt_empty(u64 arg)
{
}

/* Never a symbol: inlined into its one caller. */
static __always_inline u64 kt_inlined(u64 arg)
{
	return arg ^ 1;
}

u64 __traced kt_empty_inl(u64 arg)
{
	return kt_inlined(arg);
}

void notrace __traced kt_notrace(u64 arg)
{
}

u64 __traced kt_busy(u64 ns)
{
	u64 start = ktime_get_ns();

	busy_until(start + ns);
	return ktime_get_ns() - start;
}

u64 __traced kt_sleep(u64 us)
{
	u64 start = ktime_get_ns();

	fsleep(us);
	return ktime_get_ns() - start;
}

u64 __traced kt_recurse(u32 depth, u64 ns)
{
	u64 start = ktime_get_ns();
	u64 took;

	busy_until(start + ns);
	if (depth > 1)
		kt_recurse(depth - 1, ns);
	took = ktime_get_ns() - start;
	truth_add(TRUTH_kt_recurse, took);
	return took;
}

u64 __traced kt_migrate(u64 ns)
{
	u64 start = ktime_get_ns();
	unsigned int from, to;

	busy_until(start + ns);
	from = raw_smp_processor_id();
	set_cpus_allowed_ptr(current, cpumask_of(next_cpu(from)));
	to = raw_smp_processor_id();
	busy_until(ktime_get_ns() + ns);
	if (from != to)
		truth_count(TRUTH_migrated, 1);
	return ktime_get_ns() - start;
}

/*
 * Busy for ns, with the interrupt landing inside. Preemption is off, so that
 * it lands on this very call and not on whoever runs then.
 */
static __always_inline u64 busy_with_irq(u64 ns, struct kt_irq *irq)
{
	u64 start, took;

	preempt_disable();
	start = ktime_get_ns();
	hrtimer_start(&irq->timer, ns_to_ktime(ns / 2), HRTIMER_MODE_REL_PINNED_HARD);
	busy_until(start + ns);
	while (!READ_ONCE(irq->fired))
		cpu_relax();
	took = ktime_get_ns() - start;
	preempt_enable();
	return took;
}

u64 __traced kt_outer(u64 ns, struct kt_irq *irq)
{
	return busy_with_irq(ns, irq);
}

u64 __traced kt_irq_work(u64 ns)
{
	u64 start = ktime_get_ns();

	busy_until(start + ns);
	return ktime_get_ns() - start;
}

/* From a task with an interrupt to come, from that interrupt without. */
u64 __traced kt_nest(u64 ns, struct kt_irq *irq)
{
	u64 start = ktime_get_ns();

	if (irq)
		return busy_with_irq(ns, irq);
	busy_until(start + ns);
	return ktime_get_ns() - start;
}

int __traced kt_ret(s64 value)
{
	return value;
}

void *__traced kt_ret_ptr(void *value)
{
	return value;
}

bool __traced kt_ret_bool(bool value)
{
	return value;
}

u32 __traced kt_ret_u32(u32 value)
{
	return value;
}

u64 __traced kt_ret_u64(u64 value)
{
	return value;
}

void __traced kt_void(void)
{
	barrier();
}

/* Always true, which the compiler must not know: the caller's code goes on. */
static bool exit_now = true;

void __traced kt_never_returns(struct completion *done)
{
	if (READ_ONCE(exit_now))
		kthread_complete_and_exit(done, 0);
}

static DECLARE_WAIT_QUEUE_HEAD(block_door);
static atomic_t block_count;
static unsigned int block_round;

unsigned int block_inside(void)
{
	return atomic_read(&block_count);
}

void block_release(void)
{
	WRITE_ONCE(block_round, block_round + 1);
	wake_up_all(&block_door);
}

u64 __traced kt_block(void)
{
	u64 start = ktime_get_ns();
	unsigned int round = READ_ONCE(block_round);

	atomic_inc(&block_count);
	wait_event_idle(block_door, READ_ONCE(block_round) != round);
	atomic_dec(&block_count);
	return ktime_get_ns() - start;
}

void __traced kt_start(struct kt_req *req)
{
	req->start_ns = ktime_get_ns();
}

void __traced kt_end(struct kt_req *req)
{
	barrier();
}

u64 __traced kt_args8(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h)
{
	return a + b + c + d + e + f + g + h;
}

u64 __traced kt_small(u8 a, s16 b, u32 c, u64 d)
{
	return a + b + c + d;
}

unsigned __int128 __traced kt_wide(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
	return (unsigned __int128)f << 64 | (a ^ b ^ c ^ d ^ e);
}

u64 __traced kt_struct_arg(struct two_u64 pair)
{
	return pair.a + pair.b;
}

int __traced kt_varargs(int count, ...)
{
	int sum = 0;
	va_list ap;

	va_start(ap, count);
	while (count-- > 0)
		sum += va_arg(ap, int);
	va_end(ap);
	return sum;
}

void __traced kt_key_start(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
	barrier();
}

void __traced kt_key_end(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
	barrier();
}

void __traced kt_narrow_start(u8 a, u16 b, u32 c)
{
	barrier();
}

void __traced kt_narrow_end(u8 a, u16 b, u32 c)
{
	barrier();
}

/* kt_many_00 to kt_many_99, and the table that calls them. */
/* clang-format off */
#define TEN(each, n)                                                             \
	each(n##0) each(n##1) each(n##2) each(n##3) each(n##4)                           \
	each(n##5) each(n##6) each(n##7) each(n##8) each(n##9)
#define HUNDRED(each)                                                            \
	TEN(each, 0) TEN(each, 1) TEN(each, 2) TEN(each, 3) TEN(each, 4)                 \
	TEN(each, 5) TEN(each, 6) TEN(each, 7) TEN(each, 8) TEN(each, 9)
#define MANY_DEFINE(n)                                                         \
	void kt_many_##n(u64 arg);                                             \
	void __traced kt_many_##n(u64 arg)                                     \
	{                                                                      \
	}
#define MANY_NAME(n) kt_many_##n,
/* clang-format on */

HUNDRED(MANY_DEFINE)
void (*const many_calls[KT_MANY])(u64 arg) = { HUNDRED(MANY_NAME) };
