// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfetto.c - single calls as trace events in JSON, which the viewers of Perfetto and Chrome open:
 * a slice for each call that was kept, by process and thread, and in it a slice for each part. The
 * time in callees overlaps the parts, so it is on a track of its own below the thread. Calls
 * without a task may overlap: they are asynchronous slices, each with a number.
 */
#include <errno.h>
#include <stdlib.h>

#include "format/priv.h"

#define US 1e3 /* times are in microseconds */
#define OF_CALLEES 0x400000 /* added to a thread: more than the kernel has, 2^22 */

static int perfetto_head(struct json_object *o, const char *ph, const struct why_call *c)
{
	int err = json_add_text(o, "ph", ph);

	err |= json_add_u64(o, "pid", c->pid);
	return err | json_add_u64(o, "tid", c->tid);
}

static struct json_object *perfetto_slice(const struct why_call *c, const char *name,
					  const char *category, double at_ns, double ns)
{
	struct json_object *o = json_object_new_object();
	int err = perfetto_head(o, "X", c);

	err |= json_add_text(o, "name", name);
	err |= json_add_text(o, "cat", category);
	err |= json_add_double(o, "ts", at_ns / US, 0);
	err |= json_add_double(o, "dur", ns / US, 0);
	return json_made(o, err);
}

/* The innermost frame first. */
static struct json_object *perfetto_stack(const struct why_stack *s)
{
	struct json_object *array = json_object_new_array();
	uint32_t i;
	int err = 0;

	for (i = 0; i < s->n; i++)
		err |= json_push_text(array, s->frames[i]);
	return json_made(array, err);
}

static int perfetto_add_stack(struct json_object *to, const char *key, const struct why *w,
			      uint32_t stack)
{
	return stack == WHY_NO_STACK ? 0 : json_add(to, key, perfetto_stack(&w->stacks[stack]));
}

static struct json_object *perfetto_callees(const struct why *w, const struct why_call *c)
{
	struct json_object *o = json_object_new_object();
	size_t i;
	int err = 0;

	for (i = 0; i <= w->n_callees; i++)
		if (c->callee_ns[i])
			err |= json_add_u64(o, why_callee_name(w, i), c->callee_ns[i]);
	return json_made(o, err);
}

/* What else is known of a call. */
static struct json_object *perfetto_args(const struct why *w, const struct why_call *c)
{
	struct json_object *o = json_object_new_object(), *values = json_object_new_object();
	size_t f;
	int err = 0;

	if (c->cpu_begin != WHY_NO_CPU)
		err = json_add_u64(o, "cpu_begin", c->cpu_begin);
	err |= json_add_u64(o, "cpu_end", c->cpu_end);
	for (f = 0; f < w->n_fields; f++)
		if (c->values[f])
			err |= json_add_text(values, w->fields[f].name, c->values[f]);
	err |= json_add(o, "values", values);
	if (c->is_split)
		err |= json_add_u64(o, "interrupted_ns", c->part_ns[KSTATS_PART_INTERRUPTED]);
	if (c->callee_ns)
		err |= json_add(o, "callees_ns", perfetto_callees(w, c));
	if (c->wait.ns)
		err |= json_add_u64(o, "longest_wait_ns", c->wait.ns);
	if (c->wait.waker)
		err |= json_add_text(o, "woken_by", c->wait.waker);
	err |= perfetto_add_stack(o, "waits_in", w, c->wait.stack);
	err |= perfetto_add_stack(o, "woken_in", w, c->wait.waker_stack);
	err |= perfetto_add_stack(o, "called_by", w, c->caller);
	err |= perfetto_add_stack(o, "program", w, c->user_caller);
	return json_made(o, err);
}

/* When each part was is not recorded, only how long: they stand one after the other. */
static void perfetto_parts(struct json_out *out, const struct why_call *c)
{
	double at = c->start_ns;
	enum kstats_part p;

	for (p = KSTATS_PART_RUNNING; c->is_split && p <= KSTATS_PART_BLOCKED; p++) {
		if (c->part_ns[p])
			json_out_push(out,
				      perfetto_slice(c,
						     snapshot_kind_name(NULL, SNAPSHOT_RUNNING + p),
						     "part", at, c->part_ns[p]));
		at += c->part_ns[p];
	}
}

/* The call, and in it its callees and itself, one after the other: only how long is known. */
static void perfetto_divide(struct json_out *out, const char *name, const struct why *w,
			    const struct why_call *c)
{
	struct why_call below = *c;
	double at = c->start_ns;
	size_t i;

	below.tid = c->tid + OF_CALLEES;
	json_out_push(out, perfetto_slice(&below, name, c->is_slow ? "slow" : "ordinary", at,
					  c->duration_ns));
	for (i = 0; i <= w->n_callees; i++) {
		if (c->callee_ns[i])
			json_out_push(out, perfetto_slice(&below, why_callee_name(w, i), "callee",
							  at, c->callee_ns[i]));
		at += c->callee_ns[i];
	}
}

static int perfetto_by_thread(const void *a, const void *b)
{
	const struct why_call *x = *(const struct why_call *const *)a;
	const struct why_call *y = *(const struct why_call *const *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void perfetto_name_track(struct json_out *out, const struct why_call *c)
{
	struct json_object *o = json_object_new_object(), *args = json_object_new_object();
	char name[64];
	int err;

	snprintf(name, sizeof(name), "callees, thread %u", c->tid);
	err = json_add_text(args, "name", name);
	err |= json_add_text(o, "ph", "M");
	err |= json_add_u64(o, "pid", c->pid);
	err |= json_add_u64(o, "tid", c->tid + OF_CALLEES);
	err |= json_add_text(o, "name", "thread_name");
	err |= json_add(o, "args", args);
	json_out_push(out, json_made(o, err));
}

/* The names of the tracks of callees, each once. */
static int perfetto_tracks(struct json_out *out, const struct why *w)
{
	const struct why_call **calls = calloc(w->n_calls_kept + 1, sizeof(*calls));
	size_t n = 0, i;

	if (!calls)
		return -ENOMEM;
	for (i = 0; i < w->n_calls_kept; i++)
		if (w->calls[i].callee_ns)
			calls[n++] = &w->calls[i];
	qsort(calls, n, sizeof(*calls), perfetto_by_thread);
	for (i = 0; i < n; i++)
		if (!i || perfetto_by_thread(&calls[i - 1], &calls[i]))
			perfetto_name_track(out, calls[i]);
	free(calls);
	return 0;
}

/* @nth: its number */
static void perfetto_no_task(struct json_out *out, const char *name, const struct why *w,
			     size_t nth)
{
	const struct why_call *c = &w->calls[nth];
	struct json_object *o;
	int err, is_end;

	for (is_end = 0; is_end < 2; is_end++) {
		o = json_object_new_object();
		err = json_add_text(o, "ph", is_end ? "e" : "b");
		err |= json_add_u64(o, "id", nth);
		err |= json_add_u64(o, "pid", 0);
		err |= json_add_text(o, "name", name);
		err |= json_add_text(o, "cat", c->is_slow ? "slow" : "ordinary");
		err |= json_add_double(o, "ts", (c->start_ns + is_end * c->duration_ns) / US, 0);
		if (!is_end)
			err |= json_add(o, "args", perfetto_args(w, c));
		json_out_push(out, json_made(o, err));
	}
}

static void perfetto_call(struct json_out *out, const char *name, const struct why *w,
			  const struct why_call *c)
{
	struct json_object *o = perfetto_slice(c, name, c->is_slow ? "slow" : "ordinary",
					       c->start_ns, c->duration_ns);

	json_out_push(out, json_made(o, json_add(o, "args", perfetto_args(w, c))));
	perfetto_parts(out, c);
	if (c->callee_ns)
		perfetto_divide(out, name, w, c);
}

int format_perfetto(FILE *out, const struct report *r)
{
	const struct recording *rec = report_recording(r);
	const struct why *w = rec->why;
	struct json_out json = { .out = out };
	size_t i;
	int err;

	if (r->err)
		return -EIO;
	json_out_open(&json, NULL, '{');
	json_out_text(&json, "displayTimeUnit", "ns");
	json_out_open(&json, "traceEvents", '[');
	err = perfetto_tracks(&json, w);
	for (i = 0; i < w->n_calls_kept; i++)
		if (w->no_task)
			perfetto_no_task(&json, rec->whole->nodes[w->node].name, w, i);
		else
			perfetto_call(&json, rec->whole->nodes[w->node].name, w, &w->calls[i]);
	json_out_close(&json, ']');
	json_out_close(&json, '}');
	return json_out_line(&json) ? -EIO : err;
}
