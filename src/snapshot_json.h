/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * snapshot_json.h - the parts that the snapshot file and the JSON report have
 * in common. In: a snapshot. Out: members of a JSON object. Called by snapshot
 * and render.
 */
#ifndef KSTATS_SNAPSHOT_JSON_H
#define KSTATS_SNAPSHOT_JSON_H

#include "snapshot.h"
#include "util/json.h"

/**
 * snapshot_json_about() - what was measured where and when
 * @to: object that gets the members
 * @s: snapshot
 *
 * Return: 0 or -ENOMEM.
 */
int snapshot_json_about(struct json_object *to, const struct snapshot *s);

/**
 * snapshot_json_node() - what a node is
 * @to: object that gets the members
 * @node: node
 *
 * Return: 0 or -ENOMEM.
 */
int snapshot_json_node(struct json_object *to, const struct snapshot_node *node);

/**
 * snapshot_json_ledger() - the counters of a node by their keys
 * @node: node
 *
 * Return: a new object, or NULL when out of memory.
 */
struct json_object *snapshot_json_ledger(const struct snapshot_node *node);

#endif /* KSTATS_SNAPSHOT_JSON_H */
