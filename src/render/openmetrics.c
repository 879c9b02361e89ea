// SPDX-License-Identifier: GPL-2.0-only
/*
 * openmetrics.c - an exposition for Prometheus and similar systems. All recordings are in one
 * document, since the samples of a metric must be together.
 *
 * It is also valid in the older text format, so it has no info metrics, whose names and types
 * differ between the two. The figures of a measurement that has ended are gauges. Those of a
 * running node are written in the older format only, which is what textfile folders are read
 * in, and are counters.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "result/dist.h"
#include "result/ledger.h"
#include "render/formats.h"
#include "render/labels.h"

#define NS_PER_S 1000000000
#define VALUE_LAST (1ULL << 40) /* the last bound of values that are no durations */

/* What is being written, and where. */
struct exposition {
	FILE *out;
	const struct labels *labels; /* of each recording */
	const struct render_set *recs;
	bool live;
	bool subtracted;
	struct buckets buckets;
};

static void metrics_print_family(FILE *out, const char *name, const char *type, const char *unit,
				 const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
	if (unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
}

/* Prints all digits, so that no bound is rounded. */
static void print_seconds(FILE *out, unsigned __int128 ns)
{
	uint64_t rest = ns % NS_PER_S;
	int digits = 9;

	while (digits > 1 && rest % 10 == 0) {
		rest /= 10;
		digits--;
	}
	fprintf(out, "%" PRIu64 ".%0*" PRIu64, dist_u64(ns / NS_PER_S), digits, rest);
}

/* ---- distributions ---- */

/* Durations are in seconds; other values are as they are, with their unit as a label. */
static const char *family_of(const struct dist *d)
{
	return d->is_time ? "kstats_duration_seconds" : "kstats_value";
}

static void print_value(FILE *out, const struct dist *d, unsigned __int128 v)
{
	if (d->is_time)
		print_seconds(out, v);
	else
		fprintf(out, "%" PRIu64, dist_u64(v));
}

static void print_bucket(FILE *out, const struct dist *d, const char *labels, uint64_t last,
			 uint64_t cumulative)
{
	fprintf(out, "%s_bucket{%s,le=\"", family_of(d), labels);
	print_value(out, d, last);
	fprintf(out, "%s\"} %" PRIu64 "\n", d->is_time ? "" : ".0", cumulative);
}

/* Of values every power of two is a bound, unless the user chose others. */
static struct buckets buckets_of(const struct exposition *x, const struct dist *d)
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
static void print_buckets(const struct exposition *x, const char *labels, const struct dist *d)
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
		print_bucket(x->out, d, labels, bound, cumulative);
	}
	fprintf(x->out, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", family_of(d), labels,
		d->samples);
}

static int metrics_print_node(const struct exposition *x, const char *labels,
			      const struct snapshot *s, uint32_t node)
{
	FILE *out = x->out;
	char *with_unit = NULL;
	struct dist d;
	int err = dist_open(&d, s, node, DIST_ALL_CPUS);

	if (!err && *s->unit) {
		if (asprintf(&with_unit, "%s,unit=\"%s\"", labels, s->unit) < 0)
			with_unit = NULL;
		err = with_unit ? 0 : -ENOMEM;
		labels = with_unit;
	}
	if (!err) {
		print_buckets(x, labels, &d);
		fprintf(out, "%s_count{%s} %" PRIu64 "\n", family_of(&d), labels, d.samples);
		fprintf(out, "%s_sum{%s} ", family_of(&d), labels);
		print_value(out, &d, d.sum_lo + (d.sum_hi - d.sum_lo) / 2);
		fputc('\n', out);
	}
	free(with_unit);
	dist_close(&d);
	return err;
}

/* A bucket is as wide as its bounds say, or as a slot where that is wider. */
static void durations_help(const struct exposition *x, char *help, size_t size)
{
	uint32_t bits = x->buckets.bits;
	size_t i;

	for (i = 0; i < x->recs->n; i++)
		if (x->recs->recs[i]->whole->bits < bits)
			bits = x->recs->recs[i]->whole->bits;
	if (x->subtracted)
		snprintf(help, size, "How long it took, less the floor.");
	else
		snprintf(help, size,
			 "How long it took; samples of an inner bucket differ by less than %g%%.",
			 100.0 / (1 << bits));
}

static size_t count_values(const struct exposition *x)
{
	size_t i, n = 0;

	for (i = 0; i < x->recs->n; i++)
		n += *x->recs->recs[i]->whole->unit != '\0';
	return n;
}

/* The distributions of durations, or of other values. */
static int print_samples(const struct exposition *x, bool values)
{
	const struct snapshot *s;
	uint32_t node;
	size_t i;
	int err = 0;

	for (i = 0; i < x->recs->n; i++) {
		s = x->recs->recs[i]->whole;
		if ((*s->unit != '\0') != values)
			continue;
		for (node = 0; !err && node < s->n_nodes; node++)
			err = metrics_print_node(x, x->labels[i].nodes[node], s, node);
	}
	return err;
}

static int print_distributions(const struct exposition *x)
{
	size_t values = count_values(x);
	char help[128];
	int err = 0;

	if (!values || values < x->recs->n) {
		durations_help(x, help, sizeof(help));
		metrics_print_family(x->out, "kstats_duration_seconds", "histogram", "seconds",
				     help);
		err = print_samples(x, false);
	}
	if (err || !values)
		return err;
	metrics_print_family(x->out, "kstats_value", "histogram", NULL,
			     "Values that are not durations, in the unit of the label.");
	return print_samples(x, true);
}

/* ---- the account ---- */

static void print_event(const struct exposition *x, const char *labels, const char *event,
			uint64_t n)
{
	fprintf(x->out, "kstats_events%s{%s,event=\"%s\"} %" PRIu64 "\n", x->live ? "_total" : "",
		labels, event, n);
}

static void metrics_print_ledger(const struct exposition *x, const char *labels,
				 const struct snapshot *s, uint32_t node)
{
	uint64_t told[KSTATS_LEDGER_N];
	enum ledger_class class;
	int id, i;

	/* What is told of ends that were skipped may go back. */
	if (x->live)
		memcpy(told, s->nodes[node].ledger, sizeof(told));
	else
		ledger_told(s, node, told);
	print_event(x, labels, "recorded", ledger_recorded(s, node));
	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		id = ledger_order[i];
		class = ledger_rows[id].class;
		if (x->live && (class == LEDGER_LEVEL || class == LEDGER_ESTIMATE))
			continue;
		if (told[id] || !ledger_rows[id].rare)
			print_event(x, labels, ledger_rows[id].key, told[id]);
	}
}

static uint64_t metrics_open_calls(const uint64_t *ledger, const uint64_t *told)
{
	return told[KSTATS_IN_FLIGHT] + told[KSTATS_NO_END];
}

static uint64_t calls_lost(const uint64_t *ledger, const uint64_t *told)
{
	return told[KSTATS_END_MISSED] - ledger[KSTATS_END_MISSED];
}

/* Counts that may fall again are no counters. */
static void print_level(const struct exposition *x, const char *name, const char *help,
			uint64_t (*level)(const uint64_t *ledger, const uint64_t *told))
{
	uint64_t told[KSTATS_LEDGER_N];
	const struct snapshot *s;
	uint32_t node;
	size_t i;

	metrics_print_family(x->out, name, "gauge", NULL, help);
	for (i = 0; i < x->recs->n; i++) {
		s = x->recs->recs[i]->whole;
		for (node = 0; node < s->n_nodes; node++) {
			if (!ledger_is_owner(s, node))
				continue;
			ledger_told(s, node, told);
			fprintf(x->out, "%s{%s} %" PRIu64 "\n", name, x->labels[i].nodes[node],
				level(s->nodes[node].ledger, told));
		}
	}
}

static void print_levels(const struct exposition *x)
{
	print_level(x, "kstats_open_calls", "Calls that have not ended.", metrics_open_calls);
	print_level(x, "kstats_lost_calls",
		    "Calls that are lost since the kernel skipped their end, but are open or "
		    "have the event task_gone.",
		    calls_lost);
}

static void print_ledgers(const struct exposition *x)
{
	const struct snapshot *s;
	uint32_t node;
	size_t i;

	metrics_print_family(x->out, x->live ? "kstats_events_total" : "kstats_events",
			     x->live ? "counter" : "gauge", NULL,
			     "Start events by where they ended; started is all of them.");
	for (i = 0; i < x->recs->n; i++) {
		s = x->recs->recs[i]->whole;
		for (node = 0; node < s->n_nodes; node++)
			if (ledger_is_owner(s, node))
				metrics_print_ledger(x, x->labels[i].nodes[node], s, node);
	}
}

/* ---- about ---- */

static void print_node_infos(const struct exposition *x)
{
	const struct snapshot_node *n;
	const struct snapshot *s;
	uint32_t node;
	size_t i;

	metrics_print_family(x->out, "kstats_node_info", "gauge", NULL,
			     "What a distribution is of, and how it was observed.");
	for (i = 0; i < x->recs->n; i++) {
		s = x->recs->recs[i]->whole;
		for (node = 0; node < s->n_nodes; node++) {
			n = &s->nodes[node];
			fprintf(x->out, "kstats_node_info{%s", x->labels[i].nodes[node]);
			labels_print(x->out, ',', "what", n->what);
			labels_print(x->out, ',', "method", n->method);
			labels_print(x->out, ',', "reason", n->reason);
			fputs("} 1\n", x->out);
		}
	}
}

static bool any_costs(const struct exposition *x)
{
	size_t i;

	for (i = 0; i < x->recs->n; i++)
		if (x->recs->recs[i]->costs.n)
			return true;
	return false;
}

static void print_cost_family(const struct exposition *x, bool floor)
{
	const char *name = floor ? "kstats_floor_seconds" : "kstats_added_seconds";
	const struct cost *c;
	uint32_t node;
	size_t i;
	int state;

	metrics_print_family(x->out, name, "gauge", "seconds",
			     floor ? "Duration that is recorded for an empty function."
				   : "What tracing adds to a call.");
	for (i = 0; i < x->recs->n; i++)
		for (node = 0; node < x->recs->recs[i]->whole->n_nodes; node++)
			for (state = 0; state < COST_STATES; state++) {
				c = recording_cost(x->recs->recs[i], node);
				if (!c)
					continue;
				fprintf(x->out, "%s{%s,caches=\"%s\"} ", name,
					x->labels[i].nodes[node], cost_state_name(state));
				print_seconds(x->out, floor ? c->floor_ns[state].median
							    : c->added_ns[state].median);
				fputc('\n', x->out);
			}
}

static void print_subtracted(const struct exposition *x)
{
	const struct snapshot *s;
	uint32_t node;
	size_t i;

	metrics_print_family(x->out, "kstats_floor_subtracted_seconds", "gauge", "seconds",
			     "Floor that was subtracted from every sample; shorter samples are 0.");
	for (i = 0; i < x->recs->n; i++) {
		s = x->recs->recs[i]->whole;
		for (node = 0; node < s->n_nodes; node++) {
			fprintf(x->out, "kstats_floor_subtracted_seconds{%s} ",
				x->labels[i].nodes[node]);
			print_seconds(x->out, s->nodes[node].subtract_ns);
			fputc('\n', x->out);
		}
	}
}

/* The metric is left out if nothing was calibrated. */
static void metrics_print_costs(const struct exposition *x)
{
	if (x->subtracted)
		print_subtracted(x);
	if (!any_costs(x))
		return;
	print_cost_family(x, true);
	print_cost_family(x, false);
}

static void print_recording_info(FILE *out, const char *labels, const struct recording *r)
{
	const struct snapshot *s = r->whole;
	char key[TAGS_KEY_MAX + sizeof("tag_")];
	size_t i;

	fprintf(out, "kstats_recording_info{%sbits=\"%u\"", labels, s->bits);
	labels_print(out, ',', "program", s->program);
	labels_print(out, ',', "kernel", s->kernel);
	labels_print(out, ',', "build_id", r->machine.build_id);
	labels_print(out, ',', "cpu", r->machine.cpu);
	labels_print(out, ',', "clock", r->machine.clock);
	labels_print(out, ',', "backend", s->backend);
	labels_print(out, ',', "pairing", s->pairing);
	labels_print(out, ',', "filters", s->filters);
	labels_print(out, ',', "command", s->command);
	for (i = 0; i < r->tags.n; i++) {
		snprintf(key, sizeof(key), "tag_%s", r->tags.rows[i].key);
		labels_print(out, ',', key, r->tags.rows[i].value);
	}
	fputs("} 1\n", out);
}

static void print_recording_infos(const struct exposition *x)
{
	size_t i;

	metrics_print_family(x->out, "kstats_recording_info", "gauge", NULL,
			     "What was measured, on what, and how.");
	for (i = 0; i < x->recs->n; i++)
		print_recording_info(x->out, x->labels[i].recording, x->recs->recs[i]);
}

/* One number of a recording, without braces if there is no label. */
static void begin_figure(const struct exposition *x, size_t i, const char *name)
{
	const char *labels = x->labels[i].recording;

	fputs(name, x->out);
	if (*labels)
		fprintf(x->out, "{%.*s}", (int)strlen(labels) - 1, labels);
	fputc(' ', x->out);
}

static void metrics_print_figures(const struct exposition *x)
{
	const struct recording *r;
	size_t i;

	metrics_print_family(x->out, "kstats_measured_seconds", "gauge", "seconds",
			     "Time that the figures cover.");
	for (i = 0; i < x->recs->n; i++) {
		r = x->recs->recs[i];
		begin_figure(x, i, "kstats_measured_seconds");
		print_seconds(x->out, r->whole->span.end_ns - r->whole->span.begin_ns);
		fputc('\n', x->out);
	}
	metrics_print_family(x->out, "kstats_begin_timestamp_seconds", "gauge", "seconds",
			     "When it began, since 1970.");
	for (i = 0; i < x->recs->n; i++) {
		begin_figure(x, i, "kstats_begin_timestamp_seconds");
		print_seconds(x->out, x->recs->recs[i]->whole->span.wall_ns);
		fputc('\n', x->out);
	}
	metrics_print_family(x->out, "kstats_command_status", "gauge", NULL,
			     "Exit status of the command; 0 where there was none.");
	for (i = 0; i < x->recs->n; i++) {
		begin_figure(x, i, "kstats_command_status");
		fprintf(x->out, "%u\n", x->recs->recs[i]->status);
	}
}

int render_openmetrics(FILE *out, const struct render_set *recs, const struct render_options *o)
{
	struct labels *labels = labels_make(recs, o->live);
	const struct exposition x = {
		out, labels, recs, o->live, o->subtract_floor, buckets_or_usual(&o->buckets),
	};
	int err = labels ? print_distributions(&x) : -ENOMEM;

	if (!err) {
		print_ledgers(&x);
		if (x.live)
			print_levels(&x);
		print_node_infos(&x);
		metrics_print_costs(&x);
		print_recording_infos(&x);
		metrics_print_figures(&x);
		if (!o->followed)
			fputs("# EOF\n", out);
	}
	labels_free(labels, recs);
	return err || ferror(out) ? -EIO : 0;
}
