// SPDX-License-Identifier: GPL-2.0-only
/* why_save.c - single calls as part of a recording: columns of numbers, and rows of calls. */
#include "result/why.h"

#include "result/dist.h"

static struct json_object *why_make_fields(const struct why *w)
{
	struct json_object *array = json_object_new_array(), *o;
	const struct why_field *f;
	int err = 0;

	for (f = w->fields; f < w->fields + w->n_fields; f++) {
		o = json_object_new_object();
		err |= json_add_text(o, "name", f->name);
		err |= json_add_u64(o, "when", f->when);
		err |= json_add(o, "counted", json_object_new_boolean(f->is_counted));
		err |= json_push(array, o);
	}
	return json_made(array, err);
}

/* A row for each value: field, calls, slow ones, text. */
static struct json_object *why_make_values(const struct why *w)
{
	struct json_object *array = json_object_new_array(), *row;
	const struct why_value *v;
	int err = 0;

	for (v = w->values; v < w->values + w->n_values; v++) {
		row = json_object_new_array();
		err |= json_push(row, json_object_new_uint64(v->field));
		err |= json_push(row, json_object_new_uint64(v->calls));
		err |= json_push(row, json_object_new_uint64(v->slow));
		err |= json_push_text(row, v->text);
		err |= json_push(array, row);
	}
	return json_made(array, err);
}

struct json_object *why_json_stacks(const struct why *w)
{
	struct json_object *array = json_object_new_array(), *o, *frames;
	const struct why_stack *s;
	uint32_t i;
	int err = 0;

	for (s = w->stacks; s < w->stacks + w->n_stacks; s++) {
		o = json_object_new_object();
		frames = json_object_new_array();
		for (i = 0; i < s->n; i++)
			err |= json_push_text(frames, s->frames[i]);
		err |= json_add(o, "user", json_object_new_boolean(s->is_user));
		err |= json_add(o, "frames", frames);
		err |= json_push(array, o);
	}
	return json_made(array, err);
}

static int why_add_stack(struct json_object *o, const char *key, uint32_t stack)
{
	return stack == WHY_NO_STACK ? 0 : json_add_u64(o, key, stack);
}

static struct json_object *why_make_wait(const struct why_call *c)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "ns", c->wait.ns);

	err |= json_add_u64(o, "part", c->wait.part);
	err |= why_add_stack(o, "stack", c->wait.stack);
	if (c->wait.waker_tid)
		err |= json_add_u64(o, "waker_tid", c->wait.waker_tid);
	if (c->wait.waker)
		err |= json_add_text(o, "waker", c->wait.waker);
	err |= why_add_stack(o, "waker_stack", c->wait.waker_stack);
	return json_made(o, err);
}

static struct json_object *why_make_numbers(const struct why_call *c)
{
	struct json_object *parts = json_object_new_array();
	int err = 0, i;

	for (i = 0; i < KSTATS_PART_TIMES; i++)
		err |= json_push(parts, json_object_new_uint64(c->part_ns[i]));
	return json_made(parts, err);
}

static struct json_object *why_make_callees(const struct why *w)
{
	struct json_object *names = json_object_new_array();
	size_t i;
	int err = 0;

	for (i = 0; i < w->n_callees; i++)
		err |= json_push_text(names, w->callees[i]);
	return json_made(names, err);
}

static struct json_object *why_make_callee_times(const struct why *w, const struct why_call *c)
{
	struct json_object *times = json_object_new_array();
	size_t i;
	int err = 0;

	for (i = 0; i <= w->n_callees; i++)
		err |= json_push(times, json_object_new_uint64(c->callee_ns[i]));
	return json_made(times, err);
}

/* JSON's null cannot be told from lack of memory, so what is not known is 0. */
static struct json_object *why_make_texts(const struct why *w, const struct why_call *c)
{
	struct json_object *values = json_object_new_array();
	size_t f;
	int err = 0;

	for (f = 0; values && f < w->n_fields; f++)
		err |= c->values[f] ? json_push_text(values, c->values[f])
				    : json_object_array_add(values, NULL);
	return json_made(values, err);
}

static struct json_object *why_make_samples(const struct why_call *c)
{
	struct json_object *samples = json_object_new_array();
	uint32_t i;
	int err = 0;

	for (i = 0; i < c->n_samples; i++)
		err |= json_push(samples, json_object_new_uint64(c->samples[i]));
	return json_made(samples, err);
}

struct json_object *why_json_call(const struct why *w, const struct why_call *c)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "start_ns", c->start_ns);

	err |= json_add_u64(o, "duration_ns", c->duration_ns);
	err |= json_add(o, "slow", json_object_new_boolean(c->is_slow));
	err |= json_add_u64(o, "pid", c->pid);
	err |= json_add_u64(o, "tid", c->tid);
	if (c->cpu_begin != WHY_NO_CPU)
		err |= json_add_u64(o, "cpu_begin", c->cpu_begin);
	err |= json_add_u64(o, "cpu_end", c->cpu_end);
	if (c->is_split)
		err |= json_add(o, "parts_ns", why_make_numbers(c));
	if (c->callee_ns)
		err |= json_add(o, "callees_ns", why_make_callee_times(w, c));
	err |= json_add(o, "values", why_make_texts(w, c));
	err |= why_add_stack(o, "caller", c->caller);
	err |= why_add_stack(o, "user_caller", c->user_caller);
	if (c->wait.ns)
		err |= json_add(o, "wait", why_make_wait(c));
	if (c->n_samples)
		err |= json_add(o, "samples", why_make_samples(c));
	return json_made(o, err);
}

static struct json_object *why_make_calls(const struct why *w)
{
	struct json_object *array = json_object_new_array();
	size_t i;
	int err = 0;

	for (i = 0; !err && i < w->n_calls_kept; i++)
		err = json_push(array, why_json_call(w, &w->calls[i]));
	return json_made(array, err);
}

struct json_object *why_json_lost(const struct why *w)
{
	struct json_object *array = json_object_new_array(), *o;
	size_t i;
	int err = 0;

	for (i = 0; i < w->n_lost; i++) {
		o = json_object_new_object();
		err |= json_add_text(o, "name", w->lost[i].name);
		err |= json_add_u64(o, "n", w->lost[i].n);
		err |= json_push(array, o);
	}
	return json_made(array, err);
}

struct json_object *why_json(const struct why *w)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "node", w->node);

	if (w->no_task)
		err |= json_add(o, "task", json_object_new_boolean(false));
	err |= json_add_u64(o, "threshold_ns", w->threshold_ns);
	err |= json_add_u64(o, "quantile_millionths", w->quantile * DIST_ONE + 0.5);
	err |= json_add_u64(o, "calls", w->n_calls);
	err |= json_add_u64(o, "slow", w->n_slow);
	if (w->n_callees)
		err |= json_add(o, "callees", why_make_callees(w));
	err |= json_add(o, "fields", why_make_fields(w));
	err |= json_add(o, "values", why_make_values(w));
	err |= json_add(o, "stacks", why_json_stacks(w));
	err |= json_add(o, "kept", why_make_calls(w));
	err |= json_add(o, "lost", why_json_lost(w));
	return json_made(o, err);
}
