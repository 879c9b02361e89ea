// SPDX-License-Identifier: GPL-2.0-only
/* condition.c - the condition of --if at the points of a probe: types and instructions. */
#include "plan/priv.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

static void point_of(const struct plan *plan, const struct plan_point *p, struct expr_point *out)
{
	if (p->kind == SPEC_FUNCTION)
		facts_function_point(plan->facts, &p->fn, out);
	else
		facts_tracepoint_point(plan->facts, &p->tp, out);
}

/* At its return a function's parameters are gone: kretprobes do not have them. */
static void end_point_of(const struct plan *plan, const struct plan_point *p,
			 struct expr_point *out)
{
	point_of(plan, p, out);
	out->is_end = true;
	out->has_ret = out->no_params = !plan->is_pair;
}

static int check_size(const struct expr *x, struct error *e)
{
	static struct bpf_insn insns[EXPR_INSNS_MAX];
	const struct expr_wanted wanted = { .condition = x };

	if (!x->n || expr_compile(&wanted, EXPR_CTX_TP, insns) >= 0)
		return 0;
	return error_set(e, EXIT_USAGE, -E2BIG, "it takes too many instructions",
			 "write a shorter one", "cannot use '%.200s' for --if", x->text);
}

int plan_condition_check(const struct plan *plan, struct plan_condition *c,
			 struct plan_point *start, struct plan_point *end, struct error *e)
{
	struct expr_point at;
	int err = 0;

	start->condition = end->condition = start->end_condition = end->end_condition = NULL;
	if (!plan->spec->condition)
		return 0;
	expr_split(plan->spec->condition, &c->start, &c->end);
	if (c->start.n) {
		point_of(plan, start, &at);
		err = expr_check(&c->start, "--if", &at, EXPR_CONDITION, e);
	}
	if (!err && c->end.n) {
		end_point_of(plan, end, &at);
		err = expr_check(&c->end, "--if", &at, EXPR_CONDITION, e);
	}
	if (!err)
		err = check_size(&c->start, e);
	if (!err)
		err = check_size(&c->end, e);
	if (err)
		return err;
	if (plan->is_pair)
		end->condition = c->end.n ? &c->end : NULL;
	start->condition = c->start.n ? &c->start : NULL;
	if (!plan->is_pair)
		start->end_condition = c->end.n ? &c->end : NULL;
	return 0;
}

/* ---- instructions ---- */

static enum expr_context context_of(enum plan_hook_type type)
{
	switch (type) {
	case PLAN_KPROBE:
	case PLAN_KRETPROBE:
	case PLAN_KPROBE_SESSION:
		return EXPR_CTX_REGS;
	case PLAN_TP_BTF:
		return EXPR_CTX_TP;
	default:
		return EXPR_CTX_TRACE;
	}
}

int plan_code_make(struct plan_code *code, const struct expr *x, enum plan_hook_type type)
{
	static struct bpf_insn insns[EXPR_INSNS_MAX];
	const struct expr_wanted wanted = { .condition = x };

	if (!x)
		return 0;
	code->n = expr_compile(&wanted, context_of(type), insns);
	if (code->n < 0)
		return code->n;
	code->insns = malloc(code->n * sizeof(*insns));
	if (!code->insns)
		return -ENOMEM;
	memcpy(code->insns, insns, code->n * sizeof(*insns));
	return 0;
}

/* ---- words ---- */

static void print_part(const struct plan *plan, const struct expr *x, const char *where,
		       const struct plan_point *p, FILE *out)
{
	struct expr_point at;
	char type[128];

	if (!x)
		return;
	point_of(plan, p, &at);
	fprintf(out, "%s%s (%s)", ftell(out) ? ", " : "", where,
		expr_type_name(x, &at, type, sizeof(type)));
}

char *plan_condition_text(const struct plan *plan, const struct plan_point *start,
			  const struct plan_point *end)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	print_part(plan, start->condition, plan->is_pair ? "at the start" : "at the entry", start,
		   out);
	print_part(plan, plan->is_pair ? end->condition : start->end_condition,
		   plan->is_pair ? "at the end" : "at the return", end, out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
