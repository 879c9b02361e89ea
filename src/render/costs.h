/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * costs.h - what measuring itself takes, in words. In: a recording. Out: text.
 * Called by the formats for people.
 */
#ifndef KSTATS_RENDER_COSTS_H
#define KSTATS_RENDER_COSTS_H

#include "render/render.h"

#define COSTS_TEXT 192

/**
 * costs_text() - the floor, and what tracing adds:
 * "38 ns hot, 210 ns cold; added per call 114 ns hot, 410 ns cold"
 * @c: cost
 * @unit: as in struct render_options
 * @buf: receives the text
 *
 * Return: @buf.
 */
const char *costs_text(const struct cost *c, const char *unit, char buf[COSTS_TEXT]);

/**
 * costs_below() - whether values lie where an empty function's do
 * @c: cost, or NULL where it is not known
 * @most: the largest of the values
 *
 * Return: true when it is not above the floor.
 */
bool costs_below(const struct cost *c, uint64_t most);

#endif /* KSTATS_RENDER_COSTS_H */
