/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * safe_str.h - names that came from a kernel, a task or a file, made harmless.
 * In: bytes nobody checked. Out: printable text. Stands in front of every such
 * string wherever it is shown. Formats with rules of their own (JSON, CSV)
 * add theirs on top.
 */
#ifndef KSTATS_SAFE_STR_H
#define KSTATS_SAFE_STR_H

#include <stddef.h>

/**
 * safe_str() - copy text so that a terminal cannot be steered by it
 * @dst: receives printable text and a NUL
 * @size: size of @dst in bytes, at least 1; longer text is cut at a whole
 *	character
 * @src: source; NULL is taken as ""
 *
 * Control bytes, and bytes that are not UTF-8, become \xNN. So do the C1
 * controls and the marks that change the direction of text.
 *
 * Return: @dst.
 */
char *safe_str(char *dst, size_t size, const char *src);

/**
 * safe_utf8() - length of one well-formed UTF-8 character
 * @s: NUL-terminated bytes
 *
 * Return: 1 to 4, or 0 where @s does not begin with a well-formed character.
 */
size_t safe_utf8(const char *s);

#endif /* KSTATS_SAFE_STR_H */
