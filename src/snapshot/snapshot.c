// SPDX-License-Identifier: GPL-2.0-only
/* snapshot.c - the life and the arithmetic of snapshots; see snapshot.h. */
#include "snapshot/texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/ledger.h"

static size_t cells(const struct snapshot *s)
{
	return (size_t)s->n_cpus * kstats_n_slots(s->bits);
}

struct snapshot *snapshot_new(unsigned int bits, unsigned int n_cpus, unsigned int n_nodes)
{
	struct snapshot *s = calloc(1, sizeof(*s));
	uint32_t i;

	if (!s)
		return NULL;
	s->bits = bits;
	s->n_cpus = n_cpus;
	s->nodes = calloc(n_nodes ? n_nodes : 1, sizeof(*s->nodes));
	if (!s->nodes)
		goto fail;
	s->n_nodes = n_nodes;
	for (i = 0; i < n_nodes; i++) {
		s->nodes[i].owner = i;
		s->nodes[i].slots = calloc(cells(s), sizeof(struct kstats_slot));
		if (!s->nodes[i].slots)
			goto fail;
	}
	return s;
fail:
	snapshot_free(s);
	return NULL;
}

static void free_texts(const void *of, const struct snapshot_text *row)
{
	for (; row->key; row++)
		free(*snapshot_text(of, row));
}

uint64_t snapshot_samples(const struct snapshot *s)
{
	size_t n = (size_t)s->n_cpus * kstats_n_slots(s->bits), i;
	uint64_t sum = 0;
	uint32_t node;

	for (node = 0; node < s->n_nodes; node++)
		for (i = 0; snapshot_is_recorded(s->nodes[node].kind) && i < n; i++)
			sum += s->nodes[node].slots[i].samples;
	return sum;
}

bool snapshot_is_hidden(const struct snapshot *s, uint32_t node)
{
	size_t n = (size_t)s->n_cpus * kstats_n_slots(s->bits), i;

	if (s->nodes[node].kind != SNAPSHOT_UNVERIFIED)
		return false;
	for (i = 0; i < n; i++)
		if (s->nodes[node].slots[i].samples)
			return false;
	return true;
}

void snapshot_free(struct snapshot *s)
{
	uint32_t i;

	if (!s)
		return;
	for (i = 0; i < s->n_nodes; i++) {
		free_texts(&s->nodes[i], snapshot_node_texts);
		free(s->nodes[i].slots);
	}
	free(s->nodes);
	free_texts(s, snapshot_texts);
	free(s);
}

static int copy_texts(void *to, const void *from, const struct snapshot_text *row)
{
	char **text;

	for (; row->key; row++) {
		if (!*snapshot_text(from, row))
			continue;
		text = snapshot_text(to, row);
		*text = strdup(*snapshot_text(from, row));
		if (!*text)
			return -ENOMEM;
	}
	return 0;
}

struct snapshot *snapshot_like(const struct snapshot *s, uint32_t n_cpus)
{
	struct snapshot *c = snapshot_new(s->bits, n_cpus, s->n_nodes);
	uint32_t i;
	int err;

	if (!c)
		return NULL;
	err = copy_texts(c, s, snapshot_texts);
	for (i = 0; !err && i < s->n_nodes; i++) {
		c->nodes[i].kind = s->nodes[i].kind;
		c->nodes[i].owner = s->nodes[i].owner;
		c->nodes[i].subtract_ns = s->nodes[i].subtract_ns;
		err = copy_texts(&c->nodes[i], &s->nodes[i], snapshot_node_texts);
	}
	if (!err)
		return c;
	snapshot_free(c);
	return NULL;
}

struct snapshot *snapshot_copy(const struct snapshot *s)
{
	struct snapshot *c = snapshot_like(s, s->n_cpus);
	uint32_t i;

	if (!c)
		return NULL;
	c->span = s->span;
	for (i = 0; i < s->n_nodes; i++) {
		memcpy(c->nodes[i].ledger, s->nodes[i].ledger, sizeof(s->nodes[i].ledger));
		memcpy(c->nodes[i].slots, s->nodes[i].slots, cells(s) * sizeof(*s->nodes[i].slots));
	}
	return c;
}

const struct kstats_slot *snapshot_slots(const struct snapshot *s, unsigned int node,
					 unsigned int cpu)
{
	return s->nodes[node].slots + (size_t)cpu * kstats_n_slots(s->bits);
}

/* ---- two snapshots ---- */

bool snapshot_same_slots(const struct snapshot *a, const struct snapshot *b)
{
	uint32_t i;

	for (i = 0; i < a->n_nodes; i++)
		if (memcmp(a->nodes[i].slots, b->nodes[i].slots,
			   cells(a) * sizeof(struct kstats_slot)))
			return false;
	return true;
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static int refuse(const char *why, struct error *e)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, "take both from one measurement",
			 "cannot subtract two snapshots");
}

static int check_shapes(const struct snapshot *a, const struct snapshot *b, struct error *e)
{
	uint32_t i;

	if (a->bits != b->bits)
		return refuse("their bits differ", e);
	if (a->n_cpus != b->n_cpus)
		return refuse("their numbers of CPUs differ", e);
	if (a->n_nodes != b->n_nodes)
		return refuse("their numbers of nodes differ", e);
	for (i = 0; i < a->n_nodes; i++)
		if (a->nodes[i].kind != b->nodes[i].kind ||
		    a->nodes[i].owner != b->nodes[i].owner ||
		    !same_text(a->nodes[i].name, b->nodes[i].name))
			return refuse("their nodes differ", e);
	return 0;
}

static int backwards(const struct snapshot_node *node, struct error *e)
{
	return error_set(e, EXIT_USAGE, -EINVAL, "a counter is smaller in the later one",
			 "give them in the order they were taken",
			 "cannot subtract two snapshots of '%s'", node->name ? node->name : "");
}

static int subtract_slots(struct snapshot_node *a, const struct snapshot_node *b, size_t n)
{
	bool under = false;
	size_t i;

	for (i = 0; i < n; i++) {
		under |= __builtin_sub_overflow(a->slots[i].samples, b->slots[i].samples,
						&a->slots[i].samples);
		under |= __builtin_sub_overflow(a->slots[i].sum, b->slots[i].sum, &a->slots[i].sum);
	}
	return under ? -EINVAL : 0;
}

/*
 * What was open at the earlier snapshot started before the period and ends in
 * it or later, so it belongs to its started side. The exact difference is
 * used, which may be a little below zero where programs ran during the copy.
 */
static int subtract_ledger(struct snapshot *diff, const struct snapshot *earlier, uint32_t node)
{
	uint64_t *a = diff->nodes[node].ledger;
	const uint64_t *b = earlier->nodes[node].ledger;
	uint64_t open = b[KSTATS_IN_FLIGHT] + b[KSTATS_NO_END];
	bool under = false;
	int i;

	for (i = 0; i < KSTATS_LEDGER_N; i++)
		if (ledger_rows[i].class != LEDGER_LEVEL)
			under |= __builtin_sub_overflow(a[i], b[i], &a[i]);
	if (under)
		return -EINVAL;
	if (!ledger_is_owner(diff, node))
		return 0;
	if (!earlier->span.final)
		open = ledger_left_over(earlier, node);
	a[KSTATS_STARTED] += open;
	return 0;
}

struct snapshot *snapshot_subtract(const struct snapshot *later, const struct snapshot *earlier,
				   struct error *e)
{
	struct snapshot *diff;
	uint32_t i;

	if (check_shapes(later, earlier, e))
		return NULL;
	diff = snapshot_copy(later);
	if (!diff) {
		error_set(e, EXIT_KERNEL, -ENOMEM, NULL, NULL, "cannot subtract two snapshots");
		return NULL;
	}
	diff->span.begin_ns = earlier->span.end_ns;
	diff->span.wall_ns =
		earlier->span.wall_ns + (earlier->span.end_ns - earlier->span.begin_ns);
	for (i = 0; i < diff->n_nodes; i++) {
		if (!subtract_slots(&diff->nodes[i], &earlier->nodes[i], cells(diff)) &&
		    !subtract_ledger(diff, earlier, i))
			continue;
		backwards(&diff->nodes[i], e);
		snapshot_free(diff);
		return NULL;
	}
	return diff;
}
