// SPDX-License-Identifier: GPL-2.0-only
/* recording_save.c - a recording as one JSON document. */
#include "result/priv.h"

#include <errno.h>

#include "result/recording_json.h"
#include "result/snapshot_json.h"

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

static struct json_object *recording_save_make_node(const struct snapshot *s, uint32_t i)
{
	struct json_object *node = json_object_new_object();

	return json_made(node, snapshot_json_node(node, s, i));
}

static struct json_object *make_nodes(const struct snapshot *s)
{
	struct json_object *nodes = json_object_new_array();
	int err = 0;
	uint32_t i;

	for (i = 0; !err && i < s->n_nodes; i++)
		err = json_push(nodes, recording_save_make_node(s, i));
	return json_made(nodes, err);
}

int recording_json_empty(struct json_object *to, const struct recording *r)
{
	return recording_json_about(to, r) | json_add(to, "nodes", make_nodes(r->whole));
}

static struct json_object *make_head(const struct recording *r)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "format", RECORDING_FORMAT);

	err |= json_add_u64(o, "version",
			    *r->whole->unit ? RECORDING_VERSION_UNIT : RECORDING_VERSION);
	return json_made(o, err | recording_json_about(o, r));
}

static void write_periods(const struct recording *r, struct json_out *w)
{
	struct snapshot *s;
	size_t i;

	json_out_open(w, "periods", '[');
	for (i = 0; !w->err && i < r->n_periods; i++) {
		s = recording_bare_period(r, i);
		if (!s && r->spool && ferror(r->spool))
			w->err = -EIO;
		else
			json_out_push(w, s ? snapshot_json_counts(s) : NULL);
		snapshot_free(s);
	}
	json_out_close(w, ']');
}

/* Part by part: all of them together could take gigabytes. */
static int write_document(const struct recording *r, FILE *out)
{
	struct json_out w = { .out = out };
	uint32_t node;

	json_out_open(&w, NULL, '{');
	json_out_members(&w, make_head(r));
	json_out_open(&w, "nodes", '[');
	for (node = 0; !w.err && node < r->whole->n_nodes; node++)
		json_out_push(&w, recording_save_make_node(r->whole, node));
	json_out_close(&w, ']');
	json_out_add(&w, "whole", snapshot_json_counts(r->whole));
	write_periods(r, &w);
	if (r->why)
		json_out_add(&w, "why", why_json(r->why));
	json_out_close(&w, '}');
	return json_out_line(&w);
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
		n += r->periods[i].slots;
	return n;
}

int recording_save(const struct recording *r, FILE *out, struct error *e)
{
	int err;

	if (count_all(r) > RECORDING_SLOTS_MAX)
		return error_set(e, EXIT_USAGE, -E2BIG, "it has more slots than a file can hold",
				 "measure fewer functions, or with fewer bits",
				 "cannot write the recording");
	err = write_document(r, out);
	if (err)
		error_set(e, err == -ENOMEM ? EXIT_KERNEL : EXIT_USAGE, err, NULL, "make room",
			  "cannot write the recording");
	return err;
}
