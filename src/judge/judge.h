/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * judge.h - from recordings to a verdict: are they comparable, with which accepted sets, and
 * do they keep the rules. In: rules, recordings. Out: a struct check. Pure. Called by ui.
 */
#ifndef KSTATS_JUDGE_JUDGE_H
#define KSTATS_JUDGE_JUDGE_H

#include "judge/accepted.h"
#include "judge/check.h"

/**
 * struct judge_terms - settings
 * @check: of the rules
 * @force: also judge runs that were not recorded alike
 * @across: the methods of the sides may differ
 * @accepted: accepted sets instead of a base, or NULL; not owned
 * @last: number of accepted sets to compare with
 */
struct judge_terms {
	struct check_terms check;
	bool force;
	bool across;
	struct accepted *accepted;
	unsigned int last;
};

/**
 * judge_runs() - judge recordings by rules
 * @c: filled in, with its series if there are accepted sets; freed with check_free()
 * @rules: must outlive @c
 * @n_rules: number of @rules, at least 1
 * @runs: at least one, of either kind; must outlive @c
 * @base: runs to compare with; may be empty
 * @e: why they cannot be judged
 */
int judge_runs(struct check *c, const struct check_rule *rules, size_t n_rules,
	       const struct runs *runs, const struct runs *base, const struct judge_terms *terms,
	       struct error *e);

/**
 * judge_machines() - say where a base was recorded on another processor or kernel
 * @text: receives a sentence, "" if they are the same as far as is known
 * @size: of @text
 * @runs: at least one
 * @base: may be empty
 *
 * Return: true if they differ.
 */
bool judge_machines(char *text, size_t size, const struct runs *runs, const struct runs *base);

/** judge_outcome() - the verdict, with what an undecided one counts as */
enum check_verdict judge_outcome(const struct check *c);

/**
 * judge_accepts() - whether a set may become one of the accepted
 * @c: judged; what an undecided verdict counts as does not matter
 *
 * Return: true if it passes, and if only a lack of accepted sets leaves it undecided.
 */
bool judge_accepts(const struct check *c);

#endif /* KSTATS_JUDGE_JUDGE_H */
