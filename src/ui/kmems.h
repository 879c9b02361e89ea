/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmems.h - sets of recordings of memory events, and their rules. In: files. Out: recordings,
 * results and an exit code. Called by the verbs that compare and judge.
 */
#ifndef KSTATS_UI_KMEMS_H
#define KSTATS_UI_KMEMS_H

#include "kmem/rules.h"
#include "ui/gate.h"

/** struct kmems - recordings of one side */
struct kmems {
	size_t n; /* number of @recs */
	struct kmem **recs; /* owned */
};

/** kmems_add() - add a recording; @k: owned by @set from now on. Return: 0 or -ENOMEM */
int kmems_add(struct kmems *set, struct kmem *k);

/** kmems_load() - add recordings from files */
int kmems_load(struct kmems *set, char *const *files, size_t n, struct error *e);

/** kmems_free() - release; @set may be zero-filled */
void kmems_free(struct kmems *set);

/**
 * kmems_judge() - judge each recording by each rule, and write the results
 * @g: opened gate, whose own rules are not used
 * @e: why they cannot be judged
 *
 * Return: an exit code, or -errno.
 */
int kmems_judge(struct gate *g, const struct kmem_rule *rules, size_t n_rules,
		const struct kmems *set, struct error *e);

#endif /* KSTATS_UI_KMEMS_H */
