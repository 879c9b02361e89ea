/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * snapshot.h - an immutable copy of the slots and the ledger, with everything
 * needed to read it later: evidence. In: filled by store and session, or part of
 * a recording. Out: to dist, render and recording. Pure: no kernel, no root.
 */
#ifndef KSTATS_SNAPSHOT_H
#define KSTATS_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kstats_abi.h"
#include "snapshot/counts.h"
#include "util/error.h"

/** enum snapshot_kind - what a node's distribution is of */
enum snapshot_kind {
	SNAPSHOT_DURATION, /* start to end, or successes only when split */
	SNAPSHOT_ERROR, /* calls that returned an error (--split-ret) */
	SNAPSHOT_GAP, /* end to the next start on the same CPU */
	SNAPSHOT_UNVERIFIED, /* start to end, where the start may be another call's */
};

/**
 * snapshot_is_recorded() - whether samples of this kind are in the ledger as recorded
 *
 * Return: true for durations that are surely of the calls they are ascribed to.
 */
static inline bool snapshot_is_recorded(enum snapshot_kind kind)
{
	return kind == SNAPSHOT_DURATION || kind == SNAPSHOT_ERROR;
}

/** struct snapshot_node - one distribution */
struct snapshot_node {
	char *name; /* owned; "vfs_read", "vfs_read:error", "GAP-vfs_read" */
	char *what; /* owned; "entry to return of vfs_read", "from X to Y" */
	char *method; /* owned; "fentry/fexit", "kprobe/kretprobe", "tracepoint pair", ... */
	char *reason; /* owned; why this method: "first choice", "fentry refused: ..." */
	enum snapshot_kind kind; /* what it is a distribution of */
	/*
	 * index of the node whose ledger accounts for its starts; its own index where @kind is
	 * SNAPSHOT_DURATION. Gap nodes are in no ledger, and those of unverified samples are a line
	 * of it.
	 */
	uint32_t owner;
	/* taken off every sample where it is read, see dist_open(); not part of any file */
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
	/*
	 * programs are detached, so the in-flight count was counted and the ledger must balance;
	 * else in flight is the difference
	 */
	bool final;
};

/** struct snapshot - what was measured, and how */
struct snapshot {
	char *program; /* owned; version of this program */
	char *kernel; /* owned; kernel release */
	char *backend; /* owned; "map" or "kmod" */
	char *backend_reason; /* owned; why the backend is "map", or "" */
	char *pairing; /* owned; "by task", "per CPU", "by key arg0" */
	char *filters; /* owned; "" or the filters in words: "pid 12, cpu 0-3" */
	char *command; /* owned; the command measured, or "" */
	char *unseen; /* owned; why there may be calls that no program saw, or NULL */
	uint8_t bits; /* resolution of every node */
	uint32_t n_cpus; /* possible CPUs; 0 where only what was measured is known */
	struct snapshot_span span; /* the time it covers */
	uint32_t n_nodes; /* number of @nodes */
	struct snapshot_node *nodes; /* the distributions */
};

/**
 * snapshot_new() - an empty snapshot
 * @bits: 0 to KSTATS_BITS_MAX
 * @n_cpus: possible CPUs
 * @n_nodes: nodes, without counts, owner their own index
 *
 * Return: a snapshot, freed by snapshot_free(), strings NULL; or NULL when out
 * of memory.
 */
struct snapshot *snapshot_new(unsigned int bits, unsigned int n_cpus, unsigned int n_nodes);

/** snapshot_samples() - samples of all distributions but gaps */
uint64_t snapshot_samples(const struct snapshot *s);

/** snapshot_free() - release; @s may be NULL */
void snapshot_free(struct snapshot *s);

/**
 * snapshot_like() - a snapshot of the same nodes, without counts
 * @n_cpus: possible CPUs of the new one
 *
 * Return: a new snapshot whose time is zero, or NULL when out of memory.
 */
struct snapshot *snapshot_like(const struct snapshot *s, uint32_t n_cpus);

/**
 * snapshot_shape() - a snapshot of the same nodes, without texts and counts
 * @n_cpus: possible CPUs of the new one
 *
 * Return: a new snapshot whose time is zero, or NULL when out of memory.
 */
struct snapshot *snapshot_shape(const struct snapshot *s, uint32_t n_cpus);

/** snapshot_copy() - a copy; @s: source. Return: the copy or NULL when out of memory */
struct snapshot *snapshot_copy(const struct snapshot *s);

/**
 * snapshot_gaps() - a copy of the gap distributions alone
 *
 * Return: the copy, each of whose nodes is its own owner and which is of no node where
 * @s has no gaps; or NULL when out of memory.
 */
struct snapshot *snapshot_gaps(const struct snapshot *s);

/**
 * snapshot_bare() - a copy without texts, of which many can be kept
 *
 * Return: the copy or NULL when out of memory.
 */
struct snapshot *snapshot_bare(const struct snapshot *s);

/**
 * snapshot_named() - a copy with the texts of another snapshot
 * @s: source; its texts are not looked at
 * @like: snapshot of the same nodes
 *
 * Return: the copy or NULL when out of memory.
 */
struct snapshot *snapshot_named(const struct snapshot *s, const struct snapshot *like);

/**
 * snapshot_same_slots() - whether every slot is the same
 * @b: snapshot of the same nodes, bits and CPUs
 *
 * Return: true where they are; ledgers and times are not looked at.
 */
bool snapshot_same_slots(const struct snapshot *a, const struct snapshot *b);

/**
 * snapshot_is_hidden() - whether a distribution says nothing
 *
 * Return: true where there could have been unverified samples and are none.
 */
bool snapshot_is_hidden(const struct snapshot *s, uint32_t node);

/**
 * snapshot_kind_name() - "duration", "error", "gap" or "unverified"
 *
 * Return: constant text, NULL past the last kind.
 */
const char *snapshot_kind_name(enum snapshot_kind kind);

/**
 * snapshot_add() - what was counted at two times
 * @a: one of them, whose texts the sum has
 * @b: the other one, of the same nodes and bits
 * @e: a counter would overflow
 *
 * The time covered is the sum of both times.
 *
 * Return: a new snapshot, or NULL.
 */
struct snapshot *snapshot_add(const struct snapshot *a, const struct snapshot *b, struct error *e);

/**
 * snapshot_subtract() - what happened between two snapshots of one session
 * @later: the later one
 * @earlier: the earlier one
 * @e: why not (different nodes, bits or CPUs; a counter that went backwards)
 *
 * In flight is taken from @later, not subtracted: it is a level, and what was
 * in flight at @earlier is added to started, so that the ledger of the
 * difference balances. Where @earlier is not final that is its exact left over,
 * see ledger_left_over().
 *
 * Return: a new snapshot of the period, or NULL.
 */
struct snapshot *snapshot_subtract(const struct snapshot *later, const struct snapshot *earlier,
				   struct error *e);

/**
 * snapshot_since() - snapshot_subtract(), where the earlier one is not needed any more
 * @later: the later one
 * @earlier: the earlier one; only good for snapshot_free() afterwards
 *
 * The counts of @earlier are released node by node, so that there are never three of
 * the largest snapshots at a time.
 *
 * Return: a new snapshot of the period, or NULL.
 */
struct snapshot *snapshot_since(const struct snapshot *later, struct snapshot *earlier,
				struct error *e);

#endif /* KSTATS_SNAPSHOT_H */
