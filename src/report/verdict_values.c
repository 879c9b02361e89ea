// SPDX-License-Identifier: GPL-2.0-only
/* verdict_values.c - results, and the series of a history, as named values. */
#include <math.h>
#include <stdlib.h>

#include "report/priv.h"
#include "util/units.h"

#define SERIES_FORMAT "kstats-bpf series"
#define SERIES_VERSION 1

/* Of a rule that is judged after each pair. */
static int verdict_add_look(struct json_object *to, const struct check_result *r)
{
	const struct compare_look *look = r->row ? &r->row->look : NULL;
	struct json_object *o;
	int err;

	if (!look || !look->last)
		return 0;
	o = json_object_new_object();
	err = json_add_u64(o, "first", look->first);
	err |= json_add_u64(o, "last", look->last);
	err |= json_add_u64(o, "pairs", look->pairs);
	err |= json_add(o, "decided", json_object_new_boolean(look->decided));
	err |= json_add(o, "hopeless", json_object_new_boolean(look->hopeless));
	err |= json_add_double(o, "confidence", 100 * r->confidence, 0);
	return err | json_add(to, "look", o);
}

static struct json_object *verdict_make_result(const struct check_result *r)
{
	struct json_object *o = json_object_new_object();
	char *methods = report_methods(r);
	int err = json_add_text(o, "name", r->name);

	err |= json_add_text(o, "rule", r->rule->text);
	err |= json_add_text(o, "verdict", check_verdict_name(r->verdict));
	err |= json_add_text(o, "why", r->why);
	err |= json_add_text(o, "next", r->next);
	err |= verdict_add_look(o, r);
	if (methods)
		err |= json_add_text(o, "methods", methods);
	free(methods);
	return json_made(o, err);
}

static struct json_object *verdict_make_set(const struct history_sets *sets, size_t i)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "name", sets->sets[i].name);

	err |= json_add_u64(o, "wall_ns", sets->sets[i].when_ns);
	err |= json_add_u64(o, "runs", sets->sets[i].n);
	err |= json_add_text(o, "role",
			     i + 1 == sets->n    ? "new"
			     : i >= sets->judged ? "base"
						 : "earlier");
	return json_made(o, err);
}

static struct json_object *verdict_make_point(const struct history_row *row,
					      const struct history_point *p)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "set", p->set);

	err |= json_add_u64(o, "runs", p->runs);
	err |= json_add_double(o, units_is_time(row->unit) ? "value_ns" : "value", exp(p->log), 0);
	return json_made(o, err);
}

/* Sets by their numbers: the step is before the first after it. */
static struct json_object *verdict_make_step(const struct history_row *row,
					     const struct history_step *s)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "before", row->points[s->at].set);

	err |= json_add_u64(o, "before_lo", row->points[s->lo].set);
	err |= json_add_u64(o, "before_hi", row->points[s->hi].set);
	err |= json_add_double(o, "confidence", HISTORY_STEP_CONFIDENCE, 0);
	err |= json_add_double(o, "change", s->change, 0);
	err |= json_add_double(o, "change_lo", s->change_lo, 0);
	err |= json_add_double(o, "change_hi", s->change_hi, 0);
	return json_made(o, err);
}

static struct json_object *verdict_make_row(const struct history_row *row)
{
	struct json_object *o = json_object_new_object(), *points = json_object_new_array();
	struct json_object *steps = json_object_new_array();
	int err = json_add_text(o, "name", row->name);
	size_t i;

	err |= json_add_text(o, "metric", row->metric);
	for (i = 0; i < row->n; i++)
		err |= json_push(points, verdict_make_point(row, &row->points[i]));
	for (i = 0; i < row->n_steps; i++)
		err |= json_push(steps, verdict_make_step(row, &row->steps[i]));
	err |= json_add(o, "points", points);
	err |= json_add(o, "steps", steps);
	return json_made(o, err);
}

static struct json_object *verdict_make_head(const struct check *c)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "format", SERIES_FORMAT);

	err |= json_add_u64(o, "version", SERIES_VERSION);
	err |= json_add_text(o, "verdict", check_verdict_name(c->verdict));
	if (*c->machines)
		err |= json_add_text(o, "machines", c->machines);
	if (*c->one_sided)
		err |= json_add_text(o, "one_sided", c->one_sided);
	return json_made(o, err | json_add_u64(o, "left_out", c->series.sets.left_out));
}

void report_verdict_values(const struct report *r, struct json_out *w)
{
	const struct check *c = r->of;
	size_t i;

	json_out_open(w, NULL, '{');
	json_out_members(w, verdict_make_head(c));
	json_out_open(w, "results", '[');
	for (i = 0; i < c->n; i++)
		json_out_push(w, verdict_make_result(&c->results[i]));
	json_out_close(w, ']');
	json_out_open(w, "sets", '[');
	for (i = 0; i < c->series.sets.n; i++)
		json_out_push(w, verdict_make_set(&c->series.sets, i));
	json_out_close(w, ']');
	json_out_open(w, "series", '[');
	for (i = 0; i < c->series.n; i++)
		json_out_push(w, verdict_make_row(&c->series.rows[i]));
	json_out_close(w, ']');
	json_out_close(w, '}');
}
