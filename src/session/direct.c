// SPDX-License-Identifier: GPL-2.0-only
/*
 * direct.c - functions that a stub of the kernel module measures. In: a session with the
 * module. Out: attached stubs, and their counts in the ledgers. Called by hooks.c, session.c
 * and read.c.
 */
#include "session/priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facts/facts.h"
#include "result/ledger.h"

/* All at once, since the list of symbols is long. */
static int find_all(struct session *s)
{
	uint32_t n = s->plan->n_probes, i;

	if (s->addresses)
		return 0;
	s->addresses = calloc(n, sizeof(*s->addresses));
	if (!s->addresses)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		s->addresses[i].module = s->plan->probes[i].ways[0].start.module;
		s->addresses[i].name = s->plan->probes[i].ways[0].start.name;
	}
	return facts_addresses("", facts_kernel_types(s->plan->facts), s->addresses, n);
}

/* A stub for another function of the same name would measure the wrong one, or crash. */
static int direct_address_of(struct session *s, uint32_t probe, uint64_t *address, char *why,
			     size_t size)
{
	int err = find_all(s);

	if (!err)
		err = facts_address_check(&s->addresses[probe]);
	if (!err)
		*address = s->addresses[probe].address;
	else
		snprintf(why, size, "%s", facts_address_refusal(err));
	return err;
}

/* The first probe from @i on that a stub measures; the number of probes if there is none. */
static uint32_t next(const struct session *s, uint32_t i)
{
	uint32_t n = s->probes ? s->plan->n_probes : 0;

	while (i < n && !s->probes[i].direct)
		i++;
	return i < n ? i : s->plan->n_probes;
}

/* ---- filters ---- */

/* All stubs share the processes of the first one. */
static int filter(struct session *s, uint32_t probe, char *why, size_t size)
{
	const struct kstats_bpf__rodata *who = s->skel->rodata;
	struct kstats_direct_filter f = {};
	uint32_t first = next(s, 0), node = s->plan->probes[probe].node, i;
	bool is_first = first == s->plan->n_probes;
	int err;

	if (who->who_n_pids)
		f.flags |= KSTATS_DIRECT_BY_PROCESS;
	if (spec_follows(s->plan->spec))
		f.flags |= KSTATS_DIRECT_BY_PROCESS | KSTATS_DIRECT_FOLLOW;
	if (who->who_by_cpu)
		f.flags |= KSTATS_DIRECT_BY_CPU;
	if (!f.flags)
		return 0;
	f.like = is_first ? node : s->plan->probes[first].node;
	memcpy(f.cpus, (const void *)who->who_cpus, sizeof(f.cpus));
	err = store_direct_filter(&s->store, node, &f, why, size);
	for (i = 0; !err && is_first && i < who->who_n_pids; i++)
		err = store_direct_follow(&s->store, node, who->who_pids[i]);
	return err;
}

int session_direct_follow(struct session *s, uint32_t process)
{
	uint32_t first = next(s, 0);

	if (first == s->plan->n_probes)
		return 0;
	return store_direct_follow(&s->store, s->plan->probes[first].node, process);
}

/* ---- stubs ---- */

/* The module learns from a program that is never attached what the function is like. */
static int direct_attach(struct session *s, uint32_t probe, uint64_t address, char *why,
			 size_t size)
{
	const struct plan_probe *p = &s->plan->probes[probe];
	int program = hook_empty(&p->ways[0].start, why, size), err;

	if (program < 0)
		return program;
	err = store_direct_attach(&s->store, p->node, address, program, why, size);
	close(program);
	return err;
}

/* A node records as soon as it is there; this one waits for session_start(). */
int session_direct_open(struct session *s, uint32_t probe, char *why, size_t size)
{
	uint32_t node = s->plan->probes[probe].node;
	char text[256] = "the module cannot stop a node";
	uint64_t address;
	int err = direct_address_of(s, probe, &address, text, sizeof(text));

	if (!err)
		err = store_control(&s->store, node, KSTATS_OP_STOP);
	if (!err)
		err = filter(s, probe, text, sizeof(text));
	if (!err)
		err = direct_attach(s, probe, address, text, sizeof(text));
	if (!err)
		s->probes[probe].direct = address;
	else
		snprintf(why, size, "direct refused: %s", text);
	return err;
}

void session_direct_switch(struct session *s, bool on)
{
	uint32_t i;

	for (i = next(s, 0); i < s->plan->n_probes; i = next(s, i + 1))
		store_control(&s->store, s->plan->probes[i].node,
			      on ? KSTATS_OP_START : KSTATS_OP_STOP);
}

void session_direct_detach(struct session *s)
{
	uint32_t i;

	for (i = next(s, 0); i < s->plan->n_probes; i = next(s, i + 1))
		store_direct_detach(&s->store, s->plan->probes[i].node);
}

int session_direct_attach(struct session *s, char *why, size_t size)
{
	uint32_t i;
	int err;

	for (i = next(s, 0); i < s->plan->n_probes; i = next(s, i + 1)) {
		err = store_direct_attach(&s->store, s->plan->probes[i].node, 0, 0, why, size);
		if (err)
			return err;
	}
	return 0;
}

const char *session_direct_lost(enum kstats_direct_state state)
{
	return state == KSTATS_DIRECT_PATCHED     ? "a livepatch came to it"
	       : state == KSTATS_DIRECT_UNLOADED  ? "its module was unloaded"
	       : state == KSTATS_DIRECT_UNSTABLE  ? "the time stamp counter became unstable"
	       : state == KSTATS_DIRECT_SUSPENDED ? "the machine was suspended"
						  : NULL;
}

/* Calls that were not measured are in no ledger. */
static int tell_state(struct snapshot_node *node, enum kstats_direct_state state)
{
	const char *what = session_direct_lost(state);
	const char *since = state >= KSTATS_DIRECT_UNSTABLE ? "durations may be wrong since"
							    : "not measured since";
	char *text;

	if (!what)
		return 0;
	if (asprintf(&text, "%s; %s %s", node->reason, since, what) < 0)
		return -ENOMEM;
	free(node->reason);
	node->reason = text;
	return 0;
}

int session_direct_count(struct store *st, uint32_t owner, struct snapshot *snap)
{
	struct snapshot_node *node = &snap->nodes[owner];
	struct kstats_direct_counts counts;
	int64_t rest;
	int err = store_direct_read(st, owner, &counts);

	if (!err)
		err = tell_state(node, counts.state);
	if (err)
		return err;
	node->ledger[KSTATS_STARTED] += counts.started;
	node->ledger[KSTATS_TASK_GONE] += counts.died;
	/* Also those that ended after the stop: they were open then. */
	rest = ledger_balance(snap, owner);
	node->ledger[KSTATS_IN_FLIGHT] += rest > 0 ? rest : 0;
	return 0;
}

int session_direct_tell(struct session *s, struct snapshot *snap)
{
	uint32_t i;
	int err;

	for (i = next(s, 0); i < s->plan->n_probes; i = next(s, i + 1)) {
		err = session_direct_count(&s->store, s->plan->probes[i].node, snap);
		if (err)
			return err;
	}
	return 0;
}
