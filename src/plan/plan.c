// SPDX-License-Identifier: GPL-2.0-only
/* plan.c - from words and facts to a plan. */
#include "plan/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kstats_parts.h"
#include "util/units.h"

#define PLAN_WHAT (EXPR_LENGTH_MAX + 384) /* room to say what a distribution is of */

static int check_key(const struct plan_point *p, int index, struct error *e)
{
	unsigned int n = p->kind == SPEC_FUNCTION ? p->fn.n_args : p->tp.n_args;
	const struct facts_value *args = p->kind == SPEC_FUNCTION ? p->fn.args : p->tp.args;

	if (p->kind == SPEC_FUNCTION && !p->fn.btf_id)
		return 0;
	if ((unsigned int)index >= n)
		return error_set(e, EXIT_USAGE, -EINVAL, "it has fewer arguments",
				 "arguments count from arg0", "cannot use arg%d of '%s' as the key",
				 index, plan_point_name(p));
	if (args[index].type == FACTS_OTHER)
		return error_set(e, EXIT_USAGE, -EINVAL, "it is a structure", NULL,
				 "cannot use arg%d of '%s' as the key", index, plan_point_name(p));
	return 0;
}

/* ---- nodes ---- */

static int distribution_add(struct plan *plan, enum snapshot_kind kind, uint32_t owner,
			    const char *prefix, const char *name, const char *suffix,
			    const char *what)
{
	struct plan_node *node = &plan->nodes[plan->n_nodes++];

	node->kind = kind;
	node->owner = owner;
	node->what = strdup(what);
	if (asprintf(&node->name, "%s%s%s", prefix, name, suffix) < 0)
		node->name = NULL;
	return node->name && node->what ? 0 : -ENOMEM;
}

/* Adds the nodes of one probe in the order that the BPF programs expect. */
int plan_nodes_add(struct plan *plan, const char *name, const char *what)
{
	const struct spec *spec = plan->spec;
	uint32_t owner = plan->n_nodes;
	char text[PLAN_WHAT + 64];
	int err;

	err = distribution_add(plan, SNAPSHOT_DURATION, owner, "", name, "", what);
	if (!err && spec->split_ret) {
		snprintf(text, sizeof(text), "%s, calls that failed", what);
		err = distribution_add(plan, SNAPSHOT_ERROR, owner, "", name, ":error", text);
	}
	if (!err && spec->gap) {
		snprintf(text, sizeof(text), "from an end of %s to its next start on the same CPU",
			 name);
		err = distribution_add(plan, SNAPSHOT_GAP, owner, PLAN_GAP, name, "", text);
	}
	return err;
}

uint32_t plan_stride(const struct plan *plan)
{
	return 1 + plan->spec->split_ret + plan->spec->gap;
}

static const struct {
	const char *suffix;
	const char *what;
} plan_parts[KSTATS_PARTS_N] = {
	[KSTATS_PART_RUNNING] = { ":running", "time on a processor" },
	[KSTATS_PART_RUNNABLE] = { ":runnable", "time waiting for a processor" },
	[KSTATS_PART_SLEEPING] = { ":sleeping", "time asleep, interruptible by signals" },
	[KSTATS_PART_BLOCKED] = { ":blocked", "time asleep, not interruptible" },
	[KSTATS_PART_INTERRUPTED] = { ":interrupted",
				      "time in interrupts while running, at least" },
	[KSTATS_PART_LEFT] = { ":left", "calls whose task left the processor" },
	[KSTATS_PART_UNSPLIT] = { ":unsplit", "calls whose parts are not known" },
};

/* They come behind the nodes of all functions. */
static int parts_add(struct plan *plan)
{
	uint32_t owner, n = plan->n_nodes, part;
	char what[PLAN_WHAT + 64];
	int err = 0;

	if (!plan->spec->parts)
		return 0;
	plan->parts_at = n;
	for (owner = 0; !err && owner < n; owner += plan_stride(plan)) {
		for (part = 0; !err && part < KSTATS_PARTS_N; part++) {
			snprintf(what, sizeof(what), "%s, %s", plan->nodes[owner].what,
				 plan_parts[part].what);
			err = distribution_add(plan, SNAPSHOT_RUNNING + part, owner, "",
					       plan->nodes[owner].name, plan_parts[part].suffix,
					       what);
		}
	}
	return err;
}

/* These nodes come last, so that output can leave them out while they are empty. */
static int unverified_add(struct plan *plan)
{
	uint32_t owner, n = plan->n_nodes;
	char what[PLAN_WHAT + 64];
	int err = parts_add(plan);

	if (!err)
		err = plan_vias_add(plan);
	if (!err)
		err = plan_callees_add(plan);

	plan->unverified_at = plan->may_doubt ? plan->n_nodes : 0;
	plan->by.first = plan->n_nodes + (plan->may_doubt ? n / plan_stride(plan) : 0);
	for (owner = 0; plan->may_doubt && !err && owner < n; owner += plan_stride(plan)) {
		snprintf(what, sizeof(what), "%s, where the start may be another call's",
			 plan->nodes[owner].what);
		err = distribution_add(plan, SNAPSHOT_UNVERIFIED, owner, "",
				       plan->nodes[owner].name, ":unverified", what);
	}
	return err;
}

/*
 * Two events with the same key need not belong together. And while a task is preempted
 * inside a program, the kernel skips that program for other tasks: then only session
 * cookies still give the right start.
 */
static bool plan_may_doubt(const struct plan *plan)
{
	const struct spec *spec = plan->spec;

	if (plan_is_point(plan))
		return false;
	if (spec->pairing == KSTATS_BY_KEY || !spec->n_targets)
		return true;
	if (!plan->preempts || spec->method == SPEC_METHOD_DIRECT || plan->has_user)
		return false;
	return plan->session != FACTS_SESSION || spec->stays || spec_asks_switches(spec) ||
	       !spec->n_targets || spec->pairing != KSTATS_BY_TASK ||
	       spec->method == SPEC_METHOD_FENTRY || spec->method == SPEC_METHOD_KPROBE;
}

int plan_alloc(struct plan *plan, size_t n_probes, size_t n_names)
{
	size_t stride = plan_stride(plan) + plan->may_doubt;

	if (plan->spec->parts)
		stride += KSTATS_PARTS_N;
	if (plan->n_vias)
		stride += plan->n_vias + 2;
	if (plan->spec->callees)
		stride += plan->n_callees + 2;
	plan->probes = calloc(n_probes, sizeof(*plan->probes));
	plan->nodes = calloc(n_names * stride, sizeof(*plan->nodes));
	return plan->probes && plan->nodes ? 0 : -ENOMEM;
}

/* ---- a pair of points ---- */

int plan_point_find(const struct spec *spec, struct facts *facts, const struct spec_point *sp,
		    struct plan_point *p, struct error *e)
{
	p->kind = sp->kind;
	if (spec_is_user(sp->kind))
		return plan_user_find(spec, sp, p, e);
	if (sp->kind == SPEC_TRACEPOINT)
		return facts_find_tracepoint(facts, sp->module, sp->name, &p->tp, e);
	p->is_return = sp->is_return;
	return facts_find_function(facts, sp->module, sp->name, &p->fn, e);
}

/* Looks only if needed, since the list of events is long. */
static void find_event(const struct plan *plan, struct facts *facts, struct plan_point *p)
{
	bool wanted = plan->tp_preempts || plan->spec->method == SPEC_METHOD_TRACE_EVENT;

	/* Programs of trace events record no parts and no single calls. */
	if (plan->spec->parts || plan->spec->why)
		return;
	if (wanted && p->kind == SPEC_TRACEPOINT)
		p->no_event = facts_no_event(facts, p->tp.name);
}

static int check_point(const struct spec *spec, const struct plan_point *p, bool end,
		       struct error *e)
{
	int err = 0;

	if (p->kind == SPEC_FUNCTION)
		err = plan_check_function(spec, &p->fn, false, e);
	else if (spec->method == SPEC_METHOD_TRACE_EVENT && p->no_event)
		err = error_set(e, EXIT_KERNEL, -EOPNOTSUPP, p->no_event,
				"leave out --method trace-event",
				"cannot use the trace event of '%s'", plan_point_name(p));
	if (!err && spec->pairing == KSTATS_BY_KEY && !spec->keys[0])
		err = check_key(p, end ? spec->key_end : spec->key_start, e);
	return err;
}

int plan_no_way(const struct plan *plan, const char *name, struct error *e)
{
	bool one_for_all = plan->n_calls > 1 && plan->spec->method == SPEC_METHOD_KPROBE_SESSION;

	if (!one_for_all &&
	    (plan->spec->value || (plan->by.n && !plan->by.at_start) || plan->show.n) &&
	    !plan->is_pair && !plan_is_point(plan))
		return error_set(e, EXIT_KERNEL, -ENXIO,
				 "at the return of a function, kprobes cannot read its parameters",
				 "leave out --method: fentry can read them",
				 "cannot evaluate the %s at '%s'",
				 plan->spec->value ? "value"
				 : plan->show.n    ? "values of --show"
						   : "key",
				 name);
	return error_set(e, EXIT_KERNEL, -ENXIO,
			 one_for_all ? "kprobe session has one program for all functions, and "
				       "their parameters differ"
				     : "with kprobes, parameters after the sixth are on the stack",
			 one_for_all ? "leave out --method, or trace one function"
				     : "leave out --method: fentry can read them",
			 "cannot evaluate the expression at '%s'", name);
}

static int make_pair(struct plan *plan, struct facts *facts, struct error *e)
{
	const struct spec *spec = plan->spec;
	struct plan_point start = {}, end = {};
	struct plan_condition condition;
	char what[PLAN_WHAT];
	int err;

	if (spec_is_several(spec))
		return plan_several_make(plan, facts, e);
	plan->is_pair = true;
	err = plan_point_find(spec, facts, &spec->start, &start, e);
	if (!err)
		err = plan_point_find(spec, facts, &spec->end, &end, e);
	if (err)
		goto out;
	if (plan_needs_start(plan, &start, &end)) {
		err = plan_several_make(plan, facts, e);
		goto out;
	}
	find_event(plan, facts, &start);
	find_event(plan, facts, &end);
	err = check_point(spec, &start, false, e);
	if (!err)
		err = check_point(spec, &end, true, e);
	plan_quick_find(plan, NULL);
	if (!err)
		err = plan_condition_check(plan, &condition, &start, &end, e);
	if (!err)
		err = plan_alloc(plan, 1, 1);
	if (err)
		goto out;
	snprintf(what, sizeof(what), "%s%sfrom %s to %s", spec->value ? spec->value->text : "",
		 spec->value ? ", " : "", plan_point_name(&start), plan_point_name(&end));
	err = plan_nodes_add(plan, spec->name, what);
	if (!err)
		err = plan_probe_add(plan, &start, &end, 0);
	if (err == -ENXIO)
		err = plan_no_way(plan, spec->name, e);
out:
	plan_user_free(&start.user);
	plan_user_free(&end.user);
	return err;
}

/* ---- one point ---- */

static int make_point(struct plan *plan, struct facts *facts, struct error *e)
{
	const struct spec *spec = plan->spec;
	struct plan_condition condition;
	struct plan_point p = {};
	char what[PLAN_WHAT];
	int err;

	err = plan_point_find(spec, facts, &spec->at, &p, e);
	if (!err)
		err = check_point(spec, &p, false, e);
	if (!err)
		err = plan_condition_check(plan, &condition, &p, &p, e);
	if (!err)
		err = plan_alloc(plan, 1, 1);
	if (err)
		goto out;
	snprintf(what, sizeof(what), "%s at %s%s", spec->value->text,
		 p.kind == SPEC_FUNCTION || p.kind == SPEC_USER_FUNCTION ? "the entry of " : "",
		 plan_point_name(&p));
	err = plan_nodes_add(plan, spec->name, what);
	if (!err)
		err = plan_probe_add(plan, &p, &p, 0);
	if (err == -ENXIO)
		err = plan_no_way(plan, spec->name, e);
out:
	plan_user_free(&p.user);
	return err;
}

/* ---- functions, entry to return ---- */

/* What is recorded of functions. @of: "vfs_read", or "3 functions" */
static void say_what(const struct spec *spec, const char *of, char what[PLAN_WHAT])
{
	const char *where = spec->pairing != KSTATS_BY_POINT ? "of calls of"
			    : spec->at_return                ? "at the return of"
							     : "at the entry of";

	if (spec->value)
		snprintf(what, PLAN_WHAT, "%s %s %s", spec->value->text, where, of);
	else
		snprintf(what, PLAN_WHAT, "entry to return of %s", of);
}

/* Each function needs a stub of its own. Other measurements may have some. */
static int check_stubs(const struct plan *plan, const struct plan_list *l, struct error *e)
{
	int n = plan->spec->method == SPEC_METHOD_DIRECT ? facts_free_stubs(plan->facts) : -1;
	bool fits = l->n <= KSTATS_DIRECT_STUBS;
	char why[128];

	if (n < 0 || l->n <= (size_t)n)
		return 0;
	snprintf(why, sizeof(why),
		 "each takes a stub of the module kstats; it has %d, and %d %s free",
		 KSTATS_DIRECT_STUBS, n, n == 1 ? "is" : "are");
	return error_set(e, fits ? EXIT_KERNEL : EXIT_USAGE, -ENOSPC, why,
			 fits ? "/sys/module/kstats/parameters/direct lists them"
			      : "name fewer functions, or leave out --method direct",
			 "cannot measure %zu function%s with --method direct", l->n,
			 units_plural(l->n));
}

static int check_number(const struct plan *plan, const struct plan_list *l, struct error *e)
{
	unsigned int most = plan->spec->max_functions;
	int err = check_stubs(plan, l, e);
	char why[96];

	if (!most)
		most = plan_takes_many(plan) ? PLAN_FUNCTIONS_MAX_BY_LINK : PLAN_FUNCTIONS_MAX;
	if (err || l->n <= most)
		return err;
	snprintf(why, sizeof(why), "they name %zu functions and the limit is %u", l->n, most);
	return error_set(e, EXIT_USAGE, -E2BIG, why,
			 "raise it with --limit functions=N, or name fewer", "too many functions");
}

/* Use the given name; several functions share it as a prefix. */
static void name_call(const struct spec *spec, const struct plan_list *l, const char *function,
		      char *name, size_t size)
{
	if (l->n == 1 && spec->name)
		snprintf(name, size, "%s", spec->name);
	else if (spec->name)
		snprintf(name, size, "%s:%s", spec->name, function);
	else
		snprintf(name, size, "%s", function);
}

static const char *list_name(const struct plan_list *l, size_t i)
{
	return l->users ? l->users[i].name : l->fns[i].name;
}

static int make_call(struct plan *plan, const struct plan_list *l, size_t i, uint32_t node,
		     struct error *e)
{
	struct plan_point p = { .kind = l->users ? SPEC_USER_FUNCTION : SPEC_FUNCTION };
	struct plan_condition condition;
	int err;

	plan->breaks |= l->users && l->users[i].breaks;
	if (l->users)
		p.user = l->users[i];
	else
		p.fn = l->fns[i];
	err = plan_condition_check(plan, &condition, &p, &p, e);
	if (!err)
		err = plan_probe_add(plan, &p, &p, node);
	return err == -ENXIO ? plan_no_way(plan, list_name(l, i), e) : err;
}

static int make_calls(struct plan *plan, const struct plan_list *l, struct error *e)
{
	const struct spec *spec = plan->spec;
	size_t stride = plan_stride(plan), i;
	char what[PLAN_WHAT], name[384];
	const char *fn;
	int err;

	plan->n_calls = l->n;
	plan_quick_find(plan, l);
	err = plan_alloc(plan, l->n, spec->merge ? 1 : l->n);
	if (!err && spec->merge) {
		snprintf(name, sizeof(name), "%zu functions", l->n);
		say_what(spec, l->n == 1 ? list_name(l, 0) : name, what);
		err = plan_nodes_add(plan,
				     spec->name  ? spec->name
				     : l->n == 1 ? list_name(l, 0)
						 : "merged",
				     what);
	}
	for (i = 0; !err && i < l->n; i++) {
		fn = list_name(l, i);
		if (!spec->merge) {
			say_what(spec, fn, what);
			name_call(spec, l, fn, name, sizeof(name));
			err = plan_nodes_add(plan, name, what);
		}
		if (!err)
			err = make_call(plan, l, i, spec->merge ? 0 : i * stride, e);
	}
	return err;
}

/* Programs that have them count; nothing is hooked. */
static int make_markers(struct plan *plan, struct error *e)
{
	const struct spec *spec = plan->spec;
	struct plan_list l = { .n = spec->n_targets };
	char name[384];
	size_t i;
	int err;

	if (spec->stays)
		return error_set(e, EXIT_USAGE, -EINVAL, "a node of markers has other words",
				 "write 'kstats-bpf node add --user NAME'",
				 "cannot add a node for m:%s", spec->targets[0].name);
	err = plan_alloc(plan, 1, spec->n_targets);
	plan->map = true;
	plan->backend_reason = strdup("");
	for (i = 0; !err && i < spec->n_targets; i++) {
		name_call(spec, &l, spec->targets[i].name, name, sizeof(name));
		err = plan_nodes_add(plan, name, PLAN_MARKERS);
	}
	return err || !plan->backend_reason ? error_no_memory(e, "cannot plan") : 0;
}

static int make_functions(struct plan *plan, struct facts *facts, struct error *e)
{
	const struct spec *spec = plan->spec;
	struct plan_list l = {};
	int err = 0;
	size_t i;

	for (i = 0; !err && i < spec->n_targets; i++)
		err = plan_list_target(&l, spec, facts, &spec->targets[i], e);
	if (!err)
		err = check_number(plan, &l, e);
	if (!err)
		err = plan_callees_find(plan, facts, &l, e);
	if (!err)
		err = make_calls(plan, &l, e);
	plan->n_skipped = l.n_skipped;
	for (i = 0; l.users && i < l.n; i++)
		plan_user_free(&l.users[i]);
	free(l.users);
	free(l.fns);
	return err;
}

/* Tracepoints work without ftrace. */
static int check_ftrace(const struct spec *spec, const struct facts *facts, struct error *e)
{
	bool has_fn = (spec->n_targets && !spec_is_user(spec->targets[0].kind)) ||
		      spec_has_kind(spec, SPEC_FUNCTION);

	return has_fn ? plan_need_ftrace(facts, e) : 0;
}

int plan_need_ftrace(const struct facts *facts, struct error *e)
{
	if (!facts_ftrace_is_off(facts))
		return 0;
	return error_set(e, EXIT_KERNEL, -EOPNOTSUPP,
			 "ftrace is off, and no program on a function would run",
			 "sysctl kernel.ftrace_enabled=1", "cannot trace functions");
}

int plan_make(struct plan *plan, const struct spec *spec, struct facts *facts, struct error *e)
{
	int err = 0;

	*plan = (struct plan){ .spec = spec,
			       .facts = facts,
			       .has_user = spec_has_user(spec),
			       .session = facts_session(facts),
			       .has = facts_has(facts),
			       .preempts = facts_preempts(facts),
			       .tp_preempts = facts_tp_preempts(facts),
			       .preempts_why = strdup(facts_preempts_why(facts)) };
	plan->may_doubt = plan_may_doubt(plan);
	plan->counts_runs =
		!plan_has(plan, FACTS_COUNTS_KPROBES) && plan_has(plan, FACTS_SHOWS_HITS);
	/* While a kprobe is handled, those of a pair are skipped in interrupts; it counts them. */
	plan->reads_hits = plan_has(plan, FACTS_SHOWS_HITS) &&
			   (plan->counts_runs || !(spec->n_targets || plan_is_point(plan)));
	plan->watch_bpf_calls = plan->may_doubt && !plan_has(plan, FACTS_COUNTS_KPROBES) &&
				plan_has(plan, FACTS_HOOKS_BPF_CALLS);
	if (spec_has_markers(spec))
		return make_markers(plan, e);
	err = plan->preempts_why ? plan_check_method(spec, e) : -ENOMEM;
	if (!err)
		err = plan_check_user(spec, e);
	if (!err)
		err = check_ftrace(spec, facts, e);
	if (!err)
		err = plan_by_open(plan, e);
	if (!err)
		err = plan_choose_backend(plan, facts, e);
	if (err)
		goto out;
	if (spec->n_targets)
		err = make_functions(plan, facts, e);
	else
		err = plan_is_point(plan) ? make_point(plan, facts, e) : make_pair(plan, facts, e);
	if (!err)
		err = unverified_add(plan);
out:
	if (!err)
		err = plan_choose_slots(plan, facts, e);
	plan_choose_returns(plan);
	if (err == -ENOMEM)
		error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot plan");
	return err;
}

void plan_free(struct plan *plan)
{
	uint32_t i, w;

	for (i = 0; i < plan->n_nodes; i++) {
		free(plan->nodes[i].name);
		free(plan->nodes[i].what);
	}
	for (i = 0; i < plan->n_probes; i++) {
		for (w = 0; w < plan->probes[i].n_ways; w++)
			plan_way_free(&plan->probes[i].ways[w]);
		free(plan->probes[i].reason);
		free(plan->probes[i].if_type);
		free(plan->probes[i].value_type);
	}
	plan_callees_free(plan);
	plan_by_free(&plan->by);
	free(plan->nodes);
	free(plan->probes);
	free(plan->preempts_why);
	free(plan->backend_reason);
	*plan = (struct plan){};
}
