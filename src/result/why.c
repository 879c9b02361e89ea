// SPDX-License-Identifier: GPL-2.0-only
/* why.c - the life of single calls: see why.h. */
#include "result/why.h"

#include <stdlib.h>
#include <string.h>

static void why_free_call(struct why_call *c, size_t n_fields)
{
	size_t i;

	for (i = 0; c->values && i < n_fields; i++)
		free(c->values[i]);
	free(c->values);
	free(c->callee_ns);
	free(c->wait.waker);
	free(c->samples);
}

static void why_free_stack(struct why_stack *s)
{
	uint32_t i;

	for (i = 0; s->frames && i < s->n; i++)
		free(s->frames[i]);
	free(s->frames);
}

void why_free(struct why *w)
{
	size_t i;

	if (!w)
		return;
	for (i = 0; w->calls && i < w->n_calls_kept; i++)
		why_free_call(&w->calls[i], w->n_fields);
	for (i = 0; w->callees && i < w->n_callees; i++)
		free(w->callees[i]);
	for (i = 0; w->fields && i < w->n_fields; i++)
		free(w->fields[i].name);
	for (i = 0; w->values && i < w->n_values; i++)
		free(w->values[i].text);
	for (i = 0; w->stacks && i < w->n_stacks; i++)
		why_free_stack(&w->stacks[i]);
	for (i = 0; w->lost && i < w->n_lost; i++)
		free(w->lost[i].name);
	free(w->calls);
	free(w->callees);
	free(w->fields);
	free(w->values);
	free(w->stacks);
	free(w->lost);
	free(w);
}

const char *why_callee_name(const struct why *w, size_t i)
{
	return i < w->n_callees ? w->callees[i] : "self";
}

int why_longest_in(const struct why *w, const struct why_call *c)
{
	size_t best = w->n_callees, i;

	if (!c->callee_ns)
		return -1;
	for (i = 0; i < w->n_callees; i++)
		if (c->callee_ns[i] > c->callee_ns[best])
			best = i;
	return best;
}
