// SPDX-License-Identifier: GPL-2.0-only
/*
 * read.c - what a session counted, as a snapshot: the slots from the
 * store, what is in flight from the stamps of all tasks, what the kernel
 * skipped from its own counters.
 */
#include "session/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "store/flight.h"

/* Nodes with calls that keep their own start, so that open ones cannot be counted here. */
static bool *cookie_nodes(const struct session *s)
{
	bool *nodes = calloc(plan_all_nodes(s->plan), sizeof(*nodes));
	uint32_t i;
	int way;

	for (i = 0; nodes && i < s->plan->n_probes; i++) {
		way = s->probes[i].way;
		if (way >= 0 && plan_keeps_start(s->plan->probes[i].ways[way].start.type))
			nodes[s->plan->probes[i].node] = true;
	}
	return nodes;
}

static int tally(struct session *s, struct snapshot *snap, struct error *e)
{
	bool *cookies = cookie_nodes(s);
	const struct flight f = {
		.pairing = s->plan->spec->pairing,
		.task_slots_fd =
			session_keeps_stamps(s) ? bpf_map__fd(s->skel->maps.task_slots) : -1,
		.stacks_fd = bpf_map__fd(s->skel->maps.task_stacks),
		.idle_fd = bpf_map__fd(s->skel->maps.idle_stacks),
		.keys_fd = bpf_map__fd(s->skel->maps.keys),
		.n_cpus = s->store.n_cpus,
		.epoch_ns = s->skel->bss->epoch_ns,
		.in_cookies = cookies,
	};
	struct session_by_tables tables = { .keys = bpf_map__fd(s->skel->maps.by_keys),
					    .frames = s->frames };
	int err;

	if (!cookies)
		return error_no_memory(e, "cannot take a snapshot");
	err = session_by_tally(&s->plan->by, "--by", &tables, &f, &s->store, snap, s->stopped, e);
	free(cookies);
	return err;
}

/* ---- words ---- */

static const struct session_probe *probe_of(const struct session *s, uint32_t owner,
					    const struct plan_probe **probe)
{
	uint32_t i;

	for (i = 0; i < s->plan->n_probes; i++) {
		*probe = &s->plan->probes[i];
		if ((*probe)->node == owner)
			return &s->probes[i];
	}
	*probe = s->plan->probes;
	return NULL;
}

/* The plan has told it where tracefs cannot be used at all. */
static const char *say_little_room(const struct session *s, const struct session_probe *sp,
				   char *buf, size_t size)
{
	buf[0] = '\0';
	if (sp && sp->end.event_err && plan_has(s->plan, FACTS_ROOM_FOR_RETURNS))
		snprintf(buf, size,
			 "; no event could be made in tracefs (%s), so the kernel has room for "
			 "only ten calls at once, or two for each CPU: the ledger counts the rest "
			 "as lost",
			 strerror(-sp->end.event_err));
	return buf;
}

/* Why this way, and what it may lose. */
static char *reason_of(const struct session *s, const struct session_probe *sp,
		       const struct plan_probe *probe)
{
	bool hooked = sp && sp->way >= 0;
	const char *risk = hooked ? plan_way_risk(s->plan, &probe->ways[sp->way]) : NULL;
	char *text, room[256];

	if (asprintf(&text, "%s%s%s%s", sp && sp->why[0] ? sp->why : probe->reason,
		     risk ? "; " : "", risk ? risk : "",
		     say_little_room(s, hooked ? sp : NULL, room, sizeof(room))) < 0)
		return NULL;
	return text;
}

static int describe_node(const struct session *s, struct snapshot_node *node,
			 const struct plan_node *plan)
{
	const struct plan_probe *probe;
	const struct session_probe *sp = probe_of(s, plan->owner, &probe);
	const char *why = session_callee_why(s, plan);
	bool hooked = sp && sp->way >= 0 && !why;

	node->kind = plan->kind;
	node->owner = plan->owner;
	node->name = strdup(plan->name);
	node->what = strdup(plan->what);
	node->method = strdup(hooked ? probe->ways[sp->way].method : "none");
	node->reason = why ? strdup(why) : reason_of(s, sp, probe);
	return node->name && node->what && node->method && node->reason ? 0 : -ENOMEM;
}

static int read_describe(const struct session *s, struct snapshot *snap)
{
	const struct spec *spec = s->plan->spec;
	char pairing[PLAN_PAIRING], *filters = plan_filters(spec);
	char *command = spec_command_text(spec);
	struct utsname uts;
	uint32_t i;
	int err = -ENOMEM;

	uname(&uts);
	if (filters && command)
		err = snapshot_set_words(
			snap,
			&(struct snapshot_words){
				.kernel = uts.release,
				.backend = s->module_btf ? "kmod" : "map",
				.backend_reason = *s->backend_reason ? s->backend_reason
								     : s->plan->backend_reason,
				.pairing = plan_pairing(spec, pairing, sizeof(pairing)),
				.filters = filters,
				.command = command,
			});
	free(filters);
	free(command);
	strcpy(snap->unit, spec->value_unit);
	snap->span.wall_ns = s->wall_ns;
	snap->span.begin_ns = s->begin_ns;
	snap->span.final = s->stopped;
	for (i = 0; !err && i < s->plan->n_nodes; i++)
		err = describe_node(s, &snap->nodes[i], &s->plan->nodes[i]);
	return err;
}

uint64_t session_others(const struct session *s)
{
	uint64_t *counts = calloc(s->store.n_cpus, sizeof(*counts)), n = 0;
	unsigned int cpu;
	__u32 zero = 0;

	if (counts && !bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.others), &zero, counts))
		for (cpu = 0; cpu < s->store.n_cpus; cpu++)
			n += counts[cpu];
	free(counts);
	return n / 2; /* they are halves */
}

struct snapshot *session_about(const struct session *s, struct error *e)
{
	struct snapshot *snap =
		snapshot_new(s->plan->spec->bits, s->store.n_cpus, s->plan->n_nodes);
	int err = snap ? read_describe(s, snap) : -ENOMEM;

	if (!err)
		return snap;
	error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot take a snapshot");
	snapshot_free(snap);
	return NULL;
}

struct snapshot *session_snapshot(struct session *s, struct error *e)
{
	struct snapshot *snap = session_about(s, e);
	int err;

	if (!snap)
		return NULL;
	err = snapshot_add_keys(snap, s->plan->by.most);
	if (err) {
		error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot read the keys of --by");
		goto failed;
	}
	if (tally(s, snap, e))
		goto failed;
	err = session_direct_tell(s, snap);
	if (err) {
		error_set(e, EXIT_KERNEL, err, NULL, NULL,
			  "cannot read what the stubs have counted");
		goto failed;
	}
	err = session_skips_tell(s, snap);
	if (err) {
		error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot read what the kernel skipped");
		goto failed;
	}
	snap->span.end_ns = s->stopped ? s->end_ns : clock_ns(CLOCK_MONOTONIC);
	return snap;
failed:
	snapshot_free(snap);
	return NULL;
}
