/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kt.h - what the files of the test module share
 *
 * Functions to trace are named kt_*, nothing else is, so that a glob finds
 * them alone. They are defined in another file than their callers, or noipa,
 * so that each stays a symbol of its own with its own prototype.
 */
#ifndef KT_H
#define KT_H

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

#define __traced noinline __attribute__((noipa))

/* ---- the truth ------------------------------------------------------------ */

/* clang-format off */
#define TRUTH_ROWS(row)                                                        \
	row(kt_empty) row(kt_empty_inl) row(kt_static_fn) row(kt_notrace)      \
	row(kt_many) row(kt_busy) row(kt_sleep) row(kt_recurse)                \
	row(kt_migrate) row(migrated) row(kt_outer) row(kt_irq_work)           \
	row(kt_nest) row(nest_in_irq) row(kt_ret) row(kt_ret_ptr)              \
	row(kt_ret_bool) row(kt_ret_u32) row(kt_void) row(errors)              \
	row(kt_never_returns) row(kt_block) row(kt_start) row(kt_end)          \
	row(pair) row(kt_tp) row(kt_args8) row(kt_small)                       \
	row(kt_struct_arg) row(kt_varargs) row(kt_step) row(step_outer)        \
	row(kt_ret_u64) row(gap) row(kt_key_start) row(kt_key_end)             \
	row(kt_wide) row(kt_narrow_start) row(kt_narrow_end) row(kt_expr)      \
	row(step_odd) row(step_mine) row(kt_caller) row(kt_callee_once)      \
	row(kt_callee_inner) row(kt_callee_often) row(kt_callee_sleep)         \
	row(kt_callee_deep) row(kt_callee_static) row(kt_callee_pointed)       \
	row(kt_callee_hidden) row(kt_callee_last)
/* clang-format on */

enum truth_id {
#define TRUTH_ID(name) TRUTH_##name,
	TRUTH_ROWS(TRUTH_ID)
#undef TRUTH_ID
	TRUTH_COUNT
};

struct seq_file;

/* In any context. add: one call of ns; count: calls without a time. */
void truth_add(enum truth_id id, u64 ns);
void truth_count(enum truth_id id, u64 calls);
void truth_reset(void);
void truth_show(struct seq_file *seq);

/* ---- operations: args are as many numbers as the table in main.c says ------ */

#define OP_ARGS 3

int op_empty(const u64 *arg);
int op_empty_inl(const u64 *arg);
int op_static(const u64 *arg);
int op_notrace(const u64 *arg);
int op_many(const u64 *arg);
int op_busy(const u64 *arg);
int op_sleep(const u64 *arg);
int op_recurse(const u64 *arg);
int op_migrate(const u64 *arg);
int op_ret(const u64 *arg);
int op_ret_range(const u64 *arg);
int op_gap(const u64 *arg);
int op_key(const u64 *arg);
int op_args(const u64 *arg);
int op_wide(const u64 *arg);
int op_expr(const u64 *arg);
int op_pair(const u64 *arg);
int op_pair_nest(const u64 *arg);
int op_pair_lost(const u64 *arg);
int op_pair_twice(const u64 *arg);
int op_pair_missed(const u64 *arg);
int op_tp(const u64 *arg);
int op_tp_nest(const u64 *arg);

int op_irq(const u64 *arg);
int op_nest(const u64 *arg);
int op_noreturn(const u64 *arg);
int op_block(const u64 *arg);
int op_unblock(const u64 *arg);
int op_pair_cross(const u64 *arg);

int op_callees(const u64 *arg);
int op_planted(const u64 *arg);
int op_step(const u64 *arg);
int op_step_every(const u64 *arg);
int op_step_irq(const u64 *arg);
int op_step_apart(const u64 *arg);

/* How long the calls of kt_step were, as their callers saw it: rows FIRST_NS CALLS. */
void step_reset(void);
void step_show(struct seq_file *seq);

/* Runs an operation on every online CPU at once. */
int par_run(int (*run)(const u64 *arg), const u64 *arg);

/* Before each call: is there another one to make? Lets others run. */
static inline bool calls_go_on(u64 done, u64 calls, u64 every)
{
	if (done >= calls)
		return false;
	if (done % every == 0) {
		cond_resched();
		return !fatal_signal_pending(current);
	}
	return true;
}

/* What an operation returns that was to make that many calls. */
static inline int calls_result(u64 done, u64 calls)
{
	return done == calls ? 0 : -EINTR;
}

static __always_inline void busy_until(u64 end_ns)
{
	while (ktime_get_ns() < end_ns)
		cpu_relax();
}

static inline unsigned int next_cpu(unsigned int cpu)
{
	cpu = cpumask_next(cpu, cpu_online_mask);
	return cpu < nr_cpu_ids ? cpu : cpumask_first(cpu_online_mask);
}

/* ---- functions to trace: those with a time return it, in ns ---------------- */

struct two_u64 {
	u64 a;
	u64 b;
};

struct kt_req {
	u64 id;
	u64 start_ns;
};

/* An interrupt that is to land inside the call that is given this. */
struct kt_irq {
	struct hrtimer timer;
	u64 ns; /* how long the interrupt's own call is busy */
	bool fired; /* written by the interrupt, read by the call it lands in */
};

void kt_empty(u64 arg);
u64 kt_empty_inl(u64 arg);
void kt_notrace(u64 arg);
u64 kt_busy(u64 ns);
u64 kt_sleep(u64 us);
u64 kt_recurse(u32 depth, u64 ns);
u64 kt_migrate(u64 ns);
u64 kt_outer(u64 ns, struct kt_irq *irq);
u64 kt_irq_work(u64 ns);
u64 kt_nest(u64 ns, struct kt_irq *irq);
int kt_ret(s64 value);
void *kt_ret_ptr(void *value);
bool kt_ret_bool(bool value);
u32 kt_ret_u32(u32 value);
u64 kt_ret_u64(u64 value);
void kt_void(void);
void kt_never_returns(struct completion *done);
u64 kt_block(void);
void kt_start(struct kt_req *req);
void kt_end(struct kt_req *req);
u64 kt_args8(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h);
u64 kt_small(u8 a, s16 b, u32 c, u64 d);
unsigned __int128 kt_wide(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f);
u64 kt_struct_arg(struct two_u64 pair);
int kt_varargs(int count, ...);
u64 kt_caller_wide(u64 a);
u64 kt_step(struct kt_req *req, u64 ns, u64 us, u64 odd);
void kt_key_start(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f);
void kt_key_end(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f);
void kt_narrow_start(u8 a, u16 b, u32 c);
void kt_narrow_end(u8 a, u16 b, u32 c);

/* One end of a pair, with its truth. */
static inline void req_start(struct kt_req *req)
{
	kt_start(req);
	truth_count(TRUTH_kt_start, 1);
}

static inline void req_end(struct kt_req *req)
{
	u64 took = ktime_get_ns() - req->start_ns;

	kt_end(req);
	truth_count(TRUTH_kt_end, 1);
	truth_add(TRUTH_pair, took);
}

/* kt_block's door, worked by async.c. */
unsigned int block_inside(void);
void block_release(void);

#define KT_MANY 100
extern void (*const many_calls[KT_MANY])(u64 arg);

#endif
