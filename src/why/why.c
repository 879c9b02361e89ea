// SPDX-License-Identifier: GPL-2.0-only
/* why.c - all that is known of slow calls: see why.h. */
#include "why/why.h"

#include <stdlib.h>

#include "why/priv.h"

/* The longest calls, the longest first; of equal ones the first. */
static void study_find_worst(struct study *s, const struct why *w)
{
	size_t i, k;

	for (i = 0; i < w->n_calls_kept; i++) {
		if (!w->calls[i].is_slow)
			continue;
		for (k = s->n_worst; k; k--)
			if (w->calls[s->worst[k - 1]].duration_ns >= w->calls[i].duration_ns)
				break;
			else if (k < STUDY_WORST)
				s->worst[k] = s->worst[k - 1];
		if (k < STUDY_WORST)
			s->worst[k] = i;
		s->n_worst += s->n_worst < STUDY_WORST;
	}
}

int why_study(struct study *s, const struct why *w)
{
	struct bursts b = {};
	int err;

	*s = (struct study){};
	err = frames_find(s, w);
	if (!err)
		err = bursts_make(&b, w);
	if (!err)
		err = excess_of(s, w, &b);
	if (!err)
		err = places_find(s, w);
	if (!err && s->has_intervals)
		err = causes_find(s, w, &b);
	if (!err)
		study_find_worst(s, w);
	bursts_free(&b);
	return err;
}

void study_free(struct study *s)
{
	size_t i;

	for (i = 0; s->frames && i < s->n_frames; i++)
		free(s->frames[i]);
	free(s->frames);
	free(s->callees);
	free(s->causes);
	free(s->waits);
	free(s->runs);
	*s = (struct study){};
}
