// SPDX-License-Identifier: GPL-2.0-only
/*
 * history.c - a set of runs against the accepted ones; see history.h.
 *
 * Each accepted set is one observation: the mean of its runs. Two models predict the mean of
 * the next set: the sets vary about a level, or about a line, since a machine may become
 * slower from week to week. The interval contains those of both. The variance of sets is
 * taken to be at least what the differences between runs explain, and that of the new set at
 * least what its own runs explain.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "judge/priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- means of sets ---- */

/* The accepted sets of one row, and the new one. */
struct means {
	double *y; /* mean of each accepted set */
	size_t n;
	double inverse; /* mean of 1 / number of runs */
	double within; /* variance of the runs of a set */
	double fresh; /* mean of the new set */
	double fresh_within;
};

static double square(double x)
{
	return x * x;
}

static double mean_of(const struct compare_run *r, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += r[i].log;
	return sum / n;
}

static double squares_of(const struct compare_run *r, size_t n, double mean)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += square(r[i].log - mean);
	return sum;
}

/* The runs of the base come first, set by set. */
static int means_make(struct means *m, const struct compare_row *row)
{
	const struct compare_run *r = row->runs, *end = r + row->a.runs;
	double squares = 0;
	size_t n;

	*m = (struct means){ .y = calloc(row->a.runs + 1, sizeof(*m->y)) };
	if (!m->y)
		return -ENOMEM;
	for (; r < end; r += n) {
		for (n = 1; r + n < end && r[n].set == r->set; n++)
			;
		m->y[m->n] = mean_of(r, n);
		m->inverse += 1.0 / n;
		squares += squares_of(r, n, m->y[m->n++]);
	}
	m->inverse /= m->n;
	if (row->a.runs > m->n)
		m->within = squares / (row->a.runs - m->n);
	m->fresh = mean_of(end, row->b.runs);
	if (row->b.runs > 1)
		m->fresh_within = squares_of(end, row->b.runs, m->fresh) / (row->b.runs - 1);
	return 0;
}

/* ---- views ---- */

/* A level or a line through the means of the sets. */
struct fit {
	double next; /* prediction for the next set */
	double variance; /* of the means about it */
	double freedom;
	double factor; /* variance of @next is so many times @variance */
};

static struct fit fit_level(const struct means *m)
{
	struct fit f = { .freedom = m->n - 1, .factor = 1.0 / m->n };
	size_t i;

	for (i = 0; i < m->n; i++)
		f.next += m->y[i] / m->n;
	for (i = 0; i < m->n; i++)
		f.variance += square(m->y[i] - f.next) / f.freedom;
	return f;
}

static struct fit fit_line(const struct means *m, const struct fit *level)
{
	double mid = (m->n - 1) / 2.0, ahead = m->n - mid, xx = 0, xy = 0;
	struct fit f = { .freedom = m->n - 2 };
	size_t i;

	for (i = 0; i < m->n; i++) {
		xx += square(i - mid);
		xy += (i - mid) * (m->y[i] - level->next);
	}
	f.next = level->next + xy / xx * ahead;
	f.variance = fmax(0, level->variance * level->freedom - xy * xy / xx) / f.freedom;
	f.factor = level->factor + ahead * ahead / xx;
	return f;
}

/* The new set may vary more than the others: it has fewer runs, or they differ more. */
static void add_fit(struct compare_row *row, const struct means *m, struct fit f)
{
	double noise = fmax(m->within, square(row->a.noise)), own, line;
	double freedom = f.freedom;

	f.variance = fmax(f.variance, noise * m->inverse);
	own = f.variance + fmax(0, noise * (1.0 / row->b.runs - m->inverse));
	line = f.variance * f.factor;
	if (m->fresh_within / row->b.runs > own) {
		own = m->fresh_within / row->b.runs;
		freedom = square(own + line) /
			  (own * own / (row->b.runs - 1) + line * line / f.freedom);
	}
	row->views[row->n_views++] = (struct compare_view){
		.centre = m->fresh - f.next,
		.error = sqrt(own + line),
		.freedom = freedom,
	};
}

int history_view(struct compare_row *row)
{
	struct means m;
	struct fit level;
	int err = means_make(&m, row);

	if (err)
		return err;
	row->history = true;
	row->sets = m.n;
	row->n_views = 0;
	row->known = m.n >= HISTORY_SETS_LEAST && !row->a.few && !row->b.few;
	level = fit_level(&m);
	row->a.value = exp(level.next);
	row->b.value = exp(m.fresh);
	row->change = expm1(m.fresh - level.next);
	if (row->known) {
		row->sets_spread = sqrt(level.variance);
		add_fit(row, &m, level);
		add_fit(row, &m, fit_line(&m, &level));
	}
	free(m.y);
	return 0;
}

/* Without a change, each set is the highest with the same probability. */
bool history_may_be_chance(const struct compare_row *row, double limit, double level)
{
	double off = log1p(limit) + row->a.slack + row->b.slack;
	size_t i, as_high = 1;
	struct means m;
	bool chance;

	if ((row->sets + 1) * level < 1)
		return false;
	if (means_make(&m, row))
		return true;
	for (i = 0; i < m.n; i++)
		as_high += m.y[i] + off >= m.fresh;
	chance = as_high > level * (m.n + 1);
	free(m.y);
	return chance;
}

/* ---- what is missing ---- */

static void say_young(struct check_result *r, size_t sets)
{
	r->young = true;
	snprintf(r->next, sizeof(r->next),
		 "%zu accepted %s too few to tell how sets differ: accept %zu more", sets,
		 sets == 1 ? "set is" : "sets are", HISTORY_SETS_LEAST - sets);
}

void history_say_none(struct check_result *r)
{
	r->verdict = CHECK_INCONCLUSIVE;
	snprintf(r->why, sizeof(r->why), "no accepted set measures it");
	say_young(r, 0);
}

void history_say_needed(struct check_result *r)
{
	const struct compare_row *row = r->row;
	double level = (1 - row->confidence) / 2;

	if (row->sets < HISTORY_SETS_LEAST)
		say_young(r, row->sets);
	else
		snprintf(r->next, sizeof(r->next),
			 "accepted sets differ by %.2g%% (standard deviation): a single new set "
			 "cannot show a change of less than about %.2g%%",
			 100 * row->sets_spread,
			 100 * expm1(qnorm(level, 0, 1, 0, 0) * row->sets_spread));
}

/* ---- series ---- */

static int add_point(struct history_row *row, const struct history_sets *sets, size_t set,
		     uint32_t millionths)
{
	struct history_point p = { .set = set };
	const struct snapshot *s;
	struct compare_figure f;
	int node, err;
	size_t i;

	for (i = 0; i < sets->sets[set].n; i++) {
		s = sets->runs[sets->sets[set].first + i];
		node = snapshot_find(s, row->name);
		err = node < 0 ? -ENODATA : compare_figure(&f, s, node, millionths);
		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		p.runs++;
		p.log += (log(fmax(f.value, 1)) - p.log) / p.runs;
	}
	if (p.runs)
		row->points[row->n++] = p;
	return 0;
}

int history_add(struct history *h, const char *name, const char *metric, uint32_t millionths)
{
	struct history_row *rows = reallocarray(h->rows, h->n + 1, sizeof(*rows)), *row;
	int err = 0;
	size_t i;

	if (!rows)
		return -ENOMEM;
	h->rows = rows;
	row = &rows[h->n++];
	*row = (struct history_row){ .name = name, .metric = metric, .unit = "auto" };
	if (h->sets.n)
		row->unit = snapshot_unit(h->sets.runs[0], "auto");
	row->points = calloc(h->sets.n + 1, sizeof(*row->points));
	row->steps = calloc(h->sets.n + 1, sizeof(*row->steps));
	if (!row->points || !row->steps)
		return -ENOMEM;
	for (i = 0; !err && i < h->sets.n; i++)
		err = add_point(row, &h->sets, i, millionths);
	return err;
}

int history_find_steps(struct history *h)
{
	double *y = calloc(h->sets.n + 1, sizeof(*y));
	struct history_row *row;
	int err = y ? 0 : -ENOMEM;
	size_t i, k;

	for (i = 0; !err && i < h->n; i++) {
		row = &h->rows[i];
		for (k = 0; k < row->n; k++)
			y[k] = row->points[k].log;
		err = history_steps(y, row->n, HISTORY_STEP_LEVEL / h->n, row->steps,
				    &row->n_steps);
	}
	free(y);
	return err;
}

void history_free(struct history *h)
{
	size_t i;

	for (i = 0; i < h->n; i++) {
		free(h->rows[i].points);
		free(h->rows[i].steps);
	}
	free(h->rows);
	*h = (struct history){};
}
