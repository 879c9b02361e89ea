/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json.h - what the recording file and the JSON report have in
 * common. In: a recording. Out: members of a JSON object. Called by recording
 * and render.
 */
#ifndef KSTATS_RECORDING_JSON_H
#define KSTATS_RECORDING_JSON_H

#include "recording/recording.h"
#include "util/json.h"

/**
 * recording_json_about() - what was measured, where, how, and how it ended
 * @to: object that gets the members
 * @r: recording
 *
 * Return: 0 or -ENOMEM.
 */
int recording_json_about(struct json_object *to, const struct recording *r);

#endif /* KSTATS_RECORDING_JSON_H */
