// SPDX-License-Identifier: GPL-2.0-only
/*
 * html_boxes.c - the rows of a page as boxes, as large as their bytes; those of one module are
 * together. Pages hold the objects of the other kinds, so they have no box beside these.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/priv.h"
#include "format/draw/treemap.h"
#include "format/frame.h"

#define WIDTH 1100
#define HEIGHT 420
#define TITLE 18 /* height of the name of a group */
#define LETTER 7.6 /* average width of one, at most */
#define LINE 15
#define BOXES 300 /* all smaller rows are one box */
#define GAP 1.5

/* Rows with the same module; or all of them. */
struct group {
	const char *module; /* within a name of its first row; "" is the kernel proper */
	size_t length; /* of @module */
	size_t first; /* in the sorted items */
	size_t n;
	double size;
};

/* A row, or all those that are too small. */
struct item {
	const struct kmem_entry *entry; /* NULL: those that are too small */
	size_t index; /* in the table */
	const char *module;
	size_t length;
	double size;
	double waste;
};

struct map {
	FILE *out;
	const struct kmem_table *table;
	bool live; /* sizes are live bytes */
	size_t n, n_groups, n_small;
	struct item *items;
	struct group *groups;
	struct treemap_box *boxes;
};

/* ---- what is drawn ---- */

/* "ext4" of "ext4_alloc_inode+0x1f [ext4]". */
static void set_module(const struct map *m, struct item *item)
{
	const char *name = item->entry->name, *open = strrchr(name, '[');
	size_t n = strlen(name);

	item->module = "";
	if (!kmem_group_is(&m->table->group, KMEM_SITE) || !open || open == name ||
	    open[-1] != ' ' || name[n - 1] != ']')
		return;
	item->module = open + 1;
	item->length = name + n - 1 - item->module;
}

static int by_size(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? 1 : -1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int by_module(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	size_t n = x->length < y->length ? x->length : y->length;
	int order = memcmp(x->module, y->module, n);

	if (order || x->length != y->length)
		return order ? order : x->length < y->length ? -1 : 1;
	return by_size(a, b);
}

static int by_group_size(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? 1 : -1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void take_items(struct map *m)
{
	const struct kmem_table *t = m->table;
	const struct kmem_sums *sums;
	struct item *small, *item;
	size_t i;

	for (i = 0; i < t->n; i++) {
		item = &m->items[m->n];
		*item = (struct item){ .entry = &t->entries[i], .index = i };
		sums = &item->entry->sums;
		item->size = m->live ? sums->live_alloc : sums->alloc;
		item->waste = !m->live ? sums->waste
			      : sums->live_alloc > sums->live_req
				      ? sums->live_alloc - sums->live_req
				      : 0;
		if (item->entry->kind == KSTATS_KMEM_PAGES || item->size <= 0)
			continue;
		set_module(m, item);
		m->n++;
	}
	qsort(m->items, m->n, sizeof(*m->items), by_size);
	if (m->n <= BOXES)
		return;
	small = &m->items[BOXES - 1];
	small->entry = NULL;
	small->module = "";
	small->length = 0;
	for (m->n_small = 1, i = BOXES; i < m->n; i++, m->n_small++) {
		small->size += m->items[i].size;
		small->waste += m->items[i].waste;
	}
	m->n = BOXES;
}

static void make_groups(struct map *m)
{
	struct group *g = NULL;
	size_t i;

	qsort(m->items, m->n, sizeof(*m->items), by_module);
	for (i = 0; i < m->n; i++) {
		if (!g || g->length != m->items[i].length ||
		    memcmp(g->module, m->items[i].module, g->length)) {
			g = &m->groups[m->n_groups++];
			*g = (struct group){ m->items[i].module, m->items[i].length, i, 0, 0 };
		}
		g->n++;
		g->size += m->items[i].size;
	}
	qsort(m->groups, m->n_groups, sizeof(*m->groups), by_group_size);
}

/* ---- drawing ---- */

/* Text cut to the width of a box. Text that is not ASCII is left out: its width is not known. */
static void draw_text(const struct map *m, const struct treemap_area *a, double y, const char *text,
		      size_t n, const char *color)
{
	size_t room = a->width > 8 ? (a->width - 8) / LETTER : 0, i;
	char cut[128];

	for (i = 0; i < n; i++)
		if (text[i] < ' ' || text[i] > '~')
			return;
	if (room < 4)
		return;
	room = room < sizeof(cut) - 1 ? room : sizeof(cut) - 1;
	if (n > room)
		snprintf(cut, sizeof(cut), "%.*s~", (int)room - 1, text);
	else
		snprintf(cut, sizeof(cut), "%.*s", (int)n, text);
	fprintf(m->out,
		"<text x=\"%.1f\" y=\"%.1f\" "
		"style=\"fill:var(--%s);font-size:13px;pointer-events:none\">",
		a->x + 4, y, color);
	html_text(m->out, cut);
	fputs("</text>\n", m->out);
}

static void draw_rect(const struct map *m, const char *class, struct treemap_area a)
{
	if (a.width > 0 && a.height > 0)
		fprintf(m->out,
			"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"",
			class, a.x, a.y, a.width, a.height);
}

/* Without the module, which stands above the group. */
static size_t name_length(const struct item *item, const char *name)
{
	return item->length ? item->module - name - strlen(" [") : strlen(name);
}

static void draw_item(const struct map *m, const struct item *item, struct treemap_area a)
{
	char text[UNITS_TEXT], waste[UNITS_TEXT], others[64];
	const char *name = item->entry ? item->entry->name : others;
	struct treemap_area end;
	FILE *out = m->out;

	snprintf(others, sizeof(others), "%zu smaller", m->n_small);
	a.width -= GAP;
	a.height -= GAP;
	if (a.width <= 0 || a.height <= 0)
		return;
	draw_rect(m, "bar", a);
	fputs("><title>", out);
	html_text(out, name);
	fprintf(out, ": %s, of them %s waste</title></rect>\n", units_bytes(text, item->size),
		units_bytes(waste, item->waste));
	end = a;
	end.height = a.height * (item->size > 0 ? item->waste / item->size : 0);
	end.y += a.height - end.height;
	if (end.height >= 0.5) {
		draw_rect(m, "dot", end);
		fputs(" style=\"pointer-events:none\"/>\n", out);
	}
	if (a.height >= LINE + 2)
		draw_text(m, &a, a.y + LINE - 2, name, name_length(item, name), "bg");
	if (a.height >= 2 * LINE + 2 && a.width - 8 >= strlen(text) * LETTER)
		draw_text(m, &a, a.y + 2 * LINE - 2, text, strlen(text), "bg");
}

static void draw_group(const struct map *m, const struct group *g, struct treemap_area a)
{
	const char *module = g->length ? g->module : "kernel";
	bool titled = m->n_groups > 1 && a.height > 3 * TITLE && a.width > 40;
	size_t i;

	a.width -= m->n_groups > 1 ? 2 * GAP : 0;
	a.height -= m->n_groups > 1 ? 2 * GAP : 0;
	if (titled) {
		draw_text(m, &a, a.y + TITLE - 5, module, g->length ? g->length : strlen(module),
			  "soft");
		a.y += TITLE;
		a.height -= TITLE;
	}
	if (a.width <= 0 || a.height <= 0)
		return;
	for (i = 0; i < g->n; i++)
		m->boxes[i].size = m->items[g->first + i].size;
	treemap_layout(m->boxes, g->n, a);
	for (i = 0; i < g->n; i++)
		draw_item(m, &m->items[g->first + i], m->boxes[i].area);
}

static int boxes_draw(struct map *m)
{
	struct treemap_box *groups = calloc(m->n_groups, sizeof(*groups));
	FILE *out = m->out;
	size_t i;

	if (!groups)
		return -ENOMEM;
	fprintf(out,
		"<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
		"viewBox=\"0 0 %d %d\" aria-label=\"Bytes by ",
		WIDTH, HEIGHT);
	html_text(out, m->table->group.by);
	fputs("\">\n", out);
	for (i = 0; i < m->n_groups; i++)
		groups[i].size = m->groups[i].size;
	treemap_layout(groups, m->n_groups, (struct treemap_area){ 0, 0, WIDTH, HEIGHT });
	for (i = 0; i < m->n_groups; i++)
		draw_group(m, &m->groups[i], groups[i].area);
	fputs("</svg>\n", out);
	free(groups);
	return 0;
}

int html_boxes(FILE *out, const struct report_boxes *boxes)
{
	struct map m = { .out = out, .table = boxes->table, .live = boxes->live };
	int err = -ENOMEM;

	m.items = calloc(m.table->n + 1, sizeof(*m.items));
	m.groups = calloc(m.table->n + 1, sizeof(*m.groups));
	m.boxes = calloc(m.table->n + 1, sizeof(*m.boxes));
	if (m.items && m.groups && m.boxes) {
		take_items(&m);
		make_groups(&m);
		err = m.n > 1 ? boxes_draw(&m) : 0;
	}
	free(m.items);
	free(m.groups);
	free(m.boxes);
	return err;
}
