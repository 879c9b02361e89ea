/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * labels.h - what tells the metrics of recordings of functions apart. In: recordings. Out: labels,
 * no two sets of them the same. Called by trace_metrics.
 */
#ifndef KSTATS_REPORT_LABELS_H
#define KSTATS_REPORT_LABELS_H

#include "report/report.h"

/** struct labels_name - a name, which others may have too */
struct labels_name {
	const char *raw; /* any bytes; not owned */
	char *name; /* owned; as it is shown, since the shown names must differ */
	char *by; /* owned; the values of a key; or NULL */
	int kind;
	size_t index;
	unsigned int nth; /* position among equal names, from 1 */
};

/** struct labels - those of one recording and its nodes */
struct labels {
	const struct snapshot *s; /* not owned */
	bool live; /* it is of a running node, whose name is always among the labels */
	bool named; /* the recording has a label */
	struct labels_name recording;
	struct labels_name *nodes; /* owned */
};

/**
 * labels_make() - the labels of some recordings
 * @live: the recordings are of running nodes
 *
 * Names that occur again get one more label, node_nth="2".
 *
 * Return: one for each recording, freed by labels_free(); NULL when out of memory.
 */
struct labels *labels_make(const struct report_set *recs, bool live);

/** labels_tell_recording() - of which recording the next sample is; nothing if there is but one */
void labels_tell_recording(const struct labels *l, struct report_metrics *to);

/** labels_tell_node() - of which node of which recording the next sample is */
void labels_tell_node(const struct labels *l, uint32_t node, struct report_metrics *to);

/** labels_free() - release; @labels may be NULL; @n: number of recordings */
void labels_free(struct labels *labels, size_t n);

#endif /* KSTATS_REPORT_LABELS_H */
