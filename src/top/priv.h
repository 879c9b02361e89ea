/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of top share. */
#ifndef KSTATS_TOP_PRIV_H
#define KSTATS_TOP_PRIV_H

#include "top/top.h"

/* ---- source.c ---- */

/** source_open() - load and attach; records at once. Return: 0, or -errno with @refused set */
int source_open(struct top *t, struct top_source *s);

/** source_left_out() - add a row for each function that could not be attached */
int source_left_out(struct top *t, unsigned int i);

/** source_tick() - read what was counted, and give it to the screen */
int source_tick(struct top *t, unsigned int i, struct error *e);

/** source_reset() - the view begins now */
int source_reset(struct top_source *s, struct error *e);

/** source_view() - what was counted since the view began, by snapshot_total(); or NULL */
struct snapshot *source_view(const struct top_source *s);

/** source_record() - record from now on */
int source_record(struct top *t, struct top_source *s, struct error *e);

/** source_save() - end recording, and write the file; @path: its name */
int source_save(struct top *t, struct top_source *s, const char *path, struct error *e);

/** source_close() - detach and release; @s may be zero-filled */
void source_close(struct top_source *s);

/* ---- record.c ---- */

/** record_begin() - record all sources from now on */
int record_begin(struct top *t, struct error *e);

/** record_end() - end that, write the files, and say so in the screen's message */
int record_end(struct top *t, struct error *e);

/* ---- terminal.c ---- */

/** terminal_check() - whether standard input and output are a terminal that is known */
int terminal_check(struct error *e);

/** terminal_open() - take the terminal over; @out: standard output; ended by terminal_close() */
int terminal_open(FILE *out, struct error *e);

/** terminal_close() - give it back as it was */
void terminal_close(void);

/** terminal_suspend() - give it back, stop this process, and take it over when it goes on */
void terminal_suspend(void);

/** terminal_size() - its columns and lines, after they may have changed */
void terminal_size(unsigned int *width, unsigned int *height);

/** terminal_utf8() - whether it shows other characters than those of ASCII */
bool terminal_utf8(void);

/** terminal_paint() - show a page */
void terminal_paint(const struct page *p);

/** terminal_key() - a key that was typed, as screen_key() takes it; -1: there is none */
int terminal_key(void);

#endif /* KSTATS_TOP_PRIV_H */
