/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keys.h - rows for the keys of --by. In: a snapshot with them. Out: their names, and what they
 * are sorted by. Called by the summary and the page.
 */
#ifndef KSTATS_REPORT_KEYS_H
#define KSTATS_REPORT_KEYS_H

#include "result/dist.h"
#include "util/sort.h"

#define KEYS_SHOWN 20 /* rows that are shown first */
#define KEYS_HEADING 64 /* room for a heading */

/** keys_figure() - the figure of a distribution by which rows are sorted */
double keys_figure(const struct dist *d, enum sort_by sort);

/** keys_belong() - whether a row belongs to @owner: a key, or the samples of all further keys */
bool keys_belong(const struct snapshot *s, uint32_t node, uint32_t owner);

/** keys_is_stack() - whether a part of a key is a stack: functions joined by ";" */
bool keys_is_stack(const struct tag *part);

/**
 * keys_name() - the values of a key, or "other"
 *
 * A stack begins with the function that was called last: "ksys_read < do_syscall_64".
 * Return: owned by the caller, or NULL.
 */
char *keys_name(const struct snapshot_node *node);

/** keys_heading() - "by comm, cpu": the parts of the keys of @owner, or of any if it is -1 */
const char *keys_heading(const struct snapshot *s, int owner, char buf[KEYS_HEADING]);

#endif /* KSTATS_REPORT_KEYS_H */
