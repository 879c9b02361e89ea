// SPDX-License-Identifier: GPL-2.0-only
/* callees.c - the time of calls in functions that they call (--callees), as a table. */
#include "render/summary/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/ledger.h"
#include "result/parts.h"

#define NAME_WIDTH 27
#define NAME_BEGIN ":in-"
#define REST "not traced: "

/** struct callees_row - a callee, or the function itself */
struct callees_row {
	const char *name;
	struct dist d;
};

static int callees_by_total(const void *a, const void *b)
{
	double x = dist_total(&((const struct callees_row *)a)->d);
	double y = dist_total(&((const struct callees_row *)b)->d);

	return (x < y) - (x > y);
}

static const char *callees_name(const struct snapshot_node *node, const struct snapshot_node *owner)
{
	const char *name = node->name + strlen(owner->name);

	if (node->kind == SNAPSHOT_SELF)
		return "itself";
	return strncmp(name, NAME_BEGIN, strlen(NAME_BEGIN)) ? node->name
							     : name + strlen(NAME_BEGIN);
}

static void callees_print(const struct report *r, const struct callees_row *row, double total)
{
	fprintf(r->out, "  ");
	text_safe(r->out, row->name, NAME_WIDTH - 3);
	report_share(r, &row->d, total);
}

/* The programs on it were refused. */
static bool callees_is_refused(const struct snapshot_node *node)
{
	return node->kind == SNAPSHOT_CALLEE && !strcmp(node->method, "none");
}

static bool callees_has_refused(const struct report *r, uint32_t owner)
{
	uint32_t i;

	for (i = 0; i < r->all->n_nodes; i++)
		if (callees_is_refused(&r->all->nodes[i]) && r->all->nodes[i].owner == owner)
			return true;
	return false;
}

static void callees_say_refused(const struct report *r, uint32_t owner, struct text_flow *f)
{
	const struct snapshot_node *nodes = r->all->nodes;
	bool any = false;
	uint32_t i;

	for (i = 0; i < r->all->n_nodes; i++) {
		if (!callees_is_refused(&nodes[i]) || nodes[i].owner != owner)
			continue;
		text_flow_words(f, any ? "and" : "refused by the kernel, and so part of itself:");
		text_flow_words(f, callees_name(&nodes[i], &nodes[owner]));
		any = true;
	}
}

static void render_callees_rest(const struct report *r, uint32_t owner, const char *what,
				uint64_t undivided)
{
	const char *rest = strstr(what, REST);
	struct text_flow f = { r->out, r->o->width, 2, 4, false };
	char n[UNITS_TEXT];

	if (rest) {
		fprintf(r->out, "  ");
		text_flow_words(&f, "not traced, and so part of itself:");
		text_flow_words(&f, rest + strlen(REST));
		fputc('\n', r->out);
		f = (struct text_flow){ r->out, r->o->width, 2, 4, false };
	}
	if (callees_has_refused(r, owner)) {
		fprintf(r->out, "  ");
		callees_say_refused(r, owner, &f);
		fputc('\n', r->out);
		f = (struct text_flow){ r->out, r->o->width, 2, 4, false };
	}
	if (!undivided)
		return;
	fprintf(r->out, "  ");
	text_flow_add(&f, "%s call%s", units_count(n, undivided), undivided == 1 ? "" : "s");
	text_flow_words(&f, undivided == 1 ? "is" : "are");
	text_flow_words(
		&f,
		"not divided, as NAME:undivided: in interrupts, nested more than 4 deep, or where "
		"an entry or a return of a callee may have been missed");
	fputc('\n', r->out);
}

int report_callees(const struct report *r, uint32_t owner)
{
	const struct snapshot_node *nodes = r->all ? r->all->nodes : NULL;
	struct callees_row *rows = NULL;
	uint64_t undivided = 0;
	const char *what = "";
	double total = 0;
	uint32_t i, n = 0;
	int err = 0;

	if (!nodes)
		return 0;
	rows = calloc(r->all->n_nodes, sizeof(*rows));
	for (i = 0; rows && !err && i < r->all->n_nodes; i++) {
		if (nodes[i].owner != owner)
			continue;
		if (nodes[i].kind == SNAPSHOT_UNDIVIDED)
			undivided = counts_samples(nodes[i].counts);
		if (nodes[i].kind == SNAPSHOT_SELF)
			what = nodes[i].what;
		if ((nodes[i].kind != SNAPSHOT_SELF && nodes[i].kind != SNAPSHOT_CALLEE) ||
		    callees_is_refused(&nodes[i]))
			continue;
		rows[n].name = callees_name(&nodes[i], &nodes[owner]);
		err = dist_open(&rows[n].d, r->all, i, DIST_ALL_CPUS);
		total += err ? 0 : dist_total(&rows[n++].d);
	}
	if (!err && n && (total || undivided)) {
		qsort(rows, n, sizeof(*rows), callees_by_total);
		fprintf(r->out, "\n  %s%-*s %9s %10s %8s %11s %11s%s\n",
			text_color(r->o->color, TEXT_FAINT), NAME_WIDTH - 3, "time in", "in calls",
			"mean", "share", "p50 up to", "p99 up to",
			text_color(r->o->color, TEXT_PLAIN));
		for (i = 0; i < n; i++)
			callees_print(r, &rows[i], total);
		render_callees_rest(r, owner, what, undivided);
	}
	for (i = 0; i < n; i++)
		dist_close(&rows[i].d);
	free(rows);
	return rows ? err : -ENOMEM;
}
