// SPDX-License-Identifier: GPL-2.0-only
/*
 * several.c - a pair of several points: starts, ends, cancels and those on the way. Each is a probe
 * of its own, with a program of its own, and all have one node.
 */
#include "plan/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- one point ---- */

static bool may_hook(const struct plan *plan, const struct plan_point *p, enum spec_method method)
{
	return plan_possible(plan->spec, method, &p->fn);
}

static int function_ways(const struct plan *plan, struct plan_probe *probe,
			 const struct plan_point *p, enum plan_role role)
{
	bool fentry = may_hook(plan, p, SPEC_METHOD_FENTRY);
	bool kprobe = may_hook(plan, p, SPEC_METHOD_KPROBE);
	bool careful = plan_is_careful(plan) && kprobe;
	enum plan_hook_type by_kprobe = p->is_return ? PLAN_KRETPROBE : PLAN_KPROBE;
	int err = 0;

	if (careful)
		err = plan_own_way(plan, probe, p, by_kprobe, role);
	if (!err && fentry)
		err = plan_own_way(plan, probe, p, p->is_return ? PLAN_FEXIT : PLAN_FENTRY, role);
	if (!err && kprobe && !careful)
		err = plan_own_way(plan, probe, p, by_kprobe, role);
	return err;
}

static int program_ways(const struct plan *plan, struct plan_probe *probe,
			const struct plan_point *p, enum plan_role role)
{
	enum spec_method method = plan->spec->method;
	int err = 0;

	if (method != SPEC_METHOD_UPROBE)
		err = plan_own_way(plan, probe, p, PLAN_UPROBE_MULTI, role);
	if (!err && method != SPEC_METHOD_UPROBE_MULTI)
		err = plan_own_way(plan, probe, p, PLAN_UPROBE, role);
	return err;
}

/* What it is called in the output, by its hook. */
static const char *several_method(enum plan_hook_type type)
{
	switch (type) {
	case PLAN_FENTRY:
	case PLAN_FEXIT:
		return "several points (fentry)";
	case PLAN_KPROBE:
	case PLAN_KRETPROBE:
		return "several points (kprobe)";
	case PLAN_UPROBE:
		return "several points (uprobe)";
	case PLAN_UPROBE_MULTI:
		return "several points (uprobe multi)";
	default:
		return "several points (tp_btf)";
	}
}

static const char *several_reason(const struct plan *plan, const struct plan_point *p)
{
	if (plan->spec->method != SPEC_METHOD_AUTO)
		return "asked for by --method";
	if (p->kind == SPEC_TRACEPOINT && plan->tp_preempts)
		return "only tp_btf tells several points apart";
	return "first choice";
}

static int several_add(struct plan *plan, const struct plan_point *p, enum plan_role role,
		       uint32_t nth)
{
	struct plan_probe *probe = &plan->probes[plan->n_probes++];
	struct plan_way *way;
	unsigned int i;
	int err;

	/* In place of a node, what passes a point has its number. */
	probe->node = nth;
	probe->n_args = p->kind == SPEC_FUNCTION ? p->fn.n_args : 0;
	probe->reason = strdup(several_reason(plan, p));
	if (!probe->reason)
		return -ENOMEM;
	if (p->kind == SPEC_FUNCTION)
		err = function_ways(plan, probe, p, role);
	else if (p->kind == SPEC_TRACEPOINT)
		err = plan_own_way(plan, probe, p, PLAN_TP_BTF, role);
	else
		err = program_ways(plan, probe, p, role);
	for (i = 0; i < probe->n_ways; i++) {
		way = &probe->ways[i];
		way->method = several_method(role == PLAN_START ? way->start.type : way->end.type);
	}
	probe->node = 0;
	return err || probe->n_ways ? err : -ENXIO;
}

/* ---- all of them ---- */

/*
 * An event may be the end of one pair and the start of the next, and is then seen by two programs.
 * The end comes first. Programs at a tracepoint run in the order in which they were attached;
 * programs at a function in the opposite order. What passes a point on the way does so before it
 * ends, or begins.
 */
static const struct {
	enum plan_role role;
	bool tracepoint, other;
} rounds[] = {
	{ PLAN_START, false, true }, { PLAN_VIA, true, false },   { PLAN_END, true, true },
	{ PLAN_CANCEL, true, true }, { PLAN_START, true, false }, { PLAN_VIA, false, true },
};

#define ROUNDS (sizeof(rounds) / sizeof(*rounds))

static const struct spec_point *points_of(const struct spec *spec, enum plan_role role)
{
	const struct spec_point *of[PLAN_ROLES] = {
		[PLAN_START] = &spec->start,
		[PLAN_END] = &spec->end,
		[PLAN_CANCEL] = &spec->cancel,
		[PLAN_VIA] = &spec->via,
	};

	return of[role];
}

static size_t count_points(const struct spec *spec)
{
	const struct spec_point *p;
	size_t n = 0;
	int role;

	for (role = 0; role < PLAN_ROLES; role++)
		for (p = points_of(spec, role); p; p = p->next)
			n += p->kind != SPEC_NONE;
	return n;
}

static void say_point(const struct spec_point *p, FILE *out)
{
	for (; p; p = p->next) {
		fputs(p->name, out);
		if (p->key)
			fprintf(out, "[%s]", p->key->text);
		if (p->condition)
			fprintf(out, " if %s", p->condition->text);
		fputs(p->next && p->next->next ? ", " : p->next ? " or " : "", out);
	}
}

static void say_vias(const struct spec *spec, FILE *out)
{
	const char *before = spec->first ? " via the first " : " via ";
	const struct spec_point *p = &spec->via;

	for (; p && p->kind != SPEC_NONE; p = p->next, before = ", ") {
		fprintf(out, "%s%s", before, p->name);
		if (p->condition)
			fprintf(out, " if %s", p->condition->text);
	}
}

/* "from a or b[x] if y to c, cancelled by d" */
static char *say_points(const struct spec *spec)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (spec->value)
		fprintf(out, "%s, ", spec->value->text);
	if (spec->is_call) {
		fprintf(out, "entry to return of %s", spec->start.name);
	} else {
		fputs(spec->first ? "from the first " : "from ", out);
		say_point(&spec->start, out);
		fputs(" to ", out);
		say_point(&spec->end, out);
	}
	say_vias(spec, out);
	if (spec->cancel.kind != SPEC_NONE) {
		fputs(", cancelled by ", out);
		say_point(&spec->cancel, out);
	}
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

/* The points of a pair, in the order of their probes. */
struct points {
	struct plan_point at[KSTATS_POINTS_MAX];
	struct plan_condition conditions[KSTATS_POINTS_MAX];
	const struct spec_point *named[KSTATS_POINTS_MAX];
	enum plan_role roles[KSTATS_POINTS_MAX];
	unsigned int n;
	struct expr_kept kept; /* what ends need of starts */
};

static int several_find(struct plan *plan, struct facts *facts, struct points *all,
			const struct spec_point *sp, enum plan_role role, struct error *e)
{
	struct plan_point *p = &all->at[all->n];
	int err;

	all->named[all->n] = sp;
	all->roles[all->n++] = role;
	err = plan_point_find(plan->spec, facts, sp, p, e);
	if (!err && p->kind == SPEC_FUNCTION)
		err = plan_check_function(plan->spec, &p->fn, p->is_return, e);
	return err;
}

static int several_find_all(struct plan *plan, struct facts *facts, struct points *all,
			    struct error *e)
{
	const struct spec_point *sp;
	unsigned int i;
	int err = 0;

	for (i = 0; i < ROUNDS; i++)
		for (sp = points_of(plan->spec, rounds[i].role); !err && sp; sp = sp->next)
			if (sp->kind == SPEC_TRACEPOINT ? rounds[i].tracepoint
			    : sp->kind != SPEC_NONE     ? rounds[i].other
							: false)
				err = several_find(plan, facts, all, sp, rounds[i].role, e);
	return err;
}

static const struct plan_point *several_start(const struct points *all)
{
	unsigned int i = 0;

	while (all->roles[i] != PLAN_START)
		i++;
	return &all->at[i];
}

static bool kept_differs(const struct expr_kept *a, const struct expr_kept *b)
{
	unsigned int k;

	if (a->n != b->n)
		return true;
	for (k = 0; k < a->n; k++)
		if (a->parts[k].root != b->parts[k].root ||
		    strcmp(a->parts[k].text, b->parts[k].text))
			return true;
	return false;
}

/* All ends need the same of the start, in the same order. */
static int several_keep(const struct plan *plan, struct points *all, unsigned int i, bool first,
			struct error *e)
{
	struct expr_kept *kept = calloc(1, sizeof(*kept));
	bool differ;
	int err = kept ? 0 : -ENOMEM;

	if (!err)
		err = plan_keep_check(plan, &all->conditions[i], &all->at[i], several_start(all),
				      kept, e);
	if (!err && first)
		all->kept = *kept;
	differ = !err && kept_differs(kept, &all->kept);
	free(kept);
	if (!differ)
		return err;
	return error_set(
		e, EXIT_USAGE, -EINVAL,
		"some ends have parameters of that name, and others take those of the start",
		"write start.NAME or end.NAME", "cannot tell what '%s' needs of its start",
		all->named[i]->name);
}

/* The end reads it by the type that it has at the first start. */
static int several_same_type(const struct points *all, unsigned int i, unsigned int k,
			     struct error *e)
{
	const struct expr *like = several_start(all)->keep[k];
	const struct expr *own = all->at[i].keep[k];
	struct expr_part is, first;

	if (!like || like == own)
		return 0;
	is = expr_part(own);
	first = expr_part(like);
	if (is.is_text == first.is_text && is.is_signed == first.is_signed &&
	    is.is_pointer == first.is_pointer &&
	    own->nodes[own->root].is.bytes == like->nodes[like->root].is.bytes)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "its type is another one than at the first start",
			 "cast it to one type, like (long)start.NAME",
			 "cannot keep '%.200s' of '%s'", like->text, all->named[i]->name);
}

/* What a start keeps, with the types that it has there. */
static int several_kept(struct points *all, unsigned int i, const struct plan *plan,
			struct error *e)
{
	struct plan_condition *c = &all->conditions[i];
	struct expr_point at;
	unsigned int k;
	int err = 0;

	plan_point_of(plan, &all->at[i], false, &at);
	for (k = 0; !err && k < all->kept.n; k++) {
		c->keep[k] = all->kept.parts[k];
		err = expr_check(&c->keep[k], "a value of the start", &at, EXPR_KEY, e);
		all->at[i].keep[k] = &c->keep[k];
		if (!err)
			err = several_same_type(all, i, k, e);
	}
	return err;
}

static int several_check(struct plan *plan, struct points *all, struct error *e)
{
	bool first = true;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < all->n; i++) {
		if (all->roles[i] != PLAN_END)
			continue;
		err = several_keep(plan, all, i, first, e);
		first = false;
	}
	plan->n_kept = all->kept.n;
	if (!err && plan->n_kept + plan->n_vias > KSTATS_KEPT_WORDS)
		err = error_set(e, EXIT_USAGE, -E2BIG, "a start keeps up to 4 of both",
				"name fewer points, or fewer values of the start",
				"cannot use %u points of --via and %u values", plan->n_vias,
				plan->n_kept);
	for (i = 0; !err && i < all->n; i++) {
		err = plan_own_check(plan, &all->conditions[i], &all->at[i], all->named[i],
				     all->roles[i], e);
		if (!err)
			err = plan_keys_fit(&all->conditions[0].keys[0],
					    &all->conditions[i].keys[0], e);
		if (!err && all->roles[i] == PLAN_START)
			err = several_kept(all, i, plan, e);
	}
	return err;
}

/* Of a point on the way; 0 of others. */
static uint32_t via_number(const struct plan *plan, const struct spec_point *sp)
{
	const struct spec_point *p;
	uint32_t n = 0;

	for (p = &plan->spec->via; p && p != sp; p = p->next)
		n++;
	return p ? n : 0;
}

static int several_add_all(struct plan *plan, const struct points *all, struct error *e)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < all->n; i++) {
		err = several_add(plan, &all->at[i], all->roles[i],
				  via_number(plan, all->named[i]));
		if (err == -ENXIO)
			err = plan_no_way(plan, all->named[i]->name, e);
	}
	return err;
}

static unsigned int count_vias(const struct spec *spec)
{
	const struct spec_point *p;
	unsigned int n = 0;

	for (p = &spec->via; p; p = p->next)
		n += p->kind != SPEC_NONE;
	return n;
}

static int several_node(struct plan *plan)
{
	char *what = say_points(plan->spec);
	int err = what ? plan_alloc(plan, count_points(plan->spec), 1) : -ENOMEM;

	if (!err)
		err = plan_nodes_add(plan, plan->spec->name, what);
	free(what);
	return err;
}

int plan_several_make(struct plan *plan, struct facts *facts, struct error *e)
{
	struct points *all = calloc(1, sizeof(*all));
	unsigned int i;
	int err = all ? 0 : -ENOMEM;

	plan->is_pair = plan->is_several = true;
	plan->n_vias = count_vias(plan->spec);
	plan_quick_find(plan, NULL);
	if (!err && plan->spec->method == SPEC_METHOD_TRACE_EVENT)
		err = error_set(e, EXIT_USAGE, -EINVAL, "its programs keep nothing for the end",
				"leave out --method trace-event",
				"cannot combine it with values of the start");
	if (!err && plan->spec->gap)
		err = error_set(e, EXIT_USAGE, -EINVAL, "it is for pairs that need nothing else",
				"leave one out", "cannot combine --gap with values of the start");
	if (!err)
		err = several_node(plan);
	if (!err)
		err = several_find_all(plan, facts, all, e);
	if (!err)
		err = several_check(plan, all, e);
	if (!err && plan->n_kept && plan->spec->pairing == KSTATS_BY_CPU)
		err = error_set(
			e, EXIT_USAGE, -EINVAL,
			"an interrupt may bring another start between the time and the values",
			"pair by task or by --key",
			"cannot combine --key cpu with values of the start");
	if (!err)
		err = several_add_all(plan, all, e);
	for (i = 0; all && i < all->n; i++)
		plan_user_free(&all->at[i].user);
	free(all);
	return err;
}
