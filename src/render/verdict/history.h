/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history.h - series of sets as text. In: series with their steps. Out: text. Called by the
 * formats of this folder.
 */
#ifndef KSTATS_RENDER_VERDICT_HISTORY_H
#define KSTATS_RENDER_VERDICT_HISTORY_H

#include <stdio.h>

#include "judge/history.h"

#define HISTORY_TEXT 1200
#define HISTORY_TIME 32

/** history_step_text() - position and height of a step in words, not yet safe to print */
const char *history_step_text(const struct history *h, const struct history_row *row,
			      const struct history_step *step, char buf[HISTORY_TEXT]);

/** history_time() - "2026-11-22 05:18:13", in UTC */
const char *history_time(const struct history_set *set, char buf[HISTORY_TIME]);

/** history_set_of() - the set of a point of a series; @i: its index */
const struct history_set *history_set_of(const struct history *h, const struct history_row *row,
					 size_t i);

/**
 * history_level() - mean between two steps: the logarithm of a duration in ns
 * @i: index of a point between them
 */
double history_level(const struct history_row *row, size_t i);

/** history_print() - each series as a picture, a table, and a sentence for each step */
void history_print(FILE *out, const struct history *h);

#endif /* KSTATS_RENDER_VERDICT_HISTORY_H */
