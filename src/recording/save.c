// SPDX-License-Identifier: GPL-2.0-only
/* save.c - a recording as one JSON document. */
#include "recording/priv.h"

#include <errno.h>

#include "recording/json.h"
#include "snapshot/json.h"

static struct json_object *make_machine(const struct recording_machine *m)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "cpu", m->cpu);

	err |= json_add_u64(o, "cpus_online", m->cpus_online);
	err |= json_add_text(o, "clock", m->clock);
	err |= json_add_text(o, "build_id", m->build_id);
	return json_made(o, err);
}

static struct json_object *make_tags(const struct tags *tags)
{
	struct json_object *o = json_object_new_object();
	int err = 0;
	size_t i;

	for (i = 0; i < tags->n; i++)
		err |= json_add_text(o, tags->rows[i].key, tags->rows[i].value);
	return json_made(o, err);
}

int recording_json_machine(struct json_object *to, const struct recording_machine *m)
{
	return json_add(to, "machine", make_machine(m));
}

int recording_json_tags(struct json_object *to, const struct tags *tags)
{
	return json_add(to, "tags", make_tags(tags));
}

int recording_json_about(struct json_object *to, const struct recording *r)
{
	int err = snapshot_json_about(to, r->whole);

	err |= recording_json_machine(to, &r->machine);
	err |= recording_json_tags(to, &r->tags);
	err |= json_add_u64(to, "status", r->status);
	err |= json_add_u64(to, "runs", r->runs);
	if (r->costs.n)
		err |= json_add(to, "calibration", costs_json(&r->costs));
	return err;
}

static struct json_object *make_nodes(const struct snapshot *s)
{
	struct json_object *nodes = json_object_new_array(), *node;
	int err = 0;
	uint32_t i;

	for (i = 0; !err && i < s->n_nodes; i++) {
		node = json_object_new_object();
		err = snapshot_json_node(node, s, i);
		err |= json_push(nodes, node);
	}
	return json_made(nodes, err);
}

int recording_json_empty(struct json_object *to, const struct recording *r)
{
	return recording_json_about(to, r) | json_add(to, "nodes", make_nodes(r->whole));
}

static struct json_object *make_periods(const struct recording *r)
{
	struct json_object *periods = json_object_new_array();
	int err = 0;
	size_t i;

	for (i = 0; !err && i < r->n_periods; i++)
		err = json_push(periods, snapshot_json_counts(r->periods[i]));
	return json_made(periods, err);
}

static struct json_object *make_document(const struct recording *r)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "format", RECORDING_FORMAT);

	err |= json_add_u64(o, "version",
			    *r->whole->unit ? RECORDING_VERSION_UNIT : RECORDING_VERSION);
	err |= recording_json_empty(o, r);
	err |= json_add(o, "whole", snapshot_json_counts(r->whole));
	err |= json_add(o, "periods", make_periods(r));
	return json_made(o, err);
}

static size_t count_slots(const struct snapshot *s)
{
	size_t n = 0;
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++)
		n += counts_slots(s->nodes[i].counts);
	return n;
}

static size_t count_all(const struct recording *r)
{
	size_t n = count_slots(r->whole), i;

	for (i = 0; i < r->n_periods; i++)
		n += count_slots(r->periods[i]);
	return n;
}

int recording_save(const struct recording *r, FILE *out, struct error *e)
{
	struct json_object *o;
	int err;

	if (count_all(r) > RECORDING_SLOTS_MAX)
		return error_set(e, EXIT_USAGE, -E2BIG, "it has more slots than a file can hold",
				 "measure fewer functions, or with fewer bits",
				 "cannot write the recording");
	o = make_document(r);
	err = o ? json_write_line(o, out) : -ENOMEM;
	json_object_put(o);
	if (err)
		error_set(e, err == -ENOMEM ? EXIT_KERNEL : EXIT_USAGE, err, NULL, "make room",
			  "cannot write the recording");
	return err;
}
