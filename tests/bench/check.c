// SPDX-License-Identifier: GPL-2.0-only
/*
 * check.c - how often the gate is right, on recordings made up here. Goes out: a
 * table, as TAP. Times are log-normal with a tail of 2 % that takes ten times as long;
 * every run is off by a factor of its own, whose order in time the row tells. Called by
 * `make bench-check`; words on the command line choose the rows that contain one. With
 * -s, each row has a tenth of its sets, and other tests are asked only in rows that are judged
 * by them. With -n N, each has at most N: too few for shares to be asserted. With -p PROGRAM,
 * each set is written as recordings and judged by the program, whose verdicts and intervals are
 * counted; that it prints what the library says, word by word, is asserted too.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made.h"
#include "others.h"
#include "program.h"

#include "judge/check.h"
#include "judge/compare.h"
#include "format/format.h"

#define CENTRE_NS 2000.0
#define SIGMA 0.25
#define TAIL 0.02
#define TAIL_FACTOR 10.0
#define LEAST_SHARE 1e-12 /* of the samples, in a slot that has some */
#define RUNS_MAX 64
#define FUNCTIONS_MAX 20
#define TICK_NS 20 /* of the discrete clock */
#define TABLE 20261121 /* its streams of random numbers */
#define SPARE 3 /* percent, with a tenth of the sets */
#define ERRORS 2.3 /* standard errors that a share may be above what is promised */
#define NEAR (-1) /* at least as many as the better of the other tests, less NEAR_SHARE */
#define NEAR_SHARE 3
#define DAY 0.03 /* what a day is off by, standard deviation */
#define A_DAY (86400 * MADE_SECOND)
/* Of the intervals of 95 %: less by 1 %, and by a standard error of 1,000 sets, or 3 of 100. */
#define COVERED 93.3
#define COVERED_FEW 87.5

/* Which run was when. */
enum order {
	IN_TURN, /* A B A B */
	BLOCKS, /* all of the base, then all others */
	UNKNOWN, /* nobody wrote it down */
};

/* How the times of a run are distributed. */
enum shape {
	SMOOTH, /* log-normal, with a tail of 2 % */
	TWO_TICKS, /* a clock of 20 ns, and p50 between two of its ticks */
	PARETO, /* of index 1.2, from CENTRE_NS on: infinite variance */
	HEAVY, /* log-normal, of 1.5 */
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
	enum made_wander wander;
	unsigned int functions; /* 0 is 1 */
	enum shape shape;
	enum check_verdict wanted; /* whose share is asserted, in percent */
	double least;
	double most;
};

#define FAILS CHECK_FAIL
#define PASSES CHECK_PASS

static const struct row rows[] = {
	{ "A/A, p99, 1 % noise", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN, ALONE, 0,
	  SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 5 % noise", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN, ALONE, 0,
	  SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 10 % noise", "p99=0%", 0.1, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN, ALONE, 0,
	  SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 30 % noise", "p99=0%", 0.3, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN, ALONE, 0,
	  SMOOTH, FAILS, 0, 1 },
	{ "A/A, p50, 1 % noise", "p50=0%", 0.01, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN, ALONE, 0,
	  SMOOTH, FAILS, 0, 1 },
	{ "A/A, p50, 1,500 samples", "p50=0%", 0.01, 0, 6, 6, 1500, 1500, 5, 1000, IN_TURN, ALONE,
	  0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p50, 1,500 samples, no noise", "p50=0%", 0, 0, 6, 6, 1500, 1500, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 6 of 2,000 and 6 of 20,000", "p99=0%", 0.01, 0, 6, 6, 2000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99.9, 6 of 100 and 6 of 20,000", "p99.9=0%", 0.01, 0, 6, 6, 100, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99.9, 6 of 20,000 and 6 of 100", "p99.9=0%", 0.01, 0, 6, 6, 20000, 100, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99.9, 20 of 100 and 20 of 20,000", "p99.9=0%", 0.01, 0, 20, 20, 100, 20000, 5, 300,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 2 and 2 runs", "p99=0%", 0.01, 0, 2, 2, 20000, 20000, 5, 2000, IN_TURN, ALONE,
	  0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 3 and 3 runs", "p99=0%", 0.01, 0, 3, 3, 20000, 20000, 5, 1000, IN_TURN, ALONE,
	  0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 2 and 12 runs, in turn", "p99=0%", 0.01, 0, 2, 12, 20000, 20000, 5, 2000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 2 and 12 runs, order unknown", "p99=0%", 0.01, 0, 2, 12, 20000, 20000, 5, 2000,
	  UNKNOWN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 2 and 40 runs, in turn", "p99=0%", 0.01, 0, 2, 40, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 2 and 40 runs, order unknown", "p99=0%", 0.01, 0, 2, 40, 20000, 20000, 5, 1000,
	  UNKNOWN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 3 and 20 runs, in turn", "p99=0%", 0.01, 0, 3, 20, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 3 and 20 runs, order unknown", "p99=0%", 0.01, 0, 3, 20, 20000, 20000, 5, 1000,
	  UNKNOWN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 5 and 12 runs, in turn", "p99=0%", 0.01, 0, 5, 12, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 5 and 12 runs, order unknown", "p99=0%", 0.01, 0, 5, 12, 20000, 20000, 5, 1000,
	  UNKNOWN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 12 and 6 runs, in turn", "p99=0%", 0.01, 0, 12, 6, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 12 and 6 runs, order unknown", "p99=0%", 0.01, 0, 12, 6, 20000, 20000, 5, 1000,
	  UNKNOWN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p50, 2 and 2 runs of 1, ticks of 20 ns", "p50=0%", 0, 0, 2, 2, 1, 1, 5, 4000,
	  IN_TURN, ALONE, 0, TWO_TICKS, FAILS, 0, 1 },
	{ "A/A, p50, 2 and 2 runs of 101, ticks of 20 ns", "p50=0%", 0, 0, 2, 2, 101, 101, 5, 4000,
	  IN_TURN, ALONE, 0, TWO_TICKS, FAILS, 0, 1 },
	{ "A/A, p50, 6 and 6 runs of 101, ticks of 20 ns", "p50=0%", 0, 0, 6, 6, 101, 101, 5, 2000,
	  IN_TURN, ALONE, 0, TWO_TICKS, FAILS, 0, 1 },
	{ "A/A, p99, in turn, drift", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  DRIFT, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, in turn, memory", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  MEMORY, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, in turn, outliers", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  OUTLIERS, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, one side first, no drift", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000,
	  BLOCKS, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, one side first, drift", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000, BLOCKS,
	  DRIFT, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, one side first, memory", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000,
	  BLOCKS, MEMORY, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, one side first, outliers", "p99=0%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000,
	  BLOCKS, OUTLIERS, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 12 and 12, in turn, drift", "p99=0%", 0.05, 0, 12, 12, 20000, 20000, 5, 1000,
	  IN_TURN, DRIFT, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 12 and 12, one side first, drift", "p99=0%", 0.05, 0, 12, 12, 20000, 20000, 5,
	  1000, BLOCKS, DRIFT, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 12 and 12, one side first, memory", "p99=0%", 0.05, 0, 12, 12, 20000, 20000, 5,
	  1000, BLOCKS, MEMORY, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, one side first, drift, 30 % noise", "p99=0%", 0.3, 0, 6, 6, 20000, 20000, 5,
	  1000, BLOCKS, DRIFT, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 12 and 12, one side first, drift, 30 %", "p99=0%", 0.3, 0, 12, 12, 20000,
	  20000, 5, 1000, BLOCKS, DRIFT, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, one side first, memory, 30 % noise", "p99=0%", 0.3, 0, 6, 6, 20000, 20000, 5,
	  1000, BLOCKS, MEMORY, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, one side first, 30 % noise", "p99=0%", 0.3, 0, 6, 6, 20000, 20000, 5, 1000,
	  BLOCKS, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 3 and 3, one side first, drift", "p99=0%", 0.05, 0, 3, 3, 20000, 20000, 5,
	  1000, BLOCKS, DRIFT, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, bits 0", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 0, 1000, IN_TURN, ALONE, 0,
	  SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, bits 1", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 1, 1000, IN_TURN, ALONE, 0,
	  SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, bits 2", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 2, 1000, IN_TURN, ALONE, 0,
	  SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, bits 3", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 3, 1000, IN_TURN, ALONE, 0,
	  SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, bits 4", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 4, 1000, IN_TURN, ALONE, 0,
	  SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, bits 5", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 5, 1000, IN_TURN, ALONE, 0,
	  SMOOTH, FAILS, 0, 1 },
	{ "+20 %, limit 30 %, p99.9, bits 0", "p99.9=30%", 0.01, 0.2, 6, 6, 20000, 20000, 0, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "+20 %, limit 30 %, p99.9, bits 1", "p99.9=30%", 0.01, 0.2, 6, 6, 20000, 20000, 1, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "+20 %, limit 30 %, p99.9, bits 2", "p99.9=30%", 0.01, 0.2, 6, 6, 20000, 20000, 2, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "+20 %, limit 30 %, p99.9, bits 3", "p99.9=30%", 0.01, 0.2, 6, 6, 20000, 20000, 3, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "+20 %, limit 30 %, p99.9, bits 4", "p99.9=30%", 0.01, 0.2, 6, 6, 20000, 20000, 4, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "+20 %, limit 30 %, p99.9, bits 5", "p99.9=30%", 0.01, 0.2, 6, 6, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "+5 % at the limit of 5 %, p99, bits 3", "p99=5%", 0.01, 0.05, 6, 6, 20000, 20000, 3,
	  1000, IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "+5 % at the limit of 5 %, p99, bits 4", "p99=5%", 0.01, 0.05, 6, 6, 20000, 20000, 4,
	  1000, IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "+5 % at the limit of 5 %, p99, bits 5", "p99=5%", 0.01, 0.05, 6, 6, 20000, 20000, 5,
	  1000, IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p99, 20 functions", "p99=0%", 0.01, 0, 6, 6, 20000, 20000, 5, 500, IN_TURN, ALONE,
	  20, SMOOTH, FAILS, 0, 1 },
	{ "+5 % at the limit of 5 %, p99, 20 functions", "p99=5%", 0.01, 0.05, 6, 6, 20000, 20000,
	  5, 500, IN_TURN, ALONE, 20, SMOOTH, FAILS, 0, 1 },
	{ "+10 %, p99, 20 functions", "p99=0%", 0.01, 0.1, 6, 6, 20000, 20000, 5, 100, IN_TURN,
	  ALONE, 20, SMOOTH, FAILS, 95, 100 },
	{ "A/A, limit 10 %, p99, 20 functions", "p99=10%", 0.02, 0, 6, 6, 20000, 20000, 5, 200,
	  IN_TURN, ALONE, 20, SMOOTH, PASSES, 50, 100 },
	{ "limit 10 % below p99, one run of 1", "p99<18us", 0, 0, 1, 1, 1, 1, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, PASSES, 0, 1 },
	{ "limit 10 % below p99, one run of 10", "p99<18us", 0, 0, 1, 1, 10, 10, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, PASSES, 0, 1 },
	{ "limit 10 % below p99, one run of 100", "p99<18us", 0, 0, 1, 1, 100, 100, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, PASSES, 0, 1 },
	{ "limit 10 % below p99, one run of 1,000", "p99<18us", 0, 0, 1, 1, 1000, 1000, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, PASSES, 0, 1 },
	{ "limit 10 % below p99, one run of 20,000", "p99<18us", 0, 0, 1, 1, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, PASSES, 0, 1 },
	{ "limit 10 % above p99, one run of 20,000", "p99<22us", 0, 0, 1, 1, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 0, 1 },
	{ "limit 25 % above p99, one run of 20,000", "p99<25us", 0, 0, 1, 1, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, PASSES, 95, 100 },
	{ "limit 5 % below p99, 6 runs, 10 % noise", "p99<19us", 0.1, 0, 6, 6, 20000, 20000, 5,
	  1000, IN_TURN, ALONE, 0, SMOOTH, PASSES, 0, 1 },
	{ "power: +5 %, p99, 1 % noise", "p99=0%", 0.01, 0.05, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +10 %, p99, 1 % noise", "p99=0%", 0.01, 0.1, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +20 %, p99, 1 % noise", "p99=0%", 0.01, 0.2, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +50 %, p99, 1 % noise", "p99=0%", 0.01, 0.5, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +5 %, p99, 5 % noise", "p99=0%", 0.05, 0.05, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +10 %, p99, 5 % noise", "p99=0%", 0.05, 0.1, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +20 %, p99, 5 % noise", "p99=0%", 0.05, 0.2, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +50 %, p99, 5 % noise", "p99=0%", 0.05, 0.5, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +5 %, p99, 10 % noise", "p99=0%", 0.1, 0.05, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +10 %, p99, 10 % noise", "p99=0%", 0.1, 0.1, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +20 %, p99, 10 % noise", "p99=0%", 0.1, 0.2, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +50 %, p99, 10 % noise", "p99=0%", 0.1, 0.5, 6, 6, 20000, 20000, 5, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +10 %, p99, 1 % noise, limit 3 %", "p99=3%", 0.01, 0.1, 6, 6, 20000, 20000, 5,
	  1000, IN_TURN, ALONE, 0, SMOOTH, FAILS, 80, 100 },
	{ "power: +10 %, p50, 1,500 samples", "p50=0%", 0.01, 0.1, 6, 6, 1500, 1500, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 95, 100 },
	{ "power: +3 %, p50, 1,500 samples, no noise", "p50=0%", 0, 0.03, 6, 6, 1500, 1500, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +10 %, p99, bits 3", "p99=0%", 0.01, 0.1, 6, 6, 20000, 20000, 3, 1000, IN_TURN,
	  ALONE, 0, SMOOTH, FAILS, 95, 100 },
	{ "power: +10 %, p99, 5 % noise, 12 and 12", "p99=0%", 0.05, 0.1, 12, 12, 20000, 20000, 5,
	  1000, IN_TURN, ALONE, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +10 %, p99, 5 % noise, 12 and 12, drift", "p99=0%", 0.05, 0.1, 12, 12, 20000,
	  20000, 5, 1000, IN_TURN, DRIFT, 0, SMOOTH, FAILS, 0, 100 },
	{ "power: +10 %, p99, 5 % noise, drift", "p99=0%", 0.05, 0.1, 6, 6, 20000, 20000, 5, 1000,
	  IN_TURN, DRIFT, 0, SMOOTH, FAILS, 0, 100 },
	{ "power: +10 %, p99, 1 % noise, one side first", "p99=0%", 0.01, 0.1, 6, 6, 20000, 20000,
	  5, 1000, BLOCKS, ALONE, 0, SMOOTH, FAILS, 0, 100 },
	{ "power: +50 %, p99, 5 % noise, one side first", "p99=0%", 0.05, 0.5, 6, 6, 20000, 20000,
	  5, 1000, BLOCKS, ALONE, 0, SMOOTH, FAILS, 0, 100 },
	{ "A/A, p50, 2 and 2 runs in two modes", "p50=0%", 0.01, 0, 2, 2, 20000, 20000, 5, 1000,
	  IN_TURN, MODES, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p50, 3 and 3 runs in two modes", "p50=0%", 0.01, 0, 3, 3, 20000, 20000, 5, 1000,
	  IN_TURN, MODES, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p50, 4 and 4 runs in two modes", "p50=0%", 0.01, 0, 4, 4, 20000, 20000, 5, 1000,
	  IN_TURN, MODES, 0, SMOOTH, FAILS, 0, 1 },
	{ "+25 %, limit 5 %, p50, 2 and 2 in two modes", "p50=5%", 0.01, 0.25, 2, 2, 20000, 20000,
	  5, 1000, IN_TURN, MODES, 0, SMOOTH, PASSES, 0, 1 },
	{ "twice as slow, p50, 2 and 2 runs", "p50=5%", 0.01, 1, 2, 2, 20000, 20000, 5, 300,
	  IN_TURN, ALONE, 0, SMOOTH, FAILS, 85, 100 },
	{ "A/A, p50, 6 and 6, days differ by 3 %", "p50=0%", 0.01, 0, 6, 6, 20000, 20000, 5, 1000,
	  BLOCKS, DAYS, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, p50, 20 and 20, days differ by 3 %", "p50=0%", 0.01, 0, 20, 20, 20000, 20000, 5,
	  500, BLOCKS, DAYS, 0, SMOOTH, FAILS, 0, 1 },
	{ "+11 %, limit 10 %, p50, 20 and 20, days", "p50=10%", 0.01, 0.11, 20, 20, 20000, 20000, 5,
	  500, BLOCKS, DAYS, 0, SMOOTH, PASSES, 0, 1 },
	{ "A/A, limit 20 %, p50, 6 and 6, days", "p50=20%", 0.01, 0, 6, 6, 20000, 20000, 5, 300,
	  BLOCKS, DAYS, 0, SMOOTH, PASSES, 80, 100 },
	{ "twice as slow, p50, 6 and 6, days", "p50=5%", 0.05, 1, 6, 6, 20000, 20000, 5, 300,
	  BLOCKS, DAYS, 0, SMOOTH, FAILS, 95, 100 },
	{ "A/A, p50, 6 and 6, days, 30 % noise", "p50=0%", 0.3, 0, 6, 6, 20000, 20000, 5, 1000,
	  BLOCKS, DAYS, 0, SMOOTH, FAILS, 0, 1 },
	{ "+122 %, limit 5 %, p50, 6 and 6, days, 15 % noise", "p50=5%", 0.15, 1.22, 6, 6, 20000,
	  20000, 5, 300, BLOCKS, DAYS, 0, SMOOTH, FAILS, 95, 100 },
	{ "+122 %, limit 5 %, p50, 6 and 6, days, 30 % noise", "p50=5%", 0.3, 1.22, 6, 6, 20000,
	  20000, 5, 300, BLOCKS, DAYS, 0, SMOOTH, FAILS, 0, 100 },
	{ "+122 %, limit 5 %, p50, 12 and 12, days, 30 %", "p50=5%", 0.3, 1.22, 12, 12, 20000,
	  20000, 5, 300, BLOCKS, DAYS, 0, SMOOTH, FAILS, 90, 100 },
	{ "+122 %, p50, one side first, 15 % noise", "p50=5%", 0.15, 1.22, 6, 6, 20000, 20000, 5,
	  300, BLOCKS, ALONE, 0, SMOOTH, FAILS, 80, 100 },
	{ "A/A, p50, 12 and 12, outliers", "p50=0%", 0.05, 0, 12, 12, 20000, 20000, 5, 1000,
	  IN_TURN, OUTLIERS, 0, SMOOTH, FAILS, 0, 1 },
	{ "A/A, mean, Pareto, 300 and 3,000 samples", "mean=0%", 0.01, 0, 12, 12, 300, 3000, 5, 200,
	  IN_TURN, ALONE, 0, PARETO, FAILS, 0, 1 },
	{ "A/A, mean, Pareto, 3,000 and 300 samples", "mean=0%", 0.01, 0, 12, 12, 3000, 300, 5, 200,
	  IN_TURN, ALONE, 0, PARETO, FAILS, 0, 1 },
	{ "A/A, mean, Pareto, 500 samples each", "mean=0%", 0.01, 0, 12, 12, 500, 500, 5, 500,
	  IN_TURN, ALONE, 0, PARETO, FAILS, 0, 1 },
	{ "A/A, mean, log-normal, 300 and 3,000", "mean=0%", 0.01, 0, 12, 12, 300, 3000, 5, 200,
	  IN_TURN, ALONE, 0, HEAVY, FAILS, 0, 1 },
	{ "limit 10 % below the mean, Pareto, 300", "mean<10800", 0, 0, 1, 1, 300, 300, 5, 1000,
	  IN_TURN, ALONE, 0, PARETO, PASSES, 0, 1 },
	{ "limit 10 % below the mean, Pareto, 10,000", "mean<10800", 0, 0, 1, 1, 10000, 10000, 5,
	  300, IN_TURN, ALONE, 0, PARETO, PASSES, 0, 1 },
	{ "limit 10 % below the mean, log-normal, 300", "mean<5544", 0, 0, 1, 1, 300, 300, 5, 1000,
	  IN_TURN, ALONE, 0, HEAVY, PASSES, 0, 1 },
	{ "limit 10 % below the mean, log-normal, 10,000", "mean<5544", 0, 0, 1, 1, 10000, 10000, 5,
	  300, IN_TURN, ALONE, 0, HEAVY, PASSES, 0, 1 },
	{ "limit 1 % below the mean, one run of 1,000", "mean<2411", 0, 0, 1, 1, 1000, 1000, 5,
	  1000, IN_TURN, ALONE, 0, SMOOTH, PASSES, 0, 1 },
	{ "limit 10 % above the mean, one run of 10,000", "mean<2679", 0, 0, 1, 1, 10000, 10000, 5,
	  300, IN_TURN, ALONE, 0, SMOOTH, PASSES, 80, 100 },
	{ "power: +20 %, p50, 5 % noise, outliers", "p50=0%", 0.05, 0.2, 6, 6, 20000, 20000, 5,
	  1000, IN_TURN, OUTLIERS, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +20 %, p50, 5 % noise, 12 and 12, outliers", "p50=0%", 0.05, 0.2, 12, 12, 20000,
	  20000, 5, 1000, IN_TURN, OUTLIERS, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: +10 %, p50, 5 % noise, 12 and 12, outliers", "p50=0%", 0.05, 0.1, 12, 12, 20000,
	  20000, 5, 1000, IN_TURN, OUTLIERS, 0, SMOOTH, FAILS, NEAR, 100 },
	{ "power: A/A, limit 5 %, p99, 1 % noise", "p99=5%", 0.01, 0, 6, 6, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, PASSES, 0, 100 },
	{ "power: A/A, limit 5 %, p99, 5 % noise", "p99=5%", 0.05, 0, 6, 6, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, PASSES, 0, 100 },
	{ "power: A/A, limit 10 %, p99, 1 % noise", "p99=10%", 0.01, 0, 6, 6, 20000, 20000, 5, 1000,
	  IN_TURN, ALONE, 0, SMOOTH, PASSES, 95, 100 },
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

static unsigned int functions_of(const struct row *row)
{
	return row->functions ? row->functions : 1;
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

/* Each sample by itself: few of them decide the mean. */
static void fill_tail(const struct row *row, uint32_t bits, unsigned int samples, double factor)
{
	double ns;

	while (samples--) {
		ns = row->shape == PARETO ? pow(unif_rand(), -1 / 1.2) : exp(1.5 * norm_rand());
		ns = fmin(ns * CENTRE_NS * factor, 1e18);
		put(bits, kstats_slot_index(ns, bits), 1, ns);
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
	unsigned int samples = judged ? row->sb : row->sa, k;
	struct snapshot *s = made_run(row->bits, functions_of(row));
	double factor;

	s->span.wall_ns = row->order == UNKNOWN ? 0 : (1700000000 + when) * MADE_SECOND;
	if (row->wander == DAYS && judged)
		s->span.wall_ns += A_DAY;
	s->span.begin_ns = when * MADE_SECOND;
	s->span.end_ns = s->span.begin_ns + MADE_SECOND / 2;
	for (k = 0; k < s->n_nodes; k++) {
		memset(slots, 0, sizeof(slots));
		factor = off[k] * (judged ? 1 + row->increase : 1);
		if (row->shape == TWO_TICKS)
			fill_discrete(s->bits, samples, factor);
		else if (row->shape)
			fill_tail(row, s->bits, samples, factor);
		else
			fill(s->bits, samples, factor);
		made_counts(s, k, slots, samples);
	}
	return s;
}

/* ---- one set ---- */

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
		for (k = 0; k < functions_of(row); k++) {
			if (row->wander == DAYS && (!when || when == row->na))
				last[k] = DAY * norm_rand();
			off[k] = exp(made_off(row->wander, row->noise, when, &last[k]));
		}
		if (is_judged(row, when))
			*b++ = run_make(row, true, when, off);
		else
			*a++ = run_make(row, SMOOTH, when, off);
	}
}

/* ---- the verdicts ---- */

/* A row, and what all of its sets were. */
struct seen {
	const struct row *row;
	struct program *program; /* that is asked too, or NULL */
	unsigned int differ; /* sets of which it does not say what the library says */
	unsigned int sets[CHECK_VERDICTS]; /* by the worst of their functions */
	unsigned int known; /* intervals of 95 % */
	unsigned int covered;
	bool ask_others; /* their answers are judged, or are to be printed */
	unsigned int others[OTHERS_N];
};

static bool is_relative(const struct row *row)
{
	return !strpbrk(row->rule, "<>");
}

static struct check check_of(const struct row *row, const struct compare_set *a,
			     const struct compare_set *b, struct check_rule *rule)
{
	const struct check_terms terms = { .confidence = 0.99, .max_loss = 1 };
	struct check c;
	struct error e;

	if (is_relative(row) ? check_parse_increase(rule, row->rule, &e)
			     : check_parse_assert(rule, row->rule, &e))
		abort();
	if (check_make(&c, rule, 1, b, a, &terms, &e))
		abort();
	return c;
}

static enum check_verdict verdict_of(int status)
{
	return status == EXIT_DONE    ? CHECK_PASS
	       : status == EXIT_CHECK ? CHECK_FAIL
				      : CHECK_INCONCLUSIVE;
}

/* The same set to the program: its verdict counts. */
static enum check_verdict ask(struct seen *seen, const struct check *c, const struct compare_set *a,
			      const struct compare_set *b)
{
	static char said[PROGRAM_TEXT];
	char *wanted = NULL;
	size_t size;
	FILE *f = open_memstream(&wanted, &size);
	struct report r;
	int status;

	report_verdict(&r, c, b, NULL);
	if (!f || format_find("text", REPORT_VERDICT)->write(f, &r) || fclose(f))
		abort();
	report_free(&r);
	program_write(seen->program, a, b);
	status = program_check(seen->program, seen->row->rule, "99", said);
	if (strcmp(said, wanted) || verdict_of(status) != c->verdict ||
	    (c->verdict == CHECK_INCONCLUSIVE && status != EXIT_LEDGER))
		seen->differ++;
	free(wanted);
	return verdict_of(status);
}

static void judge(struct seen *seen, const struct compare_set *a, const struct compare_set *b)
{
	struct check_rule rule;
	struct check c = check_of(seen->row, a, b, &rule);

	seen->sets[seen->program ? ask(seen, &c, a, b) : c.verdict]++;
	check_free(&c);
}

static void count_cover(struct seen *seen, double lo, double hi)
{
	seen->known++;
	seen->covered += lo <= seen->row->increase && seen->row->increase <= hi;
}

/* What it prints, "(+1.23%, between -0.50% and +3.00%, each end at 97.5%)". */
static void cover_printed(struct seen *seen)
{
	static char said[PROGRAM_TEXT];
	const char *at;
	double lo, hi;

	program_check(seen->program, seen->row->rule, "97.5", said);
	at = strstr(said, ", between ");
	if (at && sscanf(at, ", between %lf%% and %lf%%, each end at 97.5%%", &lo, &hi) == 2)
		count_cover(seen, lo / 100, hi / 100);
	else if (at)
		seen->differ++;
}

static void cover(struct seen *seen, const struct compare_set *a, const struct compare_set *b)
{
	struct compare_metric metrics[] = { { .name = "q" }, {} };
	struct check_rule rule;
	struct compare c;
	struct error e;

	if (seen->row->functions || !is_relative(seen->row))
		return;
	if (seen->program) {
		cover_printed(seen);
		return;
	}
	if (check_parse_increase(&rule, seen->row->rule, &e))
		abort();
	metrics[0].millionths = rule.millionths;
	if (compare_make(&c, a, b, metrics, 0.95, &e))
		abort();
	if (c.n && c.rows[0].known)
		count_cover(seen, c.rows[0].lo, c.rows[0].hi);
	compare_free(&c);
}

/* What other tests say of the same runs. */
static void ask_others(struct seen *seen, const struct compare_set *a, const struct compare_set *b)
{
	bool fails[OTHERS_N] = {};
	struct check_rule rule;
	struct error e;
	int i;

	if (!seen->ask_others || check_parse_increase(&rule, seen->row->rule, &e))
		return;
	others_fail(a, b, rule.millionths, rule.limit, fails);
	for (i = 0; i < OTHERS_N; i++)
		seen->others[i] += fails[i];
}

static void one(struct seen *seen)
{
	const struct row *row = seen->row;
	struct snapshot *runs[2 * RUNS_MAX];
	struct compare_set a = { .n = row->na };
	struct compare_set b = { .n = row->nb };
	unsigned int i;

	a.runs = (const struct snapshot *const *)runs;
	b.runs = a.runs + row->na;
	set_make(row, runs, runs + row->na);
	judge(seen, &a, &b);
	cover(seen, &a, &b);
	ask_others(seen, &a, &b);
	for (i = 0; i < row->na + row->nb; i++)
		snapshot_free(runs[i]);
}

/* ---- the table ---- */

static void print_row(const struct seen *seen, unsigned int sets)
{
	const double percent = 100.0 / sets;
	unsigned int i;

	printf(" %-46s pass %5.1f fail %5.1f neither %5.1f", seen->row->what,
	       percent * seen->sets[CHECK_PASS], percent * seen->sets[CHECK_FAIL],
	       percent * seen->sets[CHECK_INCONCLUSIVE]);
	if (seen->known)
		printf(" covers %5.1f", 100.0 * seen->covered / seen->known);
	if (seen->ask_others)
		printf(" others fail");
	for (i = 0; seen->ask_others && i < OTHERS_N; i++)
		printf(" %5.1f", percent * seen->others[i]);
	if (seen->differ)
		printf(" the program differs in %u of %u", seen->differ, sets);
	putchar('\n');
	fflush(stdout);
}

static bool is_good(const struct seen *seen, unsigned int sets, bool many)
{
	double share = 100.0 * seen->sets[seen->row->wanted] / sets;
	bool few = sets < seen->row->sets;
	double spare = few ? SPARE : ERRORS * 100 * sqrt(0.01 * 0.99 / sets);
	double least = seen->row->least;
	int i;
	double covered = seen->known ? 100.0 * seen->covered / seen->known : 100;

	if (seen->differ || !many)
		return !seen->differ;
	for (i = 0; seen->row->least < 0 && i < OTHERS_BENCHSTAT; i++)
		least = fmax(least, 100.0 * seen->others[i] / sets - NEAR_SHARE);
	return share >= least - spare && share <= seen->row->most + spare &&
	       covered >= (few ? COVERED_FEW : COVERED);
}

static bool table(const struct made_words *words, unsigned int number)
{
	const struct row *row = &rows[number - 1];
	struct seen seen = { .row = row };
	unsigned int sets = made_times(words, row->sets), i;
	struct program program;
	bool good;

	if (is_relative(row) && !words->most)
		seen.ask_others = !words->shortly || row->least < 0;
	made_stream(TABLE, number);
	if (words->program) {
		program_open(&program, words->program);
		seen.program = &program;
	}
	for (i = 0; i < sets; i++)
		one(&seen);
	if (words->program)
		program_close(&program);
	good = is_good(&seen, sets, !words->most);
	printf("%s %u -", good ? "ok" : "not ok", number);
	print_row(&seen, sets);
	return good;
}

int main(int argc, char **argv)
{
	struct made_words words;
	unsigned int i, bad = 0;

	made_read(&words, argc, argv);
	printf("1..%zu\n# in percent; covers: intervals of 95 %% that hold the truth\n",
	       sizeof(rows) / sizeof(*rows));
	puts("# others: Mann-Whitney and permutation, one-sided at 1 %, benchstat");
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (made_wants(&words, rows[i].what))
			bad += !table(&words, i + 1);
	return bad != 0;
}
