/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * texts.h - the text members of a snapshot, as rows. Called by what
 * copies, writes and reads them.
 */
#ifndef KSTATS_SNAPSHOT_TEXTS_H
#define KSTATS_SNAPSHOT_TEXTS_H

#include "snapshot/snapshot.h"

/* Bounds on what is read; a file from a large machine stays far below. */
#define SNAPSHOT_CPUS_MAX 8192
#define SNAPSHOT_NODES_MAX 65536
#define SNAPSHOT_PLACES_MAX (1 << 24) /* nodes x CPUs */

/* A text member of the snapshot or of a node. */
struct snapshot_text {
	const char *key; /* its name in the file */
	size_t offset; /* where its char * lies */
	bool optional; /* left out where there is none */
};

/** snapshot_texts - text members of struct snapshot, ended by a NULL key */
extern const struct snapshot_text snapshot_texts[];

/** snapshot_node_texts - text members of struct snapshot_node, the same way */
extern const struct snapshot_text snapshot_node_texts[];

/**
 * snapshot_text() - a text member by its row
 * @of: struct snapshot or struct snapshot_node
 * @row: row of its table
 *
 * Return: where its pointer lies.
 */
static inline char **snapshot_text(const void *of, const struct snapshot_text *row)
{
	return (char **)((char *)of + row->offset);
}

#endif /* KSTATS_SNAPSHOT_TEXTS_H */
