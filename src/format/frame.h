/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame.h - the frame of a page, and text in it. In: unchecked text. Out: a self-contained
 * page: no font, no picture, no network, and no script but its own.
 * Called by the formats that make pages and drawings.
 */
#ifndef KSTATS_FORMAT_FRAME_H
#define KSTATS_FORMAT_FRAME_H

#include <stdio.h>

/** html_text() - escape any bytes for HTML, XML and their attributes; NULL is taken as "" */
void html_text(FILE *out, const char *text);

/** html_tag() - any text in a tag */
void html_tag(FILE *out, const char *tag, const char *text);

/** html_style() - the style sheet of pages and charts, for light and dark */
void html_style(FILE *out);

/** html_script() - the script of a page, at its end */
void html_script(FILE *out);

/** html_policy() - what a page may load and run: nothing but that script */
void html_policy(FILE *out);

/** html_begin() - write everything before the contents of a page; @title: any bytes */
void html_begin(FILE *out, const char *title);

/** html_end() - write everything after the contents */
void html_end(FILE *out);

#endif /* KSTATS_FORMAT_FRAME_H */
