// SPDX-License-Identifier: GPL-2.0-only
/*
 * recording_load.c - read what recording_save.c wrote. Nothing
 * in the input is trusted.
 */
#include "result/priv.h"

#include <errno.h>
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

static int get_period(struct json_object *o, struct recording *r, struct error *e)
{
	struct snapshot *s;

	if (!json_object_is_type(o, json_type_object))
		return json_bad(e, "'periods' holds what is not an object");
	s = snapshot_read_counts(o, r->whole, e);
	if (!s)
		return -EINVAL;
	return recording_keep_period(r, s) ? error_no_memory(e, "cannot read the file") : 0;
}

/* Sum of the slots of some intervals, added in pairs so that no slot is added many times. */
static int sum_periods(const struct recording *r, size_t from, size_t n, uint32_t node,
		       struct counts **sum)
{
	struct counts *a = NULL, *b = NULL;
	int err;

	if (n == 1) {
		*sum = counts_share(r->periods[from]->nodes[node].counts);
		return 0;
	}
	err = sum_periods(r, from, n / 2, node, &a);
	if (!err)
		err = sum_periods(r, from + n / 2, n - n / 2, node, &b);
	if (!err)
		err = counts_sum(a, b, sum);
	counts_drop(a);
	counts_drop(b);
	return err;
}

/* If the intervals do not add up to the whole, the file was edited or damaged. */
static int check_sum(const struct recording *r, uint32_t node, struct error *e)
{
	struct counts *sum = NULL;
	int err = sum_periods(r, 0, r->n_periods, node, &sum);

	if (err == -EOVERFLOW)
		json_bad(e, "'periods' overflow in total");
	else if (err)
		error_no_memory(e, "cannot read the file");
	else if (!counts_same(sum, r->whole->nodes[node].counts))
		err = json_bad(e, "'periods' do not add up to 'whole'");
	counts_drop(sum);
	return err;
}

static int get_periods(struct json_object *doc, struct recording *r, struct error *e)
{
	struct json_object *array;
	size_t n, i;
	uint32_t node;
	int err = json_get(doc, "periods", json_type_array, &array, e);

	n = err ? 0 : json_object_array_length(array);
	for (i = 0; !err && i < n; i++)
		err = get_period(json_object_array_get_idx(array, i), r, e);
	for (node = 0; n && !err && node < r->whole->n_nodes; node++)
		err = check_sum(r, node, e);
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

static struct recording *get_all(struct json_object *doc, bool counts, struct error *e)
{
	struct snapshot *s = snapshot_read_about(doc, counts, e);
	struct recording *r = s ? recording_new(s) : NULL;
	int err = 0;

	if (!s)
		return NULL;
	err = r ? get_about(doc, r, e) : error_no_memory(e, "cannot read the file");
	if (!err && counts)
		err = get_whole(doc, r, e);
	if (!err && counts)
		err = get_periods(doc, r, e);
	if (!err && counts)
		err = get_why(doc, r, e);
	if (!err)
		return r;
	recording_free(r);
	return NULL;
}

struct recording *recording_read(struct json_object *doc, struct error *e)
{
	bool unit = json_object_object_get_ex(doc, "unit", NULL);

	if (json_check_format(doc, RECORDING_FORMAT,
			      unit ? RECORDING_VERSION_UNIT : RECORDING_VERSION, e))
		return NULL;
	return get_all(doc, true, e);
}

struct recording *recording_load(FILE *in, struct error *e)
{
	struct json_object *doc = json_read(in, e);
	struct recording *r = doc ? recording_read(doc, e) : NULL;

	json_object_put(doc);
	return r;
}

struct recording *recording_read_empty(struct json_object *from, struct error *e)
{
	return get_all(from, false, e);
}
