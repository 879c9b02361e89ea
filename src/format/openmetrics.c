// SPDX-License-Identifier: GPL-2.0-only
/*
 * openmetrics.c - the metrics of a report as an exposition for Prometheus and similar systems.
 * It is also valid in the older text format.
 */
#include <errno.h>
#include <inttypes.h>

#include "format/exposition.h"

#define VALUE_LAST (1ULL << 40) /* the last bound of values that are no durations */

/* Of values every power of two is a bound, unless the user chose others. */
static struct buckets buckets_of(const struct exposition *x, const struct dist *d)
{
	return d->is_time || x->look->buckets.given
		       ? buckets_or_usual(&x->look->buckets)
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
static void print_buckets(const struct exposition *x, const char *before, const struct dist *d)
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
		exposition_number(x->out, d, bound);
		fprintf(x->out, "%s\"} %" PRIu64 "\n", d->is_time ? "" : ".0", cumulative);
	}
	fprintf(x->out, "%s+Inf\"} %" PRIu64 "\n", before, d->samples);
}

int format_openmetrics(FILE *out, const struct report *r)
{
	struct exposition x = { .bound = "le", .buckets = print_buckets };
	int err = exposition_write(&x, out, r);

	if (!err && !r->look->followed)
		fputs("# EOF\n", out);
	return err || ferror(out) ? -EIO : 0;
}
