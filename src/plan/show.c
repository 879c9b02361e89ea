// SPDX-License-Identifier: GPL-2.0-only
/* show.c - the values of --show, which are kept with single calls: found at the end of each. */
#include "plan/priv.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

static int show_bad(const struct expr *x, const char *why, const char *next, struct error *e)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, next, "cannot use '%.200s' for --show",
			 x->text);
}

static bool show_differs(const struct expr_part *a, const struct expr_part *b)
{
	return a->words != b->words || a->is_text != b->is_text || a->cut != b->cut ||
	       a->is_signed != b->is_signed || a->is_pointer != b->is_pointer;
}

/* How it lies in a record: the same at all points. */
static int show_part(struct plan *plan, const struct plan_point *p, unsigned int i, bool first,
		     struct error *e)
{
	struct expr_part new = expr_part(p->show[i]);

	if (new.frames)
		return show_bad(p->show[i], "the stacks of each call are kept anyway",
				"leave it out", e);
	if (!first && show_differs(&new, &plan->show.parts[i]))
		return show_bad(p->show[i], "its type is not the same at all points",
				"cast it, or look at one function", e);
	if (!first)
		return 0;
	plan->show.parts[i] = new;
	plan->show.words += new.words;
	if (plan->show.words <= KSTATS_BY_WORDS)
		return 0;
	return show_bad(p->show[i], "the values take more than 128 bytes together",
			"take fewer bytes of strings, like str(name, 30)", e);
}

int plan_show_check(struct plan *plan, struct plan_condition *c, struct plan_point *p,
		    struct error *e)
{
	static struct bpf_insn insns[EXPR_INSNS_MAX];
	struct expr_wanted wanted = { .alone = true };
	bool first = !plan->show.n;
	struct expr_point at;
	unsigned int i;
	int err = 0;

	memset(p->show, 0, sizeof(p->show));
	plan_return_of(plan, p, &at);
	for (i = 0; !err && i < plan->spec->n_show; i++) {
		/* Of several points, what is kept of the start was taken out. */
		if (!plan->is_several)
			c->show[i] = *plan->spec->show[i];
		err = expr_check(&c->show[i], "--show", &at, EXPR_BY, e);
		p->show[i] = wanted.by[i] = &c->show[i];
		if (!err)
			err = show_part(plan, p, i, first, e);
	}
	plan->show.n = plan->spec->n_show;
	if (err || !i || expr_compile(&wanted, EXPR_CTX_TP, insns) >= 0)
		return err;
	return show_bad(p->show[0], "it takes too many instructions", "show fewer values", e);
}

int plan_show_code(struct plan_code *code, const struct plan_point *p, enum plan_hook_type type)
{
	static struct bpf_insn insns[EXPR_INSNS_MAX];
	struct expr_wanted wanted = { .alone = true };

	if (!p->show[0])
		return 0;
	memcpy(wanted.by, p->show, sizeof(p->show));
	return plan_code_copy(code, expr_compile(&wanted, plan_types[type].context, insns), insns);
}
