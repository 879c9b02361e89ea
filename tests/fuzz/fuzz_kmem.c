// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_kmem.c - any bytes as a recording of memory events: refused with a reason, or loaded,
 * shown in every format, compared with itself, judged, and the same again after being saved.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kmem/account.h"
#include "judge/check.h"
#include "format/format.h"
#include "rendered.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ROWS_MAX 1000 /* larger ones take too long to be worth it */

static char *save(const struct kmem *k, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);

	if (!f || kmem_save(k, f, NULL))
		abort();
	fclose(f);
	return text;
}

static void finish(const struct format *format, FILE *f, char **text, const size_t *size)
{
	fclose(f);
	rendered_check(format, *text, *size);
	free(*text);
	*text = NULL;
}

static void render_all(const struct kmem *k)
{
	struct report_kmem_look o = { .base = { .unit = "auto", .width = 80 } };
	const struct report_kmem_set one = { 1, &k };
	const struct format *format;
	char *text = NULL;
	unsigned int i, n = KMEM_WORDS + k->n_by;
	size_t size;
	FILE *f;

	for (i = 0; i < n; i++) {
		o.by = i < KMEM_WORDS ? kmem_names[i] : k->by[i - KMEM_WORDS];
		if (kmem_group_check(k, o.by, NULL))
			continue;
		o.sort = i % (KMEM_SORT_RATE + 1);
		o.top = i + 1;
		for (format = format_next(NULL, REPORT_KMEM); format;
		     format = format_next(format, REPORT_KMEM)) {
			f = open_memstream(&text, &size);
			if (!f || format_kmem(format, f, &one, &o))
				abort();
			finish(format, f, &text, &size);
		}
	}
}

static void diff_all(const struct kmem *k)
{
	const struct kmem_side side = { 1, &k };
	const struct format *format;
	struct kmem_compare c;
	struct report r;
	char *text = NULL;
	size_t size;
	FILE *f;

	if (kmem_compare_make(&c, &side, &side, NULL, KMEM_SORT_LIVE))
		abort();
	for (format = format_next(NULL, REPORT_KMEM_DIFF); format;
	     format = format_next(format, REPORT_KMEM_DIFF)) {
		f = open_memstream(&text, &size);
		report_kmem_diff(&r, &c, 20, NULL);
		if (!f || format->write(f, &r))
			abort();
		report_free(&r);
		finish(format, f, &text, &size);
	}
	kmem_compare_free(&c);
}

static void judge_all(const struct kmem *k)
{
	static const char *const rules[] = { "waste<10%", "a*:live<1MiB", "p99<1ms",
					     "loss==0",   "rate>0",       "other-cpu<1%" };
	const struct check_terms terms = { .max_loss = 0.01 };
	struct check_rule rule;
	struct check c;
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (check_parse_assert(&rule, rules[i], NULL) ||
		    check_memory(&c, &rule, 1, &k, 1, &terms, NULL))
			abort();
		check_free(&c);
	}
}

/* Text is made safe when it is saved, so the second copy equals the third. */
static void round_trip(const struct kmem *k)
{
	size_t first_size, second_size;
	char *first = save(k, &first_size), *second;
	FILE *f = fmemopen(first, first_size, "r");
	struct error e = {};
	struct kmem *back = f ? kmem_load(f, &e) : NULL;

	if (!back)
		abort();
	second = save(back, &second_size);
	if (first_size != second_size || memcmp(first, second, first_size))
		abort();
	fclose(f);
	kmem_free(back);
	free(first);
	free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error e = {};
	struct kmem *k;
	FILE *f;

	if (!size)
		return 0;
	f = fmemopen((void *)data, size, "r");
	if (!f)
		abort();
	k = kmem_load(f, &e);
	fclose(f);
	if (!k && (!e.err || !e.what[0] || !e.why[0]))
		abort();
	if (k && k->n_rows + k->n_lifes < ROWS_MAX) {
		render_all(k);
		diff_all(k);
		judge_all(k);
		round_trip(k);
	}
	kmem_free(k);
	return 0;
}
