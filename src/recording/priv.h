/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * priv.h - what the files of this room share: the words and bounds
 * of the recording file, and how intervals are kept. Called by nobody else.
 */
#ifndef KSTATS_RECORDING_PRIV_H
#define KSTATS_RECORDING_PRIV_H

#include "recording/recording.h"

#define RECORDING_FORMAT "kstats-bpf recording"
#define RECORDING_VERSION 1
#define RECORDING_RUNS_MAX 1000000
#define RECORDING_STATUS_MAX 255

/* Five million slots in use stay within what json_read() takes. */
#define RECORDING_SLOTS_MAX 5000000

/**
 * recording_keep_period() - append an interval
 * @p: handed over, also when it fails; NULL fails
 *
 * Return: 0 or -ENOMEM.
 */
int recording_keep_period(struct recording *r, struct snapshot *p);

/** recording_text() - text that may be missing; @s: text or NULL */
static inline const char *recording_text(const char *s)
{
	return s ? s : "";
}

/**
 * recording_join_words() - say of one what is said of two
 * @to: of the first; told of both afterwards
 * @from: the second
 * @whole: snapshot of both, told of as the first so far
 * @map: for each node of @from the one of @whole
 *
 * Return: 0, or -errno: no memory, or too many tags.
 */
int recording_join_words(struct recording *to, const struct recording *from, struct snapshot *whole,
			 const uint32_t *map);

#endif /* KSTATS_RECORDING_PRIV_H */
