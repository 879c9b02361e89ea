/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * snapshot.h - an immutable copy of the slots and the ledger, with everything that is needed to
 * read it later. In: from store and session, or part of a recording. Out: to dist, render and
 * recording. Pure: no kernel, no root.
 */
#ifndef KSTATS_RESULT_SNAPSHOT_H
#define KSTATS_RESULT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kstats_abi.h"
#include "result/counts.h"
#include "util/error.h"
#include "util/tags.h"
#include "util/units.h"

/** enum snapshot_kind - what a node's distribution is of */
enum snapshot_kind {
	SNAPSHOT_DURATION, /* start to end, or successes only when split; or other values */
	SNAPSHOT_ERROR, /* calls that returned an error (--split-ret) */
	SNAPSHOT_GAP, /* end to the next start on the same CPU */
	SNAPSHOT_UNVERIFIED, /* start to end, where the start may be another call's */
	/* parts of durations (--parts), in the order of enum kstats_part, see there */
	SNAPSHOT_RUNNING,
	SNAPSHOT_RUNNABLE,
	SNAPSHOT_SLEEPING,
	SNAPSHOT_BLOCKED,
	SNAPSHOT_INTERRUPTED,
	SNAPSHOT_LEFT,
	SNAPSHOT_UNSPLIT,
	SNAPSHOT_STAGE, /* between two points on the way (--via), in the order of these points */
	SNAPSHOT_AGAIN, /* start to end, where one of them was passed again */
	SNAPSHOT_SELF, /* start to end, without the time in callees (--callees) */
	SNAPSHOT_CALLEE, /* the time of a call in one of them */
	SNAPSHOT_UNDIVIDED, /* start to end of calls whose time in callees is not known */
	SNAPSHOT_KEY, /* like its owner's, but only with one key (--by) */
	SNAPSHOT_OTHER, /* of keys without a distribution: made by snapshot_total(), in no file */
};

/** snapshot_is_recorded() - whether the ledger counts samples of this kind as recorded */
static inline bool snapshot_is_recorded(enum snapshot_kind kind)
{
	return kind == SNAPSHOT_DURATION || kind == SNAPSHOT_ERROR || kind == SNAPSHOT_KEY ||
	       kind == SNAPSHOT_OTHER;
}

/** snapshot_is_part() - whether a distribution is of a part, or a stage, of durations */
static inline bool snapshot_is_part(enum snapshot_kind kind)
{
	return kind >= SNAPSHOT_RUNNING && kind <= SNAPSHOT_UNDIVIDED;
}

/** struct snapshot_node - one distribution */
struct snapshot_node {
	/* owned; "vfs_read", "vfs_read:error", "GAP-vfs_read", 'vfs_read{comm="bash"}' */
	char *name;
	char *what; /* owned; "entry to return of vfs_read", "from X to Y" */
	char *method; /* owned; "fentry/fexit", "kprobe/kretprobe", "tracepoint pair", ... */
	char *reason; /* owned; why this method: "first choice", "fentry refused: ..." */
	struct tags by; /* owned; the key by its parts, of SNAPSHOT_KEY */
	struct tags numbers; /* owned; of the parts of @by that are names: their numbers */
	enum snapshot_kind kind; /* what it is a distribution of */
	/*
	 * index of the node whose ledger accounts for its starts; its own index if @kind is
	 * SNAPSHOT_DURATION. Gaps are in no ledger, and unverified samples are a line of it.
	 */
	uint32_t owner;
	/* subtracted from every sample by dist_open(); not part of any file */
	uint64_t subtract_ns;
	/* counters by enum kstats_ledger, summed over CPUs; only in owners */
	uint64_t ledger[KSTATS_LEDGER_N];
	struct counts *counts; /* owned, maybe shared with copies; the slots in use, see counts.h */
};

/** struct snapshot_span - the time that counts are of */
struct snapshot_span {
	uint64_t wall_ns; /* wall clock at the begin, ns since 1970 */
	uint64_t begin_ns; /* monotonic clock at the begin */
	uint64_t end_ns; /* monotonic clock at the copy */
	/* nothing records any more: calls in flight were counted, and the ledger must balance */
	bool final;
};

#define SNAPSHOT_BY_TASK "by task"
#define SNAPSHOT_BY_CALL "by call" /* start and end are in one frame, so nothing is looked up */
#define SNAPSHOT_ONE_POINT                                                    \
	"at one point" /* as the pairing of values that have no start and end \
			*/

/** struct snapshot - what was measured, and how */
struct snapshot {
	char *program; /* owned; version of this program */
	char *kernel; /* owned; kernel release */
	char *backend; /* owned; "map" or "kmod" */
	char *backend_reason; /* owned; why the backend is "map", or "" */
	char *pairing; /* owned; SNAPSHOT_BY_TASK, "by call", "per CPU", "by key arg0"... */
	char *filters; /* owned; "" or the filters in words: "pid 12, cpu 0-3" */
	char *command; /* owned; the command measured, or "" */
	char *unseen; /* owned; why there may be calls that no program saw, or NULL */
	char unit[UNITS_WORD]; /* of values, see units_is_word(); "": they are durations in ns */
	uint8_t bits; /* resolution of every node */
	uint32_t n_cpus; /* possible CPUs; 0 if there are no slots */
	bool total; /* owners have the samples of their keys too: see snapshot_total() */
	struct snapshot_span span; /* the time it covers */
	uint32_t n_nodes; /* number of @nodes */
	struct snapshot_node *nodes; /* the distributions */
	struct names *names; /* owned; where each name is; made by snapshot_find() */
};

/**
 * snapshot_new() - an empty snapshot, whose nodes are their own owners
 * @bits: 0 to KSTATS_BITS_MAX
 *
 * Return: a snapshot without texts, freed by snapshot_free(), or NULL when out of memory.
 */
struct snapshot *snapshot_new(unsigned int bits, unsigned int n_cpus, unsigned int n_nodes);

/** snapshot_unit() - the unit for units_duration(): @time, unless the values are no durations */
const char *snapshot_unit(const struct snapshot *s, const char *time);

/** snapshot_find() - the first distribution with a name. Return: its index, or -1 */
int snapshot_find(const struct snapshot *s, const char *name);

/** snapshot_forget_names() - after names or nodes were changed */
void snapshot_forget_names(struct snapshot *s);

/** snapshot_samples() - samples of all distributions but gaps */
uint64_t snapshot_samples(const struct snapshot *s);

/** struct snapshot_words - how something was measured; NULL is "" */
struct snapshot_words {
	const char *kernel; /* its release */
	const char *backend;
	const char *backend_reason;
	const char *pairing;
	const char *filters;
	const char *command;
};

/** snapshot_set_words() - set the texts of a new snapshot, of this program. Return: 0 or -ENOMEM */
int snapshot_set_words(struct snapshot *s, const struct snapshot_words *words);

/** struct snapshot_node_words - what a node is; NULL is "" */
struct snapshot_node_words {
	const char *name;
	const char *what;
	const char *method;
	const char *reason;
};

/** snapshot_set_node_words() - set the texts of a new node. Return: 0 or -ENOMEM */
int snapshot_set_node_words(struct snapshot_node *node, const struct snapshot_node_words *words);

/** snapshot_free() - release; @s may be NULL */
void snapshot_free(struct snapshot *s);

/** snapshot_free_node() - release what a node owns */
void snapshot_free_node(struct snapshot_node *node);

/** snapshot_like() - a new snapshot of the same nodes, without counts and time, or NULL */
struct snapshot *snapshot_like(const struct snapshot *s, uint32_t n_cpus);

/** snapshot_shape() - the same without texts */
struct snapshot *snapshot_shape(const struct snapshot *s, uint32_t n_cpus);

/** snapshot_copy() - a copy, or NULL when out of memory */
struct snapshot *snapshot_copy(const struct snapshot *s);

/**
 * snapshot_gaps() - a copy of the gap distributions alone, each its own owner
 *
 * Return: the copy, which has no nodes if @s has no gaps; or NULL when out of memory.
 */
struct snapshot *snapshot_gaps(const struct snapshot *s);

/** snapshot_bare() - a copy without texts, of which many can be kept, or NULL */
struct snapshot *snapshot_bare(const struct snapshot *s);

/** snapshot_named() - a copy with the texts of another snapshot of the same nodes, or NULL */
struct snapshot *snapshot_named(const struct snapshot *s, const struct snapshot *like);

/**
 * snapshot_same_slots() - whether all slots are equal; ledgers and times are not compared
 * @b: snapshot of the same nodes, bits and CPUs
 */
bool snapshot_same_slots(const struct snapshot *a, const struct snapshot *b);

/**
 * snapshot_is_hidden() - whether it has no samples, which is usual: a distribution of unverified
 *	samples or of a key, or what is left by the keys
 */
bool snapshot_is_hidden(const struct snapshot *s, uint32_t node);

/** snapshot_is_rest() - whether it holds what has no distribution for its key */
bool snapshot_is_rest(const struct snapshot *s, uint32_t node);

/** snapshot_key_ok() - whether it can name a part of a key: it is no label that formats have */
bool snapshot_key_ok(const char *name);

/**
 * snapshot_add_keys() - add distributions for keys that have not come yet
 *
 * They have no texts, and the first node owns them. Return: 0 or -ENOMEM.
 */
int snapshot_add_keys(struct snapshot *s, uint32_t n);

/**
 * snapshot_join_keys() - let the first one of several distributions of a key have all samples
 *
 * A key that two CPUs meet first at the same moment has two; the others stay, without samples.
 * Return: 0, -EOVERFLOW or -ENOMEM.
 */
int snapshot_join_keys(struct snapshot *s);

/** snapshot_has_keys() - whether there are distributions of keys */
bool snapshot_has_keys(const struct snapshot *s);

/** snapshot_is_unused() - whether it is the distribution of a key, without samples */
bool snapshot_is_unused(const struct snapshot *s, uint32_t node);

/**
 * snapshot_drop_unused() - remove distributions of keys
 * @like: snapshot of the same nodes, in which those that are removed have no samples
 */
void snapshot_drop_unused(struct snapshot *s, const struct snapshot *like);

/** snapshot_fold() - a copy in which the samples of all keys are in their owners, or NULL */
struct snapshot *snapshot_fold(const struct snapshot *s);

/**
 * snapshot_total() - a copy for reports: owners have the samples of their keys too
 *
 * The nodes of keys come last, and behind them a SNAPSHOT_OTHER for each owner that had samples
 * of keys without a distribution.
 *
 * Return: the copy, freed by snapshot_free(), or NULL.
 */
struct snapshot *snapshot_total(const struct snapshot *s);

/** snapshot_plain() - number of nodes in front of those of keys; @s: by snapshot_total() */
uint32_t snapshot_plain(const struct snapshot *s);

/**
 * snapshot_kind_name() - the word for a kind in formats and files
 *
 * Return: "duration", or "value" if @s is of values that are no durations; "error", "gap",
 * "unverified", "key" or "other"; NULL past the last kind.
 */
const char *snapshot_kind_name(const struct snapshot *s, enum snapshot_kind kind);

/**
 * snapshot_add() - add two snapshots of the same nodes and bits
 * @a: the sum has its texts
 * @e: filled in if a counter would overflow
 *
 * The times are added too.
 *
 * Return: a new snapshot, or NULL.
 */
struct snapshot *snapshot_add(const struct snapshot *a, const struct snapshot *b, struct error *e);

/**
 * snapshot_subtract() - what was counted between two snapshots of one session
 * @e: filled in if nodes, bits or CPUs differ, or if a counter went backwards
 *
 * In flight is a level: it is taken from @later and not subtracted. What was in flight at
 * @earlier is added to started, so that the ledger of the difference balances. If @earlier is
 * not final, that is its ledger_left_over().
 *
 * Return: a new snapshot of the period, or NULL.
 */
struct snapshot *snapshot_subtract(const struct snapshot *later, const struct snapshot *earlier,
				   struct error *e);

/**
 * snapshot_since() - snapshot_subtract(), which releases the counts of the earlier one
 * @earlier: may only be freed afterwards
 *
 * The counts are released node by node, so that there are never three of the largest snapshots
 * in memory.
 *
 * Return: a new snapshot of the period, or NULL.
 */
struct snapshot *snapshot_since(const struct snapshot *later, struct snapshot *earlier,
				struct error *e);

#endif /* KSTATS_RESULT_SNAPSHOT_H */
