// SPDX-License-Identifier: GPL-2.0-only
/*
 * protobuf.c - the metrics of a report in Prometheus' protobuf, one MetricFamily after another with
 * its length before it. A distribution is one native histogram: one series.
 *
 * A native bucket of schema 8 is 0.27 % wide and begins at a power of 2^(1/256), so no slot begins
 * or ends with one. All samples of a slot go into the bucket that has the middle of the slot.
 * Slots are wider than buckets, so none is joined with another, and the same slot is the same
 * bucket on all hosts and at all times: histograms can be added, and no count goes back.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/priv.h"
#include "util/protobuf.h"
#include "util/safe_str.h"

#define SCHEMA 8 /* the finest that there is */
#define NS_PER_S 1000000000
/* Samples up to this are in the bucket of zeros; what other exporters have, too. */
#define ZERO_THRESHOLD 0x1p-128

/* Numbers of fields in io.prometheus.client, and of its enum MetricType. */
enum {
	FAMILY_NAME = 1,
	FAMILY_HELP = 2,
	FAMILY_TYPE = 3,
	FAMILY_METRIC = 4,
	FAMILY_UNIT = 5,
	TYPE_COUNTER = 0,
	TYPE_GAUGE = 1,
	TYPE_HISTOGRAM = 4,
	METRIC_LABEL = 1,
	METRIC_GAUGE = 2,
	METRIC_COUNTER = 3,
	METRIC_HISTOGRAM = 7,
	LABEL_NAME = 1,
	LABEL_VALUE = 2,
	VALUE = 1, /* of a gauge, and of a counter */
	COUNTER_CREATED = 3,
	HISTOGRAM_COUNT = 1,
	HISTOGRAM_SUM = 2,
	HISTOGRAM_SCHEMA = 5,
	HISTOGRAM_ZERO_THRESHOLD = 6,
	HISTOGRAM_ZERO_COUNT = 7,
	HISTOGRAM_SPAN = 12,
	HISTOGRAM_DELTA = 13,
	HISTOGRAM_CREATED = 15,
	SPAN_OFFSET = 1,
	SPAN_LENGTH = 2,
	TIME_SECONDS = 1,
	TIME_NS = 2,
};

struct protobuf_out {
	struct report_metrics metrics;
	FILE *out;
	unsigned int type;
	uint64_t since_ns; /* of the next sample: wall clock when it was 0; 0: not known */
	/* messages: the family; its metric; the value of that; a part of that */
	struct protobuf family, metric, value, part;
	struct protobuf deltas; /* packed, of the histogram */
	int err;
};

/* Writes a family, after its length. */
static void protobuf_flush(struct protobuf_out *x)
{
	struct protobuf length = {};

	if (!x->family.n)
		return;
	protobuf_varint(&length, x->family.n);
	if (length.failed || x->family.failed)
		x->err = -ENOMEM;
	else if (fwrite(length.at, length.n, 1, x->out) != 1 ||
		 fwrite(x->family.at, x->family.n, 1, x->out) != 1)
		x->err = -EIO;
	protobuf_free(&length);
	x->family.n = 0;
}

static void protobuf_metric(struct report_metrics *to, const struct report_metric *m)
{
	struct protobuf_out *x = (struct protobuf_out *)to;

	protobuf_flush(x);
	x->type = !strcmp(m->type, "counter")     ? TYPE_COUNTER
		  : !strcmp(m->type, "histogram") ? TYPE_HISTOGRAM
						  : TYPE_GAUGE;
	protobuf_text(&x->family, FAMILY_NAME, m->name);
	protobuf_text(&x->family, FAMILY_HELP, m->help);
	protobuf_u64(&x->family, FAMILY_TYPE, x->type);
	if (m->unit)
		protobuf_text(&x->family, FAMILY_UNIT, m->unit);
}

static void protobuf_label(struct report_metrics *to, const char *name, const char *text)
{
	struct protobuf_out *x = (struct protobuf_out *)to;
	size_t size = 4 * strlen(text ? text : "") + 1;
	char *safe = malloc(size);

	if (!safe) {
		x->err = -ENOMEM;
		return;
	}
	protobuf_text(&x->part, LABEL_NAME, name);
	protobuf_text(&x->part, LABEL_VALUE, safe_str(safe, size, text));
	protobuf_message(&x->metric, METRIC_LABEL, &x->part);
	free(safe);
}

static void protobuf_since(struct report_metrics *to, uint64_t wall_ns)
{
	((struct protobuf_out *)to)->since_ns = wall_ns;
}

/* ---- samples ---- */

/* Ends the metric, whose value is there. */
static void protobuf_end(struct protobuf_out *x, unsigned int created, unsigned int field)
{
	if (x->since_ns && created) {
		protobuf_u64(&x->part, TIME_SECONDS, x->since_ns / NS_PER_S);
		protobuf_u64(&x->part, TIME_NS, x->since_ns % NS_PER_S);
		protobuf_message(&x->value, created, &x->part);
	}
	protobuf_message(&x->metric, field, &x->value);
	protobuf_message(&x->family, FAMILY_METRIC, &x->metric);
	x->since_ns = 0;
}

static void protobuf_value(struct protobuf_out *x, double v)
{
	bool counter = x->type == TYPE_COUNTER;

	protobuf_double(&x->value, VALUE, v);
	protobuf_end(x, counter ? COUNTER_CREATED : 0, counter ? METRIC_COUNTER : METRIC_GAUGE);
}

static void protobuf_sample(struct report_metrics *to, uint64_t n)
{
	protobuf_value((struct protobuf_out *)to, n);
}

static void protobuf_seconds(struct report_metrics *to, uint64_t ns, int decimals)
{
	protobuf_value((struct protobuf_out *)to, (double)ns / NS_PER_S);
}

/* ---- distributions ---- */

/* Number of the bucket that has the middle of a slot: above the lower bound, at most the upper. */
static int64_t protobuf_bucket(const struct dist *d, const struct dist_row *row)
{
	double middle = ((double)row->value.lo + row->value.hi) / 2;

	return ceil(log2(d->is_time ? middle / NS_PER_S : middle) * (1 << SCHEMA));
}

/* Buckets that have samples and follow one another. */
struct protobuf_span {
	int64_t first, next; /* bucket after the last span, and after this */
	uint64_t before; /* samples of the bucket before the next */
	uint32_t n;
};

static void protobuf_end_span(struct protobuf_out *x, struct protobuf_span *s)
{
	if (!s->n)
		return;
	protobuf_s64(&x->part, SPAN_OFFSET, s->next - s->n - s->first);
	protobuf_u64(&x->part, SPAN_LENGTH, s->n);
	protobuf_message(&x->value, HISTOGRAM_SPAN, &x->part);
	s->first = s->next;
	s->n = 0;
}

static void protobuf_add_bucket(struct protobuf_out *x, struct protobuf_span *s, int64_t bucket,
				uint64_t samples)
{
	if (bucket != s->next)
		protobuf_end_span(x, s);
	s->next = bucket + 1;
	s->n++;
	protobuf_varint(&x->deltas, protobuf_zigzag(samples - s->before));
	s->before = samples;
}

/* Slots that the floor was subtracted from may be in one bucket. */
static uint64_t protobuf_buckets(struct protobuf_out *x, const struct dist *d)
{
	struct dist_row row = DIST_ROW_BEGIN;
	struct protobuf_span span = {};
	uint64_t zeros = 0, samples = 0;
	int64_t bucket = 0, next;

	while (dist_next(d, &row)) {
		if (!row.value.hi) {
			zeros += row.samples;
			continue;
		}
		next = protobuf_bucket(d, &row);
		if (samples && next != bucket) {
			protobuf_add_bucket(x, &span, bucket, samples);
			samples = 0;
		}
		bucket = next;
		samples += row.samples;
	}
	if (samples)
		protobuf_add_bucket(x, &span, bucket, samples);
	protobuf_end_span(x, &span);
	return zeros;
}

static void protobuf_dist(struct report_metrics *to, const struct dist *d)
{
	struct protobuf_out *x = (struct protobuf_out *)to;
	double sum = dist_total(d);

	protobuf_u64(&x->value, HISTOGRAM_COUNT, d->samples);
	protobuf_double(&x->value, HISTOGRAM_SUM, d->is_time ? sum / NS_PER_S : sum);
	protobuf_s64(&x->value, HISTOGRAM_SCHEMA, SCHEMA);
	/* Without samples it alone tells that the histogram is a native one. */
	protobuf_double(&x->value, HISTOGRAM_ZERO_THRESHOLD, ZERO_THRESHOLD);
	protobuf_u64(&x->value, HISTOGRAM_ZERO_COUNT, protobuf_buckets(x, d));
	protobuf_message(&x->value, HISTOGRAM_DELTA, &x->deltas);
	protobuf_end(x, HISTOGRAM_CREATED, METRIC_HISTOGRAM);
}

int format_protobuf(FILE *out, const struct report *r)
{
	struct protobuf_out x = {
		.metrics = { .metric = protobuf_metric,
			     .label = protobuf_label,
			     .since = protobuf_since,
			     .sample = protobuf_sample,
			     .seconds = protobuf_seconds,
			     .dist = protobuf_dist,
			     .in_slots = true },
		.out = out,
	};
	int err = r->err ? r->err : r->metrics(r, &x.metrics);

	protobuf_flush(&x);
	protobuf_free(&x.family);
	protobuf_free(&x.metric);
	protobuf_free(&x.value);
	protobuf_free(&x.part);
	protobuf_free(&x.deltas);
	return err || x.err || ferror(out) ? -EIO : 0;
}
