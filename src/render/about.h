/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * about.h - what is known of a recording beside its figures: time, machine, tags, filters,
 * and how the command ended. In: a recording. Out: names and texts. Called by the formats
 * for people.
 */
#ifndef KSTATS_RENDER_ABOUT_H
#define KSTATS_RENDER_ABOUT_H

#include "recording/recording.h"

/**
 * about_each() - go through everything that is known
 * @kept: include time, machine and tags, which whoever is measuring knows already
 * @say: called with a name and a text; the text is unchecked and not empty
 * @ctx: handed to @say
 */
void about_each(const struct recording *rec, bool kept,
		void (*say)(void *ctx, const char *name, const char *text), void *ctx);

#endif /* KSTATS_RENDER_ABOUT_H */
