// SPDX-License-Identifier: GPL-2.0-only
/* page.c - a screen as a table of cells. */
#include "screen/page.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/safe_str.h"

#define TEXT_MAX 512
#define WIDE_FROM 0x1100 /* from here on characters may take two columns... */
#define NARROW_FROM 0x2000 /* ...but not from here: punctuation, arrows, blocks... */
#define NARROW_TO 0x2800 /* ...up to here */

int page_open(struct page *p, unsigned int width, unsigned int height)
{
	*p = (struct page){ .width = width, .height = height, .utf8 = p->utf8 };
	p->cells = calloc((size_t)width * height + 1, sizeof(*p->cells));
	return p->cells ? 0 : -ENOMEM;
}

void page_close(struct page *p)
{
	free(p->cells);
	p->cells = NULL;
}

void page_at(struct page *p, unsigned int x, unsigned int y)
{
	p->x = x;
	p->y = y;
	p->look = PAGE_PLAIN;
}

void page_char(struct page *p, uint32_t c)
{
	struct page_cell *cell;

	if (p->x < p->width && p->y < p->height) {
		cell = &p->cells[(size_t)p->y * p->width + p->x];
		cell->c = c == ' ' ? 0 : c;
		cell->look = p->look;
	}
	p->x++;
}

/* ---- text ---- */

/* One character of safe text, as one column. @text: moved behind it. */
static uint32_t page_next(const struct page *p, const char **text)
{
	const unsigned char *s = (const unsigned char *)*text;
	size_t n = safe_utf8(*text), i;
	uint32_t c;

	if (n <= 1) {
		++*text;
		return *s < 0x80 ? *s : '?';
	}
	c = *s & (0x7f >> n);
	for (i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3f);
	*text += n;
	if (!p->utf8 || (c >= WIDE_FROM && (c < NARROW_FROM || c >= NARROW_TO)))
		return '?';
	return c;
}

static unsigned int page_columns(const char *safe)
{
	unsigned int n = 0;

	for (; *safe; n++)
		safe += safe_utf8(safe) ?: 1;
	return n;
}

/* Put safe text, up to @width columns. */
static void page_safe(struct page *p, unsigned int width, const char *safe)
{
	while (*safe && width--)
		page_char(p, page_next(p, &safe));
}

void page_text(struct page *p, enum page_look look, const char *format, ...)
{
	char raw[TEXT_MAX], safe[4 * TEXT_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(raw, sizeof(raw), format, ap);
	va_end(ap);
	p->look = look;
	page_safe(p, -1, safe_str(safe, sizeof(safe), raw));
	p->look = PAGE_PLAIN;
}

void page_cut(struct page *p, enum page_look look, unsigned int width, const char *text)
{
	unsigned int end = p->x + width, columns;
	char safe[4 * TEXT_MAX];

	columns = page_columns(safe_str(safe, sizeof(safe), text));
	p->look = look;
	page_safe(p, columns > width && width ? width - 1 : width, safe);
	if (columns > width && width)
		page_char(p, '~');
	p->look = PAGE_PLAIN;
	while (p->x < end)
		page_char(p, ' ');
}

void page_right(struct page *p, enum page_look look, unsigned int width, const char *text)
{
	char safe[4 * TEXT_MAX];
	unsigned int columns = page_columns(safe_str(safe, sizeof(safe), text));

	p->x += columns < width ? width - columns : 0;
	page_cut(p, look, columns < width ? columns : width, text);
}

unsigned int page_wrap(struct page *p, unsigned int lines, const char *text)
{
	char copy[TEXT_MAX], safe[4 * TEXT_MAX], *save, *word;
	unsigned int left = p->x, begin = p->y, columns;

	snprintf(copy, sizeof(copy), "%s", text);
	safe_str(safe, sizeof(safe), copy);
	for (word = strtok_r(safe, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		columns = page_columns(word);
		if (p->x > left && p->x + 1 + columns > p->width)
			page_at(p, left, p->y + 1);
		if (p->y - begin >= lines)
			return lines;
		if (p->x > left)
			page_char(p, ' ');
		page_safe(p, -1, word);
	}
	return p->y - begin + 1;
}

void page_choose(struct page *p, unsigned int y)
{
	unsigned int x;

	for (x = 0; y < p->height && x < p->width; x++)
		p->cells[(size_t)y * p->width + x].chosen = true;
}

/* ---- figures ---- */

void page_level(struct page *p, unsigned int level)
{
	static const char ascii[] = " _.-=+*%#";
	enum page_look was = p->look;

	p->look = PAGE_BAR;
	page_char(p, !level ? ' ' : p->utf8 ? 0x2580 + level : (unsigned char)ascii[level]);
	p->look = was;
}

void page_shade(struct page *p, unsigned int shade)
{
	static const uint32_t shades[] = { ' ', 0x2591, 0x2592, 0x2593, 0x2588 };
	static const char ascii[] = " .:*#";

	p->look = PAGE_BAR;
	page_char(p, p->utf8 ? shades[shade] : (unsigned char)ascii[shade]);
	p->look = PAGE_PLAIN;
}

void page_bar(struct page *p, uint64_t part, uint64_t whole, unsigned int width)
{
	unsigned int steps = p->utf8 ? 8 : 1, end = p->x + width, i;
	uint64_t cells = whole ? (unsigned __int128)part * width * steps / whole : 0;

	p->look = PAGE_BAR;
	for (i = 0; i < cells / steps; i++)
		page_char(p, p->utf8 ? 0x2588 : '#');
	if (cells % steps)
		page_char(p, 0x2590 - cells % steps);
	else if (part && !cells)
		page_char(p, p->utf8 ? 0x258f : '.');
	p->look = PAGE_PLAIN;
	while (p->x < end)
		page_char(p, ' ');
}

/* ---- as text ---- */

static void page_put_char(uint32_t c, FILE *out)
{
	if (c < 0x80) {
		fputc(c ? (int)c : ' ', out);
	} else if (c < 0x800) {
		fputc(0xc0 | c >> 6, out);
		fputc(0x80 | (c & 0x3f), out);
	} else {
		fputc(0xe0 | c >> 12, out);
		fputc(0x80 | (c >> 6 & 0x3f), out);
		fputc(0x80 | (c & 0x3f), out);
	}
}

void page_print(const struct page *p, FILE *out)
{
	const struct page_cell *line;
	unsigned int x, y, used;

	for (y = 0; y < p->height; y++) {
		line = &p->cells[(size_t)y * p->width];
		for (used = p->width; used && !line[used - 1].c; used--)
			;
		for (x = 0; x < used; x++)
			page_put_char(line[x].c, out);
		fputc('\n', out);
	}
}
