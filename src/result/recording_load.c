// SPDX-License-Identifier: GPL-2.0-only
/*
 * recording_load.c - read what recording_save.c wrote. Nothing
 * in the input is trusted.
 */
#include "result/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/recording_json.h"
#include "result/snapshot_json.h"
#include "util/json_read.h"

int recording_read_machine(struct json_object *doc, struct recording_machine *m, struct error *e)
{
	struct json_object *o;
	uint64_t n = 0;
	int err = json_get(doc, "machine", json_type_object, &o, e);

	if (!err)
		err = json_get_text(o, "cpu", &m->cpu, e);
	if (!err)
		err = json_get_u64(o, "cpus_online", UINT32_MAX, &n, e);
	if (!err)
		err = json_get_text(o, "clock", &m->clock, e);
	if (!err)
		err = json_get_text(o, "build_id", &m->build_id, e);
	m->cpus_online = n;
	return err;
}

static int get_tag(struct tags *tags, const char *key, struct json_object *value, struct error *e)
{
	if (!tags_key_ok(key))
		return json_bad(e, "'tags' holds the key '%s'", key);
	if (!json_object_is_type(value, json_type_string))
		return json_bad(e, "the tag '%s' is not text", key);
	if (strlen(json_object_get_string(value)) != json_object_get_string_len(value))
		return json_bad(e, "the tag '%s' holds a NUL", key);
	return tags_set(tags, key, json_object_get_string(value), e);
}

int recording_read_tags(struct json_object *doc, struct tags *to, struct error *e)
{
	struct json_object *tags;
	int err = json_get(doc, "tags", json_type_object, &tags, e);

	if (!err && json_object_object_length(tags) > TAGS_MAX)
		err = json_bad(e, "'tags' holds more than %d", TAGS_MAX);
	if (err)
		return err;
	json_object_object_foreach(tags, key, value)
	{
		if (!err)
			err = get_tag(to, key, value, e);
	}
	return err;
}

static int get_about(struct json_object *doc, struct recording *r, struct error *e)
{
	uint64_t status = 0, runs = 0;
	int err = recording_read_machine(doc, &r->machine, e);

	if (!err)
		err = recording_read_tags(doc, &r->tags, e);
	if (!err)
		err = json_get_u64(doc, "status", RECORDING_STATUS_MAX, &status, e);
	if (!err)
		err = json_get_u64(doc, "runs", RECORDING_RUNS_MAX, &runs, e);
	if (!err && !runs)
		err = json_bad(e, "'runs' is 0");
	/* There may be no costs: nothing was calibrated, or an older version wrote the file. */
	if (!err && json_object_object_get_ex(doc, "calibration", NULL))
		err = costs_read(doc, &r->costs, e);
	r->status = status;
	r->runs = runs;
	return err;
}

/* ---- counts ---- */

static int get_whole(struct json_object *doc, struct recording *r, struct error *e)
{
	struct snapshot *counts, *full;
	struct json_object *o;

	if (json_get(doc, "whole", json_type_object, &o, e))
		return -EINVAL;
	counts = snapshot_read_counts(o, r->whole, e);
	if (!counts)
		return -EINVAL;
	full = snapshot_named(counts, r->whole);
	snapshot_free(counts);
	if (!full)
		return error_no_memory(e, "cannot read the file");
	snapshot_free(r->whole);
	r->whole = full;
	return 0;
}

/*
 * Sums of the slots of all intervals so far, for each node: of @levels[i] those of 2^i intervals or
 * none, so that no slot is added many times.
 */
#define LEVELS 32

struct sums {
	uint32_t n_nodes;
	struct counts **levels[LEVELS]; /* owned, with what is in them */
};

static void sums_drop(struct counts **counts, uint32_t n)
{
	while (counts && n)
		counts_drop(counts[--n]);
	free(counts);
}

static void sums_free(struct sums *s)
{
	int i;

	for (i = 0; i < LEVELS; i++)
		sums_drop(s->levels[i], s->n_nodes);
}

static int sums_join(struct counts **to, struct counts *const *from, uint32_t n)
{
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < n; i++)
		err = counts_sum(to[i], from[i], &to[i]);
	return err;
}

/* @all: to the topmost level, even if levels below are empty */
static int sums_carry(struct sums *s, struct counts **counts, bool all)
{
	int i, err = 0;

	for (i = 0; !err && i < LEVELS && (all || s->levels[i]); i++) {
		if (!s->levels[i])
			continue;
		err = sums_join(counts, s->levels[i], s->n_nodes);
		sums_drop(s->levels[i], s->n_nodes);
		s->levels[i] = NULL;
	}
	if (err) {
		sums_drop(counts, s->n_nodes);
		return err;
	}
	s->levels[all || i == LEVELS ? LEVELS - 1 : i] = counts;
	return 0;
}

static int sums_add(struct sums *s, const struct snapshot *period)
{
	struct counts **counts = calloc(s->n_nodes, sizeof(*counts));
	uint32_t i;

	if (!counts)
		return -ENOMEM;
	for (i = 0; i < s->n_nodes; i++)
		counts[i] = counts_share(period->nodes[i].counts);
	return sums_carry(s, counts, false);
}

static int sums_refuse(int err, struct error *e)
{
	if (err == -EOVERFLOW)
		return json_bad(e, "'periods' overflow in total");
	return error_no_memory(e, "cannot read the file");
}

/* If the intervals do not add up to the whole, the file was edited or damaged. */
static int sums_check(struct sums *s, const struct snapshot *whole, struct error *e)
{
	struct counts **none = calloc(s->n_nodes, sizeof(*none));
	int err = none ? sums_carry(s, none, true) : -ENOMEM;
	uint32_t i;

	if (err)
		return sums_refuse(err, e);
	for (i = 0; i < s->n_nodes; i++)
		if (!counts_same(none[i], whole->nodes[i].counts))
			return json_bad(e, "'periods' do not add up to 'whole'");
	return 0;
}

static int get_period(struct json_object *o, struct recording *r, struct sums *sums,
		      struct error *e)
{
	struct snapshot *s;
	int err;

	if (!json_object_is_type(o, json_type_object))
		return json_bad(e, "'periods' holds what is not an object");
	s = snapshot_read_counts(o, r->whole, e);
	if (!s)
		return -EINVAL;
	err = recording_add_period(r, s);
	if (!err)
		err = sums_add(sums, s);
	snapshot_free(s);
	return err ? sums_refuse(err, e) : 0;
}

/* @rest: its elements, unless all are in the document */
static int get_periods(struct json_object *doc, struct json_rest *rest, struct recording *r,
		       struct error *e)
{
	struct sums sums = { .n_nodes = r->whole->n_nodes };
	struct json_object *array, *o;
	size_t i;
	int err = json_get(doc, "periods", json_type_array, &array, e), got;

	for (i = 0; !err && i < json_object_array_length(array); i++)
		err = get_period(json_object_array_get_idx(array, i), r, &sums, e);
	while (!err && (got = json_rest_next(rest, &o, e))) {
		err = got < 0 ? got : get_period(o, r, &sums, e);
		json_object_put(o);
	}
	if (!err && r->n_periods)
		err = sums_check(&sums, r->whole, e);
	sums_free(&sums);
	return err;
}

/* Only where single calls were asked for. */
static int get_why(struct json_object *doc, struct recording *r, struct error *e)
{
	struct json_object *o;

	if (!json_object_object_get_ex(doc, "why", NULL))
		return 0;
	if (json_get(doc, "why", json_type_object, &o, e))
		return -EINVAL;
	r->why = why_read(o, r->whole->n_nodes, e);
	return r->why ? 0 : -EINVAL;
}

/* @rest: of the intervals; NULL: without counts */
static struct recording *get_all(struct json_object *doc, struct json_rest *rest, struct error *e)
{
	bool counts = rest;
	struct snapshot *s = snapshot_read_about(doc, counts, e);
	struct recording *r = s ? recording_new(s) : NULL;
	int err = 0;

	if (!s)
		return NULL;
	err = r ? get_about(doc, r, e) : error_no_memory(e, "cannot read the file");
	if (!err && counts)
		err = get_whole(doc, r, e);
	if (!err && counts)
		err = get_periods(doc, rest, r, e);
	if (!err && counts)
		err = get_why(doc, r, e);
	if (!err)
		return r;
	recording_free(r);
	return NULL;
}

struct recording *recording_read(struct json_object *doc, struct json_rest *rest, struct error *e)
{
	bool unit = json_object_object_get_ex(doc, "unit", NULL);

	if (json_check_format(doc, RECORDING_FORMAT,
			      unit ? RECORDING_VERSION_UNIT : RECORDING_VERSION, e))
		return NULL;
	return get_all(doc, rest, e);
}

struct recording *recording_load(FILE *in, struct error *e)
{
	struct json_rest rest;
	struct json_object *doc = json_read_but(in, RECORDING_PERIODS, &rest, e);
	struct recording *r = doc ? recording_read(doc, &rest, e) : NULL;

	json_object_put(doc);
	json_rest_free(&rest);
	return r;
}

struct recording *recording_read_empty(struct json_object *from, struct error *e)
{
	return get_all(from, NULL, e);
}
