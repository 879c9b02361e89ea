/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording_json.h - what the recording file, the JSON report and the description of a node have
 * in common. In: a recording. Out: members of a JSON object. Called by recording, kmem, report
 * and node.
 */
#ifndef KSTATS_RESULT_RECORDING_JSON_H
#define KSTATS_RESULT_RECORDING_JSON_H

#include "result/recording.h"
#include "util/json.h"
#include "util/json_read.h"

/** recording_json_about() - add what was measured, where, how, and how it ended; 0 or -ENOMEM */
int recording_json_about(struct json_object *to, const struct recording *r);

/* The array for json_read_but(): a long run has thousands of intervals. */
#define RECORDING_PERIODS "periods"

/**
 * recording_read() - read what recording_save() wrote; it is not trusted
 * @doc: the document
 * @rest: its intervals, which are read here
 */
struct recording *recording_read(struct json_object *doc, struct json_rest *rest, struct error *e);

/** recording_json_machine() - add the machine. Return: 0 or -ENOMEM */
int recording_json_machine(struct json_object *to, const struct recording_machine *m);

/** recording_json_tags() - add the tags. Return: 0 or -ENOMEM */
int recording_json_tags(struct json_object *to, const struct tags *tags);

/** recording_read_machine() - read what recording_json_machine() added; it is not trusted */
int recording_read_machine(struct json_object *doc, struct recording_machine *m, struct error *e);

/** recording_read_tags() - read what recording_json_tags() added; it is not trusted */
int recording_read_tags(struct json_object *doc, struct tags *to, struct error *e);

/** recording_json_empty() - add the same, and the nodes without their counts; 0 or -ENOMEM */
int recording_json_empty(struct json_object *to, const struct recording *r);

/**
 * recording_read_empty() - read what recording_json_empty() added; it is not trusted
 *
 * Return: a recording without slots, whose snapshot has no CPUs, freed by recording_free(); or
 * NULL.
 */
struct recording *recording_read_empty(struct json_object *from, struct error *e);

#endif /* KSTATS_RESULT_RECORDING_JSON_H */
