// SPDX-License-Identifier: GPL-2.0-only
/* node.c - open a node that is in its folder, and read it. */
#include "node/priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hook/switches.h"
#include "result/ledger.h"
#include "store/table.h"
#include "util/safe_str.h"

/* ---- shared memory ---- */

size_t node_state_size(uint32_t n_marks)
{
	return sizeof(struct node_state) + n_marks * sizeof(struct node_mark);
}

static int map_value(int fd, size_t size, void **at)
{
	struct table t = { 0 };
	int err = table_open(&t, fd, size);

	if (!err && t.n != 1) {
		table_close(&t);
		err = -EINVAL;
	}
	if (!err)
		*at = t.at;
	return err;
}

static void unmap_value(void *at, size_t size)
{
	if (at)
		munmap(at, size);
}

/* ---- opening ---- */

int node_damaged(const struct node *n, const char *what, int err, struct error *e)
{
	char why[128];

	snprintf(why, sizeof(why), "its %s cannot be used: %s", what, strerror(-err));
	/* Not @err: -ENOENT would mean that the node does not exist, but it is only damaged. */
	return error_set(e, EXIT_USAGE, -EINVAL, why, "remove it with 'kstats-bpf node rm'",
			 "cannot use the node '%s'", n->name);
}

static int map_pinned(const struct node *n, const char *pin, size_t size, void **at)
{
	int fd = pin_get(&n->folder, pin), err = map_value(fd, size, at);

	if (fd >= 0)
		close(fd);
	return err;
}

static int open_variables(struct node *n, struct error *e)
{
	struct node_variables *v = &n->variables;
	int err;

	v->size = n->meta.variables.size;
	err = map_pinned(n, SESSION_PIN_VARIABLES, v->size, &v->at);
	if (err)
		return node_damaged(n, SESSION_PIN_VARIABLES, err, e);
	v->on = (uint32_t *)((char *)v->at + n->meta.variables.on_at);
	v->epoch_ns = (uint64_t *)((char *)v->at + n->meta.variables.epoch_at);
	v->taken = (uint32_t *)((char *)v->at + n->meta.variables.taken_at);
	return 0;
}

static int open_state(struct node *n, struct error *e)
{
	int err;

	n->state_size = node_state_size(n->meta.heap ? HEAP_HOOKS : node_marks(n->meta.n_probes));
	err = map_pinned(n, NODE_PIN_STATE, n->state_size, (void **)&n->state);
	return err ? node_damaged(n, NODE_PIN_STATE, err, e) : 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Check that a map can hold the cells of such a node. */
static int check_cells(int fd, const struct snapshot *s, bool kmod, bool in_blocks)
{
	const struct table_shape cells = {
		.type = BPF_MAP_TYPE_PERCPU_ARRAY,
		.value = store_cell_size(s->bits, kmod, in_blocks),
		.n = s->n_nodes,
	};

	return table_check(fd, &cells, NULL);
}

static int node_open_store(struct node *n, struct error *e)
{
	const struct snapshot *s = n->meta.about->whole;
	bool kmod = !strcmp(s->backend, "kmod");
	struct store_setup setup = {
		.bits = s->bits,
		.n_nodes = s->n_nodes,
		.kmod = kmod,
		.made = true,
	};
	int err;

	n->cells_fd = pin_get(&n->folder, SESSION_PIN_CELLS);
	setup.blocks_fd = pin_get(&n->folder, SESSION_PIN_BLOCKS);
	err = check_cells(n->cells_fd, s, kmod, setup.blocks_fd >= 0);
	if (err) {
		close_fd(setup.blocks_fd);
		return node_damaged(n, SESSION_PIN_CELLS, err, e);
	}
	setup.cells_fd = n->cells_fd;
	err = store_open(&n->store, &setup, e);
	close_fd(setup.blocks_fd);
	return err;
}

static int open_keys(struct node *n, struct error *e)
{
	struct session_keys keys;
	int err;

	if (!n->meta.by.most)
		return 0;
	n->by_fd = pin_get(&n->folder, SESSION_PIN_BY);
	err = session_by_count(&n->meta.by, n->by_fd, &keys);
	return err ? node_damaged(n, "table of keys", err, e) : 0;
}

static int open_cookies(struct node *n, struct error *e)
{
	uint32_t i;

	for (i = 0; i < n->meta.n_probes; i++) {
		if (!n->meta.probes[i].hooked || !plan_keeps_start(n->meta.probes[i].start.type))
			continue;
		if (!n->in_cookies)
			n->in_cookies =
				calloc(n->meta.about->whole->n_nodes, sizeof(*n->in_cookies));
		if (!n->in_cookies)
			return error_no_memory(e, "cannot use the node '%s'", n->name);
		n->in_cookies[n->meta.probes[i].node] = true;
	}
	n->flight.in_cookies = n->in_cookies;
	return 0;
}

static int open_flight(struct node *n, struct error *e)
{
	struct flight *f = &n->flight;

	f->pairing = n->meta.pairing;
	f->n_cpus = n->store.n_cpus;
	if (f->pairing == KSTATS_BY_TASK) {
		f->task_slots_fd = pin_get(&n->folder, SESSION_PIN_TASK_SLOTS);
		if (f->task_slots_fd < 0)
			return node_damaged(n, SESSION_PIN_TASK_SLOTS, f->task_slots_fd, e);
		f->stacks_fd = pin_get(&n->folder, SESSION_PIN_STACKS);
		if (f->stacks_fd < 0)
			return node_damaged(n, SESSION_PIN_STACKS, f->stacks_fd, e);
		f->idle_fd = pin_get(&n->folder, SESSION_PIN_IDLE);
		if (f->idle_fd < 0)
			return node_damaged(n, SESSION_PIN_IDLE, f->idle_fd, e);
	}
	if (f->pairing == KSTATS_BY_KEY) {
		f->keys_fd = pin_get(&n->folder, SESSION_PIN_KEYS);
		if (f->keys_fd < 0)
			return node_damaged(n, SESSION_PIN_KEYS, f->keys_fd, e);
	}
	return 0;
}

static int open_meta(struct node *n, struct error *e)
{
	int fd = pin_get(&n->folder, NODE_PIN_META), err = node_meta_load(&n->meta, fd, e);
	char safe[256];

	if (fd >= 0)
		close(fd);
	if (err && e)
		snprintf(e->what, sizeof(e->what), "cannot use the node '%s'",
			 safe_str(safe, sizeof(safe), n->name));
	return err;
}

static int open_all(struct node *n, enum node_use use, struct error *e)
{
	int err = open_meta(n, e);

	if (!err)
		err = open_state(n, e);
	n->kind = n->meta.folder ? &node_user_kind : n->meta.heap ? &node_kmem_kind : NULL;
	if (!err && n->kind)
		return n->kind->open(n, use, e);
	if (!err)
		err = node_open_store(n, e);
	if (!err)
		err = open_keys(n, e);
	if (err || use == NODE_LIST)
		return err;
	err = open_variables(n, e);
	if (!err)
		err = open_cookies(n, e);
	return err ? err : open_flight(n, e);
}

static bool undone(const struct node *n)
{
	return n->state->phase != NODE_RUNNING && n->state->phase != NODE_STOPPED;
}

struct node *node_open_folder(struct pin_folder *f, const char *name, enum node_use use,
			      struct error *e)
{
	struct node *n = calloc(1, sizeof(*n));
	int err = -ENOMEM;

	if (!n) {
		pin_close(f);
		return NULL;
	}
	n->folder = *f;
	*f = PIN_NONE;
	n->cells_fd = n->by_fd = -1;
	n->user = USER_NO_MAPS;
	n->flight = (struct flight){
		.task_slots_fd = -1,
		.stacks_fd = -1,
		.idle_fd = -1,
		.keys_fd = -1,
	};
	n->name = strdup(name);
	if (n->name)
		err = open_all(n, use, e);
	if (!err)
		return n;
	node_close(n);
	return NULL;
}

static struct node *open_once(struct node_root *root, const char *name, enum node_use use,
			      struct error *e)
{
	bool alone = use == NODE_CHANGE;
	struct pin_folder f;
	struct node *n;

	if (pin_open(&f, root->fd, name, alone, e))
		return NULL;
	n = node_open_folder(&f, name, use, e);
	if (!n || !alone || !node_settle(n, e))
		return n;
	node_close(n);
	return NULL;
}

struct node *node_open(struct node_root *root, const char *name, enum node_use use, struct error *e)
{
	struct node *n = open_once(root, name, use, e);

	if (!n || use == NODE_CHANGE || !undone(n))
		return n;
	/* The lock was free, so whoever changed this node was killed: finish the change. */
	node_close(n);
	node_close(open_once(root, name, NODE_CHANGE, e));
	return open_once(root, name, use, e);
}

void node_root_close(struct node_root *root)
{
	if (root->fd >= 0)
		close(root->fd);
	*root = (struct node_root){ .fd = -1 };
}

void node_close(struct node *n)
{
	if (!n)
		return;
	store_close(&n->store);
	user_maps_close(&n->user);
	heap_close(n->heap);
	close_fd(n->cells_fd);
	close_fd(n->by_fd);
	close_fd(n->flight.task_slots_fd);
	close_fd(n->flight.stacks_fd);
	close_fd(n->flight.idle_fd);
	close_fd(n->flight.keys_fd);
	rows_free(&n->hits);
	free(n->in_cookies);
	unmap_value(n->state, n->state_size);
	unmap_value(n->variables.at, n->variables.size);
	node_meta_free(&n->meta);
	pin_close(&n->folder);
	free(n->name);
	free(n);
}

/* ---- reading ---- */

int node_hits_read(struct node *n, bool settle, struct error *e)
{
	int fd = pin_get(&n->folder, SESSION_PIN_HITS);
	int err = fd < 0 && fd != -ENOENT ? fd : session_hits_read(&n->hits, fd, settle);

	close_fd(fd);
	if (!err)
		return 0;
	return error_set(e, EXIT_KERNEL, err, NULL, NULL,
			 "cannot read what the kernel skipped of '%s'", n->name);
}

/* Only points and sessions have a start alone; they have no second program. */
uint64_t node_skipped(const struct node *n, uint32_t mark)
{
	const struct node_probe *p = &n->meta.probes[mark / 2];
	bool end = mark % 2;
	struct hook_skips more = { 0 };
	struct hook h = HOOK_NONE;
	char name[SESSION_PIN_NAME];
	uint64_t skipped;

	snprintf(name, sizeof(name), SESSION_PIN_HOOK_PROG, mark / 2, end ? "end" : "start");
	h.prog_fd = pin_get(&n->folder, name);
	snprintf(name, sizeof(name), SESSION_PIN_HOOK_LINK, mark / 2, end ? "end" : "start");
	h.link_fd = pin_get(&n->folder, name);
	if (!end || n->meta.pairing != KSTATS_BY_POINT)
		more = hook_hits(&n->hits, mark / 2, end || session_counts_as_end(p->start.type));
	skipped = hook_skipped(&h) + more.runs + more.hits;
	hook_close(&h);
	return skipped;
}

static uint64_t skipped_so_far(const struct node *n, uint32_t mark)
{
	uint64_t count = node_runs(n->state) ? node_skipped(n, mark) : 0;

	return node_mark_skipped(n->state, &n->state->marks[mark], count);
}

static void count_skipped(const struct node *n, struct snapshot *s)
{
	bool leaves_out = plan_leaves_out(s->filters);
	uint64_t *ledger;
	uint32_t i;

	for (i = 0; i < n->meta.n_probes; i++) {
		if (!n->meta.probes[i].hooked)
			continue;
		ledger = s->nodes[n->meta.probes[i].node].ledger;
		ledger[leaves_out ? KSTATS_SKIPPED_ANYONE : KSTATS_SKIPPED] +=
			skipped_so_far(n, 2 * i);
		ledger[KSTATS_SKIPPED_ENDS] += skipped_so_far(n, 2 * i + 1);
	}
	for (i = 0; i < s->n_nodes; i++) {
		ledger = s->nodes[i].ledger;
		ledger[KSTATS_ENDS_LOST] = leaves_out ? 0 : ledger_ends_lost(ledger);
	}
}

int node_count(struct node *n, struct snapshot *s, bool final, struct error *e)
{
	const struct session_by_tables tables = { .keys = n->by_fd };
	char whose[300]; /* a name of a folder, in quotes */
	uint32_t i;
	int err;

	if (n->meta.folder)
		return node_user_count(n, s, e);
	n->flight.epoch_ns = *n->variables.epoch_ns;
	snprintf(whose, sizeof(whose), "'%s'", n->name);
	err = session_by_tally(&n->meta.by, whose, &tables, &n->flight, &n->store, s, final, e);
	if (err)
		return err;
	for (i = 0; !err && i < n->meta.n_probes; i++)
		if (node_in_stub(&n->meta.probes[i]))
			err = session_direct_count(&n->store, n->meta.probes[i].node, s);
	return err ? error_set(e, EXIT_KERNEL, err, NULL, NULL,
			       "cannot read what the stubs of '%s' have counted", n->name)
		   : 0;
}

void node_set_span(const struct node *n, struct snapshot *s)
{
	const struct node_state *st = n->state;
	uint64_t now = clock_ns(CLOCK_MONOTONIC), active = node_time_active(st, now);

	s->span.wall_ns = st->wall_ns;
	s->span.end_ns = now;
	s->span.begin_ns = active < now ? now - active : 0;
	s->span.final = st->phase == NODE_STOPPED;
}

/* Nothing watches the switches of a node all the time, so only those that are off now are known. */
static int tell_unseen(struct node *n, struct snapshot *s)
{
	const struct node_probe *p;
	struct switches switches;
	unsigned int which = 0;
	char text[384];
	uint32_t i;

	if (!n->meta.n_probes)
		return 0;
	for (i = 0; n->state->phase == NODE_RUNNING && i < n->meta.n_probes; i++) {
		p = &n->meta.probes[i];
		if (p->hooked)
			which |= switches_of(&p->start) | switches_of(&p->end);
	}
	switches_watch(&switches, "");
	if (switches_moved(&switches, which, text, sizeof(text)) ||
	    (node_runs(n->state) && node_files_moved(n, text, sizeof(text))))
		s->unseen = strdup(text);
	switches_close(&switches);
	return *text && !s->unseen ? -ENOMEM : 0;
}

struct recording *node_read(struct node *n, struct error *e)
{
	const struct recording *about = n->meta.about;
	uint32_t n_cpus = n->meta.folder ? n->user.n_cpus : n->store.n_cpus;
	struct snapshot *s = snapshot_like(about->whole, n_cpus);
	struct recording *r;
	int err;

	if (!s) {
		error_no_memory(e, "cannot read '%s'", n->name);
		return NULL;
	}
	/* If it is stopped, all open stamps are older than the epoch and accounted for. */
	err = node_count(n, s, n->state->phase == NODE_STOPPED, e);
	if (!err && n->meta.n_probes && node_runs(n->state) && node_hits_read(n, true, e))
		goto failed;
	count_skipped(n, s);
	node_set_span(n, s);
	r = recording_new(s);
	if (err || !r || tell_unseen(n, s) || recording_set_machine(r, &about->machine)) {
		if (!err)
			error_no_memory(e, "cannot read '%s'", n->name);
		recording_free(r);
		return NULL;
	}
	return r;
failed:
	snapshot_free(s);
	return NULL;
}

/* Why something is not measured any more, though its node runs. */
static const char *lost_of(struct node *n)
{
	struct kstats_direct_counts counts;
	const char *lost = NULL;
	uint32_t i;

	for (i = 0; !lost && i < n->meta.n_probes; i++)
		if (node_in_stub(&n->meta.probes[i]) &&
		    !store_direct_read(&n->store, n->meta.probes[i].node, &counts))
			lost = session_direct_lost(counts.state);
	if (!lost && node_files_moved(n, n->lost, sizeof(n->lost)))
		lost = n->lost;
	return lost;
}

static int node_count_samples(struct node *n, struct node_status *status, struct error *e)
{
	const struct plan_by *by = &n->meta.by;
	struct session_keys keys;
	int err = session_by_count(by, n->by_fd, &keys);

	if (err)
		return node_damaged(n, "table of keys", err, e);
	status->keys = keys.keys;
	if (by->most)
		n->store.n_used = by->first + keys.nodes;
	return store_samples(&n->store, status->about, &status->samples, e);
}

struct node_words node_words(const struct node *n)
{
	return (struct node_words){ n->meta.words, n->meta.file, n->meta.line };
}

int node_look(struct node *n, struct node_status *status, struct error *e)
{
	struct node_state *st = n->state;
	struct store_samples before = { st->look_samples, st->look_gaps };
	uint64_t now = clock_ns(CLOCK_MONOTONIC), since = st->look_ns;
	uint32_t i;
	int err;

	*status = (struct node_status){
		.about = n->meta.about->whole,
		.words = node_words(n),
		.running = st->phase == NODE_RUNNING,
		.created_ns = st->created_ns,
		.memory = n->heap ? heap_memory(n->heap) : 0,
		.most_keys = n->meta.by.most,
		.lost = lost_of(n),
		.files = n->meta.files,
		.n_files = n->meta.n_files,
	};
	if (n->kind)
		err = n->kind->samples(n, &status->samples, e);
	else
		err = node_count_samples(n, status, e);
	if (err)
		return err;
	for (i = 0; i < status->about->n_nodes; i++)
		status->gapped |= status->about->nodes[i].kind == SNAPSHOT_GAP;
	if (status->samples.recorded >= before.recorded && status->samples.gaps >= before.gaps &&
	    now > since) {
		status->more.recorded = status->samples.recorded - before.recorded;
		status->more.gaps = status->samples.gaps - before.gaps;
		status->more_ns = now - since;
	}
	st->look_ns = now;
	st->look_samples = status->samples.recorded;
	st->look_gaps = status->samples.gaps;
	return 0;
}
