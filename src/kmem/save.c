// SPDX-License-Identifier: GPL-2.0-only
/* save.c - the value as one JSON document. */
#include "kmem/priv.h"

#include <errno.h>
#include <string.h>

#include "kmem/document.h"
#include "result/recording_json.h"
#include "result/snapshot_json.h"

static uint64_t save_get_number(const void *row, const struct kmem_column *c)
{
	const void *at = (const char *)row + c->offset;
	uint32_t small;
	uint64_t n;

	if (c->size == sizeof(n)) {
		memcpy(&n, at, sizeof(n));
		return n;
	}
	memcpy(&small, at, sizeof(small));
	return small;
}

static const char *get_text(const void *row, const struct kmem_column *c)
{
	return *(char *const *)((const char *)row + c->offset);
}

static struct json_object *make_column(const char *rows, size_t n, size_t size,
				       const struct kmem_column *c)
{
	struct json_object *array = json_object_new_array();
	int err = 0;
	size_t i;

	for (i = 0; !err && i < n; i++, rows += size)
		err = c->size ? json_push(array, json_object_new_uint64(save_get_number(rows, c)))
			      : json_push_text(array, get_text(rows, c));
	return json_made(array, err);
}

static struct json_object *make_table(const struct kmem *k, const struct kmem_file_table *t)
{
	struct json_object *o = json_object_new_object();
	const char *rows = *(char *const *)((const char *)k + t->rows);
	const struct kmem_column *c;
	size_t n;
	int err = 0;

	memcpy(&n, (const char *)k + t->n, sizeof(n));
	for (c = t->columns; c->key; c++)
		err |= json_add(o, c->key, make_column(rows, n, t->size, c));
	return json_made(o, err);
}

static struct json_object *make_counts(const struct kmem *k)
{
	struct json_object *o = json_object_new_object();
	int err = 0, i;

	for (i = 0; i < KSTATS_KMEM_COUNT_N; i++)
		err |= json_add_u64(o, kmem_count_keys[i], k->counts[i]);
	return json_made(o, err);
}

static struct json_object *save_make_by(const struct kmem *k)
{
	struct json_object *array = json_object_new_array();
	unsigned int i;
	int err = 0;

	for (i = 0; i < k->n_by; i++)
		err |= json_push_text(array, k->by[i]);
	return json_made(array, err);
}

int kmem_json_about(struct json_object *to, const struct kmem *k)
{
	const struct kmem_column *c;
	int err = 0;

	for (c = kmem_members; c->key; c++) {
		if (c->size)
			err |= json_add_u64(to, c->key, save_get_number(k, c));
		else if (!c->optional || get_text(k, c))
			err |= json_add_text(to, c->key, get_text(k, c));
	}
	err |= json_add(to, "by", save_make_by(k));
	err |= json_add(to, "lifetimes", json_object_new_boolean(k->lifetimes));
	err |= recording_json_machine(to, &k->machine);
	err |= recording_json_tags(to, &k->tags);
	err |= snapshot_json_span(to, &k->span);
	return err | json_add(to, "counts", make_counts(k));
}

static struct json_object *make_document(const struct kmem *k)
{
	struct json_object *o = json_object_new_object();
	const struct kmem_file_table *t;
	int err = json_add_text(o, "format", KMEM_FORMAT);
	size_t n;

	err |= json_add_u64(o, "version", KMEM_VERSION);
	err |= kmem_json_about(o, k);
	for (t = kmem_file_tables; t->key; t++) {
		memcpy(&n, (const char *)k + t->n, sizeof(n));
		if (n || !t->optional)
			err |= json_add(o, t->key, make_table(k, t));
	}
	return json_made(o, err);
}

int kmem_save(const struct kmem *k, FILE *out, struct error *e)
{
	const struct kmem_file_table *t;
	struct json_object *o;
	size_t n;
	int err;

	for (t = kmem_file_tables; t->key; t++) {
		memcpy(&n, (const char *)k + t->n, sizeof(n));
		if (n > t->max)
			return error_set(e, EXIT_USAGE, -E2BIG,
					 "it has more rows than a file can hold",
					 "measure with a smaller --limit sites",
					 "cannot write the recording");
	}
	o = make_document(k);
	err = o ? json_write_line(o, out) : -ENOMEM;
	json_object_put(o);
	if (err)
		error_set(e, err == -ENOMEM ? EXIT_KERNEL : EXIT_USAGE, err, NULL, "make room",
			  "cannot write the recording");
	return err;
}
