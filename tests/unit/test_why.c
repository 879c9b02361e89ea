// SPDX-License-Identifier: GPL-2.0-only
/* test_why.c - single calls: kept in files, which are not trusted, and what they say. */
#include "fixture_recording.h"

#include <math.h>

#include "judge/judge.h"
#include "report/report.h"
#include "why/why.h"
#include "why_fixture.h"

static struct recording *why_recording(void)
{
	struct recording *r = fixture_recording(fixture_new(5, 4, 1));

	r->why = why_fixture_divided();
	return r;
}

static void study(struct study *s, const struct why *w)
{
	assert_int_equal(why_study(s, w), 0);
}

/* ---- files ---- */

/* Text is made safe when it is saved, so the second copy equals the third. */
static void test_round_trip(void **state)
{
	struct recording *r = why_recording(), *back;
	char *first = fixture_save(r), *second;
	struct error e = {};

	back = fixture_load(first, strlen(first), &e);
	if (!back)
		fail_msg("%s: %s", e.what, e.why);
	assert_int_equal(back->why->n_calls_kept, 2 * WHY_SLOW);
	assert_int_equal(back->why->calls[1].start_ns, r->why->calls[1].start_ns);
	assert_true(back->why->quantile == 0.99);
	assert_null(back->why->calls[14].values[WHY_RET]);
	assert_string_equal(back->why->stacks[2].frames[2], "[kt] kt_hold+0x5");
	second = fixture_save(back);
	recording_free(back);
	back = fixture_load(second, strlen(second), &e);
	free(first);
	first = fixture_save(back);
	assert_string_equal(first, second);
	recording_free(back);
	recording_free(r);
	free(first);
	free(second);
}

/* The ends of a pair by key may be in any task, and where it began is not known. */
static void test_no_task(void **state)
{
	struct recording *r = why_recording(), *back;
	struct error e = {};
	char *text;

	r->why->no_task = true;
	r->why->calls[1].cpu_begin = WHY_NO_CPU;
	text = fixture_save(r);
	back = fixture_load(text, strlen(text), &e);
	assert_true(back->why->no_task);
	assert_int_equal(back->why->calls[1].cpu_begin, WHY_NO_CPU);
	assert_int_equal(back->why->calls[0].cpu_begin, r->why->calls[0].cpu_begin);
	recording_free(back);
	recording_free(r);
	free(text);
}

/* Nothing is added where nobody asked for single calls. */
static void test_without(void **state)
{
	struct recording *r = fixture_recording(fixture_new(5, 4, 1));
	char *text = fixture_save(r);

	assert_null(strstr(text, "why"));
	free(text);
	recording_free(r);
}

static void test_merge(void **state)
{
	struct recording *a = why_recording(), *b = why_recording(), *c;
	struct error e = {};

	assert_int_equal(recording_merge(a, b, &e), 0);
	assert_null(a->why);
	assert_true(a->why_left_out);
	recording_free(b);
	b = fixture_recording(fixture_new(5, 4, 1));
	c = fixture_recording(fixture_new(5, 4, 1));
	assert_int_equal(recording_merge(b, c, &e), 0);
	assert_false(b->why_left_out);
	recording_free(a);
	recording_free(b);
	recording_free(c);
}

static const struct {
	const char *from;
	const char *to;
	const char *why;
} bad[] = {
	{ "\"node\":0,\"threshold", "\"node\":1,\"threshold", "node" },
	{ "\"quantile_millionths\":990000", "\"quantile_millionths\":1000001", "quantile" },
	{ "\"calls\":3000", "\"calls\":29", "slow" },
	{ "\"slow\":30,\"callees\"", "\"slow\":3001,\"callees\"", "slow" },
	{ "\"when\":0", "\"when\":4", "when" },
	{ "\"counted\":true", "\"counted\":1", "counted" },
	{ "[0,2000,20,", "[4,2000,20,", "field" },
	{ "[0,2000,20,", "[0,2001,20,", "more calls" },
	{ "[0,2000,20,", "[0,2000,21,", "more calls" },
	{ "[0,2000,20,", "[1,2000,20,", "by field" },
	{ "[0,2000,20,", "[0,3001,20,", "values" },
	{ "[0,2000,20,\"reader\"]", "[0,2000,20]", "columns" },
	{ "[0,2000,20,\"reader\"]", "[0,2000,20,7]", "text" },
	{ "\"user\":false", "\"user\":0", "user" },
	{ "[\"vfs_read+0x1c\",", "[1,", "frames" },
	{ "\"start_ns\":1100000000", "\"start_ns\":9223372036854775808", "start_ns" },
	{ "\"start_ns\":1100000000", "\"start_ns\":9000000000", "by time" },
	{ "\"slow\":true,\"pid\":400,\"tid\":400", "\"slow\":true,\"pid\":400,\"tid\":4294967296",
	  "tid" },
	{ "\"caller\":0", "\"caller\":3", "stack" },
	{ "\"part\":3,", "\"part\":4,", "part" },
	{ "\"part\":3,", "\"part\":0,", "processor" },
	{ "\"wait\":{\"ns\":", "\"wait\":{\"ns\":9", "ns" },
	{ "\"7\",\"512\"", "\"7\"", "one for each field" },
	{ "\"7\",\"512\"", "\"7\",\"512\",\"8\"", "one for each field" },
	{ "\"samples\":[0,0]", "\"samples\":[0,3]", "stack" },
	{ "\"samples\":[0,0]", "\"samples\":0", "samples" },
	{ "\"lost\":[{", "\"lost\":[3,{", "lost" },
	{ "\"duration_ns\":", "\"duration_ns\":9", "'parts_ns' do not add up" },
	{ "\"parts_ns\":[", "\"parts_ns\":[1,", "numbers" },
	{ "\"parts_ns\":[", "\"parts_ns\":[1", "parts_ns" },
	{ "\"callees\":[\"mutex_lock\"", "\"callees\":[\"mutex_lock\",\"x\"", "one more" },
	{ "\"callees\":[\"mutex_lock\"", "\"callees\":[7", "text" },
	{ "\"callees_ns\":[", "\"callees_ns\":[1,", "callees_ns" },
	{ "\"callees_ns\":[", "\"callees_ns\":[9", "callees_ns" },
	{ "\"callees\":", "\"others\":", "callees_ns" },
};

static void test_malformed(void **state)
{
	struct recording *r = why_recording(), *back;
	char *good = fixture_save(r), *text, *at;
	struct error e;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		at = strstr(strstr(good, "\"why\""), bad[i].from);
		if (!at)
			fail_msg("there is no '%s'", bad[i].from);
		assert_true(asprintf(&text, "%.*s%s%s", (int)(at - good), good, bad[i].to,
				     at + strlen(bad[i].from)) > 0);
		e = (struct error){};
		back = fixture_load(text, strlen(text), &e);
		if (back || !strstr(e.why, bad[i].why))
			fail_msg("'%s' to '%s': '%s' and not: %s", bad[i].from, bad[i].to, e.why,
				 bad[i].why);
		free(text);
	}
	free(good);
	recording_free(r);
}

/* Any byte changed: refused or loaded, and then studied, never worse. */
static void test_damaged(void **state)
{
	struct recording *r = why_recording(), *back;
	char *text = fixture_save(r);
	size_t len = strlen(text), i;
	struct study s;

	for (i = strstr(text, "\"why\"") - text; i < len; i += 3) {
		text[i] ^= 0x11;
		back = fixture_load(text, len, NULL);
		if (back && back->why && i % 30 == 0) {
			study(&s, back->why);
			study_free(&s);
		}
		recording_free(back);
		text[i] ^= 0x11;
	}
	free(text);
	recording_free(r);
}

/* ---- what they say ---- */

static void test_parts_add_up(void **state)
{
	struct why *w = why_fixture();
	double slow = 0, ordinary = 0;
	struct study s;
	int p;

	study(&s, w);
	for (p = 0; p <= KSTATS_PART_BLOCKED; p++) {
		slow += s.parts[p].slow;
		ordinary += s.parts[p].ordinary;
	}
	assert_true(s.is_split && s.has_intervals);
	assert_true(fabs(slow - s.whole.slow) < 1e-6);
	assert_true(fabs(ordinary - s.whole.ordinary) < 1e-6);
	assert_true(s.whole.lo < s.whole.slow - s.whole.ordinary);
	assert_true(s.whole.hi > s.whole.slow - s.whole.ordinary);
	assert_int_equal(s.n_bursts, WHY_SLOW);
	study_free(&s);
	why_free(w);
}

static void test_callees_add_up(void **state)
{
	struct why *w = why_fixture_divided();
	double slow = 0, ordinary = 0;
	struct study s;
	int i;

	study(&s, w);
	assert_true(s.is_divided && s.has_callee_intervals);
	assert_int_equal(s.n_divided, WHY_SLOW - 1);
	for (i = 0; i <= 2; i++) {
		slow += s.callees[i].slow;
		ordinary += s.callees[i].ordinary;
	}
	assert_true(fabs(slow - s.divided.slow) < 1e-6);
	assert_true(fabs(ordinary - s.divided.ordinary) < 1e-6);
	assert_true(s.callees[0].lo > 400000 && s.callees[0].hi < 600000);
	assert_true(s.callees[0].ordinary == 300);
	assert_int_equal(why_longest_in(w, &w->calls[0]), 0);
	assert_int_equal(why_longest_in(w, &w->calls[1]), 2);
	assert_int_equal(why_longest_in(w, &w->calls[6]), -1);
	assert_string_equal(s.causes[0].field[0], "arg0");
	for (i = 1; i < (int)s.n_named && strcmp(s.causes[i].field[0], "longest in"); i++)
		;
	assert_true(i < (int)s.n_named);
	assert_string_equal(s.causes[i].value[0], "mutex_lock");
	assert_true(s.causes[i].share_lo > 0.5 && s.causes[i].others == 0);
	study_free(&s);
	why_free(w);
}

/*
 * Slow calls are as ordinary ones, but longer: in the same callee for a little more than half of
 * the time. Or many of them are long elsewhere, where ordinary calls are for nearly half of it.
 */
static void test_callees_tell_nothing(void **state)
{
	struct why *w = why_fixture_divided();
	struct why_call *c;
	struct study s;
	size_t i, n = 0;
	int which;

	for (which = 0; which < 2; which++) {
		for (c = w->calls; c < w->calls + w->n_calls_kept; c++) {
			if (!c->callee_ns)
				continue;
			c->callee_ns[0] = c->duration_ns / 100 * 51;
			if (which && c->is_slow && n++ % 4)
				c->callee_ns[0] = c->duration_ns / 100 * 49;
			c->callee_ns[1] = 0;
			c->callee_ns[2] = c->duration_ns - c->callee_ns[0];
		}
		study(&s, w);
		for (i = 0; i < s.n_named; i++)
			assert_string_not_equal(s.causes[i].field[0], "longest in");
		study_free(&s);
	}
	why_free(w);
}

/* Ordinary calls come in interrupts, and so are neither divided nor split. */
static void test_ordinary_unknown(void **state)
{
	struct why *w = why_fixture_divided();
	struct why_call *c;
	struct study s;
	size_t i;

	for (c = w->calls; c < w->calls + w->n_calls_kept; c++) {
		c->part_ns[KSTATS_PART_INTERRUPTED] = c->part_ns[KSTATS_PART_RUNNING];
		if (c->is_slow)
			continue;
		free(c->callee_ns);
		c->callee_ns = NULL;
		c->is_split = false;
	}
	study(&s, w);
	assert_false(s.is_divided);
	for (i = 0; i < s.n_named; i++) {
		assert_string_not_equal(s.causes[i].field[0], "longest in");
		assert_string_not_equal(s.causes[i].field[0], "interrupted for");
	}
	study_free(&s);
	why_free(w);
}

/* Whether it is named that interrupts take @slow % of slow calls, and @usual % of @n others. */
static bool names_interrupts(unsigned int slow, unsigned int usual, size_t n)
{
	struct why *w = why_fixture();
	unsigned int percent;
	struct why_call *c;
	bool found = false;
	struct study s;
	size_t i = 0;

	for (c = w->calls; c < w->calls + w->n_calls_kept; c++) {
		percent = c->is_slow ? slow : i++ < n ? usual : 0;
		c->wait.ns = 0;
		c->duration_ns = c->is_slow ? 500000 : 8000;
		c->part_ns[KSTATS_PART_RUNNING] = c->duration_ns;
		c->part_ns[KSTATS_PART_INTERRUPTED] = c->duration_ns / 100 * percent;
		c->part_ns[KSTATS_PART_BLOCKED] = c->part_ns[KSTATS_PART_RUNNABLE] = 0;
	}
	study(&s, w);
	for (i = 0; i < s.n_named; i++)
		found |= !strcmp(s.causes[i].field[0], "interrupted for");
	study_free(&s);
	why_free(w);
	return found;
}

/* Interrupts take most of slow calls. Where they take as much of all time, that tells nothing. */
static void test_interrupted(void **state)
{
	assert_true(names_interrupts(40, 0, 0));
	assert_false(names_interrupts(40, 50, WHY_SLOW));
	/* They come rarely, and last longer than ordinary calls: a tenth of all time. */
	assert_false(names_interrupts(12, 100, WHY_SLOW / 10));
	assert_true(names_interrupts(60, 100, WHY_SLOW / 10));
}

static void test_names_the_cause(void **state)
{
	struct why *w = why_fixture();
	struct study s;

	study(&s, w);
	assert_true(s.n_named >= 2);
	assert_string_equal(s.causes[0].field[0], "arg0");
	assert_string_equal(s.causes[0].value[0], "7");
	assert_int_equal(s.causes[0].slow_calls, WHY_SLOW - 1);
	assert_true(fabs(s.causes[0].others - 0.1) < 1e-9);
	assert_true(fabs(s.causes[0].share - (29.0 / 30 - 0.1) / 0.9) < 1e-9);
	assert_true(s.causes[0].share_lo < s.causes[0].share);
	assert_string_equal(s.causes[1].field[0], "waits in");
	assert_string_equal(s.causes[1].value[0], "mutex_lock");
	assert_int_equal(s.n_waits, 1);
	assert_string_equal(s.waits[0].waker, "holder");
	assert_int_equal(s.waits[0].waker_calls, 24);
	assert_int_equal(s.n_runs, 1);
	assert_true(s.runs[0].share == 1);
	study_free(&s);
	why_free(w);
}

/* What --show has kept comes back, and is no cause, though all slow calls have it alone. */
static void test_shown(void **state)
{
	struct why *w = why_fixture_shown();
	struct recording *r = why_recording(), *back;
	struct error e = {};
	struct study s;
	char *text;
	size_t i;

	study(&s, w);
	assert_string_equal(s.causes[0].field[0], "arg0");
	for (i = 0; i < s.n_causes; i++)
		assert_string_not_equal(s.causes[i].field[0], "str(name, 8)");
	study_free(&s);
	why_free(r->why);
	r->why = w;
	text = fixture_save(r);
	back = fixture_load(text, strlen(text), &e);
	if (!back)
		fail_msg("%s: %s", e.what, e.why);
	assert_int_equal(back->why->fields[WHY_FIELDS].when, WHY_SHOWN);
	assert_string_equal(back->why->fields[WHY_FIELDS].name, "str(name, 8)");
	assert_string_equal(back->why->calls[1].values[WHY_FIELDS], "/b");
	recording_free(back);
	recording_free(r);
	free(text);
}

/* A function that takes a lock is named with the one that waits for it. */
static void test_lock(void **state)
{
	static const char *const frames[] = { "schedule+0x27", "__mutex_lock.constprop.0+0x39d",
					      "do_renameat2+0x1c" };
	struct why *w = why_fixture();
	struct study s;
	int i;

	for (i = 0; i < 3; i++) {
		free(w->stacks[1].frames[i]);
		w->stacks[1].frames[i] = why_fixture_text(frames[i]);
	}
	study(&s, w);
	assert_string_equal(s.causes[1].value[0], "do_renameat2 (__mutex_lock)");
	assert_string_equal(s.waits[0].frame, "do_renameat2 (__mutex_lock)");
	study_free(&s);
	why_free(w);
}

static void test_worst(void **state)
{
	struct why *w = why_fixture();
	struct study s;
	size_t i;

	study(&s, w);
	assert_int_equal(s.n_worst, STUDY_WORST);
	for (i = 1; i < s.n_worst; i++)
		assert_true(w->calls[s.worst[i]].duration_ns <=
			    w->calls[s.worst[i - 1]].duration_ns);
	for (i = 0; i < w->n_calls_kept; i++)
		assert_true(w->calls[i].duration_ns <= w->calls[s.worst[0]].duration_ns);
	study_free(&s);
	why_free(w);
}

/* All slow calls end within a moment, three times: three observations, which say nothing. */
static void test_bursts(void **state)
{
	struct why *w = why_fixture();
	struct study s;
	size_t i;

	for (i = 0; i < w->n_calls_kept; i += 2)
		w->calls[i].start_ns = 1000000000 + i / 2 % 3 * 1000000000 + i * 1000;
	study(&s, w);
	assert_int_equal(s.n_bursts, 3);
	assert_false(s.has_intervals);
	assert_int_equal(s.n_causes, 0);
	study_free(&s);
	why_free(w);
}

/* Where the processors of each side are the same, and only calls that are longer move more. */
static void test_rates(void **state)
{
	struct why *w = why_fixture();
	struct study s;
	size_t i;

	study(&s, w);
	for (i = 0; i < s.n_named; i++)
		assert_string_not_equal(s.causes[i].field[0], "migrated");
	assert_true(s.n_causes > s.n_named);
	study_free(&s);
	why_free(w);
}

/* Whether it is named that calls move, where so many of each side do, and slow ones are longer. */
static bool names_migrated(size_t slow, size_t ordinary)
{
	struct why *w = why_fixture();
	struct why_call *c;
	size_t n[2] = {}, i;
	bool found = false;
	struct study s;

	for (c = w->calls; c < w->calls + w->n_calls_kept; c++) {
		i = n[c->is_slow]++ * 7 % WHY_SLOW;
		free(c->values[WHY_MIGRATED]);
		c->values[WHY_MIGRATED] =
			why_fixture_text(i < (c->is_slow ? slow : ordinary) ? "yes" : "no");
		if (!c->is_slow)
			c->duration_ns = c->part_ns[KSTATS_PART_RUNNING] = 200000;
	}
	study(&s, w);
	for (i = 0; i < s.n_named; i++)
		found |= !strcmp(s.causes[i].field[0], "migrated");
	study_free(&s);
	why_free(w);
	return found;
}

/* Where so many values are tried, one comes six times as often in the same time by chance. */
static void test_rates_by_chance(void **state)
{
	assert_false(names_migrated(6, 2));
	assert_false(names_migrated(21, 2));
	assert_true(names_migrated(26, 2));
}

/* Of what nearly all slow calls have once, the rate is higher than their number tells. */
static void test_bounds(void **state)
{
	struct why *w = why_fixture();
	struct why_call *c;
	struct study s;
	size_t i, n = 0;

	for (c = w->calls; c < w->calls + w->n_calls_kept; c++) {
		free(c->values[WHY_MIGRATED]);
		c->values[WHY_MIGRATED] =
			why_fixture_text(c->is_slow || n++ % 3 == 0 ? "yes" : "no");
		if (!c->is_slow)
			c->duration_ns = c->part_ns[KSTATS_PART_RUNNING] = 200000;
	}
	study(&s, w);
	for (i = 0, n = 0; i < s.n_causes; i++) {
		if (!strcmp(s.causes[i].field[0], "migrated")) {
			assert_true(s.causes[i].share > 0.5);
			n++;
		}
		assert_true(s.causes[i].share_lo <= s.causes[i].share);
	}
	assert_int_equal(n, 1);
	study_free(&s);
	why_free(w);
}

static struct runs *why_runs(struct why *w)
{
	struct runs *runs = calloc(1, sizeof(*runs));
	struct recording *r = fixture_recording(fixture_new(5, 4, 1));

	assert_non_null(runs);
	r->why = w;
	assert_int_equal(runs_add(runs, r), 0);
	return runs;
}

static void runs_release(struct runs *runs)
{
	runs_free(runs);
	free(runs);
}

/* Slow calls wait 40 us longer for a processor, and nothing sets them apart any more. */
static void test_diff(void **state)
{
	struct why *w = why_fixture();
	struct runs *before = why_runs(why_fixture()), *after = why_runs(w), *none = why_runs(NULL);
	struct report r = { .kind = REPORT_DIFF };
	size_t i;

	for (i = 0; i < w->n_calls_kept; i++) {
		free(w->calls[i].values[WHY_ARG0]);
		w->calls[i].values[WHY_ARG0] = NULL;
		free(w->calls[i].wait.waker);
		w->calls[i].wait.waker = NULL;
		w->calls[i].wait.ns = 0;
		w->calls[i].wait.stack = w->calls[i].wait.waker_stack = WHY_NO_STACK;
		if (!w->calls[i].is_slow)
			continue;
		w->calls[i].part_ns[KSTATS_PART_RUNNABLE] += 40000;
		w->calls[i].duration_ns += 40000;
	}
	assert_int_equal(report_diff_slow(&r, before, after), 0);
	assert_int_equal(r.n, 5);
	assert_string_equal(r.parts[2].text,
			    "mean: 541.1 us before, 581.1 us after; where it changed (+40.00 us): "
			    "running 0 ns, runnable +40.00 us, sleeping 0 ns, blocked 0 ns");
	assert_string_equal(r.parts[3].text, "what sets them apart: before, arg0 is 7; after, "
					     "nothing that was recorded");
	report_free(&r);
	r = (struct report){ .kind = REPORT_DIFF };
	assert_int_equal(report_diff_slow(&r, before, none), 0);
	assert_int_equal(r.n, 0);
	report_free(&r);
	runs_release(before);
	runs_release(after);
	runs_release(none);
}

/* Nothing was kept. */
static void test_nothing(void **state)
{
	struct why none = { .threshold_ns = 5 };
	struct study s;

	study(&s, &none);
	assert_int_equal(s.n_slow + s.n_ordinary + s.n_causes + s.n_worst, 0);
	study_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_without),
		cmocka_unit_test(test_no_task),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_parts_add_up),
		cmocka_unit_test(test_names_the_cause),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_worst),
		cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_rates_by_chance),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_callees_add_up),
		cmocka_unit_test(test_callees_tell_nothing),
		cmocka_unit_test(test_ordinary_unknown),
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests_name("why", tests, NULL, NULL);
}
