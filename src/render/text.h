/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - the elements of text reports for people: colours, bars, ranges, text that wraps.
 * Called by the text formats.
 */
#ifndef KSTATS_RENDER_TEXT_H
#define KSTATS_RENDER_TEXT_H

#include "result/dist.h"
#include "render/render.h"
#include "util/units.h"

#define TEXT_RANGE (2 * UNITS_TEXT + 8) /* room for any range made here */

/** enum text_color - meaning of a colour */
enum text_color {
	TEXT_PLAIN,
	TEXT_TITLE,
	TEXT_FAINT,
	TEXT_BAR,
	TEXT_GOOD,
	TEXT_WARN,
};

/** struct text_quantile - a quantile that reports show */
struct text_quantile {
	const char *name; /* "p99.9" */
	uint32_t millionths;
};

#define TEXT_QUANTILES 5

/** text_quantiles - the quantiles that reports show, ascending */
extern const struct text_quantile text_quantiles[TEXT_QUANTILES];

/** text_color() - the text that switches to a colour; "" without colours */
const char *text_color(const struct render_options *o, enum text_color color);

/** text_range() - "132 ns .. 135 ns", or a single value if both ends are equal */
char *text_range(char buf[TEXT_RANGE], struct dist_bounds b, const char *unit);

/**
 * text_safe() - print unchecked text, cut and padded to a width
 * @text: any bytes; NULL is taken as ""
 * @width: columns; 0 prints the whole text without padding
 */
void text_safe(FILE *out, const char *text, unsigned int width);

/** text_last() - print unchecked text at the end of a line, cut to a width and not padded */
void text_last(FILE *out, const char *text, unsigned int width);

/** text_width() - columns that unchecked text takes */
unsigned int text_width(const char *text);

/** text_comment() - print a line that plotting tools ignore; @text: unchecked */
void text_comment(FILE *out, const char *what, const char *text);

/**
 * text_comments() - name the recording and the interval if there are several, and say
 *	whether the floor was subtracted
 */
void text_comments(FILE *out, const struct recording *rec, const struct render_options *o);

/* Words that wrap at the width of the report. */
struct text_flow {
	FILE *out; /* stream */
	unsigned int width; /* columns */
	unsigned int indent; /* blanks at the beginning of each line but the first */
	unsigned int column; /* position of the next word */
	bool begun; /* this line has a word */
};

/**
 * text_flow_add() - print text that must not be split, on this line or the next
 * @format: printf format; the result is made safe
 */
void text_flow_add(struct text_flow *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** text_flow_words() - print text, wrapping between its words; @text: any bytes */
void text_flow_words(struct text_flow *f, const char *text);

#endif /* KSTATS_RENDER_TEXT_H */
