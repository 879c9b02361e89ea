/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of this room share. */
#ifndef KSTATS_NODE_PRIV_H
#define KSTATS_NODE_PRIV_H

#include "heap/heap.h"
#include "store/flight.h"
#include "hook/hook.h"
#include "node/node.h"
#include "node/user.h"
#include "session/session.h"
#include "store/store.h"
#include "store/user.h"
#include "util/clock.h"

#define NODE_PIN_META "meta"
#define NODE_PIN_STATE "state"
#define NODE_PIN_CONTROL "control" /* of markers */
#define NODE_META_VERSION 11
#define NODE_LAYOUT_SIZE 96
#define NODE_META_MAX (16 << 20) /* bytes of the text */
#define NODE_PROBES_MAX 65536

/** enum node_phase - what is being done; if the process is killed, the next one finishes it */
enum node_phase {
	NODE_RUNNING,
	NODE_STOPPED,
	NODE_STOPPING, /* open calls are not accounted for yet */
	NODE_RESETTING, /* some cells may be zero already; it was stopped */
	NODE_RESETTING_RUNNING, /* the same; it was running */
	NODE_STARTING, /* some programs may be attached; or all are, and they record */
};

/**
 * struct node_mark - programs that the kernel skipped, of one start or end
 *
 * Each member is used in phases in which the other is not: a process that is killed between
 * the two writes leaves one that is true, and the next process can begin again.
 */
struct node_mark {
	uint64_t offset; /* while the node runs: to be added to the kernel's count */
	uint64_t total; /* while it does not run: how many there were */
};

/** struct node_state - what changes, in a map that all processes share */
struct node_state {
	uint64_t phase; /* see enum node_phase */
	uint64_t created_ns; /* wall clock when it was made */
	uint64_t wall_ns; /* wall clock since which it counts: its making, or the last reset */
	uint64_t active_ns; /* while it does not run: the time in which it did */
	/* while it runs: monotonic clock when it would have begun without any stop */
	uint64_t since_ns;
	uint64_t look_ns; /* monotonic clock at the last look */
	uint64_t look_samples; /* samples then */
	uint64_t look_gaps; /* samples of gaps then */
	/* two for each probe, of its start and of its end; or one for each program on memory events
	 */
	struct node_mark marks[];
};

/** struct node_variables - the variables of the BPF programs, mapped */
struct node_variables {
	size_t size; /* bytes */
	void *at; /* where they are */
	uint32_t *on; /* kstats_on */
	uint64_t *epoch_ns; /* epoch_ns */
	uint32_t *taken; /* by_taken */
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
	char *words; /* owned; how it was asked for */
	char *file; /* owned; see struct node_words; or NULL */
	char *line; /* owned; likewise */
	enum kstats_pairing pairing; /* how ends find their starts */
	struct session_variables variables; /* where they lie */
	struct plan_by by; /* owned; its keys */
	char *folder; /* owned; where programs with markers find it; NULL: it is of the kernel */
	struct pin_access access; /* who may count in it, with @folder */
	struct json_object *heap; /* owned; of memory events, see heap.h; or NULL */
	uint32_t n_files; /* number of @files */
	struct node_file *files; /* owned; in which it has points */
	/* when the only process that it measures began, in ticks since boot; 0: not known */
	uint64_t began;
	uint32_t n_probes; /* number of @probes */
	struct node_probe *probes; /* owned */
	struct recording *about; /* owned; a recording without counts, with a node for each key */
};

struct node;

/** struct node_kind - what node.h offers, for nodes that are not of functions */
struct node_kind {
	/* opens what is pinned; the description is read */
	int (*open)(struct node *n, enum node_use use, struct error *e);
	int (*start)(struct node *n, struct error *e); /* it does not run */
	int (*stop)(struct node *n, struct error *e); /* it is not stopped */
	int (*reset)(struct node *n, struct error *e);
	/* these finish what a killed process began */
	int (*end_start)(struct node *n, struct error *e);
	int (*end_stop)(struct node *n, struct error *e);
	int (*end_reset)(struct node *n, bool running, struct error *e);
	/* counts the samples */
	int (*samples)(struct node *n, struct store_samples *samples, struct error *e);
};

extern const struct node_kind node_user_kind; /* programs with markers count in it */
extern const struct node_kind node_kmem_kind; /* of memory events */

/** struct node - see node.h */
struct node {
	char *name; /* owned */
	const struct node_kind *kind; /* NULL: of functions */
	struct heap *heap; /* owned; only of memory events */
	struct pin_folder folder; /* its folder, locked */
	struct node_meta meta; /* what never changes */
	struct node_state *state; /* what changes; mapped */
	size_t state_size; /* bytes of @state */
	struct node_variables variables; /* not with NODE_LIST */
	struct store store; /* its slots */
	int cells_fd; /* map of cells */
	int by_fd; /* map of keys; -1: it has none */
	struct flight flight; /* its open stamps; owned descriptors; not with NODE_LIST */
	/* owned; by distribution, whether each call keeps its own start; NULL: of none it does */
	bool *in_cookies;
	struct rows hits; /* see node_hits_read() */
	char lost[384]; /* why something is not measured since */
	struct user_maps
		user; /* its slots in place of @store, if programs with markers write them */
};

/** node_meta_save() - write it; @fd: receives a map that nobody can change any more */
int node_meta_save(const struct node_meta *m, int *fd, struct error *e);

/** struct node_about - what lists show of a node that is not of functions */
struct node_about {
	const char *name;
	const struct node_words *words; /* how it was asked for */
	const char *what; /* it measures */
	const char *method;
	const char *backend; /* where its counts are */
	const char *pairing; /* how ends find their begins */
	const char *unit; /* of values, see units_is_word(); NULL: they are durations */
	unsigned int bits; /* resolution */
	unsigned int n_cpus; /* possible CPUs */
};

/** node_meta_words() - keep how the node was asked for. Return: 0 or -ENOMEM */
int node_meta_words(struct node_meta *m, const struct node_words *words);

/** node_describe() - fill in the rest of a description, and write it as node_meta_save() does */
int node_describe(int *fd, struct node_meta *m, const struct node_about *what,
		  const struct facts *facts, struct error *e);

/**
 * node_meta_load() - read it; its contents are not trusted
 * @m: filled in; freed with node_meta_free() also after an error
 * @fd: map, or a negative errno
 */
int node_meta_load(struct node_meta *m, int fd, struct error *e);

/** node_meta_layout() - how the programs lay out memory; a node with another cannot be read */
char *node_meta_layout(char text[NODE_LAYOUT_SIZE]);

/** node_meta_read() - the same from its text; NULL is damaged */
int node_meta_read(struct node_meta *m, char *text, struct error *e);

/** node_files_note() - fill in the files of its probes */
int node_files_note(struct node_meta *m, struct error *e);

/** node_files_free() - release them */
void node_files_free(struct node_meta *m);

/** node_files_save() - add them to a document. Return: 0 or -ENOMEM */
int node_files_save(struct json_object *to, const struct node_meta *m);

/** node_files_load() - read them from a document, which is not trusted */
int node_files_load(struct json_object *from, struct node_meta *m, struct error *e);

/** node_files_tell() - tell the places of a point in which file they are, as far as it is known */
void node_files_tell(const struct node_meta *m, struct plan_places *p);

/** node_places_save() - add the places of a point in a program. Return: 0 or -ENOMEM */
int node_places_save(struct json_object *to, const struct plan_places *p);

/** node_places_load() - read them; freed by plan_places_free() also after an error */
int node_places_load(struct json_object *from, struct plan_places *p, struct error *e);

/**
 * node_files_moved() - whether a path leads to another file since, or its only process has ended
 * @why: receives half a sentence if so, else ""
 */
bool node_files_moved(const struct node *n, char *why, size_t size);

/** node_meta_free() - release; @m may be zero-filled */
void node_meta_free(struct node_meta *m);

/** node_state_size() - bytes of a state */
size_t node_state_size(uint32_t n_marks);

/**
 * node_hits_read() - read those skips of kprobes that no program's own count has
 * @n: its hits are replaced
 * @settle: see session_hits_read()
 */
int node_hits_read(struct node *n, bool settle, struct error *e);

/**
 * node_skipped() - the kernel's count of skipped programs; 0 if not attached
 * @n: node after node_hits_read()
 * @mark: index of a mark
 */
uint64_t node_skipped(const struct node *n, uint32_t mark);

/** node_marks() - number of marks of a node with @n_probes */
static inline uint32_t node_marks(uint32_t n_probes)
{
	return 2 * n_probes;
}

/** node_settle() - finish what a killed process began; @n: opened for NODE_CHANGE */
int node_settle(struct node *n, struct error *e);

/**
 * node_detach() - remove the links of a node, and wait until the kernel has freed them
 * @n: opened for NODE_CHANGE
 *
 * The kernel frees a link some time after its last pin and descriptor are gone. A node that is
 * attached again too early would count calls twice.
 *
 * A user without CAP_SYS_ADMIN cannot see links: then this waits for a short time only.
 *
 * Return: 0, or -EAGAIN if the kernel still has one after ten seconds.
 */
int node_detach(struct node *n);

/** node_set_phase() - what is being done from now on */
void node_set_phase(struct node *n, enum node_phase phase);

/** node_set_span() - the time that a copy of the counts is of */
void node_set_span(const struct node *n, struct snapshot *s);

/** node_pin_both() - name the description, and a new state of a stopped node with @n_marks */
int node_pin_both(const struct pin_folder *f, int meta, uint32_t n_marks, struct error *e);

/** node_damaged() - report that a part of a node cannot be used; @err: negative errno */
int node_damaged(const struct node *n, const char *what, int err, struct error *e);

/** node_forget_counts() - the time and the looks of a node that was reset begin anew */
void node_forget_counts(struct node *n);

/**
 * node_user_count() - node_count() where programs with markers count
 *
 * Tells in @s if programs wrote nonsense.
 */
int node_user_count(struct node *n, struct snapshot *s, struct error *e);

/**
 * node_open_folder() - open the node in a folder that is open
 * @f: folder, handed over: it is PIN_NONE afterwards
 *
 * Return: a node, freed by node_close(), or NULL with the folder released.
 */
struct node *node_open_folder(struct pin_folder *f, const char *name, enum node_use use,
			      struct error *e);

/** node_in_stub() - whether a stub of the module measures the function of a probe */
static inline bool node_in_stub(const struct node_probe *p)
{
	return p->hooked && p->start.type == PLAN_DIRECT;
}

/**
 * node_count() - read slots, counters and open stamps
 * @s: snapshot with the node's distributions
 * @final: nothing records; otherwise KSTATS_IN_FLIGHT is the difference
 */
int node_count(struct node *n, struct snapshot *s, bool final, struct error *e);

/** node_clear_task_slots() - drop all open calls; @n: none of its programs runs */
int node_clear_task_slots(const struct node *n, struct error *e);

/**
 * node_begin() - record from now on, without calls that began or were skipped before
 * @n: attached node that does not run; after an error it still does not
 */
int node_begin(struct node *n, struct error *e);

/**
 * node_appear() - let a node record, and then make it visible
 * @f: folder with all that it has, handed over: it is PIN_NONE afterwards
 * @begin: lets it record
 *
 * If the process is killed at any moment, the node is complete or does not exist.
 */
int node_appear(struct pin_folder *f, const char *name,
		int (*begin)(struct node *n, struct error *e), struct error *e);

/** node_runs() - whether the time and the skipped calls go on counting */
bool node_runs(const struct node_state *st);

/** node_mark_keep() - the node stops; @count: the kernel's count of skipped programs */
void node_mark_keep(struct node_mark *m, uint64_t count);

/** node_mark_begin() - the node starts; @count: the kernel's count of skipped programs */
void node_mark_begin(struct node_mark *m, uint64_t count);

/** node_mark_skipped() - how many were skipped; @count: the kernel's count, used if it runs */
uint64_t node_mark_skipped(const struct node_state *st, const struct node_mark *m, uint64_t count);

/** node_time_keep() - the node stops; @now: monotonic clock */
void node_time_keep(struct node_state *st, uint64_t now);

/** node_time_begin() - the node starts; @now: monotonic clock */
void node_time_begin(struct node_state *st, uint64_t now);

/** node_time_active() - how long it ran in all, in ns; @now: monotonic clock */
uint64_t node_time_active(const struct node_state *st, uint64_t now);

#endif /* KSTATS_NODE_PRIV_H */
