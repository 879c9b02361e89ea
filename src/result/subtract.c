// SPDX-License-Identifier: GPL-2.0-only
/* subtract.c - what was counted between two snapshots. */
#include "result/snapshot.h"

#include <errno.h>
#include <string.h>

#include "result/ledger.h"

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
