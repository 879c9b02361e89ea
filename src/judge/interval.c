// SPDX-License-Identifier: GPL-2.0-only
/*
 * interval.c - the interval of the change of a metric; see compare.h.
 *
 * Welch's interval is right if each side has several runs and both are disturbed alike. Else
 * it becomes wider:
 * - one side has few runs and the other more: two runs may be close by chance, which makes
 *   Welch's interval too narrow. It then contains that of a second model, which pools the spread
 *   of both sides.
 * - runs are so few that all of one side may be in one mode and all of the other in another one:
 *   COMPARE_MODES is added at both ends.
 * - the sides were not recorded in turn: what lies between them is added, COMPARE_DAYS. More runs
 *   do not make that smaller. If one side follows the other at once, the machine may also drift on
 *   as it did within the sides.
 * If the sides were recorded in turn and neighbouring runs are alike, pairs are compared.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "judge/priv.h"
#include "judge/sequential.h"

#include <math.h>
#include <stdlib.h>

#define MIXED 1.5 /* runs between the middles of sides that take turns, but not strictly */
#define DRIFT 3.5 /* drift between two sides, if all of the spread within them is drift */
#define BREAK_NS 3600000000000ULL /* between two sides, after which a drift does not go on */
#define RANGE_LEVEL 0.1 /* at which a change may be nearer to the limit than it was measured */
#define SETTLED 0.8 /* share of series that so many runs decide */
#define SPREAD_LEVEL 0.2 /* at which runs may differ more than these do */
#define PAIR_LEVEL 0.01 /* of the test whether neighbours are alike */

double compare_log_change(const struct compare_row *row)
{
	return log(row->b.value / row->a.value);
}

/* Of both sides together. */
static double slack_of(const struct compare_row *row)
{
	return row->a.slack + row->b.slack;
}

/* ---- the order of the runs ---- */

static int interval_by_time(const void *a, const void *b)
{
	const struct compare_run *x = a, *y = b;

	return x->when_ns < y->when_ns ? -1 : x->when_ns > y->when_ns;
}

static enum compare_order order_of(struct compare_row *row)
{
	struct compare_run *r = row->runs;
	bool in_turn = row->a.runs == row->b.runs;
	double middle[2] = {};
	size_t i;

	qsort(r, row->n_runs, sizeof(*r), interval_by_time);
	for (i = 0; i < row->n_runs; i++) {
		if (!r[i].when_ns || (i && r[i].when_ns == r[i - 1].when_ns))
			return COMPARE_UNORDERED;
		if (i % 2)
			in_turn &= r[i].after != r[i - 1].after;
		middle[r[i].after] += (double)i / (r[i].after ? row->b.runs : row->a.runs);
	}
	if (in_turn)
		return COMPARE_IN_TURN;
	return fabs(middle[1] - middle[0]) <= MIXED ? COMPARE_MIXED : COMPARE_APART;
}

/* ---- views ---- */

/* Few runs may be close by chance: their variance is at least that of their samples. */
static double variance(const struct compare_side *side)
{
	double noise = side->runs < COMPARE_RUNS_PERMUTED ? side->noise : 0;

	return fmax(side->spread * side->spread, noise * noise);
}

static bool has_few_runs(const struct compare_row *row)
{
	return row->a.runs < COMPARE_RUNS_PERMUTED || row->b.runs < COMPARE_RUNS_PERMUTED;
}

static void add_view(struct compare_row *row, double centre, double error, double freedom)
{
	row->views[row->n_views++] =
		(struct compare_view){ .centre = centre, .error = error, .freedom = freedom };
}

static void add_welch(struct compare_row *row)
{
	const struct compare_side *a = &row->a, *b = &row->b;
	double va = variance(a) / a->runs, vb = variance(b) / b->runs;
	double freedom = a->runs + b->runs - 2;

	if (va + vb > 0)
		freedom =
			(va + vb) * (va + vb) / (va * va / (a->runs - 1) + vb * vb / (b->runs - 1));
	add_view(row, compare_log_change(row), sqrt(va + vb), freedom);
}

static void add_pooled(struct compare_row *row)
{
	double na = row->a.runs, nb = row->b.runs, freedom = na + nb - 2;
	double v = ((na - 1) * variance(&row->a) + (nb - 1) * variance(&row->b)) / freedom;

	add_view(row, compare_log_change(row), sqrt(v / na + v / nb), freedom);
}

/* Sums of squares and products over all runs, about the means of their side. */
struct line {
	double when[2]; /* mean place in the order */
	double xx, xy, yy;
};

static struct line line_of(const struct compare_row *row)
{
	const double n[2] = { row->a.runs, row->b.runs };
	const double mean[2] = { log(row->a.value), log(row->b.value) };
	struct line l = {};
	double x, y;
	size_t i;

	for (i = 0; i < row->n_runs; i++)
		l.when[row->runs[i].after] += i / n[row->runs[i].after];
	for (i = 0; i < row->n_runs; i++) {
		x = i - l.when[row->runs[i].after];
		y = row->runs[i].log - mean[row->runs[i].after];
		l.xx += x * x;
		l.xy += x * y;
		l.yy += y * y;
	}
	return l;
}

/* What the machine drifts from the middle of one side to that of the other. */
struct drift {
	double step; /* estimate, by the slope within the sides */
	double error; /* its standard error */
	double variance; /* of a run about the line */
};

static struct drift drift_of(const struct compare_row *row)
{
	struct line l = line_of(row);
	double apart = l.when[1] - l.when[0], slope = l.xy / l.xx;
	double v = fmax(0, l.yy - slope * l.xy) / (row->n_runs - 3);

	return (struct drift){ slope * apart, sqrt(v / l.xx) * fabs(apart), v };
}

/*
 * If one side always came first, each pair contains a step of the drift. It is subtracted,
 * and its error is added.
 */
static void add_pairs(struct compare_row *row, double spread)
{
	struct drift d = drift_of(row);

	row->step = d.step;
	add_view(row, compare_log_change(row) - d.step, hypot(spread / sqrt(row->a.runs), d.error),
		 row->a.runs - 1);
}

/* There was a break between the sides, which is longer than both; @row: its runs by time. */
static bool has_break(const struct compare_row *row)
{
	const struct compare_run *r = row->runs, *end = r + row->n_runs - 1;
	size_t i, first = r->after ? row->b.runs : row->a.runs;
	uint64_t gap = r[first].when_ns - r[first - 1].when_ns;

	for (i = 0; i < first; i++)
		if (r[i].after != r->after)
			return false;
	return gap >= BREAK_NS && gap > end->when_ns - r->when_ns - gap;
}

/* Sides that follow each other, as if the machine drifted on as it did within them. */
static void find_drift(struct compare_row *row)
{
	struct drift d = drift_of(row);
	double own = d.variance * (1.0 / row->a.runs + 1.0 / row->b.runs);

	row->drifts = true;
	row->drift = (struct compare_view){
		.centre = compare_log_change(row) - d.step,
		.error = sqrt(own + d.error * d.error),
		.freedom = row->n_runs - 3,
	};
}

/* Standard deviation of the differences of pairs. */
static double pair_spread(const struct compare_row *row)
{
	double centre = compare_log_change(row), sum = 0, d;
	size_t i;

	for (i = 0; i + 1 < row->n_runs; i += 2) {
		d = row->runs[i + 1].log - row->runs[i].log;
		d = (row->runs[i + 1].after ? d : -d) - centre;
		sum += d * d;
	}
	return sqrt(sum / (row->a.runs - 1));
}

/* Pairs have half the degrees of freedom, so their runs must be significantly correlated. */
static bool alike(const struct compare_row *row)
{
	double sa = row->a.spread, sb = row->b.spread, d = pair_spread(row), r, n = row->a.runs;

	if (row->order != COMPARE_IN_TURN || n < COMPARE_RUNS_PERMUTED || sa * sb <= 0)
		return false;
	r = (sa * sa + sb * sb - d * d) / (2 * sa * sb);
	if (r >= 1)
		return true;
	return r > 0 && pt(r * sqrt((n - 2) / (1 - r * r)), n - 2, 0, 0) < PAIR_LEVEL;
}

void compare_view(struct compare_row *row)
{
	row->order = order_of(row);
	row->n_views = 0;
	if (!row->known)
		return;
	row->paired = alike(row);
	row->ranked = row->metric->above && !row->paired && !has_few_runs(row) &&
		      row->order != COMPARE_APART && !row->across;
	if (row->paired) {
		add_pairs(row, pair_spread(row));
		return;
	}
	add_welch(row);
	if (row->a.runs != row->b.runs && has_few_runs(row))
		add_pooled(row);
	if (row->order == COMPARE_APART && !has_break(row))
		find_drift(row);
}

/* ---- what runs cannot tell ---- */

double compare_modes_chance(double before, double after)
{
	double n = before + after;

	return pow(before / n, before) * pow(after / n, after);
}

/* Two sides in different modes may be taken for a change, at this level. */
static double modes_of(const struct compare_row *row, double level)
{
	if (!has_few_runs(row) || compare_modes_chance(row->a.runs, row->b.runs) <= level)
		return 0;
	return log1p(COMPARE_MODES);
}

bool compare_modes_decide(const struct compare_row *row)
{
	double lo = log1p(row->lo) + modes_of(row, compare_level(row, row->confidence));
	double hi = log1p(row->alone.hi) - modes_of(row, compare_level(row, row->alone.confidence));

	return modes_of(row, compare_level(row, row->confidence)) > 0 &&
	       (expm1(lo) > row->metric->limit || expm1(hi) <= row->metric->limit);
}

static double days_of(const struct compare_row *row, double days)
{
	return row->order == COMPARE_APART ? log1p(days) : 0;
}

/* The most that the machine can have drifted, whatever its course was. */
static double most_drift(const struct compare_row *row)
{
	double na = row->a.runs, nb = row->b.runs;

	return DRIFT * sqrt(((na - 1) * pow(row->a.spread, 2) + (nb - 1) * pow(row->b.spread, 2)) /
			    (na + nb - 2));
}

/* ---- intervals and chances ---- */

/* Distance of the change from the limit, beyond what the floors explain. */
static double distance_of(const struct compare_row *row, double centre)
{
	double above = centre - log1p(row->metric->limit + row->shift_hi);

	return row->metric->above ? above : fmax(above, log1p(row->shift_lo) - centre);
}

/* Probability of a distance at least so large, one-sided. */
static double interval_chance(const struct compare_view *v, double distance)
{
	if (v->error > 0)
		return pt(distance / v->error, v->freedom, 0, 0);
	return distance > 0 ? 0 : 0.5;
}

static double view_chance(const struct compare_row *row, const struct compare_view *v, double off)
{
	double far = distance_of(row, v->centre) - slack_of(row) - off;

	return interval_chance(v, row->metric->above ? far : fmax(0, far));
}

static double views_chance(const struct compare_row *row, double off)
{
	double p = 0;
	size_t i;

	for (i = 0; i < row->n_views; i++)
		p = fmax(p, view_chance(row, &row->views[i], off));
	return p;
}

/* By all views, of a distance that is smaller by @off. */
static double chance_beyond(const struct compare_row *row, double off)
{
	double p = views_chance(row, off + days_of(row, COMPARE_DAYS));

	if (row->drifts)
		p = fmax(p, fmin(views_chance(row, off + most_drift(row)),
				 view_chance(row, &row->drift, off)));
	return row->metric->above ? p : fmin(1, 2 * p);
}

double compare_p(const struct compare_row *row)
{
	double p = row->history ? history_p(row) : chance_beyond(row, 0);
	double modes = compare_modes_chance(row->a.runs, row->b.runs);

	if (has_few_runs(row) && !row->history)
		p = fmin(fmax(p, row->metric->above ? modes : 2 * modes),
			 chance_beyond(row, log1p(COMPARE_MODES)));
	p = row->ranked ? fmin(p, rank_p(row, p)) : p;
	/* Half of the level is left: see compare_level(). */
	return row->metric->above && compare_has_unlike_lengths(row) ? fmin(1, 2 * p) : p;
}

/* The lower end by one view, or with a @sign of -1 the upper one, upside down. */
static double view_end(const struct compare_row *row, const struct compare_view *v, double level,
		       int sign)
{
	double half = v->error > 0 ? qt(level, v->freedom, 0, 0) * v->error : 0;

	return sign * v->centre - slack_of(row) - half;
}

static double views_end(const struct compare_row *row, double level, int sign)
{
	double end = INFINITY;
	size_t i;

	for (i = 0; i < row->n_views; i++)
		end = fmin(end, view_end(row, &row->views[i], level, sign));
	return end;
}

/* @days: what the machine may differ from one side to the other. */
static double end_of_interval(const struct compare_row *row, double level, double days, int sign)
{
	double views = views_end(row, level, sign), drift;
	double end = views - fmax(modes_of(row, level), days_of(row, days));

	if (!row->drifts)
		return end;
	drift = fmax(views - most_drift(row), view_end(row, &row->drift, level, sign));
	return fmin(end, drift);
}

void compare_interval(const struct compare_row *row, double confidence, double *lo, double *hi)
{
	double level = compare_level(row, confidence), low, high;
	double pass = row->metric->above ? COMPARE_DAYS_PASS : COMPARE_DAYS;

	if (row->history) {
		history_interval(row, level, &low, &high);
	} else {
		low = end_of_interval(row, level, COMPARE_DAYS, 1);
		high = -end_of_interval(row, level, pass, -1);
	}
	*lo = fmax(-1, expm1(low) - row->shift_hi);
	*hi = expm1(high) - row->shift_lo;
}

/* ---- how many runs ---- */

static unsigned int runs_for(double distance, double spread, double level)
{
	unsigned int n;

	for (n = 2; distance > 0 && n <= COMPARE_RUNS_MAX; n++)
		if (qt(level, 2 * n - 2, 0, 0) * spread / sqrt(n) < distance)
			return n;
	return 0;
}

static struct compare_estimate estimate(const struct compare_row *row, double limit)
{
	double na = row->a.runs, nb = row->b.runs, change = compare_log_change(row);
	double far = change > log1p(limit) ? change - log1p(limit + row->shift_hi)
					   : log1p(limit + row->shift_lo) - change;

	return (struct compare_estimate){
		.distance = far - slack_of(row),
		.error = sqrt(pow(row->a.spread, 2) / na + pow(row->b.spread, 2) / nb),
		.spread = hypot(row->a.spread, row->b.spread),
		.freedom = na + nb - 2,
		.level = compare_level(row, row->confidence),
	};
}

unsigned int compare_runs_needed(const struct compare_row *row, double limit)
{
	const struct compare_estimate e = estimate(row, limit);

	return row->known ? runs_for(e.distance, e.spread, e.level) : 0;
}

/*
 * The change may be nearer to the limit, and the runs may differ more, than was measured. A series
 * whose true change is at the limit is settled by no number of runs; few such are said to be.
 */
unsigned int compare_runs_settle(const struct compare_estimate *e)
{
	double near = e->distance - qt(RANGE_LEVEL, e->freedom, 0, 0) * e->error;
	double spread = e->spread * sqrt(e->freedom / qchisq(SPREAD_LEVEL, e->freedom, 1, 0));
	unsigned int n;

	for (n = 2; near > 0 && n <= SEQUENTIAL_MAX; n++)
		if ((qt(e->level, 2 * n - 2, 0, 0) + qt(SETTLED, 2 * n - 2, 1, 0)) * spread /
			    sqrt(n) <
		    near)
			return n;
	return 0;
}

unsigned int compare_runs_settled(const struct compare_row *row, double limit)
{
	const struct compare_estimate e = estimate(row, limit);

	return row->known ? compare_runs_settle(&e) : 0;
}
