// SPDX-License-Identifier: GPL-2.0-only
/* group.c - see group.h. */
#include "kmem/group.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool group_find_part(struct kmem_group_part *part, const struct kmem *k, const char *text,
			    size_t n)
{
	part->word = kmem_word_of(text, n);
	if (part->word < KMEM_WORDS)
		return true;
	for (part->dimension = 0; part->dimension < k->n_by; part->dimension++)
		if (kmem_same_part(text, n, k->by[part->dimension]))
			return true;
	return false;
}

/* In words where there are some. */
static void group_head(struct kmem_group *g, const struct kmem *k)
{
	static const char *const words[][2] = {
		{ "site", "call site" },   { "order", "order of pages" },
		{ "comm", "task's name" }, { "gfp", "GFP flags" },
		{ "numa", "NUMA node" },   { "cpu", "CPU" },
		{ "pid", "process" },      { "tid", "thread" },
		{ "uid", "user" },         { "cgroup", "control group" },
	};
	const struct kmem_group_part *part = g->parts;
	size_t at = 0, w;
	const char *text;

	/* What does not fit is cut. */
	for (; part < g->parts + g->n && at < sizeof(g->heading); part++) {
		text = part->word < KMEM_WORDS ? kmem_names[part->word] : k->by[part->dimension];
		for (w = 0; w < sizeof(words) / sizeof(*words); w++)
			if (!strcmp(text, words[w][0]))
				text = words[w][1];
		at += snprintf(g->heading + at, sizeof(g->heading) - at, "%s%s", at ? ", " : "",
			       text);
	}
}

bool kmem_group_find(struct kmem_group *g, const struct kmem *k, const char *by)
{
	size_t n;

	by = by ?: kmem_names[KMEM_SITE];
	*g = (struct kmem_group){ .by = by };
	for (; g->n < KSTATS_BY_PARTS; by += n + 1) {
		n = expr_cut(by);
		if (!group_find_part(&g->parts[g->n], k, by, n))
			return false;
		g->n++;
		if (!by[n]) {
			group_head(g, k);
			return true;
		}
	}
	return false;
}

int kmem_group_check(const struct kmem *k, const char *by, struct error *e)
{
	char words[KSTATS_BY_PARTS * (EXPR_LENGTH_MAX + 2) + 64] = "", why[sizeof(words) + 64];
	const char *quote = k->source ? "'" : "";
	struct kmem_group g;
	unsigned int i;
	size_t at = 0, n;

	if (kmem_group_find(&g, k, by))
		return 0;
	for (i = n = 0; by[n]; i++) {
		n += expr_cut(by + n);
		n += by[n] == ',';
	}
	if (!*by || by[n - 1] == ',')
		return error_set(e, EXIT_USAGE, -EINVAL, "a part of it is empty",
				 "write parts with commas between them, like 'comm, size'",
				 "cannot use '%s' for --by", by);
	if (i > KSTATS_BY_PARTS)
		return error_set(e, EXIT_USAGE, -E2BIG, "it has more than three parts",
				 "leave some out", "cannot use '%s' for --by", by);
	/* Texts of a recording have at most EXPR_LENGTH_MAX bytes. */
	for (i = KMEM_SITE; i < KMEM_WORDS; i++)
		at += snprintf(words + at, sizeof(words) - at, "%s%s", i ? ", " : "",
			       kmem_names[i]);
	for (i = 0; i < k->n_by && at < sizeof(words); i++)
		at += snprintf(words + at, sizeof(words) - at, ", %s", k->by[i]);
	snprintf(why, sizeof(why), "it has only %s", words);
	return error_set(e, EXIT_USAGE, -ENODATA, why,
			 "use these, or record again with that in --by",
			 "cannot group %s%s%s by '%s'", quote,
			 k->source ? k->source : "the memory events", quote, by);
}

bool kmem_group_is(const struct kmem_group *g, enum kmem_word word)
{
	return g->n == 1 && g->parts[0].word == word;
}

bool kmem_group_has(const struct kmem_group *g, enum kmem_word word)
{
	unsigned int i;

	for (i = 0; i < g->n; i++)
		if (g->parts[i].word == word)
			return true;
	return false;
}

const char *kmem_row_value(const struct kmem *k, const struct kmem_row *row, unsigned int dimension)
{
	return k->values[(row - k->rows) * k->n_by + dimension].text;
}
