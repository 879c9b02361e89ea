// SPDX-License-Identifier: GPL-2.0-only
/* callees_points.c - the time in callees, compiled for this machine: see machine.h. */
#include "interval.bpf.h"
#include "callees.h"

void points_begin(struct model_caller *c)
{
	const struct event ev = { .has_hook = true, .at = c->frame };
	struct parts_open o;

	parts_begin(&o, &ev);
	c->ns = bpf_ktime_get_ns();
	parts_began(&o, c->ns);
	callees_begin(&o, c->ns);
}

void points_end(struct model_caller *c)
{
	struct parts_split split = {};
	struct parts_look look = {};

	parts_look(&look);
	c->end_ns = bpf_ktime_get_ns();
	parts_see(&look, c->end_ns, &split);
	callees_end(look.p, c->ns);
	parts_end(&look, c->ns, c->end_ns - c->ns, &split);
	callees_record(c->ns, c->end_ns - c->ns, &split);
	c->is_divided = callees_keep(c->ns, c->callee_ns);
}
