// SPDX-License-Identifier: GPL-2.0-only
/* why_values.c - what makes slow calls slow as named values; kstats-bpf-formats(5) lists them. */
#include <math.h>

#include "report/priv.h"
#include "result/recording_json.h"

#define WHY_FORMAT "kstats-bpf why report"
#define WHY_VERSION 1

static struct json_object *why_values_part(const char *name, const struct study_part *p,
					   bool interval)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "part", name);

	err |= json_add_double(o, "slow_ns", p->slow, 0);
	err |= json_add_double(o, "ordinary_ns", p->ordinary, 0);
	err |= json_add_double(o, "difference_ns", p->slow - p->ordinary, 0);
	if (interval) {
		err |= json_add_double(o, "lo_ns", p->lo, 0);
		err |= json_add_double(o, "hi_ns", p->hi, 0);
	}
	return json_made(o, err);
}

static void why_values_parts(struct json_out *w, const struct study *s)
{
	int i;

	json_out_open(w, "parts", '[');
	json_out_push(w, why_values_part("duration", &s->whole, s->has_intervals));
	for (i = 0; s->is_split && i < KSTATS_PART_TIMES; i++)
		json_out_push(w, why_values_part(snapshot_kind_name(NULL, SNAPSHOT_RUNNING + i),
						 &s->parts[i], s->has_intervals));
	json_out_close(w, ']');
}

static void why_values_callees(struct json_out *w, const struct why *of, const struct study *s)
{
	size_t i;

	if (!s->is_divided)
		return;
	json_out_open(w, "callees", '[');
	json_out_push(w, why_values_part("duration", &s->divided, s->has_callee_intervals));
	for (i = 0; i <= of->n_callees; i++)
		json_out_push(w, why_values_part(why_callee_name(of, i), &s->callees[i],
						 s->has_callee_intervals));
	json_out_close(w, ']');
}

static struct json_object *why_values_fields(const struct study_cause *c)
{
	struct json_object *array = json_object_new_array(), *o;
	int i, err = 0;

	for (i = 0; i < c->n; i++) {
		o = json_object_new_object();
		err |= json_add_text(o, "name", c->field[i]);
		err |= json_add_text(o, "value", c->value[i]);
		err |= json_push(array, o);
	}
	return json_made(array, err);
}

static struct json_object *why_values_cause(const struct study_cause *c)
{
	struct json_object *o = json_object_new_object();
	int err = json_add(o, "fields", why_values_fields(c));

	err |= json_add_text(o, "compared",
			     c->by_time                ? "time shares"
			     : c->kind == STUDY_DURING ? "rates"
						       : "shares");
	err |= json_add(o, "named", json_object_new_boolean(c->is_named));
	err |= json_add(o, "counted", json_object_new_boolean(c->is_counted));
	err |= json_add_u64(o, "slow_calls", c->slow_calls);
	err |= json_add_u64(o, "of_slow_calls", c->of_slow);
	err |= json_add_double(o, "bursts", c->bursts, 0);
	/* Of the entry, slow calls are among them; what comes about is known of the kept ones. */
	err |= json_add_double(o, c->kind == STUDY_DURING ? "of_ordinary" : "of_all", c->others, 0);
	if (isfinite(c->ratio))
		err |= json_add_double(o, "ratio", c->ratio, 0);
	err |= json_add_double(o, "explains", c->share, 0);
	err |= json_add_double(o, "explains_lo", c->share_lo, 0);
	err |= json_add_double(o, "p", c->p, 0);
	err |= json_add_u64(o, "goes_with", c->goes_with);
	return json_made(o, err);
}

static struct json_object *why_values_place(const struct study_place *p)
{
	struct json_object *o = json_object_new_object();
	bool waits = p->part != KSTATS_PART_RUNNING;
	int err = json_add_text(o, "part", snapshot_kind_name(NULL, SNAPSHOT_RUNNING + p->part));

	err |= json_add_known(o, "in", p->frame);
	err |= json_add_double(o, "share", p->share, 0);
	if (!waits)
		return json_made(o, err | json_add_u64(o, "samples", p->ns));
	err |= json_add_u64(o, "calls", p->calls);
	err |= json_add_double(o, "sum_ns", p->ns, 0);
	err |= json_add_known(o, "woken_by", p->waker);
	err |= json_add_u64(o, "woken_calls", p->waker_calls);
	return json_made(o, err);
}

static void why_values_places(struct json_out *w, const char *key, const struct study_place *x,
			      size_t n)
{
	size_t i;

	json_out_open(w, key, '[');
	for (i = 0; i < n; i++)
		json_out_push(w, why_values_place(&x[i]));
	json_out_close(w, ']');
}

static struct json_object *why_values_about(const struct recording *rec, const struct study *s)
{
	struct json_object *o = json_object_new_object();
	const struct why *w = rec->why;
	int err = json_add_text(o, "format", WHY_FORMAT);

	err |= json_add_u64(o, "version", WHY_VERSION);
	err |= json_add_text(o, "source", rec->source);
	err |= recording_json_about(o, rec);
	err |= json_add_text(o, "name", rec->whole->nodes[w->node].name);
	err |= json_add_text(o, "what", rec->whole->nodes[w->node].what);
	if (w->no_task)
		err |= json_add(o, "task", json_object_new_boolean(false));
	err |= json_add_u64(o, "threshold_ns", w->threshold_ns);
	err |= json_add_double(o, "quantile", w->quantile, 0);
	err |= json_add_u64(o, "calls", w->n_calls);
	err |= json_add_u64(o, "slow_calls", w->n_slow);
	err |= json_add_u64(o, "slow_kept", s->n_slow);
	err |= json_add_u64(o, "ordinary_kept", s->n_ordinary);
	err |= json_add_u64(o, "bursts", s->n_bursts);
	err |= json_add_u64(o, "tried", s->n_tried);
	err |= json_add_u64(o, "named", s->n_named);
	return json_made(o, err);
}

/* The worst calls and what was lost are as in the file of a recording. */
static void why_values_kept(struct json_out *w, const struct why *of, const struct study *s)
{
	size_t i;

	json_out_open(w, "fields", '[');
	for (i = 0; i < of->n_fields; i++)
		json_out_text(w, NULL, of->fields[i].name);
	json_out_close(w, ']');
	json_out_open(w, "worst", '[');
	for (i = 0; i < s->n_worst; i++)
		json_out_push(w, why_json_call(of, &of->calls[s->worst[i]]));
	json_out_close(w, ']');
	json_out_add(w, "stacks", why_json_stacks(of));
	json_out_add(w, "lost", why_json_lost(of));
}

void report_why_values(const struct report *r, struct json_out *w)
{
	const struct recording *rec = report_recording(r);
	const struct study *s = report_why_study(r);
	size_t i;

	json_out_open(w, NULL, '{');
	json_out_members(w, why_values_about(rec, s));
	why_values_parts(w, s);
	why_values_callees(w, rec->why, s);
	json_out_open(w, "causes", '[');
	for (i = 0; i < s->n_causes; i++)
		json_out_push(w, why_values_cause(&s->causes[i]));
	json_out_close(w, ']');
	why_values_places(w, "waits", s->waits, s->n_waits);
	why_values_places(w, "runs", s->runs, s->n_runs);
	why_values_kept(w, rec->why, s);
	json_out_close(w, '}');
}
