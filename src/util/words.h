/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * words.h - lines of files as words of a command line, and back. In: text. Out: words. Called by
 * recipes and cmd/.
 */
#ifndef KSTATS_WORDS_H
#define KSTATS_WORDS_H

#include <stdio.h>

/**
 * words_next() - take the next word out of a text, in place
 * @text: where it begins; receives what follows it, or NULL if a quote is not closed
 *
 * As in a shell, quotes and backslashes hold words together.
 *
 * Return: the word, or NULL at the end.
 */
char *words_next(char **text);

/** words_quote() - write a word so that a shell reads it as it is */
void words_quote(FILE *out, const char *word);

#endif /* KSTATS_WORDS_H */
