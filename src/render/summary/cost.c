// SPDX-License-Identifier: GPL-2.0-only
/* cost.c - the overhead, if it is known. */
#include "report/costs.h"
#include "render/summary/summary.h"

#define INDENT 10

static void print_cost(const struct report *r, const struct cost *c, bool named)
{
	struct text_flow f = { r->out, r->o->width, INDENT, INDENT, false };
	char text[COSTS_TEXT];

	fprintf(r->out, "\n  floor   ");
	if (named)
		text_flow_add(&f, "%s:", c->method);
	text_flow_words(&f, costs_text(c, r->o->unit, text));
	fputc('\n', r->out);
}

void report_cost(const struct report *r, uint32_t node)
{
	const struct cost *c = recording_cost(r->rec, node);

	if (c)
		print_cost(r, c, false);
}

void report_costs(const struct report *r)
{
	size_t i;

	for (i = 0; i < r->rec->costs.n; i++)
		print_cost(r, &r->rec->costs.rows[i], true);
}
