// SPDX-License-Identifier: GPL-2.0-only
/* safe_str.c - making text harmless. */
#include "util/safe_str.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t decode(const unsigned char *p, size_t len)
{
	uint32_t c = len == 1 ? p[0] : p[0] & (0x7f >> len);
	size_t i;

	for (i = 1; i < len; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

size_t safe_utf8(const char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)s;
	size_t len, i;
	uint32_t c;

	if (p[0] < 0x80)
		return 1;
	len = p[0] >= 0xf8 ? 0 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc0 ? 2 : 0;
	for (i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if (!len)
		return 0;
	c = decode(p, len);
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return len;
}

static bool harmless(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return false;
	if ((c >= 0x200b && c <= 0x200f) || c == 0x061c)
		return false;
	return !(c >= 0x2028 && c <= 0x202e) && !(c >= 0x2066 && c <= 0x2069) && c != 0xfeff;
}

char *safe_str(char *dst, size_t size, const char *src)
{
	size_t at = 0, len;

	for (src = src ? src : ""; *src; src += len) {
		len = safe_utf8(src);
		if (len && harmless(decode((const unsigned char *)src, len))) {
			if (at + len >= size)
				break;
			memcpy(dst + at, src, len);
			at += len;
		} else {
			if (at + 4 >= size)
				break;
			len = 1;
			at += snprintf(dst + at, size - at, "\\x%02x", (unsigned char)*src);
		}
	}
	dst[at] = '\0';
	return dst;
}
