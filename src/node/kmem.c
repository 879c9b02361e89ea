// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmem.c - nodes of memory events. They are made, started, stopped and reset as those of functions
 * are, see add.c and control.c. What was allocated cannot be followed over a stop: its free may be
 * missed, and another object at its address would be taken for it.
 */
#include "node/kmem.h"

#include <errno.h>
#include <unistd.h>

#include "node/priv.h"

bool node_is_kmem(const struct node *n)
{
	return n->heap;
}

static int open_kmem(struct node *n, enum node_use use, struct error *e)
{
	n->heap =
		heap_reopen(&n->folder, n->meta.heap, &n->meta.about->machine, use == NODE_READ, e);
	if (n->heap || !e)
		return n->heap ? 0 : -EINVAL;
	return error_set(e, EXIT_USAGE, -EINVAL, e->why, "remove it with 'kstats-bpf node rm'",
			 "cannot use the node '%s'", n->name);
}

/* ---- control ---- */

static int begin(struct node *n, struct error *e)
{
	int i;

	for (i = 0; i < HEAP_HOOKS; i++)
		node_mark_begin(&n->state->marks[i], heap_skips(n->heap, i));
	node_time_begin(n->state, clock_ns(CLOCK_MONOTONIC));
	heap_switch(n->heap, true);
	node_set_phase(n, NODE_RUNNING);
	return 0;
}

static bool followed(const struct node *n)
{
	return heap_lifetimes(n->heap) && n->state->active_ns;
}

static int start_kmem(struct node *n, struct error *e)
{
	int err;

	if (followed(n))
		return error_set(e, EXIT_USAGE, -EBUSY,
				 "what was freed while it was stopped is not known, so its "
				 "lifetimes and live objects cannot go on",
				 "keep what it counted with 'node show --record', then use 'node "
				 "reset' before 'node start'",
				 "cannot start '%s'", n->name);
	node_set_phase(n, NODE_STARTING);
	heap_detach_pinned(&n->folder);
	session_wait_programs();
	err = heap_attach_pinned(n->heap, &n->folder, e);
	if (!err)
		return begin(n, e);
	node_set_phase(n, NODE_STOPPED);
	return err;
}

static void keep_skipped(struct node *n)
{
	int i;

	for (i = 0; i < HEAP_HOOKS; i++)
		node_mark_keep(&n->state->marks[i], heap_skips(n->heap, i));
}

static int kmem_end_stop(struct node *n, struct error *e)
{
	heap_switch(n->heap, false);
	heap_detach_pinned(&n->folder);
	node_set_phase(n, NODE_STOPPED);
	return 0;
}

/* What is skipped until nothing counts any more is kept, too. */
static int stop_kmem(struct node *n, struct error *e)
{
	keep_skipped(n);
	node_time_keep(n->state, clock_ns(CLOCK_MONOTONIC));
	node_set_phase(n, NODE_STOPPING);
	heap_switch(n->heap, false);
	keep_skipped(n);
	return kmem_end_stop(n, e);
}

static int kmem_end_reset(struct node *n, bool running, struct error *e)
{
	int i;

	heap_switch(n->heap, false);
	heap_clear(n->heap);
	for (i = 0; i < HEAP_HOOKS; i++)
		n->state->marks[i].total = 0;
	node_forget_counts(n);
	if (running)
		return begin(n, e);
	node_set_phase(n, NODE_STOPPED);
	return 0;
}

static int reset_kmem(struct node *n, struct error *e)
{
	bool running = n->state->phase == NODE_RUNNING;

	node_set_phase(n, running ? NODE_RESETTING_RUNNING : NODE_RESETTING);
	return kmem_end_reset(n, running, e);
}

/* A process was killed while starting it: nothing was counted, or all is attached. */
static int kmem_end_start(struct node *n, struct error *e)
{
	bool on = heap_is_on(n->heap);

	if (!on)
		heap_detach_pinned(&n->folder);
	node_set_phase(n, on ? NODE_RUNNING : NODE_STOPPED);
	return 0;
}

/* ---- reading ---- */

static int count_allocations(struct node *n, struct store_samples *samples, struct error *e)
{
	*samples = (struct store_samples){ .recorded = heap_allocations(n->heap) };
	return 0;
}

const struct node_kind node_kmem_kind = {
	.open = open_kmem,
	.start = start_kmem,
	.stop = stop_kmem,
	.reset = reset_kmem,
	.end_start = kmem_end_start,
	.end_stop = kmem_end_stop,
	.end_reset = kmem_end_reset,
	.samples = count_allocations,
};

/* Objects get no older while it is stopped: whether they live is not known. */
struct kmem *node_read_kmem(struct node *n, struct error *e)
{
	const struct node_state *st = n->state;
	bool running = node_runs(st);
	struct heap_moment at = {
		.span = { st->wall_ns, st->since_ns,
			  running ? clock_ns(CLOCK_MONOTONIC) : st->since_ns + st->active_ns,
			  !running },
	};
	int i;

	for (i = 0; i < HEAP_HOOKS; i++)
		at.skipped[i] = node_mark_skipped(st, &st->marks[i], heap_skips(n->heap, i));
	return heap_read_at(n->heap, &at, e);
}

/* ---- adding ---- */

static int kmem_make_meta(int *fd, const struct heap *h, const struct node_kmem *what,
			  const struct facts *facts, struct error *e)
{
	const struct node_about about = {
		.name = what->name,
		.words = &what->words,
		.what = "memory events",
		.method = "kmem",
		.backend = "map",
		.pairing = "by address",
		.n_cpus = 1,
	};
	struct node_meta m = { .heap = heap_describe(h) };
	int err = m.heap ? node_describe(fd, &m, &about, facts, e)
			 : error_no_memory(e, "cannot add the node");

	node_meta_free(&m);
	return err;
}

static int kmem_fill(struct pin_folder *f, const struct node_kmem *what, struct facts *facts,
		     struct error *e)
{
	struct heap *h = heap_open(what->want, facts, e);
	int meta = -1, err = h ? 0 : -EOPNOTSUPP;

	if (!err)
		err = kmem_make_meta(&meta, h, what, facts, e);
	if (!err)
		err = node_pin_both(f, meta, HEAP_HOOKS, e);
	if (!err)
		err = heap_pin(h, f, e);
	if (meta >= 0)
		close(meta);
	heap_close(h);
	return err;
}

int node_add_kmem(int root, const struct node_kmem *what, struct facts *facts, struct error *e)
{
	struct pin_folder f;
	int err = pin_begin(&f, root, what->name, e);

	if (err)
		return err;
	err = kmem_fill(&f, what, facts, e);
	if (!err)
		err = node_appear(&f, what->name, begin, e);
	pin_close(&f);
	return err;
}
