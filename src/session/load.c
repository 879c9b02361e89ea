// SPDX-License-Identifier: GPL-2.0-only
/*
 * load.c - the object for this kernel, opened and loaded: maps, helpers, the store.
 * See priv.h.
 */
#include "session/priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facts/types.h"
#include "objects/objects.h"
#include "util/arch.h"
#include "util/refusal.h"

#define LOG_SIZE (1024 * 1024)

/* Where the slots are, which the programs are compiled for. */
enum slots_in {
	IN_CELLS,
	IN_BLOCKS,
	IN_MODULE
};

static enum objects_name load_object_name(const struct session *s, enum facts_session form)
{
	enum slots_in in = s->kmod ? IN_MODULE : s->plan->blocks_of_cpu ? IN_BLOCKS : IN_CELLS;
	static const enum objects_name names[][3] = {
		[FACTS_NO_SESSION] = { OBJECTS_MAP, OBJECTS_BLOCKS, OBJECTS_KMOD },
		[FACTS_SESSION] = { OBJECTS_SESSION_MAP, OBJECTS_SESSION_BLOCKS,
				    OBJECTS_SESSION_KMOD },
		[FACTS_SESSION_VOID] = { OBJECTS_SESSION_VOID_MAP, OBJECTS_SESSION_VOID_BLOCKS,
					 OBJECTS_SESSION_VOID_KMOD },
	};

	return names[form][in];
}

/*
 * All objects are built from the same source and have the same layout, which the Makefile
 * checks, so one skeleton serves all.
 */
static struct kstats_bpf *load_open_skel(void *bytes, size_t size, const char *btf)
{
	struct kstats_bpf *skel = calloc(1, sizeof(*skel));
	int err = -ENOMEM;

	if (skel && !kstats_bpf__create_skeleton(skel))
		err = objects_open(skel->skeleton, bytes, size, btf);
	if (!err)
		return skel;
	kstats_bpf__destroy(skel);
	errno = -err;
	return NULL;
}

struct kstats_bpf *session_open_plain(void)
{
	size_t size;
	void *bytes = objects_unpack(OBJECTS_MAP, &size);
	struct kstats_bpf *skel = bytes ? load_open_skel(bytes, size, NULL) : NULL;

	free(bytes);
	return skel;
}

void session_unload(struct session *s)
{
	unsigned int i;

	store_close(&s->store);
	kstats_bpf__destroy(s->skel);
	s->skel = NULL;
	if (s->module_btf > 0)
		close(s->module_btf);
	s->module_btf = 0;
	for (i = 0; i < s->n_codes; i++)
		session_code_free(&s->codes[i]);
	s->n_codes = 0;
}

static int load_object(struct session *s, char *log, struct error *e)
{
	struct bpf_program *prog;
	char why[256];
	int err;

	bpf_object__for_each_program(prog, s->skel->obj)
		bpf_program__set_log_buf(prog, log, LOG_SIZE);
	err = session_settings(s->skel, s->plan, s->kmod, e);
	if (err)
		return err;
	session_want(s);
	err = kstats_bpf__load(s->skel);
	if (err) {
		hook_verifier_words(log, why, sizeof(why), err);
	} else {
		err = store_globals(s->skel->obj);
		if (!err)
			return 0;
		refusal_blame(err, why, sizeof(why));
	}
	return error_set(e, EXIT_KERNEL, err, why, "see 'kstats-bpf doctor'",
			 "the kernel refused the BPF programs");
}

/* libbpf looks up the handlers when it opens the object, and calls them when it loads it. */
static int load_open_object(struct session *s, struct error *e)
{
	enum facts_session form =
		session_needs_calls(s->plan) ? s->plan->session : FACTS_NO_SESSION;
	const struct facts_types *types = facts_kernel_types(s->plan->facts);
	int points[SESSION_POINTS] = {}, slice, err;
	char *log = calloc(1, LOG_SIZE), btf[32];
	size_t size;
	void *bytes = objects_unpack(load_object_name(s, form), &size);

	s->calls = (struct session_calls){ .types = types };
	slice = bytes ? facts_slice_object(types, bytes, btf, sizeof(btf)) : -errno;
	err = bytes && log ? session_keep_begin(s) : -ENOMEM;
	if (!err)
		err = session_points_begin(types, points);
	if (!err) {
		s->skel = load_open_skel(bytes, size, slice < 0 ? NULL : btf);
		err = s->skel ? 0 : -errno;
	}
	free(bytes);
	if (err)
		error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot open the BPF programs");
	else
		err = load_object(s, log, e);
	session_points_end(points);
	session_keep_end(s);
	if (slice >= 0)
		close(slice);
	free(log);
	return err;
}

static int open_store(struct session *s, struct error *e)
{
	struct store_setup setup = {
		.cells_fd = bpf_map__fd(s->skel->maps.cells),
		.blocks_fd = session_blocks(s),
		.bits = s->plan->spec->bits,
		.n_nodes = plan_all_nodes(s->plan),
		.kmod = s->kmod,
		/* The head of a pool counts as a block, as in the map. */
		.array_blocks = s->plan->blocks_of_cpu ? s->plan->blocks_of_cpu - 1 : 0,
		.counts = s->skel->rodata->point_counts,
		.value = s->skel->rodata->value_fixed,
	};
	const char **names = calloc(setup.n_nodes, sizeof(*names));
	uint32_t i;
	int err;

	if (!names)
		return error_no_memory(e, "cannot make the nodes");
	/* Nodes of keys have none. */
	for (i = 0; i < setup.n_nodes; i++)
		names[i] = i < s->plan->n_nodes ? s->plan->nodes[i].name : "";
	if (s->plan->spec->stays)
		setup.names = names;
	err = store_open(&s->store, &setup, e);
	free(names);
	return err;
}

int session_load(struct session *s, bool kmod, struct error *e)
{
	int err = refusal_check_pages(ARCH_PAGE_MOST, "trace", e);

	if (err)
		return err;
	if (!s->plan->spec->verbose)
		libbpf_set_print(NULL);
	s->kmod = kmod;
	err = load_open_object(s, e);
	if (!err && kmod) {
		s->module_btf = hook_module_btf(KSTATS_MODULE);
		if (s->module_btf < 0)
			err = error_set(e, EXIT_KERNEL, s->module_btf, NULL, NULL,
					"cannot read the BTF of the module kstats");
	}
	if (!err)
		err = open_store(s, e);
	if (err && kmod && e->status != EXIT_USAGE)
		refusal_blame_module(err, e->why, sizeof(e->why));
	if (err)
		session_unload(s);
	return err;
}
