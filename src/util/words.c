// SPDX-License-Identifier: GPL-2.0-only
#include "util/words.h"

#include <ctype.h>
#include <string.h>

char *words_next(char **text)
{
	char *from = *text + strspn(*text, " \t"), *to = from, *word = from, quote = 0;

	if (!*from)
		return NULL;
	for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
		if (quote ? *from == quote : *from == '\'' || *from == '"')
			quote = quote ? 0 : *from;
		else if (*from == '\\' && quote != '\'' && from[1])
			*to++ = *++from;
		else
			*to++ = *from;
	}
	*text = quote ? NULL : from + !!*from;
	*to = '\0';
	return word;
}

static const char words_plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				  "_.,:/@%+=-";

void words_quote(FILE *out, const char *word)
{
	if (*word && !word[strspn(word, words_plain)]) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	}
	fputc('\'', out);
}
