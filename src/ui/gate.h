/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gate.h - from the words of rules to an exit code. In: the words of --assert and
 * --max-increase, and runs. Out: the results in a format, and an exit code. Called by the
 * verbs that judge.
 */
#ifndef KSTATS_UI_GATE_H
#define KSTATS_UI_GATE_H

#include <stdbool.h>

#include "judge/judge.h"
#include "ui/past.h"
#include "format/format.h"
#include "spec/spec.h"
#include "util/outfile.h"

/** struct gate - rules, settings, and where the results go */
struct gate {
	struct check_rule rules[SPEC_RULES_MAX];
	size_t n_rules; /* number of @rules */
	bool relative; /* at least one of them is relative */
	struct judge_terms terms;
	enum check_verdict undecided; /* what inconclusive counts as */
	struct sequential looks; /* for @terms, if they are judged after each pair */
	const struct format *format; /* of the results */
	struct past *past; /* folder of accepted sets, or NULL; not owned */
	bool accept; /* a set that passes is added to it */
	bool rebase; /* whatever the verdict on an increase, and as a new level */
	struct outfile file; /* for the results, unless they go to standard output */
};

/**
 * gate_init() - no rules, confidence 99 %, loss up to 1 %, inconclusive stays so, text
 * @g: filled in; released by gate_close()
 */
void gate_init(struct gate *g);

/**
 * gate_take() - take over the words of a gate
 * @g: after gate_init(); what was not given stays as it is
 * @e: filled in if a rule cannot be understood
 */
int gate_take(struct gate *g, const struct spec_gate *words, struct error *e);

/**
 * gate_set_format() - choose the format of the results
 * @gate: struct gate
 * @value: name of a verdict format
 * @e: filled in with the names if it is none of them
 */
int gate_set_format(void *gate, const char *value, struct error *e);

/**
 * gate_open() - prepare for writing
 * @path: file that appears with the results, or NULL for standard output; must
 *	stay valid
 */
int gate_open(struct gate *g, const char *path, struct error *e);

/**
 * gate_look() - judge the pairs so far
 * @g: gate with looks
 * @runs: runs to judge
 * @base: as many runs of the base
 * @said: receives a text on the progress, see check_state()
 * @size: of @said
 * @e: why they cannot be judged
 *
 * Return: 1 if the series may end, 0 if not, or -errno.
 */
int gate_look(struct gate *g, const struct runs *runs, const struct runs *base, char *said,
	      size_t size, struct error *e);

/**
 * gate_judge() - judge, and write the results
 * @g: opened gate
 * @runs: runs to judge
 * @base: runs to compare with; may be empty
 * @e: why they cannot be judged
 *
 * Return: an exit code, or -errno.
 */
int gate_judge(struct gate *g, const struct runs *runs, const struct runs *base, struct error *e);

/** gate_close() - release, and discard a file that is not complete */
void gate_close(struct gate *g);

#endif /* KSTATS_UI_GATE_H */
