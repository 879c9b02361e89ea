// SPDX-License-Identifier: GPL-2.0-only
/* plan.c - see plan.h. */
#include "plan_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A point that was looked up: a function or a tracepoint of this kernel. */
struct point {
	enum spec_point_kind kind;
	struct facts_function fn;
	struct facts_tracepoint tp;
};

static const char *point_module(const struct point *p)
{
	return p->kind == SPEC_FUNCTION ? p->fn.module : p->tp.module;
}

static const char *point_name(const struct point *p)
{
	return p->kind == SPEC_FUNCTION ? p->fn.name : p->tp.name;
}

static int check_key(const struct point *p, int index, struct error *e)
{
	unsigned int n = p->kind == SPEC_FUNCTION ? p->fn.n_args : p->tp.n_args;
	const struct facts_value *args = p->kind == SPEC_FUNCTION ? p->fn.args : p->tp.args;

	if (p->kind == SPEC_FUNCTION && !p->fn.btf_id)
		return 0;
	if ((unsigned int)index >= n)
		return error_set(e, EXIT_USAGE, -EINVAL, "it has fewer arguments",
				 "arguments count from arg0", "cannot use arg%d of '%s' as the key",
				 index, point_name(p));
	if (args[index].type == FACTS_OTHER)
		return error_set(e, EXIT_USAGE, -EINVAL, "it is a structure", NULL,
				 "cannot use arg%d of '%s' as the key", index, point_name(p));
	return 0;
}

/* ---- building ---- */

static uint64_t hook_word(const struct spec *spec, const struct point *p, uint32_t node, bool end,
			  bool is_pair)
{
	const struct facts_value *args = p->kind == SPEC_FUNCTION ? p->fn.args : p->tp.args;
	int key = end ? spec->key_end : spec->key_start;
	uint64_t word = node;

	if (spec->pairing == KSTATS_BY_KEY && key < FACTS_ARGS_MAX)
		word |= (uint64_t)args[key].bytes << KSTATS_HOOK_KEY_SHIFT;
	if (!end || is_pair)
		return word;
	word |= (uint64_t)p->fn.ret.bytes << KSTATS_HOOK_RET_SHIFT;
	if (p->fn.ret.type == FACTS_SIGNED)
		word |= KSTATS_HOOK_SIGNED;
	if (p->fn.ret.type == FACTS_POINTER)
		word |= KSTATS_HOOK_POINTER;
	return word;
}

static int hook_make(struct plan_hook *hook, enum plan_hook_type type, const struct point *p,
		     uint64_t word)
{
	hook->type = type;
	hook->word = word;
	hook->btf_id = p->kind == SPEC_TRACEPOINT ? p->tp.btf_id : p->fn.btf_id;
	hook->module = strdup(point_module(p));
	hook->name = strdup(point_name(p));
	return hook->module && hook->name ? 0 : -ENOMEM;
}

static const char *pair_method(const struct point *start, const struct point *end, bool kprobe)
{
	if (start->kind == SPEC_TRACEPOINT && end->kind == SPEC_TRACEPOINT)
		return "tracepoint pair (tp_btf)";
	if (start->kind == SPEC_FUNCTION && end->kind == SPEC_FUNCTION)
		return kprobe ? "function pair (kprobe)" : "function pair (fentry)";
	return kprobe ? "function and tracepoint (kprobe, tp_btf)"
		      : "function and tracepoint (fentry, tp_btf)";
}

/* Type of one end of a way: @kprobe where that is asked for or the only one. */
static enum plan_hook_type point_type(const struct spec *spec, const struct point *p, bool kprobe)
{
	if (p->kind == SPEC_TRACEPOINT)
		return PLAN_TP_BTF;
	return kprobe || !plan_fentry_possible(spec, &p->fn) ? PLAN_KPROBE : PLAN_FENTRY;
}

static int way_add(const struct plan *plan, struct plan_probe *probe, const struct point *start,
		   const struct point *end, bool kprobe)
{
	const struct spec *spec = plan->spec;
	struct plan_way *way = &probe->ways[probe->n_ways++];
	enum plan_hook_type first, last;
	int err;

	if (plan->is_pair) {
		first = point_type(spec, start, kprobe);
		last = point_type(spec, end, kprobe);
		way->method = pair_method(start, end, first == PLAN_KPROBE || last == PLAN_KPROBE);
	} else if (spec->method == SPEC_METHOD_FSESSION) {
		first = last = PLAN_FSESSION;
		way->method = "fsession";
	} else {
		first = kprobe ? PLAN_KPROBE : PLAN_FENTRY;
		last = kprobe ? PLAN_KRETPROBE : PLAN_FEXIT;
		way->method = kprobe ? "kprobe/kretprobe" : "fentry/fexit";
	}
	err = hook_make(&way->start, first, start,
			hook_word(spec, start, probe->node, first == PLAN_FSESSION, plan->is_pair));
	if (!err)
		err = hook_make(&way->end, last, end,
				hook_word(spec, end, probe->node, true, plan->is_pair));
	return err;
}

static const char *first_reason(const struct spec *spec, const struct point *p, bool has_fentry)
{
	if (spec->method != SPEC_METHOD_AUTO)
		return "asked for by --method";
	if (p->kind == SPEC_TRACEPOINT)
		return "the only way for a tracepoint";
	if (p->fn.twin)
		return "another module has such a function, and fentry may take that";
	return has_fentry ? "first choice" : "no BTF for fentry";
}

static int probe_add(struct plan *plan, const struct point *start, const struct point *end,
		     uint32_t node)
{
	const struct spec *spec = plan->spec;
	struct plan_probe *probe = &plan->probes[plan->n_probes++];
	bool has_fn = start->kind == SPEC_FUNCTION || end->kind == SPEC_FUNCTION;
	bool fentry = (start->kind == SPEC_FUNCTION && plan_fentry_possible(spec, &start->fn)) ||
		      (end->kind == SPEC_FUNCTION && plan_fentry_possible(spec, &end->fn));
	bool kprobe = has_fn &&
		      (start->kind != SPEC_FUNCTION || plan_kprobe_possible(spec, &start->fn)) &&
		      (end->kind != SPEC_FUNCTION || plan_kprobe_possible(spec, &end->fn));
	int err = 0;

	probe->node = node;
	probe->n_args = start->kind == SPEC_FUNCTION ? start->fn.n_args : 0;
	probe->reason = strdup(
		first_reason(spec, has_fn && start->kind == SPEC_TRACEPOINT ? end : start, fentry));
	if (!probe->reason)
		return -ENOMEM;
	if (fentry || !has_fn)
		err = way_add(plan, probe, start, end, false);
	if (!err && kprobe)
		err = way_add(plan, probe, start, end, true);
	return err;
}

/* ---- nodes ---- */

static int node_add(struct plan *plan, enum snapshot_kind kind, uint32_t owner, const char *prefix,
		    const char *name, const char *suffix, const char *what)
{
	struct plan_node *node = &plan->nodes[plan->n_nodes++];

	node->kind = kind;
	node->owner = owner;
	node->what = strdup(what);
	if (asprintf(&node->name, "%s%s%s", prefix, name, suffix) < 0)
		node->name = NULL;
	return node->name && node->what ? 0 : -ENOMEM;
}

/* The nodes of one probe, in the order that the BPF programs count on. */
static int nodes_add(struct plan *plan, const char *name, const char *what)
{
	const struct spec *spec = plan->spec;
	uint32_t owner = plan->n_nodes;
	char text[512];
	int err;

	err = node_add(plan, SNAPSHOT_DURATION, owner, "", name, "", what);
	if (!err && spec->split_ret) {
		snprintf(text, sizeof(text), "%s, calls that failed", what);
		err = node_add(plan, SNAPSHOT_ERROR, owner, "", name, ":error", text);
	}
	if (!err && spec->gap) {
		snprintf(text, sizeof(text), "from an end of %s to its next start on the same CPU",
			 name);
		err = node_add(plan, SNAPSHOT_GAP, owner, "GAP-", name, "", text);
	}
	return err;
}

static int alloc(struct plan *plan, size_t n_probes, size_t n_names)
{
	size_t stride = 1 + plan->spec->split_ret + plan->spec->gap;

	plan->probes = calloc(n_probes, sizeof(*plan->probes));
	plan->nodes = calloc(n_names * stride, sizeof(*plan->nodes));
	return plan->probes && plan->nodes ? 0 : -ENOMEM;
}

/* ---- a pair of points ---- */

static int point_find(struct facts *facts, const struct spec_point *sp, struct point *p,
		      struct error *e)
{
	p->kind = sp->kind;
	if (sp->kind == SPEC_TRACEPOINT)
		return facts_find_tracepoint(facts, sp->module, sp->name, &p->tp, e);
	return facts_find_function(facts, sp->module, sp->name, &p->fn, e);
}

static int check_point(const struct spec *spec, const struct point *p, bool end, struct error *e)
{
	int err = 0;

	if (p->kind == SPEC_FUNCTION)
		err = plan_check_function(spec, &p->fn, false, e);
	if (!err && spec->pairing == KSTATS_BY_KEY)
		err = check_key(p, end ? spec->key_end : spec->key_start, e);
	return err;
}

static int make_pair(struct plan *plan, struct facts *facts, struct error *e)
{
	const struct spec *spec = plan->spec;
	struct point start = {}, end = {};
	char what[384];
	int err;

	plan->is_pair = true;
	err = point_find(facts, &spec->start, &start, e);
	if (!err)
		err = point_find(facts, &spec->end, &end, e);
	if (!err)
		err = check_point(spec, &start, false, e);
	if (!err)
		err = check_point(spec, &end, true, e);
	if (!err)
		err = alloc(plan, 1, 1);
	if (err)
		return err;
	snprintf(what, sizeof(what), "from %s to %s", point_name(&start), point_name(&end));
	err = nodes_add(plan, spec->name, what);
	return err ? err : probe_add(plan, &start, &end, 0);
}

/* ---- functions, entry to return ---- */

static int check_number(const struct spec *spec, const struct plan_list *l, struct error *e)
{
	char why[96];

	if (l->n <= spec->max_functions)
		return 0;
	snprintf(why, sizeof(why), "they name %zu functions and the limit is %u", l->n,
		 spec->max_functions);
	return error_set(e, EXIT_USAGE, -E2BIG, why, "raise it with --max-functions, or name fewer",
			 "too many functions");
}

/* As it is called; of what stays, by the name that was given to it. */
static void name_call(const struct spec *spec, const struct plan_list *l, const char *function,
		      char *name, size_t size)
{
	if (l->n == 1 && spec->name)
		snprintf(name, size, "%s", spec->name);
	else if (spec->stays)
		snprintf(name, size, "%s:%s", spec->name, function);
	else
		snprintf(name, size, "%s", function);
}

static int make_calls(struct plan *plan, const struct plan_list *l)
{
	const struct spec *spec = plan->spec;
	size_t stride = 1 + spec->split_ret + spec->gap, i;
	struct point p = { .kind = SPEC_FUNCTION };
	char what[384], name[384];
	int err;

	err = alloc(plan, l->n, spec->merge ? 1 : l->n);
	if (!err && spec->merge) {
		snprintf(what, sizeof(what), "entry to return of %zu functions", l->n);
		err = nodes_add(plan,
				spec->stays ? spec->name
				: l->n == 1 ? l->fns[0].name
					    : "merged",
				what);
	}
	for (i = 0; !err && i < l->n; i++) {
		p.fn = l->fns[i];
		if (!spec->merge) {
			snprintf(what, sizeof(what), "entry to return of %s", p.fn.name);
			name_call(spec, l, p.fn.name, name, sizeof(name));
			err = nodes_add(plan, name, what);
		}
		if (!err)
			err = probe_add(plan, &p, &p, spec->merge ? 0 : i * stride);
	}
	return err;
}

int plan_make(struct plan *plan, const struct spec *spec, struct facts *facts, struct error *e)
{
	struct plan_list l = {};
	size_t i;
	int err = 0;

	*plan = (struct plan){ .spec = spec };
	err = plan_check_method(spec, e);
	if (!err)
		err = plan_choose_backend(plan, facts, e);
	if (err)
		goto out;
	if (!spec->n_targets) {
		err = make_pair(plan, facts, e);
		goto out;
	}
	for (i = 0; !err && i < spec->n_targets; i++)
		err = plan_list_target(&l, spec, facts, &spec->targets[i], e);
	if (!err)
		err = check_number(spec, &l, e);
	if (!err)
		err = make_calls(plan, &l);
	plan->n_skipped = l.n_skipped;
	free(l.fns);
out:
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
		for (w = 0; w < plan->probes[i].n_ways; w++) {
			free(plan->probes[i].ways[w].start.module);
			free(plan->probes[i].ways[w].start.name);
			free(plan->probes[i].ways[w].end.module);
			free(plan->probes[i].ways[w].end.name);
		}
		free(plan->probes[i].reason);
	}
	free(plan->nodes);
	free(plan->probes);
	free(plan->backend_reason);
	*plan = (struct plan){};
}
