// SPDX-License-Identifier: GPL-2.0-only
/* condition.c - the expressions of --if, --key and --value at the points of a probe. */
#include "plan/priv.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

static void point_of(const struct plan *plan, const struct plan_point *p, struct expr_point *out)
{
	if (spec_is_user(p->kind)) {
		plan_user_point(p, out);
		out->is_program = true;
		/* One program may serve them all, and each has its parameters elsewhere. */
		if (p->kind == SPEC_USER_FUNCTION && plan->n_calls > PLAN_MANY)
			out->n_params = out->ret_bytes = 0;
		return;
	}
	if (p->kind == SPEC_FUNCTION)
		facts_function_point(plan->facts, &p->fn, out);
	else
		facts_tracepoint_point(plan->facts, &p->tp, out);
}

/* At its return a function's parameters are gone: kretprobes do not have them. */
void plan_point_of(const struct plan *plan, const struct plan_point *p, bool at_end,
		   struct expr_point *out)
{
	point_of(plan, p, out);
	out->is_end = at_end;
	out->has_switches = at_end && plan->spec->pairing == KSTATS_BY_TASK && !plan_is_point(plan);
	out->has_ret = at_end && (!plan->is_pair || p->is_return);
	out->no_params |= out->has_ret;
}

/* Trampolines keep the parameters for the return: see lacks_params() in hooks.c. */
void plan_return_of(const struct plan *plan, const struct plan_point *p, struct expr_point *out)
{
	plan_point_of(plan, p, true, out);
	out->no_params &= spec_is_user(p->kind);
}

static struct expr_wanted wanted_of(const struct expr *x, enum expr_use use)
{
	if (use == EXPR_CONDITION)
		return (struct expr_wanted){ .condition = x };
	return (struct expr_wanted){ .value = x, .use = use };
}

static int condition_check(struct expr *x, const char *option, const struct expr_point *at,
			   enum expr_use use, struct error *e)
{
	static struct bpf_insn insns[EXPR_INSNS_MAX];
	const struct expr_wanted wanted = wanted_of(x, use);
	int err = expr_check(x, option, at, use, e);

	if (err || expr_compile(&wanted, EXPR_CTX_TP, insns) >= 0)
		return err;
	return error_set(e, EXIT_USAGE, -E2BIG, "it takes too many instructions",
			 "write a shorter one", "cannot use '%.200s' for %s", x->text, option);
}

#define SAME_PARTS                                                                             \
	"where start and end name it differently, write --start 'X[A]' --end 'Y[B]'; several " \
	"values, like 'A,(u32)B', have 8 bytes together"

/* A key that is checked at both ends. What is said of a name is right at one of them only. */
static int check_shared_key(struct expr *key, const struct expr_point *at, struct error *e)
{
	int err = condition_check(key, "--key", at, EXPR_KEY, e);
	size_t length = strlen(e->next);

	if (err && (!length || !strncmp(e->next, "did you mean", 12)))
		snprintf(e->next + length, sizeof(e->next) - length, "%s" SAME_PARTS,
			 length ? "; " : "");
	return err;
}

/* @parts: see struct expr */
static const char *parts_text(uint32_t parts, char buf[64])
{
	size_t at = snprintf(buf, 64, parts ? "values of" : "one value");
	int shift;

	for (shift = 28; shift >= 0; shift -= 4)
		if (parts >> shift)
			at += snprintf(buf + at, 64 - at, "%s %u", parts >> shift > 0xf ? "," : "",
				       parts >> shift & 0xf);
	if (parts)
		snprintf(buf + at, 64 - at, " bytes");
	return buf;
}

int plan_keys_fit(const struct expr *a, const struct expr *b, struct error *e)
{
	char of_a[64], of_b[64], why[256];

	if (a->parts == b->parts)
		return 0;
	snprintf(why, sizeof(why), "the first has %s, the second %s", parts_text(a->parts, of_a),
		 parts_text(b->parts, of_b));
	return error_set(e, EXIT_USAGE, -EINVAL, why,
			 "write equally many at both, and cast them to the same types, as in "
			 "(u32)nr",
			 "cannot join start and end by '%.200s' and '%.200s'", a->text, b->text);
}

static int check_keys(const struct plan *plan, struct plan_condition *c, struct plan_point *start,
		      struct plan_point *end, struct error *e)
{
	struct plan_point *points[] = { start, end };
	struct expr_point at;
	int i, err = 0;

	for (i = 0; !err && i < 2; i++) {
		c->keys[i] = *plan->spec->keys[i];
		point_of(plan, points[i], &at);
		err = strcmp(plan->spec->keys[0]->text, plan->spec->keys[1]->text)
			      ? condition_check(&c->keys[i], "the key of a point", &at, EXPR_KEY, e)
			      : check_shared_key(&c->keys[i], &at, e);
		points[i]->key = &c->keys[i];
	}
	return err ? err : plan_keys_fit(&c->keys[0], &c->keys[1], e);
}

/* Everything is asked at the one point. */
static int condition_check_point(const struct plan *plan, struct plan_condition *c,
				 struct plan_point *p, struct error *e)
{
	bool back = plan->spec->at_return;
	struct expr_point at;
	int err = 0;

	c->value = *plan->spec->value;
	plan_point_of(plan, p, back, &at);
	if (plan->spec->condition) {
		c->start = *plan->spec->condition;
		err = condition_check(&c->start, "--if", &at, EXPR_CONDITION, e);
		*(back ? &p->end_condition : &p->condition) = &c->start;
	}
	if (!err)
		err = condition_check(&c->value, "--value", &at, EXPR_VALUE, e);
	*(back ? &p->end_value : &p->value) = &c->value;
	return err;
}

static int check_value(const struct plan *plan, struct plan_condition *c, struct plan_point *end,
		       struct error *e)
{
	struct expr_point at;

	if (!plan->is_several)
		c->value = *plan->spec->value;
	plan_return_of(plan, end, &at);
	*(plan->is_pair ? &end->value : &end->end_value) = &c->value;
	return condition_check(&c->value, "--value", &at, EXPR_VALUE, e);
}

static int check_condition(const struct plan *plan, struct plan_condition *c,
			   struct plan_point *start, struct plan_point *end, struct error *e)
{
	struct expr_point at;
	struct expr rest;
	int err = 0;

	expr_split(plan->spec->condition, &c->start, &c->end);
	rest = c->end;
	plan_quick_take(plan, &rest);
	if (c->start.n) {
		point_of(plan, start, &at);
		err = condition_check(&c->start, "--if", &at, EXPR_CONDITION, e);
	}
	plan_point_of(plan, end, true, &at);
	if (!err && c->end.n)
		err = condition_check(&c->end, "--if", &at, EXPR_CONDITION, e);
	if (!err && rest.n)
		err = condition_check(&rest, "--if", &at, EXPR_CONDITION, e);
	c->end = rest;
	if (err)
		return err;
	if (plan->is_pair)
		end->condition = c->end.n ? &c->end : NULL;
	start->condition = c->start.n ? &c->start : NULL;
	if (!plan->is_pair)
		start->end_condition = c->end.n ? &c->end : NULL;
	return 0;
}

int plan_condition_check(struct plan *plan, struct plan_condition *c, struct plan_point *start,
			 struct plan_point *end, struct error *e)
{
	int err = 0;

	start->condition = end->condition = start->end_condition = end->end_condition = NULL;
	start->value = end->value = start->end_value = end->end_value = NULL;
	err = plan_by_check(plan, c, plan_is_point(plan) ? start : end, e);
	if (!err)
		err = plan_show_check(plan, c, end, e);
	if (err)
		return err;
	if (plan_is_point(plan))
		return condition_check_point(plan, c, start, e);
	if (plan->spec->keys[0])
		err = check_keys(plan, c, start, end, e);
	if (!err && plan->spec->condition)
		err = check_condition(plan, c, start, end, e);
	return err || !plan->spec->value ? err : check_value(plan, c, end, e);
}

/* The parts of --if that are asked at this point, which is a start or an end. */
bool plan_needs_start(const struct plan *plan, const struct plan_point *start,
		      const struct plan_point *end)
{
	const struct spec *spec = plan->spec;
	struct expr_point from, to;
	struct expr entry, rest;
	bool needed = false;
	unsigned int i;

	point_of(plan, start, &from);
	plan_return_of(plan, end, &to);
	if (spec->condition) {
		expr_split(spec->condition, &entry, &rest);
		needed = expr_needs_start(&rest, &from, &to) || expr_names_point(spec->condition);
	}
	if (spec->value)
		needed |=
			expr_needs_start(spec->value, &from, &to) || expr_names_point(spec->value);
	for (i = 0; i < spec->n_by; i++)
		needed |=
			expr_needs_start(spec->by[i], &from, &to) || expr_names_point(spec->by[i]);
	for (i = 0; i < spec->n_show; i++)
		needed |= expr_needs_start(spec->show[i], &from, &to) ||
			  expr_names_point(spec->show[i]);
	return needed;
}

int plan_keep_check(const struct plan *plan, struct plan_condition *c, const struct plan_point *end,
		    const struct plan_point *start, struct expr_kept *kept, struct error *e)
{
	const struct spec *spec = plan->spec;
	struct expr_point from, to;
	struct expr entry;
	unsigned int i;
	int err = 0;

	point_of(plan, start, &from);
	plan_return_of(plan, end, &to);
	if (spec->condition) {
		expr_split(spec->condition, &entry, &c->end);
		plan_quick_take(plan, &c->end);
		err = expr_keep(&c->end, "--if", &from, &to, kept, e);
	}
	if (!err && spec->value) {
		c->value = *spec->value;
		err = expr_keep(&c->value, "--value", &from, &to, kept, e);
	}
	for (i = 0; !err && i < spec->n_by; i++) {
		c->by[i] = *spec->by[i];
		err = expr_keep(&c->by[i], "--by", &from, &to, kept, e);
	}
	for (i = 0; !err && i < spec->n_show; i++) {
		c->show[i] = *spec->show[i];
		err = expr_keep(&c->show[i], "--show", &from, &to, kept, e);
	}
	return err;
}

static int own_part(struct plan *plan, struct plan_condition *c, struct plan_point *p, bool start,
		    struct error *e)
{
	struct expr *x = start ? &c->start : &c->end;
	struct expr_point at;
	int err;

	if (start) {
		struct expr rest;

		expr_split(plan->spec->condition, &c->start, &rest);
		expr_strip(&c->start);
	}
	if (!x->n)
		return 0;
	plan_point_of(plan, p, !start, &at);
	err = condition_check(x, "--if", &at, EXPR_CONDITION, e);
	p->condition = x;
	return err;
}

int plan_own_check(struct plan *plan, struct plan_condition *c, struct plan_point *p,
		   const struct spec_point *sp, enum plan_role role, struct error *e)
{
	const struct spec *spec = plan->spec;
	const struct expr *key = sp->key ? sp->key : spec->keys[role != PLAN_START];
	struct expr_point at;
	char text[8];
	int err = 0;

	point_of(plan, p, &at);
	if (sp->condition) {
		c->own = *sp->condition;
		p->own = &c->own;
		err = condition_check(&c->own, "the condition of a point", &at, EXPR_CONDITION, e);
	}
	if (!err && plan->spec->pairing == KSTATS_BY_KEY) {
		snprintf(text, sizeof(text), "arg%d",
			 role == PLAN_START ? spec->key_start : spec->key_end);
		if (key)
			c->keys[0] = *key;
		else
			err = expr_parse(&c->keys[0], "--key", text, e);
		p->key = &c->keys[0];
	}
	if (!err && p->key) {
		err = sp->key ? condition_check(&c->keys[0], "the key of a point", &at, EXPR_KEY, e)
			      : check_shared_key(&c->keys[0], &at, e);
	}
	if (!err && role <= PLAN_END && plan->spec->condition)
		err = own_part(plan, c, p, role == PLAN_START, e);
	if (err || role != PLAN_END)
		return err;
	err = plan_by_check(plan, c, p, e);
	if (!err)
		err = plan_show_check(plan, c, p, e);
	return err || !spec->value ? err : check_value(plan, c, p, e);
}

/* ---- instructions ---- */

int plan_code_copy(struct plan_code *code, int n, const struct bpf_insn *insns)
{
	if (n < 0)
		return n;
	code->n = n;
	code->insns = malloc(n * sizeof(*insns));
	if (!code->insns)
		return -ENOMEM;
	memcpy(code->insns, insns, n * sizeof(*insns));
	return 0;
}

int plan_code_make(struct plan_code *code, const struct expr_wanted *wanted,
		   enum plan_hook_type type)
{
	static struct bpf_insn insns[EXPR_INSNS_MAX];

	if (!wanted->condition && !wanted->value)
		return 0;
	return plan_code_copy(code, expr_compile(wanted, plan_types[type].context, insns), insns);
}

/*
 * Whether the condition can be evaluated before anything else. If it is false, the programs at both
 * ends do nothing, as if the call had not been made: so it must have the same value at both. A
 * point is passed once, so there it only has to have a value.
 */
static bool has_gate(const struct plan *plan, const struct plan_hook *hook,
		     const struct plan_point *p)
{
	if (!p->condition)
		return false;
	if (plan_is_point(plan) ? !expr_always_answers(p->condition) : !expr_is_fixed(p->condition))
		return false;
	/* Calls for which these are false are counted. */
	if (plan->spec->max_overhead > 0)
		return false;
	if (plan_is_point(plan))
		return hook->type == PLAN_FENTRY || hook->type == PLAN_TP_BTF ||
		       hook->type == PLAN_FSESSION;
	return !plan->is_pair && (hook->type == PLAN_FENTRY || hook->type == PLAN_FEXIT ||
				  hook->type == PLAN_FSESSION);
}

int plan_gate_make(const struct plan *plan, struct plan_hook *hook, const struct plan_point *p)
{
	static struct bpf_insn insns[EXPR_INSNS_MAX];

	if (!has_gate(plan, hook, p))
		return 0;
	return plan_code_copy(
		&hook->gate, expr_compile_gate(p->condition, plan_types[hook->type].context, insns),
		insns);
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

/* The name of the only point. */
static const char *where(const struct plan *plan, const struct plan_point *p)
{
	return p->kind == SPEC_TRACEPOINT ? "at the tracepoint"
	       : plan->spec->at_return    ? "at the return"
					  : "at the entry";
}

/* NULL if it could not be written. */
static char *condition_text_of(FILE *out, char **text)
{
	if (!fclose(out))
		return *text;
	free(*text);
	return NULL;
}

char *plan_condition_text(const struct plan *plan, const struct plan_point *start,
			  const struct plan_point *end)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (plan_is_point(plan)) {
		print_part(plan, start->condition ? start->condition : start->end_condition,
			   where(plan, start), start, out);
		return condition_text_of(out, &text);
	}
	print_part(plan, start->condition, plan->is_pair ? "at the start" : "at the entry", start,
		   out);
	print_part(plan, plan->is_pair ? end->condition : start->end_condition,
		   plan->is_pair ? "at the end" : "at the return", end, out);
	if (plan->quick.min_ns || plan->quick.ret_op != KSTATS_RET_ANY)
		fprintf(out, "%sby a comparison at the %s", ftell(out) ? ", " : "",
			plan->is_pair ? "end" : "return");
	return condition_text_of(out, &text);
}

char *plan_value_text(const struct plan *plan, const struct plan_point *start,
		      const struct plan_point *end)
{
	const struct plan_point *p = plan_is_point(plan) ? start : end;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	print_part(plan, p->value ? p->value : p->end_value,
		   plan_is_point(plan) ? where(plan, p)
		   : plan->is_pair     ? "at the end"
				       : "at the return",
		   p, out);
	return condition_text_of(out, &text);
}
