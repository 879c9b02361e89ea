// SPDX-License-Identifier: GPL-2.0-only
/* help.c - the page that tells what keys do. */
#include "screen/priv.h"

static const struct {
	const char *keys; /* "" for a blank line */
	const char *what;
} help_lines[] = {
	{ "Up Down PgUp PgDn", "choose a row (also k and j, Home and End)" },
	{ "Enter", "open the row: distribution, last minute, processors, ledger" },
	{ "Esc", "back to the rows; there it ends a search" },
	{ "< >  Left Right", "sort by another column, or as the rows were given" },
	{ "i", "sort the other way round" },
	{ "/", "search: only rows with this text in their names" },
	{ "a", "figures of the whole time, or of the last interval" },
	{ "Space  p", "pause: nothing is read, and all still counts" },
	{ "r", "reset the view: it begins now, and no count is lost" },
	{ "R", "record from now on into a file, or end that" },
	{ "q  Ctrl-C", "quit" },
	{ "", "" },
	{ "RATE", "calls that ended, a second" },
	{ "P50<= P99<= MAX<=", "half, 99 % and all of the calls took at most this long" },
	{ "TIME", "time inside calls for each second: over 100% they overlap" },
	{ "-", "nothing was counted in this time" },
};

void screen_draw_help(struct page *p)
{
	size_t i;

	page_at(p, 0, 0);
	page_text(p, PAGE_TITLE, "kstats-bpf top: keys and columns");
	for (i = 0; i < sizeof(help_lines) / sizeof(*help_lines); i++) {
		page_at(p, 0, 2 + i);
		page_cut(p, PAGE_TITLE, 19, help_lines[i].keys);
		page_text(p, PAGE_PLAIN, "%s", help_lines[i].what);
	}
	page_at(p, 0, p->height - 1);
	page_text(p, PAGE_FAINT, "Esc goes back. More is in the manual, kstats-bpf-top(8).");
}
