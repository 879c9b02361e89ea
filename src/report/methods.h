/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * methods.h - in words, by which methods the sides of a comparison were measured. In: a
 * row whose methods differ. Out: text. Called by the reports of both kinds, and by
 * formats for benchmarks.
 */
#ifndef KSTATS_REPORT_METHODS_H
#define KSTATS_REPORT_METHODS_H

#include "judge/compare.h"

#define METHODS_TEXT 384

/**
 * methods_side() - the method of a side, its floor and what it adds to a call, not yet safe to
 *	print; @side: of a row with @across
 */
const char *methods_side(const struct compare_side *side, char buf[METHODS_TEXT]);

/** methods_floors() - what the floors alone may make of a figure; @row: with @across */
const char *methods_floors(const struct compare_row *row, char buf[METHODS_TEXT]);

/** methods_all() - both sides and their floors, not yet safe to print; @row: with @across */
const char *methods_all(const struct compare_row *row, char buf[3 * METHODS_TEXT]);

#endif /* KSTATS_REPORT_METHODS_H */
