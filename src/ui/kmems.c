// SPDX-License-Identifier: GPL-2.0-only
/* kmems.c - sets of recordings of memory events. */
#include "ui/kmems.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ui/input.h"

_Static_assert((int)KMEM_PASS == (int)CHECK_PASS && (int)KMEM_FAIL == (int)CHECK_FAIL &&
		       (int)KMEM_INCONCLUSIVE == (int)CHECK_INCONCLUSIVE,
	       "verdicts are the same");
_Static_assert(KMEM_RULE_TEXT <= CHECK_TEXT, "a rule fits");

int kmems_add(struct kmems *set, struct kmem *k)
{
	struct kmem **grown = realloc(set->recs, (set->n + 1) * sizeof(*grown));

	if (!grown) {
		kmem_free(k);
		return -ENOMEM;
	}
	set->recs = grown;
	grown[set->n++] = k;
	return 0;
}

int kmems_load(struct kmems *set, char *const *files, size_t n, struct error *e)
{
	struct kmem *k;
	size_t i;

	for (i = 0; i < n; i++) {
		k = input_load_kmem(files[i], e);
		if (!k)
			return e->err;
		if (kmems_add(set, k))
			return error_no_memory(e, "cannot read the files");
	}
	return 0;
}

void kmems_free(struct kmems *set)
{
	while (set->n)
		kmem_free(set->recs[--set->n]);
	free(set->recs);
	*set = (struct kmems){};
}

/* ---- verdicts ---- */

static int judge_one(const struct gate *g, const struct kmem_rule *rule, const struct kmem *k,
		     struct check_rule *shown, struct check_result *r)
{
	struct kmem_finding f = {};
	int err = kmem_rule_judge(rule, k, g->max_loss / 100, g->allow_empty, &f);

	snprintf(shown->text, sizeof(shown->text), "%s", rule->text);
	*r = (struct check_result){ .name = k->source,
				    .rule = shown,
				    .verdict = (enum check_verdict)f.verdict };
	snprintf(r->why, sizeof(r->why), "%s", f.why);
	snprintf(r->next, sizeof(r->next), "%s", f.next);
	return err;
}

static enum check_verdict worse(enum check_verdict a, enum check_verdict b)
{
	if (a == CHECK_FAIL || b == CHECK_FAIL)
		return CHECK_FAIL;
	return a == CHECK_INCONCLUSIVE || b == CHECK_INCONCLUSIVE ? CHECK_INCONCLUSIVE : CHECK_PASS;
}

static int judge_all(const struct gate *g, const struct kmem_rule *rules, size_t n_rules,
		     const struct kmems *set, struct check *c, struct check_rule *shown)
{
	size_t i, k;
	int err = 0;

	for (i = 0; !err && i < set->n; i++)
		for (k = 0; !err && k < n_rules; k++, c->n++) {
			err = judge_one(g, &rules[k], set->recs[i], &shown[c->n],
					&c->results[c->n]);
			c->verdict = worse(c->verdict, c->results[c->n].verdict);
		}
	return err;
}

int kmems_judge(struct gate *g, const struct kmem_rule *rules, size_t n_rules,
		const struct kmems *set, struct error *e)
{
	struct check_rule *shown = calloc(set->n * n_rules, sizeof(*shown));
	struct check c = { .verdict = CHECK_PASS, .undecided = g->undecided };
	int err;

	c.results = calloc(set->n * n_rules, sizeof(*c.results));
	err = shown && c.results ? judge_all(g, rules, n_rules, set, &c, shown) : -ENOMEM;
	if (err)
		error_no_memory(e, "cannot judge the recordings");
	else
		err = gate_write(g, &c, e);
	if (!err)
		err = c.verdict == CHECK_INCONCLUSIVE ? gate_status(g->undecided)
						      : gate_status(c.verdict);
	free(c.results);
	free(shown);
	return err;
}
