/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json.h - a snapshot as members of a JSON document, and back. In: a
 * snapshot, or a document that is not trusted. Out: the other. Called by
 * recording, and by the JSON report for what the two have in common.
 */
#ifndef KSTATS_SNAPSHOT_JSON_H
#define KSTATS_SNAPSHOT_JSON_H

#include "snapshot/snapshot.h"
#include "util/json.h"

/**
 * snapshot_json_about() - what was measured, where and how
 * @to: object that gets the members
 *
 * Return: 0 or -ENOMEM.
 */
int snapshot_json_about(struct json_object *to, const struct snapshot *s);

/** snapshot_json_span() - when; @to: object that gets the members. Return: 0 or -ENOMEM */
int snapshot_json_span(struct json_object *to, const struct snapshot_span *span);

/**
 * snapshot_json_node() - what a node is
 * @to: object that gets the members
 *
 * Return: 0 or -ENOMEM.
 */
int snapshot_json_node(struct json_object *to, const struct snapshot_node *node);

/**
 * snapshot_json_ledger() - the counters of a node by their keys
 *
 * Return: a new object, or NULL when out of memory.
 */
struct json_object *snapshot_json_ledger(const struct snapshot_node *node);

/**
 * snapshot_json_counts() - time, ledgers and slots, in columns
 *
 * Return: a new object, or NULL when out of memory.
 */
struct json_object *snapshot_json_counts(const struct snapshot *s);

/**
 * snapshot_read_about() - what snapshot_json_about() and an array "nodes" of
 *	what snapshot_json_node() says have told
 * @slots: counts will follow; else it is of no CPU
 *
 * Sizes are bounded before anything is allocated for them.
 *
 * Return: a snapshot without counts, or NULL.
 */
struct snapshot *snapshot_read_about(struct json_object *from, bool slots, struct error *e);

/**
 * snapshot_read_counts() - read what snapshot_json_counts() made
 * @like: what the counts must fit to
 *
 * No sum over the slots, CPUs and nodes of what is returned overflows.
 *
 * Return: a snapshot of the same nodes without texts, or NULL.
 */
struct snapshot *snapshot_read_counts(struct json_object *from, const struct snapshot *like,
				      struct error *e);

#endif /* KSTATS_SNAPSHOT_JSON_H */
