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
		.terms.check = { .confidence = CONFIDENCE / 100., .max_loss = MAX_LOSS / 100. },
		.undecided = CHECK_INCONCLUSIVE,
		.format = format_find("text", REPORT_VERDICT),
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
		g->terms.check.confidence = words->confidence / 100;
	if (words->max_loss >= 0)
		g->terms.check.max_loss = words->max_loss / 100;
	g->terms.check.allow_empty = words->allow_empty;
	g->terms.check.require = words->require;
	g->terms.check.n_require = words->n_require;
	if (words->undecided)
		g->undecided = strcmp(words->undecided, "pass") ? CHECK_FAIL : CHECK_PASS;
	return err;
}

int gate_set_format(void *gate, const char *value, struct error *e)
{
	char next[FORMAT_WORDS];
	struct gate *g = gate;

	g->format = format_find(value, REPORT_VERDICT);
	if (g->format)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "a verdict has no such format",
			 format_words(REPORT_VERDICT, next), "cannot use '%s' for --format", value);
}

/* ---- the answer ---- */

int gate_open(struct gate *g, const char *path, struct error *e)
{
	return path ? outfile_open(&g->file, path, e) : 0;
}

/* Some formats show the runs, or figures that only calls have. */
static int check_format(const struct gate *g, struct error *e)
{
	char next[FORMAT_WORDS];

	if (g->format->kinds & REPORT_KMEM_VERDICT)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "results of memory events have no such format",
			 format_words(REPORT_KMEM_VERDICT, next), "cannot use '%s' for --format",
			 g->format->name);
}

static int write_results(struct gate *g, struct check *c, const struct report_sides *sides,
			 struct error *e)
{
	const struct runs *runs = sides->after;
	struct compare_set set =
		runs->memory ? (struct compare_set){} : runs_set(runs, g->terms.across);
	FILE *out = g->file.stream ? g->file.stream : stdout;
	struct report r;
	int err;

	if (out == stdout && isatty(STDOUT_FILENO))
		c->width = output_columns(out);
	report_verdict(&r, c, &set, g->format->detail == REPORT_PAGE ? sides : NULL);
	err = format_write(g->format, out, &r);
	report_free(&r);
	if (err || (out == stdout && fflush(stdout)))
		return output_failed("the results", e);
	return g->file.stream ? outfile_commit(&g->file, e) : 0;
}

int gate_look(struct gate *g, const struct runs *runs, const struct runs *base, char *said,
	      size_t size, struct error *e)
{
	struct check c = {};
	int err = judge_runs(&c, g->rules, g->n_rules, runs, base, &g->terms, e);
	bool ended = false;

	if (!err)
		ended = check_state(&c, runs->n, said, size);
	check_free(&c);
	return err ? err : ended;
}

static int status_of(enum check_verdict v)
{
	return v == CHECK_PASS ? EXIT_DONE : v == CHECK_FAIL ? EXIT_CHECK : EXIT_LEDGER;
}

/* A failed set is not kept, except with --rebase. */
static int gate_accept(const struct gate *g, const struct check *c, const struct runs *runs,
		       struct error *e)
{
	if (g->rebase)
		return past_accept(g->past, runs, PAST_REBASE, e);
	if (judge_accepts(c))
		return past_accept(g->past, runs, PAST_ACCEPTED, e);
	return c->verdict == CHECK_INCONCLUSIVE ? past_accept(g->past, runs, PAST_UNDECIDED, e) : 0;
}

int gate_judge(struct gate *g, const struct runs *runs, const struct runs *base, struct error *e)
{
	struct check c = {};
	int err = runs->memory ? check_format(g, e) : 0;

	if (!err)
		err = judge_runs(&c, g->rules, g->n_rules, runs, base, &g->terms, e);
	c.undecided = g->undecided;
	if (!err)
		err = write_results(g, &c, &(struct report_sides){ base, runs }, e);
	if (!err && g->accept)
		err = gate_accept(g, &c, runs, e);
	if (!err)
		err = status_of(judge_outcome(&c));
	check_free(&c);
	return err;
}

void gate_close(struct gate *g)
{
	outfile_abort(&g->file);
}
