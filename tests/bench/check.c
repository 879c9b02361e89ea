// SPDX-License-Identifier: GPL-2.0-only
/*
 * check.c - how often the gate is right, on recordings made up here. Goes out: a
 * table, as TAP. Times are log-normal with a tail of 2 % that takes ten times as long;
 * every run is off by a factor of its own, whose order in time the row tells. Called by
 * `make bench-check`; words on the command line choose the rows that contain one. With
 * -s, each row has a tenth of its sets. With -w FOLDER, recordings of each set are written
 * there, and what the library says of them.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "others.h"

#include "judge/check.h"
#include "judge/compare.h"
#include "recording/recording.h"
#include "render/verdict/verdict.h"

#define CENTRE_NS 2000.0
#define SIGMA 0.25
#define TAIL 0.02
#define TAIL_FACTOR 10.0
#define LEAST_SHARE 1e-12 /* of the samples, in a slot that has some */
#define RUNS_MAX 64
#define FUNCTIONS_MAX 20
#define TICK_NS 20 /* of the discrete clock */
#define SECOND 1000000000ULL
#define SPARE 3 /* percent, with a tenth of the sets */

/* Which run was when. */
enum order {
	IN_TURN, /* A B A B */
	BLOCKS, /* all of the base, then all others */
	UNKNOWN, /* nobody wrote it down */
};

/* What makes runs differ beside chance. */
enum wander {
	ALONE, /* each by itself */
	DRIFT, /* 0.3 standard deviations a run */
	MEMORY, /* 0.7 of the last one */
	OUTLIERS, /* one run in 20 takes twice as long */
};

struct row {
	const char *what;
	const char *rule; /* of --max-increase, or of --assert where it has no '=' */
	double noise; /* between runs */
	double increase; /* of all times */
	unsigned int na, nb; /* runs of the base, and judged */
	unsigned int sa, sb; /* samples a run */
	unsigned int bits;
	unsigned int sets;
	enum order order;
	enum wander wander;
	unsigned int functions; /* 0 is 1 */
	bool discrete; /* a clock of 20 ns, and p50 between two of its ticks */
	enum check_verdict wanted; /* whose share is asserted, in percent */
	double least;
	double most;
};

#define FAILS CHECK_FAIL
#define PASSES CHECK_PASS

static const struct row rows[] = {
	{ "A/A, p99, 1 % noise", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN, ALONE, 0,
	  false, FAILS, 0, 1 },
	{ "A/A, p99, 5 % noise", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN, ALONE, 0,
	  false, FAILS, 0, 1 },
	{ "A/A, p99, 10 % noise", "p99=0%", 0.1, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN, ALONE, 0,
	  false, FAILS, 0, 1 },
	{ "A/A, p99, 30 % noise", "p99=0%", 0.3, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN, ALONE, 0,
	  false, FAILS, 0, 1 },
	{ "A/A, p50, 1 % noise", "p50=0%", 0.01, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN, ALONE, 0,
	  false, FAILS, 0, 1 },
	{ "A/A, p50, 1,500 samples", "p50=0%", 0.01, 0, 6, 6, 1500, 1500, 5, 1000, IN_TURN, ALONE,
	  0, false, FAILS, 0, 1 },
	{ "A/A, p50, 1,500 samples, no noise", "p50=0%", 0, 0, 6, 6, 1500, 1500, 5, 1000, IN_TURN,
	  ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 6 of 2,000 and 6 of 20,000", "p99=0%", 0.01, 0, 6, 6, 2000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99.9, 6 of 100 and 6 of 20,000", "p99.9=0%", 0.01, 0, 6, 6, 100, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99.9, 6 of 20,000 and 6 of 100", "p99.9=0%", 0.01, 0, 6, 6, 20000, 100, 5, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99.9, 20 of 100 and 20 of 20,000", "p99.9=0%", 0.01, 0, 20, 20, 100, 20000, 5, 300,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 2 and 2 runs", "p99=0%", 0.01, 0, 2, 2, 20000, 20000, 5, 2000, IN_TURN, ALONE,
	  0, false, FAILS, 0, 1 },
	{ "A/A, p99, 3 and 3 runs", "p99=0%", 0.01, 0, 3, 3, 20000, 20000, 5, 1000, IN_TURN, ALONE,
	  0, false, FAILS, 0, 1 },
	{ "A/A, p99, 2 and 12 runs, in turn", "p99=0%", 0.01, 0, 2, 12, 20000, 20000, 5, 2000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 2 and 12 runs, order unknown", "p99=0%", 0.01, 0, 2, 12, 20000, 20000, 5, 2000,
	  UNKNOWN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 2 and 40 runs, in turn", "p99=0%", 0.01, 0, 2, 40, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 2 and 40 runs, order unknown", "p99=0%", 0.01, 0, 2, 40, 20000, 20000, 5, 1000,
	  UNKNOWN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 3 and 20 runs, in turn", "p99=0%", 0.01, 0, 3, 20, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 3 and 20 runs, order unknown", "p99=0%", 0.01, 0, 3, 20, 20000, 20000, 5, 1000,
	  UNKNOWN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 5 and 12 runs, in turn", "p99=0%", 0.01, 0, 5, 12, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 5 and 12 runs, order unknown", "p99=0%", 0.01, 0, 5, 12, 20000, 20000, 5, 1000,
	  UNKNOWN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 12 and 6 runs, in turn", "p99=0%", 0.01, 0, 12, 6, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 12 and 6 runs, order unknown", "p99=0%", 0.01, 0, 12, 6, 20000, 20000, 5, 1000,
	  UNKNOWN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p50, 2 and 2 runs of 1, ticks of 20 ns", "p50=0%", 0, 0, 2, 2, 1, 1, 5, 4000,
	  IN_TURN, ALONE, 0, true, FAILS, 0, 1 },
	{ "A/A, p50, 2 and 2 runs of 101, ticks of 20 ns", "p50=0%", 0, 0, 2, 2, 101, 101, 5, 4000,
	  IN_TURN, ALONE, 0, true, FAILS, 0, 1 },
	{ "A/A, p50, 6 and 6 runs of 101, ticks of 20 ns", "p50=0%", 0, 0, 6, 6, 101, 101, 5, 2000,
	  IN_TURN, ALONE, 0, true, FAILS, 0, 1 },
	{ "A/A, p99, in turn, drift", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  DRIFT, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, in turn, memory", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  MEMORY, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, in turn, outliers", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  OUTLIERS, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, one side first, no drift", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000,
	  BLOCKS, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, one side first, drift", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000, BLOCKS,
	  DRIFT, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, one side first, memory", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000,
	  BLOCKS, MEMORY, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, one side first, outliers", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000,
	  BLOCKS, OUTLIERS, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 12 and 12, in turn, drift", "p99=0%", 0.05, 0, 12, 12, 20000, 20000, 5, 1000,
	  IN_TURN, DRIFT, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 12 and 12, one side first, drift", "p99=0%", 0.05, 0, 12, 12, 20000, 20000, 5,
	  1000, BLOCKS, DRIFT, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 12 and 12, one side first, memory", "p99=0%", 0.05, 0, 12, 12, 20000, 20000, 5,
	  1000, BLOCKS, MEMORY, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 3 and 3, one side first, drift", "p99=0%", 0.05, 0, 3, 3, 20000, 20000, 5,
	  1000, BLOCKS, DRIFT, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, bits 0", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 0, 1000, IN_TURN, ALONE, 0,
	  false, FAILS, 0, 1 },
	{ "A/A, p99, bits 1", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 1, 1000, IN_TURN, ALONE, 0,
	  false, FAILS, 0, 1 },
	{ "A/A, p99, bits 2", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 2, 1000, IN_TURN, ALONE, 0,
	  false, FAILS, 0, 1 },
	{ "A/A, p99, bits 3", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 3, 1000, IN_TURN, ALONE, 0,
	  false, FAILS, 0, 1 },
	{ "A/A, p99, bits 4", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 4, 1000, IN_TURN, ALONE, 0,
	  false, FAILS, 0, 1 },
	{ "A/A, p99, bits 5", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN, ALONE, 0,
	  false, FAILS, 0, 1 },
	{ "+20 %, limit 30 %, p99.9, bits 0", "p99.9=30%", 0.01, 0.2, 6, 6, 20000, 20000, 0, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "+20 %, limit 30 %, p99.9, bits 1", "p99.9=30%", 0.01, 0.2, 6, 6, 20000, 20000, 1, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "+20 %, limit 30 %, p99.9, bits 2", "p99.9=30%", 0.01, 0.2, 6, 6, 20000, 20000, 2, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "+20 %, limit 30 %, p99.9, bits 3", "p99.9=30%", 0.01, 0.2, 6, 6, 20000, 20000, 3, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "+20 %, limit 30 %, p99.9, bits 4", "p99.9=30%", 0.01, 0.2, 6, 6, 20000, 20000, 4, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "+20 %, limit 30 %, p99.9, bits 5", "p99.9=30%", 0.01, 0.2, 6, 6, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "+5 % at the limit of 5 %, p99, bits 3", "p99=5%", 0.01, 0.05, 6, 6, 20000, 20000, 3,
	  1000, IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "+5 % at the limit of 5 %, p99, bits 4", "p99=5%", 0.01, 0.05, 6, 6, 20000, 20000, 4,
	  1000, IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "+5 % at the limit of 5 %, p99, bits 5", "p99=5%", 0.01, 0.05, 6, 6, 20000, 20000, 5,
	  1000, IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "A/A, p99, 20 functions", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 5, 500, IN_TURN, ALONE,
	  20, false, FAILS, 0, 1 },
	{ "+5 % at the limit of 5 %, p99, 20 functions", "p99=5%", 0.01, 0.05, 6, 6, 20000, 20000,
	  5, 500, IN_TURN, ALONE, 20, false, FAILS, 0, 1 },
	{ "+10 %, p99, 20 functions", "p99=0%", 0.01, 0.1, 6, 6, 20000, 20000, 5, 100, IN_TURN,
	  ALONE, 20, false, FAILS, 95, 100 },
	{ "A/A, limit 10 %, p99, 20 functions", "p99=10%", 0.02, 0, 6, 6, 20000, 20000, 5, 200,
	  IN_TURN, ALONE, 20, false, PASSES, 50, 100 },
	{ "limit 10 % below p99, one run of 1", "p99<18us", 0, 0, 1, 1, 1, 1, 5, 1000, IN_TURN,
	  ALONE, 0, false, PASSES, 0, 1 },
	{ "limit 10 % below p99, one run of 10", "p99<18us", 0, 0, 1, 1, 10, 10, 5, 1000, IN_TURN,
	  ALONE, 0, false, PASSES, 0, 1 },
	{ "limit 10 % below p99, one run of 100", "p99<18us", 0, 0, 1, 1, 100, 100, 5, 1000,
	  IN_TURN, ALONE, 0, false, PASSES, 0, 1 },
	{ "limit 10 % below p99, one run of 1,000", "p99<18us", 0, 0, 1, 1, 1000, 1000, 5, 1000,
	  IN_TURN, ALONE, 0, false, PASSES, 0, 1 },
	{ "limit 10 % below p99, one run of 20,000", "p99<18us", 0, 0, 1, 1, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, false, PASSES, 0, 1 },
	{ "limit 10 % above p99, one run of 20,000", "p99<22us", 0, 0, 1, 1, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 1 },
	{ "limit 25 % above p99, one run of 20,000", "p99<25us", 0, 0, 1, 1, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, false, PASSES, 95, 100 },
	{ "limit 5 % below p99, 6 runs, 10 % noise", "p99<19us", 0.1, 0, 6, 6, 20000, 20000, 5,
	  1000, IN_TURN, ALONE, 0, false, PASSES, 0, 1 },
	{ "power: +5 %, p99, 1 % noise", "p99=0%", 0.01, 0.05, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +10 %, p99, 1 % noise", "p99=0%", 0.01, 0.1, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +20 %, p99, 1 % noise", "p99=0%", 0.01, 0.2, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +50 %, p99, 1 % noise", "p99=0%", 0.01, 0.5, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +5 %, p99, 5 % noise", "p99=0%", 0.05, 0.05, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +10 %, p99, 5 % noise", "p99=0%", 0.05, 0.1, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +20 %, p99, 5 % noise", "p99=0%", 0.05, 0.2, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +50 %, p99, 5 % noise", "p99=0%", 0.05, 0.5, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +5 %, p99, 10 % noise", "p99=0%", 0.1, 0.05, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +10 %, p99, 10 % noise", "p99=0%", 0.1, 0.1, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +20 %, p99, 10 % noise", "p99=0%", 0.1, 0.2, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +50 %, p99, 10 % noise", "p99=0%", 0.1, 0.5, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +10 %, p99, 1 % noise, limit 3 %", "p99=3%", 0.01, 0.1, 6, 6, 20000, 20000, 5,
	  1000, IN_TURN, ALONE, 0, false, FAILS, 80, 100 },
	{ "power: +10 %, p50, 1,500 samples", "p50=0%", 0.01, 0.1, 6, 6, 1500, 1500, 5, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 95, 100 },
	{ "power: +3 %, p50, 1,500 samples, no noise", "p50=0%", 0, 0.03, 6, 6, 1500, 1500, 5, 1000,
	  IN_TURN, ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +10 %, p99, bits 3", "p99=0%", 0.01, 0.1, 6, 6, 20000, 20000, 3, 1000, IN_TURN,
	  ALONE, 0, false, FAILS, 95, 100 },
	{ "power: +10 %, p99, 5 % noise, 12 and 12", "p99=0%", 0.05, 0.1, 12, 12, 20000, 20000, 5,
	  1000, IN_TURN, ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +10 %, p99, 5 % noise, 12 and 12, drift", "p99=0%", 0.05, 0.1, 12, 12, 20000,
	  20000, 5, 1000, IN_TURN, DRIFT, 0, false, FAILS, 0, 100 },
	{ "power: +10 %, p99, 5 % noise, drift", "p99=0%", 0.05, 0.1, 6, 6, 20000, 20000, 5, 1000,
	  IN_TURN, DRIFT, 0, false, FAILS, 0, 100 },
	{ "power: +10 %, p99, 1 % noise, one side first", "p99=0%", 0.01, 0.1, 6, 6, 20000, 20000,
	  5, 1000, BLOCKS, ALONE, 0, false, FAILS, 0, 100 },
	{ "power: +50 %, p99, 5 % noise, one side first", "p99=0%", 0.05, 0.5, 6, 6, 20000, 20000,
	  5, 1000, BLOCKS, ALONE, 0, false, FAILS, 0, 100 },
	{ "power: A/A, limit 5 %, p99, 1 % noise", "p99=5%", 0.01, 0, 6, 6, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, false, PASSES, 0, 100 },
	{ "power: A/A, limit 5 %, p99, 5 % noise", "p99=5%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, false, PASSES, 0, 100 },
	{ "power: A/A, limit 10 %, p99, 1 % noise", "p99=10%", 0.01, 0, 6, 6, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, false, PASSES, 95, 100 },
};

/* ---- one run ---- */

/* Share of the times below @x, and their sum as a share of CENTRE_NS. */
static double below(double x, double factor, double *part)
{
	double z = x > 0 ? (log(x / CENTRE_NS) - log(factor)) / SIGMA : -INFINITY;
	double t = x > 0 ? z - log(TAIL_FACTOR) / SIGMA : -INFINITY;
	double mean = factor * exp(SIGMA * SIGMA / 2);

	*part = (1 - TAIL) * mean * pnorm(z - SIGMA, 0, 1, 1, 0) +
		TAIL * TAIL_FACTOR * mean * pnorm(t - SIGMA, 0, 1, 1, 0);
	return (1 - TAIL) * pnorm(z, 0, 1, 1, 0) + TAIL * pnorm(t, 0, 1, 1, 0);
}

/* Of one node, which is made at a time. */
static struct kstats_slot slots[KSTATS_N_SLOTS_MAX];

static void put(uint32_t bits, uint32_t slot, double n, double mean)
{
	slots[slot].samples += n;
	slots[slot].sum += kstats_slot_scale((uint64_t)(n * mean), slot, bits);
}

/* Slot by slot, those that have a share: how many of the samples that are left are in it. */
static void fill(uint32_t bits, unsigned int samples, double factor)
{
	uint32_t n_slots = kstats_n_slots(bits);
	uint32_t i = kstats_slot_index(CENTRE_NS * factor * exp(-9 * SIGMA), bits);
	double left = samples, seen = 0, sum = 0, share, part, n, first, width, mean;

	for (; left > 0 && 1 - seen >= LEAST_SHARE && i < n_slots - 1; i++) {
		first = kstats_slot_first(i, bits);
		width = kstats_slot_last(i, bits) + 1 - first;
		share = below(first + width, factor, &part);
		if (share - seen < LEAST_SHARE)
			continue;
		n = rbinom(left, fmin(1, (share - seen) / (1 - seen)));
		mean = (part - sum) / (share - seen) * CENTRE_NS;
		if (n > 0)
			mean += norm_rand() * width / sqrt(12 * n);
		if (n > 0)
			put(bits, i, n, fmin(fmax(mean, first), first + width - 1));
		left -= n;
		seen = share;
		sum = part;
	}
}

/* Half of the samples at one tick, half at the next. */
static void fill_discrete(uint32_t bits, unsigned int samples, double factor)
{
	unsigned int low = rbinom(samples, 0.5), k;

	for (k = 0; k < 2; k++) {
		uint64_t value = (4 + k) * TICK_NS * factor;
		unsigned int n = k ? samples - low : low;

		if (n)
			put(bits, kstats_slot_index(value, bits), n, value);
	}
}

static struct snapshot *run_make(const struct row *row, bool judged, unsigned int when,
				 const double *off)
{
	unsigned int functions = row->functions ? row->functions : 1, k;
	struct snapshot *s = snapshot_new(row->bits, 1, functions);
	struct counts_writer w = {};
	double factor;

	if (!s)
		abort();
	s->span.wall_ns = row->order == UNKNOWN ? 0 : 1700000000 * SECOND + when * SECOND;
	s->span.begin_ns = when * SECOND;
	s->span.end_ns = s->span.begin_ns + SECOND / 2;
	s->span.final = true;
	for (k = 0; k < functions; k++) {
		if (asprintf(&s->nodes[k].name, "f%u", k) < 0 ||
		    asprintf(&s->nodes[k].what, "entry to return of f%u", k) < 0 ||
		    !(s->nodes[k].method = strdup("fentry/fexit")))
			abort();
		memset(slots, 0, sizeof(slots));
		factor = off[k] * (judged ? 1 + row->increase : 1);
		if (row->discrete)
			fill_discrete(s->bits, judged ? row->sb : row->sa, factor);
		else
			fill(s->bits, judged ? row->sb : row->sa, factor);
		counts_add_cpu(&w, 0, slots, kstats_n_slots(s->bits));
		if (counts_end(&w, &s->nodes[k].counts))
			abort();
		s->nodes[k].ledger[KSTATS_STARTED] = judged ? row->sb : row->sa;
	}
	counts_writer_free(&w);
	return s;
}

/* ---- one set ---- */

/* What a run is off by, in standard deviations. */
static double wander(const struct row *row, unsigned int when, double *last)
{
	double z = norm_rand();

	switch (row->wander) {
	case DRIFT:
		return z + 0.3 * when;
	case MEMORY:
		return *last = when ? 0.7 * *last + sqrt(1 - 0.49) * z : z;
	default:
		return z;
	}
}

static bool is_judged(const struct row *row, unsigned int when)
{
	unsigned int both = row->na < row->nb ? row->na : row->nb;

	if (row->order == BLOCKS)
		return when >= row->na;
	return when < 2 * both ? when % 2 : row->nb > row->na;
}

static void set_make(const struct row *row, struct snapshot **a, struct snapshot **b)
{
	double last[FUNCTIONS_MAX] = {}, off[FUNCTIONS_MAX];
	unsigned int when, k;

	for (when = 0; when < row->na + row->nb; when++) {
		for (k = 0; k < FUNCTIONS_MAX; k++) {
			off[k] = exp(row->noise * wander(row, when, &last[k]));
			if (row->wander == OUTLIERS && unif_rand() < 0.05)
				off[k] *= 2;
		}
		if (is_judged(row, when))
			*b++ = run_make(row, true, when, off);
		else
			*a++ = run_make(row, false, when, off);
	}
}

/* ---- for the program ---- */

/* Where sets are written, or NULL: FOLDER/ROW-SET-base-1.json, FOLDER/ROW-SET.txt and so on. */
static const char *folder;

static FILE *open_file(const char *set, const char *format, unsigned int k)
{
	char name[64], path[512];
	FILE *f;

	snprintf(name, sizeof(name), format, k);
	snprintf(path, sizeof(path), "%s/%s%s", folder, set, name);
	f = fopen(path, "w");
	if (!f)
		abort();
	return f;
}

static void write_side(const char *set, const char *format, const struct compare_set *side)
{
	struct recording *r;
	struct error e;
	unsigned int i;
	FILE *f;

	for (i = 0; i < side->n; i++) {
		f = open_file(set, format, i + 1);
		r = recording_new((struct snapshot *)side->runs[i]);
		if (!r || recording_save(r, f, &e) || fclose(f))
			abort();
		r->whole = NULL; /* it is not ours */
		recording_free(r);
	}
}

static void write_set(const char *set, const struct check *c, const struct compare_set *a,
		      const struct compare_set *b)
{
	FILE *f = open_file(set, ".txt", 0);

	if (verdict_formats[0].render(f, c, b) || fclose(f))
		abort();
	write_side(set, "-base-%02u.json", a);
	write_side(set, "-run-%02u.json", b);
	printf("# set %s %s %s\n", set, check_verdict_name(c->verdict), c->results[0].rule->text);
}

/* ---- the verdicts ---- */

struct seen {
	unsigned int made; /* sets */
	unsigned int sets[CHECK_VERDICTS]; /* by the worst of their functions */
	unsigned int known; /* intervals of 95 % */
	unsigned int covered;
	unsigned int others[OTHERS_N];
};

static void judge(const struct row *row, const struct compare_set *a, const struct compare_set *b,
		  struct seen *seen)
{
	char set[32];
	const struct check_terms terms = { .confidence = 0.99, .max_loss = 1 };
	struct check_rule rule;
	struct check c;
	struct error e;

	if (strpbrk(row->rule, "<>") ? check_parse_assert(&rule, row->rule, &e)
				     : check_parse_increase(&rule, row->rule, &e))
		abort();
	if (check_make(&c, &rule, 1, b, a, &terms, &e))
		abort();
	seen->sets[c.verdict]++;
	snprintf(set, sizeof(set), "%zu-%u", row - rows + 1, ++seen->made);
	if (folder)
		write_set(set, &c, a, b);
	check_free(&c);
}

static void cover(const struct row *row, const struct compare_set *a, const struct compare_set *b,
		  struct seen *seen)
{
	struct compare_metric metrics[] = { { .name = "q" }, {} };
	struct check_rule rule;
	struct compare c;
	struct error e;

	if (row->functions || check_parse_increase(&rule, row->rule, &e))
		return;
	metrics[0].millionths = rule.millionths;
	if (compare_make(&c, a, b, metrics, 0.95, &e))
		abort();
	if (c.n && c.rows[0].known) {
		seen->known++;
		seen->covered += c.rows[0].lo <= row->increase && row->increase <= c.rows[0].hi;
	}
	compare_free(&c);
}

/* What other tests say of the same runs. */
static void ask_others(const struct row *row, const struct compare_set *a,
		       const struct compare_set *b, struct seen *seen)
{
	bool fails[OTHERS_N] = {};
	struct check_rule rule;
	struct error e;
	int i;

	if (check_parse_increase(&rule, row->rule, &e))
		return;
	others_fail(a, b, rule.millionths, rule.limit, fails);
	for (i = 0; i < OTHERS_N; i++)
		seen->others[i] += fails[i];
}

static void print_others(const struct row *row, const struct seen *seen)
{
	unsigned int i, n = 0;

	if (strpbrk(row->rule, "<>"))
		return;
	for (i = 0; i < CHECK_VERDICTS; i++)
		n += seen->sets[i];
	printf(" others fail");
	for (i = 0; i < OTHERS_N; i++)
		printf(" %5.1f", 100.0 * seen->others[i] / n);
}

static void one(const struct row *row, struct seen *seen)
{
	struct snapshot *runs[2 * RUNS_MAX];
	struct compare_set a = { .n = row->na };
	struct compare_set b = { .n = row->nb };
	unsigned int i;

	a.runs = (const struct snapshot *const *)runs;
	b.runs = a.runs + row->na;
	set_make(row, runs, runs + row->na);
	judge(row, &a, &b, seen);
	cover(row, &a, &b, seen);
	ask_others(row, &a, &b, seen);
	for (i = 0; i < row->na + row->nb; i++)
		snapshot_free(runs[i]);
}

/* ---- the table ---- */

static bool table(const struct row *row, unsigned int number, unsigned int sets)
{
	struct seen seen = {};
	double share, spare = sets < row->sets ? SPARE : 0;
	unsigned int i;
	bool good;

	set_seed(20261121, number);
	for (i = 0; i < sets; i++)
		one(row, &seen);
	share = 100.0 * seen.sets[row->wanted] / sets;
	good = share >= row->least - spare && share <= row->most + spare;
	printf("%s %u - %-46s pass %5.1f fail %5.1f neither %5.1f", good ? "ok" : "not ok", number,
	       row->what, 100.0 * seen.sets[CHECK_PASS] / sets,
	       100.0 * seen.sets[CHECK_FAIL] / sets, 100.0 * seen.sets[CHECK_INCONCLUSIVE] / sets);
	if (seen.known)
		printf(" covers %5.1f", 100.0 * seen.covered / seen.known);
	print_others(row, &seen);
	putchar('\n');
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
	if (argc > 2 && !strcmp(argv[1], "-w")) {
		folder = argv[2];
		argc -= 2;
		argv += 2;
	}
	printf("1..%zu\n# in percent; covers: intervals of 95 %% that hold the truth\n",
	       sizeof(rows) / sizeof(*rows));
	puts("# others: Mann-Whitney at 1 %, permutation at 1 %, benchstat");
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (is_wanted(&rows[i], argc, argv))
			bad += !table(&rows[i], i + 1, rows[i].sets / (shortly ? 10 : 1));
	return bad != 0;
}
