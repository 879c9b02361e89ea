/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * safe_str.h - make text that came from a kernel, a task or a file harmless. In: unchecked
 * bytes. Out: printable text. Used for every such string that is shown. Formats with rules of
 * their own (JSON, CSV) apply those in addition.
 */
#ifndef KSTATS_SAFE_STR_H
#define KSTATS_SAFE_STR_H

#include <stddef.h>

/**
 * safe_str() - copy text so that it cannot control a terminal
 * @dst: receives printable text and a NUL
 * @size: size of @dst in bytes, at least 1; longer text is cut at a whole
 *	character
 * @src: source; NULL is taken as ""
 *
 * Control bytes, bytes that are not UTF-8, C1 controls, and marks that change the direction of
 * text become \xNN.
 *
 * Return: @dst.
 */
char *safe_str(char *dst, size_t size, const char *src);

/** safe_utf8() - the length of one UTF-8 character, 1 to 4, or 0 if it is not well-formed */
size_t safe_utf8(const char *s);

#endif /* KSTATS_SAFE_STR_H */
