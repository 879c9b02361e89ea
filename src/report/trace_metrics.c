// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_metrics.c - recordings of functions as metrics. All recordings are told together, since
 * the samples of a metric must be.
 *
 * There are no info metrics, whose names and types differ between the two text formats. The
 * figures of a measurement that has ended are gauges. Those of a running node are counters: they
 * are written in the older format only, which is what textfile folders are read in.
 */
#include <errno.h>
#include <stdio.h>

#include "report/labels.h"
#include "report/priv.h"
#include "result/ledger.h"

/* What is being told, to whom, and about which node of which recording. */
struct trace_metrics {
	struct report_metrics *to;
	const struct report_set *recs;
	const struct report_look *look;
	const struct labels *labels; /* of each recording */
	const struct labels *of; /* those of @rec */
	const struct recording *rec;
	const struct snapshot *s;
	uint32_t node;
	uint64_t told[KSTATS_LEDGER_N]; /* what ledger_told() tells of it, if the metric is of
					   owners */
};

/* From now on it is about this recording. */
static void trace_metrics_of(struct trace_metrics *x, size_t i)
{
	x->rec = x->recs->recs[i];
	x->s = x->rec->whole;
	x->of = &x->labels[i];
}

/* The labels of a sample about the node. */
static struct report_metrics *trace_metrics_node(const struct trace_metrics *x)
{
	labels_tell_node(x->of, x->node, x->to);
	return x->to;
}

/* The labels of a sample about the recording. */
static struct report_metrics *trace_metrics_recording(const struct trace_metrics *x)
{
	labels_tell_recording(x->of, x->to);
	return x->to;
}

/* What follows is the sample of a counter. */
static void trace_metrics_since(const struct trace_metrics *x)
{
	if (x->look->live && x->to->since)
		x->to->since(x->to, x->s->span.wall_ns);
}

/* ---- distributions ---- */

/* A bucket is as wide as its bounds say, or as a slot where that is wider. */
static void durations_help(const struct trace_metrics *x, char *help, size_t size)
{
	uint32_t bits =
		x->to->in_slots ? KSTATS_BITS_MAX : buckets_or_usual(&x->look->buckets).bits;
	size_t i;

	for (i = 0; i < x->recs->n; i++)
		if (x->recs->recs[i]->whole->bits < bits)
			bits = x->recs->recs[i]->whole->bits;
	if (x->look->subtract_floor)
		snprintf(help, size, "How long it took, less the floor.");
	else
		snprintf(help, size,
			 "How long it took; samples of an inner bucket differ by less than %g%%.",
			 100.0 / (1 << bits));
}

static int trace_metrics_dists(struct trace_metrics *x)
{
	struct dist d;
	int err = 0;

	for (x->node = 0; !err && x->node < x->s->n_nodes; x->node++) {
		err = dist_open(&d, x->s, x->node, DIST_ALL_CPUS);
		if (!err) {
			trace_metrics_node(x);
			if (*x->s->unit)
				x->to->label(x->to, "unit", x->s->unit);
			trace_metrics_since(x);
			x->to->dist(x->to, &d);
		}
		dist_close(&d);
	}
	return err;
}

/* Recordings of durations, or of other values, whose unit is a label; nothing if there are none. */
static int trace_metrics_family(struct trace_metrics *x, const struct report_metric *m, bool values)
{
	bool told = false;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < x->recs->n; i++) {
		trace_metrics_of(x, i);
		if ((*x->s->unit != '\0') != values)
			continue;
		if (!told)
			x->to->metric(x->to, m);
		told = true;
		err = trace_metrics_dists(x);
	}
	return err;
}

static int trace_metrics_distributions(struct trace_metrics *x)
{
	char help[128];
	const struct report_metric durations = { "kstats_duration_seconds", "histogram", "seconds",
						 help };
	const struct report_metric values = {
		"kstats_value", "histogram", NULL,
		"Values that are not durations, in the unit of the label."
	};
	int err;

	durations_help(x, help, sizeof(help));
	if (!x->recs->n)
		x->to->metric(x->to, &durations);
	err = trace_metrics_family(x, &durations, false);
	return err ? err : trace_metrics_family(x, &values, true);
}

/* ---- the account ---- */

static void trace_metrics_event(const struct trace_metrics *x, const char *event, uint64_t n)
{
	trace_metrics_node(x)->label(x->to, "event", event);
	trace_metrics_since(x);
	x->to->sample(x->to, n);
}

static void trace_metrics_ledger(const struct trace_metrics *x)
{
	/* What is told of ends that were skipped may go back. */
	const uint64_t *told = x->look->live ? x->s->nodes[x->node].ledger : x->told;
	enum ledger_class class;
	int id, i;

	trace_metrics_event(x, "recorded", ledger_recorded(x->s, x->node));
	for (i = 0; i < KSTATS_LEDGER_N; i++) {
		id = ledger_order[i];
		class = ledger_rows[id].class;
		if (x->look->live && (class == LEDGER_LEVEL || class == LEDGER_ESTIMATE))
			continue;
		if (told[id] || !ledger_rows[id].rare)
			trace_metrics_event(x, ledger_rows[id].key, told[id]);
	}
}

/* Counts that may fall again are no counters. */
static void trace_metrics_open_calls(const struct trace_metrics *x)
{
	trace_metrics_node(x)->sample(x->to, x->told[KSTATS_IN_FLIGHT] + x->told[KSTATS_NO_END]);
}

static void trace_metrics_lost_calls(const struct trace_metrics *x)
{
	const uint64_t *ledger = x->s->nodes[x->node].ledger;

	trace_metrics_node(x)->sample(x->to,
				      x->told[KSTATS_END_MISSED] - ledger[KSTATS_END_MISSED]);
}

/* ---- about ---- */

static void trace_metrics_what(const struct trace_metrics *x)
{
	const struct snapshot_node *n = &x->s->nodes[x->node];

	trace_metrics_node(x)->label(x->to, "what", n->what);
	x->to->label(x->to, "method", n->method);
	x->to->label(x->to, "reason", n->reason);
	x->to->sample(x->to, 1);
}

static void trace_metrics_cost(const struct trace_metrics *x, bool floor)
{
	const struct cost *c = recording_cost(x->rec, x->node);
	int state;

	for (state = 0; c && state < COST_STATES; state++) {
		trace_metrics_node(x)->label(x->to, "caches", cost_state_name(state));
		x->to->seconds(x->to, floor ? c->floor_ns[state].median : c->added_ns[state].median,
			       1);
	}
}

static void trace_metrics_floor(const struct trace_metrics *x)
{
	trace_metrics_cost(x, true);
}

static void trace_metrics_added(const struct trace_metrics *x)
{
	trace_metrics_cost(x, false);
}

static void trace_metrics_subtracted(const struct trace_metrics *x)
{
	trace_metrics_node(x)->seconds(x->to, x->s->nodes[x->node].subtract_ns, 1);
}

static void trace_metrics_info(const struct trace_metrics *x)
{
	const struct recording *r = x->rec;
	char key[TAGS_KEY_MAX + sizeof("tag_")], bits[16];
	size_t i;

	snprintf(bits, sizeof(bits), "%u", x->s->bits);
	trace_metrics_recording(x)->label(x->to, "bits", bits);
	x->to->label(x->to, "program", x->s->program);
	x->to->label(x->to, "kernel", x->s->kernel);
	x->to->label(x->to, "build_id", r->machine.build_id);
	x->to->label(x->to, "cpu", r->machine.cpu);
	x->to->label(x->to, "clock", r->machine.clock);
	x->to->label(x->to, "backend", x->s->backend);
	x->to->label(x->to, "pairing", x->s->pairing);
	x->to->label(x->to, "filters", x->s->filters);
	x->to->label(x->to, "command", x->s->command);
	for (i = 0; i < r->tags.n; i++) {
		snprintf(key, sizeof(key), "tag_%s", r->tags.rows[i].key);
		x->to->label(x->to, key, r->tags.rows[i].value);
	}
	x->to->sample(x->to, 1);
}

static void trace_metrics_time(const struct trace_metrics *x)
{
	trace_metrics_recording(x)->seconds(x->to, x->s->span.end_ns - x->s->span.begin_ns, 1);
}

static void trace_metrics_date(const struct trace_metrics *x)
{
	trace_metrics_recording(x)->seconds(x->to, x->s->span.wall_ns, 1);
}

static void trace_metrics_status(const struct trace_metrics *x)
{
	trace_metrics_recording(x)->sample(x->to, x->rec->status);
}

/* When there is a metric, and of what. */
enum {
	LIVE = 1 << 0, /* the nodes are running */
	ENDED = 1 << 1,
	SUBTRACTED = 1 << 2, /* the floor is */
	COSTS = 1 << 3, /* something was calibrated */
	NODES = 1 << 4, /* of nodes, else of recordings */
	OWNERS = 1 << 5, /* of nodes with a ledger */
};

#define EVENTS "Start events by where they ended; started is all of them."

static const struct trace_metric {
	const char *name, *type, *unit, *help;
	unsigned int when;
	void (*tell)(const struct trace_metrics *x);
} trace_metrics[] = {
	{ "kstats_events_total", "counter", NULL, EVENTS, LIVE | OWNERS, trace_metrics_ledger },
	{ "kstats_events", "gauge", NULL, EVENTS, ENDED | OWNERS, trace_metrics_ledger },
	{ "kstats_open_calls", "gauge", NULL, "Calls that have not ended.", LIVE | OWNERS,
	  trace_metrics_open_calls },
	{ "kstats_lost_calls", "gauge", NULL,
	  "Calls that are lost since the kernel skipped their end, but are open or have the event "
	  "task_gone.",
	  LIVE | OWNERS, trace_metrics_lost_calls },
	{ "kstats_node_info", "gauge", NULL, "What a distribution is of, and how it was observed.",
	  NODES, trace_metrics_what },
	{ "kstats_floor_subtracted_seconds", "gauge", "seconds",
	  "Floor that was subtracted from every sample; shorter samples are 0.", SUBTRACTED | NODES,
	  trace_metrics_subtracted },
	{ "kstats_floor_seconds", "gauge", "seconds",
	  "Duration that is recorded for an empty function.", COSTS | NODES, trace_metrics_floor },
	{ "kstats_added_seconds", "gauge", "seconds", "What tracing adds to a call.", COSTS | NODES,
	  trace_metrics_added },
	{ "kstats_recording_info", "gauge", NULL, "What was measured, on what, and how.", 0,
	  trace_metrics_info },
	{ "kstats_measured_seconds", "gauge", "seconds", "Time that the figures cover.", 0,
	  trace_metrics_time },
	{ "kstats_begin_timestamp_seconds", "gauge", "seconds", "When it began, since 1970.", 0,
	  trace_metrics_date },
	{ "kstats_command_status", "gauge", NULL,
	  "Exit status of the command; 0 where there was none.", 0, trace_metrics_status },
	{},
};

static void trace_metrics_owner(struct trace_metrics *x, const struct trace_metric *m)
{
	if (!ledger_is_owner(x->s, x->node))
		return;
	ledger_told(x->s, x->node, x->told);
	m->tell(x);
}

static void trace_metrics_tell(struct trace_metrics *x, const struct trace_metric *m)
{
	const struct report_metric metric = { m->name, m->type, m->unit, m->help };
	uint32_t n;
	size_t i;

	x->to->metric(x->to, &metric);
	for (i = 0; i < x->recs->n; i++) {
		trace_metrics_of(x, i);
		n = m->when & (NODES | OWNERS) ? x->s->n_nodes : 1;
		for (x->node = 0; x->node < n; x->node++)
			if (m->when & OWNERS)
				trace_metrics_owner(x, m);
			else
				m->tell(x);
	}
}

int report_trace_metrics(const struct report *r, struct report_metrics *to)
{
	const struct report_set *recs = r->of;
	unsigned int are = NODES | OWNERS | (r->look->live ? LIVE : ENDED) |
			   (r->look->subtract_floor ? SUBTRACTED : 0);
	struct labels *labels = labels_make(recs, r->look->live);
	struct trace_metrics x = { .to = to, .recs = recs, .look = r->look, .labels = labels };
	const struct trace_metric *m;
	int err = labels ? trace_metrics_distributions(&x) : -ENOMEM;
	size_t i;

	for (i = 0; i < recs->n; i++)
		are |= recs->recs[i]->costs.n ? COSTS : 0;
	for (m = trace_metrics; !err && m->name; m++)
		if (!(m->when & ~are))
			trace_metrics_tell(&x, m);
	labels_free(labels, recs->n);
	return err;
}
