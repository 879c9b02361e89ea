/* SPDX-License-Identifier: GPL-2.0-only */
/* fixture_recording.h - recordings made for tests, written, read and compared. */
#ifndef KSTATS_FIXTURE_RECORDING_H
#define KSTATS_FIXTURE_RECORDING_H

#include "fixture.h"

static inline char *fixture_save(const struct recording *r)
{
	struct error e = {};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (recording_save(r, f, &e))
		fail_msg("%s: %s", e.what, e.why);
	fclose(f);
	return text;
}

static inline struct recording *fixture_load(const char *text, size_t len, struct error *e)
{
	FILE *f = fmemopen((void *)text, len, "r");
	struct recording *r;

	assert_non_null(f);
	r = recording_load(f, e);
	fclose(f);
	return r;
}

/* Some intervals, and the whole they add up to. */
static inline struct recording *fixture_with_periods(uint64_t *random, unsigned int n)
{
	struct snapshot *base = fixture_snapshot(random), *now = snapshot_copy(base), *diff;
	struct recording *r = fixture_recording(now);

	assert_int_equal(recording_add_period(r, base), 0);
	while (--n) {
		fixture_grow(now, random);
		diff = snapshot_subtract(now, base, NULL);
		assert_non_null(diff);
		assert_int_equal(recording_add_period(r, diff), 0);
		snapshot_free(diff);
		snapshot_free(base);
		base = snapshot_copy(now);
	}
	snapshot_free(base);
	return r;
}

static inline void fixture_assert_same_recording(const struct recording *a,
						 const struct recording *b)
{
	struct snapshot *x, *y;
	size_t i;

	fixture_assert_same(a->whole, b->whole);
	assert_int_equal(a->runs, b->runs);
	assert_int_equal(a->status, b->status);
	assert_int_equal(a->machine.cpus_online, b->machine.cpus_online);
	assert_string_equal(a->machine.cpu, b->machine.cpu);
	assert_string_equal(a->machine.clock, b->machine.clock);
	assert_string_equal(a->machine.build_id, b->machine.build_id);
	assert_int_equal(a->tags.n, b->tags.n);
	for (i = 0; i < a->tags.n; i++) {
		assert_string_equal(a->tags.rows[i].key, b->tags.rows[i].key);
		assert_string_equal(a->tags.rows[i].value, b->tags.rows[i].value);
	}
	assert_int_equal(a->costs.n, b->costs.n);
	if (a->costs.n)
		assert_memory_equal(a->costs.rows, b->costs.rows,
				    a->costs.n * sizeof(*a->costs.rows));
	assert_int_equal(a->n_periods, b->n_periods);
	for (i = 0; i < a->n_periods; i++) {
		x = recording_period(a, i);
		y = recording_period(b, i);
		assert_true(x && y);
		fixture_assert_same(x, y);
		snapshot_free(x);
		snapshot_free(y);
	}
}

#endif /* KSTATS_FIXTURE_RECORDING_H */
