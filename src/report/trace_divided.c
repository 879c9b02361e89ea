// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_divided.c - where the time of calls went, a table for each way to divide it: into parts
 * (--parts), into stages between points (--via), among the functions that were called (--callees).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/trace.h"
#include "result/ledger.h"
#include "result/parts.h"

#define STAGE_BEGIN "to-"
#define CALLEE_BEGIN ":in-"
#define REST "not traced: "
#define COLUMNS 7 /* of a table, at most */

/* A part of the time of calls. */
struct divided_row {
	char *name; /* owned */
	struct dist d;
};

/* A way to divide it. */
struct divided {
	const char *heading; /* of the names */
	const char *calls; /* heading of their number; NULL: all are in each row */
	bool max; /* there is room for it */
	enum report_column_kind kind; /* of the names */
	size_t n;
	struct divided_row *rows; /* owned */
	double total; /* ns */
};

static const char *const part_names[] = {
	[KSTATS_PART_RUNNING] = "running",         [KSTATS_PART_RUNNABLE] = "runnable",
	[KSTATS_PART_SLEEPING] = "sleeping",       [KSTATS_PART_BLOCKED] = "blocked",
	[KSTATS_PART_INTERRUPTED] = "interrupted",
};

static void divided_free(struct divided *v)
{
	while (v->n) {
		dist_close(&v->rows[--v->n].d);
		free(v->rows[v->n].name);
	}
	free(v->rows);
}

/* The columns are those of a table with its names. */
static void divided_begin(const struct trace_of *x, const struct divided *v)
{
	struct report_column columns[COLUMNS + 1] = {
		{ .heading = v->heading, .kind = v->kind, .lead = v->kind == REPORT_NAME }
	};
	size_t n = 1;

	if (v->calls)
		columns[n++].heading = v->calls;
	columns[n++].heading = "mean";
	columns[n++].heading = "share";
	columns[n++].heading = "p50 up to";
	columns[n++].heading = "p99 up to";
	if (v->max)
		columns[n++].heading = "max up to";
	report_table_begin(x->r, columns);
}

static void divided_add_row(const struct trace_of *x, const struct divided *v,
			    const struct divided_row *row)
{
	const struct dist *d = &row->d;
	bool some = !v->calls || d->samples;
	char text[UNITS_TEXT];

	report_cell(x->r, row->name, NULL);
	if (v->calls)
		report_cell(x->r, units_count(text, d->samples), NULL);
	report_cell(x->r, some ? units_duration(text, dist_mean(d), x->unit) : NULL, NULL);
	report_cell(x->r,
		    some ? units_percent(text, (uint64_t)dist_total(d), (uint64_t)v->total) : NULL,
		    NULL);
	report_cell(x->r, some ? units_duration(text, dist_quantile(d, 500000).hi, x->unit) : NULL,
		    NULL);
	report_cell(x->r, some ? units_duration(text, dist_quantile(d, 990000).hi, x->unit) : NULL,
		    NULL);
	if (v->max)
		report_cell(x->r, units_duration(text, dist_quantile(d, DIST_ONE).hi, x->unit),
			    NULL);
}

static void divided_add(const struct trace_of *x, const struct divided *v)
{
	size_t i;

	divided_begin(x, v);
	for (i = 0; i < v->n; i++)
		divided_add_row(x, v, &v->rows[i]);
}

/* A row for a distribution of @s. */
static int divided_take(struct divided *v, const struct snapshot *s, uint32_t node, char *name)
{
	struct divided_row *row = &v->rows[v->n];
	int err = dist_open(&row->d, s, node, DIST_ALL_CPUS);

	row->name = name;
	v->total += err ? 0 : dist_total(&row->d);
	v->n++;
	return name ? err : -ENOMEM;
}

/* ---- parts ---- */

static void parts_say_stayed(const struct trace_of *x, const struct parts *p,
			     const struct dist *stayed)
{
	const struct dist *left = &p->of[KSTATS_PART_LEFT];
	char share[UNITS_TEXT], a[UNITS_TEXT], b[UNITS_TEXT];

	if (!stayed->samples || !left->samples)
		report_say(x->r, REPORT_SOFT, "%s",
			   left->samples ? "Every call left the processor."
					 : "No call left the processor.");
	else
		report_say(x->r, REPORT_SOFT,
			   "%s of the calls never left the processor, p99 up to %s; the others "
			   "did, p99 up to %s",
			   units_percent(share, stayed->samples, stayed->samples + left->samples),
			   units_duration(a, dist_quantile(stayed, 990000).hi, x->unit),
			   units_duration(b, dist_quantile(left, 990000).hi, x->unit));
}

static void parts_say(const struct trace_of *x, const struct parts *p, const struct dist *stayed)
{
	uint64_t unsplit = p->of[KSTATS_PART_UNSPLIT].samples;
	char n[UNITS_TEXT];

	report_say(x->r, REPORT_SOFT, "interrupted is a part of running, and a lower bound");
	parts_say_stayed(x, p, stayed);
	if (unsplit)
		report_say(x->r, REPORT_SOFT,
			   "%s call%s left out here: their parts are not known (unsplit)",
			   units_count(n, unsplit), unsplit == 1 ? " is" : "s are");
}

/* Takes the distributions over, so that they are closed once. */
static int parts_take(struct divided *v, struct parts *p)
{
	int part, err = 0;

	v->total = parts_total(p);
	v->rows = calloc(KSTATS_PART_INTERRUPTED + 1, sizeof(*v->rows));
	for (part = 0; v->rows && !err && part <= KSTATS_PART_INTERRUPTED; part++) {
		v->rows[v->n].name = strdup(part_names[part]);
		v->rows[v->n].d = p->of[part];
		p->of[part] = (struct dist){};
		err = v->rows[v->n++].name ? 0 : -ENOMEM;
	}
	return v->rows ? err : -ENOMEM;
}

static int divided_parts(const struct trace_of *x, const struct snapshot *s, uint32_t owner)
{
	struct divided v = { .heading = "time spent", .kind = REPORT_WORDS, .max = true };
	struct dist stayed = {};
	struct parts p;
	int err = parts_open(&p, s, owner);

	if (!err && counts_samples(s->nodes[owner].counts)) {
		err = parts_stayed(&p, s, owner, &stayed);
		if (!err)
			err = parts_take(&v, &p);
		if (!err) {
			divided_add(x, &v);
			parts_say(x, &p, &stayed);
		}
	}
	divided_free(&v);
	dist_close(&stayed);
	parts_close(&p);
	return err == -ENOENT ? 0 : err;
}

static int divided_add_shares(const struct trace_of *x, const struct snapshot *s, uint32_t owner)
{
	struct parts p;
	char share[UNITS_TEXT];
	int part, err = parts_open(&p, s, owner);
	double total = err ? 0 : parts_total(&p);

	if (total > 0)
		report_cell(x->r, s->nodes[owner].name, NULL);
	for (part = 0; total > 0 && part <= KSTATS_PART_INTERRUPTED; part++)
		report_cell(
			x->r,
			units_percent(share, (uint64_t)dist_total(&p.of[part]), (uint64_t)total),
			NULL);
	parts_close(&p);
	return err == -ENOENT ? 0 : err;
}

int trace_shares(const struct trace_of *x, const struct snapshot *s)
{
	struct report_column columns[KSTATS_PART_INTERRUPTED + 3] = {
		{ .heading = "time spent", .kind = REPORT_NAME, .lead = true }
	};
	uint32_t i = 0;
	int part, err = 0;

	while (i < s->n_nodes && snapshot_part(s, i, SNAPSHOT_RUNNING) < 0)
		i++;
	if (i == s->n_nodes)
		return 0;
	for (part = 0; part <= KSTATS_PART_INTERRUPTED; part++)
		columns[1 + part].heading = part_names[part];
	report_table_begin(x->r, columns);
	for (i = 0; !err && i < s->n_nodes; i++)
		if (ledger_is_owner(s, i))
			err = divided_add_shares(x, s, i);
	return err;
}

/* ---- stages ---- */

static bool stages_is_one(const struct snapshot *s, uint32_t owner, uint32_t node)
{
	return s->nodes[node].kind == SNAPSHOT_STAGE && s->nodes[node].owner == owner;
}

/* The name of a stage without that of its owner: "block_rq_issue". */
static const char *stages_point(const struct snapshot *s, uint32_t owner, uint32_t node)
{
	const char *name = s->nodes[node].name, *of = s->nodes[owner].name;
	size_t length = strlen(of);

	if (!strncmp(name, of, length) && name[length] == ':')
		name += length + 1;
	return strncmp(name, STAGE_BEGIN, strlen(STAGE_BEGIN)) ? name : name + strlen(STAGE_BEGIN);
}

static char *stages_name(const struct snapshot *s, uint32_t owner, uint32_t node)
{
	char *text = NULL;

	return asprintf(&text, "to %s", stages_point(s, owner, node)) < 0 ? NULL : text;
}

static void stages_say(const struct trace_of *x, const struct snapshot *s, uint32_t owner,
		       uint64_t calls)
{
	char a[UNITS_TEXT], b[UNITS_TEXT];
	uint64_t n, again = 0;
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++) {
		n = counts_samples(s->nodes[i].counts);
		if (s->nodes[i].owner == owner && s->nodes[i].kind == SNAPSHOT_AGAIN)
			again = n;
		if (stages_is_one(s, owner, i) && n < calls)
			report_say(x->r, REPORT_SOFT,
				   "%s of %s calls did not pass %s, or not in this order: their "
				   "time is in the next stage",
				   units_count(a, calls - n), units_count(b, calls),
				   stages_point(s, owner, i));
	}
	if (again)
		report_say(x->r, REPORT_SOFT, "%s call%s passed a point again: the %s time counts",
			   units_count(a, again), units_plural(again),
			   strstr(s->nodes[owner].what, " via the first ") ? "first" : "last");
}

int trace_stages(const struct trace_of *x, const struct snapshot *s, uint32_t owner)
{
	struct divided v = { .heading = "stage", .calls = "calls", .kind = REPORT_NAME };
	uint32_t i;
	int err = 0;

	v.rows = calloc(s->n_nodes + 1, sizeof(*v.rows));
	for (i = 0; v.rows && !err && i < s->n_nodes; i++)
		if (stages_is_one(s, owner, i))
			err = divided_take(&v, s, i, stages_name(s, owner, i));
	/* All calls are in the last stage. */
	if (v.rows && !err && v.n && v.rows[v.n - 1].d.samples) {
		divided_add(x, &v);
		stages_say(x, s, owner, v.rows[v.n - 1].d.samples);
	}
	err = v.rows ? err : -ENOMEM;
	divided_free(&v);
	return err;
}

/* ---- callees ---- */

static int callees_by_total(const void *a, const void *b)
{
	double x = dist_total(&((const struct divided_row *)a)->d);
	double y = dist_total(&((const struct divided_row *)b)->d);

	return (x < y) - (x > y);
}

static const char *callees_name(const struct snapshot_node *node, const struct snapshot_node *owner)
{
	size_t n = strlen(owner->name);

	if (node->kind == SNAPSHOT_SELF)
		return "self";
	if (strncmp(node->name, owner->name, n) ||
	    strncmp(node->name + n, CALLEE_BEGIN, strlen(CALLEE_BEGIN)))
		return node->name;
	return node->name + n + strlen(CALLEE_BEGIN);
}

/* The programs on it were refused. */
static bool callees_is_refused(const struct snapshot_node *node)
{
	return node->kind == SNAPSHOT_CALLEE && !strcmp(node->method, "none");
}

static void callees_say_refused(struct report *r, const struct snapshot *s, uint32_t owner)
{
	const struct snapshot_node *nodes = s->nodes;
	char *text = NULL;
	size_t size, n = 0;
	FILE *f = open_memstream(&text, &size);
	uint32_t i;

	for (i = 0; f && i < s->n_nodes; i++)
		if (callees_is_refused(&nodes[i]) && nodes[i].owner == owner)
			fprintf(f, "%s%s", n++ ? " and " : "",
				callees_name(&nodes[i], &nodes[owner]));
	if (!f || fclose(f) || !text)
		r->err = -ENOMEM;
	else if (n)
		report_say(r, REPORT_SOFT, "Refused by the kernel, and so counted as self: %s.",
			   text);
	free(text);
}

void report_untraced_callees(struct report *r, const struct snapshot *s, uint32_t owner)
{
	int self = snapshot_part(s, owner, SNAPSHOT_SELF);
	const char *rest = self >= 0 ? strstr(s->nodes[self].what, REST) : NULL;

	if (rest)
		report_say(r, REPORT_SOFT, "Not traced, and so counted as self: %s.",
			   rest + strlen(REST));
	callees_say_refused(r, s, owner);
}

static void callees_say(const struct trace_of *x, const struct snapshot *s, uint32_t owner,
			uint64_t undivided)
{
	char n[UNITS_TEXT];

	report_untraced_callees(x->r, s, owner);
	if (undivided)
		report_say(x->r, REPORT_SOFT,
			   "%s call%s not divided, as NAME:undivided: in interrupts, nested more "
			   "than 4 deep, or where an entry or a return of a callee may have been "
			   "missed",
			   units_count(n, undivided), undivided == 1 ? " is" : "s are");
}

static int divided_callees(const struct trace_of *x, const struct snapshot *s, uint32_t owner)
{
	struct divided v = { .heading = "time in", .calls = "in calls", .kind = REPORT_NAME };
	const struct snapshot_node *nodes = s->nodes;
	uint64_t undivided = 0;
	uint32_t i;
	int err = 0;

	v.rows = calloc(s->n_nodes + 1, sizeof(*v.rows));
	for (i = 0; v.rows && !err && i < s->n_nodes; i++) {
		if (nodes[i].owner != owner)
			continue;
		if (nodes[i].kind == SNAPSHOT_UNDIVIDED)
			undivided = counts_samples(nodes[i].counts);
		if (nodes[i].kind == SNAPSHOT_SELF ||
		    (nodes[i].kind == SNAPSHOT_CALLEE && !callees_is_refused(&nodes[i])))
			err = divided_take(&v, s, i,
					   strdup(callees_name(&nodes[i], &nodes[owner])));
	}
	if (!err && v.n && (v.total > 0 || undivided)) {
		qsort(v.rows, v.n, sizeof(*v.rows), callees_by_total);
		divided_add(x, &v);
		callees_say(x, s, owner, undivided);
	}
	err = v.rows ? err : -ENOMEM;
	divided_free(&v);
	return err;
}

int trace_divided(const struct trace_of *x, const struct snapshot *s, uint32_t owner)
{
	int err = divided_parts(x, s, owner);

	if (!err)
		err = trace_stages(x, s, owner);
	return err ? err : divided_callees(x, s, owner);
}
