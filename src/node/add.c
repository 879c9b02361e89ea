// SPDX-License-Identifier: GPL-2.0-only
/* add.c - make a node, which appears complete or not at all. */
#include "node/priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
		/* These point into the plan and are not freed: see forget_plan(). */
		m->probes[i].start = way->start;
		m->probes[i].end = way->end;
	}
	return 0;
}

static void forget_plan(struct node_meta *m)
{
	m->by = (struct plan_by){};
	free(m->probes);
	m->probes = NULL;
	m->n_probes = 0;
}

static int add_make_meta(int *fd, struct session *s, const struct node_words *words,
			 const struct plan *plan, const struct facts *facts, struct error *e)
{
	struct node_meta m = { .pairing = plan->spec->pairing };
	struct snapshot *empty = session_about(s, e);
	int err = empty ? 0 : -EIO;

	m.variables = session_variables(s);
	m.by = plan->by; /* its labels are the plan's: see forget_plan() */
	m.about = err ? NULL : recording_new(empty);
	if (!err && (!m.about || node_meta_words(&m, words) || describe_probes(&m, s, plan) ||
		     facts_machine(facts, &m.about->machine)))
		err = error_no_memory(e, "cannot add the node");
	if (!err)
		err = node_files_note(&m, e);
	if (!err)
		err = node_meta_save(&m, fd, e);
	forget_plan(&m);
	node_meta_free(&m);
	return err;
}

/* The map of the state of a stopped node. */
static int add_make_state(int *fd, uint32_t n_marks)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	size_t size = node_state_size(n_marks);
	struct node_state *st = calloc(1, size);
	__u32 zero = 0;
	int err = 0;

	if (!st)
		return -ENOMEM;
	st->phase = NODE_STOPPED;
	st->created_ns = st->wall_ns = clock_ns(CLOCK_REALTIME);
	st->look_ns = clock_ns(CLOCK_MONOTONIC);
	*fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "kstats_state", sizeof(zero), size, 1, &opts);
	if (*fd < 0 || bpf_map_update_elem(*fd, &zero, st, BPF_ANY))
		err = -errno;
	free(st);
	return err;
}

int node_pin_both(const struct pin_folder *f, int meta, uint32_t n_marks, struct error *e)
{
	int state = -1, err = add_make_state(&state, n_marks);

	if (err) {
		err = error_no_memory(e, "cannot add the node");
	} else {
		err = pin_put(f, NODE_PIN_META, meta);
		if (!err)
			err = pin_put(f, NODE_PIN_STATE, state);
		if (err)
			error_set(e, EXIT_KERNEL, err, NULL, NULL,
				  "cannot pin the description of the node");
	}
	if (state >= 0)
		close(state);
	return err;
}

/* Attach the programs, and pin everything in a folder that is not visible yet. */
static int add_fill(struct pin_folder *f, const struct node_words *words, const struct plan *plan,
		    const struct facts *facts, struct error *e)
{
	struct session *s = session_open(plan, e);
	int meta = -1, err = s ? 0 : -EOPNOTSUPP;

	if (!err)
		err = add_make_meta(&meta, s, words, plan, facts, e);
	if (!err)
		err = node_pin_both(f, meta, node_marks(plan->n_probes), e);
	if (!err)
		err = session_pin(s, f, e);
	if (meta >= 0)
		close(meta);
	session_close(s);
	return err;
}

int node_appear(struct pin_folder *f, const char *name,
		int (*begin)(struct node *n, struct error *e), struct error *e)
{
	struct node *n = node_open_folder(f, name, NODE_CHANGE, e);
	int err;

	if (!n)
		return -EINVAL;
	err = begin(n, e);
	if (!err)
		err = pin_commit(&n->folder, name, e);
	node_close(n);
	return err;
}

int node_add(int root, const char *name, const struct node_words *words, const struct plan *plan,
	     const struct facts *facts, struct error *e)
{
	struct pin_folder f;
	int err;

	if (plan_by_has_frames(&plan->by))
		return error_set(
			e, EXIT_USAGE, -EOPNOTSUPP,
			"the names of functions of its stacks would be gone before it is read",
			"use 'kstats-bpf trace'", "cannot add '%s' with a stack or caller in --by",
			name);
	err = pin_begin(&f, root, name, e);
	if (err)
		return err;
	err = add_fill(&f, words, plan, facts, e);
	if (!err)
		err = node_appear(&f, name, node_begin, e);
	pin_close(&f);
	return err;
}
