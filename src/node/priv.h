/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of this room share. */
#ifndef KSTATS_NODE_PRIV_H
#define KSTATS_NODE_PRIV_H

#include "store/flight.h"
#include "hook/hook.h"
#include "node/node.h"
#include "session/session.h"
#include "store/store.h"
#include "util/clock.h"

#define NODE_PIN_META "meta"
#define NODE_PIN_STATE "state"
#define NODE_META_VERSION 6
#define NODE_META_MAX (16 << 20) /* bytes of the text */
#define NODE_PROBES_MAX 65536

/** enum node_phase - what goes on; what a killed process leaves tells what to do */
enum node_phase {
	NODE_RUNNING,
	NODE_STOPPED,
	NODE_STOPPING, /* what is in flight is not accounted for yet */
	NODE_RESETTING, /* some cells may be zero, and it was stopped */
	NODE_RESETTING_RUNNING, /* the same, and it was running */
	NODE_STARTING, /* some of it may be attached; or all, and it records */
};

/**
 * struct node_mark - start programs that the kernel skipped, of one probe
 *
 * Each is true in phases in which the other is not looked at: a kill between the
 * two leaves one that is true, and it can be done again.
 */
struct node_mark {
	uint64_t offset; /* while it runs, what the kernel's count lacks, or has too much */
	uint64_t total; /* while it does not, how many there were */
};

/**
 * struct node_state - what changes, in a map that is shared
 * @phase: see enum node_phase
 * @created_ns: wall clock at its begin
 * @wall_ns: wall clock since when it counts: begin or reset
 * @active_ns: while it does not run, the time in which it did
 * @since_ns: while it runs, monotonic clock when it would have begun, had it never
 *	been stopped; as for struct node_mark
 * @look_ns: monotonic clock at the last look
 * @look_samples: samples then
 * @look_gaps: samples of gaps then
 * @marks: one for each probe
 */
struct node_state {
	uint64_t phase;
	uint64_t created_ns;
	uint64_t wall_ns;
	uint64_t active_ns;
	uint64_t since_ns;
	uint64_t look_ns;
	uint64_t look_samples;
	uint64_t look_gaps;
	struct node_mark marks[];
};

/** struct node_variables - the variables of the BPF programs, which are shared */
struct node_variables {
	size_t size; /* bytes */
	void *at; /* where they are */
	uint32_t *on; /* kstats_on */
	uint64_t *epoch_ns; /* epoch_ns */
};

/** struct node_probe - a probe as it was attached */
struct node_probe {
	uint32_t node; /* distribution that accounts for its starts */
	bool hooked; /* it was not left out */
	struct plan_hook start; /* its start */
	struct plan_hook end; /* its end */
};

/** struct node_meta - what never changes */
struct node_meta {
	char *words; /* owned */
	enum kstats_pairing pairing; /* how ends find their starts */
	size_t variables_size; /* bytes of the variables */
	size_t on_at; /* where kstats_on is among them */
	size_t epoch_at; /* where epoch_ns is */
	struct store_call_ids calls; /* how the module is asked about its nodes */
	uint32_t n_probes; /* number of @probes */
	struct node_probe *probes; /* owned */
	struct recording *about; /* owned; a recording without counts */
};

/**
 * struct node - see node.h
 * @name: owned
 * @folder: its folder, locked
 * @meta: what never changes
 * @state: mapped; what does
 * @state_size: bytes of it
 * @variables: mapped, but for NODE_LIST
 * @store: its slots
 * @cells_fd: map of cells
 * @flight: where open stamps are, but for NODE_LIST; its descriptors are owned
 */
struct node {
	char *name;
	struct pin_folder folder;
	struct node_meta meta;
	struct node_state *state;
	size_t state_size;
	struct node_variables variables;
	struct store store;
	int cells_fd;
	struct flight flight;
	struct rows hits; /* see node_hits_read() */
};

/**
 * node_meta_save() - write what never changes
 * @fd: receives a map that nobody can change any more
 */
int node_meta_save(const struct node_meta *m, int *fd, struct error *e);

/**
 * node_meta_load() - read it; it is not trusted
 * @m: filled in; freed with node_meta_free() also after an error
 * @fd: map, or a negative errno
 */
int node_meta_load(struct node_meta *m, int fd, struct error *e);

/** node_meta_free() - release; @m may be zero-filled */
void node_meta_free(struct node_meta *m);

/** node_state_size() - bytes of a state; @n_probes: number of probes. Return: bytes */
size_t node_state_size(uint32_t n_probes);

/**
 * node_hits_read() - read what the kernel skipped of kprobes where it does not count it
 * @n: node; its hits are replaced
 * @settle: see session_hits_read()
 */
int node_hits_read(struct node *n, bool settle, struct error *e);

/**
 * node_skipped() - start programs the kernel skipped, now
 * @n: node after node_hits_read()
 * @i: index of a probe
 *
 * Return: the kernel's count; 0 where it is not attached.
 */
uint64_t node_skipped(const struct node *n, uint32_t i);

/**
 * node_settle() - finish what a killed process has begun
 * @n: node that was opened for NODE_CHANGE
 */
int node_settle(struct node *n, struct error *e);

/**
 * node_open_folder() - a node in a folder that is open
 * @f: folder, handed over: it is PIN_NONE afterwards
 * @use: what for
 * @shared: see struct store_setup
 *
 * Return: a node, freed by node_close(), or NULL with the folder let go.
 */
struct node *node_open_folder(struct pin_folder *f, const char *name, enum node_use use,
			      struct store_calls **shared, struct error *e);

/**
 * node_count() - slots, counters and open stamps
 * @s: snapshot like the node's
 * @final: nothing records; else in flight is the difference
 */
int node_count(struct node *n, struct snapshot *s, bool final, struct error *e);

/**
 * node_clear_task_slots() - no task has a task slot or a stack any more
 * @n: node of which no program runs; what is open counts no more
 */
int node_clear_task_slots(const struct node *n, struct error *e);

/**
 * node_begin() - record from now on; no call that began before counts, nor what the
 *	kernel skipped
 * @n: attached node that does not run
 *
 * Return: 0 or -errno, when it does not run.
 */
int node_begin(struct node *n, struct error *e);

/**
 * node_runs() - what a mark and the time are taken from
 *
 * Return: true where it is the kernel's count and the clock.
 */
bool node_runs(const struct node_state *st);

/**
 * node_mark_keep() - for the time in which it does not run
 * @m: mark, of a node that runs
 * @count: the kernel's count
 */
void node_mark_keep(struct node_mark *m, uint64_t count);

/**
 * node_mark_begin() - for the time in which it runs
 * @m: mark, of a node that does not
 * @count: the kernel's count
 */
void node_mark_begin(struct node_mark *m, uint64_t count);

/**
 * node_mark_skipped() - how many were skipped in all
 * @m: mark of it
 * @count: the kernel's count, which may be anything while it does not run
 */
uint64_t node_mark_skipped(const struct node_state *st, const struct node_mark *m, uint64_t count);

/**
 * node_time_keep() - for the time in which it does not run
 * @st: state of a node that runs
 * @now: monotonic clock
 */
void node_time_keep(struct node_state *st, uint64_t now);

/**
 * node_time_begin() - for the time in which it runs
 * @st: state of a node that does not
 * @now: monotonic clock
 */
void node_time_begin(struct node_state *st, uint64_t now);

/** node_time_active() - how long it ran in all; @now: monotonic clock. Return: ns */
uint64_t node_time_active(const struct node_state *st, uint64_t now);

#endif /* KSTATS_NODE_PRIV_H */
