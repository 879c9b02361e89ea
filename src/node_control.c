// SPDX-License-Identifier: GPL-2.0-only
/* node_control.c - a node is added, started, stopped, reset; see node.h. */
#include "node_priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ledger.h"

static uint64_t wall_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void set_phase(struct node *n, enum node_phase phase)
{
	__atomic_store_n(&n->state->phase, phase, __ATOMIC_SEQ_CST);
}

static void set_on(struct node *n, bool on)
{
	__atomic_store_n(n->variables.on, on, __ATOMIC_SEQ_CST);
}

/* After this no program of the node runs that saw it recording. */
static void halt(struct node *n)
{
	set_on(n, false);
	session_wait_programs();
}

/* ---- links ---- */

static void drop_link(struct node *n, uint32_t i, const char *which)
{
	char name[SESSION_PIN_NAME];

	snprintf(name, sizeof(name), SESSION_PIN_HOOK_LINK, i, which);
	pin_drop(&n->folder, name);
}

static void detach(struct node *n)
{
	char name[SESSION_PIN_NAME];
	uint32_t i;

	for (i = 0; i < n->meta.n_probes; i++) {
		drop_link(n, i, "start");
		drop_link(n, i, "end");
	}
	for (i = 0; session_helpers[i]; i++) {
		snprintf(name, sizeof(name), SESSION_PIN_LINK, session_helpers[i]);
		pin_drop(&n->folder, name);
	}
}

static int attach_hook(struct node *n, uint32_t i, const char *which, const struct plan_hook *plan,
		       struct error *e)
{
	struct hook h = HOOK_NONE;
	char name[SESSION_PIN_NAME], why[256] = "";
	int err;

	snprintf(name, sizeof(name), SESSION_PIN_HOOK_PROG, i, which);
	h.prog_fd = pin_get(&n->folder, name);
	err = h.prog_fd < 0 ? h.prog_fd : hook_attach(&h, plan, why, sizeof(why));
	snprintf(name, sizeof(name), SESSION_PIN_HOOK_LINK, i, which);
	if (!err)
		err = pin_put(&n->folder, name, h.link_fd);
	hook_close(&h);
	if (!err)
		return 0;
	return error_set(e, EXIT_KERNEL, err, *why ? why : NULL,
			 "see 'kstats-bpf doctor', or remove it", "cannot start '%s' on '%s'",
			 n->name, plan->name);
}

static int attach_helper(struct node *n, const char *helper, struct error *e)
{
	char name[SESSION_PIN_NAME];
	int prog, link, err;

	snprintf(name, sizeof(name), SESSION_PIN_PROG, helper);
	prog = pin_get(&n->folder, name);
	if (prog == -ENOENT)
		return 0;
	link = prog < 0 ? prog : bpf_raw_tracepoint_open(NULL, prog);
	snprintf(name, sizeof(name), SESSION_PIN_LINK, helper);
	err = link < 0 ? link : pin_put(&n->folder, name, link);
	if (link >= 0)
		close(link);
	if (prog >= 0)
		close(prog);
	if (!err)
		return 0;
	return error_set(e, EXIT_KERNEL, err, NULL, "see 'kstats-bpf doctor'", "cannot start '%s'",
			 n->name);
}

/* The ends first: a start that is seen has an end that is seen. */
static int attach(struct node *n, struct error *e)
{
	const struct node_probe *p;
	uint32_t i;
	int err = 0;

	for (i = 0; !err && session_helpers[i]; i++)
		err = attach_helper(n, session_helpers[i], e);
	for (i = 0; !err && i < n->meta.n_probes; i++) {
		p = &n->meta.probes[i];
		if (!p->hooked)
			continue;
		err = attach_hook(n, i, "end", &p->end, e);
		if (!err)
			err = attach_hook(n, i, "start", &p->start, e);
	}
	if (err)
		detach(n);
	return err;
}

/* ---- start and stop ---- */

static void mark_skipped(struct node *n, bool keep_total)
{
	uint32_t i;

	for (i = 0; i < n->meta.n_probes; i++) {
		n->state->marks[i].base = node_skipped(n, i);
		if (!keep_total)
			n->state->marks[i].total = 0;
	}
}

static void begin(struct node *n)
{
	n->state->since_ns = node_clock();
	*n->variables.epoch_ns = n->state->since_ns;
	set_on(n, true);
	set_phase(n, NODE_RUNNING);
}

int node_start(struct node *n, struct error *e)
{
	int err;

	if (n->state->phase == NODE_RUNNING)
		return 0;
	detach(n);
	err = attach(n, e);
	if (err)
		return err;
	mark_skipped(n, true);
	begin(n);
	return 0;
}

static void keep_skipped(struct node *n)
{
	uint32_t i;

	for (i = 0; i < n->meta.n_probes; i++)
		n->state->marks[i].total += node_skipped(n, i) - n->state->marks[i].base;
}

/*
 * What is in flight is written into the cells, and outdated as a stamp. Cut short
 * by a kill, the stamps may be outdated and not written yet: then it is the
 * difference.
 */
static int end_stop(struct node *n, bool cut_short, struct error *e)
{
	struct snapshot *s = snapshot_like(n->meta.about->whole, n->store.n_cpus);
	int err = s ? node_count(n, s, !cut_short, e) : -ENOMEM;

	if (!err)
		err = store_close_stamps(&n->store, s, e);
	snapshot_free(s);
	if (err)
		return err;
	flight_forget(&n->flight);
	*n->variables.epoch_ns = node_clock();
	detach(n);
	set_phase(n, NODE_STOPPED);
	return 0;
}

int node_stop(struct node *n, struct error *e)
{
	if (n->state->phase == NODE_STOPPED)
		return 0;
	keep_skipped(n);
	n->state->active_ns += node_clock() - n->state->since_ns;
	set_phase(n, NODE_STOPPING);
	halt(n);
	return end_stop(n, false, e);
}

/* ---- reset ---- */

static int end_reset(struct node *n, bool running, struct error *e)
{
	int err;

	halt(n);
	err = store_reset(&n->store, e);
	if (err)
		return err;
	flight_forget(&n->flight);
	mark_skipped(n, false);
	n->state->active_ns = 0;
	n->state->wall_ns = wall_clock();
	n->state->look_ns = node_clock();
	n->state->look_samples = 0;
	*n->variables.epoch_ns = node_clock();
	if (running)
		begin(n);
	else
		set_phase(n, NODE_STOPPED);
	return 0;
}

int node_reset(struct node *n, struct error *e)
{
	bool running = n->state->phase == NODE_RUNNING;

	set_phase(n, running ? NODE_RESETTING_RUNNING : NODE_RESETTING);
	return end_reset(n, running, e);
}

int node_settle(struct node *n, struct error *e)
{
	switch (n->state->phase) {
	case NODE_RUNNING:
	case NODE_STOPPED:
		return 0;
	case NODE_STOPPING:
		halt(n);
		return end_stop(n, true, e);
	case NODE_RESETTING:
	case NODE_RESETTING_RUNNING:
		return end_reset(n, n->state->phase == NODE_RESETTING_RUNNING, e);
	}
	return error_set(e, EXIT_USAGE, -EINVAL, "its state is none that there is",
			 "remove it with 'kstats-bpf node rm'", "cannot use the node '%s'",
			 n->name);
}

/* ---- add ---- */

static int describe_probes(struct node_meta *m, const struct session *s, const struct plan *plan)
{
	const struct plan_way *way;
	uint32_t i;

	m->probes = calloc(plan->n_probes, sizeof(*m->probes));
	if (!m->probes)
		return -ENOMEM;
	m->n_probes = plan->n_probes;
	for (i = 0; i < plan->n_probes; i++) {
		way = session_way(s, i);
		m->probes[i].node = plan->probes[i].node;
		m->probes[i].hooked = way;
		if (!way)
			continue;
		/* Not owned here: see forget_probes(). */
		m->probes[i].start = way->start;
		m->probes[i].end = way->end;
	}
	return 0;
}

static void forget_probes(struct node_meta *m)
{
	free(m->probes);
	m->probes = NULL;
	m->n_probes = 0;
}

static int make_meta(int *fd, struct session *s, const char *words, const struct plan *plan,
		     const struct facts *facts, struct error *e)
{
	struct node_meta m = { .pairing = plan->spec->pairing };
	struct recording_machine machine;
	struct facts_machine f;
	struct snapshot *empty = session_snapshot(s, e);
	int err = empty ? 0 : -EIO;

	session_variables(s, &m.variables_size, &m.on_at, &m.epoch_at);
	facts_machine(facts, &f);
	machine = (struct recording_machine){ f.cpu, f.cpus_online, f.clock, f.build_id };
	m.about = err ? NULL : recording_new(empty);
	m.words = strdup(words);
	if (!err && (!m.about || !m.words || describe_probes(&m, s, plan) ||
		     recording_set_machine(m.about, &machine)))
		err = error_set(e, EXIT_KERNEL, -ENOMEM, NULL, NULL, "cannot add the node");
	if (!err)
		err = node_meta_save(&m, fd, e);
	forget_probes(&m);
	node_meta_free(&m);
	return err;
}

static int make_state(int *fd, uint32_t n_probes)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	size_t size = node_state_size(n_probes);
	struct node_state *st = calloc(1, size);
	__u32 zero = 0;
	int err = 0;

	if (!st)
		return -ENOMEM;
	st->phase = NODE_STOPPED;
	st->created_ns = st->wall_ns = wall_clock();
	st->look_ns = node_clock();
	*fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "kstats_state", sizeof(zero), size, 1, &opts);
	if (*fd < 0 || bpf_map_update_elem(*fd, &zero, st, BPF_ANY))
		err = -errno;
	free(st);
	return err;
}

static int pin_both(const struct pin_folder *f, int meta, int state, struct error *e)
{
	int err = pin_put(f, NODE_PIN_META, meta);

	if (!err)
		err = pin_put(f, NODE_PIN_STATE, state);
	return err ? error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot pin what the node is") : 0;
}

/* Attached and pinned under a name that nobody sees. */
static int fill(struct pin_folder *f, const char *words, const struct plan *plan,
		const struct facts *facts, struct error *e)
{
	struct session *s = session_open(plan, e);
	int meta = -1, state = -1, err = s ? 0 : -EOPNOTSUPP;

	if (!err)
		err = make_meta(&meta, s, words, plan, facts, e);
	if (!err && make_state(&state, plan->n_probes))
		err = error_set(e, EXIT_KERNEL, -ENOMEM, NULL, NULL, "cannot add the node");
	if (!err)
		err = pin_both(f, meta, state, e);
	if (!err)
		err = session_pin(s, f, e);
	if (meta >= 0)
		close(meta);
	if (state >= 0)
		close(state);
	session_close(s);
	return err;
}

/* Recording before anybody can see it: killed at any moment, it is whole or not there. */
static int appear(struct pin_folder *f, const char *name, struct error *e)
{
	struct node *n = node_open_folder(f, name, e);
	int err;

	if (!n)
		return -EINVAL;
	mark_skipped(n, true);
	begin(n);
	err = pin_commit(&n->folder, name, e);
	node_close(n);
	return err;
}

int node_add(int root, const char *name, const char *words, const struct plan *plan,
	     const struct facts *facts, struct error *e)
{
	struct pin_folder f;
	int err = pin_begin(&f, root, name, e);

	if (err)
		return err;
	err = fill(&f, words, plan, facts, e);
	if (!err)
		err = appear(&f, name, e);
	pin_close(&f);
	return err;
}
