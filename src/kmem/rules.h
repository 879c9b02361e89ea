/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rules.h - bounds that recordings of memory events must keep. In: the words of a rule, a
 * value. Out: a verdict and the reason. Called by check.
 */
#ifndef KSTATS_KMEM_RULES_H
#define KSTATS_KMEM_RULES_H

#include "kmem/table.h"

#define KMEM_RULE_TEXT 48
#define KMEM_RULE_WHY 320
#define KMEM_RULE_NEXT 200

/** enum kmem_figure - what a rule limits */
enum kmem_figure {
	KMEM_FIGURE_WASTE, /* bytes, or their share of what was allocated */
	KMEM_FIGURE_BYTES, /* allocated */
	KMEM_FIGURE_REQUESTED,
	KMEM_FIGURE_COUNT,
	KMEM_FIGURE_RATE, /* allocations a second */
	KMEM_FIGURE_LIVE, /* allocated bytes that were not freed */
	KMEM_FIGURE_OBJECTS, /* number of live objects */
	KMEM_FIGURE_OLDEST, /* the largest of their ages */
	KMEM_FIGURE_OTHER_CPU, /* share of the freed objects that were freed on another CPU */
	KMEM_FIGURE_LOSS, /* events that were skipped or found no room, or their share */
	KMEM_FIGURE_QUANTILE, /* of the lifetimes */
};

/** enum kmem_relation - comparison of a rule */
enum kmem_relation {
	KMEM_LT,
	KMEM_LE,
	KMEM_EQ,
	KMEM_GE,
	KMEM_GT,
};

/**
 * struct kmem_rule - one rule
 * @text: as the user wrote it
 * @target: "" for all of kmalloc and caches; "kmalloc", "cache", "pages"; or a pattern of
 *	call sites and caches
 * @figure: what is limited
 * @millionths: of a quantile
 * @relation: comparison
 * @limit: bytes, number, ns, number a second, or share
 * @share: @limit is a share
 */
struct kmem_rule {
	char text[KMEM_RULE_TEXT];
	char target[KMEM_RULE_TEXT];
	enum kmem_figure figure;
	uint32_t millionths;
	enum kmem_relation relation;
	double limit;
	bool share;
};

/**
 * kmem_rule_parse() - read "waste<10%", "live<1MiB", "kmemdup*:count<1000", "pages:bytes<1GiB"
 * @rule: filled in
 *
 * Return: 0 or -EINVAL.
 */
int kmem_rule_parse(struct kmem_rule *rule, const char *text, struct error *e);

/** kmem_rule_knows() - whether a rule limits a figure that memory events have */
bool kmem_rule_knows(const char *text);

/** enum kmem_verdict - result of a rule */
enum kmem_verdict {
	KMEM_PASS,
	KMEM_FAIL,
	KMEM_INCONCLUSIVE,
};

/** struct kmem_finding - result of a rule, what was found, and what would decide it, or "" */
struct kmem_finding {
	enum kmem_verdict verdict;
	char why[KMEM_RULE_WHY];
	char next[KMEM_RULE_NEXT];
};

/**
 * kmem_rule_judge() - judge a recording
 * @max_loss: share of the events that may be lost; above it, only loss is judged
 * @allow_empty: a rule passes if nothing that it names was allocated; else it fails
 * @f: filled in
 *
 * Return: 0 or -ENOMEM.
 */
int kmem_rule_judge(const struct kmem_rule *rule, const struct kmem *k, double max_loss,
		    bool allow_empty, struct kmem_finding *f);

#endif /* KSTATS_KMEM_RULES_H */
