// SPDX-License-Identifier: GPL-2.0-only
/* formats.c - two sets of runs for a pull request and for programs. */
#include "render/diff/diff.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "render/methods.h"
#include "render/text.h"
#include "util/json.h"
#include "util/safe_str.h"
#include "util/units.h"

#define DIFF_FORMAT "kstats-bpf diff"
#define DIFF_VERSION 1
#define NAME_MAX_SHOWN 512

/* ---- markdown ---- */

/* As code, in which nothing is marked up; a backtick would end it, a bar the cell. */
static void print_code(FILE *out, const char *name)
{
	char buf[NAME_MAX_SHOWN];
	const char *p;

	fputc('`', out);
	for (p = safe_str(buf, sizeof(buf), name); *p; p++)
		fputc(*p == '`' || *p == '|' ? '_' : *p, out);
	fputc('`', out);
}

static void print_side(FILE *out, const struct compare_side *side)
{
	char value[UNITS_TEXT], range[TEXT_RANGE];

	if (side->runs)
		fprintf(out, " %s (%s) |", units_duration(value, side->value, side->unit),
			text_range(range, side->bounds, side->unit));
	else
		fputs(" |", out);
}

static void print_cells(FILE *out, const struct compare_row *row)
{
	char lo[UNITS_TEXT], hi[UNITS_TEXT], text[DIFF_SENTENCE];

	fprintf(out, "| %s |", row->metric->name);
	print_side(out, &row->a);
	print_side(out, &row->b);
	if (row->a.runs && row->b.runs)
		fprintf(out, " %s |", units_change(lo, row->change, 1));
	else
		fputs(" |", out);
	if (row->known)
		fprintf(out, " %s .. %s | %s |\n", units_change(lo, row->lo, 1),
			units_change(hi, row->hi, 1), diff_level(row, text));
	else
		fprintf(out, " %s%s| |\n", diff_unknown(row, text), *text ? " " : "");
}

static void print_methods(FILE *out, const struct compare_row *row)
{
	char text[METHODS_TEXT];

	fputs("- before: ", out);
	print_code(out, methods_side(&row->a, text));
	fputs("\n- after: ", out);
	print_code(out, methods_side(&row->b, text));
	fprintf(out, "\n- %s\n\n", methods_floors(row, text));
}

int diff_markdown(FILE *out, const struct compare *c)
{
	char sentence[DIFF_SENTENCE];
	size_t i, k, n;

	for (i = 0; i < c->n; i += n) {
		n = diff_rows(c, i);
		fputs("### ", out);
		print_code(out, c->rows[i].name);
		fprintf(out, "\n\n%s\n\n", diff_sentence(&c->rows[i], n, sentence));
		fputs("| | before | after | change | interval | at |\n"
		      "| --- | ---: | ---: | ---: | ---: | ---: |\n",
		      out);
		for (k = 0; k < n; k++)
			print_cells(out, &c->rows[i + k]);
		fprintf(out, "\n%zu and %zu runs, %llu and %llu samples\n\n", c->rows[i].a.runs,
			c->rows[i].b.runs, (unsigned long long)c->rows[i].a.samples,
			(unsigned long long)c->rows[i].b.samples);
		if (c->rows[i].across)
			print_methods(out, &c->rows[i]);
		if (diff_warning(&c->rows[i], n))
			fprintf(out, "%s\n\n", diff_warning(&c->rows[i], n));
	}
	for (i = 0; i < c->n_missing; i++) {
		fputs("- only on one side: ", out);
		print_code(out, c->missing[i]);
		fputc('\n', out);
	}
	return ferror(out) ? -EIO : 0;
}

/* ---- JSON ---- */

static int add_double(struct json_object *o, const char *key, double v)
{
	char text[64];

	if (!isfinite(v))
		return 0;
	snprintf(text, sizeof(text), "%.9g", v);
	return json_add(o, key, json_object_new_double_s(v, text));
}

static int add_cost(struct json_object *o, const struct compare_side *s)
{
	struct costs one = { .n = 1, .rows = (struct cost *)s->cost };
	int err = json_add_text(o, "method", s->method);

	return s->cost ? err | json_add(o, "calibration", costs_json(&one)) : err;
}

static struct json_object *make_side(const struct compare_side *s)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "runs", s->runs);
	bool is_time = units_is_time(s->unit);

	err |= json_add_u64(o, "samples", s->samples);
	if (!is_time)
		err |= json_add_text(o, "unit", s->unit);
	if (s->runs) {
		err |= add_double(o, is_time ? "value_ns" : "value", s->value);
		err |= add_double(o, "spread", s->spread);
		err |= json_add_u64(o, is_time ? "lo_ns" : "lo", s->bounds.lo);
		err |= json_add_u64(o, is_time ? "hi_ns" : "hi", s->bounds.hi);
	}
	if (s->method)
		err |= add_cost(o, s);
	return json_made(o, err);
}

static const char *order_name(enum compare_order order)
{
	static const char *const names[] = {
		[COMPARE_UNORDERED] = "unknown",
		[COMPARE_IN_TURN] = "in turn",
		[COMPARE_APART] = "apart",
	};

	return names[order];
}

static struct json_object *make_row(const struct compare_row *row)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "name", row->name);

	err |= json_add_text(o, "metric", row->metric->name);
	err |= json_add(o, "before", make_side(&row->a));
	err |= json_add(o, "after", make_side(&row->b));
	if (row->a.runs && row->b.runs)
		err |= add_double(o, "change", row->change);
	if (row->across && row->a.cost && row->b.cost) {
		err |= add_double(o, "floors_lo", row->shift_lo);
		err |= add_double(o, "floors_hi", row->shift_hi);
	}
	if (row->known) {
		err |= add_double(o, "change_lo", row->lo);
		err |= add_double(o, "change_hi", row->hi);
		err |= add_double(o, "confidence", row->confidence);
		err |= add_double(o, "p", row->p);
		err |= json_add_text(o, "order", order_name(row->order));
		err |= json_add(o, "paired", json_object_new_boolean(row->paired));
	} else if (row->a.few + row->b.few) {
		err |= json_add_u64(o, "samples_needed",
				    compare_samples_needed(row->metric->millionths));
	}
	return json_made(o, err);
}

int diff_json(FILE *out, const struct compare *c)
{
	struct json_object *o = json_object_new_object(), *rows = json_object_new_array();
	struct json_object *missing = json_object_new_array();
	int err = json_add_text(o, "format", DIFF_FORMAT);
	size_t i;

	err |= json_add_u64(o, "version", DIFF_VERSION);
	for (i = 0; !err && i < c->n; i++)
		err = json_push(rows, make_row(&c->rows[i]));
	for (i = 0; !err && i < c->n_missing; i++)
		err = json_push(missing, json_object_new_string(c->missing[i]));
	err |= json_add(o, "rows", rows);
	err |= json_add(o, "only_on_one_side", missing);
	if (!err)
		err = json_write_line(o, out);
	json_object_put(o);
	return err ? -EIO : 0;
}
