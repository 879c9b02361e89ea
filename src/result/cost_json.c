// SPDX-License-Identifier: GPL-2.0-only
/* cost_json.c - write costs into a JSON document, and read them from one that is not trusted. */
#include "result/cost.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/json_read.h"

/* ---- to JSON ---- */

static struct json_object *make_figure(const struct cost_figure *f)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "median", f->median);

	err |= json_add_u64(o, "min", f->min);
	err |= json_add_u64(o, "max", f->max);
	return json_made(o, err);
}

static struct json_object *make_state(const struct cost *c, enum cost_state state)
{
	struct json_object *o = json_object_new_object();
	int err = json_add(o, "floor_ns", make_figure(&c->floor_ns[state]));

	err |= json_add(o, "added_ns", make_figure(&c->added_ns[state]));
	return json_made(o, err);
}

static struct json_object *make_cost(const struct cost *c)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "method", c->method), state;

	err |= json_add_text(o, "backend", c->backend);
	err |= json_add_text(o, "pairing", c->pairing);
	for (state = 0; state < COST_STATES; state++)
		err |= json_add(o, cost_state_name(state), make_state(c, state));
	return json_made(o, err);
}

struct json_object *costs_json(const struct costs *c)
{
	struct json_object *array = json_object_new_array();
	int err = 0;
	size_t i;

	for (i = 0; !err && i < c->n; i++)
		err = json_push(array, make_cost(&c->rows[i]));
	return json_made(array, err);
}

/* ---- from JSON ---- */

static int get_word(struct json_object *from, const char *key, char to[COST_TEXT], struct error *e)
{
	char *text = NULL;
	int err = json_get_text(from, key, &text, e);

	if (!err && (!*text || strlen(text) >= COST_TEXT))
		err = json_bad(e, "'%s' of a calibration is empty or too long", key);
	if (!err)
		strcpy(to, text);
	free(text);
	return err;
}

static int get_figure(struct json_object *from, const char *key, struct cost_figure *f,
		      struct error *e)
{
	struct json_object *o;
	int err = json_get(from, key, json_type_object, &o, e);

	if (!err)
		err = json_get_u64(o, "median", COST_NS_MAX, &f->median, e);
	if (!err)
		err = json_get_u64(o, "min", COST_NS_MAX, &f->min, e);
	if (!err)
		err = json_get_u64(o, "max", COST_NS_MAX, &f->max, e);
	if (!err && (f->min > f->median || f->median > f->max))
		err = json_bad(e, "the median of '%s' is not between its min and max", key);
	return err;
}

static int get_cost(struct json_object *from, struct cost *c, struct error *e)
{
	struct json_object *o;
	int err, state;

	if (!json_object_is_type(from, json_type_object))
		return json_bad(e, "'calibration' holds what is not an object");
	err = get_word(from, "method", c->method, e);
	if (!err)
		err = get_word(from, "backend", c->backend, e);
	if (!err)
		err = get_word(from, "pairing", c->pairing, e);
	for (state = 0; !err && state < COST_STATES; state++) {
		err = json_get(from, cost_state_name(state), json_type_object, &o, e);
		if (!err)
			err = get_figure(o, "floor_ns", &c->floor_ns[state], e);
		if (!err)
			err = get_figure(o, "added_ns", &c->added_ns[state], e);
	}
	return err;
}

int costs_read(struct json_object *from, struct costs *c, struct error *e)
{
	struct json_object *array;
	struct cost row;
	size_t i, n;
	int err = json_get(from, "calibration", json_type_array, &array, e);

	n = err ? 0 : json_object_array_length(array);
	if (n > COSTS_MAX)
		return json_bad(e, "'calibration' holds more than %d", COSTS_MAX);
	for (i = 0; !err && i < n; i++) {
		row = (struct cost){};
		err = get_cost(json_object_array_get_idx(array, i), &row, e);
		if (!err && costs_find(c, row.method, row.backend, row.pairing))
			err = json_bad(e, "'calibration' holds '%s' by '%s' twice", row.method,
				       row.pairing);
		if (!err && costs_put(c, &row))
			err = error_no_memory(e, "cannot read the file");
	}
	return err;
}
