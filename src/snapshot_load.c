// SPDX-License-Identifier: GPL-2.0-only
/*
 * snapshot_load.c - read what snapshot_save.c wrote; see snapshot.h. Nothing in
 * the input is trusted: sizes are bounded before anything is allocated for
 * them, and every member is checked before it is used.
 */
#include "snapshot_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ledger.h"
#include "util/json_read.h"

/*
 * A copy taken while programs run may catch a sample between its count and its
 * sum, once for each context that interrupts another on a CPU.
 */
#define TORN_SAMPLES 16

static int get_texts(struct json_object *from, const void *to, const struct snapshot_text *row,
		     struct error *e)
{
	int err = 0;

	for (; !err && row->key; row++)
		err = json_get_text(from, row->key, snapshot_text(to, row), e);
	return err;
}

static int get_ledger(struct json_object *from, struct snapshot_node *node, struct error *e)
{
	struct json_object *ledger;
	int err = json_get(from, "ledger", json_type_object, &ledger, e), i;

	for (i = 0; !err && i < KSTATS_LEDGER_N; i++)
		err = json_get_u64(ledger, ledger_rows[i].key, UINT64_MAX, &node->ledger[i], e);
	return err;
}

static int get_kind(struct json_object *from, enum snapshot_kind *kind, struct error *e)
{
	struct json_object *o;
	int err = json_get(from, "kind", json_type_string, &o, e);

	for (*kind = 0; !err && snapshot_kind_name(*kind); ++*kind)
		if (!strcmp(snapshot_kind_name(*kind), json_object_get_string(o)))
			return 0;
	return err ? err : json_bad(e, "'kind' holds '%s'", json_object_get_string(o));
}

/* ---- slots ---- */

static int check_slot(const struct snapshot *s, const struct kstats_slot *slot, uint32_t i,
		      struct error *e)
{
	uint64_t first = kstats_slot_scale(kstats_slot_first(i, s->bits), i, s->bits);
	uint64_t last = kstats_slot_scale(kstats_slot_last(i, s->bits), i, s->bits);
	uint64_t least = slot->samples > TORN_SAMPLES ? slot->samples - TORN_SAMPLES : 0;
	unsigned __int128 most = (unsigned __int128)slot->samples + TORN_SAMPLES;

	if (slot->sum < (unsigned __int128)least * first || slot->sum > most * last)
		return json_bad(e,
				"'sums' holds %llu for %llu samples of slot %u, whose values are "
				"%llu to %llu",
				(unsigned long long)slot->sum, (unsigned long long)slot->samples, i,
				(unsigned long long)first, (unsigned long long)last);
	return 0;
}

/* The columns of one CPU, of the same length. */
struct columns {
	struct json_object *slots;
	struct json_object *samples;
	struct json_object *sums;
};

static int get_columns(struct json_object *from, struct columns *c, struct error *e)
{
	int err = json_get(from, "slots", json_type_array, &c->slots, e);
	size_t n;

	if (!err)
		err = json_get(from, "samples", json_type_array, &c->samples, e);
	if (!err)
		err = json_get(from, "sums", json_type_array, &c->sums, e);
	if (err)
		return err;
	n = json_object_array_length(c->slots);
	if (json_object_array_length(c->samples) != n || json_object_array_length(c->sums) != n)
		return json_bad(e, "'slots', 'samples' and 'sums' differ in length");
	return 0;
}

static int get_row(const struct snapshot *s, const struct columns *c, size_t row,
		   struct kstats_slot *slots, int64_t *last, struct error *e)
{
	struct json_object *o = json_object_array_get_idx(c->slots, row);
	uint64_t i, samples = 0, sum = 0;
	int err = json_number(o, "slots", kstats_n_slots(s->bits) - 1, &i, e);

	if (err)
		return err;
	if ((int64_t)i <= *last)
		return json_bad(e, "'slots' is not ascending at %llu", (unsigned long long)i);
	*last = i;
	o = json_object_array_get_idx(c->samples, row);
	err = json_number(o, "samples", UINT64_MAX, &samples, e);
	o = json_object_array_get_idx(c->sums, row);
	if (!err)
		err = json_number(o, "sums", UINT64_MAX, &sum, e);
	slots[i].samples = samples;
	slots[i].sum = sum;
	return err ? err : check_slot(s, &slots[i], i, e);
}

static int get_cpu(struct json_object *from, struct snapshot *s, struct snapshot_node *node,
		   int64_t *last_cpu, struct error *e)
{
	struct kstats_slot *slots;
	struct columns c;
	int64_t last = -1;
	uint64_t cpu;
	size_t i;
	int err;

	if (!json_object_is_type(from, json_type_object))
		return json_bad(e, "'cpus' holds what is not an object");
	err = json_get_u64(from, "cpu", s->n_cpus - 1, &cpu, e);
	if (!err && (int64_t)cpu <= *last_cpu)
		err = json_bad(e, "'cpu' is not ascending at %llu", (unsigned long long)cpu);
	if (!err)
		err = get_columns(from, &c, e);
	if (err)
		return err;
	*last_cpu = cpu;
	slots = node->slots + cpu * kstats_n_slots(s->bits);
	for (i = 0; !err && i < json_object_array_length(c.slots); i++)
		err = get_row(s, &c, i, slots, &last, e);
	return err;
}

/* So that no sum over slots, CPUs or nodes can overflow later. */
static int check_totals(const struct snapshot *s, uint64_t *samples,
			const struct snapshot_node *node, struct error *e)
{
	size_t n = (size_t)s->n_cpus * kstats_n_slots(s->bits), i;
	uint64_t sum = 0;

	for (i = 0; i < n; i++)
		if (__builtin_add_overflow(*samples, node->slots[i].samples, samples) ||
		    __builtin_add_overflow(sum, node->slots[i].sum, &sum))
			return json_bad(e, "'samples' or 'sums' of '%s' overflow in total",
					node->name);
	return 0;
}

/* ---- nodes ---- */

static int get_node(struct json_object *from, struct snapshot *s, uint32_t i, struct error *e)
{
	struct snapshot_node *node = &s->nodes[i];
	struct json_object *cpus;
	int64_t last = -1;
	uint64_t owner = 0;
	size_t n;
	int err;

	if (!json_object_is_type(from, json_type_object))
		return json_bad(e, "'nodes' holds what is not an object");
	err = get_texts(from, node, snapshot_node_texts, e);
	if (!err)
		err = get_kind(from, &node->kind, e);
	if (!err)
		err = json_get_u64(from, "owner", s->n_nodes - 1, &owner, e);
	node->owner = owner;
	if (!err && node->kind == SNAPSHOT_DURATION && owner != i)
		err = json_bad(e, "'owner' of '%s' is not itself", node->name);
	if (!err && ledger_is_owner(s, i))
		err = get_ledger(from, node, e);
	if (!err)
		err = json_get(from, "cpus", json_type_array, &cpus, e);
	for (n = 0; !err && n < json_object_array_length(cpus); n++)
		err = get_cpu(json_object_array_get_idx(cpus, n), s, node, &last, e);
	return err;
}

static int check_owners(const struct snapshot *s, struct error *e)
{
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++)
		if (!ledger_is_owner(s, s->nodes[i].owner))
			return json_bad(e, "'owner' of '%s' is not a duration", s->nodes[i].name);
	return 0;
}

static int get_nodes(struct json_object *array, struct snapshot *s, struct error *e)
{
	uint64_t samples = 0;
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < s->n_nodes; i++) {
		err = get_node(json_object_array_get_idx(array, i), s, i, e);
		if (!err)
			err = check_totals(s, &samples, &s->nodes[i], e);
	}
	return err ? err : check_owners(s, e);
}

/* ---- the document ---- */

static int check_version(struct json_object *doc, struct error *e)
{
	struct json_object *format;
	uint64_t version;
	int err = json_get(doc, "format", json_type_string, &format, e);

	if (!err && strcmp(json_object_get_string(format), SNAPSHOT_FORMAT))
		err = json_bad(e, "'format' is '%s' and not '%s'", json_object_get_string(format),
			       SNAPSHOT_FORMAT);
	if (!err)
		err = json_get_u64(doc, "version", UINT64_MAX, &version, e);
	if (!err && version != SNAPSHOT_VERSION)
		err = json_bad(e, "'version' is %llu and this program knows %d",
			       (unsigned long long)version, SNAPSHOT_VERSION);
	return err;
}

static struct snapshot *make(struct json_object *doc, struct json_object **nodes, struct error *e)
{
	uint64_t bits, n_cpus;
	struct snapshot *s;
	size_t n;

	if (check_version(doc, e) || json_get_u64(doc, "bits", KSTATS_BITS_MAX, &bits, e) ||
	    json_get_u64(doc, "n_cpus", SNAPSHOT_CPUS_MAX, &n_cpus, e) ||
	    json_get(doc, "nodes", json_type_array, nodes, e))
		return NULL;
	n = json_object_array_length(*nodes);
	if (!n_cpus || !n || n > SNAPSHOT_NODES_MAX ||
	    n * n_cpus * kstats_n_slots(bits) >
		    SNAPSHOT_SLOT_BYTES_MAX / sizeof(struct kstats_slot)) {
		json_bad(e, "'nodes' holds %zu for %llu CPUs, which is none or too many", n,
			 (unsigned long long)n_cpus);
		return NULL;
	}
	s = snapshot_new(bits, n_cpus, n);
	if (!s)
		error_set(e, EXIT_KERNEL, -ENOMEM, NULL, NULL, "cannot read the file");
	return s;
}

static int get_document(struct json_object *doc, struct snapshot *s, struct error *e)
{
	struct json_object *final;
	int err = get_texts(doc, s, snapshot_texts, e);

	if (!err)
		err = json_get_u64(doc, "wall_ns", UINT64_MAX, &s->wall_ns, e);
	if (!err)
		err = json_get_u64(doc, "begin_ns", UINT64_MAX, &s->begin_ns, e);
	if (!err)
		err = json_get_u64(doc, "end_ns", UINT64_MAX, &s->end_ns, e);
	if (!err && s->end_ns < s->begin_ns)
		err = json_bad(e, "'end_ns' is before 'begin_ns'");
	if (!err)
		err = json_get(doc, "final", json_type_boolean, &final, e);
	if (!err)
		s->final = json_object_get_boolean(final);
	return err;
}

struct snapshot *snapshot_load(FILE *in, struct error *e)
{
	struct json_object *doc = json_read(in, e), *nodes;
	struct snapshot *s = doc ? make(doc, &nodes, e) : NULL;

	if (s && (get_document(doc, s, e) || get_nodes(nodes, s, e))) {
		snapshot_free(s);
		s = NULL;
	}
	json_object_put(doc);
	return s;
}
