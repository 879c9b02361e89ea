/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - the elements of texts for people at a terminal: colours, text of a width, text that
 * wraps. Called by the text formats and by whoever talks to the user.
 */
#ifndef KSTATS_UTIL_TEXT_H
#define KSTATS_UTIL_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/** enum text_color - meaning of a colour */
enum text_color {
	TEXT_PLAIN,
	TEXT_TITLE,
	TEXT_FAINT,
	TEXT_BAR,
	TEXT_GOOD,
	TEXT_WARN,
};

/** text_color() - the text that switches to a colour; "" without colours */
const char *text_color(bool wanted, enum text_color color);

/** text_short() - memory was short for a part of a text: the whole is of no use */
void text_short(void);

/** text_was_short() - whether text_short() was called since the last call of this function */
bool text_was_short(void);

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

/**
 * text_flow_words() - print text, wrapping between its words
 * @text: any bytes
 *
 * A number stays with its unit, and a few words in brackets stay together.
 */
void text_flow_words(struct text_flow *f, const char *text);

#endif /* KSTATS_UTIL_TEXT_H */
