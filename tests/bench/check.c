// SPDX-License-Identifier: GPL-2.0-only
/*
 * check.c - how often the gate is right, on recordings made up here. Goes out: a
 * table, as TAP. The times are log-normal with a tail of 2 % that takes ten times as long; every
 * run is off by a factor of its own, of 1 % standard deviation. Called by `make bench-check`.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/compare.h"
#include "judge/check.h"

#define RUNS 6
#define CENTRE_NS 2000
#define SIGMA 0.25
#define TAIL 0.02
#define TAIL_FACTOR 10
#define RUN_NOISE 0.01
#define CONFIDENCE 0.99

struct row {
	const char *what;
	unsigned int bits;
	unsigned int samples;
	uint32_t millionths;
	double increase; /* of all times */
	double limit; /* of --max-increase */
	unsigned int n; /* comparisons */
	enum check_verdict wanted; /* whose share is asserted */
	double least; /* share of it, at least */
	double most; /* and at most */
};

static const struct row rows[] = {
	{ "A/A, p99, limit 0 %", 5, 20000, 990000, 0, 0, 1000, CHECK_FAIL, 0, 0.01 },
	{ "A/A, p50, limit 0 %", 5, 20000, 500000, 0, 0, 1000, CHECK_FAIL, 0, 0.01 },
	{ "A/A, p99, limit 10 %", 5, 20000, 990000, 0, 0.1, 200, CHECK_PASS, 0.95, 1 },
	{ "+10 %, p99, limit 0 %", 5, 20000, 990000, 0.1, 0, 200, CHECK_FAIL, 0.95, 1 },
	{ "+10 %, p99, limit 3 %", 5, 20000, 990000, 0.1, 0.03, 200, CHECK_FAIL, 0.8, 1 },
	{ "+10 %, p50, 1,500 samples", 5, 1500, 500000, 0.1, 0, 200, CHECK_FAIL, 0.95, 1 },
	{ "+10 %, p50, 1,500, limit 3 %", 5, 1500, 500000, 0.1, 0.03, 200, CHECK_FAIL, 0.95, 1 },
	{ "A/A, p50, 1,500 samples", 5, 1500, 500000, 0, 0, 1000, CHECK_FAIL, 0, 0.01 },
	{ "A/A, p99, bits 3", 3, 20000, 990000, 0, 0, 1000, CHECK_FAIL, 0, 0.01 },
	{ "+10 %, p99, bits 3", 3, 20000, 990000, 0.1, 0, 200, CHECK_FAIL, 0.95, 1 },
	{ "A/A, p50, bits 3", 3, 20000, 500000, 0, 0, 1000, CHECK_FAIL, 0, 0.01 },
	{ "+10 %, p50, bits 3", 3, 1500, 500000, 0.1, 0, 200, CHECK_FAIL, 0.95, 1 },
};

static struct snapshot *run_make(const struct row *row, double factor)
{
	static struct kstats_slot slots[KSTATS_N_SLOTS_MAX];
	struct snapshot *s = snapshot_new(row->bits, 1, 1);
	struct counts_writer w = {};
	double off = factor * exp(rnorm(0, RUN_NOISE)), x;
	uint32_t slot;
	unsigned int i;

	if (!s || !(s->nodes[0].name = strdup("f")))
		abort();
	memset(slots, 0, sizeof(slots));
	for (i = 0; i < row->samples; i++) {
		x = exp(rnorm(log(CENTRE_NS), SIGMA)) * off;
		if (unif_rand() < TAIL)
			x *= TAIL_FACTOR;
		slot = kstats_slot_index((uint64_t)x, row->bits);
		slots[slot].samples++;
		slots[slot].sum += kstats_slot_scale((uint64_t)x, slot, row->bits);
	}
	counts_add_cpu(&w, 0, slots, kstats_n_slots(row->bits));
	if (counts_end(&w, &s->nodes[0].counts))
		abort();
	counts_writer_free(&w);
	return s;
}

static enum check_verdict one(const struct row *row)
{
	const struct compare_metric metrics[] = { { "q", row->millionths }, {} };
	struct snapshot *runs[2 * RUNS];
	const struct compare_set a = { .n = RUNS, .runs = (const struct snapshot *const *)runs };
	const struct compare_set b = { .n = RUNS,
				       .runs = (const struct snapshot *const *)runs + RUNS };
	enum check_verdict v;
	struct compare c;
	struct error e;
	int i;

	for (i = 0; i < 2 * RUNS; i++)
		runs[i] = run_make(row, i < RUNS ? 1 : 1 + row->increase);
	if (compare_make(&c, &a, &b, metrics, CONFIDENCE, &e))
		abort();
	v = check_increase(&c.rows[0], row->limit);
	compare_free(&c);
	for (i = 0; i < 2 * RUNS; i++)
		snapshot_free(runs[i]);
	return v;
}

static int table(const struct row *row, unsigned int number)
{
	unsigned int i, seen[CHECK_VERDICTS] = {};
	double share;
	int good;

	for (i = 0; i < row->n; i++)
		seen[one(row)]++;
	share = (double)seen[row->wanted] / row->n;
	good = share >= row->least && share <= row->most;
	printf("%s %u - %-29s pass %5.1f %% fail %5.1f %% inconclusive %5.1f %%\n",
	       good ? "ok" : "not ok", number, row->what, 100.0 * seen[CHECK_PASS] / row->n,
	       100.0 * seen[CHECK_FAIL] / row->n, 100.0 * seen[CHECK_INCONCLUSIVE] / row->n);
	return good;
}

int main(void)
{
	unsigned int i, bad = 0;

	set_seed(20261121, 7);
	printf("1..%zu\n", sizeof(rows) / sizeof(*rows));
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		bad += !table(&rows[i], i + 1);
	return bad != 0;
}
