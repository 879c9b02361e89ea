// SPDX-License-Identifier: GPL-2.0-only
/*
 * periods.c - the intervals of a recording. A long run has thousands, of which each node may have
 * a few samples or none. So an interval is packed: for each node with samples or counters its
 * number, the length of what follows, its counters, and its slots as counts_pack() writes them.
 * While it is measured, the bytes are in a file that has no name.
 */
#include "result/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- packing ---- */

static bool periods_has(const struct snapshot_node *n)
{
	int i;

	for (i = 0; i < KSTATS_LEDGER_N; i++)
		if (n->ledger[i])
			return true;
	return n->counts;
}

static void periods_pack_ledger(const uint64_t *ledger, FILE *out)
{
	int i, n = 0;

	for (i = 0; i < KSTATS_LEDGER_N; i++)
		n += ledger[i] != 0;
	counts_put_number(out, n);
	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		if (!ledger[i])
			continue;
		counts_put_number(out, i);
		counts_put_number(out, ledger[i]);
	}
}

/* What a stream in memory could not take is lost without a word from fclose(). */
static int periods_close(FILE *f)
{
	int failed = ferror(f);

	return fclose(f) || failed ? -ENOMEM : 0;
}

/* One stream of bytes that grows, used for each node anew. */
static int periods_pack_node(const struct snapshot_node *node, uint32_t number, FILE *out)
{
	char *bytes = NULL;
	size_t size;
	FILE *one = open_memstream(&bytes, &size);
	int err = one ? 0 : -ENOMEM;

	if (!err) {
		periods_pack_ledger(node->ledger, one);
		counts_pack(node->counts, one);
		err = periods_close(one);
	}
	if (!err) {
		counts_put_number(out, number);
		counts_put_number(out, size);
		fwrite(bytes, 1, size, out);
	}
	free(bytes);
	return err;
}

/* Appends the bytes to the file of the recording. They stay in memory where that has no room. */
static void periods_spool(struct recording *r, struct period *p)
{
	/* Not by the stream: what it could not write, it would try again before each reading. */
	if (!r->spool ||
	    pwrite(fileno(r->spool), p->bytes, p->size, r->spooled) != (ssize_t)p->size)
		return;
	p->at = r->spooled;
	r->spooled += p->size;
	free(p->bytes);
	p->bytes = NULL;
}

/* @p: its bytes are handed over, also on -ENOMEM */
static int periods_keep(struct recording *r, struct period *p)
{
	size_t room = r->n_periods ? 2 * r->n_periods : 16;
	struct period *grown = r->periods;

	/* The room is a power of two from 16 on. */
	if (r->n_periods < 16 ? !r->n_periods : !(r->n_periods & (r->n_periods - 1)))
		grown = reallocarray(r->periods, room, sizeof(*grown));
	if (!grown) {
		free(p->bytes);
		return -ENOMEM;
	}
	periods_spool(r, p);
	r->periods = grown;
	grown[r->n_periods++] = *p;
	return 0;
}

int recording_add_period(struct recording *r, const struct snapshot *s)
{
	struct period p = { .span = s->span };
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, &p.size);
	uint32_t i;
	int err = out ? 0 : -ENOMEM;

	for (i = 0; !err && i < s->n_nodes; i++) {
		if (!periods_has(&s->nodes[i]))
			continue;
		err = periods_pack_node(&s->nodes[i], i, out);
		p.slots += counts_slots(s->nodes[i].counts);
	}
	if (out && periods_close(out))
		err = -ENOMEM;
	p.bytes = (uint8_t *)bytes;
	if (!err)
		return periods_keep(r, &p);
	free(bytes);
	return err;
}

void recording_free_periods(struct recording *r)
{
	size_t i;

	for (i = 0; i < r->n_periods; i++)
		free(r->periods[i].bytes);
	free(r->periods);
	r->periods = NULL;
	r->n_periods = 0;
}

/* ---- unpacking ---- */

/* @own: receives what has to be freed. Return: the bytes, or NULL. */
static const uint8_t *periods_bytes(const struct recording *r, const struct period *p,
				    uint8_t **own)
{
	*own = NULL;
	if (p->bytes)
		return p->bytes;
	*own = malloc(p->size ? p->size : 1);
	if (!*own)
		return NULL;
	if (pread(fileno(r->spool), *own, p->size, p->at) != (ssize_t)p->size) {
		free(*own);
		*own = NULL;
	}
	return *own;
}

static int periods_unpack_node(const uint8_t *at, struct snapshot_node *to)
{
	uint64_t n = counts_number(&at), id;

	while (n--) {
		id = counts_number(&at);
		to->ledger[id] = counts_number(&at);
	}
	return counts_unpack(&at, &to->counts);
}

struct snapshot *recording_bare_period(const struct recording *r, size_t i)
{
	const struct period *p = &r->periods[i];
	struct snapshot *s = snapshot_shape(r->whole, r->whole->n_cpus);
	const uint8_t *begin, *at;
	uint64_t node, size;
	uint8_t *own = NULL;
	int err = 0;

	begin = s ? periods_bytes(r, p, &own) : NULL;
	for (at = begin; begin && !err && at < begin + p->size; at += size) {
		node = counts_number(&at);
		size = counts_number(&at);
		err = node < s->n_nodes ? periods_unpack_node(at, &s->nodes[node]) : -EINVAL;
	}
	free(own);
	if (begin && !err) {
		s->span = p->span;
		return s;
	}
	snapshot_free(s);
	return NULL;
}

struct snapshot *recording_period(const struct recording *r, size_t i)
{
	struct snapshot *bare = recording_bare_period(r, i), *s;

	s = bare ? snapshot_named(bare, r->whole) : NULL;
	snapshot_free(bare);
	return s;
}

int recording_period_counts(const struct recording *r, size_t i, uint32_t node, struct counts **to)
{
	const struct period *p = &r->periods[i];
	struct snapshot_node found = {};
	const uint8_t *begin, *at;
	uint64_t number, size;
	uint8_t *own;
	int err = 0;

	*to = NULL;
	begin = periods_bytes(r, p, &own);
	for (at = begin; begin && at < begin + p->size; at += size) {
		number = counts_number(&at);
		size = counts_number(&at);
		if (number == node)
			err = periods_unpack_node(at, &found);
	}
	free(own);
	*to = found.counts;
	return begin ? err : -ENOMEM;
}

/* ---- other numbers for the nodes ---- */

int recording_renumber_period(const struct recording *from, size_t i, const uint32_t *map,
			      struct recording *to)
{
	struct period p = from->periods[i];
	const uint8_t *begin, *at;
	uint64_t node, size;
	uint8_t *own;
	bool is_lost = false;
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, &p.size);

	begin = out ? periods_bytes(from, &from->periods[i], &own) : NULL;
	for (at = begin; begin && at < begin + from->periods[i].size; at += size) {
		node = counts_number(&at);
		size = counts_number(&at);
		is_lost |= map[node] == PERIODS_DROPPED;
		counts_put_number(out, map[node]);
		counts_put_number(out, size);
		fwrite(at, 1, size, out);
	}
	if (begin)
		free(own);
	if (out && !periods_close(out) && begin && !is_lost) {
		p.bytes = (uint8_t *)bytes;
		return periods_keep(to, &p);
	}
	free(bytes);
	return is_lost ? -ENOENT : -ENOMEM;
}

/*
 * The nodes that stay get the next numbers; the others have neither samples nor counters in the
 * whole. Returns how many stay.
 */
static uint32_t periods_map(const struct snapshot *s, uint32_t *map)
{
	uint32_t i, n = 0;

	for (i = 0; i < s->n_nodes; i++)
		map[i] = snapshot_is_unused(s, i) ? PERIODS_DROPPED : n++;
	return n;
}

/*
 * @map: see periods_map(). Without memory the nodes stay, and are hidden; also if an interval has
 * samples of one.
 */
static void periods_drop_unused(struct recording *r, const uint32_t *map)
{
	struct recording kept = { .spool = r->spool, .spooled = r->spooled };
	uint32_t before = r->whole->n_nodes;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < r->n_periods; i++)
		err = recording_renumber_period(r, i, map, &kept);
	if (!err)
		snapshot_drop_unused(r->whole, r->whole);
	if (err || r->whole->n_nodes == before) {
		recording_free_periods(&kept);
		return;
	}
	recording_free_periods(r);
	r->periods = kept.periods;
	r->n_periods = kept.n_periods;
	r->spooled = kept.spooled;
}

void recording_drop_unused(struct recording *r)
{
	uint32_t *map;

	if (!r->n_periods) {
		snapshot_drop_unused(r->whole, r->whole);
		return;
	}
	map = calloc(r->whole->n_nodes, sizeof(*map));
	if (map && periods_map(r->whole, map) < r->whole->n_nodes)
		periods_drop_unused(r, map);
	free(map);
}
