/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gate.h - rules from words to an exit code. In: the words of --assert and
 * --max-increase, and runs. Out: the results in a format, and what they come to.
 * Called by the verbs that judge.
 */
#ifndef KSTATS_UI_GATE_H
#define KSTATS_UI_GATE_H

#include <stdbool.h>

#include "judge/check.h"
#include "ui/past.h"
#include "ui/runs.h"
#include "render/verdict/verdict.h"
#include "util/outfile.h"

#define GATE_RULES_MAX 64

/** struct gate - what is asked, and where the answer goes */
struct gate {
	struct check_rule rules[GATE_RULES_MAX]; /* @n_rules of them */
	size_t n_rules; /* number of @rules */
	bool relative; /* one of them compares */
	double confidence; /* percent, of the intervals */
	double max_loss; /* percent of the calls; where more was lost, nothing is judged */
	enum check_verdict undecided; /* what inconclusive counts as */
	bool allow_empty; /* what has no samples passes */
	struct sequential looks; /* its last is 0 where it is looked once */
	const struct verdict_format *format; /* how the answer is written */
	bool force; /* also what was not recorded alike */
	bool across; /* the methods of the sides may differ */
	struct past *past; /* accepted sets that take the place of a base, or NULL; not owned */
	unsigned int last; /* how many of them */
	bool accept; /* what passes joins them */
	struct outfile file; /* where to, where it is not standard output */
};

/**
 * gate_init() - no rules, 99 %, 1 % of loss, exit code 3 for what is inconclusive, text
 * @g: filled in; released by gate_close()
 */
void gate_init(struct gate *g);

/** gate_add_assert() - one more rule; @gate: struct gate; @value: as of check_parse_assert() */
int gate_add_assert(void *gate, const char *value, struct error *e);

/**
 * gate_add_increase() - one more rule that compares
 * @gate: struct gate
 * @value: as of check_parse_increase()
 */
int gate_add_increase(void *gate, const char *value, struct error *e);

/**
 * gate_set_format() - how the answer is written
 * @gate: struct gate
 * @value: name of a verdict format
 * @e: there is none of that name, and which there are
 *
 * Return: 0 or -EINVAL.
 */
int gate_set_format(void *gate, const char *value, struct error *e);

/**
 * gate_open() - make ready to write
 * @path: file that appears with the answer, or NULL for standard output; must
 *	stay valid
 */
int gate_open(struct gate *g, const char *path, struct error *e);

/**
 * gate_look() - look at the pairs so far
 * @g: gate with looks
 * @runs: what is judged
 * @base: as many runs, of the base
 * @said: receives how far it is, for people
 * @size: of @said
 * @e: why it cannot be judged
 *
 * Return: 1 where the series may end, 0 where not, or -errno.
 */
int gate_look(struct gate *g, const struct runs *runs, const struct runs *base, char *said,
	      size_t size, struct error *e);

/**
 * gate_judge() - answer
 * @g: opened gate
 * @runs: what is judged
 * @base: what it is compared with; may be empty
 * @e: why there is no answer
 *
 * Return: an exit code, or -errno.
 */
int gate_judge(struct gate *g, const struct runs *runs, const struct runs *base, struct error *e);

/** gate_close() - leave nothing behind */
void gate_close(struct gate *g);

#endif /* KSTATS_UI_GATE_H */
