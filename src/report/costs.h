/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * costs.h - overhead in words. In: a recording. Out: text.
 * Called by the formats for people.
 */
#ifndef KSTATS_REPORT_COSTS_H
#define KSTATS_REPORT_COSTS_H

#include "result/dist.h"
#include "report/look.h"

#define COSTS_TEXT 192

/**
 * costs_text() - the floor and the added time, such as
 * "38 ns hot, 210 ns cold; added per call 114 ns hot, 410 ns cold"
 */
const char *costs_text(const struct cost *c, const char *unit, char buf[COSTS_TEXT]);

/**
 * costs_is_stepped() - whether durations contain a single step of the probe, maybe subtracted
 *
 * The name of the method tells it, which the formats with names of methods show anyway.
 */
bool costs_is_stepped(const struct snapshot *s, uint32_t node);

/** costs_any_stepped() - whether those of any distribution do */
bool costs_any_stepped(const struct snapshot *s);

#define COSTS_WARNING 320

/**
 * costs_warning() - that durations contain a probe that is single-stepped, or NULL
 *
 * It is much of the figure of a short function. Nothing is said where it is subtracted.
 */
const char *costs_warning(const struct recording *rec, char buf[COSTS_WARNING]);

/* A recording whose distributions have the floor subtracted. */
struct costs_view {
	struct recording recording; /* shares everything but its nodes with the original */
	struct snapshot whole; /* its snapshot */
};

/**
 * costs_subtract() - make a view of a recording with the floor subtracted
 * @v: filled in; ended by costs_view_close()
 * @rec: must outlive the view
 *
 * The floor is the hot one of the distribution's method. It is not subtracted from gaps, nor if it
 * is not known.
 *
 * Return: 0 or -ENOMEM.
 */
int costs_subtract(struct costs_view *v, const struct recording *rec);

/** costs_view_close() - release; @v may be zero-filled */
void costs_view_close(struct costs_view *v);

/** costs_subtracted() - say what was subtracted from which distributions: allocated, or NULL */
char *costs_subtracted(const struct snapshot *s);

/**
 * costs_below() - whether values are not above the floor
 * @c: cost, or NULL if it is not known
 * @most: the largest of the values, as in @d
 */
bool costs_below(const struct cost *c, const struct dist *d, uint64_t most);

#endif /* KSTATS_REPORT_COSTS_H */
