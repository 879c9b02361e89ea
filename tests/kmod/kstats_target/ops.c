// SPDX-License-Identifier: GPL-2.0-only
/*
 * ops.c - operations that run in the writer alone
 *
 * Comes in: the numbers of a written line. Goes out: calls, and their truth.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "kt.h"

#define CREATE_TRACE_POINTS
#include "kt_trace.h"

#define SHORT_CALLS 1024 /* so many empty calls are a short time */

int op_empty(const u64 *arg)
{
	u64 i;

	for (i = 0; calls_go_on(i, arg[0], SHORT_CALLS); i++)
		kt_empty(i);
	truth_count(TRUTH_kt_empty, i);
	return calls_result(i, arg[0]);
}

int op_empty_inl(const u64 *arg)
{
	u64 i;

	for (i = 0; calls_go_on(i, arg[0], SHORT_CALLS); i++)
		kt_empty_inl(i);
	truth_count(TRUTH_kt_empty_inl, i);
	return calls_result(i, arg[0]);
}

static void __traced kt_static_fn(u64 arg)
{
}

int op_static(const u64 *arg)
{
	u64 i;

	for (i = 0; calls_go_on(i, arg[0], SHORT_CALLS); i++)
		kt_static_fn(i);
	truth_count(TRUTH_kt_static_fn, i);
	return calls_result(i, arg[0]);
}

int op_notrace(const u64 *arg)
{
	u64 i;

	for (i = 0; calls_go_on(i, arg[0], SHORT_CALLS); i++)
		kt_notrace(i);
	truth_count(TRUTH_kt_notrace, i);
	return calls_result(i, arg[0]);
}

int op_many(const u64 *arg)
{
	u64 i;
	int n;

	for (i = 0; calls_go_on(i, arg[0], SHORT_CALLS); i++)
		for (n = 0; n < KT_MANY; n++)
			many_calls[n](i);
	truth_count(TRUTH_kt_many, i * KT_MANY);
	return calls_result(i, arg[0]);
}

int op_busy(const u64 *arg)
{
	u64 i;

	for (i = 0; calls_go_on(i, arg[0], 1); i++)
		truth_add(TRUTH_kt_busy, kt_busy(arg[1]));
	return calls_result(i, arg[0]);
}

int op_sleep(const u64 *arg)
{
	u64 i;

	for (i = 0; calls_go_on(i, arg[0], 1); i++)
		truth_add(TRUTH_kt_sleep, kt_sleep(arg[1]));
	return calls_result(i, arg[0]);
}

int op_recurse(const u64 *arg)
{
	u64 i;

	if (!arg[1])
		return -EINVAL;
	for (i = 0; calls_go_on(i, arg[0], 1); i++)
		kt_recurse(arg[1], arg[2]);
	return calls_result(i, arg[0]);
}

int op_migrate(const u64 *arg)
{
	cpumask_var_t allowed;
	u64 i;

	if (!alloc_cpumask_var(&allowed, GFP_KERNEL))
		return -ENOMEM;
	cpumask_copy(allowed, current->cpus_ptr);
	/* Nobody else moves it. */
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	for (i = 0; calls_go_on(i, arg[0], 1); i++)
		truth_add(TRUTH_kt_migrate, kt_migrate(arg[1]));
	set_cpus_allowed_ptr(current, allowed);
	free_cpumask_var(allowed);
	return calls_result(i, arg[0]);
}

/* Call i of all is one of the errors, which are spread evenly. */
static bool is_error(u64 i, u64 all, u64 errors)
{
	return div64_u64((i + 1) * errors, all) != div64_u64(i * errors, all);
}

int op_ret(const u64 *arg)
{
	struct kt_req some;
	u64 i, errors = 0;

	if (arg[1] > arg[0])
		return -EINVAL;
	for (i = 0; calls_go_on(i, arg[0], SHORT_CALLS); i++) {
		bool error = is_error(i, arg[0], arg[1]);
		void *good = i % 2 ? &some : NULL;

		errors += error;
		kt_ret(error ? -EIO : (s64)(i % 2));
		kt_ret_ptr(error ? ERR_PTR(-EIO) : good);
		kt_ret_bool(!error);
		kt_ret_u32(error ? (u32)-EIO : (u32)i);
		kt_void();
	}
	truth_count(TRUTH_kt_ret, i);
	truth_count(TRUTH_kt_ret_ptr, i);
	truth_count(TRUTH_kt_ret_bool, i);
	truth_count(TRUTH_kt_ret_u32, i);
	truth_count(TRUTH_kt_void, i);
	truth_count(TRUTH_errors, errors);
	return calls_result(i, arg[0]);
}

int op_ret_range(const u64 *arg)
{
	s64 value;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0], SHORT_CALLS); i++) {
		for (value = -3; value <= 3; value++) {
			kt_ret(value);
			kt_ret_u32(value);
			kt_ret_u64(value);
		}
	}
	truth_count(TRUTH_kt_ret, 7 * i);
	truth_count(TRUTH_kt_ret_u32, 7 * i);
	truth_count(TRUTH_kt_ret_u64, 7 * i);
	return calls_result(i, arg[0]);
}

int op_gap(const u64 *arg)
{
	u64 i, end = 0;

	for (i = 0; calls_go_on(i, arg[0], 1); i++) {
		if (i) {
			busy_until(end + arg[1]);
			truth_add(TRUTH_gap, ktime_get_ns() - end);
		}
		kt_empty(i);
		end = ktime_get_ns();
		kt_empty_inl(i);
		kt_empty_inl(i);
	}
	truth_count(TRUTH_kt_empty, i);
	truth_count(TRUTH_kt_empty_inl, 2 * i);
	return calls_result(i, arg[0]);
}

/* As callers may: what lies above a narrow argument in its register is not zero. */
#define ABOVE 0xdeadbeef00000000
typedef void (*wide_call)(u64 a, u64 b, u64 c);

int op_key(const u64 *arg)
{
	wide_call start = (void *)kt_narrow_start, end = (void *)kt_narrow_end;
	u64 i, k;

	OPTIMIZER_HIDE_VAR(start);
	OPTIMIZER_HIDE_VAR(end);
	for (i = 0; calls_go_on(i, arg[0], SHORT_CALLS); i++) {
		k = 8 * i;
		kt_key_start(k, k + 1, k + 2, k + 3, k + 4, k + 5);
		kt_key_end(k + 5, k + 4, k + 3, k + 2, k + 1, k);
		start(ABOVE | 0x5500 | (u8)i, ABOVE | 0x550000 | (u16)i, ABOVE | (u32)i);
		end((u8)i, (u16)i, (u32)i);
	}
	truth_count(TRUTH_kt_key_start, i);
	truth_count(TRUTH_kt_key_end, i);
	truth_count(TRUTH_kt_narrow_start, i);
	truth_count(TRUTH_kt_narrow_end, i);
	return calls_result(i, arg[0]);
}

/* What a function takes and returns in all registers there are for it. */
int op_wide(const u64 *arg)
{
	unsigned __int128 got;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0], SHORT_CALLS); i++) {
		got = kt_wide(i, 1ULL << 60, 1ULL << 61, 1ULL << 62, 1ULL << 63, ~i);
		if ((u64)got != (i ^ 15ULL << 60) || (u64)(got >> 64) != ~i)
			return -EILSEQ;
	}
	truth_count(TRUTH_kt_wide, i);
	return calls_result(i, arg[0]);
}

int op_args(const u64 *arg)
{
	u64 i;

	for (i = 0; calls_go_on(i, arg[0], SHORT_CALLS); i++) {
		struct two_u64 pair = { .a = i, .b = ~i };

		kt_args8(i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7);
		kt_small(0xff, -1, U32_MAX, i);
		kt_struct_arg(pair);
		kt_varargs(3, 1, 2, 3);
	}
	truth_count(TRUTH_kt_args8, i);
	truth_count(TRUTH_kt_small, i);
	truth_count(TRUTH_kt_struct_arg, i);
	truth_count(TRUTH_kt_varargs, i);
	return calls_result(i, arg[0]);
}

int op_pair(const u64 *arg)
{
	struct kt_req req;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0], 1); i++) {
		req.id = i;
		req_start(&req);
		busy_until(req.start_ns + arg[1]);
		req_end(&req);
	}
	return calls_result(i, arg[0]);
}

int op_pair_nest(const u64 *arg)
{
	u64 i, depth, all = arg[1];
	struct kt_req *reqs;

	if (!all)
		return -EINVAL;
	reqs = kcalloc(all, sizeof(*reqs), GFP_KERNEL);
	if (!reqs)
		return -ENOMEM;
	for (i = 0; calls_go_on(i, arg[0], 1); i++) {
		for (depth = 0; depth < all; depth++)
			req_start(&reqs[depth]);
		while (depth-- > 0)
			req_end(&reqs[depth]);
	}
	kfree(reqs);
	return calls_result(i, arg[0]);
}

/* Each start has an address of its own, as lost requests have. */
int op_pair_lost(const u64 *arg)
{
	struct kt_req *reqs;
	u64 i;

	if (!arg[0])
		return 0;
	reqs = kvcalloc(arg[0], sizeof(*reqs), GFP_KERNEL);
	if (!reqs)
		return -ENOMEM;
	for (i = 0; calls_go_on(i, arg[0], SHORT_CALLS); i++)
		req_start(&reqs[i]);
	kvfree(reqs);
	return calls_result(i, arg[0]);
}

/* The second start is the one that the end belongs to. */
int op_pair_twice(const u64 *arg)
{
	struct kt_req req;
	u64 i;

	for (i = 0; calls_go_on(i, arg[0], 1); i++) {
		req.id = i;
		req_start(&req);
		busy_until(req.start_ns + arg[1]);
		req_start(&req);
		req_end(&req);
	}
	return calls_result(i, arg[0]);
}

static struct kt_req *missed_req;
static u64 missed_ns;

/* No kprobe is hit inside this one: an end and a start that nobody sees. */
static int missed_inside(struct kprobe *kp, struct pt_regs *regs)
{
	req_end(missed_req);
	busy_until(missed_req->start_ns + missed_ns);
	req_start(missed_req);
	return 0;
}

static void __traced missed_at(void)
{
	barrier();
}

int op_pair_missed(const u64 *arg)
{
	struct kprobe kp = { .addr = (void *)missed_at, .pre_handler = missed_inside };
	struct kt_req req;
	int err = register_kprobe(&kp);
	u64 i;

	if (err)
		return err;
	missed_req = &req;
	missed_ns = arg[1];
	for (i = 0; calls_go_on(i, arg[0], 1); i++) {
		req.id = i;
		req_start(&req);
		missed_at();
		req_end(&req);
	}
	unregister_kprobe(&kp);
	return calls_result(i, arg[0]);
}

int op_tp(const u64 *arg)
{
	u64 i, start;

	for (i = 0; calls_go_on(i, arg[0], 1); i++) {
		start = ktime_get_ns();
		trace_kt_tp_start(start);
		busy_until(start + arg[1]);
		truth_add(TRUTH_kt_tp, ktime_get_ns() - start);
		trace_kt_tp_end(start);
	}
	return calls_result(i, arg[0]);
}

int op_tp_nest(const u64 *arg)
{
	u64 i, depth;

	for (i = 0; calls_go_on(i, arg[0], 1); i++) {
		for (depth = 0; depth < arg[1]; depth++)
			trace_kt_tp_start(depth);
		while (depth-- > 0)
			trace_kt_tp_end(depth);
	}
	return calls_result(i, arg[0]);
}
