/* SPDX-License-Identifier: GPL-2.0-only */
/* sort.h - the orders of rows in tables. Called by spec, render and cmd. */
#ifndef KSTATS_SORT_H
#define KSTATS_SORT_H

/** enum sort_by - the figure whose largest value comes first */
enum sort_by {
	SORT_TOTAL,
	SORT_COUNT,
	SORT_P50,
	SORT_P99,
	SORT_MAX,
};

/** sort_names - their words, ended by NULL */
extern const char *const sort_names[];

#endif /* KSTATS_SORT_H */
