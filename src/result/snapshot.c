// SPDX-License-Identifier: GPL-2.0-only
/* snapshot.c - the life and the arithmetic of snapshots. */
#include "result/texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/ledger.h"

struct snapshot *snapshot_new(unsigned int bits, unsigned int n_cpus, unsigned int n_nodes)
{
	struct snapshot *s = calloc(1, sizeof(*s));
	uint32_t i;

	if (!s)
		return NULL;
	s->bits = bits;
	s->n_cpus = n_cpus;
	s->nodes = calloc(n_nodes ? n_nodes : 1, sizeof(*s->nodes));
	if (!s->nodes) {
		free(s);
		return NULL;
	}
	s->n_nodes = n_nodes;
	for (i = 0; i < n_nodes; i++)
		s->nodes[i].owner = i;
	return s;
}

static void free_texts(const void *of, const struct snapshot_text *row)
{
	for (; row->key; row++)
		free(*snapshot_text(of, row));
}

const char *snapshot_unit(const struct snapshot *s, const char *time)
{
	return *s->unit ? s->unit : time;
}

uint64_t snapshot_samples(const struct snapshot *s)
{
	const struct snapshot_node *node;
	uint64_t sum = 0;

	for (node = s->nodes; node < s->nodes + s->n_nodes; node++)
		if (snapshot_is_recorded(node->kind))
			sum += counts_samples(node->counts);
	return sum;
}

void snapshot_free_node(struct snapshot_node *node)
{
	tags_free(&node->by);
	tags_free(&node->numbers);
	free_texts(node, snapshot_node_texts);
	counts_drop(node->counts);
}

void snapshot_free(struct snapshot *s)
{
	uint32_t i;

	if (!s)
		return;
	for (i = 0; i < s->n_nodes; i++)
		snapshot_free_node(&s->nodes[i]);
	snapshot_forget_names(s);
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

static int copy_node_texts(struct snapshot_node *to, const struct snapshot_node *from)
{
	int err = copy_texts(to, from, snapshot_node_texts);

	if (!err)
		err = tags_copy(&to->by, &from->by, NULL);
	return err ? err : tags_copy(&to->numbers, &from->numbers, NULL);
}

struct snapshot *snapshot_shape(const struct snapshot *s, uint32_t n_cpus)
{
	struct snapshot *c = snapshot_new(s->bits, n_cpus, s->n_nodes);
	uint32_t i;

	if (c)
		strcpy(c->unit, s->unit);
	for (i = 0; c && i < s->n_nodes; i++) {
		c->nodes[i].kind = s->nodes[i].kind;
		c->nodes[i].owner = s->nodes[i].owner;
		c->nodes[i].subtract_ns = s->nodes[i].subtract_ns;
	}
	return c;
}

struct snapshot *snapshot_like(const struct snapshot *s, uint32_t n_cpus)
{
	struct snapshot *c = snapshot_shape(s, n_cpus);
	uint32_t i;
	int err;

	if (!c)
		return NULL;
	err = copy_texts(c, s, snapshot_texts);
	for (i = 0; !err && i < s->n_nodes; i++)
		err = copy_node_texts(&c->nodes[i], &s->nodes[i]);
	if (!err)
		return c;
	snapshot_free(c);
	return NULL;
}

static struct snapshot *share_counts(struct snapshot *to, const struct snapshot *from)
{
	uint32_t i;

	if (!to)
		return NULL;
	to->span = from->span;
	for (i = 0; i < to->n_nodes; i++) {
		memcpy(to->nodes[i].ledger, from->nodes[i].ledger, sizeof(to->nodes[i].ledger));
		to->nodes[i].counts = counts_share(from->nodes[i].counts);
	}
	return to;
}

struct snapshot *snapshot_copy(const struct snapshot *s)
{
	return share_counts(snapshot_like(s, s->n_cpus), s);
}

struct snapshot *snapshot_gaps(const struct snapshot *s)
{
	struct snapshot *c = snapshot_copy(s);
	uint32_t i, n = 0;

	for (i = 0; c && i < s->n_nodes; i++) {
		if (c->nodes[i].kind != SNAPSHOT_GAP) {
			snapshot_free_node(&c->nodes[i]);
			continue;
		}
		c->nodes[n] = c->nodes[i];
		c->nodes[n].owner = n;
		n++;
	}
	if (c)
		c->n_nodes = n;
	return c;
}

struct snapshot *snapshot_bare(const struct snapshot *s)
{
	return share_counts(snapshot_shape(s, s->n_cpus), s);
}

struct snapshot *snapshot_named(const struct snapshot *s, const struct snapshot *like)
{
	return share_counts(snapshot_like(like, s->n_cpus), s);
}

/* ---- two snapshots ---- */

bool snapshot_same_slots(const struct snapshot *a, const struct snapshot *b)
{
	uint32_t i;

	for (i = 0; i < a->n_nodes; i++)
		if (!counts_same(a->nodes[i].counts, b->nodes[i].counts))
			return false;
	return true;
}

static bool add_ledger(struct snapshot_node *to, const struct snapshot_node *from)
{
	bool over = false;
	int i;

	for (i = 0; i < KSTATS_LEDGER_N; i++)
		over |= __builtin_add_overflow(to->ledger[i], from->ledger[i], &to->ledger[i]);
	return !over;
}

static bool add_span(struct snapshot_span *a, const struct snapshot_span *b)
{
	if (b->wall_ns < a->wall_ns)
		a->wall_ns = b->wall_ns;
	a->final &= b->final;
	return !__builtin_add_overflow(a->end_ns, b->end_ns - b->begin_ns, &a->end_ns);
}

static int add_all(struct snapshot *to, const struct snapshot *from)
{
	uint32_t i;
	int err = add_span(&to->span, &from->span) ? 0 : -EOVERFLOW;

	if (from->n_cpus > to->n_cpus)
		to->n_cpus = from->n_cpus;
	for (i = 0; !err && i < to->n_nodes; i++) {
		if (!add_ledger(&to->nodes[i], &from->nodes[i]))
			return -EOVERFLOW;
		err = counts_sum(to->nodes[i].counts, from->nodes[i].counts, &to->nodes[i].counts);
	}
	return err;
}

struct snapshot *snapshot_add(const struct snapshot *a, const struct snapshot *b, struct error *e)
{
	struct snapshot *sum = snapshot_copy(a);
	int err = sum ? add_all(sum, b) : -ENOMEM;

	if (!err)
		return sum;
	snapshot_free(sum);
	if (err == -EOVERFLOW)
		error_set(e, EXIT_USAGE, err, "a counter would overflow", NULL,
			  "cannot add two snapshots");
	else
		error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot add two snapshots");
	return NULL;
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static int snapshot_refuse(const char *why, struct error *e)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, "take both from one measurement",
			 "cannot subtract two snapshots");
}

/* What the text of a part of a key is the name of; the text itself if it is no name. */
static const char *part_number(const struct snapshot_node *n, size_t part)
{
	size_t i;

	for (i = 0; i < n->numbers.n; i++)
		if (!strcmp(n->numbers.rows[i].key, n->by.rows[part].key))
			return n->numbers.rows[i].value;
	return n->by.rows[part].value;
}

/* A group of tasks or a device may go meanwhile, and its name with it: its number stays. */
static bool is_renamed(const struct snapshot_node *a, const struct snapshot_node *b)
{
	size_t i;

	if (a->kind != SNAPSHOT_KEY || a->by.n != b->by.n || !(a->numbers.n + b->numbers.n))
		return false;
	for (i = 0; i < a->by.n; i++)
		if (strcmp(part_number(a, i), part_number(b, i)))
			return false;
	return true;
}

/* @b: the earlier one, in which a key may not have come yet. */
static bool same_node(const struct snapshot_node *a, const struct snapshot_node *b)
{
	if (a->kind == SNAPSHOT_KEY && b->kind == SNAPSHOT_KEY && !b->name)
		return true;
	return a->kind == b->kind && a->owner == b->owner &&
	       (same_text(a->name, b->name) || is_renamed(a, b));
}

static int check_shapes(const struct snapshot *a, const struct snapshot *b, struct error *e)
{
	uint32_t i;

	if (a->bits != b->bits)
		return snapshot_refuse("their bits differ", e);
	if (a->n_cpus != b->n_cpus)
		return snapshot_refuse("their numbers of CPUs differ", e);
	if (a->n_nodes != b->n_nodes)
		return snapshot_refuse("their numbers of nodes differ", e);
	for (i = 0; i < a->n_nodes; i++)
		if (!same_node(&a->nodes[i], &b->nodes[i]))
			return snapshot_refuse("their nodes differ", e);
	return 0;
}

static int backwards(const struct snapshot_node *node, struct error *e)
{
	return error_set(e, EXIT_USAGE, -EINVAL, "a counter is smaller in the later one",
			 "give them in the order they were taken",
			 "cannot subtract two snapshots of '%s'", node->name ? node->name : "");
}

static uint64_t open_calls(const uint64_t *ledger)
{
	return ledger[KSTATS_IN_FLIGHT] + ledger[KSTATS_NO_END];
}

/*
 * What was open at the earlier snapshot started before the period and ends in
 * it or later, so it belongs to its started side. The exact difference is
 * used, which may be a little below zero where programs ran during the copy.
 * A call that was told to be lost by then is not open, and is not lost again.
 * If fewer are lost now, the others have been open, so they belong there too.
 */
static int subtract_ledger(struct snapshot *diff, const struct snapshot *earlier, uint32_t node)
{
	uint64_t *a = diff->nodes[node].ledger, now[KSTATS_LEDGER_N], then[KSTATS_LEDGER_N];
	const uint64_t *b = earlier->nodes[node].ledger;
	uint64_t open = open_calls(b), moved, back = 0;
	int i;

	ledger_told(diff, node, now);
	ledger_told(earlier, node, then);
	moved = open - open_calls(then);
	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		if (ledger_rows[i].class == LEDGER_LEVEL ||
		    ledger_rows[i].class == LEDGER_ESTIMATE) {
			a[i] = now[i];
			continue;
		}
		if (a[i] < b[i])
			return -EINVAL;
		if (now[i] < then[i])
			back += then[i] - now[i];
		a[i] = now[i] < then[i] ? 0 : now[i] - then[i];
	}
	if (!ledger_is_owner(diff, node))
		return 0;
	if (!earlier->span.final)
		open = ledger_left_over(earlier, node);
	a[KSTATS_STARTED] += open - moved + back;
	return 0;
}

/*
 * Subtract all ledgers first, since the calls in flight are computed from the earlier counts of
 * all nodes.
 */
static int subtract_ledgers(struct snapshot *diff, const struct snapshot *earlier, struct error *e)
{
	uint32_t i;

	for (i = 0; i < diff->n_nodes; i++)
		if (subtract_ledger(diff, earlier, i))
			return backwards(&diff->nodes[i], e);
	return 0;
}

static int subtract_counts(struct snapshot_node *node, const struct counts *earlier,
			   struct error *e)
{
	int err = counts_difference(node->counts, earlier, &node->counts);

	if (!err)
		return 0;
	return err == -ENOMEM ? error_no_memory(e, "cannot subtract two snapshots")
			      : backwards(node, e);
}

/* @release: the earlier snapshot if its counts are not needed any more, else NULL. */
static struct snapshot *subtract(const struct snapshot *later, const struct snapshot *earlier,
				 struct snapshot *release, struct error *e)
{
	struct snapshot *diff;
	uint32_t i;
	int err;

	if (check_shapes(later, earlier, e))
		return NULL;
	diff = snapshot_copy(later);
	err = diff ? subtract_ledgers(diff, earlier, e)
		   : error_no_memory(e, "cannot subtract two snapshots");
	for (i = 0; !err && i < diff->n_nodes; i++) {
		err = subtract_counts(&diff->nodes[i], earlier->nodes[i].counts, e);
		if (release) {
			counts_drop(release->nodes[i].counts);
			release->nodes[i].counts = NULL;
		}
	}
	if (err) {
		snapshot_free(diff);
		return NULL;
	}
	diff->span.begin_ns = earlier->span.end_ns;
	diff->span.wall_ns =
		earlier->span.wall_ns + (earlier->span.end_ns - earlier->span.begin_ns);
	return diff;
}

struct snapshot *snapshot_subtract(const struct snapshot *later, const struct snapshot *earlier,
				   struct error *e)
{
	return subtract(later, earlier, NULL, e);
}

struct snapshot *snapshot_since(const struct snapshot *later, struct snapshot *earlier,
				struct error *e)
{
	return subtract(later, earlier, earlier, e);
}
