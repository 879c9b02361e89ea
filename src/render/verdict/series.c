// SPDX-License-Identifier: GPL-2.0-only
/* series.c - results, and the series of a history, for programs; see verdict.h. */
#include "render/verdict/verdict.h"

#include <errno.h>
#include <math.h>

#include "util/json.h"

#define SERIES_FORMAT "kstats-bpf series"
#define SERIES_VERSION 1

static int add_number(struct json_object *o, const char *key, double v)
{
	return isfinite(v) ? json_add(o, key, json_object_new_double(v)) : 0;
}

/* @o if nothing failed, else NULL. */
static struct json_object *made(struct json_object *o, int err)
{
	return json_made(o, err);
}

/* Of a rule that is judged after each pair. */
static int add_look(struct json_object *to, const struct check_result *r)
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
	err |= add_number(o, "confidence", 100 * r->confidence);
	return err | json_add(to, "look", o);
}

static struct json_object *make_result(const struct check_result *r)
{
	struct json_object *o = json_object_new_object();
	char methods[VERDICT_METHODS];
	int err = json_add_text(o, "name", r->name);

	err |= json_add_text(o, "rule", r->rule->text);
	err |= json_add_text(o, "verdict", check_verdict_name(r->verdict));
	err |= json_add_text(o, "why", r->why);
	err |= json_add_text(o, "next", r->next);
	err |= add_look(o, r);
	if (verdict_methods(r, methods))
		err |= json_add_text(o, "methods", methods);
	return made(o, err);
}

static struct json_object *make_set(const struct history_sets *sets, size_t i)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "name", sets->sets[i].name);

	err |= json_add_u64(o, "wall_ns", sets->sets[i].when_ns);
	err |= json_add_u64(o, "runs", sets->sets[i].n);
	err |= json_add_text(o, "role",
			     i + 1 == sets->n    ? "new"
			     : i >= sets->judged ? "base"
						 : "earlier");
	return made(o, err);
}

static struct json_object *make_point(const struct history_row *row, const struct history_point *p)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "set", p->set);

	err |= json_add_u64(o, "runs", p->runs);
	err |= add_number(o, units_is_time(row->unit) ? "value_ns" : "value", exp(p->log));
	return made(o, err);
}

/* Sets by their numbers: the step is before the first after it. */
static struct json_object *make_step(const struct history_row *row, const struct history_step *s)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "before", row->points[s->at].set);

	err |= json_add_u64(o, "before_lo", row->points[s->lo].set);
	err |= json_add_u64(o, "before_hi", row->points[s->hi].set);
	err |= add_number(o, "confidence", HISTORY_STEP_CONFIDENCE);
	err |= add_number(o, "change", s->change);
	err |= add_number(o, "change_lo", s->change_lo);
	err |= add_number(o, "change_hi", s->change_hi);
	return made(o, err);
}

static struct json_object *make_row(const struct history_row *row)
{
	struct json_object *o = json_object_new_object(), *points = json_object_new_array();
	struct json_object *steps = json_object_new_array();
	int err = json_add_text(o, "name", row->name);
	size_t i;

	err |= json_add_text(o, "metric", row->metric);
	for (i = 0; i < row->n; i++)
		err |= json_push(points, make_point(row, &row->points[i]));
	for (i = 0; i < row->n_steps; i++)
		err |= json_push(steps, make_step(row, &row->steps[i]));
	err |= json_add(o, "points", points);
	err |= json_add(o, "steps", steps);
	return made(o, err);
}

int verdict_series(FILE *out, const struct check *c, const struct compare_set *runs)
{
	struct json_object *o = json_object_new_object(), *results = json_object_new_array();
	struct json_object *sets = json_object_new_array(), *series = json_object_new_array();
	int err = json_add_text(o, "format", SERIES_FORMAT);
	size_t i;

	err |= json_add_u64(o, "version", SERIES_VERSION);
	err |= json_add_text(o, "verdict", check_verdict_name(c->verdict));
	for (i = 0; i < c->n; i++)
		err |= json_push(results, make_result(&c->results[i]));
	for (i = 0; i < c->series.sets.n; i++)
		err |= json_push(sets, make_set(&c->series.sets, i));
	for (i = 0; i < c->series.n; i++)
		err |= json_push(series, make_row(&c->series.rows[i]));
	err |= json_add_u64(o, "left_out", c->series.sets.left_out);
	err |= json_add(o, "results", results);
	err |= json_add(o, "sets", sets);
	err |= json_add(o, "series", series);
	if (!err)
		err = json_write_line(o, out);
	json_object_put(o);
	return err ? -EIO : 0;
}
