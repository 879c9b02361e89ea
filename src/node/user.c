// SPDX-License-Identifier: GPL-2.0-only
/*
 * user.c - nodes in which programs with markers count. Programs find a node once it is complete: a
 * process that is killed leaves a stopped node behind, or none.
 */
#include "node/user.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "markers/markers.h"
#include "node/priv.h"

static int failed(const struct node *n, const char *verb, int err, struct error *e)
{
	return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot %s '%s'", verb, n->name);
}

static struct marker marker_of(const struct node *n)
{
	return (struct marker){ .name = n->name,
				.folder = n->meta.folder,
				.access = n->meta.access,
				.maps = &n->user };
}

/* ---- what programs find ---- */

static int user_publish(const struct node *n, int folder, struct error *e)
{
	const struct marker m = marker_of(n);
	int err;

	marker_sweep(folder);
	err = marker_publish(&m, folder);
	if (err == -EEXIST)
		return error_set(e, EXIT_USAGE, err, "programs find another node of that name",
				 "choose another name, or another --user-folder", "cannot add '%s'",
				 n->name);
	return err ? failed(n, "let programs find", err, e) : 0;
}

/* Whether its description says that programs count in it. */
static bool has_markers(const struct pin_folder *f)
{
	int fd = pin_get(f, NODE_PIN_META);
	struct node_meta m = {};
	struct error e = {};
	bool markers = !node_meta_load(&m, fd, &e) && m.folder;

	node_meta_free(&m);
	if (fd >= 0)
		close(fd);
	return markers;
}

int node_let_go(int root, const char *name, struct error *e)
{
	struct node *n = NULL;
	struct pin_folder f;
	struct error why = {};
	struct marker m;
	int err;

	if (pin_open(&f, root, name, true, &why))
		return 0;
	if (has_markers(&f))
		n = node_open_folder(&f, name, NODE_LIST, &why);
	pin_close(&f);
	if (n)
		m = marker_of(n);
	err = n ? marker_withdraw(&m) : 0;
	if (err)
		failed(n, "remove", err, e);
	node_close(n);
	return err;
}

/* ---- control ---- */

/* @folder: descriptor, or a negative errno if programs cannot find nodes any more */
static int record(struct node *n, int folder)
{
	const struct marker m = marker_of(n);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int err;

	node_time_begin(n->state, now);
	err = marker_record(&m, folder, now);
	if (!err)
		node_set_phase(n, NODE_RUNNING);
	return err;
}

static int start_user(struct node *n, struct error *e)
{
	const struct marker m = marker_of(n);
	int folder = pin_user_open(n->meta.folder, true, e), err;

	if (folder < 0)
		return folder;
	node_set_phase(n, NODE_STARTING);
	err = marker_is_published(&m, folder) ? 0 : user_publish(n, folder, e);
	if (err) {
		node_set_phase(n, NODE_STOPPED);
	} else {
		err = record(n, folder);
		if (err)
			failed(n, "start", err, e);
	}
	close(folder);
	return err;
}

static int end_stop(struct node *n, struct error *e)
{
	const struct marker m = marker_of(n);
	int err = marker_halt(&m);

	if (err)
		return failed(n, "stop", err, e);
	node_set_phase(n, NODE_STOPPED);
	return 0;
}

static int stop_user(struct node *n, struct error *e)
{
	node_time_keep(n->state, clock_ns(CLOCK_MONOTONIC));
	node_set_phase(n, NODE_STOPPING);
	return end_stop(n, e);
}

static int end_reset(struct node *n, bool running, struct error *e)
{
	const struct marker m = marker_of(n);
	int err = marker_halt(&m), folder;

	if (!err)
		err = user_reset(&n->user);
	if (err)
		return failed(n, "reset", err, e);
	node_forget_counts(n);
	if (!running) {
		node_set_phase(n, NODE_STOPPED);
		return 0;
	}
	folder = pin_user_open(n->meta.folder, false, NULL);
	err = record(n, folder);
	if (folder >= 0)
		close(folder);
	return err ? failed(n, "start", err, e) : 0;
}

static int reset_user(struct node *n, struct error *e)
{
	bool running = n->state->phase == NODE_RUNNING;

	if (user_is_frozen(&n->user))
		return error_set(e, EXIT_KERNEL, -EPERM, MARKER_FROZEN,
				 "remove it and add it again", "cannot reset '%s'", n->name);
	node_set_phase(n, running ? NODE_RESETTING_RUNNING : NODE_RESETTING);
	return end_reset(n, running, e);
}

/* A process was killed while it started the node: programs may not know yet that it records. */
static int end_start(struct node *n, struct error *e)
{
	int folder = pin_user_open(n->meta.folder, false, NULL), err;
	uint64_t session = 0;

	err = user_session(&n->user, &session);
	if (!err && folder >= 0)
		err = marker_announce(folder);
	if (folder >= 0)
		close(folder);
	if (err)
		return failed(n, "use", err, e);
	node_set_phase(n, session ? NODE_RUNNING : NODE_STOPPED);
	return 0;
}

/* ---- reading ---- */

static int open_user(struct node *n, enum node_use use, struct error *e)
{
	const struct snapshot *s = n->meta.about->whole;
	int err;

	n->user.bits = s->bits;
	n->user.control_fd = pin_get(&n->folder, NODE_PIN_CONTROL);
	n->user.cells_fd = pin_get(&n->folder, SESSION_PIN_CELLS);
	err = s->n_nodes == 1 ? user_maps_check(&n->user) : -EINVAL;
	return err ? node_damaged(n, SESSION_PIN_CELLS, err, e) : 0;
}

int node_user_count(struct node *n, struct snapshot *s, struct error *e)
{
	const struct marker m = marker_of(n);
	int err = marker_read(&m, s, &s->nodes[0]);

	return err ? failed(n, "read", err, e) : 0;
}

static int count_samples(struct node *n, struct store_samples *samples, struct error *e)
{
	struct snapshot *s = snapshot_like(n->meta.about->whole, n->user.n_cpus);
	int err = s ? node_user_count(n, s, e) : error_no_memory(e, "cannot read '%s'", n->name);

	*samples = (struct store_samples){};
	if (!err)
		samples->recorded = counts_samples(s->nodes[0].counts);
	snapshot_free(s);
	return err;
}

const struct node_kind node_user_kind = {
	.open = open_user,
	.start = start_user,
	.stop = stop_user,
	.reset = reset_user,
	.end_start = end_start,
	.end_stop = end_stop,
	.end_reset = end_reset,
	.samples = count_samples,
};

/* ---- adding ---- */

static int make_meta(int *fd, const struct node_user *what, unsigned int n_cpus,
		     const struct facts *facts, struct error *e)
{
	const struct node_about about = {
		.name = what->name,
		.words = &what->words,
		.what = PLAN_MARKERS,
		.method = MARKERS_METHOD,
		.backend = MARKERS_BACKEND,
		.pairing = MARKERS_PAIRING,
		.unit = what->unit,
		.bits = what->bits,
		.n_cpus = n_cpus,
	};
	struct node_meta m = { .access = what->access, .folder = strdup(what->folder) };
	int err = m.folder ? node_describe(fd, &m, &about, facts, e)
			   : error_no_memory(e, "cannot add the node");

	node_meta_free(&m);
	return err;
}

static int user_fill(struct pin_folder *f, const struct node_user *what, const struct facts *facts,
		     struct error *e)
{
	int meta = -1, err;
	struct user_maps m;

	err = user_maps_make(&m, what->bits, e);
	if (err)
		return err;
	err = make_meta(&meta, what, m.n_cpus, facts, e);
	if (!err)
		err = node_pin_both(f, meta, 0, e);
	if (!err && (pin_put(f, NODE_PIN_CONTROL, m.control_fd) ||
		     pin_put(f, SESSION_PIN_CELLS, m.cells_fd)))
		err = error_set(e, EXIT_KERNEL, -EIO, NULL, NULL, "cannot pin the maps of '%s'",
				what->name);
	if (meta >= 0)
		close(meta);
	user_maps_close(&m);
	return err;
}

/* First the node itself appears: what programs find always belongs to a node. */
static int appear(struct pin_folder *f, const char *name, bool *there, struct error *e)
{
	struct node *n = node_open_folder(f, name, NODE_CHANGE, e);
	int err;

	if (!n)
		return -EINVAL;
	err = pin_commit(&n->folder, name, e);
	*there = !err;
	if (!err)
		err = start_user(n, e);
	node_close(n);
	return err;
}

int node_add_user(int root, const struct node_user *what, const struct facts *facts,
		  struct error *e)
{
	bool there = false;
	struct pin_folder f;
	int err = pin_begin(&f, root, what->name, e);

	if (err)
		return err;
	err = user_fill(&f, what, facts, e);
	if (!err)
		err = appear(&f, what->name, &there, e);
	pin_close(&f);
	if (err && there)
		pin_remove(root, what->name, NULL);
	return err;
}
