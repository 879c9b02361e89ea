/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of recording share: words and limits of the recording file. */
#ifndef KSTATS_RESULT_PRIV_H
#define KSTATS_RESULT_PRIV_H

#include "result/recording.h"

#define RECORDING_FORMAT "kstats-bpf recording"
#define RECORDING_VERSION 1
#define RECORDING_VERSION_UNIT                                            \
	2 /* of values, which a program that knows version 1 takes for ns \
	   */
#define RECORDING_RUNS_MAX 1000000
#define RECORDING_STATUS_MAX 255

/* Five million slots in use stay within what json_read() takes. */
#define RECORDING_SLOTS_MAX 5000000

#define PERIODS_DROPPED UINT32_MAX /* a node that has no other number */

/**
 * recording_renumber_period() - append an interval of another recording, or of the same
 * @map: for each node of @from the one of @to, or PERIODS_DROPPED
 *
 * Return: 0, -ENOMEM, or -ENOENT if a node that is dropped has something in the interval.
 */
int recording_renumber_period(const struct recording *from, size_t i, const uint32_t *map,
			      struct recording *to);

/** recording_text() - text that may be missing; @s: text or NULL */
static inline const char *recording_text(const char *s)
{
	return s ? s : "";
}

/**
 * recording_join_words() - merge what is said about two recordings
 * @to: the first; receives what is true of both
 * @whole: snapshot of both, with the descriptions of the first
 * @map: for each node of @from the one of @whole
 *
 * Return: 0, or -errno: no memory, or too many tags.
 */
int recording_join_words(struct recording *to, const struct recording *from, struct snapshot *whole,
			 const uint32_t *map);

#endif /* KSTATS_RESULT_PRIV_H */
