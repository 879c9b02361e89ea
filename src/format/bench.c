// SPDX-License-Identifier: GPL-2.0-only
/* bench.c - results for benchmark dashboards and benchstat. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/priv.h"
#include "report/methods.h"
#include "util/json.h"
#include "util/safe_str.h"
#include "util/units.h"

static const char *bench_unit(const struct check *c, const struct check_result *r)
{
	const struct check_rule *rule = r->rule;

	if (rule->share)
		return "share";
	switch (rule->field) {
	case CHECK_COUNT:
		return c->memory ? "allocations" : "samples";
	case CHECK_RATE:
		return c->memory ? "allocations/s" : "samples/s";
	case CHECK_LOSS:
		return "events";
	case CHECK_OBJECTS:
		return "objects";
	default:
		return units_is_time(r->unit) ? "ns" : r->unit;
	}
}

/* Several rules on one metric of a distribution share a figure. */
static bool bench_same(const struct check_result *a, const struct check_result *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->rule->target, b->rule->target) &&
	       a->rule->share == b->rule->share &&
	       !strcmp(a->rule->metric_name, b->rule->metric_name);
}

/* The verdicts of all rules on a figure, the first of them at @r. */
static int bench_add_verdicts(struct json_object *o, const struct check *c,
			      const struct check_result *r)
{
	char *text = NULL, *methods = report_methods(r);
	const struct check_result *p;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int err;

	if (!f) {
		free(methods);
		return -ENOMEM;
	}
	/* The results of a distribution follow each other. */
	for (p = r; p < c->results + c->n && !strcmp(p->name, r->name); p++)
		if (bench_same(p, r))
			fprintf(f, "%s%s: %s", p == r ? "" : "; ", check_verdict_name(p->verdict),
				p->rule->text);
	if (methods)
		fprintf(f, "; %s", methods);
	free(methods);
	err = fclose(f) || !text ? -ENOMEM : json_add_text(o, "extra", text);
	free(text);
	return err;
}

/* For a rule that is judged after each pair: the number of pairs, and the confidence. */
static int bench_add_look(struct json_object *o, const struct check_result *r)
{
	const struct compare_look *look = &r->row->look;
	int err;

	if (!look->last)
		return 0;
	err = json_add_u64(o, "pairs", look->pairs);
	err |= json_add_u64(o, "first_look", look->first);
	err |= json_add_u64(o, "last_look", look->last);
	return err | json_add_double(o, "confidence", 100 * r->confidence, 6);
}

static struct json_object *bench_make_figure(const struct check *c, const struct check_result *r)
{
	const struct compare_row *row = r->row;
	double value = row ? row->b.value : (r->lo + r->hi) / 2;
	struct json_object *o = json_object_new_object();
	char text[512], lo[UNITS_TEXT], hi[UNITS_TEXT];
	int err;

	snprintf(text, sizeof(text), "%s %s%s%s%s", r->name, r->rule->target,
		 *r->rule->target ? ":" : "", r->rule->metric_name,
		 r->rule->share && r->rule->field != CHECK_OTHER_CPU ? " share" : "");
	err = json_add_text(o, "name", text);
	err |= json_add_text(o, "unit", bench_unit(c, r));
	err |= json_add_double(o, "value", value, 6);
	if (row && row->known)
		snprintf(text, sizeof(text), "%s .. %s of the base", units_change(lo, row->lo, 2),
			 units_change(hi, row->hi, 2));
	else if (!row)
		snprintf(text, sizeof(text), "%.6g .. %.6g", r->lo, r->hi);
	else
		snprintf(text, sizeof(text), "unknown");
	err |= json_add_text(o, "range", text);
	err |= bench_add_verdicts(o, c, r);
	if (row)
		err |= bench_add_look(o, r);
	return json_made(o, err);
}

/* Without a value there is no figure. */
static bool bench_has_figure(const struct check_result *r)
{
	if (r->empty || (r->rule->relative && !r->row))
		return false;
	return r->row ? r->row->b.runs : r->hi > 0 || r->verdict != CHECK_INCONCLUSIVE;
}

/* The first rule on a figure writes it. */
static bool bench_told(const struct check *c, size_t i)
{
	const struct check_result *r = &c->results[i], *p;

	for (p = r - 1; p >= c->results && !strcmp(p->name, r->name); p--)
		if (bench_has_figure(p) && bench_same(p, r))
			return true;
	return false;
}

int format_dashboard(FILE *out, const struct report *r)
{
	struct json_out w = { .out = out };
	const struct check *c = r->of;
	size_t i;

	json_out_open(&w, NULL, '[');
	for (i = 0; i < c->n; i++)
		if (bench_has_figure(&c->results[i]) && !bench_told(c, i))
			json_out_push(&w, bench_make_figure(c, &c->results[i]));
	json_out_close(&w, ']');
	return json_out_line(&w) || r->err ? -EIO : 0;
}

/* The name of a benchmark has no spaces, and an upper case letter after "Benchmark". */
static void bench_name(FILE *out, const char *name)
{
	fputs("BenchmarkKstats/", out);
	for (; *name; name++)
		fputc(isascii(*name) && (isalnum(*name) || strchr("_.:", *name)) ? *name : '_',
		      out);
}

/* A line of "key: value" is a configuration of the lines that follow. */
static void bench_methods(FILE *out, const struct check_result *r)
{
	char *text = report_methods(r), safe[3 * METHODS_TEXT];

	if (text)
		fprintf(out, "methods: %s\n", safe_str(safe, sizeof(safe), text));
	free(text);
}

static int bench_run(FILE *out, const struct snapshot *s, uint32_t node)
{
	const struct compare_metric *m;
	struct compare_figure f;
	int err;

	for (m = compare_metrics; m->name; m++) {
		err = compare_figure(&f, s, node, m->millionths);
		if (err)
			return err == -ENODATA ? 0 : err;
		if (m == compare_metrics) {
			bench_name(out, s->nodes[node].name);
			fprintf(out, " %llu", (unsigned long long)f.samples);
		}
		fprintf(out, " %.6g %s-%s", f.value, m->name, snapshot_unit(s, "ns"));
	}
	fputc('\n', out);
	return 0;
}

int format_gobench(FILE *out, const struct report *r)
{
	const struct compare_set *runs = r->runs;
	const struct check *c = r->of;
	int node, err = 0;
	size_t i, run;

	for (i = 0; i < c->n; i++) {
		if (i && !strcmp(c->results[i].name, c->results[i - 1].name))
			continue;
		bench_methods(out, &c->results[i]);
		for (run = 0; !err && run < runs->n; run++) {
			node = snapshot_find(runs->runs[run], c->results[i].name);
			if (node >= 0)
				err = bench_run(out, runs->runs[run], node);
		}
	}
	return err || ferror(out) ? -EIO : 0;
}
