/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * html.h - the frame of a page, and text in it. In: unchecked text. Out: a self-contained
 * page: no script, no font, no picture, no network.
 * Called by the formats that make pages and drawings.
 */
#ifndef KSTATS_RENDER_HTML_H
#define KSTATS_RENDER_HTML_H

#include <stdio.h>

/** html_text() - escape any bytes for HTML, XML and their attributes; NULL is taken as "" */
void html_text(FILE *out, const char *text);

/** html_style() - the style sheet of pages and charts, for light and dark */
void html_style(FILE *out);

/** html_begin() - write everything before the contents of a page; @title: any bytes */
void html_begin(FILE *out, const char *title);

/** html_end() - write everything after the contents */
void html_end(FILE *out);

#endif /* KSTATS_RENDER_HTML_H */
