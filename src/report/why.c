// SPDX-License-Identifier: GPL-2.0-only
/*
 * why.c - what makes slow calls slow: what sets them apart, where they waited, and the worst of
 * them. Where their time goes is in why_time.c.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/figures.h"
#include "report/priv.h"

#define PLACES 5 /* rows of a table of places */
#define PLACE_LEAST 0.005 /* share of the excess of those that are shown */
#define WORDS 256
#define BURSTS_MANY 75 /* see the table of docs/why.md */

/* What a report owns. */
struct why_report {
	struct study study;
	char *title;
};

static void why_release(void *own)
{
	struct why_report *x = own;

	study_free(&x->study);
	free(x->title);
	free(x);
}

const struct study *report_why_study(const struct report *r)
{
	return &((const struct why_report *)r->own)->study;
}

const char *report_why_time(const struct report *r, double ns, char buf[UNITS_TEXT])
{
	return units_duration(buf, ns, r->look ? r->look->unit : "auto");
}

const char *report_why_share(double share, char buf[UNITS_TEXT])
{
	return units_share(buf, 100 * fmax(0, share));
}

void report_why_cell(struct report *r, const char *format, ...)
{
	char text[WORDS];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	report_cell(r, text, NULL);
}

const char *report_why_part_name(enum kstats_part p)
{
	return snapshot_kind_name(NULL, SNAPSHOT_RUNNING + p);
}

/* ---- the calls ---- */

static void why_add_quantiles(struct report *r, const struct recording *rec)
{
	char range[FIGURES_RANGE], part[WORDS] = "";
	size_t n = 0;
	struct dist d;
	int i, err = dist_open(&d, rec->whole, rec->why->node, DIST_ALL_CPUS);

	for (i = 0; !err && d.samples && i < FIGURES_QUANTILES - 1; i++)
		n += snprintf(part + n, sizeof(part) - n, "%s%s %s", i ? ", " : "",
			      figures_quantiles[i].name,
			      figures_range(range,
					    dist_quantile(&d, figures_quantiles[i].millionths),
					    r->look->unit));
	if (n)
		report_say(r, REPORT_PLAIN, "%s", part);
	dist_close(&d);
	if (err)
		r->err = err;
}

static void why_add_calls(struct report *r, const struct recording *rec, const struct study *s)
{
	const struct why *w = rec->why;
	char calls[UNITS_TEXT], slow[UNITS_TEXT], at[UNITS_TEXT], quantile[UNITS_TEXT] = "";
	char seconds[UNITS_TEXT], *title = NULL;

	if (asprintf(&title, "Slow calls of %s", rec->whole->nodes[w->node].name) < 0) {
		r->err = -ENOMEM;
		return;
	}
	report_heading(r, title, rec->whole->nodes[w->node].what);
	free(title);
	if (w->quantile > 0)
		snprintf(quantile, sizeof(quantile), " (p%.7g)", 100 * w->quantile);
	report_say(r, REPORT_PLAIN,
		   "In %s on Linux %s, %s of %s calls took %s or more%s: these are the slow ones. "
		   "%zu of them and %zu ordinary ones were looked at one by one.",
		   units_duration(seconds, rec->whole->span.end_ns - rec->whole->span.begin_ns,
				  "auto"),
		   rec->whole->kernel, units_count(slow, w->n_slow), units_count(calls, w->n_calls),
		   report_why_time(r, w->threshold_ns, at), quantile, s->n_slow, s->n_ordinary);
	why_add_quantiles(r, rec);
}

/* ---- what sets them apart ---- */

static const struct report_column why_cause_columns[] = {
	{ .heading = "explains", .kind = REPORT_NUMBER },
	{ .heading = "at least", .kind = REPORT_NUMBER },
	{ .heading = "of slow", .kind = REPORT_NUMBER },
	{ .heading = "of others", .kind = REPORT_NUMBER },
	{ .heading = "risk", .kind = REPORT_NUMBER },
	{ .heading = "what slow calls have more often", .kind = REPORT_NAME },
	{},
};

/* "arg0 is 7 and cpu is 1", "woken by holder" */
static char *why_phrase(const struct study_cause *c)
{
	bool words = strchr(c->field[0], ' ');
	char *text = NULL;
	int n;

	if (c->n == 2)
		n = asprintf(&text, "%s is %s and %s is %s", c->field[0], c->value[0], c->field[1],
			     c->value[1]);
	else
		n = asprintf(&text, "%s%s %s", c->field[0], words ? "" : " is", c->value[0]);
	return n < 0 ? NULL : text;
}

/* How many times as likely, or as often for each time in the call. */
static const char *why_risk(double ratio, char buf[UNITS_TEXT])
{
	if (!isfinite(ratio))
		return "only";
	snprintf(buf, UNITS_TEXT, ratio < 10 ? "x %.1f" : "x %.0f", ratio);
	return buf;
}

static void why_add_cause(struct report *r, const struct study_cause *c)
{
	char share[UNITS_TEXT], least[UNITS_TEXT], slow[UNITS_TEXT], others[UNITS_TEXT],
		risk[UNITS_TEXT], note[WORDS] = "";
	char *what = why_phrase(c);

	if (!what) {
		r->err = -ENOMEM;
		return;
	}
	report_cell(r, report_why_share(c->share, share), NULL);
	report_cell(r, report_why_share(c->share_lo, least), NULL);
	report_cell(r, units_percent(slow, c->slow_calls, c->of_slow), NULL);
	report_cell(r, report_why_share(c->others, others), NULL);
	report_cell(r, why_risk(c->ratio, risk), NULL);
	if (c->goes_with)
		snprintf(note, sizeof(note), "(goes with row %zu)", c->goes_with);
	report_cell(r, what, *note ? note : NULL);
	free(what);
}

static void why_say_none(struct report *r, const struct study *s)
{
	char tried[UNITS_TEXT];

	if (!s->has_intervals && s->n_bursts >= STUDY_BURSTS_LEAST)
		report_say(r, REPORT_PLAIN,
			   "There are too few ordinary calls to compare them with (%zu). Measure "
			   "longer, or with a higher --slower.",
			   s->n_ordinary);
	else if (!s->has_intervals)
		report_say(
			r, REPORT_PLAIN,
			"There are too few slow calls to tell: %zu burst%s of them, and it takes "
			"%d. Measure longer, or with a lower --slower.",
			s->n_bursts, units_plural(s->n_bursts), STUDY_BURSTS_LEAST);
	else
		report_say(r, REPORT_PLAIN,
			   "Nothing that was recorded separates slow calls from ordinary ones. %s "
			   "values of fields, and of two at once, were compared.",
			   units_count(tried, s->n_tried));
	if (s->has_intervals && s->n_bursts < BURSTS_MANY)
		report_say(r, REPORT_PLAIN,
			   "With only %zu bursts of slow calls, a cause may be missed. Measure "
			   "longer, or with a lower --slower, until there are %d.",
			   s->n_bursts, BURSTS_MANY);
}

/* The names of the methods that use kprobes begin with this word; pairs have others. */
static bool why_has_no_arguments(const struct recording *rec)
{
	const char *method = rec->whole->nodes[rec->why->node].method;

	return method && !strncmp(method, "kprobe", strlen("kprobe"));
}

/* What slow calls have because they are long. */
static void why_add_hints(struct report *r, const struct study *s)
{
	const struct study_cause *c;
	char slow[UNITS_TEXT], others[UNITS_TEXT];
	char *what;

	for (c = s->causes + s->n_named; c < s->causes + s->n_causes; c++) {
		what = why_phrase(c);
		if (!what) {
			r->err = -ENOMEM;
			return;
		}
		report_say(r, REPORT_SOFT,
			   "In %s of the slow calls and %s of the ordinary ones, which is not "
			   "shown to be more than their longer time explains: %s.",
			   report_why_share(c->slow, slow), report_why_share(c->others, others),
			   what);
		free(what);
	}
}

static void why_add_causes(struct report *r, const struct recording *rec, const struct study *s)
{
	size_t i;

	report_heading(r, "What sets slow calls apart", NULL);
	if (s->n_named) {
		report_table_begin(r, why_cause_columns);
		for (i = 0; i < s->n_named; i++)
			why_add_cause(r, &s->causes[i]);
		report_say(r, REPORT_SOFT,
			   "Each row explains that share of the slow calls, if it is the cause; "
			   "the shares overlap. By chance alone, any row stands here in at most "
			   "1%% of measurements. %zu slow calls in %zu bursts.",
			   s->n_slow, s->n_bursts);
	} else {
		why_say_none(r, s);
	}
	if (!s->has_intervals)
		return;
	why_add_hints(r, s);
	if (why_has_no_arguments(rec))
		report_say(r, REPORT_SOFT,
			   "Arguments were not compared, but those of --by: at the end of a call, "
			   "kprobes cannot read them. -m fentry can, where it is offered.");
}

/* ---- places ---- */

static const struct report_column why_wait_columns[] = {
	{ .heading = "excess", .kind = REPORT_NUMBER },
	{ .heading = "calls", .kind = REPORT_NUMBER },
	{ .heading = "mean", .kind = REPORT_NUMBER },
	{ .heading = "how", .kind = REPORT_WORDS },
	{ .heading = "woken by", .kind = REPORT_WORDS },
	{ .heading = "in", .kind = REPORT_NAME },
	{},
};

static void why_add_wait(struct report *r, const struct study_place *p)
{
	char share[UNITS_TEXT], calls[UNITS_TEXT], mean[UNITS_TEXT], some[UNITS_TEXT];

	report_cell(r, report_why_share(p->share, share), NULL);
	report_cell(r, units_count(calls, p->calls), NULL);
	report_cell(r, report_why_time(r, p->ns / p->calls, mean), NULL);
	report_cell(r, report_why_part_name(p->part), NULL);
	if (p->waker)
		report_why_cell(r, "%s (%s)", p->waker,
				units_percent(some, p->waker_calls, p->calls));
	else
		report_cell(r, NULL, NULL);
	report_cell(r, p->frame ? p->frame : "(not known)", NULL);
}

static void why_add_waits(struct report *r, const struct study *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n_waits && n < PLACES; i++) {
		if (s->waits[i].share < PLACE_LEAST)
			continue;
		if (!n++) {
			report_heading(r, "Where slow calls waited longest", NULL);
			report_table_begin(r, why_wait_columns);
		}
		why_add_wait(r, &s->waits[i]);
	}
	if (n)
		report_say(r, REPORT_SOFT,
			   "Of each call its longest wait counts; excess: its share "
			   "of what slow calls take longer.");
}

static const struct report_column why_run_columns[] = {
	{ .heading = "samples", .kind = REPORT_NUMBER },
	{ .heading = "share", .kind = REPORT_NUMBER },
	{ .heading = "in", .kind = REPORT_NAME },
	{},
};

static void why_add_runs(struct report *r, const struct study *s)
{
	char n[UNITS_TEXT], share[UNITS_TEXT];
	size_t i;

	if (!s->n_runs)
		return;
	report_heading(r, "Where slow calls ran", "once they were over the threshold");
	report_table_begin(r, why_run_columns);
	for (i = 0; i < s->n_runs && i < PLACES; i++) {
		report_cell(r, units_count(n, s->runs[i].ns), NULL);
		report_cell(r, report_why_share(s->runs[i].share, share), NULL);
		report_cell(r, s->runs[i].frame ? s->runs[i].frame : "(not known)", NULL);
	}
}

/* ---- the worst calls ---- */

static const struct report_column why_worst_columns[] = {
	{ .heading = "duration", .kind = REPORT_NUMBER },
	{ .heading = "begin", .kind = REPORT_NUMBER },
	{ .heading = "thread", .kind = REPORT_NUMBER },
	{ .heading = "CPU", .kind = REPORT_WORDS },
	{ .heading = "where its time went", .kind = REPORT_NAME },
	{},
};

static enum kstats_part why_longest(const struct why_call *c)
{
	enum kstats_part best = KSTATS_PART_RUNNING, p;

	for (p = KSTATS_PART_RUNNABLE; p <= KSTATS_PART_BLOCKED; p++)
		if (c->part_ns[p] > c->part_ns[best])
			best = p;
	return best;
}

/* "97.3% blocked in mutex_lock, woken by holder" */
static void why_tell_wait(const struct study *s, const struct why_call *c, char *text, size_t size)
{
	enum kstats_part best = why_longest(c);
	char share[UNITS_TEXT];
	size_t n = 0;

	snprintf(text, size, "(not known)");
	if (c->is_split)
		n = snprintf(text, size, "%s %s",
			     units_percent(share, c->part_ns[best], c->duration_ns),
			     report_why_part_name(best));
	if (!c->wait.ns || best != c->wait.part)
		return;
	if (c->wait.stack != WHY_NO_STACK && s->frames[c->wait.stack])
		n += snprintf(text + n, size - n, " in %.64s", s->frames[c->wait.stack]);
	if (c->wait.waker)
		snprintf(text + n, size - n, ", woken by %.64s", c->wait.waker);
}

/* "98.1% in ext4_sync_file: 97.3% blocked in mutex_lock, woken by holder" */
static void why_tell_call(const struct why *w, const struct study *s, const struct why_call *c,
			  char text[WORDS])
{
	int longest = why_longest_in(w, c);
	char share[UNITS_TEXT];
	size_t n = 0;

	if (longest >= 0)
		n = snprintf(text, WORDS, "%s in %.64s: ",
			     units_percent(share, c->callee_ns[longest], c->duration_ns),
			     why_callee_name(w, longest));
	why_tell_wait(s, c, text + n, WORDS - n);
}

/* Of a call without a task: what it differs by. */
static void why_tell_values(const struct why *w, const struct why_call *c, char text[WORDS])
{
	size_t n = 0, f;

	for (f = 0; f < w->n_fields && n < WORDS; f++)
		if (c->values[f])
			n += snprintf(text + n, WORDS - n, "%s%s is %.64s", n ? ", " : "",
				      w->fields[f].name, c->values[f]);
}

/* "8.2 ms: str(path) is /etc/passwd, count is 7" */
static void why_add_shown(struct report *r, const struct why *w, const struct why_call *c)
{
	char duration[UNITS_TEXT], *text = NULL;
	size_t size, f, n = 0;
	FILE *out = open_memstream(&text, &size);

	for (f = 0; out && f < w->n_fields; f++)
		if (w->fields[f].when == WHY_SHOWN)
			fprintf(out, "%s%s is %s", n++ ? ", " : "", w->fields[f].name,
				c->values[f] ? c->values[f] : "not known");
	if (!out || fclose(out) || !text)
		r->err = -ENOMEM;
	else
		report_say(r, REPORT_PLAIN, "%s: %s", report_why_time(r, c->duration_ns, duration),
			   text);
	free(text);
}

static void why_add_worst_call(struct report *r, const struct recording *rec, const struct study *s,
			       const struct why_call *c)
{
	char at[UNITS_TEXT], duration[UNITS_TEXT], text[WORDS];
	uint64_t begin = rec->whole->span.begin_ns;

	why_tell_call(rec->why, s, c, text);
	if (rec->why->no_task)
		why_tell_values(rec->why, c, text);
	report_cell(r, report_why_time(r, c->duration_ns, duration), NULL);
	report_cell(r, units_duration(at, c->start_ns > begin ? c->start_ns - begin : 0, "auto"),
		    NULL);
	if (rec->why->no_task)
		report_cell(r, "-", NULL);
	else
		report_why_cell(r, "%u", c->tid);
	if (c->cpu_begin == c->cpu_end)
		report_why_cell(r, "%u", c->cpu_begin);
	else if (c->cpu_begin == WHY_NO_CPU)
		report_why_cell(r, "? to %u", c->cpu_end);
	else
		report_why_cell(r, "%u to %u", c->cpu_begin, c->cpu_end);
	report_cell(r, text, NULL);
}

static bool why_has_shown(const struct why *w)
{
	size_t f = 0;

	while (f < w->n_fields && w->fields[f].when != WHY_SHOWN)
		f++;
	return f < w->n_fields;
}

static void why_add_worst(struct report *r, const struct recording *rec, const struct study *s)
{
	size_t i;

	if (!s->n_worst)
		return;
	report_heading(r, "The worst calls", NULL);
	report_table_begin(r, why_worst_columns);
	for (i = 0; i < s->n_worst; i++)
		why_add_worst_call(r, rec, s, &rec->why->calls[s->worst[i]]);
	if (!why_has_shown(rec->why))
		return;
	report_heading(r, "Values of the worst calls", "by --show");
	for (i = 0; i < s->n_worst; i++)
		why_add_shown(r, rec->why, &rec->why->calls[s->worst[i]]);
}

static void why_add_lost(struct report *r, const struct why *w)
{
	char n[UNITS_TEXT], *text = NULL;
	size_t i, size;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; f && i < w->n_lost; i++)
		if (w->lost[i].n)
			fprintf(f, "%s %s %s", ftell(f) ? "," : "", units_count(n, w->lost[i].n),
				w->lost[i].name);
	if (!f || fclose(f) || !text)
		r->err = -ENOMEM;
	else if (*text)
		report_say(r, REPORT_BAD, "Not kept:%s.", text);
	free(text);
}

/* ---- all of it ---- */

void report_why(struct report *r, const struct report_set *recs, const struct report_look *o,
		enum report_detail detail)
{
	struct why_report *x = calloc(1, sizeof(*x));
	const struct recording *rec = recs->recs[0];
	const struct study *s;

	*r = (struct report){ .kind = REPORT_WHY,
			      .width = o->width,
			      .look = o,
			      .values = report_why_values,
			      .rows = report_why_rows,
			      .of = recs,
			      .own = x,
			      .release = x ? why_release : NULL };
	r->err = x ? why_study(&x->study, rec->why) : -ENOMEM;
	if (r->err)
		return;
	if (asprintf(&x->title, "why %s is slow", rec->whole->nodes[rec->why->node].name) < 0) {
		x->title = NULL;
		r->err = -ENOMEM;
		return;
	}
	r->title = x->title;
	s = &x->study;
	if (detail == REPORT_VALUES)
		return;
	why_add_calls(r, rec, s);
	if (detail == REPORT_PAGE)
		report_why_draw(r, rec);
	report_why_add_parts(r, s);
	if (detail == REPORT_PAGE)
		report_why_draw_parts(r, s);
	report_why_add_callees(r, rec, s);
	if (detail == REPORT_PAGE)
		report_why_draw_callees(r, rec->why, s);
	why_add_causes(r, rec, s);
	why_add_waits(r, s);
	if (detail == REPORT_PAGE)
		report_why_draw_waits(r, rec->why);
	why_add_runs(r, s);
	why_add_worst(r, rec, s);
	if (detail == REPORT_PAGE)
		report_why_draw_calls(r, rec, s);
	why_add_lost(r, rec->why);
}
