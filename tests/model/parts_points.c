// SPDX-License-Identifier: GPL-2.0-only
/* parts_points.c - parts of durations, compiled for this machine: see machine.h. */
#include "parts.bpf.h"
#include "parts.h"

void points_begin(struct model_call *c)
{
	struct parts_open o;

	parts_begin(&o);
	c->ns = bpf_ktime_get_ns();
	model_began(c);
	parts_began(&o, c->ns);
}

void points_end(struct model_call *c)
{
	struct parts_split split = {};
	struct parts_look look = {};
	__u32 i;

	parts_look(&look);
	c->end_ns = bpf_ktime_get_ns();
	model_ended(c);
	parts_see(&look, c->end_ns, &split);
	parts_end(&look, c->ns, c->end_ns - c->ns, &split);
	for (i = 0; i < KSTATS_PART_TIMES; i++)
		c->parts[i] = split.ns[i];
	c->left = split.left;
	c->known = split.known;
}
