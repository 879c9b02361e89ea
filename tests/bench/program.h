/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.h - ask the program itself what it says of sets of runs made up. In: two sides of
 * a set. Out: its exit status and what it prints. Called by check.c and sequential.c.
 */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include "judge/compare.h"

#define PROGRAM_TEXT 65536

/**
 * program_run() - run a program and read what it prints
 * @path: of the program
 * @words: its command line, the last one NULL
 * @text: receives its standard output, up to PROGRAM_TEXT bytes
 *
 * Return: its exit status, or -1 if it was killed.
 */
int program_run(const char *path, char **words, char *text);

/** struct program - where it is, and where recordings are for it */
struct program {
	const char *path;
	char folder[64]; /* of its own, in $TMPDIR or /tmp */
	unsigned int written[2]; /* files of the base, and of the judged runs */
};

/** program_open() - make the folder; @path: of the program */
void program_open(struct program *p, const char *path);

/** program_write() - write a set as recordings, in the place of one with as many runs */
void program_write(struct program *p, const struct compare_set *base,
		   const struct compare_set *judged);

/**
 * program_check() - judge the set that is written
 * @rule: of --max-increase, or of --assert where it has a '<' or '>'
 * @confidence: "99"
 * @text: receives what it prints, PROGRAM_TEXT bytes
 *
 * Return: its exit status, or -1 if it was killed.
 */
int program_check(const struct program *p, const char *rule, const char *confidence, char *text);

/** program_close() - remove the folder */
void program_close(struct program *p);

#endif /* BENCH_PROGRAM_H */
