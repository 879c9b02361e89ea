/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording_priv.h - what the files of this room share: the words and bounds
 * of the recording file, and how intervals are kept. Called by nobody else.
 */
#ifndef KSTATS_RECORDING_PRIV_H
#define KSTATS_RECORDING_PRIV_H

#include "recording.h"

#define RECORDING_FORMAT "kstats-bpf recording"
#define RECORDING_VERSION 1
#define RECORDING_RUNS_MAX 1000000
#define RECORDING_STATUS_MAX 255

/* Five million slots that are not empty stay within what json_read() takes. */
#define RECORDING_CELLS_MAX 5000000

/**
 * recording_keep_period() - append an interval
 * @r: recording
 * @p: handed over, also when it fails; NULL fails
 *
 * Return: 0 or -ENOMEM.
 */
int recording_keep_period(struct recording *r, struct snapshot_packed *p);

#endif /* KSTATS_RECORDING_PRIV_H */
