/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * made.h - what the tables of verdicts have in common: words of the command line, streams of
 * random numbers, what makes runs differ, and runs made up. Called by check.c, sequential.c,
 * measured.c and history.c.
 */
#ifndef BENCH_MADE_H
#define BENCH_MADE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "result/snapshot.h"

#define MADE_SECOND 1000000000ULL

/** enum made_wander - what makes runs, or sets of runs, differ beside chance */
enum made_wander {
	ALONE, /* each by itself */
	DRIFT, /* 0.3 standard deviations from one to the next */
	MEMORY, /* 0.7 of the last one */
	OUTLIERS, /* one in 20 takes twice as long */
	DISTURBED, /* one in 20 strays by 10 standard deviations */
	ROUGH, /* Student's t with 3 degrees of freedom */
	MODES, /* each in one of two modes that are 25 % apart */
	DAYS, /* and each side by what a day is off by, 3 % */
	TICKS, /* the median of a clock of 10 %, between two of its ticks */
};

/**
 * struct made_words - the command line
 * @shortly: -s: a tenth of the sets
 * @most: -n N: at most N sets a row; 0: all
 * @program: -p PROGRAM: the sets are judged by this program too; or NULL
 * @words: rows that contain one of them, or all if there is none
 * @n_words: number of @words
 */
struct made_words {
	bool shortly;
	unsigned int most;
	const char *program;
	char **words;
	int n_words;
};

/** made_read() - read the command line; ends the program if it is not understood */
void made_read(struct made_words *w, int argc, char **argv);

/** made_wants() - whether a row is asked for; @what: its name */
bool made_wants(const struct made_words *w, const char *what);

/** made_times() - how many sets a row has; @all: in the long form. Return: 1 or more */
unsigned int made_times(const struct made_words *w, unsigned int all);

/**
 * made_stream() - begin a stream of random numbers
 * @table: of which table
 * @row: of it; no two rows have the same stream
 */
void made_stream(uint32_t table, uint32_t row);

/**
 * made_off() - what the next run is off by, as a logarithm
 * @wander: how runs differ
 * @noise: their standard deviation
 * @i: number of the run, from 0 on
 * @last: for MEMORY, kept from run to run; for DAYS, what this day is off by
 */
double made_off(enum made_wander wander, double noise, unsigned int i, double *last);

/**
 * made_run() - a run without samples
 * @bits: of its slots
 * @functions: f0, f1, ...
 *
 * Return: freed by snapshot_free().
 */
struct snapshot *made_run(unsigned int bits, unsigned int functions);

/** made_counts() - give a function its samples; @slots: all of them; @samples: their sum */
void made_counts(struct snapshot *s, uint32_t node, const struct kstats_slot *slots,
		 uint64_t samples);

/** made_mean() - give a function samples in one slot, with this mean; @ns: at least 1 */
void made_mean(struct snapshot *s, uint32_t node, double ns);

#endif /* BENCH_MADE_H */
