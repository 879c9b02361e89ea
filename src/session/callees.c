// SPDX-License-Identifier: GPL-2.0-only
/* callees.c - the programs on functions that the target calls (--callees). See callees.bpf.h. */
#include "session/priv.h"

#include <errno.h>
#include <string.h>

#include "kstats_callees.h"
#include "kstats_parts.h"

static const char *const callees_programs[] = { "callee_enter", "callee_leave" };

static struct bpf_program *callees_program(const struct session *s, int end)
{
	return bpf_object__find_program_by_name(s->skel->obj, callees_programs[end]);
}

void session_callees_want(struct session *s)
{
	int end;

	for (end = 0; s->plan->n_callees && end < 2; end++)
		bpf_program__set_autoload(callees_program(s, end), true);
}

/* They come behind those of the probes. */
static uint32_t callees_guard(const struct plan *plan)
{
	return 2 * plan->n_probes;
}

int session_callees_settings(struct kstats_bpf *skel, const struct plan *plan)
{
	uint32_t places = bpf_map__max_entries(skel->maps.parts) * KSTATS_PARTS_WAYS;
	uint32_t guards = callees_guard(plan) + plan->n_callees;
	int err;

	if (!plan->n_callees)
		return 0;
	skel->rodata->n_callees = plan->n_callees;
	skel->rodata->callees_at = plan->callees_at;
	skel->rodata->callees_guard = callees_guard(plan);
	err = bpf_map__set_max_entries(skel->maps.callees, places * KSTATS_CALLEES_DEPTH);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.guards, guards);
	return err ? err : bpf_map__set_max_entries(skel->maps.guards_seen, guards);
}

static int callees_open(struct session *s, uint32_t nth, bool end, char *why, size_t size)
{
	struct session_callee *c = &s->callees[nth];
	const struct plan_way *way = &s->plan->callees[nth];
	struct session_code code = session_code_of(s, callees_program(s, end));
	const struct hook_template template = {
		.insns = code.insns,
		.n = code.n,
		.funcs = code.funcs,
		.settings = s->skel->maps.rodata,
		.trims = plan_has(s->plan, FACTS_LINKS_REGISTERS),
		.module_btf = s->module_btf,
		.guard = callees_guard(s->plan) + nth,
	};

	if (!template.insns) {
		snprintf(why, size, "its program was not loaded");
		return -EOPNOTSUPP;
	}
	return hook_open(end ? &c->end : &c->start, end ? &way->end : &way->start, &template, why,
			 size);
}

/* Of callees that were named each must do; of those that were found, one. */
static int callees_check(const struct session *s, uint32_t refused, uint32_t n, struct error *e)
{
	const struct plan_way *way = &s->plan->callees[refused];
	const char *why = s->callees[refused].why;

	if (n && *s->plan->spec->callees)
		return error_set(e, EXIT_KERNEL, -EOPNOTSUPP, why, "leave it out",
				 "cannot trace the callee '%s'", way->start.name);
	if (n && n == s->plan->n_callees)
		return error_set(e, EXIT_KERNEL, -EOPNOTSUPP, why, "leave out --callees",
				 "cannot trace any callee of '%s', for example '%s'",
				 s->plan->nodes[0].name, way->start.name);
	return 0;
}

/* The end first: no callee is left in progress for want of it. */
int session_callees_hook(struct session *s, struct error *e)
{
	struct session_callee *c;
	uint32_t i, refused = 0, n = 0;
	int err;

	for (i = 0; i < s->plan->n_callees; i++) {
		c = &s->callees[i];
		c->start = c->end = HOOK_NONE;
		err = callees_open(s, i, true, c->why, sizeof(c->why));
		if (!err)
			err = callees_open(s, i, false, c->why, sizeof(c->why));
		if (!err)
			continue;
		hook_close(&c->end);
		refused = i;
		n++;
	}
	s->has_callees = true;
	return callees_check(s, refused, n, e);
}

void session_callees_unhook(struct session *s)
{
	uint32_t i;

	for (i = 0; s->has_callees && i < s->plan->n_callees; i++) {
		hook_close(&s->callees[i].start);
		hook_close(&s->callees[i].end);
	}
	s->has_callees = false;
}

bool session_traces_callee(const struct session *s, uint32_t nth)
{
	return s->callees[nth].start.prog_fd >= 0;
}

const char *session_callee_why(const struct session *s, const struct plan_node *node)
{
	uint32_t c = node - s->plan->nodes - s->plan->callees_at - 1;

	if (node->kind != SNAPSHOT_CALLEE || session_traces_callee(s, c))
		return NULL;
	return s->callees[c].why;
}

const char *session_callee_left_out(const struct session *s, unsigned int i, const char **why)
{
	uint32_t c;

	for (c = 0; c < s->plan->n_callees; c++) {
		if (session_traces_callee(s, c) || i--)
			continue;
		*why = s->callees[c].why;
		return s->plan->callees[c].start.name;
	}
	return NULL;
}
