// SPDX-License-Identifier: GPL-2.0-only
/* frame.c - what all pages have: the first line and the last one. */
#include "screen/priv.h"

#include <string.h>
#include <time.h>

#include "util/units.h"

#define MINUTE_NS 60000000000

static void frame_time(char text[UNITS_TEXT], uint64_t wall_ns)
{
	time_t at = wall_ns / 1000000000;
	struct tm tm;

	*text = '\0';
	if (localtime_r(&at, &tm))
		strftime(text, UNITS_TEXT, "%H:%M:%S", &tm);
}

/* "7s", "12m05s", "3h20m" */
static void frame_span(char text[UNITS_TEXT], uint64_t ns)
{
	unsigned int s = ns / 1000000000;

	if (s < 60)
		snprintf(text, UNITS_TEXT, "%us", s);
	else if (s < 3600)
		snprintf(text, UNITS_TEXT, "%um%02us", s / 60, s % 60);
	else
		snprintf(text, UNITS_TEXT, "%uh%02um", s / 3600, s / 60 % 60);
}

void screen_past(const struct screen *s, char text[2 * UNITS_TEXT])
{
	uint64_t ns = SCREEN_TICKS * s->interval_ns;
	char span[UNITS_TEXT];

	frame_span(span, ns);
	snprintf(text, 2 * UNITS_TEXT, "LAST %s", ns == MINUTE_NS ? "MINUTE" : span);
}

void screen_draw_title(const struct screen *s, struct page *p, const char *what)
{
	char now[UNITS_TEXT], from[UNITS_TEXT], span[UNITS_TEXT], right[3 * UNITS_TEXT], *end;
	unsigned int room;

	frame_time(now, s->wall_ns);
	frame_time(from, s->begin_wall_ns);
	frame_span(span, s->wall_ns - s->begin_wall_ns);
	end = right + snprintf(right, sizeof(right), "since %s (%s)", from, span);
	if (s->record_ns) {
		frame_span(span, s->record_ns);
		end += snprintf(end, right + sizeof(right) - end, "  RECORDING %s", span);
	}
	snprintf(end, right + sizeof(right) - end, "  %s", s->paused ? "PAUSED  " : now);
	room = strlen(right) + 2 < p->width ? p->width - strlen(right) - 1 : 0;
	page_at(p, 0, 0);
	page_cut(p, PAGE_TITLE, room, what);
	page_at(p, p->width - strlen(right), 0);
	page_text(p, s->paused || s->record_ns ? PAGE_WARN : PAGE_FAINT, "%s", right);
}

void screen_draw_foot(const struct screen *s, struct page *p, const char *keys)
{
	page_at(p, 0, p->height - 1);
	if (s->searching)
		page_text(p, PAGE_TITLE, "/%s_  Enter keeps the search, Esc ends it", s->search);
	else if (*s->message)
		page_cut(p, PAGE_TITLE, p->width, s->message);
	else
		page_cut(p, PAGE_FAINT, p->width, keys);
}
