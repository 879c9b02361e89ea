/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_user_abi.h - what programs with markers and kstats-bpf share: the layout of the two maps
 * of a node, and where programs find them.
 *
 * FOLDER/NAME is the control map, which programs can only read: it is frozen, and kstats-bpf
 * writes it by BPF programs. FOLDER/NAME+cells is the map that they count in. The version in
 * FOLDER/+version changes after each change of a node.
 */
#ifndef KSTATS_USER_ABI_H
#define KSTATS_USER_ABI_H

#include "kstats_slot.h"

#define KSTATS_USER_FOLDER "/run/kstats-user"
#define KSTATS_USER_VERSION "+version"
#define KSTATS_USER_CELLS "+cells" /* after the name of a node */
#define KSTATS_USER_LAYOUT 1 /* of the maps; programs leave nodes of other layouts alone */

/* Set in every version here, and in none that a program uses while it has found no folder. */
#define KSTATS_USER_VERSION_BIT (1U << 31)

/*
 * Set in the version from shortly before a node records until it does. A program that finds the
 * node stopped meanwhile does not turn its markers off: else a begin that another thread
 * counts could be followed by an end that does nothing.
 */
#define KSTATS_USER_CHANGING (1U << 30)

/**
 * struct kstats_user_control - the value of the control map
 * @session: 0 while the node is stopped; else a number that no other start or reset of any node
 *	has
 * @layout: KSTATS_USER_LAYOUT
 * @gone: 1 when the node is removed
 * @bits: resolution of the slots
 * @n_cpus: possible CPUs; there are twice as many cells
 * @cell_size: bytes of a cell
 * @cells_id: id of the map of cells, which the kernel gave it
 * @unused: 0
 *
 * Only @session and @gone change.
 */
struct kstats_user_control {
	__u64 session;
	__u32 layout;
	__u32 gone;
	__u32 bits;
	__u32 n_cpus;
	__u32 cell_size;
	__u32 cells_id;
	__u64 unused[4];
};

/**
 * enum kstats_user_count - the counters of a cell
 * @KSTATS_USER_BEGUN: calls of KSTATS_BEGIN() while the node records
 * @KSTATS_USER_NESTED: begins given up, since more were open in their thread than are kept
 * @KSTATS_USER_LEFT: begins whose function was left without KSTATS_END(), as by longjmp()
 * @KSTATS_USER_UNMATCHED: calls of KSTATS_END() that found no begin
 * @KSTATS_USER_COUNTS: number of counters
 */
enum kstats_user_count {
	KSTATS_USER_BEGUN,
	KSTATS_USER_NESTED,
	KSTATS_USER_LEFT,
	KSTATS_USER_UNMATCHED,
	KSTATS_USER_COUNTS,
};

/*
 * A cell is an array of struct kstats_slot. The samples of the first four slots are the counters;
 * the slots of durations follow, and those of the values of KSTATS_SAMPLE(). Each CPU has two
 * cells, n_cpus apart. Threads on it write to the first one by restartable sequences; threads
 * that have none write to the second one by atomic operations. All 16 bytes of a slot are
 * written at once.
 */
#define KSTATS_USER_CELL_SLOTS(bits) (KSTATS_USER_COUNTS + 2 * KSTATS_N_SLOTS(bits))
#define KSTATS_USER_CELL_SIZE(bits) ((KSTATS_USER_CELL_SLOTS(bits) * 16 + 63) & ~63)

/**
 * kstats_user_durations() - where the slots of durations begin
 *
 * Return: index in a cell.
 */
static inline __u32 kstats_user_durations(void)
{
	return KSTATS_USER_COUNTS;
}

/**
 * kstats_user_values() - where the slots of values begin
 * @bits: resolution
 *
 * Return: index in a cell.
 */
static inline __u32 kstats_user_values(__u32 bits)
{
	return KSTATS_USER_COUNTS + kstats_n_slots(bits);
}

#endif /* KSTATS_USER_ABI_H */
