// SPDX-License-Identifier: GPL-2.0-only
/*
 * history.c - how often `check --history` is right, on sets made up here. Goes out: three
 * tables, as TAP: verdicts on a new set, steps that are found, and a year of weeks. A run is off by
 * a factor of its own, and all runs of a set by another one, whose course from set to set the row
 * tells. Called by `make bench-history`; words on the command line choose the rows that
 * contain one.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made.h"

#include "judge/judge.h"

#define CENTRE_NS 1e6
#define RUNS_MAX 2000
#define SETS_MAX 130
#define FUNCTIONS_MAX 20
#define BITS 3
#define TABLE 20261122 /* its streams of random numbers */
#define TIMES 2000 /* sets a row, and series */
#define ERRORS 2.3 /* standard errors that a share may be above what is promised */

/* ---- runs ---- */

/* Outliers are single runs, everything else makes whole sets differ. */
static double set_off(enum made_wander wander, double noise, size_t i, double *last)
{
	return made_off(wander == OUTLIERS ? ALONE : wander, noise, i, last);
}

static struct snapshot *run_make(unsigned int functions, const double *off, double noise,
				 enum made_wander wander)
{
	struct snapshot *s = made_run(BITS, functions);
	unsigned int k;
	double z;

	s->span.wall_ns = 1;
	for (k = 0; k < functions; k++) {
		z = made_off(wander == OUTLIERS ? OUTLIERS : ALONE, noise, 0, NULL);
		made_mean(s, k, CENTRE_NS * exp(off[k] + z));
	}
	return s;
}

/* ---- a new set ---- */

struct row {
	const char *what;
	const char *rule;
	size_t sets; /* accepted */
	size_t runs; /* of each */
	size_t fresh; /* runs of the new set */
	double between; /* noise of sets */
	double within; /* noise of runs */
	double increase;
	enum made_wander wander;
	unsigned int functions; /* 0 is 1 */
	enum check_verdict wanted; /* whose share is asserted, in percent */
	double least;
	double most;
};

#define FAILS CHECK_FAIL
#define PASSES CHECK_PASS

static const struct row rows[] = {
	{ "A/A, 5 sets", "mean=0%", 5, 6, 6, 0.02, 0.01, 0, ALONE, 0, FAILS, 0, 1 },
	{ "A/A, 10 sets", "mean=0%", 10, 6, 6, 0.02, 0.01, 0, ALONE, 0, FAILS, 0, 1 },
	{ "A/A, 20 sets", "mean=0%", 20, 6, 6, 0.02, 0.01, 0, ALONE, 0, FAILS, 0, 1 },
	{ "A/A, 120 sets", "mean=0%", 120, 6, 6, 0.02, 0.01, 0, ALONE, 0, FAILS, 0, 1 },
	{ "A/A, 20 sets, only runs differ", "mean=0%", 20, 6, 6, 0, 0.02, 0, ALONE, 0, FAILS, 0,
	  1 },
	{ "A/A, 20 sets, only sets differ", "mean=0%", 20, 6, 6, 0.02, 0, 0, ALONE, 0, FAILS, 0,
	  1 },
	{ "A/A, 20 sets of one run", "mean=0%", 20, 1, 1, 0.02, 0.02, 0, ALONE, 0, FAILS, 0, 1 },
	{ "A/A, 20 sets of 12, new one of 2", "mean=0%", 20, 12, 2, 0.005, 0.03, 0, ALONE, 0, FAILS,
	  0, 1 },
	{ "A/A, 20 sets of 2, new one of 12", "mean=0%", 20, 2, 12, 0.005, 0.03, 0, ALONE, 0, FAILS,
	  0, 1 },
	{ "A/A, 2 sets", "mean=0%", 2, 6, 6, 0.01, 0.01, 0, ALONE, 0, FAILS, 0, 1 },
	{ "A/A, 3 sets", "mean=0%", 3, 6, 6, 0.02, 0.01, 0, ALONE, 0, FAILS, 0, 1 },
	{ "A/A, 2 sets, limit 5 %, sets differ more", "mean=5%", 2, 6, 6, 0.02, 0.005, 0, ALONE, 0,
	  FAILS, 0, 1 },
	{ "A/A, 5 sets, drift within the limit", "mean=5%", 5, 6, 6, 0.02, 0.01, 0, DRIFT, 0, FAILS,
	  0, 1 },
	{ "A/A, 10 sets, drift within the limit", "mean=10%", 10, 6, 6, 0.02, 0.01, 0, DRIFT, 0,
	  FAILS, 0, 1 },
	{ "A/A, 20 sets, drift within the limit", "mean=20%", 20, 6, 6, 0.02, 0.01, 0, DRIFT, 0,
	  FAILS, 0, 1 },
	{ "A/A, 10 sets, memory", "mean=0%", 10, 6, 6, 0.02, 0.01, 0, MEMORY, 0, FAILS, 0, 1 },
	{ "A/A, 20 sets, memory", "mean=0%", 20, 6, 6, 0.02, 0.01, 0, MEMORY, 0, FAILS, 0, 1 },
	{ "A/A, 5 sets, outlier runs", "mean=0%", 5, 6, 6, 0.02, 0.01, 0, OUTLIERS, 0, FAILS, 0,
	  1 },
	{ "A/A, 20 sets, outlier runs", "mean=0%", 20, 6, 6, 0.02, 0.01, 0, OUTLIERS, 0, FAILS, 0,
	  1 },
	{ "A/A, 20 sets, disturbed sets (told only)", "mean=0%", 20, 6, 6, 0.02, 0.01, 0, DISTURBED,
	  0, FAILS, 0, 100 },
	{ "A/A, 20 sets, 20 functions", "mean=0%", 20, 6, 6, 0.02, 0.01, 0, ALONE, 20, FAILS, 0,
	  1 },
	{ "+5 % at the limit of 5 %, 20 sets", "mean=5%", 20, 6, 6, 0.02, 0.01, 0.05, ALONE, 0,
	  FAILS, 0, 1 },
	{ "above the limit by chance, 20 sets", "mean=5%", 20, 6, 6, 0.02, 0.01, 0.051, ALONE, 0,
	  PASSES, 0, 1 },
	{ "power: a doubling, 2 sets, 1 % noise", "mean=5%", 2, 6, 6, 0.01, 0.01, 1, ALONE, 0,
	  FAILS, 95, 100 },
	{ "power: +5 %, 10 sets, 1 % noise", "mean=0%", 10, 6, 6, 0.01, 0.01, 0.05, ALONE, 0, FAILS,
	  0, 100 },
	{ "power: +5 %, 20 sets, 1 % noise", "mean=0%", 20, 6, 6, 0.01, 0.01, 0.05, ALONE, 0, FAILS,
	  0, 100 },
	{ "power: +10 %, 5 sets, 1 % noise", "mean=0%", 5, 6, 6, 0.01, 0.01, 0.1, ALONE, 0, FAILS,
	  0, 100 },
	{ "power: +10 %, 10 sets, 1 % noise", "mean=0%", 10, 6, 6, 0.01, 0.01, 0.1, ALONE, 0, FAILS,
	  95, 100 },
	{ "power: +10 %, 20 sets, 1 % noise", "mean=0%", 20, 6, 6, 0.01, 0.01, 0.1, ALONE, 0, FAILS,
	  95, 100 },
	{ "power: +10 %, 20 sets, 3 % noise", "mean=0%", 20, 6, 6, 0.03, 0.01, 0.1, ALONE, 0, FAILS,
	  0, 100 },
	{ "power: +20 %, 20 sets, 3 % noise", "mean=0%", 20, 6, 6, 0.03, 0.01, 0.2, ALONE, 0, FAILS,
	  95, 100 },
	{ "power: +10 %, 120 sets, 2 % noise", "mean=0%", 120, 6, 6, 0.02, 0.01, 0.1, ALONE, 0,
	  FAILS, 95, 100 },
	{ "power: A/A, limit 5 %, 20 sets, 1 % noise", "mean=5%", 20, 6, 6, 0.01, 0.01, 0, ALONE, 0,
	  PASSES, 0, 100 },
	{ "power: A/A, limit 10 %, 20 sets, 1 % noise", "mean=10%", 20, 6, 6, 0.01, 0.01, 0, ALONE,
	  0, PASSES, 95, 100 },
};

struct sets {
	struct snapshot *runs[RUNS_MAX];
	size_t set_of[RUNS_MAX];
	size_t base; /* number of runs of the accepted sets */
	size_t n;
};

static void sets_make(struct sets *s, const struct row *row)
{
	double last[FUNCTIONS_MAX] = {}, off[FUNCTIONS_MAX];
	unsigned int functions = row->functions ? row->functions : 1, k;
	size_t set, run, runs;

	s->n = 0;
	for (set = 0; set <= row->sets; set++) {
		for (k = 0; k < functions; k++) {
			off[k] = set_off(row->wander, row->between, set, &last[k]);
			off[k] += set < row->sets ? 0 : log1p(row->increase);
		}
		runs = set < row->sets ? row->runs : row->fresh;
		if (set == row->sets)
			s->base = s->n;
		for (run = 0; run < runs; run++) {
			s->set_of[s->n] = set;
			s->runs[s->n++] = run_make(functions, off, row->within, row->wander);
		}
	}
}

struct seen {
	unsigned int sets[CHECK_VERDICTS];
	unsigned int known;
	unsigned int covered;
};

static void judge(const struct row *row, struct seen *seen)
{
	const struct check_terms terms = { .confidence = 0.99, .max_loss = 1 };
	const struct compare_row *found;
	struct compare_set a, b;
	struct check_rule rule;
	static struct sets s;
	struct check c;
	struct error e;

	sets_make(&s, row);
	a = (struct compare_set){ .n = s.base,
				  .runs = (const struct snapshot *const *)s.runs,
				  .set_of = s.set_of };
	b = (struct compare_set){ .n = s.n - s.base,
				  .runs = (const struct snapshot *const *)s.runs + s.base };
	if (check_parse_increase(&rule, row->rule, &e) ||
	    check_make(&c, &rule, 1, &b, &a, &terms, &e))
		abort();
	seen->sets[c.verdict]++;
	found = c.compared.n ? &c.compared.rows[0] : NULL;
	if (found && found->known) {
		seen->known++;
		seen->covered +=
			found->alone.lo <= row->increase && row->increase <= found->alone.hi;
	}
	check_free(&c);
	while (s.n)
		snapshot_free(s.runs[--s.n]);
}

static bool table(const struct row *row, unsigned int number, unsigned int times)
{
	struct seen seen = {};
	double share;
	unsigned int i;
	bool good;

	made_stream(TABLE, number);
	for (i = 0; i < times; i++)
		judge(row, &seen);
	share = 100.0 * seen.sets[row->wanted] / times;
	good = share >= row->least &&
	       share <=
		       row->most + (row->most < 100 ? ERRORS * 100 * sqrt(0.01 * 0.99 / times) : 0);
	printf("%s %u - %-43s pass %5.1f fail %5.1f neither %5.1f covers %5.1f\n",
	       good ? "ok" : "not ok", number, row->what, 100.0 * seen.sets[CHECK_PASS] / times,
	       100.0 * seen.sets[CHECK_FAIL] / times, 100.0 * seen.sets[CHECK_INCONCLUSIVE] / times,
	       seen.known ? 100.0 * seen.covered / seen.known : 0.0);
	fflush(stdout);
	return good;
}

/* ---- a year of weeks ---- */

#define WEEKS 52
#define LAST 20 /* sets that one is compared with */
#define YEAR_RUNS 6
#define YEARS_LESS 5 /* a series of weeks takes as long as many sets */

struct year_row {
	const char *what;
	const char *rule;
	double between; /* noise of sets */
	double within; /* noise of runs */
	unsigned int at; /* first week of the change; 0: none */
	double step; /* change, as a ratio less one */
	double creep; /* the same from week to week */
	double limit; /* of the rule */
	double stuck; /* most series in percent that accept nothing in the last 8 weeks */
	double found; /* least series that fail within three weeks of the change */
	double taken; /* most series that accept a set above the limit */
};

static const struct year_row year_rows[] = {
	{ "a year, unchanged, 1 % noise", "mean=5%", 0.01, 0.01, 0, 0, 0, 0.05, 5, 0, 0 },
	{ "a year, unchanged, runs differ less", "mean=5%", 0.01, 0.003, 0, 0, 0, 0.05, 5, 0, 0 },
	{ "a year, unchanged, 2 % noise, limit 10 %", "mean=10%", 0.02, 0.02, 0, 0, 0, 0.1, 5, 0,
	  0 },
	{ "a year, unchanged, 3 % noise", "mean=5%", 0.03, 0.01, 0, 0, 0, 0.05, 8, 0, 0 },
	{ "a year, unchanged, 3 % noise, of runs", "mean=5%", 0, 0.0316, 0, 0, 0, 0.05, 5, 0, 0 },
	{ "a year, +10 % after 20 weeks", "mean=5%", 0.01, 0.01, 20, 0.1, 0, 0.05, 100, 95, 0.5 },
	{ "a year, +20 % after 20 weeks, 2 % noise", "mean=10%", 0.02, 0.02, 20, 0.2, 0, 0.1, 100,
	  95, 0.5 },
	{ "a year, +10 % after 4 weeks", "mean=5%", 0.01, 0.01, 4, 0.1, 0, 0.05, 100, 50, 0.5 },
	{ "a year, +10 % after 8 weeks", "mean=5%", 0.01, 0.01, 8, 0.1, 0, 0.05, 100, 90, 0.5 },
	{ "a year, a doubling after 4 weeks", "mean=5%", 0.01, 0.01, 4, 1, 0, 0.05, 100, 95, 0 },
	{ "a year, a doubling after 1 week", "mean=5%", 0.01, 0.01, 1, 1, 0, 0.05, 100, 0, 0 },
	{ "a year, 0.3 % more each week", "mean=5%", 0.01, 0.01, 0, 0, 0.003, 0.05, 100, 0, 14 },
	{ "a year, 1 % more each week", "mean=5%", 0.01, 0.01, 0, 0, 0.01, 0.05, 100, 0, 23 },
	{ "a year, 5 % more each week", "mean=5%", 0.01, 0.01, 0, 0, 0.05, 0.05, 100, 0, 1 },
};

struct year_seen {
	unsigned int stuck;
	unsigned int found;
	unsigned int taken;
	unsigned int wrong; /* series with a failure of an unchanged program */
	unsigned int accepted; /* sets, of all series */
	double highest; /* level of an accepted set, less one, of all series */
};

static double year_level(const struct year_row *row, unsigned int week)
{
	return log1p(row->at && week >= row->at ? row->step : 0) + week * log1p(row->creep);
}

/* The verdict on the last set of @s. Return: whether it is accepted. */
static bool year_judge(const struct year_row *row, const struct sets *s, size_t n_sets,
		       enum check_verdict *verdict)
{
	const struct check_terms terms = { .confidence = 0.99, .max_loss = 1 };
	const struct snapshot *const *runs = (const struct snapshot *const *)s->runs;
	const struct compare_set a = { .n = s->base,
				       .runs = runs,
				       .set_of = s->set_of,
				       .last_sets = n_sets > LAST ? n_sets - LAST : 0 };
	const struct compare_set b = { .n = s->n - s->base, .runs = runs + s->base };
	struct check_rule rule;
	struct check c;
	struct error e;
	bool accepts;

	if (check_parse_increase(&rule, row->rule, &e) ||
	    check_make(&c, &rule, 1, &b, &a, &terms, &e))
		abort();
	*verdict = c.verdict;
	/* As with --inconclusive=pass: it must not matter. */
	c.undecided = CHECK_PASS;
	accepts = judge_accepts(&c);
	check_free(&c);
	return accepts;
}

static void year_look(const struct year_row *row, struct year_seen *seen)
{
	unsigned int week, sets = 0, newest = 0;
	bool found = false, wrong = false, taken = false, accepts;
	double highest = 0;
	enum check_verdict verdict;
	static struct sets s;
	double off, level;
	size_t i;

	s.n = 0;
	for (week = 0; week < WEEKS; week++) {
		level = year_level(row, week);
		off = level + row->between * norm_rand();
		s.base = s.n;
		for (i = 0; i < YEAR_RUNS; i++) {
			s.set_of[s.n] = sets;
			s.runs[s.n++] = run_make(1, &off, row->within, ALONE);
		}
		accepts = year_judge(row, &s, sets, &verdict);
		found |= verdict == CHECK_FAIL && week >= row->at && week < row->at + 3;
		wrong |= verdict == CHECK_FAIL && level <= 0;
		taken |= accepts && level > log1p(row->limit) + 1e-9;
		if (accepts) {
			highest = fmax(highest, level);
			newest = week;
			sets++;
		} else {
			while (s.n > s.base)
				snapshot_free(s.runs[--s.n]);
		}
	}
	seen->stuck += newest + 8 < WEEKS;
	seen->found += found;
	seen->wrong += wrong;
	seen->taken += taken;
	seen->highest = fmax(seen->highest, expm1(highest));
	seen->accepted += sets;
	while (s.n)
		snapshot_free(s.runs[--s.n]);
}

static bool year_table(const struct year_row *row, unsigned int number, unsigned int times)
{
	struct year_seen seen = {};
	double stuck, found, taken;
	unsigned int i;
	bool good;

	made_stream(TABLE, number);
	for (i = 0; i < times; i++)
		year_look(row, &seen);
	stuck = 100.0 * seen.stuck / times;
	found = 100.0 * seen.found / times;
	taken = 100.0 * seen.taken / times;
	good = stuck <= row->stuck && found >= row->found && taken <= row->taken;
	printf("%s %u - %-41s stuck %5.1f found %5.1f above %5.1f highest %4.1f wrong %5.1f sets %4.1f\n",
	       good ? "ok" : "not ok", number, row->what, stuck, found, taken, 100 * seen.highest,
	       100.0 * seen.wrong / times, 1.0 * seen.accepted / times);
	fflush(stdout);
	return good;
}

/* ---- steps ---- */

struct step_row {
	const char *what;
	size_t sets;
	size_t at; /* first set after the step; 0: there is none */
	double height; /* in standard deviations of a set */
	enum made_wander wander;
	double least; /* share with a step, in percent */
	double most;
	double covered; /* least share of those found whose position is in its interval */
};

static const struct step_row step_rows[] = {
	{ "no step, 8 sets", 8, 0, 0, ALONE, 0, 1.5, 0 },
	{ "no step, 24 sets", 24, 0, 0, ALONE, 0, 1.5, 0 },
	{ "no step, 100 sets", 100, 0, 0, ALONE, 0, 1.5, 0 },
	{ "no step, 24 sets, drift", 24, 0, 0, DRIFT, 0, 100, 0 },
	{ "no step, 24 sets, memory", 24, 0, 0, MEMORY, 0, 100, 0 },
	{ "1 sigma after 12 of 24", 24, 12, 1, ALONE, 0, 100, 94 },
	{ "2 sigma after 12 of 24", 24, 12, 2, ALONE, 80, 100, 94 },
	{ "3 sigma after 12 of 24", 24, 12, 3, ALONE, 95, 100, 94 },
	{ "5 sigma after 12 of 24", 24, 12, 5, ALONE, 95, 100, 94 },
	{ "3 sigma after 20 of 24", 24, 20, 3, ALONE, 80, 100, 94 },
	{ "3 sigma after 4 of 24", 24, 4, 3, ALONE, 80, 100, 94 },
	{ "5 sigma after 22 of 24", 24, 22, 5, ALONE, 50, 100, 94 },
	{ "3 sigma after 6 of 12", 12, 6, 3, ALONE, 60, 100, 94 },
	{ "2 sigma after 50 of 100", 100, 50, 2, ALONE, 95, 100, 94 },
};

#define SIGMA 0.02

struct found {
	unsigned int any;
	unsigned int one; /* with a single step */
	unsigned int exact;
	unsigned int covered;
	unsigned int height;
	double width;
};

static void look(const struct step_row *row, struct found *f)
{
	struct history_set sets[SETS_MAX];
	struct snapshot *runs[SETS_MAX];
	const struct history_step *s;
	struct history h = { .sets = { .n = row->sets, .sets = sets } };
	double off, last = 0, height = expm1(SIGMA * row->height);
	size_t i;

	h.sets.runs = (const struct snapshot *const *)runs;
	for (i = 0; i < row->sets; i++) {
		off = set_off(row->wander, SIGMA, i, &last);
		off += row->at && i >= row->at ? SIGMA * row->height : 0;
		runs[i] = run_make(1, &off, 0, ALONE);
		sets[i] = (struct history_set){ .name = "", .first = i, .n = 1 };
	}
	if (history_add(&h, "f0", "mean", COMPARE_MEAN) || history_find_steps(&h))
		abort();
	s = h.rows[0].steps;
	f->any += h.rows[0].n_steps > 0;
	if (h.rows[0].n_steps == 1) {
		f->one++;
		f->exact += s->at == row->at;
		f->covered += s->lo <= row->at && row->at <= s->hi;
		f->height += s->change_lo <= height && height <= s->change_hi;
		f->width += s->hi - s->lo + 1;
	}
	history_free(&h);
	for (i = 0; i < row->sets; i++)
		snapshot_free(runs[i]);
}

static bool step_table(const struct step_row *row, unsigned int number, unsigned int times)
{
	struct found f = {};
	double any, covered, one;
	unsigned int i;
	bool good;

	made_stream(TABLE, number);
	for (i = 0; i < times; i++)
		look(row, &f);
	any = 100.0 * f.any / times;
	one = f.one ? f.one : 1;
	covered = 100.0 * f.covered / one;
	good = any >= row->least && any <= row->most && covered >= row->covered;
	printf("%s %u - %-26s found %5.1f", good ? "ok" : "not ok", number, row->what, any);
	if (row->at)
		printf(" just there %5.1f covers %5.1f of %4.1f sets, height %5.1f",
		       100 * f.exact / one, covered, f.width / one, 100 * f.height / one);
	putchar('\n');
	fflush(stdout);
	return good;
}

/* ---- both ---- */

int main(int argc, char **argv)
{
	unsigned int n = sizeof(rows) / sizeof(*rows), times, i, bad = 0;
	unsigned int n_steps = sizeof(step_rows) / sizeof(*step_rows);
	unsigned int n_years = sizeof(year_rows) / sizeof(*year_rows);
	struct made_words words;

	made_read(&words, argc, argv);
	times = made_times(&words, TIMES);
	printf("1..%u\n# in percent of %u; covers: intervals of 99 %%, and of 95 %% for steps, that "
	       "hold the truth\n",
	       n + n_steps + n_years, times);
	for (i = 0; i < n; i++)
		if (made_wants(&words, rows[i].what))
			bad += !table(&rows[i], i + 1, times);
	for (i = 0; i < n_steps; i++)
		if (made_wants(&words, step_rows[i].what))
			bad += !step_table(&step_rows[i], n + i + 1, times);
	times = times > YEARS_LESS ? times / YEARS_LESS : times;
	for (i = 0; i < n_years; i++)
		if (made_wants(&words, year_rows[i].what))
			bad += !year_table(&year_rows[i], n + n_steps + i + 1, times);
	return bad != 0;
}
