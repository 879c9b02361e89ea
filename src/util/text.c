// SPDX-License-Identifier: GPL-2.0-only
/* text.c - the elements of texts for people. */
#include "util/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/safe_str.h"

#define BRACKETS_MAX 24 /* bytes in brackets that stay on a line */

const char *text_color(bool wanted, enum text_color color)
{
	static const char *const codes[] = {
		[TEXT_PLAIN] = "\033[0m", [TEXT_TITLE] = "\033[1m", [TEXT_FAINT] = "\033[2m",
		[TEXT_BAR] = "\033[36m",  [TEXT_GOOD] = "\033[32m", [TEXT_WARN] = "\033[1;31m",
	};

	return wanted ? codes[color] : "";
}

/* Count the first @width characters and their bytes. */
static size_t cut(const char *text, unsigned int width, unsigned int *n)
{
	const char *p = text;

	for (*n = 0; *p && *n < width; ++*n)
		p += safe_utf8(p);
	return p - text;
}

/* What writes a part of a text has a stream alone. One text is written at a time. */
static bool is_short;

void text_short(void)
{
	is_short = true;
}

bool text_was_short(void)
{
	bool was = is_short;

	is_short = false;
	return was;
}

static void print_cut(FILE *out, const char *text, unsigned int width, bool padded)
{
	size_t size = 4 * strlen(text ? text : "") + 1, len;
	char *safe = malloc(size);
	unsigned int n;

	if (!safe) {
		text_short();
		return;
	}
	safe_str(safe, size, text);
	if (!width) {
		fputs(safe, out);
	} else {
		len = cut(safe, width, &n);
		if (safe[len] && width > 1) /* mark a name that was cut */
			len = cut(safe, width - 1, &n);
		fwrite(safe, 1, len, out);
		fprintf(out, "%s%*s", safe[len] ? "~" : "",
			padded ? (int)(width - n - !!safe[len]) : 0, "");
	}
	free(safe);
}

void text_safe(FILE *out, const char *text, unsigned int width)
{
	print_cut(out, text, width, true);
}

void text_last(FILE *out, const char *text, unsigned int width)
{
	print_cut(out, text, width, false);
}

unsigned int text_width(const char *text)
{
	size_t size = 4 * strlen(text) + 1;
	char *safe = malloc(size);
	unsigned int n = 0;

	if (safe)
		cut(safe_str(safe, size, text), -1, &n);
	else
		text_short();
	free(safe);
	return n;
}

void text_comment(FILE *out, const char *what, const char *text)
{
	fprintf(out, "# %s", what);
	text_safe(out, text, 0);
	fputc('\n', out);
}

static void flow_word(struct text_flow *f, const char *word)
{
	unsigned int n;

	cut(word, -1, &n);
	if (f->begun && f->column + 1 + n > f->width) {
		fprintf(f->out, "\n%*s", (int)f->indent, "");
		f->column = f->indent;
	} else if (f->begun) {
		fputc(' ', f->out);
		f->column++;
	}
	fputs(word, f->out);
	f->column += n;
	f->begun = true;
}

void text_flow_add(struct text_flow *f, const char *format, ...)
{
	char raw[256], word[4 * sizeof(raw) + 1];
	va_list ap;

	va_start(ap, format);
	vsnprintf(raw, sizeof(raw), format, ap);
	va_end(ap);
	flow_word(f, safe_str(word, sizeof(word), raw));
}

static bool text_is_unit(const char *word)
{
	static const char *const units[] = { "ns", "us", "ms", "s", "B", "KiB", "MiB", "GiB" };
	size_t i, n = strspn(word, "BGKMinsu");

	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (n == strlen(units[i]) && !strncmp(word, units[i], n) &&
		    !isalnum((unsigned char)word[n]))
			return true;
	return false;
}

/* Bytes that stay on a line: a word, a number with its unit, a few words in brackets. */
static size_t flow_together(const char *text)
{
	size_t n = strcspn(text, " "), end = strcspn(text, ")");

	if (*text == '(' && text[end] && end < BRACKETS_MAX)
		return end + strcspn(text + end, " ");
	if (n && isdigit((unsigned char)text[n - 1]) && text[n] && text_is_unit(text + n + 1))
		return n + 1 + strcspn(text + n + 1, " ");
	return n;
}

void text_flow_words(struct text_flow *f, const char *text)
{
	size_t n;

	for (text = text ? text : ""; *(text += strspn(text, " ")); text += n) {
		n = flow_together(text);
		text_flow_add(f, "%.*s", (int)n, text);
	}
}
