// SPDX-License-Identifier: GPL-2.0-only
/* view.c - which rows are shown, and what keys do. */
#include "screen/priv.h"

#include <stdlib.h>
#include <string.h>

const char *screen_unit(const struct screen *s, const struct screen_row *row)
{
	return *row->unit ? row->unit : s->unit;
}

/* ---- order ---- */

static double view_figure(const struct screen *s, const struct screen_row *row)
{
	struct screen_figures f = screen_figures(s, row);
	double ns = f.ns ? f.ns : 1;

	/* Rows without figures come last. */
	if (!f.samples)
		return row->why ? -3 : -2;
	/* Bytes are not compared with durations: they come behind these, by their rate. */
	if (*row->unit && s->order != SCREEN_BY_RATE)
		return -1 / (1 + f.samples / ns);
	switch (s->order) {
	case SCREEN_BY_RATE:
		return f.samples / ns;
	case SCREEN_BY_P50:
		return f.p50;
	case SCREEN_BY_P99:
		return f.p99;
	case SCREEN_BY_MAX:
		return f.max;
	case SCREEN_BY_TIME:
		return f.total / ns;
	default:
		return 0;
	}
}

static int view_by_figure(const struct screen *s, double x, double y)
{
	if (s->order == SCREEN_AS_GIVEN || x == y)
		return 0;
	/* Those without figures come last in either direction. */
	if (s->reversed && x >= 0 && y >= 0)
		return x < y ? -1 : 1;
	return x < y ? 1 : -1;
}

static int view_by_number(unsigned int x, unsigned int y)
{
	return x == y ? 0 : x < y ? -1 : 1;
}

/* Keys stand below the row of all keys together, which tells whose they are. */
static int view_compare(const void *a, const void *b, void *ctx)
{
	const struct screen_row *x = *(struct screen_row *const *)a;
	const struct screen_row *y = *(struct screen_row *const *)b;

	if (x->owner != y->owner)
		return view_by_figure(ctx, x->owner->figure, y->owner->figure)
			       ?: view_by_number(x->source, y->source)
			       ?: view_by_number(x->owner->number, y->owner->number);
	if (x->owner == x || y->owner == y)
		return (y->owner == y) - (x->owner == x);
	return view_by_figure(ctx, x->figure, y->figure) ?: view_by_number(x->number, y->number);
}

static bool view_has(const struct screen *s, const struct screen_row *row)
{
	return !*s->search || strcasestr(row->name, s->search);
}

void screen_sort(struct screen *s)
{
	const struct screen_row *chosen = s->chosen < s->n_shown ? s->shown[s->chosen] : NULL;
	unsigned int i, n = 0;

	for (i = 0; i < s->n_rows; i++) {
		s->rows[i]->figure = view_figure(s, s->rows[i]);
		if (view_has(s, s->rows[i]))
			s->shown[n++] = s->rows[i];
	}
	qsort_r(s->shown, n, sizeof(*s->shown), view_compare, s);
	s->n_shown = n;
	/* A row stays chosen wherever it comes; but the first place is that of the first. */
	for (i = 0; i < n; i++)
		if (s->shown[i] == chosen && (s->chosen || s->mode == SCREEN_ROW))
			s->chosen = i;
	if (s->chosen >= n)
		s->chosen = n ? n - 1 : 0;
}

/* ---- keys ---- */

static void view_search(struct screen *s, int key)
{
	size_t length = strlen(s->search);

	if (key == SCREEN_ENTER || key == SCREEN_ESCAPE) {
		s->searching = false;
		if (key == SCREEN_ESCAPE)
			*s->search = '\0';
	} else if (key == SCREEN_ERASE && length) {
		s->search[length - 1] = '\0';
	} else if (key >= ' ' && key < SCREEN_ERASE && length + 1 < sizeof(s->search)) {
		s->search[length] = key;
		s->search[length + 1] = '\0';
	}
	s->chosen = s->top = 0;
}

static void view_move(struct screen *s, int by)
{
	int64_t to = (int64_t)s->chosen + by;

	s->chosen = to < 0 || !s->n_shown ? 0 : to >= s->n_shown ? s->n_shown - 1 : to;
}

static void view_order(struct screen *s, int by)
{
	s->order = (s->order + SCREEN_ORDERS + by) % SCREEN_ORDERS;
}

static void view_list_key(struct screen *s, int key)
{
	static const struct {
		int key;
		int by;
	} moves[] = {
		{ SCREEN_UP, -1 },         { 'k', -1 },
		{ SCREEN_DOWN, 1 },        { 'j', 1 },
		{ SCREEN_PAGE_UP, -10 },   { SCREEN_PAGE_DOWN, 10 },
		{ SCREEN_HOME, -1000000 }, { SCREEN_END, 1000000 },
	};
	size_t i;

	for (i = 0; i < sizeof(moves) / sizeof(*moves); i++)
		if (moves[i].key == key)
			view_move(s, moves[i].by);
	switch (key) {
	case SCREEN_LEFT:
	case '<':
		view_order(s, -1);
		break;
	case SCREEN_RIGHT:
	case '>':
		view_order(s, 1);
		break;
	case 'i':
		s->reversed = !s->reversed;
		break;
	case '/':
		s->searching = true;
		break;
	case SCREEN_ESCAPE:
		*s->search = '\0';
		break;
	case SCREEN_ENTER:
		if (s->chosen < s->n_shown) {
			s->open = s->shown[s->chosen];
			s->mode = SCREEN_ROW;
		}
	}
}

/* Up and down go to the rows beside it. */
static void view_row_key(struct screen *s, int key)
{
	if (key == SCREEN_UP || key == 'k' || key == SCREEN_DOWN || key == 'j') {
		view_move(s, key == SCREEN_UP || key == 'k' ? -1 : 1);
		if (s->chosen < s->n_shown)
			s->open = s->shown[s->chosen];
	}
}

static bool view_is_back(const struct screen *s, int key)
{
	if (s->mode == SCREEN_LIST)
		return false;
	return key == SCREEN_ESCAPE || key == SCREEN_ERASE || key == SCREEN_ENTER || key == 'q' ||
	       (s->mode == SCREEN_HELP && key == '?');
}

static enum screen_wish view_key(struct screen *s, int key)
{
	switch (key) {
	case 'q':
		return SCREEN_QUIT;
	case 'R':
		return SCREEN_RECORD;
	case 'r':
		s->reset = true;
		break;
	case ' ':
	case 'p':
		s->paused = !s->paused;
		break;
	case 'a':
		s->all = !s->all;
		break;
	case '?':
	case 'h':
		s->before = s->mode;
		s->mode = SCREEN_HELP;
		break;
	default:
		if (s->mode == SCREEN_LIST)
			view_list_key(s, key);
		else if (s->mode == SCREEN_ROW)
			view_row_key(s, key);
	}
	return SCREEN_NOTHING;
}

enum screen_wish screen_key(struct screen *s, int key)
{
	*s->message = '\0';
	if (s->searching) {
		view_search(s, key);
	} else if (view_is_back(s, key)) {
		s->mode = s->mode == SCREEN_HELP ? s->before : SCREEN_LIST;
	} else {
		return view_key(s, key);
	}
	return SCREEN_NOTHING;
}
