/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * top.h - measure several things at once and show them on a terminal, again and again. In: what
 * to measure. Out: screens, and recordings if they are asked for. Called by cmd/.
 */
#ifndef KSTATS_TOP_H
#define KSTATS_TOP_H

#include "node/node.h"
#include "plan/plan.h"
#include "result/cost.h"
#include "result/recording.h"
#include "screen/screen.h"
#include "session/session.h"

/** struct top_source - what some rows are read from: a session of its own, or a node */
struct top_source {
	char *name; /* owned; of its row if it is refused, and in names of files */
	char *words; /* owned; how it was asked for */
	struct spec spec; /* owned; not used for a node */
	struct plan plan; /* owned; of @spec */
	bool is_node; /* @name is a node's */
	struct error refused; /* why it is not measured; its @err is 0 if it is */

	/* What top itself keeps. */
	struct session *session; /* owned */
	struct snapshot *now; /* owned; what was read last; NULL before the first time */
	struct snapshot *base; /* owned; when the view began; NULL: all is shown */
	struct recording *rec; /* owned; what is recorded, without the whole; NULL: nothing is */
	struct snapshot *rec_base; /* owned; when that began; NULL: at the first sample */
};

/** struct top - what is shown, and how */
struct top {
	struct top_source *sources; /* owned */
	unsigned int n_sources;
	const struct facts *facts; /* not owned */
	const struct costs *costs; /* for recordings; not owned */
	const struct tags *tags; /* for recordings; not owned */
	struct node_root root; /* of the nodes; its descriptor is -1 if there are none */
	FILE *out; /* what pages are printed to, or the terminal; not owned */
	const char *record; /* file to record into from the begin, or NULL */
	uint64_t interval_ns;
	uint64_t duration_ns; /* 0: until it is ended */
	unsigned int frames; /* so many pages are printed as text, without a terminal; 0: none */
	struct screen screen; /* its unit and order are set by the caller */
	bool no_rows_fail; /* it is an error if nothing can be measured */
	char *kept; /* owned; what was recorded where, in a sentence, or NULL */
};

/**
 * top_check() - whether there is a terminal, or none is needed
 *
 * Return: 0 or -ENOTTY.
 */
int top_check(const struct top *t, struct error *e);

/** top_run() - measure and show until it is ended; the terminal is then as before */
int top_run(struct top *t, struct error *e);

/** top_close() - detach and release; @t may be zero-filled but for @root.fd, which is -1 */
void top_close(struct top *t);

#endif /* KSTATS_TOP_H */
