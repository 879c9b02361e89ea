/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rendered.h - what must be true of anything that a format has written: text ends where its
 * first NUL is, and protobuf is messages, each after its length, up to the last byte.
 */
#ifndef KSTATS_TESTS_RENDERED_H
#define KSTATS_TESTS_RENDERED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"

/* Reads a length at @at; @at: then what follows it. */
static inline bool rendered_length(const uint8_t **at, const uint8_t *end, uint64_t *n)
{
	unsigned int shift = 0;

	for (*n = 0; *at < end && shift < 64; shift += 7) {
		*n |= (uint64_t)(**at & 0x7f) << shift;
		if (!(*(*at)++ & 0x80))
			return true;
	}
	return false;
}

static inline bool rendered_messages(const uint8_t *at, const uint8_t *end)
{
	uint64_t n;

	while (at < end) {
		if (!rendered_length(&at, end, &n) || n > (uint64_t)(end - at))
			return false;
		at += n;
	}
	return true;
}

/** rendered_check() - abort unless @size bytes at @text are what @format may write */
static inline void rendered_check(const struct format *format, const char *text, size_t size)
{
	const uint8_t *at = (const uint8_t *)text;

	if (!strcmp(format->name, "protobuf") ? !rendered_messages(at, at + size)
					      : strlen(text) != size)
		abort();
}

#endif /* KSTATS_TESTS_RENDERED_H */
