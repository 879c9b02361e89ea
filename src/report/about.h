/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * about.h - what is known of a recording beside its figures: time, machine, tags, filters,
 * and how the command ended. In: a recording. Out: names and texts. Called by the formats
 * for people, and by those of memory events.
 */
#ifndef KSTATS_REPORT_ABOUT_H
#define KSTATS_REPORT_ABOUT_H

#include "result/recording.h"

/** struct about - who is told */
struct about {
	void (*say)(void *ctx, const char *name, const char *text); /* the text is unchecked */
	void *ctx; /* handed to @say */
};

/** about_paired() - what stands before the pairing: "paired ", or "" if there is one point */
const char *about_paired(const struct snapshot *s);

/** about_tell() - say a text, unless it is NULL or empty */
void about_tell(const struct about *to, const char *name, const char *text);

/** about_tell_made() - the same with a text made by printf */
void about_tell_made(const struct about *to, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** about_tell_time() - say when it was recorded; @runs: in how many runs */
void about_tell_time(const struct about *to, const struct snapshot_span *span, uint32_t runs);

/** about_tell_tags() - say the tags, if there are any */
void about_tell_tags(const struct about *to, const struct tags *tags);

/** about_tell_command() - say the command, unless it is NULL or empty, and how it ended */
void about_tell_command(const struct about *to, const char *command, uint32_t status);

/**
 * about_each() - go through everything that is known
 * @kept: include time, machine and tags, which whoever is measuring knows already
 * @to: told each of it
 */
void about_each(const struct recording *rec, bool kept, const struct about *to);

#endif /* KSTATS_REPORT_ABOUT_H */
