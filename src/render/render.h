/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * render.h - the formats for people of recordings of functions, one file each; see the table in
 * format/format.c.
 */
#ifndef KSTATS_RENDER_H
#define KSTATS_RENDER_H

#include "report/options.h"

/** render_summary() - the most important figures on one screen. Return: 0 or -EIO */
int render_summary(FILE *out, const struct recording *rec, const struct report_look *o);

/** render_hist() - a row for every occupied slot. Return: 0 or -EIO */
int render_hist(FILE *out, const struct recording *rec, const struct report_look *o);

#endif /* KSTATS_RENDER_H */
