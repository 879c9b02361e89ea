// SPDX-License-Identifier: GPL-2.0-only
/* parts_points.c - parts of durations, compiled for this machine: see machine.h. */
#include "interval.bpf.h"
#include "parts_irq.bpf.h"
#include "parts.h"

void points_begin(struct model_call *c)
{
	const struct event ev = { .has_hook = true, .hook = c->node, .at = c->frame };
	struct parts_open o;

	parts_begin(&o, &ev);
	c->ns = bpf_ktime_get_ns();
	model_began(c);
	parts_began(&o, c->ns);
}

void points_end(struct model_call *c)
{
	struct parts_split split = {};
	struct parts_look look = {};
	struct kstats_why_wait *w;
	__u32 i;

	parts_look(&look);
	c->end_ns = bpf_ktime_get_ns();
	model_ended(c);
	parts_see(&look, c->end_ns, &split);
	w = look.p ? wait_of(look.p) : NULL;
	c->wait_ns = w && w->since_ns >= c->ns ? w->ns : 0;
	parts_end(&look, c->ns, c->end_ns - c->ns, &split);
	for (i = 0; i < KSTATS_PART_TIMES; i++)
		c->parts[i] = split.ns[i];
	c->left = split.left;
	c->known = split.known;
}
