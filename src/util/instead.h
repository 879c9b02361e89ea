/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * instead.h - words that people type and that are not, or no longer, of this program: names in
 * other tools, and options that have become others. In: the word. Out: what to type. Called by
 * options.c and main.
 */
#ifndef KSTATS_INSTEAD_H
#define KSTATS_INSTEAD_H

/**
 * instead_of() - what to type in place of a word
 * @verb: the verb it was typed after, as "trace" or "node add"; "" for the first word
 * @word: the word, an option with its dashes
 *
 * Return: words for the user, as "write --max-loss 0", or NULL if nothing is known.
 */
const char *instead_of(const char *verb, const char *word);

#endif /* KSTATS_INSTEAD_H */
