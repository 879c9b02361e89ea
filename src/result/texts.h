/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * texts.h - the text members of a snapshot as rows, to copy, write and read them.
 */
#ifndef KSTATS_RESULT_TEXTS_H
#define KSTATS_RESULT_TEXTS_H

#include "result/snapshot.h"

/* Bounds on what is read; a file from a large machine stays far below. */
#define SNAPSHOT_CPUS_MAX 8192
#define SNAPSHOT_NODES_MAX 65536
#define SNAPSHOT_PLACES_MAX (1 << 24) /* nodes x CPUs */

/* A text member of the snapshot or of a node. */
struct snapshot_text {
	const char *key; /* its name in the file */
	size_t offset; /* of its char * */
	bool optional; /* may be missing */
};

/** snapshot_texts - text members of struct snapshot, ended by a NULL key */
extern const struct snapshot_text snapshot_texts[];

/** snapshot_node_texts - text members of struct snapshot_node, the same way */
extern const struct snapshot_text snapshot_node_texts[];

/** snapshot_text() - address of a text member; @of: struct snapshot or struct snapshot_node */
static inline char **snapshot_text(const void *of, const struct snapshot_text *row)
{
	return (char **)((char *)of + row->offset);
}

#endif /* KSTATS_RESULT_TEXTS_H */
