// SPDX-License-Identifier: GPL-2.0-only
/*
 * snapshot_write.c - a snapshot as members of a JSON document; see json.h. Counts are written as
 * columns without empty slots, so that a run takes a few KiB.
 */
#include "result/snapshot_json.h"

#include <errno.h>

#include "result/ledger.h"
#include "result/texts.h"

const struct snapshot_text snapshot_texts[] = {
	{ "program", offsetof(struct snapshot, program), false },
	{ "kernel", offsetof(struct snapshot, kernel), false },
	{ "backend", offsetof(struct snapshot, backend), false },
	{ "backend_reason", offsetof(struct snapshot, backend_reason), false },
	{ "pairing", offsetof(struct snapshot, pairing), false },
	{ "filters", offsetof(struct snapshot, filters), false },
	{ "command", offsetof(struct snapshot, command), false },
	{ "unseen", offsetof(struct snapshot, unseen), true },
	{},
};

const struct snapshot_text snapshot_node_texts[] = {
	{ "name", offsetof(struct snapshot_node, name), false },
	{ "what", offsetof(struct snapshot_node, what), false },
	{ "method", offsetof(struct snapshot_node, method), false },
	{ "reason", offsetof(struct snapshot_node, reason), false },
	{},
};

const char *snapshot_kind_name(const struct snapshot *s, enum snapshot_kind kind)
{
	static const char *const names[] = {
		[SNAPSHOT_DURATION] = "duration", [SNAPSHOT_ERROR] = "error",
		[SNAPSHOT_GAP] = "gap",           [SNAPSHOT_UNVERIFIED] = "unverified",
		[SNAPSHOT_RUNNING] = "running",   [SNAPSHOT_RUNNABLE] = "runnable",
		[SNAPSHOT_SLEEPING] = "sleeping", [SNAPSHOT_BLOCKED] = "blocked",
		[SNAPSHOT_LEFT] = "left",         [SNAPSHOT_INTERRUPTED] = "interrupted",
		[SNAPSHOT_UNSPLIT] = "unsplit",   [SNAPSHOT_STAGE] = "stage",
		[SNAPSHOT_AGAIN] = "again",       [SNAPSHOT_SELF] = "self",
		[SNAPSHOT_CALLEE] = "callee",     [SNAPSHOT_UNDIVIDED] = "undivided",
		[SNAPSHOT_KEY] = "key",           [SNAPSHOT_OTHER] = "other",
	};

	if (kind == SNAPSHOT_DURATION && *s->unit)
		return "value";
	return kind < sizeof(names) / sizeof(*names) ? names[kind] : NULL;
}

static int add_texts(struct json_object *to, const void *of, const struct snapshot_text *row)
{
	int err = 0;

	for (; row->key; row++)
		if (!row->optional || *snapshot_text(of, row))
			err |= json_add_text(to, row->key, *snapshot_text(of, row));
	return err;
}

int snapshot_json_about(struct json_object *to, const struct snapshot *s)
{
	int err = add_texts(to, s, snapshot_texts);

	if (*s->unit)
		err |= json_add_text(to, "unit", s->unit);
	err |= json_add_u64(to, "bits", s->bits);
	err |= json_add_u64(to, "n_cpus", s->n_cpus);
	return err;
}

int snapshot_json_span(struct json_object *to, const struct snapshot_span *span)
{
	int err = json_add_u64(to, "wall_ns", span->wall_ns);

	err |= json_add_u64(to, "begin_ns", span->begin_ns);
	err |= json_add_u64(to, "end_ns", span->end_ns);
	err |= json_add(to, "final", json_object_new_boolean(span->final));
	return err;
}

static struct json_object *make_key(const struct tags *by)
{
	struct json_object *o = json_object_new_object();
	int err = 0;
	size_t i;

	for (i = 0; i < by->n; i++)
		err |= json_add_text(o, by->rows[i].key, by->rows[i].value);
	return json_made(o, err);
}

int snapshot_json_node(struct json_object *to, const struct snapshot *s, uint32_t i)
{
	const struct snapshot_node *node = &s->nodes[i];
	int err = add_texts(to, node, snapshot_node_texts);

	err |= json_add_text(to, "kind", snapshot_kind_name(s, node->kind));
	err |= json_add_u64(to, "owner", node->owner);
	if (node->by.n)
		err |= json_add(to, "by", make_key(&node->by));
	if (node->numbers.n)
		err |= json_add(to, "by_number", make_key(&node->numbers));
	return err;
}

/* ---- counts ---- */

/* One counter of all nodes; *@column is NULL if it is 0 in all of them. */
static int make_counter(const struct snapshot *s, int id, struct json_object **column)
{
	uint32_t i;
	int err = 0;

	*column = NULL;
	for (i = 0; i < s->n_nodes && !s->nodes[i].ledger[id]; i++)
		;
	if (i == s->n_nodes)
		return 0;
	*column = json_object_new_array();
	for (i = 0; i < s->n_nodes; i++)
		err |= json_push(*column, json_object_new_uint64(s->nodes[i].ledger[id]));
	return err;
}

static struct json_object *make_ledgers(const struct snapshot *s)
{
	struct json_object *o = json_object_new_object(), *column;
	int err = 0, i;

	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		err |= make_counter(s, ledger_order[i], &column);
		if (column)
			err |= json_add(o, ledger_rows[ledger_order[i]].key, column);
	}
	return json_made(o, err);
}

/* The three columns with node, CPU, and number of slots. */
struct owners {
	struct json_object *node, *cpu, *cells;
};

static int push_owner(const struct owners *o, uint32_t node, uint32_t cpu, size_t n)
{
	int err = json_push(o->node, json_object_new_uint64(node));

	err |= json_push(o->cpu, json_object_new_uint64(cpu));
	return err | json_push(o->cells, json_object_new_uint64(n));
}

static int push_node(const struct owners *o, const struct snapshot *s, uint32_t node)
{
	const struct counts *counts = s->nodes[node].counts;
	struct counts_cursor at;
	uint32_t cpu;
	size_t n;
	int err = 0;

	for (cpu = 0; !err && counts_next_cpu(counts, &cpu); cpu++) {
		at = counts_begin(counts, cpu);
		for (n = 0; counts_next(&at); n++)
			;
		err = push_owner(o, node, cpu, n);
	}
	return err;
}

static int add_owners(struct json_object *to, const struct snapshot *s)
{
	struct owners o = { json_object_new_array(), json_object_new_array(),
			    json_object_new_array() };
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < s->n_nodes; i++)
		err = push_node(&o, s, i);
	err |= json_add(to, "node", o.node);
	err |= json_add(to, "cpu", o.cpu);
	return err | json_add(to, "cells", o.cells);
}

static int add_cells(struct json_object *to, const struct snapshot *s)
{
	struct json_object *slot = json_object_new_array(), *samples = json_object_new_array();
	struct json_object *sum = json_object_new_array();
	struct counts_cursor at;
	uint32_t i;
	int err = 0;

	for (i = 0; i < s->n_nodes; i++) {
		at = counts_begin(s->nodes[i].counts, COUNTS_ALL_CPUS);
		while (!err && counts_next(&at)) {
			err |= json_push(slot, json_object_new_uint64(at.slot));
			err |= json_push(samples, json_object_new_uint64(at.count.samples));
			err |= json_push(sum, json_object_new_uint64(at.count.sum));
		}
	}
	err |= json_add(to, "slot", slot);
	err |= json_add(to, "samples", samples);
	return err | json_add(to, "sum", sum);
}

struct json_object *snapshot_json_counts(const struct snapshot *s)
{
	struct json_object *o = json_object_new_object();
	int err = snapshot_json_span(o, &s->span);

	err |= json_add(o, "ledger", make_ledgers(s));
	err |= add_owners(o, s);
	err |= add_cells(o, s);
	return json_made(o, err);
}
