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
	const char *point; /* of interrupts: its program has several */
} programs[] = {
	{ "parts_free", NULL },
	{ "parts_wakeup", NULL },
	{ "parts_switch", NULL },
	{ "irq_begins", "irq_handler_entry" },
	{ "irq_ends", "irq_handler_exit" },
	{ "softirq_begins", "softirq_entry" },
	{ "softirq_ends", "softirq_exit" },
	{ "irq_begins", "local_timer_entry" },
	{ "irq_ends", "local_timer_exit" },
	{ "irq_begins", "reschedule_entry" },
	{ "irq_ends", "reschedule_exit" },
	{ "irq_begins", "call_function_entry" },
	{ "irq_ends", "call_function_exit" },
	{ "irq_begins", "call_function_single_entry" },
	{ "irq_ends", "call_function_single_exit" },
	{ "irq_begins", "irq_work_entry" },
	{ "irq_ends", "irq_work_exit" },
};

#define PROGRAMS (sizeof(programs) / sizeof(*programs))

_Static_assert(PROGRAMS <= SESSION_PARTS_MAX, "links");

static struct bpf_program *parts_program(const struct session *s, size_t i)
{
	return bpf_object__find_program_by_name(s->skel->obj, programs[i].name);
}

static bool has_point(const struct session *s, size_t i)
{
	char name[64];

	snprintf(name, sizeof(name), "btf_trace_%s", programs[i].point);
	return facts_types_find(facts_kernel_types(s->plan->facts), BTF_KIND_TYPEDEF, name);
}

void session_parts_want(struct session *s)
{
	size_t i;

	for (i = 0; s->plan->parts_at && i < PROGRAMS; i++)
		bpf_program__set_autoload(parts_program(s, i), true);
}

int session_parts_attach(struct session *s, struct error *e)
{
	struct bpf_program *prog;
	size_t i;

	for (i = 0; s->plan->parts_at && i < PROGRAMS; i++) {
		prog = parts_program(s, i);
		if (!programs[i].point)
			s->parts[i] = bpf_program__attach_trace(prog);
		else if (has_point(s, i))
			s->parts[i] = bpf_program__attach_raw_tracepoint(prog, programs[i].point);
		else
			continue;
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
