// SPDX-License-Identifier: GPL-2.0-only
/* text.c - the elements of texts for people. */
#include "util/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/safe_str.h"

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

static void print_cut(FILE *out, const char *text, unsigned int width, bool padded)
{
	size_t size = 4 * strlen(text ? text : "") + 1, len;
	char *safe = malloc(size);
	unsigned int n;

	if (!safe)
		return;
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

void text_flow_words(struct text_flow *f, const char *text)
{
	char *copy = strdup(text ? text : ""), *save, *word;

	if (!copy)
		return;
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		text_flow_add(f, "%s", word);
	free(copy);
}
