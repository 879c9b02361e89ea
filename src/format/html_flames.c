// SPDX-License-Identifier: GPL-2.0-only
/*
 * html_flames.c - stacks as a flame graph: a function is as wide as what it stands for, and stands
 * on the one that called it. Functions beside each other are in the order of their names.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/frame.h"
#include "format/priv.h"
#include "util/units.h"

#define WIDTH 1100
#define ROW 19
#define GAP 1
#define LETTER 7.4 /* average width of one, at most */
#define LEAST 0.4 /* width of what is drawn */
#define DEEP 128 /* functions of a stack that are drawn */

/** struct flames - what is drawn */
struct flames {
	FILE *out;
	const char *unit;
	const struct report_flame *rows; /* sorted by stack */
	size_t n;
	size_t *same; /* by row: functions that it has in common with the one before, outermost
			 first */
	size_t deepest;
	double total;
};

static int flames_by_stack(const void *a, const void *b)
{
	const struct report_flame *x = a, *y = b;

	return strcmp(x->stack, y->stack);
}

static size_t flame_depth(const char *stack)
{
	size_t n = 1;

	for (; (stack = strchr(stack, ';')); stack++)
		n++;
	return n;
}

/* How many functions begin both stacks. */
static size_t flame_common(const char *a, const char *b)
{
	size_t n = 0;

	for (; *a && *a == *b; a++, b++)
		n += *a == ';';
	return n + ((!*a || *a == ';') && (!*b || *b == ';'));
}

/* The function at a depth. Return: its length; 0: the stack is not so deep. */
static size_t flame_frame(const char *stack, size_t depth, const char **at)
{
	while (depth-- && stack)
		stack = (stack = strchr(stack, ';')) ? stack + 1 : NULL;
	*at = stack;
	return stack ? strcspn(stack, ";") : 0;
}

/* Text that is not ASCII is left out: its width is not known. */
static void flame_text(const struct flames *f, double x, double y, double width, const char *name)
{
	size_t room = width > 8 ? (width - 6) / LETTER : 0, len = strlen(name), i;
	char cut[160];

	for (i = 0; i < len; i++)
		if (name[i] < ' ' || name[i] > '~')
			return;
	if (room < 4)
		return;
	room = room < sizeof(cut) - 1 ? room : sizeof(cut) - 1;
	snprintf(cut, sizeof(cut), "%.*s%s", (int)(len > room ? room - 1 : len), name,
		 len > room ? "~" : "");
	fprintf(f->out, "<text x=\"%.1f\" y=\"%.1f\">", x + 3, y + 13);
	html_text(f->out, cut);
	fputs("</text>\n", f->out);
}

static void flame_draw(const struct flames *f, size_t depth, const char *name, double from,
		       double value)
{
	double x = from / f->total * WIDTH, width = value / f->total * WIDTH;
	double y = (f->deepest - 1 - depth) * ROW;
	char text[UNITS_TEXT], share[UNITS_TEXT];

	if (width < LEAST)
		return;
	fprintf(f->out,
		"<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"><title>", x,
		y, fmax(width - GAP, LEAST), ROW - GAP);
	html_text(f->out, name);
	fprintf(f->out, ": %s, %s</title></rect>\n", units_duration(text, value, f->unit),
		units_percent(share, (uint64_t)value, (uint64_t)f->total));
	flame_text(f, x, y, width, name);
}

/* Rows that have all functions up to this depth in common are one box. */
static int flames_level(const struct flames *f, size_t depth)
{
	double from = 0, value;
	const char *at;
	size_t i, len;
	char *name;

	for (i = 0; i < f->n; from += value) {
		len = flame_frame(f->rows[i].stack, depth, &at);
		value = f->rows[i++].value;
		while (i < f->n && f->same[i] > depth)
			value += f->rows[i++].value;
		if (!len)
			continue;
		name = strndup(at, len);
		if (!name)
			return -ENOMEM;
		flame_draw(f, depth, name, from, value);
		free(name);
	}
	return 0;
}

static int flames_draw(const struct flames *f, const char *title)
{
	size_t depth;
	int err = 0;

	fputs("<div class=\"over\">", f->out);
	html_tag(f->out, "h3", title);
	fprintf(f->out,
		"<svg class=\"chart flames\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
		"viewBox=\"0 0 %d %zu\" aria-label=\"%s\">\n",
		WIDTH, f->deepest * ROW, title);
	for (depth = 0; !err && depth < f->deepest; depth++)
		err = flames_level(f, depth);
	fputs("</svg></div>\n", f->out);
	return err;
}

int html_flames(FILE *out, const struct report_flames *x)
{
	struct flames f = { .out = out, .unit = x->unit, .n = x->n };
	struct report_flame *rows = malloc((x->n + 1) * sizeof(*rows));
	size_t i;
	int err = -ENOMEM;

	f.rows = rows;
	f.same = calloc(x->n + 1, sizeof(*f.same));
	if (rows && f.same) {
		memcpy(rows, x->rows, x->n * sizeof(*rows));
		qsort(rows, x->n, sizeof(*rows), flames_by_stack);
		for (i = 0; i < x->n; i++) {
			f.total += rows[i].value;
			f.same[i] = i ? flame_common(rows[i - 1].stack, rows[i].stack) : 0;
			f.deepest = fmax(f.deepest, fmin(flame_depth(rows[i].stack), DEEP));
		}
		err = f.total > 0 ? flames_draw(&f, x->title) : 0;
	}
	free(rows);
	free(f.same);
	return err;
}
