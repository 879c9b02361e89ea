// SPDX-License-Identifier: GPL-2.0-only
/* targets.c - which functions are measured, and whether they can be. */
#include "plan/priv.h"

#include "kstats_direct.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/arch.h"

static const char list_hint[] = "'kstats-bpf list' shows what can be traced";

const char *plan_point_name(const struct plan_point *p)
{
	return spec_is_user(p->kind)      ? p->user.name
	       : p->kind == SPEC_FUNCTION ? p->fn.name
					  : p->tp.name;
}

/* ---- can it be done ---- */

static int targets_refuse(struct error *e, const struct facts_function *fn, const char *why)
{
	return error_set(e, EXIT_KERNEL, -EOPNOTSUPP, why, list_hint, "cannot trace '%s'",
			 fn->name);
}

bool plan_possible(const struct spec *spec, enum spec_method method,
		   const struct facts_function *fn)
{
	if (plan_is_for_tracepoints(method) || plan_is_for_user(method))
		return false;
	/* In a pair, a method for the other point leaves the choice for the function open. */
	if (spec->method != SPEC_METHOD_AUTO && spec->method != method &&
	    !plan_is_for_tracepoints(spec->method) && !plan_is_for_user(spec->method))
		return false;
	if (method == SPEC_METHOD_DIRECT)
		return spec->method == method && !plan_direct_refusal(fn);
	if (method == SPEC_METHOD_FENTRY || method == SPEC_METHOD_FSESSION)
		return fn->btf_id && !fn->twin && !fn->varargs;
	return fn->kprobe_ok;
}

#define REGISTERS 6 /* that hold arguments, of 8 bytes each */

const char *plan_direct_refusal(const struct facts_function *fn)
{
	unsigned int i;

	if (ARCH_NO_DIRECT)
		return ARCH_NO_DIRECT;
	if (!fn->btf_id || strchr(fn->name, '.'))
		return "it has no BTF, which tells where its arguments are";
	if (kstats_direct_stays(fn->name))
		return KSTATS_DIRECT_STAYS_WHY;
	if (fn->varargs)
		return "its number of arguments varies";
	if (fn->twin)
		return "several modules have such a function";
	for (i = 0; i < fn->n_args && i < FACTS_ARGS_MAX; i++)
		if (fn->args[i].bytes > 8)
			return "an argument of more than 8 bytes may be on the stack";
	if (fn->n_args > REGISTERS)
		return "it takes arguments on the stack";
	if (fn->ret.type == FACTS_OTHER)
		return "it returns a structure, and the kernel loads no programs for that";
	return NULL;
}

/* Say why this function cannot be traced by the method that was asked for. */
static int refuse_method(struct error *e, const struct spec *spec, const struct facts_function *fn)
{
	static const char *const why[] = {
		[SPEC_METHOD_AUTO] = "the kernel forbids kprobes on it and it has no BTF",
		[SPEC_METHOD_FENTRY] =
			"it has no BTF, which fentry needs; leave out --method fentry",
		[SPEC_METHOD_KPROBE] = "the kernel forbids kprobes on it",
		[SPEC_METHOD_FSESSION] =
			"it has no BTF, which fsession needs; leave out --method fsession",
		[SPEC_METHOD_KPROBE_SESSION] = "the kernel forbids kprobes on it",
	};

	if (spec->method == SPEC_METHOD_DIRECT)
		return targets_refuse(e, fn, plan_direct_refusal(fn));
	if (fn->varargs && fn->kprobe_ok)
		return targets_refuse(
			e, fn, "its number of arguments varies, which only kprobes can take");
	return targets_refuse(
		e, fn,
		why[plan_is_for_tracepoints(spec->method) || plan_is_for_user(spec->method)
			    ? SPEC_METHOD_AUTO
			    : spec->method]);
}

int plan_check_function(const struct spec *spec, const struct facts_function *fn, bool returns,
			struct error *e)
{
	enum spec_method m;

	if (fn->denied)
		return targets_refuse(e, fn, fn->denied);
	if (returns && fn->noreturn)
		return targets_refuse(e, fn, "it never returns");
	if (!fn->seen_by_ftrace)
		return targets_refuse(e, fn, "the kernel marks it as not to be traced (notrace)");
	for (m = SPEC_METHOD_AUTO + 1; m <= SPEC_METHOD_LAST; m++)
		if (plan_possible(spec, m, fn))
			return 0;
	if (fn->twin)
		return targets_refuse(
			e, fn,
			"several modules have such a function, and this kernel can tell "
			"them apart for kprobes only");
	return refuse_method(e, spec, fn);
}

int plan_check_direct(const struct facts_function *fn, struct error *e)
{
	const struct spec spec = { .method = SPEC_METHOD_DIRECT };

	return plan_check_function(&spec, fn, true, e);
}

static const char *check_session(const struct spec *spec)
{
	if (spec->at.kind != SPEC_NONE ||
	    (spec->pairing == KSTATS_BY_POINT && spec->method == SPEC_METHOD_UPROBE_SESSION))
		return "it sees the entry and the return of a function, not one point";
	if (!spec->n_targets)
		return "it sees the entry and the return of one function, not a pair of points";
	if (spec->pairing == KSTATS_BY_CPU || spec->pairing == KSTATS_BY_KEY)
		return "it joins every return to its own entry, not by CPU or key";
	if (spec->stays && spec->method != SPEC_METHOD_UPROBE_SESSION)
		return "its calls in flight cannot be counted, which a node that stays needs";
	return NULL;
}

/* The stub knows nothing of a call but its begin, its end, and the process. */
static const char *check_direct(const struct spec *spec)
{
	const struct spec_who *who = &spec->who;

	if (!spec->n_targets)
		return "it sees the entry and the return of one function, not a pair of points";
	if (spec->value)
		return "it records the duration of every call, and no other value";
	if (spec->pairing != KSTATS_BY_TASK)
		return "it joins every return to its own entry, not by CPU or key";
	if (spec->backend == SPEC_BACKEND_MAP)
		return "the kernel module measures, so the slots are in the module";
	if (who->n_tids || who->comm[0] || who->cgroup || spec->condition || spec->n_by)
		return "it can filter by process, command and CPU only";
	if (who->n_pids && spec_follows(spec))
		return "it can filter by process or by command, not by both";
	if (spec->max_overhead && spec_leaves_out(spec))
		return "it does not count what its filters leave out, which --limit overhead needs";
	if (spec->split_ret || spec->gap)
		return "it records the duration of every call, and knows no return values or gaps";
	if (spec->merge)
		return "each of its distributions is for one function";
	return NULL;
}

static const char *check_tracepoints(const struct spec *spec)
{
	if (!spec_has_kind(spec, SPEC_TRACEPOINT))
		return "it is for tracepoints, and no point is one";
	if (spec->method == SPEC_METHOD_TRACE_EVENT && spec->pairing == KSTATS_BY_KEY)
		return "its programs do not see the arguments of a tracepoint, which --key needs";
	if (spec->method == SPEC_METHOD_TRACE_EVENT && spec->value)
		return "its programs do not see the arguments of a tracepoint, nor any value";
	return NULL;
}

int plan_check_method(const struct spec *spec, struct error *e)
{
	const char *why = NULL, *name = spec_method_names[spec->method];
	char next[64];

	if (spec->method == SPEC_METHOD_FSESSION || spec->method == SPEC_METHOD_KPROBE_SESSION)
		why = check_session(spec);
	else if (spec->method == SPEC_METHOD_DIRECT)
		why = check_direct(spec);
	else if (plan_is_for_tracepoints(spec->method))
		why = check_tracepoints(spec);
	else if (plan_is_for_user(spec->method) && !spec_has_user(spec))
		why = "it is for functions and static probes of programs, and no point is one";
	if (!why && spec->method == SPEC_METHOD_UPROBE_SESSION)
		why = check_session(spec);
	if (!why)
		return 0;
	snprintf(next, sizeof(next), "leave out --method %s", name);
	return error_set(e, EXIT_USAGE, -EINVAL, why, next, "cannot use method %s", name);
}

static int check_ret(const struct spec *spec, const struct facts_function *fn, struct error *e)
{
	const char *why = NULL;

	if (!spec->split_ret)
		return 0;
	switch (fn->ret.type) {
	case FACTS_UNKNOWN:
		why = "the type of its return value is not known (no BTF)";
		break;
	case FACTS_VOID:
		why = "it returns nothing";
		break;
	case FACTS_OTHER:
		why = "it returns a structure";
		break;
	case FACTS_BOOL:
	case FACTS_UNSIGNED:
		why = "its return value has no errors (bool or unsigned)";
		break;
	default:
		break;
	}
	if (!why)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, why,
			 "leave out --by, or cast it: --by '(long)ret < 0'",
			 "cannot tell errors of '%s' apart", fn->name);
}

/* ---- the functions that the targets name ---- */

static int targets_by_name(const void *a, const void *b)
{
	const struct facts_function *const *x = a, *const *y = b;
	int order = strcmp((*x)->name, (*y)->name);

	return order ? order : strcmp((*x)->module, (*y)->module);
}

/* A sorted index, since comparing each name with each takes seconds for long lists. */
static const struct facts_function **index_make(const struct plan_list *l)
{
	const struct facts_function **index = calloc(l->n + 1, sizeof(*index));
	size_t i;

	for (i = 0; index && i < l->n; i++)
		index[i] = &l->fns[i];
	if (index)
		qsort(index, l->n, sizeof(*index), targets_by_name);
	return index;
}

static int targets_list_add(struct plan_list *l, const struct facts_function *fns, size_t n)
{
	struct facts_function *grown = realloc(l->fns, (l->n + n) * sizeof(*grown));
	const struct facts_function **index, *fn;
	size_t before = l->n, i;

	if (!grown)
		return -ENOMEM;
	l->fns = grown;
	index = index_make(l);
	if (!index)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		fn = &fns[i];
		/* Only earlier entries can be duplicates: one target names a function once. */
		if (!bsearch(&fn, index, before, sizeof(*index), targets_by_name))
			grown[l->n++] = *fn;
	}
	free(index);
	return 0;
}

static bool targets_is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

static int targets_list_glob(struct plan_list *l, const struct spec *spec, struct facts *facts,
			     const struct spec_point *t, struct error *e)
{
	struct facts_function *fns = NULL;
	size_t n = 0, kept = 0, skipped = 0, i;
	int err;

	err = facts_match_functions(facts, t->module, t->name, &fns, &n, &skipped);
	if (err)
		return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot list functions");
	for (i = 0; i < n; i++)
		if (!plan_check_function(spec, &fns[i], true, NULL) &&
		    !check_ret(spec, &fns[i], NULL))
			fns[kept++] = fns[i];
	l->n_skipped += skipped + n - kept;
	if (!kept)
		err = error_set(e, EXIT_USAGE, -ENOENT,
				l->n_skipped ? "those that match cannot be traced"
					     : "no function matches",
				list_hint, "cannot trace '%s'", t->name);
	else
		err = targets_list_add(l, fns, kept);
	free(fns);
	return err;
}

int plan_list_target(struct plan_list *l, const struct spec *spec, struct facts *facts,
		     const struct spec_point *t, struct error *e)
{
	struct facts_function fn;
	int err;

	if (spec_is_user(t->kind))
		return plan_list_user(l, spec, t, e);
	if (targets_is_glob(t->name))
		return targets_list_glob(l, spec, facts, t, e);
	err = facts_find_function(facts, t->module, t->name, &fn, e);
	if (!err)
		err = plan_check_function(spec, &fn, true, e);
	if (!err)
		err = check_ret(spec, &fn, e);
	return err ? err : targets_list_add(l, &fn, 1);
}
