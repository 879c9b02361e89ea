// SPDX-License-Identifier: GPL-2.0-only
/*
 * snapshot_read.c - read what snapshot_write.c wrote.
 * Nothing in the input is trusted: sizes are bounded before anything is
 * allocated for them, and every member is checked before it is used.
 */
#include "result/snapshot_json.h"

#include <errno.h>
#include <string.h>

#include "result/ledger.h"
#include "result/texts.h"
#include "util/json_read.h"

/*
 * A copy taken while programs run may catch a sample between its count and its
 * sum, once for each context that interrupts another on a CPU.
 */
#define TORN_SAMPLES 16

/* ---- what was measured ---- */

static int get_texts(struct json_object *from, const void *to, const struct snapshot_text *row,
		     struct error *e)
{
	int err = 0;

	for (; !err && row->key; row++)
		if (!row->optional || json_object_object_get_ex(from, row->key, NULL))
			err = json_get_text(from, row->key, snapshot_text(to, row), e);
	return err;
}

/* In the first recordings with a unit, values are called durations. */
static int get_kind(struct json_object *from, const struct snapshot *s, enum snapshot_kind *kind,
		    struct error *e)
{
	const char *name;
	struct json_object *o;
	int err = json_get(from, "kind", json_type_string, &o, e);

	if (err)
		return err;
	name = json_object_get_string(o);
	for (*kind = 0; *kind < SNAPSHOT_OTHER; ++*kind)
		if (!strcmp(snapshot_kind_name(s, *kind), name))
			return 0;
	*kind = SNAPSHOT_DURATION;
	return *s->unit && !strcmp(name, "duration") ? 0 : json_bad(e, "'kind' holds '%s'", name);
}

static int get_key(struct json_object *from, const char *member, const char *name,
		   struct tags *tags, struct error *e)
{
	struct json_object *by;
	int err = json_get(from, member, json_type_object, &by, e);

	if (err)
		return err;
	json_object_object_foreach(by, key, value)
	{
		if (!err &&
		    (!snapshot_key_ok(key) || !json_object_is_type(value, json_type_string)))
			err = json_bad(e, "'%s' of '%s' holds '%s'", member, name, key);
		if (!err)
			err = tags_set(tags, key, json_object_get_string(value), e);
	}
	return err;
}

/* Nodes of keys have one, and come behind their owners; names in it have numbers. */
static int get_keys(struct json_object *from, struct snapshot_node *node, struct error *e)
{
	struct json_object *numbers;
	int err;

	if (node->kind != SNAPSHOT_KEY)
		return 0;
	err = get_key(from, "by", node->name, &node->by, e);
	if (err || !json_object_object_get_ex(from, "by_number", &numbers))
		return err;
	return get_key(from, "by_number", node->name, &node->numbers, e);
}

static int get_node(struct json_object *from, struct snapshot *s, uint32_t i, struct error *e)
{
	struct snapshot_node *node = &s->nodes[i];
	uint64_t owner = 0;
	int err;

	if (!json_object_is_type(from, json_type_object))
		return json_bad(e, "'nodes' holds what is not an object");
	err = get_texts(from, node, snapshot_node_texts, e);
	if (!err)
		err = get_kind(from, s, &node->kind, e);
	if (!err)
		err = json_get_u64(from, "owner", s->n_nodes - 1, &owner, e);
	node->owner = owner;
	if (!err)
		err = get_keys(from, node, e);
	if (!err && node->kind == SNAPSHOT_DURATION && owner != i)
		err = json_bad(e, "'owner' of '%s' is not itself", node->name);
	return err;
}

static int get_nodes(struct json_object *array, struct snapshot *s, struct error *e)
{
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < s->n_nodes; i++)
		err = get_node(json_object_array_get_idx(array, i), s, i, e);
	for (i = 0; !err && i < s->n_nodes; i++)
		if (!ledger_is_owner(s, s->nodes[i].owner) ||
		    (s->nodes[i].kind == SNAPSHOT_KEY && s->nodes[i].owner > i))
			err = json_bad(e, "'owner' of '%s' is not a duration", s->nodes[i].name);
	return err;
}

/* Durations have none. */
static int get_unit(struct json_object *from, struct snapshot *s, struct error *e)
{
	struct json_object *o;
	const char *unit;

	if (!json_object_object_get_ex(from, "unit", NULL))
		return 0;
	if (json_get(from, "unit", json_type_string, &o, e))
		return -EINVAL;
	unit = json_object_get_string(o);
	if (!units_is_word(unit))
		return json_bad(e, "'unit' holds '%s'", unit);
	strcpy(s->unit, unit);
	return 0;
}

struct snapshot *snapshot_read_about(struct json_object *from, bool slots, struct error *e)
{
	struct json_object *nodes;
	uint64_t bits, n_cpus;
	struct snapshot *s;
	size_t n;

	if (json_get_u64(from, "bits", KSTATS_BITS_MAX, &bits, e) ||
	    json_get_u64(from, "n_cpus", SNAPSHOT_CPUS_MAX, &n_cpus, e) ||
	    json_get(from, "nodes", json_type_array, &nodes, e))
		return NULL;
	n = json_object_array_length(nodes);
	if (!n_cpus || !n || n > SNAPSHOT_NODES_MAX || n * n_cpus > SNAPSHOT_PLACES_MAX) {
		json_bad(e, "'nodes' holds %zu for %llu CPUs, which is none or too many", n,
			 (unsigned long long)n_cpus);
		return NULL;
	}
	s = snapshot_new(bits, slots ? n_cpus : 0, n);
	if (!s) {
		error_no_memory(e, "cannot read the file");
		return NULL;
	}
	if (!get_texts(from, s, snapshot_texts, e) && !get_unit(from, s, e) &&
	    !get_nodes(nodes, s, e))
		return s;
	snapshot_free(s);
	return NULL;
}

/* ---- counts ---- */

int snapshot_read_span(struct json_object *from, struct snapshot_span *span, struct error *e)
{
	struct json_object *final;
	int err = json_get_u64(from, "wall_ns", UINT64_MAX, &span->wall_ns, e);

	if (!err)
		err = json_get_u64(from, "begin_ns", UINT64_MAX, &span->begin_ns, e);
	if (!err)
		err = json_get_u64(from, "end_ns", UINT64_MAX, &span->end_ns, e);
	if (!err && span->end_ns < span->begin_ns)
		err = json_bad(e, "'end_ns' is before 'begin_ns'");
	if (!err)
		err = json_get(from, "final", json_type_boolean, &final, e);
	if (!err)
		span->final = json_object_get_boolean(final);
	return err;
}

/* @rows: number of rows, or -1 for any number. */
static int get_column(struct json_object *from, const char *key, ssize_t rows,
		      struct json_object **column, struct error *e)
{
	int err = json_get(from, key, json_type_array, column, e);
	size_t n = err ? 0 : json_object_array_length(*column);

	if (!err && rows >= 0 && n != (size_t)rows)
		err = json_bad(e, "'%s' has %zu rows and not %zd", key, n, rows);
	return err;
}

static int get_number(struct json_object *column, size_t row, const char *key, uint64_t *n,
		      struct error *e)
{
	return json_number(json_object_array_get_idx(column, row), key, UINT64_MAX, n, e);
}

static int get_counter(struct json_object *column, const char *key, struct snapshot *to,
		       const struct snapshot *like, struct error *e)
{
	int id, err = 0;
	uint32_t i;

	for (id = 0; id < KSTATS_LEDGER_N && strcmp(ledger_rows[id].key, key); id++)
		;
	if (id == KSTATS_LEDGER_N)
		return json_bad(e, "'ledger' holds '%s', which this program does not know", key);
	if (!json_object_is_type(column, json_type_array) ||
	    json_object_array_length(column) != to->n_nodes)
		return json_bad(e, "'%s' is not an array of a number for each node", key);
	for (i = 0; !err && i < to->n_nodes; i++) {
		err = get_number(column, i, key, &to->nodes[i].ledger[id], e);
		if (!err && to->nodes[i].ledger[id] && !ledger_is_owner(to, i))
			err = json_bad(e, "'%s' counts for '%s', which has no ledger", key,
				       like->nodes[i].name);
	}
	return err;
}

static int get_ledgers(struct json_object *from, struct snapshot *to, const struct snapshot *like,
		       struct error *e)
{
	struct json_object *ledger;
	int err = json_get(from, "ledger", json_type_object, &ledger, e);

	if (err)
		return err;
	json_object_object_foreach(ledger, key, column)
	{
		if (!err)
			err = get_counter(column, key, to, like, e);
	}
	return err;
}

static int check_slot(const struct snapshot *s, const struct kstats_slot *slot, uint32_t i,
		      struct error *e)
{
	uint64_t first = kstats_slot_scale(kstats_slot_first(i, s->bits), i, s->bits);
	uint64_t last = kstats_slot_scale(kstats_slot_last(i, s->bits), i, s->bits);
	uint64_t least = slot->samples > TORN_SAMPLES ? slot->samples - TORN_SAMPLES : 0;
	unsigned __int128 most = (unsigned __int128)slot->samples + TORN_SAMPLES;

	if (slot->sum < (unsigned __int128)least * first || slot->sum > most * last)
		return json_bad(e,
				"'sum' holds %llu for %llu samples of slot %u, whose values are "
				"%llu to %llu",
				(unsigned long long)slot->sum, (unsigned long long)slot->samples, i,
				(unsigned long long)first, (unsigned long long)last);
	if (!slot->samples && !slot->sum)
		return json_bad(e, "'samples' and 'sum' are 0 for slot %u", i);
	return 0;
}

/* The columns, and the position in each. */
struct columns {
	struct json_object *node, *cpu, *cells; /* a row for each CPU of each node */
	struct json_object *slot, *samples, *sum; /* a row for each cell */
	size_t n_cells;
	uint64_t place; /* smallest "node << 16 | cpu" that the next row may have */
	size_t cell;
	uint64_t total; /* samples so far */
	uint64_t total_sum; /* of the sums so far: those of keys are added up later */
	uint32_t node_at; /* the node that is being read: its ledger, its slots */
	struct counts_writer writer;
};

static int get_columns(struct json_object *from, struct columns *c, struct error *e)
{
	int err = get_column(from, "node", -1, &c->node, e);
	ssize_t rows = err ? 0 : json_object_array_length(c->node);

	if (!err)
		err = get_column(from, "cpu", rows, &c->cpu, e);
	if (!err)
		err = get_column(from, "cells", rows, &c->cells, e);
	if (!err)
		err = get_column(from, "slot", -1, &c->slot, e);
	rows = err ? 0 : json_object_array_length(c->slot);
	if (!err)
		err = get_column(from, "samples", rows, &c->samples, e);
	if (!err)
		err = get_column(from, "sum", rows, &c->sum, e);
	c->n_cells = rows;
	return err;
}

/* Read one slot of a CPU. @next: the smallest index it may have; updated. */
static int get_slot(struct columns *c, const struct snapshot *s, uint32_t cpu, uint64_t *next,
		    struct error *e)
{
	struct json_object *o = json_object_array_get_idx(c->slot, c->cell);
	struct kstats_slot slot = {};
	uint64_t i, samples, sum;
	int err = json_number(o, "slot", kstats_n_slots(s->bits) - 1, &i, e);

	if (!err && i < *next)
		err = json_bad(e, "'slot' is not ascending at %llu", (unsigned long long)i);
	if (!err)
		err = get_number(c->samples, c->cell, "samples", &samples, e);
	if (!err)
		err = get_number(c->sum, c->cell, "sum", &sum, e);
	if (err)
		return err;
	slot.samples = samples;
	slot.sum = sum;
	*next = i + 1;
	c->cell++;
	if (__builtin_add_overflow(c->total, samples, &c->total) ||
	    __builtin_add_overflow(c->total_sum, sum, &c->total_sum))
		return json_bad(e, "'samples' or 'sum' overflow in total");
	counts_add(&c->writer, cpu, i, &slot);
	return check_slot(s, &slot, i, e);
}

/* All rows of a node have been read. */
static int end_node(struct columns *c, struct snapshot *to, struct error *e)
{
	return counts_end(&c->writer, &to->nodes[c->node_at].counts)
		       ? error_no_memory(e, "cannot read the file")
		       : 0;
}

/* The cells of one CPU of one node. */
static int get_cpu(struct columns *c, size_t row, struct snapshot *to, struct error *e)
{
	uint64_t node, cpu = 0, cells = 0, place, next = 0;
	int err = json_number(json_object_array_get_idx(c->node, row), "node", to->n_nodes - 1,
			      &node, e);

	if (!err)
		err = json_number(json_object_array_get_idx(c->cpu, row), "cpu", to->n_cpus - 1,
				  &cpu, e);
	if (!err)
		err = json_number(json_object_array_get_idx(c->cells, row), "cells",
				  c->n_cells - c->cell, &cells, e);
	if (err)
		return err;
	place = node << 16 | cpu;
	if (place < c->place)
		return json_bad(e, "'node' and 'cpu' are not ascending at %llu and %llu",
				(unsigned long long)node, (unsigned long long)cpu);
	c->place = place + 1;
	if (node != c->node_at) {
		err = end_node(c, to, e);
		c->node_at = node;
	}
	while (!err && cells--)
		err = get_slot(c, to, cpu, &next, e);
	return err;
}

static int get_cells(struct columns *c, struct snapshot *to, struct error *e)
{
	size_t row;
	int err = 0;

	for (row = 0; !err && row < json_object_array_length(c->node); row++)
		err = get_cpu(c, row, to, e);
	if (!err && c->cell != c->n_cells)
		err = json_bad(e, "'cells' says %zu and there are %zu", c->cell, c->n_cells);
	return err ? err : end_node(c, to, e);
}

struct snapshot *snapshot_read_counts(struct json_object *from, const struct snapshot *like,
				      struct error *e)
{
	struct snapshot *s = NULL;
	struct columns c = {};
	int err = get_columns(from, &c, e);

	if (err)
		return NULL;
	s = snapshot_shape(like, like->n_cpus);
	err = s ? snapshot_read_span(from, &s->span, e)
		: error_no_memory(e, "cannot read the file");
	if (!err)
		err = get_ledgers(from, s, like, e);
	if (!err)
		err = get_cells(&c, s, e);
	counts_writer_free(&c.writer);
	if (!err)
		return s;
	snapshot_free(s);
	return NULL;
}
