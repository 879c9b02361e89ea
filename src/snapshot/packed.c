// SPDX-License-Identifier: GPL-2.0-only
/* packed.c - see packed.h. */
#include "snapshot/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct snapshot_packed *snapshot_packed_new(uint32_t n_nodes, size_t n_cells)
{
	struct snapshot_packed *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->n_nodes = n_nodes;
	p->n_cells = n_cells;
	p->ledgers = calloc(n_nodes ? n_nodes : 1, sizeof(*p->ledgers));
	p->cells = calloc(n_cells ? n_cells : 1, sizeof(*p->cells));
	if (p->ledgers && p->cells)
		return p;
	snapshot_packed_free(p);
	return NULL;
}

void snapshot_packed_free(struct snapshot_packed *p)
{
	if (!p)
		return;
	free(p->ledgers);
	free(p->cells);
	free(p);
}

/* ---- a snapshot and its cells ---- */

static size_t pack_cpu(const struct snapshot *s, uint32_t node, uint32_t cpu,
		       struct snapshot_cell *to)
{
	const struct kstats_slot *slots = snapshot_slots(s, node, cpu);
	uint32_t i, n_slots = kstats_n_slots(s->bits);
	size_t n = 0;

	for (i = 0; i < n_slots; i++) {
		if (!slots[i].samples && !slots[i].sum)
			continue;
		if (to)
			to[n] = (struct snapshot_cell){ snapshot_cell_at(node, cpu, i),
							slots[i].samples, slots[i].sum };
		n++;
	}
	return n;
}

/* Counts the cells where there is no place for them. */
static size_t pack_cells(const struct snapshot *s, struct snapshot_cell *to)
{
	uint32_t node, cpu;
	size_t n = 0;

	for (node = 0; node < s->n_nodes; node++)
		for (cpu = 0; cpu < s->n_cpus; cpu++)
			n += pack_cpu(s, node, cpu, to ? to + n : NULL);
	return n;
}

struct snapshot_packed *snapshot_pack(const struct snapshot *s)
{
	struct snapshot_packed *p = snapshot_packed_new(s->n_nodes, pack_cells(s, NULL));
	uint32_t i;

	if (!p)
		return NULL;
	p->span = s->span;
	for (i = 0; i < s->n_nodes; i++)
		memcpy(p->ledgers[i], s->nodes[i].ledger, sizeof(p->ledgers[i]));
	pack_cells(s, p->cells);
	return p;
}

int snapshot_spread(const struct snapshot_packed *p, struct snapshot *s)
{
	const struct snapshot_cell *c;
	struct kstats_slot *slot;

	for (c = p->cells; c < p->cells + p->n_cells; c++) {
		slot = s->nodes[snapshot_cell_node(c)].slots +
		       (size_t)snapshot_cell_cpu(c) * kstats_n_slots(s->bits) +
		       snapshot_cell_slot(c);
		if (__builtin_add_overflow(slot->samples, c->samples, &slot->samples) ||
		    __builtin_add_overflow(slot->sum, c->sum, &slot->sum))
			return -EOVERFLOW;
	}
	return 0;
}

struct snapshot *snapshot_unpack(const struct snapshot_packed *p, const struct snapshot *like,
				 uint32_t n_cpus)
{
	struct snapshot *s = snapshot_like(like, n_cpus);
	uint32_t i;

	if (!s)
		return NULL;
	s->span = p->span;
	for (i = 0; i < s->n_nodes; i++)
		memcpy(s->nodes[i].ledger, p->ledgers[i], sizeof(p->ledgers[i]));
	snapshot_spread(p, s);
	return s;
}

/* ---- addition ---- */

/* The smaller of the next cells of @a and @b, or both where they are one. */
static bool add_next(const struct snapshot_packed *a, size_t *i, const struct snapshot_packed *b,
		     size_t *k, struct snapshot_cell *to)
{
	const struct snapshot_cell *x = *i < a->n_cells ? &a->cells[*i] : NULL;
	const struct snapshot_cell *y = *k < b->n_cells ? &b->cells[*k] : NULL;

	if (x && (!y || x->at <= y->at)) {
		*to = *x;
		++*i;
		if (!y || x->at != y->at)
			return true;
		++*k;
		return !__builtin_add_overflow(to->samples, y->samples, &to->samples) &&
		       !__builtin_add_overflow(to->sum, y->sum, &to->sum);
	}
	*to = *y;
	++*k;
	return true;
}

static bool add_cells(struct snapshot_packed *sum, const struct snapshot_packed *a,
		      const struct snapshot_packed *b)
{
	size_t i = 0, k = 0, n;

	for (n = 0; i < a->n_cells || k < b->n_cells; n++)
		if (!add_next(a, &i, b, &k, &sum->cells[n]))
			return false;
	sum->n_cells = n;
	return true;
}

static bool add_ledgers(struct snapshot_packed *sum, const struct snapshot_packed *a,
			const struct snapshot_packed *b)
{
	bool over = false;
	uint32_t node;
	int i;

	for (node = 0; node < sum->n_nodes; node++)
		for (i = 0; i < KSTATS_LEDGER_N; i++)
			over |= __builtin_add_overflow(a->ledgers[node][i], b->ledgers[node][i],
						       &sum->ledgers[node][i]);
	return !over;
}

static bool add_spans(struct snapshot_span *a, const struct snapshot_span *b)
{
	if (b->wall_ns < a->wall_ns)
		a->wall_ns = b->wall_ns;
	a->final &= b->final;
	return !__builtin_add_overflow(a->end_ns, b->end_ns - b->begin_ns, &a->end_ns);
}

int snapshot_packed_add(struct snapshot_packed *into, const struct snapshot_packed *from,
			struct error *e)
{
	struct snapshot_packed *sum =
		snapshot_packed_new(into->n_nodes, into->n_cells + from->n_cells);
	struct snapshot_packed old = *into;
	struct snapshot_cell *fit;

	if (!sum)
		return error_set(e, EXIT_KERNEL, -ENOMEM, NULL, NULL, "cannot add two snapshots");
	sum->span = into->span;
	if (!add_cells(sum, into, from) || !add_ledgers(sum, into, from) ||
	    !add_spans(&sum->span, &from->span)) {
		snapshot_packed_free(sum);
		return error_set(e, EXIT_USAGE, -EOVERFLOW, "a counter would overflow", NULL,
				 "cannot add two snapshots");
	}
	fit = realloc(sum->cells, (sum->n_cells ? sum->n_cells : 1) * sizeof(*fit));
	sum->cells = fit ? fit : sum->cells;
	*into = *sum;
	*sum = old;
	snapshot_packed_free(sum);
	return 0;
}
