// SPDX-License-Identifier: GPL-2.0-only
/*
 * sides.c - what a page shows of two sets of runs beside their figures: both distributions over
 * each other, the runs as points, and how each side was measured.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/about.h"
#include "report/priv.h"

#define RUNS_SHOWN 400 /* points of a drawing, at most */

/* ---- distributions ---- */

/* The samples of all runs of a side together; without samples where they cannot be merged. */
static int sides_merge(struct dist *all, const struct compare_set *set, const char *name)
{
	struct dist d;
	size_t i;
	int node, err = 0;

	*all = (struct dist){};
	for (i = 0; !err && i < set->n; i++) {
		node = snapshot_find((struct snapshot *)set->runs[i], name);
		if (node < 0)
			continue;
		err = dist_open(&d, set->runs[i], node, DIST_ALL_CPUS);
		if (!err && !all->slots) {
			*all = d;
			continue;
		}
		if (!err)
			err = dist_add(all, &d);
		dist_close(&d);
	}
	if (err)
		dist_close(all);
	if (err)
		*all = (struct dist){};
	return err == -ENOMEM ? err : 0;
}

void report_overlay(struct report *r, const struct compare_set *before,
		    const struct compare_set *after, const char *name, const char *unit)
{
	struct dist a, b;
	int err = sides_merge(&a, before, name);
	struct report_part *p;

	err |= sides_merge(&b, after, name);
	if (err)
		r->err = -ENOMEM;
	p = a.samples || b.samples ? report_part_add(r, REPORT_CHART) : NULL;
	if (!p) {
		dist_close(&a);
		dist_close(&b);
		return;
	}
	p->page = true;
	p->chart = (struct report_chart){ .unit = unit };
	p->chart.title = a.samples && b.samples
				 ? "Before and after: share of samples in each 1% of the value"
			 : a.samples ? "Before: share of samples in each 1% of the value"
				     : "Distribution: share of samples in each 1% of the value";
	p->chart.dist = a.samples ? a : b;
	if (a.samples)
		p->chart.over = b;
	else
		dist_close(&a);
}

/* ---- runs ---- */

static int sides_by_time(const void *a, const void *b)
{
	const struct report_run *x = a, *y = b;

	if (x->when_ns != y->when_ns)
		return x->when_ns < y->when_ns ? -1 : 1;
	return x->after != y->after ? x->after - y->after
				    : (x->place > y->place) - (x->place < y->place);
}

static int sides_add_runs(struct report_runs *to, const struct compare_set *set, const char *name,
			  uint32_t millionths, bool after)
{
	struct compare_figure f;
	size_t i;
	int node, err;

	for (i = 0; i < set->n; i++) {
		node = snapshot_find((struct snapshot *)set->runs[i], name);
		if (node < 0)
			continue;
		err = compare_figure(&f, set->runs[i], node, millionths);
		if (err == -ENOMEM)
			return err;
		if (!err)
			to->runs[to->n++] = (struct report_run){
				.value = f.value,
				.lo = f.bounds.lo,
				.hi = f.bounds.hi,
				.when_ns = set->runs[i]->span.wall_ns,
				.place = i + 1,
				.after = after,
			};
	}
	return 0;
}

void report_add_runs(struct report *r, const struct compare_set *before,
		     const struct compare_set *after, const struct report_runs *like)
{
	struct report_runs runs = *like;
	struct report_part *p;
	int err = 0;

	if (before->n + after->n > RUNS_SHOWN)
		return;
	runs.runs = calloc(before->n + after->n + 1, sizeof(*runs.runs));
	if (!runs.runs)
		err = -ENOMEM;
	if (!err)
		err = sides_add_runs(&runs, before, runs.name, runs.millionths, false);
	if (!err)
		err = sides_add_runs(&runs, after, runs.name, runs.millionths, true);
	if (err)
		r->err = err;
	if (!err)
		qsort(runs.runs, runs.n, sizeof(*runs.runs), sides_by_time);
	p = !err && runs.n ? report_part_add(r, REPORT_RUNS) : NULL;
	if (p) {
		p->page = true;
		p->runs = runs;
	} else {
		free(runs.runs);
	}
}

/* ---- how they were measured ---- */

/* Different texts of one side, in the order of its runs. */
struct sides_texts {
	const char *name;
	char *text; /* owned; "a; b" */
	char *last; /* owned; what was added last */
	bool failed;
};

static void sides_add_text(struct sides_texts *t, const char *name, const char *text)
{
	bool time = !strcmp(name, "recorded");
	const char *first = t->text, *between = !first ? "" : time ? " to " : "; ";
	int length = !first ? 0 : time ? (int)strcspn(first, "U") + 3 : (int)strlen(first);
	char *joined = NULL;

	if (strcmp(t->name, name) || (t->last && !strcmp(t->last, text)))
		return;
	if (t->text && strstr(t->text, text))
		return;
	if (asprintf(&joined, "%.*s%s%s", length, first ? first : "", between, text) < 0) {
		t->failed = true;
		return;
	}
	free(t->text);
	free(t->last);
	t->text = joined;
	t->last = strdup(text);
	t->failed |= !t->last;
}

static void sides_tell(void *ctx, const char *name, const char *text)
{
	sides_add_text(ctx, name, text);
}

static void sides_tell_memory(const struct about *to, const struct kmem *k)
{
	const struct recording_machine *m = &k->machine;

	if (m->cpu && *m->cpu)
		about_tell_made(to, "machine", "%s, %u CPUs online, clock %s", m->cpu,
				m->cpus_online, m->clock ? m->clock : "");
	about_tell(to, "kernel", k->kernel);
	about_tell_time(to, &k->span, 1);
	about_tell_tags(to, &k->tags);
	about_tell(to, "measured", k->filters);
	about_tell_command(to, k->command, k->status);
}

static void sides_tell_run(const struct about *to, const struct runs *runs, size_t i)
{
	const struct recording *rec;
	uint32_t k;

	if (runs->memory) {
		about_tell(to, "recording", runs->memory[i]->source);
		sides_tell_memory(to, runs->memory[i]);
		return;
	}
	rec = runs->recordings[i];
	about_tell(to, "recording", rec->source);
	about_tell(to, "kernel", rec->whole->kernel);
	about_tell(to, "backend", rec->whole->backend);
	for (k = 0; k < rec->whole->n_nodes; k++)
		about_tell(to, "method", rec->whole->nodes[k].method);
	about_each(rec, true, to);
}

static char *sides_text(struct report *r, const struct runs *runs, const char *name)
{
	struct sides_texts t = { .name = name };
	const struct about to = { sides_tell, &t };
	size_t i;

	for (i = 0; i < runs->n; i++)
		sides_tell_run(&to, runs, i);
	free(t.last);
	if (t.failed)
		r->err = -ENOMEM;
	return t.text;
}

static void sides_add_row(struct report *r, const struct report_sides *sides, const char *name)
{
	char *a = sides->before ? sides_text(r, sides->before, name) : NULL;
	char *b = sides_text(r, sides->after, name);

	if (a || b) {
		report_cell(r, name, NULL);
		if (sides->before && sides->before->n)
			report_cell(r, a, NULL);
		report_cell(r, b, NULL);
	}
	free(a);
	free(b);
}

void report_add_sides(struct report *r, const struct report_sides *sides)
{
	static const char *const names[] = { "command",  "machine",  "kernel",  "method",
					     "backend",  "measured", "MISSING", "tags",
					     "recorded", "recording" };
	static const struct report_column two[] = { { .heading = "", .kind = REPORT_WORDS },
						    { .heading = "before", .kind = REPORT_LONG },
						    { .heading = "after", .kind = REPORT_LONG },
						    {} };
	static const struct report_column one[] = { { .heading = "", .kind = REPORT_WORDS },
						    { .heading = "runs", .kind = REPORT_LONG },
						    {} };
	bool both = sides && sides->before && sides->before->n;
	char n[32];
	size_t i, first = r->n;

	if (!sides || !sides->after)
		return;
	report_heading(r, "how it was measured", NULL);
	report_table_begin(r, both ? two : one);
	report_cell(r, "runs", NULL);
	snprintf(n, sizeof(n), "%zu", both ? sides->before->n : 0);
	if (both)
		report_cell(r, n, NULL);
	snprintf(n, sizeof(n), "%zu", sides->after->n);
	report_cell(r, n, NULL);
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		sides_add_row(r, sides, names[i]);
	for (i = first; i < r->n; i++)
		r->parts[i].page = true;
}
