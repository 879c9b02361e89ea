// SPDX-License-Identifier: GPL-2.0-only
/* exposition.c - metrics in lines, as Prometheus and similar systems read them; see exposition.h.
 */
#include "format/exposition.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/safe_str.h"

#define NS_PER_S 1000000000
#define LABEL_MORE 8 /* what stands around the name and text of a label */

/* In OpenMetrics the ending of a counter belongs to its sample, and not to its name. */
static int exposition_family(const struct exposition *x, const struct report_metric *m)
{
	static const char ending[] = "_total";
	size_t n = strlen(m->name), end = sizeof(ending) - 1;

	return x->look->families && n > end && !strcmp(m->name + n - end, ending) ? n - end : n;
}

static void exposition_metric(struct report_metrics *to, const struct report_metric *m)
{
	struct exposition *x = (struct exposition *)to;
	int n = exposition_family(x, m);
	bool untyped = x->untyped && !strcmp(m->type, "histogram");

	fprintf(x->out, "# HELP %.*s %s\n", n, m->name, m->help);
	if (!untyped)
		fprintf(x->out, "# TYPE %.*s %s\n", n, m->name, m->type);
	if (m->unit && !untyped)
		fprintf(x->out, "# UNIT %s %s\n", m->name, m->unit);
	x->name = m->name;
}

/* ---- labels ---- */

/* Room for so many bytes more. */
static bool exposition_room(struct exposition *x, size_t more)
{
	size_t size = 2 * x->size + more;
	char *grown;

	if (x->n + more <= x->size)
		return true;
	grown = x->err ? NULL : realloc(x->labels, size);
	if (!grown) {
		x->err = -ENOMEM;
		return false;
	}
	x->labels = grown;
	x->size = size;
	return true;
}

static void exposition_label(struct report_metrics *to, const char *name, const char *text)
{
	struct exposition *x = (struct exposition *)to;
	size_t safe = 4 * strlen(text ? text : "") + 1, all = 3 * safe + strlen(name) + LABEL_MORE;
	const char *from;
	char *at;

	if (!exposition_room(x, all))
		return;
	/* The safe text is made behind what it will take with its escapes. */
	from = safe_str(x->labels + x->n + all - safe, safe, text);
	at = x->labels + x->n;
	*at++ = x->n ? ',' : '{';
	at = stpcpy(stpcpy(at, name), "=\"");
	for (; *from; from++) {
		if (*from == '"' || *from == '\\')
			*at++ = '\\';
		*at++ = *from;
	}
	*at++ = '"';
	*at = '\0';
	x->n = at - x->labels;
}

/* ---- samples ---- */

/* What stands before a value; @suffix: behind the name. */
static void exposition_value(struct exposition *x, const char *suffix)
{
	fprintf(x->out, "%s%s%s%s ", x->name, suffix, x->n ? x->labels : "", x->n ? "}" : "");
}

static void exposition_sample(struct report_metrics *to, uint64_t n)
{
	struct exposition *x = (struct exposition *)to;

	exposition_value(x, "");
	fprintf(x->out, "%" PRIu64 "\n", n);
	x->n = 0;
}

/* Prints all digits, so that no bound is rounded. */
static void exposition_time(FILE *out, unsigned __int128 ns, int decimals)
{
	uint64_t rest = ns % NS_PER_S;
	int digits = 9;

	while (digits > decimals && rest % 10 == 0) {
		rest /= 10;
		digits--;
	}
	fprintf(out, "%" PRIu64 ".%0*" PRIu64, dist_u64(ns / NS_PER_S), digits, rest);
}

static void exposition_seconds(struct report_metrics *to, uint64_t ns, int decimals)
{
	struct exposition *x = (struct exposition *)to;

	exposition_value(x, "");
	exposition_time(x->out, ns, decimals);
	fputc('\n', x->out);
	x->n = 0;
}

/* ---- distributions ---- */

void exposition_number(FILE *out, const struct dist *d, unsigned __int128 v)
{
	if (d->is_time)
		exposition_time(out, v, 1);
	else
		fprintf(out, "%" PRIu64, dist_u64(v));
}

static void exposition_dist(struct report_metrics *to, const struct dist *d)
{
	struct exposition *x = (struct exposition *)to;
	char *before;

	if (asprintf(&before, "%s_bucket%s%c%s=\"", x->name, x->n ? x->labels : "",
		     x->n ? ',' : '{', x->bound) < 0) {
		x->err = -ENOMEM;
		return;
	}
	x->buckets(x, before, d);
	free(before);
	exposition_value(x, "_count");
	fprintf(x->out, "%" PRIu64 "\n", d->samples);
	exposition_value(x, "_sum");
	exposition_number(x->out, d, d->sum_lo + (d->sum_hi - d->sum_lo) / 2);
	fputc('\n', x->out);
	x->n = 0;
}

int exposition_write(struct exposition *x, FILE *out, const struct report *r)
{
	int err;

	x->metrics = (struct report_metrics){ .metric = exposition_metric,
					      .label = exposition_label,
					      .sample = exposition_sample,
					      .seconds = exposition_seconds,
					      .dist = exposition_dist,
					      .in_slots = x->untyped && !r->look->buckets.given };
	x->out = out;
	x->look = r->look;
	err = r->err ? r->err : r->metrics(r, &x->metrics);
	free(x->labels);
	return err || x->err || ferror(out) ? -EIO : 0;
}
