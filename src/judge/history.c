// SPDX-License-Identifier: GPL-2.0-only
/*
 * history.c - a set of runs against the accepted ones; see history.h.
 *
 * Each accepted set is one observation: the mean of its runs. The next set of an unchanged
 * program is taken to be one more of them. Two levels are compared with it: that of the last
 * sets, and that of the oldest ones since the last rebase, so that many small steps do not add
 * up unseen. A rule must hold for both.
 *
 * The variance of sets is known badly from few of them. Up to HISTORY_SETS_PRIOR sets, the
 * missing ones are replaced by a guess from the runs for a pass: sets differ PASS_RATIO times as
 * much as runs. For a failure it is FAIL_RATIO, and only below FAIL_SETS_PRIOR sets: from there on
 * Student's t of the sets alone is as sharp, and holds whatever the ratio is. The variance is at
 * least what the runs of a set explain, and that of the new set at least what its own explain.
 *
 * The error of a failure is shared unequally (LAST_SHARE): a step shows against the last sets, a
 * drift against the oldest. While sets are few, both levels are made of nearly the same ones, and
 * only the last ones may fail.
 *
 * If only sets that pass were accepted, the base would become faster and faster by chance, until
 * no set of an unchanged program passes. So a set that decides nothing is accepted too if it is
 * likely within the limit (TAKE_LEVEL).
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "judge/priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASS_RATIO 1.4 /* between sets and between runs, as standard deviations */
#define FAIL_RATIO 2
#define FAIL_SETS_PRIOR 4
#define TAKE_RATIO 0.5
#define TAKE_LEVEL 0.15 /* of the upper end above the last sets */
#define TAKE_LEVEL_OLDEST 0.06
#define LAST_SHARE 0.6 /* of the error of a failure, if the oldest sets are asked too */
#define FOUND 0.8 /* share of the changes that are found, in what is told */

/* ---- means of sets ---- */

/* The accepted sets of one row, and the new one. */
struct means {
	double *y; /* mean of each accepted set; the oldest come first */
	size_t n; /* number of @y */
	size_t first; /* the first of the last sets; those before it are of the oldest level only */
	double inverse; /* mean of 1 / number of runs */
	double within; /* variance of the runs of a set */
	double within_freedom;
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
		m->first += r->set < row->last_sets;
		m->y[m->n] = mean_of(r, n);
		m->inverse += 1.0 / n;
		squares += squares_of(r, n, m->y[m->n++]);
	}
	m->inverse /= m->n;
	m->within_freedom = row->a.runs - m->n;
	if (row->a.runs > m->n)
		m->within = squares / m->within_freedom;
	m->fresh = mean_of(end, row->b.runs);
	if (row->b.runs > 1)
		m->fresh_within = squares_of(end, row->b.runs, m->fresh) / (row->b.runs - 1);
	return 0;
}

/* ---- views ---- */

/* The mean of some sets. */
struct level {
	double mean;
	double n;
};

static struct level level_of(const struct means *m, size_t from, size_t to)
{
	struct level l = { .n = to - from };
	size_t i;

	for (i = from; i < to; i++)
		l.mean += m->y[i] / l.n;
	return l;
}

/* Variance of a set, and its degrees of freedom. */
struct spread {
	double variance;
	double freedom;
};

/* @ratio: assumed deviation between sets, divided by that between runs, while sets are few. */
static struct spread spread_of(const struct means *m, double noise, double ratio)
{
	const struct level last = level_of(m, m->first, m->n);
	double prior = ratio == FAIL_RATIO ? FAIL_SETS_PRIOR : HISTORY_SETS_PRIOR;
	double known = last.n - 1, guessed = 0, squares = 0;
	size_t i;

	for (i = m->first; i < m->n; i++)
		squares += square(m->y[i] - last.mean);
	if (last.n < prior)
		guessed = fmin(HISTORY_SETS_PRIOR - last.n, m->within_freedom);
	if (known + guessed <= 0)
		return (struct spread){};
	squares += guessed * noise * (m->inverse + ratio * ratio);
	return (struct spread){ fmax(squares / (known + guessed), noise * m->inverse),
				known + guessed };
}

/*
 * Of the new set less the mean of @n sets. It may vary more: it has fewer runs, or they differ
 * more.
 */
static struct compare_end end_of(const struct compare_row *row, const struct means *m, double n,
				 double ratio)
{
	double noise = fmax(m->within, square(row->a.noise));
	struct spread s = spread_of(m, noise, ratio);
	double own = s.variance + fmax(0, noise * (1.0 / row->b.runs - m->inverse));
	double of_level = s.variance / n, freedom = s.freedom;

	if (m->fresh_within / row->b.runs > own) {
		own = m->fresh_within / row->b.runs;
		freedom = square(own + of_level) /
			  (own * own / (row->b.runs - 1) +
			   (s.freedom > 0 ? of_level * of_level / s.freedom : 0));
	}
	return (struct compare_end){ sqrt(own + of_level), freedom };
}

/* The first view is that of the last sets; without another one it has all of the error. */
static double side_share(const struct compare_row *row, const struct means *m)
{
	if (m->n < HISTORY_SETS_PRIOR)
		return row->n_views ? 0 : 1;
	return row->n_views ? 1 - LAST_SHARE : LAST_SHARE;
}

/* For a failure, the oldest sets count as one observation: neighbours may be alike. */
static void history_add_view(struct compare_row *row, const struct means *m, size_t from, size_t to)
{
	const struct level l = level_of(m, from, to);
	const struct compare_end low = end_of(row, m, to < m->n ? 1 : l.n, FAIL_RATIO);

	row->views[row->n_views] = (struct compare_view){
		.centre = m->fresh - l.mean,
		.error = low.error,
		.freedom = low.freedom,
		.share = side_share(row, m),
		.upper = end_of(row, m, l.n, PASS_RATIO),
		.take = end_of(row, m, l.n, TAKE_RATIO),
	};
	row->n_views++;
}

/* The sum of all steps since the oldest sets is above the limit, and the last one need not be. */
static bool has_drifted(const struct compare_row *row)
{
	return row->n_views > 1 && row->views[1].share > 0 &&
	       row->views[1].centre > row->views[0].centre &&
	       row->views[1].centre > log1p(row->metric->limit);
}

int history_view(struct compare_row *row)
{
	struct means m;
	size_t oldest;
	double noise;
	int err = means_make(&m, row);

	if (err)
		return err;
	row->history = true;
	row->sets = m.n - m.first;
	row->n_views = 0;
	row->known = row->sets >= HISTORY_SETS_LEAST && !row->a.few && !row->b.few && !row->tail;
	oldest = m.n < HISTORY_SETS_OLDEST ? m.n : HISTORY_SETS_OLDEST;
	if (row->sets)
		history_add_view(row, &m, m.first, m.n);
	if (row->sets && oldest < m.n)
		history_add_view(row, &m, 0, oldest);
	noise = fmax(m.within, square(row->a.noise));
	row->sets_spread = sqrt(spread_of(&m, noise, PASS_RATIO).variance);
	row->drifted = has_drifted(row);
	row->known &= row->n_views && row->views[0].freedom > 0;
	row->b.value = exp(m.fresh);
	row->a.value = exp(m.fresh - (row->n_views ? row->views[row->drifted].centre : 0));
	row->change = row->b.value / row->a.value - 1;
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

	/* Of many small steps, the last one need not be high. */
	if ((row->sets + 1) * level < 1 || row->drifted)
		return false;
	if (means_make(&m, row))
		return true;
	for (i = m.first; i < m.n; i++)
		as_high += m.y[i] + off >= m.fresh;
	chance = as_high > level * (row->sets + 1);
	free(m.y);
	return chance;
}

/* ---- ends of the interval ---- */

/* Distance from the middle of a view to its end at a one-sided level. */
static double end_at(double level, double error, double freedom)
{
	return error > 0 && freedom > 0 ? qt(level, freedom, 0, 0) * error : 0;
}

void history_interval(const struct compare_row *row, double level, double *lo, double *hi)
{
	double slack = row->a.slack + row->b.slack;
	const struct compare_view *v;

	/* Two chances to be above the limit share the error of a failure; a pass needs both. */
	*lo = *hi = -INFINITY;
	for (v = row->views; v < row->views + row->n_views; v++) {
		if (v->share > 0)
			*lo = fmax(*lo, v->centre - slack -
						end_at(level * v->share, v->error, v->freedom));
		*hi = fmax(*hi,
			   v->centre + slack + end_at(level, v->upper.error, v->upper.freedom));
	}
}

double history_p(const struct compare_row *row)
{
	double far, p = 1;
	const struct compare_view *v;

	for (v = row->views; v < row->views + row->n_views && v->share > 0; v++) {
		far = v->centre - log1p(row->metric->limit) - row->a.slack - row->b.slack;
		if (v->error > 0)
			p = fmin(p, pt(far / v->error, v->freedom, 0, 0) / v->share);
		else if (far > 0)
			p = 0;
	}
	return p;
}

bool history_takes(const struct compare_row *row)
{
	const struct compare_view *v;
	double hi;

	if (row->a.few || row->b.few)
		return false;
	for (v = row->views; v < row->views + row->n_views; v++) {
		/* Where nothing tells how sets differ, the end is the change itself. */
		hi = v->centre + row->a.slack + row->b.slack +
		     end_at(v == row->views ? TAKE_LEVEL : TAKE_LEVEL_OLDEST, v->take.error,
			    v->take.freedom);
		if (hi > log1p(row->metric->limit))
			return false;
	}
	return true;
}

/* ---- what is missing ---- */

double history_shows(const struct compare_row *row, double level)
{
	const struct compare_view *v = &row->views[row->drifted];
	double reach = qt(level * v->share, v->freedom, 0, 0) + qt(FOUND, v->freedom, 1, 0);

	return expm1(log1p(row->metric->limit) + row->a.slack + row->b.slack + reach * v->error);
}

static void say_few_sets(struct check_result *r, size_t sets)
{
	r->takes = true;
	snprintf(r->next, sizeof(r->next),
		 "%zu accepted %s too few to tell how sets differ: accept %zu more", sets,
		 sets == 1 ? "set is" : "sets are", HISTORY_SETS_LEAST - sets);
}

void history_say_none(struct check_result *r)
{
	r->verdict = CHECK_INCONCLUSIVE;
	snprintf(r->why, sizeof(r->why), "no accepted set measures it");
	say_few_sets(r, 0);
}

void history_say_needed(struct check_result *r)
{
	const struct compare_row *row = r->row;
	bool takes = history_takes(row);

	if (!row->known && takes) {
		say_few_sets(r,
			     row->sets < HISTORY_SETS_LEAST ? row->sets : HISTORY_SETS_LEAST - 1);
		return;
	}
	r->takes = takes;
	if (!row->known) {
		snprintf(r->next, sizeof(r->next),
			 "one accepted set is too few to decide, and this set may be above the "
			 "limit: record a new set and judge that one");
		return;
	}
	snprintf(
		r->next, sizeof(r->next),
		"accepted sets differ by %.2g%% (standard deviation): a single new set cannot show "
		"a change of less than about %.2g%%%s",
		100 * row->sets_spread,
		100 * history_shows(row, compare_level(row, row->confidence)),
		takes ? "; it can be accepted all the same" : "");
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
		p.log += (compare_log(&f) - p.log) / p.runs;
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
