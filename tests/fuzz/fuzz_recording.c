// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_recording.c - any bytes as a recording: refused with a reason, or
 * loaded, shown in every format, and the same again after being saved.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "rendered.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CELLS_MAX 100000 /* larger ones take too long to be worth it */

static char *save(const struct recording *r, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);

	if (!f || recording_save(r, f, NULL))
		abort();
	fclose(f);
	return text;
}

static void render_all(const struct recording *r)
{
	const struct report_look o = { .unit = "auto", .width = 80, .per_cpu_rows = true };
	const struct report_set one = { 1, &r };
	const unsigned int kinds = REPORT_TRACE | (r->why ? REPORT_WHY : 0);
	const struct format *format;
	size_t size;
	char *text;
	FILE *f;

	for (format = format_next(NULL, kinds); format; format = format_next(format, kinds)) {
		text = NULL;
		f = open_memstream(&text, &size);
		if (!f || format_trace(format, f, &one, &o))
			abort();
		fclose(f);
		rendered_check(format, text, size);
		free(text);
	}
}

/* Text is made safe when it is saved, so the second copy equals the third. */
static void round_trip(const struct recording *r)
{
	size_t first_size, second_size;
	char *first = save(r, &first_size), *second;
	FILE *f = fmemopen(first, first_size, "r");
	struct error e = {};
	struct recording *back = f ? recording_load(f, &e) : NULL;

	if (!back)
		abort();
	second = save(back, &second_size);
	if (first_size != second_size || memcmp(first, second, first_size))
		abort();
	fclose(f);
	recording_free(back);
	free(first);
	free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error e = {};
	struct recording *r;
	const struct snapshot *s;
	FILE *f;

	if (!size)
		return 0;
	f = fmemopen((void *)data, size, "r");
	if (!f)
		abort();
	r = recording_load(f, &e);
	fclose(f);
	if (!r && (!e.err || !e.what[0] || !e.why[0]))
		abort();
	s = r ? r->whole : NULL;
	if (s && (uint64_t)s->n_nodes * s->n_cpus * kstats_n_slots(s->bits) < CELLS_MAX) {
		render_all(r);
		round_trip(r);
	}
	recording_free(r);
	return 0;
}
