// SPDX-License-Identifier: GPL-2.0-only
/*
 * several.c - a pair of several points: starts, ends and cancels. Each is a probe of its own, with
 * a program of its own, and all have one node.
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
	int err = 0;

	if (careful)
		err = plan_own_way(plan, probe, p, PLAN_KPROBE, role);
	if (!err && fentry)
		err = plan_own_way(plan, probe, p, PLAN_FENTRY, role);
	if (!err && kprobe && !careful)
		err = plan_own_way(plan, probe, p, PLAN_KPROBE, role);
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
		return "several points (fentry)";
	case PLAN_KPROBE:
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

int plan_several_add(struct plan *plan, const struct plan_point *p, enum plan_role role)
{
	struct plan_probe *probe = &plan->probes[plan->n_probes++];
	struct plan_way *way;
	unsigned int i;
	int err;

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
	return err || probe->n_ways ? err : -ENXIO;
}

static int several_point(struct plan *plan, struct facts *facts, const struct spec_point *sp,
			 enum plan_role role, struct error *e)
{
	static struct plan_condition condition;
	struct plan_point p = {};
	int err = plan_point_find(plan->spec, facts, sp, &p, e);

	if (!err && p.kind == SPEC_FUNCTION)
		err = plan_check_function(plan->spec, &p.fn, false, e);
	if (!err)
		err = plan_own_check(plan, &condition, &p, sp, role, e);
	if (!err)
		err = plan_several_add(plan, &p, role);
	if (err == -ENXIO)
		err = plan_no_way(plan, sp->name, e);
	plan_user_free(&p.user);
	return err;
}

/* ---- all of them ---- */

/*
 * An event may be the end of one pair and the start of the next, and is then seen by two programs.
 * The end comes first. Programs at a tracepoint run in the order in which they were attached;
 * programs at a function in the opposite order.
 */
static const struct {
	enum plan_role role;
	bool tracepoint, other;
} rounds[] = {
	{ PLAN_START, false, true },
	{ PLAN_END, true, true },
	{ PLAN_CANCEL, true, true },
	{ PLAN_START, true, false },
};

#define ROUNDS (sizeof(rounds) / sizeof(*rounds))

static const struct spec_point *points_of(const struct spec *spec, enum plan_role role)
{
	return role == PLAN_START ? &spec->start : role == PLAN_END ? &spec->end : &spec->cancel;
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
	fputs(spec->first ? "from the first " : "from ", out);
	say_point(&spec->start, out);
	fputs(" to ", out);
	say_point(&spec->end, out);
	if (spec->cancel.kind != SPEC_NONE) {
		fputs(", cancelled by ", out);
		say_point(&spec->cancel, out);
	}
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

int plan_several_make(struct plan *plan, struct facts *facts, struct error *e)
{
	const struct spec_point *sp;
	char *what = say_points(plan->spec);
	unsigned int i;
	int err = what ? 0 : -ENOMEM;

	plan->is_pair = plan->is_several = true;
	plan_quick_find(plan, NULL);
	if (!err)
		err = plan_alloc(plan, count_points(plan->spec), 1);
	if (!err)
		err = plan_nodes_add(plan, plan->spec->name, what);
	for (i = 0; i < ROUNDS; i++)
		for (sp = points_of(plan->spec, rounds[i].role); !err && sp; sp = sp->next)
			if (sp->kind == SPEC_TRACEPOINT ? rounds[i].tracepoint
			    : sp->kind != SPEC_NONE     ? rounds[i].other
							: false)
				err = several_point(plan, facts, sp, rounds[i].role, e);
	free(what);
	return err;
}
