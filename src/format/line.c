// SPDX-License-Identifier: GPL-2.0-only
/* line.c - a line for each function: what people watch while it is measured. */
#include <errno.h>
#include <time.h>

#include "format/priv.h"
#include "report/account.h"
#include "report/figures.h"
#include "util/text.h"
#include "result/ledger.h"

#define COLUMN 10
#define QUANTILE 9 /* a column of it; a line for one function fits 80 columns */
#define HEADING_EVERY 20 /* periods, if the height of the screen is not known */

static void line_heading(FILE *out, const struct report_look *o, bool named)
{
	int i;

	fprintf(out, "%s%-8s %*s %*s", text_color(o->color, TEXT_FAINT), "TIME", COLUMN - 1,
		"COUNT", COLUMN - 1, "RATE");
	for (i = 0; i + 1 < FIGURES_QUANTILES; i++)
		fprintf(out, " %*s<=", QUANTILE - 3, figures_quantiles[i].name);
	fprintf(out, " %*s<=  LOST%s%s\n", QUANTILE - 3, "max", named ? "  FUNCTION" : "",
		text_color(o->color, TEXT_PLAIN));
}

/* When the period ended, here. */
static void line_time(FILE *out, const struct snapshot_span *span)
{
	time_t at = (span->wall_ns + (span->end_ns - span->begin_ns)) / 1000000000;
	struct tm tm;
	char text[16] = "";

	if (localtime_r(&at, &tm))
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
	fprintf(out, "%-8s", text);
}

static void line_quantile(FILE *out, const struct report_look *o, const struct dist *d,
			  uint32_t millionths)
{
	char text[UNITS_TEXT];

	fprintf(out, " %*s", QUANTILE - 1,
		d->samples ? units_duration(text, dist_quantile(d, millionths).hi, o->unit) : "-");
}

/* "?" where some may be lost, and nobody knows. */
static void line_lost(FILE *out, const struct report_look *o, const struct snapshot *s,
		      uint32_t node)
{
	struct account a = {};
	char lost[UNITS_TEXT] = "?", count[UNITS_TEXT];
	bool good;

	if (ledger_is_owner(s, node))
		account_add(&a, s, node);
	a.over = a.under = 0; /* calls that are open */
	good = account_good(&a);
	if (a.lost || good)
		snprintf(lost, sizeof(lost), "%s", good ? "-" : units_count(count, a.lost));
	fprintf(out, "  %s%4s%s", good ? "" : text_color(o->color, TEXT_WARN), lost,
		good ? "" : text_color(o->color, TEXT_PLAIN));
}

static int line_print(FILE *out, const struct recording *rec, uint32_t node, bool named,
		      const struct report_look *o)
{
	const struct snapshot *s = rec->whole;
	const struct snapshot_span *span = &s->span;
	char count[UNITS_TEXT], rate[UNITS_TEXT];
	struct dist d;
	int i, err = dist_open(&d, s, node, DIST_ALL_CPUS);

	if (err)
		return err;
	line_time(out, span);
	fprintf(out, " %*s %*s", COLUMN - 1, units_count(count, d.samples), COLUMN - 1,
		units_rate(rate, d.samples, span->end_ns - span->begin_ns));
	for (i = 0; i + 1 < FIGURES_QUANTILES; i++)
		line_quantile(out, o, &d, figures_quantiles[i].millionths);
	line_quantile(out, o, &d, DIST_ONE);
	line_lost(out, o, s, node);
	if (named) {
		fputs("  ", out);
		text_last(out, s->nodes[node].name, 0);
	}
	fputc('\n', out);
	dist_close(&d);
	return 0;
}

int format_line(FILE *out, const struct report *r)
{
	const struct recording *rec = report_recording(r);
	const struct report_look *o = r->look;
	struct report_look all = *o;
	const struct snapshot *s = rec->whole;
	uint32_t n = s->total ? snapshot_plain(s) : s->n_nodes, i;
	unsigned int every = o->height > 2 ? o->height - 2 : HEADING_EVERY;
	int err = 0;

	every = every / (n ? n : 1) ? every / (n ? n : 1) : 1;
	all.period = 0;
	if (!o->continued || o->titled || (o->period && (o->period - 1) % every == 0)) {
		format_comments(out, rec, &all);
		line_heading(out, o, n > 1);
	}
	for (i = 0; !err && i < n; i++)
		if (!snapshot_is_hidden(s, i))
			err = line_print(out, rec, i, n > 1, o);
	return err || ferror(out) ? -EIO : 0;
}
