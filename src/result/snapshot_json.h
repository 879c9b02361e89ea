/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * snapshot_json.h - write a snapshot into a JSON document, and read it from one that is not
 * trusted. Called by recording, and by the JSON report.
 */
#ifndef KSTATS_RESULT_SNAPSHOT_JSON_H
#define KSTATS_RESULT_SNAPSHOT_JSON_H

#include "result/snapshot.h"
#include "util/json.h"

/** snapshot_json_about() - add what was measured, where and how. Return: 0 or -ENOMEM */
int snapshot_json_about(struct json_object *to, const struct snapshot *s);

/** snapshot_json_span() - add the time. Return: 0 or -ENOMEM */
int snapshot_json_span(struct json_object *to, const struct snapshot_span *span);

/** snapshot_read_span() - read what snapshot_json_span() added; it is not trusted */
int snapshot_read_span(struct json_object *from, struct snapshot_span *span, struct error *e);

/** snapshot_json_node() - add what a node is; @i: below @s->n_nodes. Return: 0 or -ENOMEM */
int snapshot_json_node(struct json_object *to, const struct snapshot *s, uint32_t i);

/** snapshot_json_counts() - a new object of time, ledgers and slots in columns, or NULL */
struct json_object *snapshot_json_counts(const struct snapshot *s);

/**
 * snapshot_read_about() - read what snapshot_json_about() wrote, and an array "nodes" of what
 *	snapshot_json_node() wrote
 * @slots: counts will follow; else it has no CPUs
 *
 * Sizes are checked before memory is allocated.
 *
 * Return: a snapshot without counts, or NULL.
 */
struct snapshot *snapshot_read_about(struct json_object *from, bool slots, struct error *e);

/**
 * snapshot_read_counts() - read what snapshot_json_counts() made
 * @like: has the nodes and CPUs that the counts must fit
 *
 * No sum over slots, CPUs and nodes of the result overflows.
 *
 * Return: a snapshot of the same nodes without texts, or NULL.
 */
struct snapshot *snapshot_read_counts(struct json_object *from, const struct snapshot *like,
				      struct error *e);

#endif /* KSTATS_RESULT_SNAPSHOT_JSON_H */
