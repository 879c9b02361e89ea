/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * about.h - what is known of a recording beside its figures: when, on what,
 * under what tags, for whom, and how the command ended. In: a recording. Out:
 * names and texts. Called by the formats for people.
 */
#ifndef KSTATS_RENDER_ABOUT_H
#define KSTATS_RENDER_ABOUT_H

#include "recording/recording.h"

/**
 * about_each() - everything there is to tell
 * @rec: recording
 * @kept: also when, on what and under what tags, which who measures knows
 * @say: called with a name and a text that nobody checked and that is not empty
 * @ctx: handed to @say
 */
void about_each(const struct recording *rec, bool kept,
		void (*say)(void *ctx, const char *name, const char *text), void *ctx);

#endif /* KSTATS_RENDER_ABOUT_H */
