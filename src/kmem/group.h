/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * group.h - what an entry of a table is of: parts of --by. A part is a word for what each row has,
 * or a dimension, which the rows have only if it was measured. In: the text of --by, and a value.
 * Out: the parts, and their words. Pure. Called by table.c, by report and by the verbs.
 */
#ifndef KSTATS_KMEM_GROUP_H
#define KSTATS_KMEM_GROUP_H

#include "kmem/kmem.h"
#include "spec/spec_kmem.h"

/** struct kmem_group_part - a part of --by */
struct kmem_group_part {
	enum kmem_word word; /* KMEM_WORDS: it is a dimension */
	unsigned int dimension; /* index in the dimensions of the value */
};

#define KMEM_GROUP_HEADING 512

/** struct kmem_group - what an entry is of */
struct kmem_group {
	const char *by; /* as it was written; not owned */
	unsigned int n; /* number of @parts */
	struct kmem_group_part parts[KSTATS_BY_PARTS];
	char heading[KMEM_GROUP_HEADING]; /* the same for people */
};

/**
 * kmem_group_find() - find the parts of a text
 * @g: filled in
 * @by: text of --by, which must outlive @g; NULL: site
 *
 * Return: false if a part is neither a word nor a dimension of @k; @g then has those before it.
 */
bool kmem_group_find(struct kmem_group *g, const struct kmem *k, const char *by);

/** kmem_group_check() - the same, as an error */
int kmem_group_check(const struct kmem *k, const char *by, struct error *e);

/** kmem_group_is() - whether a group is by a word alone */
bool kmem_group_is(const struct kmem_group *g, enum kmem_word word);

/** kmem_group_has() - whether a part of it is that word */
bool kmem_group_has(const struct kmem_group *g, enum kmem_word word);

/** kmem_row_value() - the value of a dimension of a row */
const char *kmem_row_value(const struct kmem *k, const struct kmem_row *row,
			   unsigned int dimension);

#endif /* KSTATS_KMEM_GROUP_H */
