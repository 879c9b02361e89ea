// SPDX-License-Identifier: GPL-2.0-only
/* bench.c - results for benchmark dashboards and benchstat; see verdict.h. */
#include "render/verdict/verdict.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/safe_str.h"
#include "util/units.h"

static const char *unit_of(const struct check_result *r)
{
	const struct check_rule *rule = r->rule;

	switch (rule->field) {
	case CHECK_COUNT:
		return "samples";
	case CHECK_RATE:
		return "samples/s";
	case CHECK_LOSS:
		return rule->share ? "share" : "events";
	default:
		return units_is_time(r->unit) ? "ns" : r->unit;
	}
}

static int add_double(struct json_object *o, const char *key, double v)
{
	char text[64];

	snprintf(text, sizeof(text), "%.6g", v);
	return json_add(o, key, json_object_new_double_s(v, text));
}

/* Several rules on one metric of a distribution share a figure. */
static bool same_figure(const struct check_result *a, const struct check_result *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->rule->metric_name, b->rule->metric_name);
}

/* The verdicts of all rules on a figure, the first of them at @r. */
static int add_verdicts(struct json_object *o, const struct check *c, const struct check_result *r)
{
	char *text = NULL, methods[VERDICT_METHODS];
	const struct check_result *p;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int err;

	if (!f)
		return -ENOMEM;
	for (p = r; p < c->results + c->n; p++)
		if (same_figure(p, r))
			fprintf(f, "%s%s: %s", p == r ? "" : "; ", check_verdict_name(p->verdict),
				p->rule->text);
	if (verdict_methods(r, methods))
		fprintf(f, "; %s", methods);
	err = fclose(f) ? -ENOMEM : json_add_text(o, "extra", text);
	free(text);
	return err;
}

/* For a rule that is judged after each pair: the number of pairs, and the confidence. */
static int add_look(struct json_object *o, const struct check_result *r)
{
	const struct compare_look *look = &r->row->look;
	int err;

	if (!look->last)
		return 0;
	err = json_add_u64(o, "pairs", look->pairs);
	err |= json_add_u64(o, "first_look", look->first);
	err |= json_add_u64(o, "last_look", look->last);
	return err | add_double(o, "confidence", 100 * r->confidence);
}

static struct json_object *make_figure(const struct check *c, const struct check_result *r)
{
	const struct compare_row *row = r->row;
	double value = row ? row->b.value : (r->lo + r->hi) / 2;
	struct json_object *o = json_object_new_object();
	char text[256], lo[UNITS_TEXT], hi[UNITS_TEXT];
	int err;

	snprintf(text, sizeof(text), "%s %s", r->name, r->rule->metric_name);
	err = json_add_text(o, "name", text);
	err |= json_add_text(o, "unit", unit_of(r));
	err |= add_double(o, "value", value);
	if (row && row->known)
		snprintf(text, sizeof(text), "%s .. %s of the base", units_change(lo, row->lo, 2),
			 units_change(hi, row->hi, 2));
	else if (!row)
		snprintf(text, sizeof(text), "%.6g .. %.6g", r->lo, r->hi);
	else
		snprintf(text, sizeof(text), "unknown");
	err |= json_add_text(o, "range", text);
	err |= add_verdicts(o, c, r);
	if (row)
		err |= add_look(o, r);
	return json_made(o, err);
}

/* Without a value there is no figure. */
static bool has_figure(const struct check_result *r)
{
	return r->row ? r->row->b.runs : r->hi > 0 || r->verdict != CHECK_INCONCLUSIVE;
}

/* The first rule on a figure writes it. */
static bool told(const struct check *c, size_t i)
{
	const struct check_result *r = &c->results[i], *p;
	size_t k;

	for (k = 0; k < i; k++) {
		p = &c->results[k];
		if (has_figure(p) && same_figure(p, r))
			return true;
	}
	return false;
}

int verdict_json(FILE *out, const struct check *c, const struct compare_set *runs)
{
	struct json_object *o = json_object_new_array();
	int err = o ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !err && i < c->n; i++)
		if (has_figure(&c->results[i]) && !told(c, i))
			err = json_push(o, make_figure(c, &c->results[i]));
	if (!err)
		err = json_write_line(o, out);
	json_object_put(o);
	return err ? -EIO : 0;
}

/* The name of a benchmark has no spaces, and an upper case letter after "Benchmark". */
static void print_name(FILE *out, const char *name)
{
	fputs("BenchmarkKstats/", out);
	for (; *name; name++)
		fputc(isascii(*name) && (isalnum(*name) || strchr("_.:", *name)) ? *name : '_',
		      out);
}

/* A line of "key: value" is a configuration of the lines that follow. */
static void print_methods(FILE *out, const struct check_result *r)
{
	char text[VERDICT_METHODS], safe[VERDICT_METHODS];

	if (verdict_methods(r, text))
		fprintf(out, "methods: %s\n", safe_str(safe, sizeof(safe), text));
}

static int print_run(FILE *out, const struct snapshot *s, uint32_t node)
{
	const struct compare_metric *m;
	struct compare_figure f;
	int err;

	for (m = compare_metrics; m->name; m++) {
		err = compare_figure(&f, s, node, m->millionths);
		if (err)
			return err == -ENODATA ? 0 : err;
		if (m == compare_metrics) {
			print_name(out, s->nodes[node].name);
			fprintf(out, " %llu", (unsigned long long)f.samples);
		}
		fprintf(out, " %.6g %s-%s", f.value, m->name, snapshot_unit(s, "ns"));
	}
	fputc('\n', out);
	return 0;
}

int verdict_gobench(FILE *out, const struct check *c, const struct compare_set *runs)
{
	int node, err = 0;
	size_t i, run;

	for (i = 0; i < c->n; i++) {
		if (i && !strcmp(c->results[i].name, c->results[i - 1].name))
			continue;
		print_methods(out, &c->results[i]);
		for (run = 0; !err && run < runs->n; run++) {
			node = compare_find(runs->runs[run], c->results[i].name);
			if (node >= 0)
				err = print_run(out, runs->runs[run], node);
		}
	}
	return err || ferror(out) ? -EIO : 0;
}
