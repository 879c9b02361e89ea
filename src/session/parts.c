// SPDX-License-Identifier: GPL-2.0-only
/*
 * parts.c - the programs that --parts needs beside the hooks: they follow switches and wakeups of
 * tasks, and interrupts. See parts.bpf.h and priv.h.
 */
#include "session/priv.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "facts/types.h"

/* In the order of attaching. Other architectures lack some tracepoints of interrupts. */
static const struct {
	const char *name;
	bool optional;
} programs[] = {
	{ "parts_free", false },
	{ "parts_wakeup", false },
	{ "parts_switch", false },
	{ "irq_handler_begins", true },
	{ "irq_handler_ends", true },
	{ "softirq_begins", true },
	{ "softirq_ends", true },
	{ "local_timer_begins", true },
	{ "local_timer_ends", true },
	{ "reschedule_begins", true },
	{ "reschedule_ends", true },
	{ "call_function_begins", true },
	{ "call_function_ends", true },
	{ "call_function_single_begins", true },
	{ "call_function_single_ends", true },
	{ "irq_work_begins", true },
	{ "irq_work_ends", true },
};

#define PROGRAMS (sizeof(programs) / sizeof(*programs))

_Static_assert(PROGRAMS <= SESSION_PARTS_MAX, "links");

static struct bpf_program *parts_program(const struct session *s, size_t i)
{
	return bpf_object__find_program_by_name(s->skel->obj, programs[i].name);
}

static bool has_point(const struct session *s, size_t i)
{
	const char *section = bpf_program__section_name(parts_program(s, i));
	char name[64];

	if (!programs[i].optional)
		return true;
	snprintf(name, sizeof(name), "btf_trace_%s", strchr(section, '/') + 1);
	return facts_types_find(facts_kernel_types(s->plan->facts), BTF_KIND_TYPEDEF, name);
}

void session_parts_want(struct session *s)
{
	size_t i;

	for (i = 0; s->plan->parts_at && i < PROGRAMS; i++)
		bpf_program__set_autoload(parts_program(s, i), has_point(s, i));
}

int session_parts_attach(struct session *s, struct error *e)
{
	struct bpf_program *prog;
	size_t i;

	for (i = 0; s->plan->parts_at && i < PROGRAMS; i++) {
		prog = parts_program(s, i);
		if (!bpf_program__autoload(prog))
			continue;
		s->parts[i] = bpf_program__attach_trace(prog);
		if (!s->parts[i])
			return error_set(e, EXIT_KERNEL, -errno, NULL, "see 'kstats-bpf doctor'",
					 "cannot attach the program '%s', which --parts needs",
					 bpf_program__name(prog));
	}
	return 0;
}

void session_parts_detach(struct session *s)
{
	size_t i;

	for (i = 0; i < PROGRAMS; i++) {
		bpf_link__destroy(s->parts[i]);
		s->parts[i] = NULL;
	}
}
