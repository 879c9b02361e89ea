// SPDX-License-Identifier: GPL-2.0-only
/*
 * sequential.c - how soon and how rightly a series with a look after each pair decides, on
 * figures made up here: log-normal, and what else makes runs differ. Goes out: a table,
 * as TAP. Called by `make bench-check`. With -s, each row has a tenth of its series, with
 * -n N at most N: too few for shares to be asserted; words choose the rows that contain
 * one. With -p PROGRAM, which is the program with runs of measured.c, `trace --runs --vs`
 * judges the first 1,000 series of each row: its verdicts and pairs are counted, and it is
 * asserted that they are those of the library, which judges the others. (For each series the
 * program computes its levels anew, which takes most of the time.)
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made.h"
#include "program.h"

#include "judge/check.h"

#define FUNCTIONS_MAX 20
#define CENTRE_NS 1e6
#define TABLE 20261123 /* its streams of random numbers */
#define ASKED 1000 /* series of a row that the program judges, at most */
#define SPARE_DECIDED 3 /* percent, with a tenth of the series */
#define SPARE 1.2 /* percent wrongly, and pairs */

struct row {
	const char *what;
	double limit;
	double noise; /* between runs */
	double increase;
	unsigned int first, last; /* looks, in pairs */
	unsigned int series;
	enum made_wander wander;
	unsigned int functions;
	double decided; /* rightly, percent at least */
	double pairs; /* on average, of those that are decided, at most */
	double slower; /* percent that fail though they should not, at most */
	double not_slower; /* percent that pass though they should not, at most */
};

#define ANY 0, 1000
/* Three standard errors of 10,000 series above what is promised. */
#define ONE 1.3, 1.3
/* Pairs are not quite alone where runs remember those before them. */
#define MORE 2.2, 2.2

static const struct row rows[] = {
	/* What must be reached; so is the number of pairs. */
	{ "A/A, limit 5 %, 1 % noise", 0.05, 0.01, 0, 6, 40, 2000, ALONE, 1, 100, 6.65, ONE },
	{ "A/A, limit 5 %, 5 % noise", 0.05, 0.05, 0, 6, 40, 4000, ALONE, 1, 87, 25, ONE },
	/* In 30,000 other series it was 84.4: less by three standard errors. */
	{ "+10 %, limit 5 %, 5 % noise", 0.05, 0.05, 0.1, 6, 40, 10000, ALONE, 1, 83.3, 27, ONE },
	{ "+20 %, limit 5 %, 5 % noise", 0.05, 0.05, 0.2, 6, 40, 4000, ALONE, 1, 99.9, 9.3, ONE },
	{ "+20 %, limit 5 %, 10 % noise", 0.05, 0.1, 0.2, 6, 40, 4000, ALONE, 1, 99, 18.3, ONE },
	/* At the limit, each side is wrong in 1 %. */
	{ "at the limit of 5 %, 1 % noise", 0.05, 0.01, 0.05, 6, 40, 10000, ALONE, 1, ANY, ONE },
	{ "at the limit of 5 %, 10 % noise", 0.05, 0.1, 0.05, 6, 40, 10000, ALONE, 1, ANY, ONE },
	{ "at the limit of 0 %, 5 % noise", 0, 0.05, 0, 6, 40, 10000, ALONE, 1, ANY, ONE },
	{ "at the limit of 5 %, 2..10 pairs", 0.05, 0.05, 0.05, 2, 10, 10000, ALONE, 1, ANY, ONE },
	{ "at the limit of 5 %, 5..100 pairs", 0.05, 0.05, 0.05, 5, 100, 4000, ALONE, 1, ANY, ONE },
	{ "at the limit of 5 %, 20..30 pairs", 0.05, 0.05, 0.05, 20, 30, 10000, ALONE, 1, ANY,
	  ONE },
	{ "at the limit of 5 %, 12..12 pairs", 0.05, 0.05, 0.05, 12, 12, 10000, ALONE, 1, ANY,
	  ONE },
	{ "at the limit of 5 %, drift", 0.05, 0.05, 0.05, 6, 40, 4000, DRIFT, 1, ANY, MORE },
	{ "at the limit of 5 %, memory", 0.05, 0.05, 0.05, 6, 40, 4000, MEMORY, 1, ANY, MORE },
	{ "at the limit of 5 %, outliers", 0.05, 0.05, 0.05, 6, 40, 4000, OUTLIERS, 1, ANY, ONE },
	{ "at the limit of 5 %, two modes, 2..40 pairs", 0.05, 0.01, 0.05, 2, 40, 4000, MODES, 1,
	  ANY, ONE },
	{ "at the limit of 5 %, rough", 0.05, 0.05, 0.05, 6, 40, 4000, ROUGH, 1, ANY, ONE },
	{ "at the limit of 0 %, ticks", 0, 0, 0, 6, 40, 4000, TICKS, 1, ANY, ONE },
	{ "at the limit of 5 %, 20 functions", 0.05, 0.05, 0.05, 6, 40, 1000, ALONE, 20, ANY, 1.3,
	  100 },
	{ "A/A, limit 5 %, 1 % noise, 20 functions", 0.05, 0.01, 0, 6, 40, 500, ALONE, 20, 100, 9,
	  ONE },
	{ "+10 %, limit 5 %, 1 % noise, 20 functions", 0.05, 0.01, 0.1, 6, 40, 500, ALONE, 20, 100,
	  10, ONE },
	{ "+20 %, limit 5 %, 5 % noise, drift", 0.05, 0.05, 0.2, 6, 40, 2000, DRIFT, 1, 95, 20,
	  ONE },
	{ "A/A, limit 5 %, 5 % noise, memory", 0.05, 0.05, 0, 6, 40, 2000, MEMORY, 1, 95, 20, ONE },
};

/* ---- one series ---- */

struct series {
	const struct row *row;
	double last[FUNCTIONS_MAX]; /* what the last run was off by */
	struct compare_metric metric;
	struct compare c;
};

static void add_run(struct series *s, unsigned int place, bool after, unsigned int when)
{
	struct compare_row *r;
	unsigned int f;

	for (f = 0; f < s->row->functions; f++) {
		r = &s->c.rows[f];
		r->runs[r->n_runs++] = (struct compare_run){
			.log = log(CENTRE_NS) + (after ? log1p(s->row->increase) : 0) +
			       made_off(s->row->wander, s->row->noise, when, &s->last[f]),
			.place = place,
			.after = after,
			.noise = s->row->wander == TICKS ? log(1.1) / 2 : 0,
		};
		(after ? &r->b : &r->a)->runs++;
	}
}

/* AB BA, as trace --runs --vs does, with the measured command first. */
static void add_pair(struct series *s, unsigned int place)
{
	bool first = place % 2 == 0;

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
	s->metric = (struct compare_metric){ "mean", COMPARE_MEAN, true, row->limit, NULL };
	s->c.n = row->functions;
	s->c.rows = calloc(row->functions, sizeof(*s->c.rows));
	for (f = 0; f < row->functions; f++) {
		s->c.rows[f].metric = &s->metric;
		s->c.rows[f].runs = calloc(2 * row->last, sizeof(*s->c.rows[f].runs));
		if (!s->c.rows[f].runs)
			abort();
	}
}

/* ---- its end ---- */

/* What became of one series. */
struct end {
	enum check_verdict verdict; /* the worst of its functions */
	bool any_pass;
	unsigned int pairs;
};

static struct end end_of(const struct series *s, unsigned int pairs)
{
	struct end end = { .verdict = CHECK_PASS, .pairs = pairs };
	enum check_verdict v;
	unsigned int f;

	for (f = 0; f < s->row->functions; f++) {
		v = check_increase(&s->c.rows[f], s->row->limit);
		end.any_pass |= v == CHECK_PASS;
		if (v == CHECK_FAIL || end.verdict == CHECK_PASS)
			end.verdict = v;
	}
	return end;
}

static struct end by_library(const struct row *row, struct sequential *q)
{
	unsigned int pairs = 0;
	struct series s;
	struct end end;

	open_series(&s, row);
	do {
		add_pair(&s, pairs++);
		if (pairs >= row->first && sequential_judge(&s.c, q))
			abort();
	} while (pairs < row->last && (pairs < row->first || !is_settled(&s)));
	end = end_of(&s, pairs);
	compare_free(&s.c);
	return end;
}

static enum check_verdict verdict_of(int status)
{
	return status == EXIT_DONE    ? CHECK_PASS
	       : status == EXIT_CHECK ? CHECK_FAIL
				      : CHECK_INCONCLUSIVE;
}

/* The same series: the random numbers begin where they are now. */
static struct end by_program(const char *path, const struct row *row)
{
	char runs[24], rule[32], wander[8], noise[24], increase[24], functions[8], stream[32];
	char *words[] = { "kstats-bpf", "trace", "-q",   "vfs_read",       "--runs",
			  runs,         "--vs",  "base", "--max-increase", rule,
			  "--",         wander,  noise,  increase,         functions,
			  NULL };
	static char text[PROGRAM_TEXT];
	unsigned int state[2];
	struct end end = {};
	const char *at;
	int status;

	snprintf(runs, sizeof(runs), "%u..%u", row->first, row->last);
	snprintf(rule, sizeof(rule), "mean=%.12g%%", 100 * row->limit);
	snprintf(wander, sizeof(wander), "%d", row->wander);
	snprintf(noise, sizeof(noise), "%.17g", row->noise);
	snprintf(increase, sizeof(increase), "%.17g", row->increase);
	snprintf(functions, sizeof(functions), "%u", row->functions);
	get_seed(&state[0], &state[1]);
	snprintf(stream, sizeof(stream), "%u %u", state[0], state[1]);
	setenv("MADE_STREAM", stream, true);
	status = program_run(path, words, text);
	at = strstr(text, "together; pairs: ");
	if (!at || (status && status != EXIT_CHECK && status != EXIT_LEDGER)) {
		fprintf(stderr, "status %d of %s: %s\n", status, path, text);
		exit(2);
	}
	end.verdict = verdict_of(status);
	sscanf(at, "together; pairs: %u", &end.pairs);
	end.any_pass = !strncmp(text, "pass  ", 6) || strstr(text, "\npass  ");
	return end;
}

/* ---- the table ---- */

/* Of all series of a row. */
struct seen {
	unsigned int verdicts[CHECK_VERDICTS];
	unsigned int hopeless; /* ended before the last look, undecided */
	unsigned int wrong_pass; /* of any function */
	unsigned int differ; /* the program ends otherwise than the library */
	double pairs; /* of those that decided */
	double all_pairs;
};

static void count(struct seen *seen, const struct row *row, const struct end *end)
{
	seen->verdicts[end->verdict]++;
	seen->wrong_pass += end->any_pass;
	seen->all_pairs += end->pairs;
	if (end->verdict != CHECK_INCONCLUSIVE)
		seen->pairs += end->pairs;
	else if (end->pairs < row->last)
		seen->hopeless++;
}

static void one(const struct row *row, const char *program, struct sequential *q, struct seen *seen)
{
	struct end asked = {}, end;

	if (program)
		asked = by_program(program, row);
	end = by_library(row, q);
	if (program && (asked.verdict != end.verdict || asked.pairs != end.pairs ||
			asked.any_pass != end.any_pass))
		seen->differ++;
	count(seen, row, program ? &asked : &end);
}

static bool is_good(const struct row *row, const struct seen *seen, unsigned int series)
{
	bool slower = row->increase > row->limit + 1e-9, faster = row->increase < row->limit - 1e-9;
	bool few = series < row->series;
	double spare = few ? SPARE : 0, percent = 100.0 / series;
	const unsigned int *n = seen->verdicts;
	double decided = slower ? percent * n[CHECK_FAIL] : faster ? percent * n[CHECK_PASS] : 0;
	double pairs = seen->pairs / fmax(1, n[CHECK_PASS] + n[CHECK_FAIL]);

	return decided >= row->decided - (few ? SPARE_DECIDED : 0) && pairs <= row->pairs + spare &&
	       (slower || percent * n[CHECK_FAIL] <= row->slower + spare) &&
	       (faster || percent * seen->wrong_pass <= row->not_slower + spare);
}

static void print_row(const struct row *row, const struct seen *seen, unsigned int series)
{
	const unsigned int *n = seen->verdicts;
	bool at_limit = fabs(row->increase - row->limit) < 1e-9;
	double percent = 100.0 / series;

	printf(" %-42s pass %6.2f fail %6.2f early %5.1f pairs %5.2f of all %5.2f", row->what,
	       percent * (at_limit ? seen->wrong_pass : n[CHECK_PASS]), percent * n[CHECK_FAIL],
	       percent * seen->hopeless, seen->pairs / fmax(1, n[CHECK_PASS] + n[CHECK_FAIL]),
	       seen->all_pairs / series);
	if (seen->differ)
		printf(" the program differs in %u", seen->differ);
	putchar('\n');
	fflush(stdout);
}

/* @number: of the row, and so of its random numbers; @result: of the rows asked for */
static bool table(const struct made_words *words, unsigned int number, unsigned int result)
{
	const struct row *row = &rows[number - 1];
	/* Runs of measured.c have no such figures: their samples are all alike. */
	const char *program = row->wander == TICKS ? NULL : words->program;
	unsigned int series = made_times(words, row->series), i;
	struct seen seen = {};
	struct sequential q;
	bool good;

	made_stream(TABLE, number);
	sequential_make(&q, row->first, row->last, 0.99);
	for (i = 0; i < series; i++)
		one(row, i < ASKED ? program : NULL, &q, &seen);
	good = !seen.differ && (words->most || is_good(row, &seen, series));
	printf("%s %u -", good ? "ok" : "not ok", result);
	print_row(row, &seen, series);
	return good;
}

int main(int argc, char **argv)
{
	struct made_words words;
	unsigned int i, n = 0, bad = 0;

	made_read(&words, argc, argv);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		n += made_wants(&words, rows[i].what);
	printf("1..%u\n# in percent; early: ended undecided before the last look; pairs: of those "
	       "decided\n",
	       n);
	n = 0;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (made_wants(&words, rows[i].what))
			bad += !table(&words, i + 1, ++n);
	return bad != 0;
}
