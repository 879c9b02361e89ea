// SPDX-License-Identifier: GPL-2.0-only
/* flames.c - stacks and what each of them stands for, to be drawn as a flame graph. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/keys.h"
#include "report/priv.h"

#define LEAST 2 /* stacks, below which nothing is drawn */

static struct report_flames *flames_begin(struct report *r, const char *title, size_t most)
{
	struct report_part *p = report_part_add(r, REPORT_FLAMES);

	if (!p)
		return NULL;
	p->flames.title = title;
	p->flames.unit = r->look->unit;
	p->flames.rows = calloc(most + 1, sizeof(*p->flames.rows));
	if (!p->flames.rows)
		r->err = -ENOMEM;
	return p->flames.rows ? &p->flames : NULL;
}

/* Takes @stack. */
static void flame_add(struct report *r, struct report_flames *x, char *stack, double value)
{
	if (stack)
		x->rows[x->n++] = (struct report_flame){ stack, value };
	else
		r->err = -ENOMEM;
}

/* ---- waits ---- */

/* The outermost function first, without offsets: "ksys_read;vfs_read;mutex_lock". */
static char *flame_stack(const struct why_stack *s)
{
	char *text = NULL;
	size_t size;
	uint32_t i;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (i = s->n; i--;)
		fprintf(f, "%.*s%s", (int)strcspn(s->frames[i], "+;"), s->frames[i], i ? ";" : "");
	return fclose(f) ? NULL : text;
}

void report_why_draw_waits(struct report *r, const struct why *w)
{
	struct report_flames *x = NULL;
	const struct why_call *c;
	size_t n = 0;

	for (c = w->calls; c < w->calls + w->n_calls_kept; c++)
		n += c->is_slow && c->wait.ns && c->wait.stack != WHY_NO_STACK;
	if (n >= LEAST)
		x = flames_begin(r, "The longest waits of slow calls: how long in which function",
				 n);
	for (c = w->calls; x && c < w->calls + w->n_calls_kept; c++)
		if (c->is_slow && c->wait.ns && c->wait.stack != WHY_NO_STACK)
			flame_add(r, x, flame_stack(&w->stacks[c->wait.stack]), c->wait.ns);
}

/* ---- keys ---- */

static size_t flames_of_keys(const struct snapshot *s, uint32_t owner)
{
	size_t n = 0, k;
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++)
		for (k = 0; keys_belong(s, i, owner) && k < s->nodes[i].by.n; k++)
			n += keys_is_stack(&s->nodes[i].by.rows[k]);
	return n;
}

/* The functions of the program call those of the kernel, and these call @name. */
static char *flame_key(const struct tags *by, const char *name)
{
	const char *of[2] = { "", "" };
	char *text;
	size_t i, n = 0;

	for (i = by->n; i-- && n < 2;)
		if (keys_is_stack(&by->rows[i]))
			of[n++] = by->rows[i].value;
	if (asprintf(&text, "%s%s%s;%s", of[0], n > 1 ? ";" : "", of[1], name) < 0)
		return NULL;
	return text;
}

int report_draw_keys(struct report *r, const struct snapshot *s, uint32_t owner)
{
	size_t n = flames_of_keys(s, owner);
	const char *title = *s->unit ? "The total of all samples by their stacks"
				     : "The time of all calls by their stacks";
	struct report_flames *x = n >= LEAST ? flames_begin(r, title, n) : NULL;
	struct dist d;
	uint32_t i;
	int err = 0;

	if (x)
		x->unit = snapshot_unit(s, r->look->unit);
	for (i = 0; x && !err && i < s->n_nodes; i++) {
		if (!keys_belong(s, i, owner) || s->nodes[i].kind == SNAPSHOT_OTHER)
			continue;
		err = dist_open(&d, s, i, DIST_ALL_CPUS);
		if (!err && d.samples)
			flame_add(r, x, flame_key(&s->nodes[i].by, s->nodes[owner].name),
				  dist_total(&d));
		dist_close(&d);
	}
	return err;
}
