// SPDX-License-Identifier: GPL-2.0-only
/* list.c - the page with all rows. */
#include "screen/priv.h"

#include <string.h>

#include "util/units.h"

#define COLUMN 10 /* columns of a figure, with the blank before it */
#define SHARE 9 /* those of the share of time */
#define SHARE_LEAST 0.01 /* percent */
#define SPARK_MIN 15 /* those of the chart */
#define NAME_MIN 12
#define AROUND 3 /* lines that are no rows: title, headings, foot */

/* Widths that depend on the page. */
struct list_widths {
	unsigned int name;
	unsigned int spark;
};

static struct list_widths list_measure(const struct screen *s, const struct page *p)
{
	unsigned int figures = 4 * COLUMN + SHARE + 1, longest = NAME_MIN, i, length, room;
	struct list_widths w = { NAME_MIN, 0 };

	for (i = 0; i < s->n_rows; i++) {
		length = strlen(s->rows[i]->label);
		longest = length > longest ? length : longest;
	}
	room = p->width > figures ? p->width - figures : 0;
	if (room > NAME_MIN + SPARK_MIN)
		w.name = longest < room - SPARK_MIN ? longest : room - SPARK_MIN;
	w.spark = room > w.name ? room - w.name : 0;
	if (w.spark > SCREEN_TICKS)
		w.spark = SCREEN_TICKS;
	return w;
}

static void list_heading(const struct screen *s, struct page *p, struct list_widths w)
{
	static const struct {
		const char *text;
		unsigned int width;
		enum screen_order order;
	} columns[] = {
		{ "RATE", COLUMN, SCREEN_BY_RATE }, { "P50<=", COLUMN, SCREEN_BY_P50 },
		{ "P99<=", COLUMN, SCREEN_BY_P99 }, { "MAX<=", COLUMN, SCREEN_BY_MAX },
		{ "TIME", SHARE, SCREEN_BY_TIME },
	};
	char text[UNITS_TEXT], past[2 * UNITS_TEXT];
	bool is;
	size_t i;

	page_at(p, 0, 1);
	page_cut(p, PAGE_FAINT, w.name, "NAME");
	for (i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		is = s->order == columns[i].order;
		snprintf(text, sizeof(text), "%s%s",
			 !is           ? ""
			 : s->reversed ? "^"
				       : "v",
			 columns[i].text);
		page_right(p, is ? PAGE_TITLE : PAGE_FAINT, columns[i].width, text);
	}
	page_char(p, ' ');
	screen_past(s, past);
	page_text(p, PAGE_FAINT, w.spark < 2 * SPARK_MIN ? "%s" : "RATE, %s", past);
}

/* Samples a second, the mean of the intervals of each column. */
static void list_spark(const struct screen *s, struct page *p, const struct screen_row *row,
		       unsigned int columns)
{
	double rates[SCREEN_TICKS] = {}, most = 0;
	unsigned int step = screen_step(columns), i, j;
	const struct screen_tick *tick;
	uint64_t samples, ns;

	for (i = 0; i < columns; i++) {
		for (samples = ns = j = 0; j < step; j++) {
			tick = screen_tick_of(s, row, screen_column(s, columns, i) + j);
			samples += tick ? tick->figures.samples : 0;
			ns += tick ? tick->figures.ns : 0;
		}
		rates[i] = ns ? (double)samples / ns : 0;
		most = rates[i] > most ? rates[i] : most;
	}
	for (i = 0; i < columns; i++)
		page_level(p, !rates[i] ? 0 : 1 + (PAGE_LEVELS - 1) * (rates[i] / most) + 0.5);
}

/* In few columns: smaller shares than these are all alike. */
static const char *list_share(char text[UNITS_TEXT], double percent)
{
	return percent && percent < SHARE_LEAST ? "<0.01%" : units_share(text, percent);
}

static void list_figures(const struct screen *s, struct page *p, const struct screen_row *row)
{
	struct screen_figures f = screen_figures(s, row);
	const uint64_t values[] = { f.p50, f.p99, f.max };
	char text[UNITS_TEXT];
	size_t i;

	page_right(p, PAGE_PLAIN, COLUMN, f.ns ? units_rate(text, f.samples, f.ns) : "-");
	for (i = 0; i < sizeof(values) / sizeof(*values); i++)
		page_right(p, PAGE_PLAIN, COLUMN,
			   f.samples ? units_duration(text, values[i], screen_unit(s, row)) : "-");
	page_right(p, PAGE_PLAIN, SHARE,
		   f.samples && !*row->unit ? list_share(text, 100 * f.total / f.ns) : "-");
	page_char(p, ' ');
}

static void list_row(const struct screen *s, struct page *p, const struct screen_row *row,
		     struct list_widths w)
{
	page_cut(p, PAGE_PLAIN, w.name, row->label);
	if (row->why) {
		page_text(p, PAGE_WARN, "  not measured: ");
		page_cut(p, PAGE_PLAIN, p->width > p->x ? p->width - p->x : 0, row->why);
		return;
	}
	list_figures(s, p, row);
	list_spark(s, p, row, w.spark);
}

void screen_draw_list(struct screen *s, struct page *p)
{
	struct list_widths w = list_measure(s, p);
	unsigned int room = p->height - AROUND, i;
	char title[2 * UNITS_TEXT + SCREEN_SEARCH], *end = title;

	if (s->chosen < s->top)
		s->top = s->chosen;
	if (s->chosen >= s->top + room)
		s->top = s->chosen - room + 1;
	if (s->top + room > s->n_shown)
		s->top = s->n_shown > room ? s->n_shown - room : 0;
	end += snprintf(title, sizeof(title), "%u row%s", s->n_shown, units_plural(s->n_shown));
	if (s->n_shown > room)
		end += snprintf(end, title + sizeof(title) - end, ", %u-%u", s->top + 1,
				s->top + room);
	if (*s->search)
		end += snprintf(end, title + sizeof(title) - end, " with '%s'", s->search);
	snprintf(end, title + sizeof(title) - end, ": %s",
		 s->all ? "the whole time" : "the last interval");
	screen_draw_title(s, p, title);
	list_heading(s, p, w);
	for (i = 0; i < room && s->top + i < s->n_shown; i++) {
		page_at(p, 0, AROUND - 1 + i);
		list_row(s, p, s->shown[s->top + i], w);
		if (s->top + i == s->chosen)
			page_choose(p, AROUND - 1 + i);
	}
	screen_draw_foot(s, p,
			 "Enter open  <> sort  / search  Space pause  r reset  R record  ? help  "
			 "q quit");
}

void screen_draw(struct screen *s, struct page *p)
{
	if (p->width < SCREEN_WIDTH_MIN || p->height < SCREEN_HEIGHT_MIN) {
		page_at(p, 0, 0);
		page_wrap(p, p->height, "The window is too small: make it 80 by 24. q quits.");
		return;
	}
	screen_sort(s);
	if (s->mode == SCREEN_HELP)
		screen_draw_help(p);
	else if (s->mode == SCREEN_ROW)
		screen_draw_row(s, p);
	else
		screen_draw_list(s, p);
}
