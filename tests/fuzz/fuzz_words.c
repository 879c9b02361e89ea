// SPDX-License-Identifier: GPL-2.0-only
/* fuzz_words.c - any bytes as a classic line, and as the words of trace. */
#include <stdlib.h>
#include <string.h>

#include "spec/spec.h"

#define WORDS_MAX 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void as_line(const char *text)
{
	struct error e = {};
	struct spec spec;

	if (!spec_parse_line(&spec, text, &e) && spec.bits > KSTATS_BITS_MAX)
		abort();
	spec_free(&spec);
}

/* A line break ends a word, so that words may hold spaces. */
static void as_words(char *text)
{
	char verb[] = "trace", *argv[WORDS_MAX + 2] = { verb }, *save = NULL, *word;
	struct error e = {};
	struct spec spec;
	int argc = 1, err;

	for (word = strtok_r(text, "\n", &save); word && argc < WORDS_MAX;
	     word = strtok_r(NULL, "\n", &save))
		argv[argc++] = word;
	err = spec_parse_trace(&spec, argc, argv, &e);
	/* What is accepted names something to measure; what is not, says why. */
	if (!err && !spec.n_targets && !(spec.start.name && spec.end.name))
		abort();
	if (err < 0 && (!e.what[0] || !e.why[0]))
		abort();
	spec_free(&spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	as_line(text);
	as_words(text);
	free(text);
	return 0;
}
