// SPDX-License-Identifier: GPL-2.0-only
/*
 * snapshot_save.c - a snapshot as one JSON document; see snapshot.h. Slots are
 * kept as columns, empty ones left out, so that a run takes a few KiB.
 */
#include "snapshot_priv.h"

#include <errno.h>

#include "ledger.h"
#include "snapshot_json.h"

const struct snapshot_text snapshot_texts[] = {
	{ "program", offsetof(struct snapshot, program) },
	{ "kernel", offsetof(struct snapshot, kernel) },
	{ "backend", offsetof(struct snapshot, backend) },
	{ "backend_reason", offsetof(struct snapshot, backend_reason) },
	{ "pairing", offsetof(struct snapshot, pairing) },
	{ "filters", offsetof(struct snapshot, filters) },
	{ "command", offsetof(struct snapshot, command) },
	{},
};

const struct snapshot_text snapshot_node_texts[] = {
	{ "name", offsetof(struct snapshot_node, name) },
	{ "what", offsetof(struct snapshot_node, what) },
	{ "method", offsetof(struct snapshot_node, method) },
	{ "reason", offsetof(struct snapshot_node, reason) },
	{},
};

const char *snapshot_kind_name(enum snapshot_kind kind)
{
	static const char *const names[] = {
		[SNAPSHOT_DURATION] = "duration",
		[SNAPSHOT_ERROR] = "error",
		[SNAPSHOT_GAP] = "gap",
	};

	return kind < sizeof(names) / sizeof(*names) ? names[kind] : NULL;
}

static int add_texts(struct json_object *to, const void *of, const struct snapshot_text *row)
{
	int err = 0;

	for (; row->key; row++)
		err |= json_add_text(to, row->key, *snapshot_text(of, row));
	return err;
}

int snapshot_json_about(struct json_object *to, const struct snapshot *s)
{
	int err = add_texts(to, s, snapshot_texts);

	err |= json_add_u64(to, "bits", s->bits);
	err |= json_add_u64(to, "n_cpus", s->n_cpus);
	err |= json_add_u64(to, "wall_ns", s->wall_ns);
	err |= json_add_u64(to, "begin_ns", s->begin_ns);
	err |= json_add_u64(to, "end_ns", s->end_ns);
	err |= json_add(to, "final", json_object_new_boolean(s->final));
	return err;
}

int snapshot_json_node(struct json_object *to, const struct snapshot_node *node)
{
	int err = add_texts(to, node, snapshot_node_texts);

	err |= json_add_text(to, "kind", snapshot_kind_name(node->kind));
	err |= json_add_u64(to, "owner", node->owner);
	return err;
}

struct json_object *snapshot_json_ledger(const struct snapshot_node *node)
{
	struct json_object *o = json_object_new_object();
	int err = 0, i;

	for (i = 0; i < KSTATS_LEDGER_N; i++)
		err |= json_add_u64(o, ledger_rows[i].key, node->ledger[i]);
	if (!err)
		return o;
	json_object_put(o);
	return NULL;
}

/* One CPU as three columns; NULL in *@cpu_object where it counted nothing. */
static int make_cpu(const struct snapshot *s, uint32_t node, uint32_t cpu,
		    struct json_object **cpu_object)
{
	const struct kstats_slot *slots = snapshot_slots(s, node, cpu);
	struct json_object *o, *index, *samples, *sums;
	uint32_t i, n = kstats_n_slots(s->bits);
	int err = 0;

	*cpu_object = NULL;
	for (i = 0; i < n && !slots[i].samples && !slots[i].sum; i++)
		;
	if (i == n)
		return 0;
	o = json_object_new_object();
	index = json_object_new_array();
	samples = json_object_new_array();
	sums = json_object_new_array();
	for (; i < n; i++) {
		if (!slots[i].samples && !slots[i].sum)
			continue;
		err |= json_push(index, json_object_new_uint64(i));
		err |= json_push(samples, json_object_new_uint64(slots[i].samples));
		err |= json_push(sums, json_object_new_uint64(slots[i].sum));
	}
	err |= json_add_u64(o, "cpu", cpu);
	err |= json_add(o, "slots", index);
	err |= json_add(o, "samples", samples);
	err |= json_add(o, "sums", sums);
	*cpu_object = o;
	return err;
}

static struct json_object *make_node(const struct snapshot *s, uint32_t i)
{
	struct json_object *o = json_object_new_object(), *cpus = json_object_new_array(), *cpu;
	const struct snapshot_node *node = &s->nodes[i];
	int err = snapshot_json_node(o, node);
	uint32_t n;

	if (ledger_is_owner(s, i))
		err |= json_add(o, "ledger", snapshot_json_ledger(node));
	for (n = 0; !err && n < s->n_cpus; n++) {
		err = make_cpu(s, i, n, &cpu);
		if (cpu)
			err |= json_push(cpus, cpu);
	}
	err |= json_add(o, "cpus", cpus);
	if (!err)
		return o;
	json_object_put(o);
	return NULL;
}

static struct json_object *make_document(const struct snapshot *s)
{
	struct json_object *o = json_object_new_object(), *nodes = json_object_new_array();
	int err = json_add_text(o, "format", SNAPSHOT_FORMAT);
	uint32_t i;

	err |= json_add_u64(o, "version", SNAPSHOT_VERSION);
	err |= snapshot_json_about(o, s);
	for (i = 0; !err && i < s->n_nodes; i++)
		err = json_push(nodes, make_node(s, i));
	err |= json_add(o, "nodes", nodes);
	if (!err)
		return o;
	json_object_put(o);
	return NULL;
}

int snapshot_save(const struct snapshot *s, FILE *out)
{
	struct json_object *o = make_document(s);
	int err;

	if (!o)
		return -EIO;
	err = json_write_line(o, out);
	json_object_put(o);
	return err;
}
