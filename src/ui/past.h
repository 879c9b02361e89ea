/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * past.h - accepted sets of runs in a folder. In: a folder. Out: sets in the order of time;
 * on request, one more set in the folder. Called by check.
 *
 * A set is a folder of recordings, or a single recording. Names that begin with a point are
 * ignored. So is base-*.json in the folder of a set: 'trace --runs --vs' records the other
 * command there. The folder "undecided" has folders of sets that were not accepted.
 */
#ifndef KSTATS_UI_PAST_H
#define KSTATS_UI_PAST_H

#include "judge/accepted.h"
#include "util/folder.h"

/** struct past - the accepted sets of a folder */
struct past {
	const char *folder; /* not owned */
	struct folder into; /* where a set is added; open only if that was asked for */
	struct accepted accepted; /* all sets of the folder in the order of time */
};

/**
 * past_open() - read all sets of a folder
 * @p: filled in; released by past_close() also after an error
 * @folder: must outlive @p
 * @make: make it if it is missing, so that a set can be added
 * @e: filled in with the file or folder that cannot be read, and the reason
 */
int past_open(struct past *p, const char *folder, bool make, struct error *e);

/**
 * past_newest() - take the newest set out, to judge it
 * @p: opened
 * @runs: empty; receives its runs
 * @e: filled in if the folder is empty
 */
int past_newest(struct past *p, struct runs *runs, struct error *e);

/** enum past_place - as what a set is added */
enum past_place {
	PAST_ACCEPTED,
	PAST_REBASE, /* accepted, and the level begins anew with it */
	PAST_UNDECIDED, /* into a folder of its own, in which no set is compared with others */
};

/**
 * past_accept() - add a set to the folder, completely or not at all
 * @p: opened with @make
 * @runs: of the set, which is named by the time of its first run
 * @place: as what; one that is there already is not added to the undecided ones again
 */
int past_accept(const struct past *p, const struct runs *runs, enum past_place place,
		struct error *e);

/** past_close() - release; @p may be zero-filled */
void past_close(struct past *p);

#endif /* KSTATS_UI_PAST_H */
