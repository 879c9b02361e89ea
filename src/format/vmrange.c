// SPDX-License-Identifier: GPL-2.0-only
/*
 * vmrange.c - the metrics of a report with the histograms of VictoriaMetrics: a series for each
 * slot that has samples, or for each bucket of --buckets, with its range in the label vmrange. A
 * range is without its lower end, so it begins at the last value of the slot below. Nothing is
 * rounded, and the same slots have the same text on all hosts.
 */
#include <inttypes.h>

#include "format/exposition.h"

/* A series, whose samples are above @from and at most @to. */
struct vmrange {
	uint64_t from;
	uint64_t to; /* UINT64_MAX: any */
	uint64_t samples;
};

static bool is_overflow(const struct dist *d, const struct dist_row *row)
{
	return (uint32_t)row->slot == kstats_n_slots(d->bits) - 1;
}

static struct vmrange vmrange_of_slot(const struct dist *d, const struct dist_row *row)
{
	return (struct vmrange){ row->value.lo ? row->value.lo - 1 : 0,
				 is_overflow(d, row) ? UINT64_MAX : row->value.hi, row->samples };
}

/* A slot that lies across a bound counts above it, as in the classic histograms. */
static struct vmrange vmrange_of_bucket(const struct buckets *b, const struct dist *d,
					const struct dist_row *row)
{
	uint32_t i = kstats_slot_index(row->value.hi, b->bits);

	if (is_overflow(d, row) || i > b->last)
		return (struct vmrange){ buckets_bound(b, b->last), UINT64_MAX, row->samples };
	if (i <= b->first)
		return (struct vmrange){ 0, buckets_bound(b, b->first), row->samples };
	return (struct vmrange){ buckets_bound(b, i - 1), buckets_bound(b, i), row->samples };
}

static void vmrange_print(const struct exposition *x, const char *before, const struct dist *d,
			  const struct vmrange *r)
{
	fputs(before, x->out);
	exposition_number(x->out, d, r->from);
	fputs("...", x->out);
	if (r->to == UINT64_MAX)
		fputs("+Inf", x->out);
	else
		exposition_number(x->out, d, r->to);
	fprintf(x->out, "\"} %" PRIu64 "\n", r->samples);
}

static void vmrange_all(const struct exposition *x, const char *before, const struct dist *d)
{
	struct dist_row row = DIST_ROW_BEGIN;
	const struct buckets *b = &x->look->buckets;
	struct vmrange last = { .samples = 0 }, r;

	while (dist_next(d, &row)) {
		r = b->given ? vmrange_of_bucket(b, d, &row) : vmrange_of_slot(d, &row);
		if (last.samples && (r.from != last.from || r.to != last.to))
			vmrange_print(x, before, d, &last);
		else
			r.samples += last.samples;
		last = r;
	}
	if (last.samples)
		vmrange_print(x, before, d, &last);
}

int format_vmrange(FILE *out, const struct report *r)
{
	struct exposition x = { .bound = "vmrange", .buckets = vmrange_all, .untyped = true };

	return exposition_write(&x, out, r);
}
