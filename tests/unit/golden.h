/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * golden.h - texts compared byte for byte with those kept in tests/golden. With
 * KSTATS_GOLDEN_UPDATE=1 the files are written anew.
 */
#ifndef KSTATS_GOLDEN_H
#define KSTATS_GOLDEN_H

#include "fixture.h"

#include <limits.h>
#include <sys/stat.h>

static inline bool golden_updating(void)
{
	const char *value = getenv("KSTATS_GOLDEN_UPDATE");

	return value && !strcmp(value, "1");
}

static inline void golden_path(char path[PATH_MAX], const char *name, const char *what)
{
	const char *folder = getenv("KSTATS_GOLDEN_DIR");

	snprintf(path, PATH_MAX, "%s/%s.%s", folder ? folder : "tests/golden", name, what);
}

static inline char *golden_read(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	struct stat st;
	size_t n;

	if (!f)
		fail_msg("cannot read %s", path);
	assert_int_equal(fstat(fileno(f), &st), 0);
	text = calloc(1, st.st_size + 1);
	assert_non_null(text);
	n = fread(text, 1, st.st_size, f);
	assert_int_equal(n, st.st_size);
	fclose(f);
	return text;
}

static inline void golden_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static inline void golden_check(const char *name, const char *what, const char *text)
{
	char path[PATH_MAX], *want;

	golden_path(path, name, what);
	if (golden_updating())
		golden_write(path, text);
	want = golden_read(path);
	if (strcmp(want, text))
		fail_msg("%s differs; got:\n%s", path, text);
	free(want);
}

/* Whether @words, formats with blanks between them, have one; NULL has all that are text. */
static inline bool golden_keeps(const char *words, const char *format)
{
	size_t n = strlen(format);
	const char *at;

	for (at = words ? strstr(words, format) : NULL; at; at = strstr(at + n, format))
		if ((at == words || at[-1] == ' ') && (!at[n] || at[n] == ' '))
			return true;
	return !words && strcmp(format, "protobuf");
}

/* Printable columns of a line: no continuation bytes, no colour. */
static inline unsigned int golden_columns(const char *line)
{
	unsigned int n = 0;

	for (; *line && *line != '\n'; line++) {
		if (*line == '\033')
			line = strchr(line, 'm');
		else if ((*line & 0xc0) != 0x80)
			n++;
	}
	return n;
}

#endif /* KSTATS_GOLDEN_H */
