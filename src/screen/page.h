/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page.h - a screen as a table of cells. In: text and where it goes. Out: cells, which a terminal
 * paints and tests read. Pure. Called by screen's files and by whoever paints.
 */
#ifndef KSTATS_SCREEN_PAGE_H
#define KSTATS_SCREEN_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** enum page_look - what a cell stands for */
enum page_look {
	PAGE_PLAIN,
	PAGE_TITLE,
	PAGE_FAINT,
	PAGE_BAR,
	PAGE_GOOD,
	PAGE_WARN,
	PAGE_LOOKS, /* number of looks */
};

/** struct page_cell - one character */
struct page_cell {
	uint32_t c; /* Unicode code point of one column; 0 for a blank */
	uint8_t look; /* enum page_look */
	bool chosen; /* it belongs to the row that is chosen */
};

/** struct page - a screen */
struct page {
	unsigned int width; /* columns */
	unsigned int height; /* lines */
	bool utf8; /* it may have other characters than those of ASCII */
	struct page_cell *cells; /* owned; line by line */
	/* where the next text goes, and its look */
	unsigned int x;
	unsigned int y;
	enum page_look look;
};

/** page_open() - a blank page; @p: its @utf8 is kept; freed by page_close(). Return: 0, -ENOMEM */
int page_open(struct page *p, unsigned int width, unsigned int height);

/** page_close() - release; @p may be zero-filled */
void page_close(struct page *p);

/** page_at() - go to a place; what is put outside of the page is dropped */
void page_at(struct page *p, unsigned int x, unsigned int y);

/** page_char() - put a character of one column */
void page_char(struct page *p, uint32_t c);

/**
 * page_text() - put text
 * @look: how it looks
 * @format: printf format; the result is made safe, and characters of two columns become "?"
 */
void page_text(struct page *p, enum page_look look, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** page_cut() - put text of at most @width columns, with a mark where it was cut, and pad it */
void page_cut(struct page *p, enum page_look look, unsigned int width, const char *text);

/** page_right() - put text at the right end of @width columns */
void page_right(struct page *p, enum page_look look, unsigned int width, const char *text);

/**
 * page_wrap() - put words on up to @lines lines from this one on, beginning at column @x
 *
 * Return: number of lines used.
 */
unsigned int page_wrap(struct page *p, unsigned int lines, const char *text);

/** page_choose() - mark a line as the one that is chosen */
void page_choose(struct page *p, unsigned int y);

/** page_print() - write the page as text, each line without the blanks at its end */
void page_print(const struct page *p, FILE *out);

/** PAGE_LEVELS - steps of page_level() and page_shade(), without the blank */
#define PAGE_LEVELS 8
#define PAGE_SHADES 4

/** page_level() - put a column whose height is 0 (a blank) to PAGE_LEVELS */
void page_level(struct page *p, unsigned int level);

/** page_shade() - put a cell of a heat map, 0 (a blank) to PAGE_SHADES */
void page_shade(struct page *p, unsigned int shade);

/** page_bar() - put a bar of @part / @whole of @width columns; a part above 0 is visible */
void page_bar(struct page *p, uint64_t part, uint64_t whole, unsigned int width);

#endif /* KSTATS_SCREEN_PAGE_H */
