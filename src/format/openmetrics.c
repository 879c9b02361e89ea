// SPDX-License-Identifier: GPL-2.0-only
/*
 * openmetrics.c - the metrics of a report as an exposition for Prometheus and similar systems.
 * It is also valid in the older text format.
 */
#include <errno.h>
#include <inttypes.h>

#include "format/priv.h"
#include "render/labels.h"

#define NS_PER_S 1000000000

struct metrics_out {
	struct report_metrics metrics;
	FILE *out;
	const char *name; /* of the last metric */
	bool labelled; /* the next sample has labels */
};

static void metrics_begin(struct report_metrics *to, const struct report_metric *m)
{
	struct metrics_out *x = (struct metrics_out *)to;

	fprintf(x->out, "# HELP %s %s\n# TYPE %s gauge\n", m->name, m->help, m->name);
	if (m->unit)
		fprintf(x->out, "# UNIT %s %s\n", m->name, m->unit);
	x->name = m->name;
}

static void metrics_label(struct report_metrics *to, const char *name, const char *text)
{
	struct metrics_out *x = (struct metrics_out *)to;

	if (!x->labelled)
		fputs(x->name, x->out);
	labels_print(x->out, x->labelled ? ',' : '{', name, text);
	x->labelled = true;
}

/* What stands before a value. */
static FILE *metrics_value(struct report_metrics *to)
{
	struct metrics_out *x = (struct metrics_out *)to;

	fprintf(x->out, "%s ", x->labelled ? "}" : x->name);
	x->labelled = false;
	return x->out;
}

static void metrics_sample(struct report_metrics *to, uint64_t n)
{
	fprintf(metrics_value(to), "%" PRIu64 "\n", n);
}

static void metrics_seconds(struct report_metrics *to, uint64_t ns)
{
	fprintf(metrics_value(to), "%" PRIu64 ".%09" PRIu64 "\n", ns / NS_PER_S, ns % NS_PER_S);
}

int format_openmetrics(FILE *out, const struct report *r)
{
	struct metrics_out x = {
		.metrics = { metrics_begin, metrics_label, metrics_sample, metrics_seconds },
		.out = out,
	};

	if (!r->err) {
		r->metrics(r, &x.metrics);
		fputs("# EOF\n", out);
	}
	return r->err || ferror(out) ? -EIO : 0;
}
