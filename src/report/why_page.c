// SPDX-License-Identifier: GPL-2.0-only
/* why_page.c - what only pages have of slow calls: drawings, and the stacks of the worst ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/priv.h"
#include "util/units.h"

#define LABEL 64
#define STRIP_CALLEES (REPORT_STRIP_PARTS - 2) /* with a part of their own */

void report_why_draw(struct report *r, const struct recording *rec)
{
	struct report_part *p;

	if (!snapshot_samples(rec->whole))
		return;
	p = report_part_add(r, REPORT_CHART);
	if (!p)
		return;
	p->chart.title = "Distribution: share of calls in each 1% of the duration";
	p->chart.unit = r->look->unit;
	p->chart.from = rec->why->threshold_ns;
	if (dist_open(&p->chart.dist, rec->whole, rec->why->node, DIST_ALL_CPUS))
		r->err = -ENOMEM;
}

/* ---- strips ---- */

static struct report_strips *why_strips(struct report *r, const char *title, size_t n)
{
	struct report_part *p = report_part_add(r, REPORT_STRIPS);

	if (!p)
		return NULL;
	p->strips.title = title;
	p->strips.rows = calloc(n, sizeof(*p->strips.rows));
	if (!p->strips.rows)
		r->err = -ENOMEM;
	return p->strips.rows ? &p->strips : NULL;
}

static struct report_strip *why_strip(struct report *r, struct report_strips *x, const char *label)
{
	struct report_strip *row = &x->rows[x->n++];

	row->label = strdup(label);
	if (!row->label)
		r->err = -ENOMEM;
	return row;
}

/* Return: its number */
static size_t why_strip_part(struct report *r, struct report_strips *x, const char *name)
{
	x->parts[x->n_parts] = strdup(name);
	if (!x->parts[x->n_parts])
		r->err = -ENOMEM;
	return x->n_parts++;
}

static void why_strip_parts(struct report *r, struct report_strips *x)
{
	enum kstats_part p;

	for (p = KSTATS_PART_RUNNING; p <= KSTATS_PART_BLOCKED; p++)
		why_strip_part(r, x, report_why_part_name(p));
}

void report_why_draw_parts(struct report *r, const struct study *s)
{
	struct report_strips *x =
		s->is_split ? why_strips(r, "Mean duration in its parts", 2) : NULL;
	struct report_strip *slow, *ordinary;
	enum kstats_part p;

	if (!x)
		return;
	why_strip_parts(r, x);
	slow = why_strip(r, x, "slow");
	ordinary = why_strip(r, x, "ordinary");
	for (p = KSTATS_PART_RUNNING; p <= KSTATS_PART_BLOCKED; p++) {
		slow->ns[p] = s->parts[p].slow;
		ordinary->ns[p] = s->parts[p].ordinary;
	}
}

/* Those in which slow calls are longest, the others together, and the call itself. */
void report_why_draw_callees(struct report *r, const struct why *w, const struct study *s)
{
	struct report_strips *x =
		s->is_divided ? why_strips(r, "Mean duration in its callees", 2) : NULL;
	size_t order[WHY_CALLEES_MAX + 1], n, i, part, others = 0;
	struct report_strip *slow, *ordinary;

	if (!x)
		return;
	slow = why_strip(r, x, "slow");
	ordinary = why_strip(r, x, "ordinary");
	n = report_why_order(s->callees, w->n_callees, order);
	for (i = 0; i < n; i++) {
		if (i < STRIP_CALLEES)
			part = why_strip_part(r, x, why_callee_name(w, order[i]));
		else if (i == STRIP_CALLEES)
			part = others = why_strip_part(r, x, "other callees");
		else
			part = others;
		slow->ns[part] += s->callees[order[i]].slow;
		ordinary->ns[part] += s->callees[order[i]].ordinary;
	}
	part = why_strip_part(r, x, why_callee_name(w, w->n_callees));
	slow->ns[part] = s->callees[w->n_callees].slow;
	ordinary->ns[part] = s->callees[w->n_callees].ordinary;
}

static size_t why_count_split(const struct why *w, const struct study *s)
{
	size_t n = 0, i;

	for (i = 0; i < s->n_worst; i++)
		n += w->calls[s->worst[i]].is_split;
	return n;
}

static void why_strip_calls(struct report *r, const struct why *w, const struct study *s)
{
	struct report_strips *x =
		why_strips(r, "The slowest calls: where their time went, by thread", s->n_worst);
	struct report_strip *row;
	const struct why_call *c;
	char label[LABEL];
	enum kstats_part p;
	size_t i;

	if (x)
		why_strip_parts(r, x);
	for (i = 0; x && i < s->n_worst; i++) {
		c = &w->calls[s->worst[i]];
		if (!c->is_split)
			continue;
		snprintf(label, sizeof(label), "%u", c->tid);
		row = why_strip(r, x, label);
		for (p = KSTATS_PART_RUNNING; p <= KSTATS_PART_BLOCKED; p++)
			row->ns[p] = c->part_ns[p];
	}
}

/* ---- stacks ---- */

static void why_tell_stack(struct report *r, const struct why *w, const char *what, uint32_t stack)
{
	const struct why_stack *s = stack == WHY_NO_STACK ? NULL : &w->stacks[stack];
	char *text = NULL;
	size_t size;
	uint32_t i;
	FILE *f = s && s->n ? open_memstream(&text, &size) : NULL;

	if (!s || !s->n)
		return;
	for (i = 0; f && i < s->n; i++)
		fprintf(f, "%s%s", i ? " < " : "", s->frames[i]);
	if (!f || fclose(f) || !text)
		r->err = -ENOMEM;
	else
		report_fact(r, what, text);
	free(text);
}

static void why_tell_stacks(struct report *r, const struct why *w, const struct why_call *c)
{
	char duration[UNITS_TEXT];

	units_duration(duration, c->duration_ns, r->look->unit);
	if (w->no_task)
		report_fold(r, "Stacks of the call of %s", duration);
	else
		report_fold(r, "Stacks of the call of %s in thread %u", duration, c->tid);
	report_fact(r, "waker", c->wait.waker ? c->wait.waker : "not known");
	why_tell_stack(r, w, "waits in", c->wait.stack);
	why_tell_stack(r, w, "woken in", c->wait.waker_stack);
	why_tell_stack(r, w, "called by", c->caller);
	why_tell_stack(r, w, "program", c->user_caller);
	report_unfold(r);
}

void report_why_draw_calls(struct report *r, const struct recording *rec, const struct study *s)
{
	size_t i;

	if (why_count_split(rec->why, s))
		why_strip_calls(r, rec->why, s);
	for (i = 0; i < s->n_worst; i++)
		why_tell_stacks(r, rec->why, &rec->why->calls[s->worst[i]]);
}
