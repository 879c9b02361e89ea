// SPDX-License-Identifier: GPL-2.0-only
#include "ui/gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/output.h"

#define CONFIDENCE 99 /* percent */
#define MAX_LOSS 1

/* ---- words ---- */

void gate_init(struct gate *g)
{
	*g = (struct gate){
		.confidence = CONFIDENCE,
		.max_loss = MAX_LOSS,
		.undecided = CHECK_INCONCLUSIVE,
		.format = &verdict_formats[0],
	};
}

static int add_rule(struct gate *g, const struct spec_rule *words, struct error *e)
{
	struct check_rule *rule = &g->rules[g->n_rules++];

	g->relative |= words->relative;
	return words->relative ? check_parse_increase(rule, words->text, e)
			       : check_parse_assert(rule, words->text, e);
}

int gate_take(struct gate *g, const struct spec_gate *words, struct error *e)
{
	int err = 0;
	size_t i;

	for (i = 0; !err && i < words->n_rules; i++)
		err = add_rule(g, &words->rules[i], e);
	if (words->confidence >= 0)
		g->confidence = words->confidence;
	if (words->max_loss >= 0)
		g->max_loss = words->max_loss;
	g->allow_empty = words->allow_empty;
	if (words->undecided)
		g->undecided = strcmp(words->undecided, "pass") ? CHECK_FAIL : CHECK_PASS;
	return err;
}

int gate_set_format(void *gate, const char *value, struct error *e)
{
	char next[128] = "it is one of";
	const struct verdict_format *f;
	struct gate *g = gate;

	g->format = verdict_find(value);
	if (g->format)
		return 0;
	for (f = verdict_formats; f->name; f++)
		snprintf(next + strlen(next), sizeof(next) - strlen(next), " %s", f->name);
	return error_set(e, EXIT_USAGE, -EINVAL, "a verdict has no such format", next,
			 "cannot use '%s' for --format", value);
}

/* ---- the answer ---- */

int gate_open(struct gate *g, const char *path, struct error *e)
{
	return path ? outfile_open(&g->file, path, e) : 0;
}

static int write_results(struct gate *g, struct check *c, const struct compare_set *runs,
			 struct error *e)
{
	FILE *out = g->file.stream ? g->file.stream : stdout;

	if (out == stdout && isatty(STDOUT_FILENO))
		c->width = output_columns(out);
	if (g->format->render(out, c, runs) || (out == stdout && fflush(stdout)))
		return output_failed("the results", e);
	return g->file.stream ? outfile_commit(&g->file, e) : 0;
}

int gate_write(struct gate *g, struct check *c, struct error *e)
{
	static const char *const able[] = { "text", "junit", "tap", "github" };
	const struct compare_set none = {};
	size_t i;

	for (i = 0; i < sizeof(able) / sizeof(*able); i++)
		if (!strcmp(g->format->name, able[i]))
			return write_results(g, c, &none, e);
	return error_set(e, EXIT_USAGE, -EINVAL, "results of memory events have no such format",
			 "it is one of text junit tap github", "cannot use '%s' for --format",
			 g->format->name);
}

int gate_status(enum check_verdict v)
{
	return v == CHECK_PASS ? EXIT_DONE : v == CHECK_FAIL ? EXIT_CHECK : EXIT_LEDGER;
}

/* --inconclusive does not apply if a function was not judged because of its loss. */
static int status_of(const struct gate *g, const struct check *c)
{
	enum check_verdict v = c->verdict;

	if (v == CHECK_INCONCLUSIVE && !c->lossy)
		v = g->undecided;
	return gate_status(v);
}

/* ---- accepted sets ---- */

static bool is_told(const struct history *h, const struct check_result *r)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		if (!strcmp(h->rows[i].name, r->name) &&
		    !strcmp(h->rows[i].metric, r->rule->metric_name))
			return true;
	return false;
}

static int make_series(const struct gate *g, struct check *c, struct error *e)
{
	struct history *h = &c->series;
	int err = 0;
	size_t i;

	h->sets = past_series(g->past, g->last);
	for (i = 0; !err && i < c->n; i++)
		if (c->results[i].rule->relative && !is_told(h, &c->results[i]))
			err = history_add(h, c->results[i].name, c->results[i].rule->metric_name,
					  c->results[i].rule->millionths);
	if (!err)
		err = history_find_steps(h);
	return err ? error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot judge the runs") : 0;
}

/* The first sets have nothing to be compared with, and are accepted if nothing else fails. */
static bool may_accept(const struct gate *g, const struct check *c)
{
	size_t i;

	if (status_of(g, c) == EXIT_DONE)
		return true;
	for (i = 0; i < c->n; i++)
		if (c->results[i].verdict != CHECK_PASS && !c->results[i].young)
			return false;
	return true;
}

static int take_past(const struct gate *g, const struct runs *runs, struct compare_set *base,
		     struct error *e)
{
	int err = past_take(g->past, runs, g->last, !g->force, e);

	if (!err)
		*base = past_base(g->past, g->last);
	return err;
}

static int judge(struct check *c, struct gate *g, const struct runs *runs, const struct runs *base,
		 struct error *e)
{
	struct compare_set a = runs_set(runs, g->across), b = runs_set(base, g->across);
	const struct check_terms terms = {
		.confidence = g->confidence / 100,
		.max_loss = g->max_loss / 100,
		.allow_empty = g->allow_empty,
		.looks = g->looks.last ? &g->looks : NULL,
	};
	int err = g->force ? 0 : runs_check(runs, base, g->across, e);

	if (!err && g->past)
		err = take_past(g, runs, &b, e);
	return err ? err : check_make(c, g->rules, g->n_rules, &a, &b, &terms, e);
}

int gate_look(struct gate *g, const struct runs *runs, const struct runs *base, char *said,
	      size_t size, struct error *e)
{
	struct check c = {};
	int err = judge(&c, g, runs, base, e);
	bool ended = false;

	if (!err)
		ended = check_state(&c, runs->n, said, size);
	check_free(&c);
	return err ? err : ended;
}

int gate_judge(struct gate *g, const struct runs *runs, const struct runs *base, struct error *e)
{
	struct compare_set a = runs_set(runs, g->across);
	struct check c = {};
	int err = judge(&c, g, runs, base, e);

	c.undecided = g->undecided;
	if (!err && g->past)
		err = make_series(g, &c, e);
	if (!err)
		err = write_results(g, &c, &a, e);
	if (!err && g->accept && may_accept(g, &c))
		err = past_accept(g->past, runs, e);
	if (!err)
		err = status_of(g, &c);
	check_free(&c);
	return err;
}

void gate_close(struct gate *g)
{
	outfile_abort(&g->file);
}
