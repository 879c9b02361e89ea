// SPDX-License-Identifier: GPL-2.0-only
/*
 * state.c - what a node keeps of the kernel's counts and of the time, so that
 * killing a process between any two stores does no harm. What is true while the node runs and
 * what is true while it does not are kept in separate words, and one store of the phase
 * switches between them. Pure.
 */
#include "node/priv.h"

bool node_runs(const struct node_state *st)
{
	return st->phase == NODE_RUNNING;
}

void node_mark_keep(struct node_mark *m, uint64_t count)
{
	m->total = count + m->offset;
}

void node_mark_begin(struct node_mark *m, uint64_t count)
{
	m->offset = m->total - count;
}

uint64_t node_mark_skipped(const struct node_state *st, const struct node_mark *m, uint64_t count)
{
	return node_runs(st) ? count + m->offset : m->total;
}

void node_time_keep(struct node_state *st, uint64_t now)
{
	st->active_ns = now - st->since_ns;
}

void node_time_begin(struct node_state *st, uint64_t now)
{
	st->since_ns = now - st->active_ns;
}

uint64_t node_time_active(const struct node_state *st, uint64_t now)
{
	return node_runs(st) ? now - st->since_ns : st->active_ns;
}
