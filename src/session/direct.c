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

#include "facts/facts.h"
#include "snapshot/ledger.h"

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
	return facts_addresses("", s->addresses, n);
}

/* A stub for another function of the same name would measure the wrong one, or crash. */
static int address_of(struct session *s, uint32_t probe, uint64_t *address, const char **why)
{
	int err = find_all(s);

	*address = err ? 0 : s->addresses[probe].address;
	*why = strerror(-err);
	if (err)
		return err;
	if (s->addresses[probe].n > 1) {
		*why = "the kernel has several functions of this name";
		return -ENOTUNIQ;
	}
	if (!s->addresses[probe].n) {
		*why = "the kernel has no symbol of this name";
		return -ENOENT;
	}
	*why = "the kernel hides the addresses of its functions";
	return *address ? 0 : -EACCES;
}

int session_direct_open(struct session *s, uint32_t probe, char *why, size_t size)
{
	uint32_t node = s->plan->probes[probe].node;
	char text[256] = "the module cannot stop a node";
	uint64_t address;
	const char *hidden;
	int err = address_of(s, probe, &address, &hidden);

	if (err) {
		snprintf(why, size, "direct refused: %s", hidden);
		return err;
	}
	/* A node records as soon as it is there; this one waits for session_start(). */
	err = store_control(&s->store, node, KSTATS_OP_STOP);
	if (!err)
		err = store_direct_attach(&s->store, node, address, text, sizeof(text));
	if (err) {
		snprintf(why, size, "direct refused: %s", text);
		return err;
	}
	s->probes[probe].direct = address;
	return 0;
}

/* Calls @fn for each function that a stub measures, until it fails. */
static int each(struct session *s, int (*fn)(struct session *s, uint32_t probe, void *ctx),
		void *ctx)
{
	uint32_t i;
	int err = 0;

	for (i = 0; s->probes && !err && i < s->plan->n_probes; i++)
		if (s->probes[i].direct)
			err = fn(s, i, ctx);
	return err;
}

static int control(struct session *s, uint32_t probe, void *op)
{
	store_control(&s->store, s->plan->probes[probe].node, *(enum kstats_op *)op);
	return 0;
}

void session_direct_switch(struct session *s, bool on)
{
	enum kstats_op op = on ? KSTATS_OP_START : KSTATS_OP_STOP;

	each(s, control, &op);
}

static int detach(struct session *s, uint32_t probe, void *unused)
{
	(void)unused;
	store_direct_detach(&s->store, s->plan->probes[probe].node);
	return 0;
}

void session_direct_detach(struct session *s)
{
	each(s, detach, NULL);
}

struct reason {
	char *text;
	size_t size;
};

static int attach(struct session *s, uint32_t probe, void *ctx)
{
	const struct reason *why = ctx;

	return store_direct_attach(&s->store, s->plan->probes[probe].node, s->probes[probe].direct,
				   why->text, why->size);
}

int session_direct_attach(struct session *s, char *why, size_t size)
{
	struct reason reason = { why, size };

	return each(s, attach, &reason);
}

/* Calls that were not measured are in no ledger. */
static int tell_state(struct snapshot_node *node, enum kstats_direct_state state)
{
	const char *what = state == KSTATS_DIRECT_PATCHED    ? "a livepatch came to it"
			   : state == KSTATS_DIRECT_UNLOADED ? "its module was unloaded"
							     : NULL;
	char *text;

	if (!what)
		return 0;
	if (asprintf(&text, "%s; not measured since %s", node->reason, what) < 0)
		return -ENOMEM;
	free(node->reason);
	node->reason = text;
	return 0;
}

static int tell(struct session *s, uint32_t probe, void *ctx)
{
	uint32_t owner = s->plan->probes[probe].node;
	struct kstats_direct_counts counts;
	struct snapshot *snap = ctx;
	int64_t rest;
	int err;

	err = store_direct_read(&s->store, owner, &counts);
	if (err)
		return err;
	err = tell_state(&snap->nodes[owner], counts.state);
	if (err)
		return err;
	snap->nodes[owner].ledger[KSTATS_STARTED] += counts.started;
	/* Also those that ended after the stop: they were open then. */
	rest = ledger_balance(snap, owner);
	snap->nodes[owner].ledger[KSTATS_IN_FLIGHT] += rest > 0 ? rest : 0;
	return 0;
}

int session_direct_tell(struct session *s, struct snapshot *snap)
{
	return each(s, tell, snap);
}
