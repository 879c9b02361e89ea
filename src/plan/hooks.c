// SPDX-License-Identifier: GPL-2.0-only
/* hooks.c - the hooks of a way: their settings, and the code of the expressions in them. */
#include "plan/priv.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hook_word(const struct plan *plan, const struct plan_point *p, uint32_t node,
			  bool end)
{
	const struct facts_value *args = p->kind == SPEC_FUNCTION ? p->fn.args : p->tp.args;
	const struct spec *spec = plan->spec;
	int key = end ? spec->key_end : spec->key_start;
	uint64_t word = node;

	if (spec->pairing == KSTATS_BY_KEY && key < FACTS_ARGS_MAX)
		word |= (uint64_t)args[key].bytes << KSTATS_HOOK_KEY_SHIFT |
			(args[key].type == FACTS_POINTER ? KSTATS_HOOK_KEY_POINTER : 0);
	if (!end || plan->is_pair)
		return word;
	word |= (uint64_t)p->fn.ret.bytes << KSTATS_HOOK_RET_SHIFT;
	if (p->fn.ret.type == FACTS_SIGNED)
		word |= KSTATS_HOOK_SIGNED;
	if (p->fn.ret.type == FACTS_POINTER)
		word |= KSTATS_HOOK_POINTER;
	return word;
}

static bool asks_params(const struct expr *x)
{
	int i;

	for (i = 0; i < x->n; i++)
		if (x->nodes[i].op == EXPR_PARAM)
			return true;
	return false;
}

/* Whether the key of --by is evaluated there. */
static bool has_key(const struct plan *plan, const struct plan_hook *hook, bool starts)
{
	if (plan_is_point(plan))
		return starts;
	return plan_is_session(hook->type) || starts == plan->by.at_start;
}

/* Whether the value, or the key, of a return needs parameters that are not there. */
static bool lacks_params(const struct plan *plan, enum plan_hook_type type,
			 const struct plan_point *p)
{
	unsigned int i;

	if (!plan_types[type].loses_params)
		return false;
	if (p->is_return && p->own && asks_params(p->own))
		return true;
	for (i = 0; i < plan->by.n && !plan->by.at_start && !plan_is_point(plan) &&
		    (!plan->is_pair || p->is_return);
	     i++)
		if (asks_params(p->by[i]))
			return true;
	return p->end_value && asks_params(p->end_value);
}

/* What makes an event one of several points: without a condition, everything. */
static int own_code(struct plan_code *code, const struct plan_point *p, enum plan_hook_type type)
{
	const struct expr_wanted own = { .condition = p->own };
	const struct bpf_insn always[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = KSTATS_EXPR_YES },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return p->own ? plan_code_make(code, &own, type) : plan_code_copy(code, 2, always);
}

static int keep_code(struct plan_code *code, const struct plan_point *p, enum plan_hook_type type)
{
	static struct bpf_insn insns[EXPR_INSNS_MAX];
	struct expr_wanted wanted = {};
	unsigned int i;

	for (i = 0; i < KSTATS_KEPT_WORDS; i++)
		wanted.by[i] = p->keep[i];
	return plan_code_copy(code, expr_compile(&wanted, plan_types[type].context, insns), insns);
}

/* @starts: its program sees starts, or only the point of a value. */
static int hook_code(const struct plan *plan, struct plan_hook *hook, const struct plan_point *p,
		     bool starts)
{
	bool is_end = plan_types[hook->type].is_return && !plan->is_several;
	struct expr_wanted key = { .value = p->key, .use = EXPR_KEY };
	struct expr_wanted here = { .condition = p->condition,
				    .value = p->value,
				    .use = EXPR_VALUE };
	struct expr_wanted none = {};
	struct expr_wanted back = { .condition = p->end_condition,
				    .value = p->end_value,
				    .use = EXPR_VALUE };
	int err = plan_gate_make(plan, hook, p);

	if (!err && plan->is_several)
		err = own_code(&hook->own, p, hook->type);
	if (!err && plan->n_kept && p->keep[0])
		err = keep_code(&hook->keep, p, hook->type);

	if (hook->gate.n)
		here.condition = NULL;
	if (!err)
		err = plan_code_make(&hook->if_start, starts && !is_end ? &here : &none,
				     hook->type);
	if (!err)
		err = plan_code_make(&hook->key, &key, hook->type);
	if (!err && has_key(plan, hook, starts))
		err = plan_by_code(&hook->by, p, hook->type);
	if (err)
		return err;
	if (lacks_params(plan, hook->type, p))
		return -ENXIO;
	return plan_code_make(&hook->if_end,
			      is_end || plan_is_session(hook->type) ? &back
			      : starts                              ? &none
								    : &here,
			      hook->type);
}

static int hook_make(const struct plan *plan, struct plan_hook *hook, enum plan_hook_type type,
		     const struct plan_point *p, uint64_t word, bool starts)
{
	bool is_fn = p->kind == SPEC_FUNCTION;

	hook->type = type;
	hook->word = word;
	hook->btf_id = is_fn ? p->fn.btf_id : p->tp.btf_id;
	hook->shared = is_fn && p->fn.shared;
	hook->module = strdup(spec_is_user(p->kind) ? p->user.binary
			      : is_fn               ? p->fn.module
						    : p->tp.module);
	hook->name = strdup(plan_point_name(p));
	if (!hook->module || !hook->name || plan_places_copy(&hook->places, &p->user.places))
		return -ENOMEM;
	return hook_code(plan, hook, p, starts);
}

void plan_way_free(struct plan_way *way)
{
	struct plan_hook *hooks[] = { &way->start, &way->end };
	int i;

	for (i = 0; i < 2; i++) {
		free(hooks[i]->module);
		free(hooks[i]->name);
		free(hooks[i]->gate.insns);
		free(hooks[i]->if_start.insns);
		free(hooks[i]->if_end.insns);
		free(hooks[i]->key.insns);
		free(hooks[i]->own.insns);
		free(hooks[i]->keep.insns);
		free(hooks[i]->by.insns);
		plan_places_free(&hooks[i]->places);
	}
	*way = (struct plan_way){};
}

int plan_own_way(const struct plan *plan, struct plan_probe *probe, const struct plan_point *p,
		 enum plan_hook_type type, enum plan_role role)
{
	struct plan_way *way = &probe->ways[probe->n_ways++];
	struct plan_hook *hook = role == PLAN_START ? &way->start : &way->end;
	struct plan_hook *none = role == PLAN_START ? &way->end : &way->start;
	int err;

	none->type = PLAN_NO_HOOK;
	none->module = strdup("");
	none->name = strdup("");
	hook->role = role;
	err = none->module && none->name ? 0 : -ENOMEM;
	if (!err)
		err = hook_make(plan, hook, type, p, hook_word(plan, p, probe->node, !!role),
				role == PLAN_START);
	if (err == -ENXIO)
		plan_way_free(&probe->ways[--probe->n_ways]);
	return err == -ENXIO ? 0 : err;
}

/* If one program sees both ends, its start hook needs the settings of an end too. */
int plan_way_make(const struct plan *plan, struct plan_way *way, uint32_t node,
		  const struct plan_point *start, const struct plan_point *end)
{
	enum plan_hook_type first = way->start.type, last = way->end.type;
	struct plan_point bare = *end;
	int err;

	err = hook_make(plan, &way->start, first, start,
			hook_word(plan, start, node, plan_is_session(first)), true);
	/* The expressions of a single point are in its start hook. */
	bare.condition = bare.value = bare.end_condition = bare.end_value = NULL;
	if (plan_is_point(plan))
		end = &bare;
	return err ? err
		   : hook_make(plan, &way->end, last, end, hook_word(plan, end, node, true), false);
}
