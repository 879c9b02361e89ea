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

static void begin(struct node *n)
{
	int i;

	for (i = 0; i < HEAP_HOOKS; i++)
		node_mark_begin(&n->state->marks[i], heap_skips(n->heap, i));
	node_time_begin(n->state, clock_ns(CLOCK_MONOTONIC));
	heap_switch(n->heap, true);
	node_set_phase(n, NODE_RUNNING);
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
	if (err)
		node_set_phase(n, NODE_STOPPED);
	else
		begin(n);
	return err;
}

static void keep_skipped(struct node *n)
{
	int i;

	for (i = 0; i < HEAP_HOOKS; i++)
		node_mark_keep(&n->state->marks[i], heap_skips(n->heap, i));
}

static int end_stop(struct node *n)
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
	return end_stop(n);
}

static int end_reset(struct node *n, bool running)
{
	int i;

	heap_switch(n->heap, false);
	heap_clear(n->heap);
	for (i = 0; i < HEAP_HOOKS; i++)
		n->state->marks[i].total = 0;
	node_forget_counts(n);
	if (running)
		begin(n);
	else
		node_set_phase(n, NODE_STOPPED);
	return 0;
}

static int reset_kmem(struct node *n, struct error *e)
{
	bool running = n->state->phase == NODE_RUNNING;

	node_set_phase(n, running ? NODE_RESETTING_RUNNING : NODE_RESETTING);
	return end_reset(n, running);
}

/* A process was killed while starting it: nothing was counted, or all is attached. */
static int end_start(struct node *n)
{
	bool on = heap_is_on(n->heap);

	if (!on)
		heap_detach_pinned(&n->folder);
	node_set_phase(n, on ? NODE_RUNNING : NODE_STOPPED);
	return 0;
}

static int settle_kmem(struct node *n, struct error *e)
{
	switch (n->state->phase) {
	case NODE_RUNNING:
	case NODE_STOPPED:
		return 0;
	case NODE_STOPPING:
		return end_stop(n);
	case NODE_RESETTING:
	case NODE_RESETTING_RUNNING:
		return end_reset(n, n->state->phase == NODE_RESETTING_RUNNING);
	case NODE_STARTING:
		return end_start(n);
	}
	return node_damaged(n, NODE_PIN_STATE, -EINVAL, e);
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
	.settle = settle_kmem,
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

static int make_meta(int *fd, const struct heap *h, const struct node_kmem *what,
		     const struct facts *facts, struct error *e)
{
	const struct node_about about = {
		.name = what->name,
		.words = what->words,
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

static int fill(struct pin_folder *f, const struct node_kmem *what, struct facts *facts,
		struct error *e)
{
	struct heap *h = heap_open(what->want, facts, e);
	int meta = -1, err = h ? 0 : -EOPNOTSUPP;

	if (!err)
		err = make_meta(&meta, h, what, facts, e);
	if (!err)
		err = node_pin_both(f, meta, HEAP_HOOKS, e);
	if (!err)
		err = heap_pin(h, f, e);
	if (meta >= 0)
		close(meta);
	heap_close(h);
	return err;
}

/* As appear() in add.c: it is complete or does not exist. */
static int appear(struct pin_folder *f, const char *name, struct error *e)
{
	struct node *n = node_open_folder(f, name, NODE_CHANGE, NULL, e);
	int err;

	if (!n)
		return -EINVAL;
	begin(n);
	err = pin_commit(&n->folder, name, e);
	node_close(n);
	return err;
}

int node_add_kmem(int root, const struct node_kmem *what, struct facts *facts, struct error *e)
{
	struct pin_folder f;
	int err = pin_begin(&f, root, what->name, e);

	if (err)
		return err;
	err = fill(&f, what, facts, e);
	if (!err)
		err = appear(&f, what->name, e);
	pin_close(&f);
	return err;
}
