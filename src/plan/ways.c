// SPDX-License-Identifier: GPL-2.0-only
/* ways.c - the ways to hook a function or a pair of points. */
#include "plan/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE_LOST "it loses no call to the preemption of this kernel"

/* ---- what is skipped ---- */

bool plan_may_skip(const struct plan *plan, enum plan_hook_type type)
{
	switch (plan_types[type].skips) {
	case PLAN_SKIPS_AT_TRACEPOINTS:
		return plan->tp_preempts;
	case PLAN_SKIPS_AS_SESSION:
		return plan->preempts && plan->session != FACTS_SESSION;
	default:
		return plan->preempts && plan_types[type].skips;
	}
}

/* Whether methods that lose no call come before cheaper ones. */
bool plan_is_careful(const struct plan *plan)
{
	enum spec_method method = plan->spec->method;

	return plan->preempts && !plan->spec->fast &&
	       (method == SPEC_METHOD_AUTO || plan_is_for_tracepoints(method));
}

/* ---- a function ---- */

/* The methods for a function, the cheapest first. */
static const struct call_way {
	enum spec_method method;
	const char *name;
	enum plan_hook_type start;
	enum plan_hook_type end;
} call_ways[] = {
	{ SPEC_METHOD_FSESSION, "fsession", PLAN_FSESSION, PLAN_FSESSION },
	{ SPEC_METHOD_FENTRY, "fentry/fexit", PLAN_FENTRY, PLAN_FEXIT },
	{ SPEC_METHOD_KPROBE_SESSION, "kprobe session", PLAN_KPROBE_SESSION, PLAN_KPROBE_SESSION },
	{ SPEC_METHOD_KPROBE, "kprobe/kretprobe", PLAN_KPROBE, PLAN_KRETPROBE },
	{ SPEC_METHOD_DIRECT, "direct", PLAN_DIRECT, PLAN_DIRECT },
};

#define N_CALL_WAYS (sizeof(call_ways) / sizeof(*call_ways))
#define RANKS 4

/* Without --method: use only what this kernel has, and what can count calls in flight. */
static bool is_wanted(const struct plan *plan, const struct call_way *c)
{
	const struct spec *spec = plan->spec;

	if (spec->method != SPEC_METHOD_AUTO)
		return true;
	if (!plan_is_session(c->start))
		return c->start != PLAN_DIRECT;
	if (spec->pairing != KSTATS_BY_TASK || spec->stays || spec_asks_switches(spec))
		return false;
	return c->method == SPEC_METHOD_FSESSION ? plan->session == FACTS_SESSION
						 : plan->session != FACTS_NO_SESSION;
}

/* Whether functions are asked for what differs between them: parameters and return values. */
static bool asks_each(const struct plan *plan)
{
	return plan->spec->condition || plan->spec->value || plan->spec->n_show ||
	       spec_by_when(plan->spec);
}

bool plan_takes_many(const struct plan *plan)
{
	enum spec_method method = plan->spec->method;

	if (plan->has_user)
		return plan_takes_many_user(plan);
	if (method != SPEC_METHOD_AUTO && method != SPEC_METHOD_KPROBE_SESSION)
		return false;
	if (plan_is_careful(plan) && plan_may_skip(plan, PLAN_KPROBE_SESSION))
		return false;
	return plan->session != FACTS_NO_SESSION && plan->spec->pairing == KSTATS_BY_TASK &&
	       !plan->spec->stays && !asks_each(plan);
}

static bool is_by_link(const struct plan *plan, enum plan_hook_type type)
{
	return plan->n_calls > PLAN_MANY && type == PLAN_KPROBE_SESSION;
}

/* Less than RANKS: methods that lose nothing first, then those with one link for many. */
static unsigned int rank(const struct plan *plan, const struct call_way *c)
{
	/* Of sleeping functions, a kretprobe with little room loses more than fentry does. */
	bool skips = plan_is_careful(plan) &&
		     (plan_may_skip(plan, c->start) ||
		      (c->end == PLAN_KRETPROBE && !plan_has(plan, FACTS_ROOM_FOR_RETURNS)));

	return 2 * skips + !is_by_link(plan, c->start);
}

static bool is_possible(const struct plan *plan, const struct call_way *c,
			const struct facts_function *fn)
{
	/* Its one program cannot ask several functions, whose parameters differ. */
	if (asks_each(plan) && c->start == PLAN_KPROBE_SESSION && plan->n_calls > 1)
		return false;
	return is_wanted(plan, c) && plan_possible(plan->spec, c->method, fn);
}

const char *plan_first_method(const struct facts *facts, const struct facts_function *fn,
			      unsigned int refused)
{
	const struct spec spec = { .method = SPEC_METHOD_AUTO, .pairing = KSTATS_BY_TASK };
	const struct plan plan = { .spec = &spec,
				   .session = facts_session(facts),
				   .has = facts_has(facts),
				   .preempts = facts_preempts(facts) };
	unsigned int r;
	size_t i;

	for (r = 0; r < RANKS; r++)
		for (i = 0; i < N_CALL_WAYS; i++)
			if (rank(&plan, &call_ways[i]) == r &&
			    !(refused >> call_ways[i].method & 1) &&
			    is_possible(&plan, &call_ways[i], fn))
				return call_ways[i].name;
	return NULL;
}

const char *plan_tracepoint_method(struct facts *facts, const char *name)
{
	bool event = facts_tp_preempts(facts) && !facts_no_event(facts, name);

	return plan_types[event ? PLAN_TRACE_EVENT : PLAN_TP_BTF].label;
}

static const char *call_reason(const struct plan *plan, const struct plan_probe *probe,
			       const struct facts_function *fn)
{
	bool risky = !probe->n_ways || plan_may_skip(plan, probe->ways[0].start.type);

	if (plan->spec->method == SPEC_METHOD_DIRECT)
		return "a stub of the module, asked for by --method";
	if (plan->spec->method == SPEC_METHOD_FSESSION && plan_is_point(plan))
		return "fsession hooks entry and return; for one point it is fentry or fexit";
	if (plan->spec->method != SPEC_METHOD_AUTO)
		return "asked for by --method";
	if (probe->n_ways && is_by_link(plan, probe->ways[0].start.type))
		return "one link hooks many functions at once";
	if (plan->spec->fast)
		return "asked for by --method fast";
	if (plan_is_careful(plan) && risky && fn->kprobe_ok &&
	    !plan_has(plan, FACTS_ROOM_FOR_RETURNS))
		return "kprobe/kretprobe loses no call to preemption, but has room for only ten "
		       "calls at once without tracefs";
	if (plan_is_careful(plan))
		return risky ? "kprobes refuse this function" : NONE_LOST;
	if (fn->twin)
		return "another module has a function of this name, "
		       "which fentry might hook instead";
	if (fn->varargs)
		return "its number of arguments varies, which fentry does not support";
	return fn->btf_id ? "first choice" : "no BTF for fentry";
}

/* Drops the way if it cannot read what the condition asks for. */
static int way_taken(struct plan_probe *probe, int err)
{
	if (err == -ENXIO)
		plan_way_free(&probe->ways[--probe->n_ways]);
	return err == -ENXIO ? 0 : err;
}

/*
 * One point needs no program that sees both. The kernel counts what it skips of both together,
 * so the number of skipped points would not be known.
 */
static enum plan_hook_type point_type_of(const struct plan *plan, const struct call_way *c)
{
	if (c->start == PLAN_FSESSION)
		return plan->spec->at_return ? PLAN_FEXIT : PLAN_FENTRY;
	return plan->spec->at_return ? c->end : c->start;
}

static int call_way_add(const struct plan *plan, struct plan_probe *probe,
			const struct plan_point *p, const struct call_way *c)
{
	struct plan_way *way;

	if (!is_possible(plan, c, &p->fn))
		return 0;
	way = &probe->ways[probe->n_ways++];
	way->method = c->name;
	way->start.type = c->start;
	way->end.type = c->end;
	if (plan_is_point(plan)) {
		way->start.type = way->end.type = point_type_of(plan, c);
		way->method = plan_types[way->start.type].label;
	}
	return way_taken(probe, plan_way_make(plan, way, probe->node, p, p));
}

static int call_add(const struct plan *plan, struct plan_probe *probe, const struct plan_point *p)
{
	unsigned int r;
	size_t i;
	int err = 0;

	for (r = 0; r < RANKS; r++)
		for (i = 0; !err && i < N_CALL_WAYS; i++)
			if (rank(plan, &call_ways[i]) == r)
				err = call_way_add(plan, probe, p, &call_ways[i]);
	if (err)
		return err;
	probe->reason = strdup(call_reason(plan, probe, &p->fn));
	return probe->reason ? 0 : -ENOMEM;
}

/* ---- a pair of points ---- */

static bool may(const struct plan *plan, enum spec_method method, const struct plan_point *p)
{
	return p->kind == SPEC_FUNCTION && plan_possible(plan->spec, method, &p->fn);
}

/* A pair, and how its functions and tracepoints are hooked. */
struct pair {
	const struct plan_point *start;
	const struct plan_point *end;
	bool kprobe;
	bool event;
	bool multi; /* points in programs by one link */
};

static bool has_kind(const struct pair *p, enum spec_point_kind kind)
{
	return p->start->kind == kind || p->end->kind == kind;
}

static bool is_user_pair(const struct pair *p)
{
	return spec_is_user(p->start->kind) || spec_is_user(p->end->kind);
}

static const char *user_pair_method(const struct pair *p)
{
	static const char *const names[][2] = {
		{ "pair in programs (uprobe)", "pair in programs (uprobe multi)" },
		{ "pair of nops in programs (uprobe)", "pair of nops in programs (uprobe multi)" },
		{ "program and function (uprobe, fentry)",
		  "program and function (uprobe multi, fentry)" },
		{ "program and function (uprobe, kprobe)",
		  "program and function (uprobe multi, kprobe)" },
		{ "program and tracepoint (uprobe, tp_btf)",
		  "program and tracepoint (uprobe multi, tp_btf)" },
		{ "program and tracepoint (uprobe, trace event)",
		  "program and tracepoint (uprobe multi, trace event)" },
	};
	bool nops = p->start->user.first == USER_NOP && p->end->user.first == USER_NOP;
	int with = has_kind(p, SPEC_FUNCTION)     ? 2 + p->kprobe
		   : has_kind(p, SPEC_TRACEPOINT) ? 4 + p->event
						  : nops;

	return names[with][p->multi];
}

static const char *pair_method(const struct pair *p, bool kprobe)
{
	static const char *const mixed[2][2] = {
		{ "function and tracepoint (fentry, tp_btf)",
		  "function and tracepoint (fentry, trace event)" },
		{ "function and tracepoint (kprobe, tp_btf)",
		  "function and tracepoint (kprobe, trace event)" },
	};

	if (is_user_pair(p))
		return user_pair_method(p);
	if (!has_kind(p, SPEC_FUNCTION))
		return p->event ? "tracepoint pair (trace event)" : "tracepoint pair (tp_btf)";
	if (!has_kind(p, SPEC_TRACEPOINT))
		return kprobe ? "function pair (kprobe)" : "function pair (fentry)";
	return mixed[kprobe][p->event];
}

/* The type of one end of a way: a kprobe if it is asked for or the only possibility. */
static enum plan_hook_type point_type(const struct plan *plan, const struct plan_point *point,
				      const struct pair *p)
{
	if (spec_is_user(point->kind))
		return p->multi ? PLAN_UPROBE_MULTI : PLAN_UPROBE;
	if (point->kind == SPEC_TRACEPOINT)
		return p->event ? PLAN_TRACE_EVENT : PLAN_TP_BTF;
	return p->kprobe || !may(plan, SPEC_METHOD_FENTRY, point) ? PLAN_KPROBE : PLAN_FENTRY;
}

static int pair_way_add_one(const struct plan *plan, struct plan_probe *probe, const struct pair *p)
{
	struct plan_way *way = &probe->ways[probe->n_ways++];

	way->start.type = point_type(plan, p->start, p);
	way->end.type = point_type(plan, p->end, p);
	way->method =
		pair_method(p, way->start.type == PLAN_KPROBE || way->end.type == PLAN_KPROBE);
	return way_taken(probe, plan_way_make(plan, way, probe->node, p->start, p->end));
}

/* Of points in programs: by one link first, which old kernels do not have. */
static int pair_way_add(const struct plan *plan, struct plan_probe *probe, struct pair *p)
{
	enum spec_method method = plan->spec->method;
	int err = 0;

	p->multi = is_user_pair(p) && method != SPEC_METHOD_UPROBE;
	if (p->multi)
		err = pair_way_add_one(plan, probe, p);
	if (err || (p->multi && method == SPEC_METHOD_UPROBE_MULTI))
		return err;
	p->multi = false;
	return pair_way_add_one(plan, probe, p);
}

static const char *no_event(const struct pair *p)
{
	if (p->start->kind == SPEC_TRACEPOINT && p->start->no_event)
		return p->start->no_event;
	return p->end->kind == SPEC_TRACEPOINT ? p->end->no_event : NULL;
}

/* Use trace events for all tracepoints if asked for, or if tp_btf would lose calls. */
static bool may_event(const struct plan *plan, const struct pair *p)
{
	const struct spec *spec = plan->spec;

	if (!has_kind(p, SPEC_TRACEPOINT) || spec->pairing == KSTATS_BY_KEY || spec->condition ||
	    spec->value || spec->n_by || no_event(p))
		return false;
	if (plan_is_for_tracepoints(spec->method))
		return spec->method == SPEC_METHOD_TRACE_EVENT;
	return plan->tp_preempts && !spec->fast;
}

static int pair_ways_add(const struct plan *plan, struct plan_probe *probe, struct pair *p)
{
	int err = 0;

	p->event = may_event(plan, p);
	if (p->event)
		err = pair_way_add(plan, probe, p);
	if (err || (p->event && plan->spec->method == SPEC_METHOD_TRACE_EVENT))
		return err;
	p->event = false;
	return pair_way_add(plan, probe, p);
}

static const char *tracepoint_reason(const struct plan *plan, const struct pair *p)
{
	if (plan_is_for_tracepoints(plan->spec->method))
		return "asked for by --method";
	if (!plan->tp_preempts)
		return "first choice";
	if (plan->spec->fast)
		return "asked for by --method fast";
	if (plan->spec->pairing == KSTATS_BY_KEY)
		return "only tp_btf sees the arguments that --key needs";
	if (plan->spec->condition)
		return "only tp_btf sees the arguments that --if needs";
	if (plan->spec->value)
		return "only tp_btf sees the arguments that --value needs";
	if (plan->spec->n_by)
		return "only tp_btf sees what --by needs";
	return no_event(p) ? no_event(p) : NONE_LOST;
}

/* For a mixed pair: the reason of the function, unless the tracepoint may lose calls. */
static const char *pair_reason(const struct plan *plan, const struct pair *p, bool fentry,
			       bool kprobe)
{
	const struct plan_point *fn = p->start->kind == SPEC_FUNCTION ? p->start : p->end;
	bool tp_loses = has_kind(p, SPEC_TRACEPOINT) && plan->tp_preempts && !may_event(plan, p);

	if (is_user_pair(p) && !has_kind(p, SPEC_FUNCTION) && !has_kind(p, SPEC_TRACEPOINT))
		return plan->spec->method == SPEC_METHOD_AUTO ? "first choice"
							      : "asked for by --method";
	if (!has_kind(p, SPEC_FUNCTION))
		return tracepoint_reason(plan, p);
	if (plan->spec->method != SPEC_METHOD_AUTO)
		return "asked for by --method";
	if (plan->spec->fast)
		return "asked for by --method fast";
	if (plan_is_careful(plan) && kprobe)
		return tp_loses ? tracepoint_reason(plan, p) : NONE_LOST;
	if (fn->fn.twin)
		return "another module has a function of this name, "
		       "which fentry might hook instead";
	if (fn->fn.varargs)
		return "its number of arguments varies, which fentry does not support";
	return fentry ? "first choice" : "no BTF for fentry";
}

static int pair_add(const struct plan *plan, struct plan_probe *probe, struct pair *p)
{
	const struct plan_point *start = p->start, *end = p->end;
	bool has_fn = has_kind(p, SPEC_FUNCTION);
	bool fentry = may(plan, SPEC_METHOD_FENTRY, start) || may(plan, SPEC_METHOD_FENTRY, end);
	bool kprobe = has_fn &&
		      (start->kind != SPEC_FUNCTION || may(plan, SPEC_METHOD_KPROBE, start)) &&
		      (end->kind != SPEC_FUNCTION || may(plan, SPEC_METHOD_KPROBE, end));
	bool kprobe_first = kprobe && plan_is_careful(plan);
	int err = 0;

	probe->reason = strdup(pair_reason(plan, p, fentry, kprobe));
	if (!probe->reason)
		return -ENOMEM;
	p->kprobe = kprobe_first;
	if (kprobe_first || fentry || !has_fn)
		err = pair_ways_add(plan, probe, p);
	p->kprobe = !kprobe_first;
	if (!err && (kprobe_first ? fentry : kprobe))
		err = pair_ways_add(plan, probe, p);
	return err;
}

/* The point of a value, if it is a tracepoint. */
static int tracepoint_add(const struct plan *plan, struct plan_probe *probe, const struct pair *p)
{
	struct plan_way *way = &probe->ways[probe->n_ways++];

	probe->reason = strdup(tracepoint_reason(plan, p));
	if (!probe->reason)
		return -ENOMEM;
	way->start.type = way->end.type = PLAN_TP_BTF;
	way->method = "tracepoint (tp_btf)";
	return way_taken(probe, plan_way_make(plan, way, probe->node, p->start, p->start));
}

int plan_probe_add(struct plan *plan, const struct plan_point *start, const struct plan_point *end,
		   uint32_t node)
{
	struct plan_probe *probe = &plan->probes[plan->n_probes++];
	struct pair pair = { .start = start, .end = end };
	int err;

	probe->node = node;
	probe->n_args = start->kind == SPEC_FUNCTION ? start->fn.n_args : 0;
	if (start->kind == SPEC_FUNCTION) {
		probe->ret = start->fn.ret;
		memcpy(probe->args, start->fn.args, sizeof(probe->args));
	}
	if (plan->is_pair)
		err = pair_add(plan, probe, &pair);
	else if (spec_is_user(start->kind))
		err = plan_user_ways(plan, probe, start);
	else if (start->kind == SPEC_TRACEPOINT)
		err = tracepoint_add(plan, probe, &pair);
	else
		err = call_add(plan, probe, start);
	if (!err && !probe->n_ways)
		return -ENXIO;
	if (!err && plan->spec->condition)
		probe->if_type = plan_condition_text(plan, start, end);
	if (!err && plan->spec->value)
		probe->value_type = plan_value_text(plan, start, end);
	if (err)
		return err;
	return (!plan->spec->condition || probe->if_type) &&
			       (!plan->spec->value || probe->value_type)
		       ? 0
		       : -ENOMEM;
}
