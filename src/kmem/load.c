// SPDX-License-Identifier: GPL-2.0-only
/* load.c - read what save.c wrote. Nothing in the input is trusted. */
#include "kmem/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"
#include "kmem/document.h"
#include "kstats_slot.h"
#include "result/recording_json.h"
#include "result/snapshot_json.h"
#include "util/json_read.h"

static void put_number(void *row, const struct kmem_column *c, uint64_t n)
{
	void *at = (char *)row + c->offset;
	uint32_t small = n;

	if (c->size == sizeof(n))
		memcpy(at, &n, sizeof(n));
	else
		memcpy(at, &small, sizeof(small));
}

/* ---- what it is about ---- */

static int load_get_text(struct json_object *o, const struct kmem_column *c, char **text,
			 struct error *e)
{
	const char *s;

	if (!json_object_is_type(o, json_type_string))
		return json_bad(e, "'%s' holds what is not text", c->key);
	s = json_object_get_string(o);
	if (strlen(s) != json_object_get_string_len(o))
		return json_bad(e, "'%s' holds a NUL", c->key);
	if (c->optional && !*s)
		return 0;
	*text = strdup(s);
	return *text ? 0 : error_no_memory(e, "cannot read the file");
}

static int load_get_by(struct json_object *doc, struct kmem *k, struct error *e)
{
	const struct kmem_column text = { "by", .optional = false };
	struct json_object *array;
	int err = json_get(doc, "by", json_type_array, &array, e);
	size_t n = err ? 0 : json_object_array_length(array);

	if (n > KSTATS_BY_PARTS)
		return json_bad(e, "'by' has %zu parts and at most %d are possible", n,
				KSTATS_BY_PARTS);
	while (!err && k->n_by < n) {
		err = load_get_text(json_object_array_get_idx(array, k->n_by), &text,
				    &k->by[k->n_by], e);
		k->n_by += !err;
		if (!err && strlen(k->by[k->n_by - 1]) > EXPR_LENGTH_MAX)
			return json_bad(e, "a part of 'by' is longer than an expression may be");
	}
	return err;
}

static int get_members(struct json_object *doc, struct kmem *k, struct error *e)
{
	const struct kmem_column *c;
	uint64_t n;
	int err = 0;

	for (c = kmem_members; !err && c->key; c++) {
		if (c->optional && !json_object_object_get_ex(doc, c->key, NULL))
			continue;
		if (!c->size) {
			err = json_get_text(doc, c->key, (char **)((char *)k + c->offset), e);
			continue;
		}
		err = json_get_u64(doc, c->key, c->max, &n, e);
		if (!err)
			put_number(k, c, n);
	}
	return err;
}

static int get_counts(struct json_object *doc, struct kmem *k, struct error *e)
{
	struct json_object *o;
	int err = json_get(doc, "counts", json_type_object, &o, e), i;

	/* A counter that an older program did not have is 0. */
	for (i = 0; !err && i < KSTATS_KMEM_COUNT_N; i++)
		if (json_object_object_get_ex(o, kmem_count_keys[i], NULL))
			err = json_get_u64(o, kmem_count_keys[i], KMEM_COUNT_MAX, &k->counts[i], e);
	return err;
}

static int load_get_about(struct json_object *doc, struct kmem *k, struct error *e)
{
	struct json_object *o;
	int err = get_members(doc, k, e);

	if (!err)
		err = load_get_by(doc, k, e);
	if (!err)
		err = json_get(doc, "lifetimes", json_type_boolean, &o, e);
	if (!err)
		k->lifetimes = json_object_get_boolean(o);
	if (!err)
		err = recording_read_machine(doc, &k->machine, e);
	if (!err)
		err = recording_read_tags(doc, &k->tags, e);
	if (!err)
		err = snapshot_read_span(doc, &k->span, e);
	return err ? err : get_counts(doc, k, e);
}

/* ---- tables ---- */

static int load_get_column(struct json_object *array, char *rows, size_t size,
			   const struct kmem_column *c, struct error *e)
{
	size_t n = json_object_array_length(array), i;
	struct json_object *o;
	uint64_t number;
	int err = 0;

	for (i = 0; !err && i < n; i++, rows += size) {
		o = json_object_array_get_idx(array, i);
		if (!c->size) {
			err = load_get_text(o, c, (char **)(rows + c->offset), e);
			continue;
		}
		err = json_number(o, c->key, c->max, &number, e);
		if (!err)
			put_number(rows, c, number);
	}
	return err;
}

static int get_array(struct json_object *o, const struct kmem_column *c, struct json_object **array,
		     struct error *e)
{
	return json_get(o, c->key, json_type_array, array, e);
}

static int get_table(struct json_object *doc, struct kmem *k, const struct kmem_file_table *t,
		     struct error *e)
{
	const struct kmem_column *c = t->columns;
	struct json_object *o, *array;
	size_t n;
	void *rows;
	int err;

	if (t->optional && !json_object_object_get_ex(doc, t->key, NULL))
		return 0;
	err = json_get(doc, t->key, json_type_object, &o, e);
	if (!err)
		err = get_array(o, c, &array, e);
	n = err ? 0 : json_object_array_length(array);
	if (n > t->max)
		return json_bad(e, "'%s' holds %zu rows and at most %zu are possible", t->key, n,
				t->max);
	if (err)
		return err;
	rows = calloc(n ? n : 1, t->size);
	if (!rows)
		return error_no_memory(e, "cannot read the file");
	*(void **)((char *)k + t->rows) = rows;
	memcpy((char *)k + t->n, &n, sizeof(n));
	for (; !err && c->key; c++) {
		err = get_array(o, c, &array, e);
		if (!err && json_object_array_length(array) != n)
			err = json_bad(e, "'%s' has %zu rows and not %zu", c->key,
				       json_object_array_length(array), n);
		if (!err)
			err = load_get_column(array, rows, t->size, c, e);
	}
	return err;
}

/* ---- what must fit together ---- */

/*
 * Sums of columns must stay within 64 bits, so that no figure overflows later. Only sums of times
 * may be larger, as they are if a million objects live for six hours.
 */
struct sums {
	uint64_t count, req, alloc, lives;
};

static unsigned int load_add(uint64_t *sum, uint64_t n)
{
	return __builtin_add_overflow(*sum, n, sum);
}

static int bad_number(struct error *e, const char *what, uint32_t number, size_t n)
{
	return n ? json_bad(e, "%s holds %u and at most %zu is possible", what, number, n - 1)
		 : json_bad(e, "%s holds %u and there are none", what, number);
}

static int check_row(const struct kmem *k, const struct kmem_row *r, struct error *e)
{
	if (r->kind == KSTATS_KMEM_NONE)
		return json_bad(e, "'kind' of a row holds 0");
	if (r->site >= k->n_sites)
		return bad_number(e, "'site' of a row", r->site, k->n_sites);
	if (r->kind == KSTATS_KMEM_CACHE && r->cache >= k->n_caches)
		return bad_number(e, "'cache' of a row", r->cache, k->n_caches);
	if (r->last < r->size)
		return json_bad(e, "'last' of a row is below its 'size'");
	if (!r->count)
		return json_bad(e, "'count' of a row is 0");
	if (r->live > r->count)
		return json_bad(e, "'live' of a row is above its 'count'");
	if (r->live_req > r->req || r->live_alloc > r->alloc)
		return json_bad(e, "more bytes of a row are live than were allocated");
	return 0;
}

static int check_life(const struct kmem *k, const struct kmem_life *l, struct error *e)
{
	if (l->row >= k->n_rows && l->row != KSTATS_KMEM_NO_ROW)
		return bad_number(e, "'row' of a lifetime", l->row, k->n_rows);
	if (l->site >= k->n_sites)
		return bad_number(e, "'site' of a lifetime", l->site, k->n_sites);
	if (l->slot >= kstats_n_slots(k->bits))
		return bad_number(e, "'slot' of a lifetime", l->slot, kstats_n_slots(k->bits));
	return l->count ? 0 : json_bad(e, "'count' of a lifetime is 0");
}

/* Each period ends after the one before it, within the whole; no part is there twice. */
static int check_periods(const struct kmem *k, struct error *e)
{
	uint64_t begin = k->span.begin_ns;
	size_t i;

	for (i = 0; i < k->n_periods; begin = k->periods[i++].end_ns)
		if (k->periods[i].end_ns <= begin || k->periods[i].end_ns > k->span.end_ns)
			return json_bad(e, "'end_ns' of period %zu is out of order", i);
	for (i = 0; i < k->n_parts; i++) {
		if (k->parts[i].period >= k->n_periods)
			return bad_number(e, "'period' of a part", k->parts[i].period,
					  k->n_periods);
		if (k->parts[i].kind == KSTATS_KMEM_NONE)
			return json_bad(e, "'kind' of a part holds 0");
		if (k->parts[i].site >= k->n_sites && k->parts[i].site != KMEM_ALL_SITES)
			return bad_number(e, "'site' of a part", k->parts[i].site, k->n_sites);
		if (i && !kmem_part_compare(&k->parts[i - 1], &k->parts[i]))
			return json_bad(e, "a part is there twice");
	}
	return 0;
}

static int load_check(const struct kmem *k, struct error *e)
{
	struct sums s = {}, parts = {};
	unsigned int over = 0;
	int err = 0;
	size_t i;

	for (i = 0; i < KSTATS_KMEM_COUNT_N; i++)
		over |= load_add(&s.count, k->counts[i]) | load_add(&s.req, k->counts[i]) |
			load_add(&s.alloc, k->counts[i]);
	for (i = 0; !err && i < k->n_rows; i++) {
		err = check_row(k, &k->rows[i], e);
		over |= load_add(&s.count, k->rows[i].count) | load_add(&s.req, k->rows[i].req) |
			load_add(&s.alloc, k->rows[i].alloc);
	}
	if (!err && k->n_values != k->n_rows * k->n_by)
		err = json_bad(e, "'values' has %zu rows and not %zu", k->n_values,
			       k->n_rows * k->n_by);
	for (i = 0; !err && i < k->n_lifes; i++) {
		err = check_life(k, &k->lifes[i], e);
		over |= load_add(&s.lives, k->lifes[i].count);
	}
	for (i = 0; i < k->n_parts; i++)
		over |= load_add(&parts.count, k->parts[i].count) |
			load_add(&parts.req, k->parts[i].req) |
			load_add(&parts.alloc, k->parts[i].alloc) |
			load_add(&parts.lives, k->parts[i].live_alloc);
	for (i = 0; i < k->n_programs; i++)
		over |= load_add(&s.count, k->programs[i].skipped);
	for (i = 0; i < k->n_caches; i++)
		over |= load_add(&s.count, k->caches[i].frees);
	if (!err)
		err = check_periods(k, e);
	if (!err && !k->lifetimes && k->n_lifes)
		err = json_bad(e, "'lifes' has rows although 'lifetimes' is false");
	return err || !over ? err : json_bad(e, "its counts overflow in total");
}

bool kmem_is(struct json_object *doc)
{
	struct json_object *o;

	return json_object_object_get_ex(doc, "format", &o) &&
	       json_object_is_type(o, json_type_string) &&
	       !strcmp(json_object_get_string(o), KMEM_FORMAT);
}

struct kmem *kmem_read(struct json_object *doc, struct error *e)
{
	const struct kmem_file_table *t;
	struct kmem *k;
	int err;

	if (json_check_format(doc, KMEM_FORMAT, KMEM_VERSION, e))
		return NULL;
	k = calloc(1, sizeof(*k));
	err = k ? load_get_about(doc, k, e) : error_no_memory(e, "cannot read the file");
	for (t = kmem_file_tables; !err && t->key; t++)
		err = get_table(doc, k, t, e);
	if (!err && k->n_parts)
		qsort(k->parts, k->n_parts, sizeof(*k->parts), kmem_part_compare);
	if (!err)
		err = load_check(k, e);
	if (!err)
		return k;
	kmem_free(k);
	return NULL;
}

struct kmem *kmem_load(FILE *in, struct error *e)
{
	struct json_object *doc = json_read(in, e);
	struct kmem *k = doc ? kmem_read(doc, e) : NULL;

	json_object_put(doc);
	return k;
}
