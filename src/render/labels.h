/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * labels.h - what tells the series of an exposition apart. In: recordings. Out:
 * labels, escaped, no two of them the same. Called by openmetrics, and by format.
 */
#ifndef KSTATS_RENDER_LABELS_H
#define KSTATS_RENDER_LABELS_H

#include "render/render.h"

/**
 * struct labels - those of one recording
 * @recording: owned; 'recording="a.json",' where there are several, else ""
 * @nodes: owned; for each node 'recording="a.json",node="vfs_read",kind="duration"', or,
 *	live, 'node="reads",function="vfs_read",backend="map",kind="duration"'
 */
struct labels {
	char *recording;
	char **nodes;
};

/**
 * labels_make() - the labels of some recordings
 * @live: the recordings are of running nodes, whose names are always among the labels
 *
 * Names that occur again get one more label, node_nth="2".
 *
 * Return: one for each recording, freed by labels_free(); NULL when out of memory.
 */
struct labels *labels_make(const struct render_set *recs, bool live);

/** labels_print() - a label; @before: '{' or ','; @key: its name; @value: any bytes */
void labels_print(FILE *out, char before, const char *key, const char *value);

/** labels_free() - release; @labels may be NULL; @recs: what they were made of */
void labels_free(struct labels *labels, const struct render_set *recs);

#endif /* KSTATS_RENDER_LABELS_H */
