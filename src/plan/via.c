// SPDX-License-Identifier: GPL-2.0-only
/* via.c - the distributions of stages: the time between the points that a pair passes (--via). */
#include "plan/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

/* What a stage leads to, or comes from. */
static const char *via_point(const struct plan *plan, const struct spec_point *p)
{
	if (p->is_return)
		return "return";
	if (p->next && p == &plan->spec->end)
		return "end";
	if (p->next && p == &plan->spec->start)
		return "start";
	return p->name;
}

static int via_node_add(struct plan *plan, enum snapshot_kind kind, char *name, char *what)
{
	plan->nodes[plan->n_nodes++] =
		(struct plan_node){ .name = name, .what = what, .kind = kind };
	return name && what ? 0 : -ENOMEM;
}

/* Whether a point before the @nth has its name, too. */
static bool via_name_is_used(const struct plan *plan, const struct spec_point *p, unsigned int nth)
{
	const struct spec_point *other = &plan->spec->via;

	for (; other && nth--; other = other->next)
		if (!strcmp(via_point(plan, other), via_point(plan, p)))
			return true;
	return false;
}

/* Names of nodes have few letters, see SPEC_NODE_NAME. */
static char *via_name(const struct plan *plan, const struct spec_point *p, unsigned int nth)
{
	char number[16] = "", *name, *c;

	if (via_name_is_used(plan, p, nth))
		snprintf(number, sizeof(number), "-%u", nth + 1);
	if (asprintf(&name, "%s:to-%s%s", plan->nodes[0].name, via_point(plan, p), number) < 0)
		return NULL;
	for (c = name + strlen(plan->nodes[0].name) + 1; *c; c++)
		if (!strchr(NAME_CHARS, *c))
			*c = '_';
	return name;
}

static int via_stage_add(struct plan *plan, const struct spec_point *from,
			 const struct spec_point *to, unsigned int nth)
{
	char *what;

	if (asprintf(&what, "from %s to %s", via_point(plan, from), via_point(plan, to)) < 0)
		what = NULL;
	return via_node_add(plan, SNAPSHOT_STAGE, via_name(plan, to, nth), what);
}

int plan_vias_add(struct plan *plan)
{
	const struct spec_point *p, *from = &plan->spec->start;
	unsigned int nth = 0;
	char *name, *what;
	int err = 0;

	if (!plan->n_vias)
		return 0;
	plan->via_at = plan->n_nodes;
	for (p = &plan->spec->via; !err && p; p = p->next) {
		err = via_stage_add(plan, from, p, nth++);
		from = p;
	}
	if (!err)
		err = via_stage_add(plan, from, &plan->spec->end, nth);
	if (err)
		return err;
	if (asprintf(&name, "%s:again", plan->nodes[0].name) < 0)
		name = NULL;
	if (asprintf(&what, "%s, those that passed a point again", plan->nodes[0].what) < 0)
		what = NULL;
	return via_node_add(plan, SNAPSHOT_AGAIN, name, what);
}
