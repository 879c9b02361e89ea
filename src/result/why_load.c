// SPDX-License-Identifier: GPL-2.0-only
/* why_load.c - read what why_save.c wrote. Nothing in the input is trusted. */
#include "result/why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/dist.h"
#include "util/json_read.h"

/* Room for the rows of an array, which is allocated only after its length was checked. */
static int why_rows(struct json_object *from, const char *key, size_t max, size_t size,
		    struct json_object **array, size_t *n, void *rows, struct error *e)
{
	int err = json_get(from, key, json_type_array, array, e);
	size_t length = err ? 0 : json_object_array_length(*array);

	if (err)
		return err;
	if (length > max)
		return json_bad(e, "'%s' holds more than %zu", key, max);
	*(void **)rows = calloc(length + 1, size);
	if (!*(void **)rows)
		return error_no_memory(e, "cannot read the file");
	*n = length;
	return 0;
}

static int why_row(struct json_object *array, size_t i, enum json_type type, const char *key,
		   struct json_object **o, struct error *e)
{
	*o = json_object_array_get_idx(array, i);
	return json_object_is_type(*o, type)
		       ? 0
		       : json_bad(e, "'%s' holds what is not an %s", key, json_type_to_name(type));
}

static int why_get_bool(struct json_object *from, const char *key, bool *to, struct error *e)
{
	struct json_object *o;
	int err = json_get(from, key, json_type_boolean, &o, e);

	*to = !err && json_object_get_boolean(o);
	return err;
}

/* A text of an array, without a NUL. */
static int why_copy_text(struct json_object *o, const char *key, char **to, struct error *e)
{
	if (!json_object_is_type(o, json_type_string))
		return json_bad(e, "'%s' holds what is not text", key);
	if (strlen(json_object_get_string(o)) != (size_t)json_object_get_string_len(o))
		return json_bad(e, "'%s' holds a NUL", key);
	*to = strdup(json_object_get_string(o));
	return *to ? 0 : error_no_memory(e, "cannot read the file");
}

static int why_get_u32(struct json_object *from, const char *key, uint32_t max, uint32_t *to,
		       struct error *e)
{
	uint64_t n = 0;
	int err = json_get_u64(from, key, max, &n, e);

	*to = n;
	return err;
}

/* ---- callees, fields and values ---- */

static int why_get_callees(struct json_object *from, struct why *w, struct error *e)
{
	struct json_object *names;
	size_t i;
	int err;

	if (!json_object_object_get_ex(from, "callees", NULL))
		return 0;
	err = why_rows(from, "callees", WHY_CALLEES_MAX, sizeof(*w->callees), &names, &w->n_callees,
		       &w->callees, e);
	for (i = 0; !err && i < w->n_callees; i++)
		err = why_copy_text(json_object_array_get_idx(names, i), "callees", &w->callees[i],
				    e);
	return err;
}

static int why_get_fields(struct json_object *from, struct why *w, struct error *e)
{
	struct json_object *array, *o;
	uint32_t when;
	size_t i;
	int err = why_rows(from, "fields", WHY_FIELDS_MAX, sizeof(*w->fields), &array, &w->n_fields,
			   &w->fields, e);

	for (i = 0; !err && i < w->n_fields; i++) {
		err = why_row(array, i, json_type_object, "fields", &o, e);
		if (!err)
			err = json_get_text(o, "name", &w->fields[i].name, e);
		if (!err)
			err = why_get_u32(o, "when", WHY_SHOWN, &when, e);
		if (!err)
			err = why_get_bool(o, "counted", &w->fields[i].is_counted, e);
		if (!err)
			w->fields[i].when = when;
	}
	return err;
}

static int why_get_value(struct json_object *row, const struct why *w, struct why_value *v,
			 struct error *e)
{
	uint64_t n = 0;
	int err;

	if (json_object_array_length(row) != 4)
		return json_bad(e, "a row of 'values' has not 4 columns");
	err = json_number(json_object_array_get_idx(row, 0), "values", UINT32_MAX, &n, e);
	if (!err && n >= w->n_fields)
		err = json_bad(e, "'values' are of a field that is not there");
	v->field = n;
	if (!err)
		err = json_number(json_object_array_get_idx(row, 1), "values", w->n_calls,
				  &v->calls, e);
	if (!err)
		err = json_number(json_object_array_get_idx(row, 2), "values",
				  v->calls < w->n_slow ? v->calls : w->n_slow, &v->slow, e);
	return err ? err : why_copy_text(json_object_array_get_idx(row, 3), "values", &v->text, e);
}

/* The values of a field cannot have more calls than there were. */
static int why_check_values(const struct why *w, struct error *e)
{
	uint64_t calls[WHY_FIELDS_MAX] = {}, slow[WHY_FIELDS_MAX] = {};
	const struct why_value *v;

	for (v = w->values; v < w->values + w->n_values; v++) {
		if (v > w->values && v->field < v[-1].field)
			return json_bad(e, "'values' are not by field");
		if (v->calls > w->n_calls - calls[v->field] || v->slow > w->n_slow - slow[v->field])
			return json_bad(e, "'values' are of more calls than there were");
		calls[v->field] += v->calls;
		slow[v->field] += v->slow;
	}
	return 0;
}

static int why_get_values(struct json_object *from, struct why *w, struct error *e)
{
	struct json_object *array, *row;
	size_t i;
	int err = why_rows(from, "values", WHY_VALUES_MAX, sizeof(*w->values), &array, &w->n_values,
			   &w->values, e);

	for (i = 0; !err && i < w->n_values; i++) {
		err = why_row(array, i, json_type_array, "values", &row, e);
		if (!err)
			err = why_get_value(row, w, &w->values[i], e);
	}
	return err ? err : why_check_values(w, e);
}

/* ---- stacks ---- */

static int why_get_stack(struct json_object *o, struct why_stack *s, struct error *e)
{
	struct json_object *frames;
	size_t n = 0, i;
	int err = why_get_bool(o, "user", &s->is_user, e);

	if (!err)
		err = why_rows(o, "frames", WHY_FRAMES_MAX, sizeof(*s->frames), &frames, &n,
			       &s->frames, e);
	s->n = n;
	for (i = 0; !err && i < n; i++)
		err = why_copy_text(json_object_array_get_idx(frames, i), "frames", &s->frames[i],
				    e);
	return err;
}

static int why_get_stacks(struct json_object *from, struct why *w, struct error *e)
{
	struct json_object *array, *o;
	size_t i;
	int err = why_rows(from, "stacks", WHY_STACKS_MAX, sizeof(*w->stacks), &array, &w->n_stacks,
			   &w->stacks, e);

	for (i = 0; !err && i < w->n_stacks; i++) {
		err = why_row(array, i, json_type_object, "stacks", &o, e);
		if (!err)
			err = why_get_stack(o, &w->stacks[i], e);
	}
	return err;
}

static int why_check_stack(const struct why *w, uint64_t n, uint32_t *to, struct error *e)
{
	*to = n;
	return n < w->n_stacks ? 0 : json_bad(e, "'kept' names a stack that is not there");
}

/* A stack that may be missing. */
static int why_get_stack_of(struct json_object *o, const char *key, const struct why *w,
			    uint32_t *to, struct error *e)
{
	uint64_t n = 0;
	int err;

	*to = WHY_NO_STACK;
	if (!json_object_object_get_ex(o, key, NULL))
		return 0;
	err = json_get_u64(o, key, UINT32_MAX, &n, e);
	return err ? err : why_check_stack(w, n, to, e);
}

/* ---- calls ---- */

/* The parts of a duration add up to it; interrupts are part of running. */
static int why_get_parts(struct json_object *o, struct why_call *c, struct error *e)
{
	struct json_object *parts;
	uint64_t left = c->duration_ns;
	int i, err;

	if (!json_object_object_get_ex(o, "parts_ns", NULL))
		return 0;
	err = json_get(o, "parts_ns", json_type_array, &parts, e);
	if (!err && json_object_array_length(parts) != KSTATS_PART_TIMES)
		err = json_bad(e, "'parts_ns' has not %d numbers", KSTATS_PART_TIMES);
	for (i = 0; !err && i < KSTATS_PART_TIMES; i++) {
		err = json_number(json_object_array_get_idx(parts, i), "parts_ns",
				  i == KSTATS_PART_INTERRUPTED ? c->part_ns[KSTATS_PART_RUNNING]
							       : left,
				  &c->part_ns[i], e);
		if (!err && i != KSTATS_PART_INTERRUPTED)
			left -= c->part_ns[i];
	}
	if (!err && left)
		err = json_bad(e, "'parts_ns' do not add up to the duration");
	c->is_split = !err;
	return err;
}

/* Times in callees and in the call itself add up to its duration. */
static int why_get_callee_times(struct json_object *o, const struct why *w, struct why_call *c,
				struct error *e)
{
	struct json_object *times;
	uint64_t left = c->duration_ns;
	size_t n = 0, i;
	int err;

	if (!json_object_object_get_ex(o, "callees_ns", NULL))
		return 0;
	err = why_rows(o, "callees_ns", w->n_callees + 1, sizeof(*c->callee_ns), &times, &n,
		       &c->callee_ns, e);
	if (!err && (!w->n_callees || n != w->n_callees + 1))
		err = json_bad(e, "'callees_ns' is not a number for each callee and one more");
	for (i = 0; !err && i < n; i++) {
		err = json_number(json_object_array_get_idx(times, i), "callees_ns", left,
				  &c->callee_ns[i], e);
		left -= c->callee_ns[i];
	}
	return !err && left ? json_bad(e, "'callees_ns' do not add up to the duration") : err;
}

static int why_get_wait(struct json_object *o, const struct why *w, struct why_call *c,
			struct error *e)
{
	struct json_object *wait;
	uint32_t part = 0;
	int err;

	c->wait.stack = c->wait.waker_stack = WHY_NO_STACK;
	if (!json_object_object_get_ex(o, "wait", NULL))
		return 0;
	err = json_get(o, "wait", json_type_object, &wait, e);
	if (!err)
		err = json_get_u64(wait, "ns", c->duration_ns, &c->wait.ns, e);
	if (!err)
		err = why_get_u32(wait, "part", KSTATS_PART_BLOCKED, &part, e);
	if (!err && part < KSTATS_PART_RUNNABLE)
		err = json_bad(e, "'part' of a wait is on the processor");
	c->wait.part = part;
	if (!err)
		err = why_get_stack_of(wait, "stack", w, &c->wait.stack, e);
	if (!err && json_object_object_get_ex(wait, "waker_tid", NULL))
		err = why_get_u32(wait, "waker_tid", UINT32_MAX, &c->wait.waker_tid, e);
	if (!err && json_object_object_get_ex(wait, "waker", NULL))
		err = json_get_text(wait, "waker", &c->wait.waker, e);
	return err ? err : why_get_stack_of(wait, "waker_stack", w, &c->wait.waker_stack, e);
}

static int why_get_texts(struct json_object *o, const struct why *w, struct why_call *c,
			 struct error *e)
{
	struct json_object *values, *v;
	size_t f;
	int err = json_get(o, "values", json_type_array, &values, e);

	/* why_free() looks at all n_fields of them. */
	if (!err && json_object_array_length(values) != w->n_fields)
		err = json_bad(e, "'values' of a call are not one for each field");
	if (!err && !(c->values = calloc(w->n_fields + 1, sizeof(*c->values))))
		err = error_no_memory(e, "cannot read the file");
	for (f = 0; !err && f < w->n_fields; f++) {
		v = json_object_array_get_idx(values, f);
		if (v)
			err = why_copy_text(v, "values", &c->values[f], e);
	}
	return err;
}

static int why_get_samples(struct json_object *o, const struct why *w, struct why_call *c,
			   struct error *e)
{
	struct json_object *samples;
	size_t n = 0, i;
	uint64_t stack = 0;
	int err;

	if (!json_object_object_get_ex(o, "samples", NULL))
		return 0;
	err = why_rows(o, "samples", WHY_SAMPLES_MAX, sizeof(*c->samples), &samples, &n,
		       &c->samples, e);
	c->n_samples = n;
	for (i = 0; !err && i < n; i++) {
		err = json_number(json_object_array_get_idx(samples, i), "samples", UINT32_MAX,
				  &stack, e);
		if (!err)
			err = why_check_stack(w, stack, &c->samples[i], e);
	}
	return err;
}

static int why_get_numbers(struct json_object *o, const struct why *w, struct why_call *c,
			   struct error *e)
{
	int err = json_get_u64(o, "start_ns", UINT64_MAX / 2, &c->start_ns, e);

	if (!err)
		err = json_get_u64(o, "duration_ns", UINT64_MAX / 4, &c->duration_ns, e);
	if (!err)
		err = why_get_bool(o, "slow", &c->is_slow, e);
	if (!err)
		err = why_get_u32(o, "pid", UINT32_MAX, &c->pid, e);
	if (!err)
		err = why_get_u32(o, "tid", UINT32_MAX, &c->tid, e);
	c->cpu_begin = WHY_NO_CPU;
	if (!err && json_object_object_get_ex(o, "cpu_begin", NULL))
		err = why_get_u32(o, "cpu_begin", UINT32_MAX, &c->cpu_begin, e);
	return err ? err : why_get_u32(o, "cpu_end", UINT32_MAX, &c->cpu_end, e);
}

static int why_get_call(struct json_object *o, const struct why *w, struct why_call *c,
			struct error *e)
{
	int err = why_get_numbers(o, w, c, e);

	if (!err)
		err = why_get_parts(o, c, e);
	if (!err)
		err = why_get_callee_times(o, w, c, e);
	if (!err)
		err = why_get_texts(o, w, c, e);
	if (!err)
		err = why_get_stack_of(o, "caller", w, &c->caller, e);
	if (!err)
		err = why_get_stack_of(o, "user_caller", w, &c->user_caller, e);
	if (!err)
		err = why_get_wait(o, w, c, e);
	return err ? err : why_get_samples(o, w, c, e);
}

static int why_get_calls(struct json_object *from, struct why *w, struct error *e)
{
	struct json_object *array, *o;
	size_t i;
	int err = why_rows(from, "kept", WHY_CALLS_MAX, sizeof(*w->calls), &array, &w->n_calls_kept,
			   &w->calls, e);

	for (i = 0; !err && i < w->n_calls_kept; i++) {
		err = why_row(array, i, json_type_object, "kept", &o, e);
		if (!err)
			err = why_get_call(o, w, &w->calls[i], e);
		if (!err && i && w->calls[i].start_ns < w->calls[i - 1].start_ns)
			err = json_bad(e, "'kept' is not by time");
	}
	return err;
}

/* ---- all of it ---- */

static int why_get_lost(struct json_object *from, struct why *w, struct error *e)
{
	struct json_object *array, *o;
	size_t i;
	int err = why_rows(from, "lost", WHY_FIELDS_MAX, sizeof(*w->lost), &array, &w->n_lost,
			   &w->lost, e);

	for (i = 0; !err && i < w->n_lost; i++) {
		err = why_row(array, i, json_type_object, "lost", &o, e);
		if (!err)
			err = json_get_text(o, "name", &w->lost[i].name, e);
		if (!err)
			err = json_get_u64(o, "n", UINT64_MAX, &w->lost[i].n, e);
	}
	return err;
}

static int why_get_head(struct json_object *from, uint32_t nodes, struct why *w, struct error *e)
{
	uint64_t millionths = 0;
	int err = nodes ? why_get_u32(from, "node", nodes - 1, &w->node, e)
			: json_bad(e, "single calls are of no distribution");
	bool task = true;

	if (!err && json_object_object_get_ex(from, "task", NULL))
		err = why_get_bool(from, "task", &task, e);
	w->no_task = !task;
	if (!err)
		err = json_get_u64(from, "threshold_ns", UINT64_MAX, &w->threshold_ns, e);
	if (!err)
		err = json_get_u64(from, "quantile_millionths", DIST_ONE, &millionths, e);
	if (!err)
		err = json_get_u64(from, "calls", UINT64_MAX, &w->n_calls, e);
	w->quantile = (double)millionths / DIST_ONE;
	return err ? err : json_get_u64(from, "slow", w->n_calls, &w->n_slow, e);
}

struct why *why_read(struct json_object *from, uint32_t nodes, struct error *e)
{
	struct why *w = calloc(1, sizeof(*w));
	int err = w ? why_get_head(from, nodes, w, e) : error_no_memory(e, "cannot read the file");

	if (!err)
		err = why_get_callees(from, w, e);
	if (!err)
		err = why_get_fields(from, w, e);
	if (!err)
		err = why_get_values(from, w, e);
	if (!err)
		err = why_get_stacks(from, w, e);
	if (!err)
		err = why_get_calls(from, w, e);
	if (!err)
		err = why_get_lost(from, w, e);
	if (!err)
		return w;
	why_free(w);
	return NULL;
}
