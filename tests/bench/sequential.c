// SPDX-License-Identifier: GPL-2.0-only
/*
 * sequential.c - how soon and how rightly a series with a look after each pair decides, on
 * figures made up here: log-normal, and what else makes runs differ. Goes out: a table,
 * as TAP. Called by `make bench-check`. With -s, each row has a tenth of its series; words
 * choose the rows that contain one.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/check.h"

#define FUNCTIONS_MAX 20
#define CENTRE_NS 2000.0

/* What makes runs differ beside chance. */
enum wander {
	ALONE, /* each by itself */
	DRIFT, /* 0.3 standard deviations a run */
	MEMORY, /* 0.7 of the last one */
	OUTLIERS, /* one run in 20 takes twice as long */
	ROUGH, /* Student's t with 3 degrees of freedom */
	TICKS, /* the median of a clock of 10 %, between two of its ticks */
};

struct row {
	const char *what;
	double limit;
	double noise; /* between runs */
	double increase;
	unsigned int first, last; /* looks, in pairs */
	unsigned int series;
	enum wander wander;
	unsigned int functions;
	double decided; /* rightly, percent at least */
	double pairs; /* on average, of those that are decided, at most */
	double slower; /* percent that fail though they should not, at most */
	double not_slower; /* percent that pass though they should not, at most */
};

#define ANY 0, 1000
/* Three standard errors of 10,000 series above what is promised. */
#define HALF 0.72, 0.72
/* Pairs are not quite alone where runs remember those before them. */
#define WHOLE 1.3, 1.3

static const struct row rows[] = {
	/* What must be reached; so is the number of pairs. */
	{ "A/A, limit 5 %, 1 % noise", 0.05, 0.01, 0, 6, 40, 2000, ALONE, 1, 100, 6.65, HALF },
	{ "A/A, limit 5 %, 5 % noise", 0.05, 0.05, 0, 6, 40, 4000, ALONE, 1, 87, 25, HALF },
	{ "+10 %, limit 5 %, 5 % noise", 0.05, 0.05, 0.1, 6, 40, 4000, ALONE, 1, 84, 27, HALF },
	{ "+20 %, limit 5 %, 5 % noise", 0.05, 0.05, 0.2, 6, 40, 4000, ALONE, 1, 99.9, 9.3, HALF },
	{ "+20 %, limit 5 %, 10 % noise", 0.05, 0.1, 0.2, 6, 40, 4000, ALONE, 1, 99, 18.3, HALF },
	/* At the limit, each side is wrong in 0.5 %. */
	{ "at the limit of 5 %, 1 % noise", 0.05, 0.01, 0.05, 6, 40, 10000, ALONE, 1, ANY, HALF },
	{ "at the limit of 5 %, 10 % noise", 0.05, 0.1, 0.05, 6, 40, 10000, ALONE, 1, ANY, HALF },
	{ "at the limit of 0 %, 5 % noise", 0, 0.05, 0, 6, 40, 10000, ALONE, 1, ANY, HALF },
	{ "at the limit of 5 %, 2..10 pairs", 0.05, 0.05, 0.05, 2, 10, 10000, ALONE, 1, ANY, HALF },
	{ "at the limit of 5 %, 5..100 pairs", 0.05, 0.05, 0.05, 5, 100, 4000, ALONE, 1, ANY,
	  HALF },
	{ "at the limit of 5 %, 20..30 pairs", 0.05, 0.05, 0.05, 20, 30, 10000, ALONE, 1, ANY,
	  HALF },
	{ "at the limit of 5 %, 12..12 pairs", 0.05, 0.05, 0.05, 12, 12, 10000, ALONE, 1, ANY,
	  HALF },
	{ "at the limit of 5 %, drift", 0.05, 0.05, 0.05, 6, 40, 4000, DRIFT, 1, ANY, WHOLE },
	{ "at the limit of 5 %, memory", 0.05, 0.05, 0.05, 6, 40, 4000, MEMORY, 1, ANY, WHOLE },
	{ "at the limit of 5 %, outliers", 0.05, 0.05, 0.05, 6, 40, 4000, OUTLIERS, 1, ANY, HALF },
	{ "at the limit of 5 %, rough", 0.05, 0.05, 0.05, 6, 40, 4000, ROUGH, 1, ANY, HALF },
	{ "at the limit of 0 %, ticks", 0, 0, 0, 6, 40, 4000, TICKS, 1, ANY, HALF },
	{ "at the limit of 5 %, 20 functions", 0.05, 0.05, 0.05, 6, 40, 1000, ALONE, 20, ANY, 0.72,
	  100 },
	{ "A/A, limit 5 %, 1 % noise, 20 functions", 0.05, 0.01, 0, 6, 40, 500, ALONE, 20, 100, 9,
	  HALF },
	{ "+10 %, limit 5 %, 1 % noise, 20 functions", 0.05, 0.01, 0.1, 6, 40, 500, ALONE, 20, 100,
	  10, HALF },
	{ "+20 %, limit 5 %, 5 % noise, drift", 0.05, 0.05, 0.2, 6, 40, 2000, DRIFT, 1, 95, 20,
	  HALF },
	{ "A/A, limit 5 %, 5 % noise, memory", 0.05, 0.05, 0, 6, 40, 2000, MEMORY, 1, 95, 20,
	  HALF },
};

/* ---- one series ---- */

struct series {
	const struct row *row;
	double last[FUNCTIONS_MAX]; /* what the last run was off by */
	struct compare_metric metric;
	struct compare c;
};

static double wander(struct series *s, unsigned int f, unsigned int when)
{
	double z = norm_rand(), *last = &s->last[f];

	switch (s->row->wander) {
	case DRIFT:
		return s->row->noise * (z + 0.3 * when);
	case MEMORY:
		*last = when ? 0.7 * *last + sqrt(1 - 0.49) * z : z;
		return s->row->noise * *last;
	case OUTLIERS:
		return s->row->noise * z + (unif_rand() < 0.05 ? log(2) : 0);
	case ROUGH:
		return s->row->noise * rt(3) / sqrt(3);
	case TICKS:
		return rbinom(1, 0.5) * log(1.1);
	default:
		return s->row->noise * z;
	}
}

static void add_run(struct series *s, unsigned int place, bool after, unsigned int when)
{
	struct compare_row *r;
	unsigned int f;

	for (f = 0; f < s->row->functions; f++) {
		r = &s->c.rows[f];
		r->runs[r->n_runs++] = (struct compare_run){
			.log = log(CENTRE_NS) + wander(s, f, when) +
			       (after ? log1p(s->row->increase) : 0),
			.place = place,
			.after = after,
			.noise = s->row->wander == TICKS ? log(1.1) / 2 : 0,
		};
		(after ? &r->b : &r->a)->runs++;
	}
}

/* AB BA, as trace --runs --vs does. */
static void add_pair(struct series *s, unsigned int place)
{
	bool first = place % 2;

	add_run(s, place, first, 2 * place);
	add_run(s, place, !first, 2 * place + 1);
}

static bool is_settled(const struct series *s)
{
	unsigned int f;

	for (f = 0; f < s->row->functions; f++)
		if (!s->c.rows[f].look.decided && !s->c.rows[f].look.hopeless)
			return false;
	return true;
}

static void open_series(struct series *s, const struct row *row)
{
	unsigned int f;

	*s = (struct series){ .row = row };
	s->metric = (struct compare_metric){ "p99", 990000, true, row->limit };
	s->c.n = row->functions;
	s->c.rows = calloc(row->functions, sizeof(*s->c.rows));
	for (f = 0; f < row->functions; f++) {
		s->c.rows[f].metric = &s->metric;
		s->c.rows[f].runs = calloc(2 * row->last, sizeof(*s->c.rows[f].runs));
		if (!s->c.rows[f].runs)
			abort();
	}
}

/* ---- the table ---- */

/* Of all series of a row. */
struct seen {
	unsigned int verdicts[CHECK_VERDICTS]; /* by the worst of their functions */
	unsigned int hopeless; /* ended before the last look, undecided */
	unsigned int wrong_pass; /* of any function */
	double pairs; /* of those that decided */
	double all_pairs;
};

static void count(const struct series *s, unsigned int pairs, struct seen *seen)
{
	enum check_verdict v = CHECK_PASS, one;
	bool any_pass = false;
	unsigned int f;

	for (f = 0; f < s->row->functions; f++) {
		one = check_increase(&s->c.rows[f], s->row->limit);
		any_pass |= one == CHECK_PASS;
		if (one == CHECK_FAIL || v == CHECK_PASS)
			v = one;
	}
	seen->verdicts[v]++;
	seen->wrong_pass += any_pass;
	seen->all_pairs += pairs;
	if (v != CHECK_INCONCLUSIVE)
		seen->pairs += pairs;
	else if (pairs < s->row->last)
		seen->hopeless++;
}

static void one(const struct row *row, struct sequential *q, struct seen *seen)
{
	unsigned int pairs = 0;
	struct series s;

	open_series(&s, row);
	do {
		add_pair(&s, pairs++);
		if (pairs >= row->first && sequential_judge(&s.c, q))
			abort();
	} while (pairs < row->last && (pairs < row->first || !is_settled(&s)));
	count(&s, pairs, seen);
	compare_free(&s.c);
}

static bool table(const struct row *row, unsigned int number, unsigned int series)
{
	bool slower = row->increase > row->limit + 1e-9, faster = row->increase < row->limit - 1e-9;
	double pass, fail, decided, pairs, spare = series < row->series ? 1.2 : 0;
	struct sequential q;
	struct seen seen = {};
	unsigned int i;
	bool good;

	set_seed(20261123 + 7919 * number, number);
	sequential_make(&q, row->first, row->last, 0.99);
	for (i = 0; i < series; i++)
		one(row, &q, &seen);
	pass = 100.0 * (slower || faster ? seen.verdicts[CHECK_PASS] : seen.wrong_pass) / series;
	fail = 100.0 * seen.verdicts[CHECK_FAIL] / series;
	decided = slower ? fail : faster ? pass : 0;
	pairs = seen.pairs / fmax(1, seen.verdicts[CHECK_PASS] + seen.verdicts[CHECK_FAIL]);
	good = decided >= row->decided - spare && pairs <= row->pairs + spare &&
	       (slower || fail <= row->slower + spare) &&
	       (faster || pass <= row->not_slower + spare);
	printf("%s %u - %-42s pass %6.2f fail %6.2f early %5.1f pairs %5.2f of all %5.2f\n",
	       good ? "ok" : "not ok", number, row->what, pass, fail,
	       100.0 * seen.hopeless / series, pairs, seen.all_pairs / series);
	fflush(stdout);
	return good;
}

static bool is_wanted(const struct row *row, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strstr(row->what, argv[i]))
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	bool shortly = argc > 1 && !strcmp(argv[1], "-s");
	unsigned int i, bad = 0;

	argc -= shortly;
	argv += shortly;
	printf("1..%zu\n# in percent; early: ended undecided before the last look; pairs: of those "
	       "decided\n",
	       sizeof(rows) / sizeof(*rows));
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (is_wanted(&rows[i], argc, argv))
			bad += !table(&rows[i], i + 1, rows[i].series / (shortly ? 10 : 1));
	return bad != 0;
}
