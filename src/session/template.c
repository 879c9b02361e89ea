// SPDX-License-Identifier: GPL-2.0-only
/* template.c - which programs of the skeleton a plan needs; see priv.h. */
#include "session/priv.h"

#include <errno.h>
#include <stdio.h>

#include "hook/probe.h"

/* In the objects of some kernels only, so the skeleton does not know them. */
static struct bpf_program *find(const struct session *s, const char *name)
{
	return bpf_object__find_program_by_name(s->skel->obj, name);
}

struct bpf_program *session_template(const struct session *s, enum plan_hook_type type, bool end)
{
	switch (type) {
	case PLAN_FENTRY:
		return end ? s->skel->progs.fentry_end : s->skel->progs.fentry_start;
	case PLAN_FEXIT:
		return s->skel->progs.fexit_end;
	case PLAN_KPROBE:
		return end ? s->skel->progs.kprobe_end : s->skel->progs.kprobe_start;
	case PLAN_KRETPROBE:
		return s->skel->progs.kretprobe_end;
	case PLAN_FSESSION:
		return find(s, "fsession_both");
	case PLAN_KPROBE_SESSION:
		return find(s, "kprobe_session_both");
	case PLAN_TRACE_EVENT:
		return end ? s->skel->progs.trace_event_end : s->skel->progs.trace_event_start;
	default:
		return end ? s->skel->progs.tp_end : s->skel->progs.tp_start;
	}
}

unsigned int session_classes(const struct plan_way *way)
{
	static const unsigned int classes[PLAN_HOOK_TYPES] = {
		[PLAN_FENTRY] = SESSION_FENTRY,
		[PLAN_FEXIT] = SESSION_FENTRY,
		[PLAN_KPROBE] = SESSION_KPROBE,
		[PLAN_KRETPROBE] = SESSION_KPROBE,
		[PLAN_FSESSION] = SESSION_FSESSION,
		[PLAN_KPROBE_SESSION] = SESSION_KPROBE_SESSION,
		[PLAN_TRACE_EVENT] = SESSION_TRACE_EVENT,
	};

	return classes[way->start.type] | classes[way->end.type];
}

/* ---- templates ---- */

/* A template needs a target to be loaded at all; it is never attached. */
static int want_template(struct session *s, const struct plan_hook *hook, bool end)
{
	struct bpf_program *prog = session_template(s, hook->type, end);
	char name[256];

	if (!prog)
		return -ENOENT;
	if (bpf_program__autoload(prog))
		return 0;
	bpf_program__set_autoload(prog, true);
	if (s->untried)
		return 0;
	if (hook->type == PLAN_KPROBE_SESSION)
		bpf_program__set_expected_attach_type(prog, HOOK_KPROBE_SESSION);
	if (hook->type == PLAN_KPROBE || hook->type == PLAN_KRETPROBE ||
	    hook->type == PLAN_KPROBE_SESSION || hook->type == PLAN_TRACE_EVENT)
		return 0;
	if (hook->type == PLAN_FSESSION)
		bpf_program__set_expected_attach_type(prog, HOOK_FSESSION);
	snprintf(name, sizeof(name), "%s", hook->name);
	return bpf_program__set_attach_target(prog, 0, name);
}

/* Ways of these classes: on the function with the fewest arguments, most likely to load. */
static int want_ways(struct session *s, unsigned int classes)
{
	const struct plan_way *best = NULL, *way;
	unsigned int n_args = 0;
	uint32_t i, w;
	int err;

	for (i = 0; i < s->plan->n_probes; i++) {
		for (w = 0; w < s->plan->probes[i].n_ways; w++) {
			way = &s->plan->probes[i].ways[w];
			if (session_classes(way) != classes ||
			    (best && s->plan->probes[i].n_args >= n_args))
				continue;
			best = way;
			n_args = s->plan->probes[i].n_args;
		}
	}
	if (!best)
		return 0;
	err = want_template(s, &best->start, false);
	return err ? err : want_template(s, &best->end, true);
}

/* ---- what keeps the account ---- */

static bool may_keep_stamps(const struct session *s)
{
	uint32_t i, w;

	if (s->plan->spec->pairing != KSTATS_BY_TASK)
		return false;
	for (i = 0; i < s->plan->n_probes; i++)
		for (w = 0; w < s->plan->probes[i].n_ways; w++)
			if (!plan_is_session(s->plan->probes[i].ways[w].start.type) &&
			    !(session_classes(&s->plan->probes[i].ways[w]) & ~s->classes))
				return true;
	return false;
}

/* Does the kernel skip a program that may be used, and not count that? */
static bool may_watch_bpf_calls(const struct session *s)
{
	uint32_t i, w;

	if (!s->plan->watch_bpf_calls)
		return false;
	for (i = 0; i < s->plan->n_probes; i++)
		for (w = 0; w < s->plan->probes[i].n_ways; w++)
			if (plan_is_kprobe(s->plan->probes[i].ways[w].start.type) ||
			    plan_is_kprobe(s->plan->probes[i].ways[w].end.type))
				return true;
	return false;
}

static void want_helpers(struct session *s)
{
	bool stamps = may_keep_stamps(s), command = s->skel->rodata->who_by_command;

	bpf_program__set_autoload(s->skel->progs.task_exit, stamps);
	bpf_program__set_autoload(s->skel->progs.task_free, stamps || command);
	bpf_program__set_autoload(s->skel->progs.task_birth, command);
	bpf_program__set_autoload(s->skel->progs.tell_task, command);
	bpf_program__set_autoload(s->skel->progs.bpf_begins, may_watch_bpf_calls(s));
	bpf_program__set_autoload(s->skel->progs.bpf_ends, may_watch_bpf_calls(s));
	bpf_program__set_autoload(s->skel->progs.prog_counts, true);
	bpf_program__set_autoload(s->skel->progs.map_bases, true);
}

int session_want(struct session *s)
{
	unsigned int classes;
	int err = 0;

	want_helpers(s);
	for (classes = 0; !err && classes < 1 << SESSION_CLASSES; classes++)
		if (!(classes & ~s->classes))
			err = want_ways(s, classes);
	return err;
}
