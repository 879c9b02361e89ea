// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_snapshot.c - any bytes as a snapshot file: refused with a reason, or
 * loaded, shown in every format, and the same again after being saved.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CELLS_MAX 100000 /* larger ones take too long to be worth it */

static char *save(const struct snapshot *s, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);

	if (!f || snapshot_save(s, f))
		abort();
	fclose(f);
	return text;
}

static void render_all(const struct snapshot *s)
{
	const struct render_options o = { .unit = "auto", .width = 80, .per_cpu_rows = true };
	const struct render_format *format;
	size_t size;
	char *text;
	FILE *f;

	for (format = render_formats; format->name; format++) {
		text = NULL;
		f = open_memstream(&text, &size);
		if (!f || format->render(f, s, &o))
			abort();
		fclose(f);
		if (strlen(text) != size)
			abort();
		free(text);
	}
}

/* Text is made safe when it is saved, so the second copy equals the third. */
static void round_trip(const struct snapshot *s)
{
	size_t first_size, second_size;
	char *first = save(s, &first_size), *second;
	FILE *f = fmemopen(first, first_size, "r");
	struct error e = {};
	struct snapshot *back = f ? snapshot_load(f, &e) : NULL;

	if (!back)
		abort();
	second = save(back, &second_size);
	if (first_size != second_size || memcmp(first, second, first_size))
		abort();
	fclose(f);
	snapshot_free(back);
	free(first);
	free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error e = {};
	struct snapshot *s;
	FILE *f;

	if (!size)
		return 0;
	f = fmemopen((void *)data, size, "r");
	if (!f)
		abort();
	s = snapshot_load(f, &e);
	fclose(f);
	if (!s && (!e.err || !e.what[0] || !e.why[0]))
		abort();
	if (s && (uint64_t)s->n_nodes * s->n_cpus * kstats_n_slots(s->bits) < CELLS_MAX) {
		render_all(s);
		round_trip(s);
	}
	snapshot_free(s);
	return 0;
}
