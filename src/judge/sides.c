// SPDX-License-Identifier: GPL-2.0-only
/*
 * sides.c - functions and keys that only one side has; see check.h.
 *
 * A rare key is seen in some runs and not in others. That a side has none of it is a failure only
 * if that is no chance: if the runs that have it were dealt out at random, all of them would be on
 * one side with a probability below the level, shared by all such names. Else it is told.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "judge/priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/safe_str.h"
#include "util/units.h"

#define NAMES_SHOWN 5 /* of what only one side has */

/* ---- who has it ---- */

static size_t sides_runs_with(const struct compare_set *set, const char *name)
{
	size_t i, n = 0;
	int node;

	for (i = 0; set && i < set->n; i++) {
		node = snapshot_find(set->runs[i], name);
		n += node >= 0 && counts_samples(set->runs[i]->nodes[node].counts);
	}
	return n;
}

/* The runs of the newest accepted set, or all of the base if there is no history. */
struct compare_set sides_newest(const struct compare_set *base)
{
	struct compare_set newest = *base;
	size_t i = base->n;

	while (base->set_of && i && base->set_of[i - 1] == base->set_of[base->n - 1])
		i--;
	if (base->set_of) {
		newest.runs += i;
		newest.n -= i;
	}
	return newest;
}

static bool is_one_sided(const struct sides *s, const char *name)
{
	return !sides_runs_with(s->runs, name) != !sides_runs_with(&s->base, name);
}

/* Probability that all runs that have it are on this side, dealt out at random. */
static double sides_chance(const struct sides *s, const char *name)
{
	size_t after = sides_runs_with(s->runs, name), before = sides_runs_with(&s->base, name);
	double has = after ? after : before, n = after ? s->runs->n : s->base.n;

	return exp(lchoose(n, has) - lchoose((double)s->runs->n + s->base.n, has));
}

/* ---- all names ---- */

static void sides_walk(const struct sides *s, void (*see)(void *to, const char *name), void *to)
{
	const struct compare_set *sets[] = { s->runs, &s->base };
	const struct snapshot_node *node;
	size_t side, run;
	uint32_t i;

	for (side = 0; side < 2; side++)
		for (run = 0; run < sets[side]->n; run++)
			for (i = 0; i < sets[side]->runs[run]->n_nodes; i++) {
				node = &sets[side]->runs[run]->nodes[i];
				if (!snapshot_is_recorded(node->kind) ||
				    compare_seen(sets[side], run, node->name) ||
				    (side && compare_measures(s->runs, node->name)))
					continue;
				see(to, node->name);
			}
}

static void sides_see(void *to, const char *name)
{
	struct sides *s = to;

	if (is_one_sided(s, name))
		s->one_sided++;
	else
		s->both += sides_runs_with(s->runs, name) > 0;
}

void sides_make(struct sides *s, const struct compare_set *runs, const struct compare_set *base,
		double confidence)
{
	*s = (struct sides){ .runs = runs, .level = 1 - confidence };
	if (base)
		s->base = sides_newest(base);
	sides_walk(s, sides_see, s);
}

bool sides_may_be_chance(const struct sides *s, const char *name)
{
	return s->both && is_one_sided(s, name) && sides_chance(s, name) * s->one_sided > s->level;
}

/* ---- what is told ---- */

struct telling {
	const struct sides *sides;
	char *text;
	size_t size;
	size_t n;
};

static void sides_tell_one(void *to, const char *name)
{
	struct telling *t = to;
	const struct compare_set *runs = t->sides->runs, *base = &t->sides->base;
	size_t after = sides_runs_with(runs, name), at = strlen(t->text);
	char safe[80];

	if (!sides_may_be_chance(t->sides, name) || t->n++ >= NAMES_SHOWN)
		return;
	snprintf(t->text + at, t->size - at, "%s%s (%zu of %zu runs of the %s)",
		 t->n > 1 ? ", " : "only one side has ", safe_str(safe, sizeof(safe), name),
		 after ? after : sides_runs_with(base, name), after ? runs->n : base->n,
		 after ? "new side" : "base");
}

void sides_say(const struct sides *s, char *text, size_t size)
{
	struct telling t = { .sides = s, .text = text, .size = size };
	size_t at;

	*text = '\0';
	sides_walk(s, sides_tell_one, &t);
	at = strlen(text);
	if (t.n > NAMES_SHOWN)
		at += snprintf(text + at, size - at, " and %zu more", t.n - NAMES_SHOWN);
	if (t.n && at < size)
		snprintf(text + at, size - at,
			 ", which may be chance; --require makes it a failure");
}

/* ---- what must be there ---- */

struct requiring {
	const struct sides *sides;
	const char *wanted;
	bool compares;
	size_t n; /* names that are meant and have samples where they must */
	const char *lacks; /* the first that has not */
	bool in_base; /* it is the base that has none of it */
};

static void sides_require_one(void *to, const char *name)
{
	struct requiring *q = to;
	bool runs, base;

	if (!compare_is_target(q->wanted, name))
		return;
	runs = sides_runs_with(q->sides->runs, name);
	base = !q->compares || sides_runs_with(&q->sides->base, name);
	if (runs && base)
		q->n++;
	else if (!q->lacks) {
		q->lacks = name;
		q->in_base = runs;
	}
}

static void sides_require(struct check_result *r, const struct sides *s, const char *wanted,
			  bool compares)
{
	struct requiring q = { .sides = s, .wanted = wanted, .compares = compares };
	char name[96];

	sides_walk(s, sides_require_one, &q);
	r->verdict = q.lacks || !q.n ? CHECK_FAIL : CHECK_PASS;
	if (q.lacks)
		snprintf(r->why, sizeof(r->why), "%s no samples of %s",
			 q.in_base  ? "the base has"
			 : compares ? "the new side has"
				    : "there are",
			 safe_str(name, sizeof(name), q.lacks));
	else if (q.n)
		snprintf(r->why, sizeof(r->why), "%zu of that name, with samples%s", q.n,
			 compares ? " on both sides" : "");
	else
		snprintf(r->why, sizeof(r->why), "nothing of that name was measured");
	if (r->verdict == CHECK_FAIL)
		snprintf(r->next, sizeof(r->next), "check that the work calls it%s",
			 compares ? " on both sides" : "");
}

int sides_require_all(struct check *c, const struct sides *s, const struct check_terms *terms,
		      bool compares)
{
	struct check_result *r;
	size_t i;

	c->required = calloc(terms->n_require + 1, sizeof(*c->required));
	if (!c->required)
		return -ENOMEM;
	for (i = 0; i < terms->n_require; i++) {
		snprintf(c->required[i].text, sizeof(c->required[i].text), "require");
		r = &c->results[c->n++];
		*r = (struct check_result){ .name = terms->require[i],
					    .rule = &c->required[i],
					    .unit = c->unit };
		sides_require(r, s, terms->require[i], compares);
	}
	return 0;
}
