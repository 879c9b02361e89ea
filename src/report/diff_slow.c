// SPDX-License-Identifier: GPL-2.0-only
/* diff_slow.c - the slow calls of two sets of runs, where single calls were kept: their parts. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "judge/judge.h"
#include "report/priv.h"
#include "util/units.h"

#define PARTS (KSTATS_PART_BLOCKED + 1)

/** struct slow_side - means over the runs of a side */
struct slow_side {
	size_t n; /* runs in which slow calls were kept */
	size_t n_split; /* and have parts */
	const struct recording *first; /* of them */
	double whole;
	double parts[PARTS];
	char *cause; /* owned; of the first run: what stands in the first row; or NULL */
};

static void slow_add_cause(struct slow_side *side, const struct study *s)
{
	const struct study_cause *c = s->causes;
	const char *is = c->kind == STUDY_DURING ? " " : " is ";

	if (s->n_named && c->n == 2 &&
	    asprintf(&side->cause, "%s is %s and %s is %s", c->field[0], c->value[0], c->field[1],
		     c->value[1]) < 0)
		side->cause = NULL;
	if (s->n_named && c->n == 1 &&
	    asprintf(&side->cause, "%s%s%s", c->field[0], is, c->value[0]) < 0)
		side->cause = NULL;
}

static int slow_add_run(struct slow_side *side, const struct recording *rec)
{
	struct study s;
	int p, err = why_study(&s, rec->why);

	if (!err && s.n_slow) {
		side->whole += s.whole.slow;
		for (p = 0; p < PARTS; p++)
			side->parts[p] += s.parts[p].slow;
		side->n_split += s.is_split;
		if (!side->n++) {
			side->first = rec;
			slow_add_cause(side, &s);
		}
	}
	study_free(&s);
	return err;
}

static int slow_side(struct slow_side *side, const struct runs *runs)
{
	size_t i;
	int p, err = 0;

	for (i = 0; !err && i < runs->n; i++)
		if (runs->recordings[i]->why)
			err = slow_add_run(side, runs->recordings[i]);
	for (p = 0; side->n && p < PARTS; p++)
		side->parts[p] /= side->n;
	side->whole /= side->n ? side->n : 1;
	return err;
}

static const char *slow_signed(char buf[UNITS_TEXT + 1], double ns)
{
	char text[UNITS_TEXT];

	units_duration(text, fabs(ns), "auto");
	snprintf(buf, UNITS_TEXT + 1, "%s%s", ns > 0 ? "+" : ns < 0 ? "-" : "", text);
	return buf;
}

static void slow_say_means(struct report *r, const struct slow_side *a, const struct slow_side *b)
{
	char before[UNITS_TEXT], after[UNITS_TEXT], whole[UNITS_TEXT + 1];
	char part[PARTS][UNITS_TEXT + 1];
	int p;

	units_duration(before, a->whole, "auto");
	units_duration(after, b->whole, "auto");
	slow_signed(whole, b->whole - a->whole);
	if (a->n_split < a->n || b->n_split < b->n) {
		report_say(r, REPORT_PLAIN, "mean: %s before, %s after (%s)", before, after, whole);
		return;
	}
	for (p = 0; p < PARTS; p++)
		slow_signed(part[p], b->parts[p] - a->parts[p]);
	report_say(r, REPORT_PLAIN,
		   "mean: %s before, %s after; where it changed (%s): running %s, runnable %s, "
		   "sleeping %s, blocked %s",
		   before, after, whole, part[KSTATS_PART_RUNNING], part[KSTATS_PART_RUNNABLE],
		   part[KSTATS_PART_SLEEPING], part[KSTATS_PART_BLOCKED]);
}

static const char *diff_slow_from(const struct slow_side *side, char buf[UNITS_TEXT])
{
	return units_duration(buf, side->first->why->threshold_ns, "auto");
}

static const char *slow_cause(const struct slow_side *side)
{
	return side->cause ? side->cause : "nothing that was recorded";
}

static void slow_add(struct report *r, const struct slow_side *a, const struct slow_side *b)
{
	const struct recording *rec = a->first;
	char before[UNITS_TEXT], after[UNITS_TEXT];

	report_begin(r, "slow calls");
	report_say(r, REPORT_PLAIN, "of %s: from %s on before, from %s on after",
		   rec->whole->nodes[rec->why->node].name, diff_slow_from(a, before),
		   diff_slow_from(b, after));
	slow_say_means(r, a, b);
	report_say(r, REPORT_PLAIN, "what sets them apart: before, %s; after, %s", slow_cause(a),
		   slow_cause(b));
	report_end(r);
}

int report_diff_slow(struct report *r, const struct runs *before, const struct runs *after)
{
	struct slow_side a = {}, b = {};
	int err = slow_side(&a, before);

	if (!err)
		err = slow_side(&b, after);
	if (!err && a.n && b.n)
		slow_add(r, &a, &b);
	free(a.cause);
	free(b.cause);
	return err;
}
