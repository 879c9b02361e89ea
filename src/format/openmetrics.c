// SPDX-License-Identifier: GPL-2.0-only
/*
 * openmetrics.c - the metrics of a report as an exposition for Prometheus and similar systems.
 * It is also valid in the older text format.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/priv.h"
#include "util/safe_str.h"

#define NS_PER_S 1000000000
#define VALUE_LAST (1ULL << 40) /* the last bound of values that are no durations */
#define LABEL_MORE 8 /* what stands around the name and text of a label */

struct metrics_out {
	struct report_metrics metrics;
	FILE *out;
	struct buckets buckets;
	const char *name; /* of the last metric */
	char *labels; /* owned; of the next sample: "" or as '{a="b"' */
	size_t n; /* bytes of them */
	size_t size; /* bytes of memory at @labels */
	int err;
};

static void metrics_begin(struct report_metrics *to, const struct report_metric *m)
{
	struct metrics_out *x = (struct metrics_out *)to;

	fprintf(x->out, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name, m->type);
	if (m->unit)
		fprintf(x->out, "# UNIT %s %s\n", m->name, m->unit);
	x->name = m->name;
}

/* ---- labels ---- */

/* Room for so many bytes more. */
static bool metrics_room(struct metrics_out *x, size_t more)
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

static void metrics_label(struct report_metrics *to, const char *name, const char *text)
{
	struct metrics_out *x = (struct metrics_out *)to;
	size_t safe = 4 * strlen(text ? text : "") + 1, all = 3 * safe + strlen(name) + LABEL_MORE;
	const char *from;
	char *at;

	if (!metrics_room(x, all))
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
static void metrics_value(struct metrics_out *x, const char *suffix)
{
	fprintf(x->out, "%s%s%s%s ", x->name, suffix, x->n ? x->labels : "", x->n ? "}" : "");
}

static void metrics_sample(struct report_metrics *to, uint64_t n)
{
	struct metrics_out *x = (struct metrics_out *)to;

	metrics_value(x, "");
	fprintf(x->out, "%" PRIu64 "\n", n);
	x->n = 0;
}

/* Prints all digits, so that no bound is rounded. */
static void print_seconds(FILE *out, unsigned __int128 ns, int decimals)
{
	uint64_t rest = ns % NS_PER_S;
	int digits = 9;

	while (digits > decimals && rest % 10 == 0) {
		rest /= 10;
		digits--;
	}
	fprintf(out, "%" PRIu64 ".%0*" PRIu64, dist_u64(ns / NS_PER_S), digits, rest);
}

static void metrics_seconds(struct report_metrics *to, uint64_t ns, int decimals)
{
	struct metrics_out *x = (struct metrics_out *)to;

	metrics_value(x, "");
	print_seconds(x->out, ns, decimals);
	fputc('\n', x->out);
	x->n = 0;
}

/* ---- distributions ---- */

static void print_value(FILE *out, const struct dist *d, unsigned __int128 v)
{
	if (d->is_time)
		print_seconds(out, v, 1);
	else
		fprintf(out, "%" PRIu64, dist_u64(v));
}

/* Of values every power of two is a bound, unless the user chose others. */
static struct buckets buckets_of(const struct metrics_out *x, const struct dist *d)
{
	return d->is_time || x->buckets.given
		       ? x->buckets
		       : (struct buckets){ .first = kstats_slot_index(1, 0),
					   .last = kstats_slot_index(VALUE_LAST, 0) };
}

/* Whether every sample of a row is at most @bound; how long those of the overflow slot are is
 * not known. */
static bool row_is_within(const struct dist *d, const struct dist_row *row, uint64_t bound)
{
	return row->value.hi <= bound && (uint32_t)row->slot < kstats_n_slots(d->bits) - 1;
}

/*
 * Always the same bounds: a sum over hosts, and a rate over a bucket that did not exist before,
 * would be wrong otherwise. A slot that lies across a bound counts from the next bound on, so
 * that no count is too high.
 */
static void print_buckets(const struct metrics_out *x, const char *before, const struct dist *d)
{
	struct dist_row row = DIST_ROW_BEGIN;
	struct buckets bounds = buckets_of(x, d);
	bool more = dist_next(d, &row);
	uint64_t cumulative = 0, bound;
	uint32_t i;

	for (i = bounds.first; i <= bounds.last; i++) {
		bound = buckets_bound(&bounds, i);
		while (more && row_is_within(d, &row, bound)) {
			cumulative = row.cumulative;
			more = dist_next(d, &row);
		}
		fputs(before, x->out);
		print_value(x->out, d, bound);
		fprintf(x->out, "%s\"} %" PRIu64 "\n", d->is_time ? "" : ".0", cumulative);
	}
	fprintf(x->out, "%s+Inf\"} %" PRIu64 "\n", before, d->samples);
}

static void metrics_dist(struct report_metrics *to, const struct dist *d)
{
	struct metrics_out *x = (struct metrics_out *)to;
	char *before;

	if (asprintf(&before, "%s_bucket%s%cle=\"", x->name, x->n ? x->labels : "",
		     x->n ? ',' : '{') < 0) {
		x->err = -ENOMEM;
		return;
	}
	print_buckets(x, before, d);
	free(before);
	metrics_value(x, "_count");
	fprintf(x->out, "%" PRIu64 "\n", d->samples);
	metrics_value(x, "_sum");
	print_value(x->out, d, d->sum_lo + (d->sum_hi - d->sum_lo) / 2);
	fputc('\n', x->out);
	x->n = 0;
}

int format_openmetrics(FILE *out, const struct report *r)
{
	struct metrics_out x = {
		.metrics = { metrics_begin, metrics_label, metrics_sample, metrics_seconds,
			     metrics_dist },
		.out = out,
		.buckets = buckets_or_usual(&r->look->buckets),
	};
	int err = r->err ? r->err : r->metrics(r, &x.metrics);

	if (!err && !x.err && !r->look->followed)
		fputs("# EOF\n", out);
	free(x.labels);
	return err || x.err || ferror(out) ? -EIO : 0;
}
