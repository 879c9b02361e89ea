/* SPDX-License-Identifier: GPL-2.0-only */
/* why_fixture.h - single calls made for tests: those whose arg0 is 7 sleep long, on a lock. */
#ifndef KSTATS_WHY_FIXTURE_H
#define KSTATS_WHY_FIXTURE_H

#include "fixture.h"
#include "kstats_parts.h"

#define WHY_SLOW 30 /* calls of each side that are kept */
#define WHY_CALLS 3000

enum {
	WHY_COMM,
	WHY_ARG0,
	WHY_RET,
	WHY_MIGRATED,
	WHY_FIELDS
};

static inline char *why_fixture_text(const char *text)
{
	char *copy = strdup(text);

	assert_non_null(copy);
	return copy;
}

static inline char *why_fixture_number(unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	return why_fixture_text(text);
}

static inline void why_fixture_stack(struct why *w, const char *first, const char *second,
				     const char *third)
{
	struct why_stack *s = &w->stacks[w->n_stacks++];

	s->n = 3;
	s->frames = calloc(3, sizeof(*s->frames));
	assert_non_null(s->frames);
	s->frames[0] = why_fixture_text(first);
	s->frames[1] = why_fixture_text(second);
	s->frames[2] = why_fixture_text(third);
}

static inline void why_fixture_value(struct why *w, uint32_t field, const char *text,
				     uint64_t calls, uint64_t slow)
{
	w->values[w->n_values++] = (struct why_value){ field, why_fixture_text(text), calls, slow };
}

/* The call number @i of a side. */
static inline struct why_call why_fixture_call(unsigned int i, bool slow, uint64_t *r)
{
	struct why_call c = { .start_ns = 1100000000 + i * 160000000ULL + 70000000 * !slow,
			      .is_split = true,
			      .is_slow = slow,
			      .pid = 400 + i % 3,
			      .tid = 400 + i % 3,
			      .cpu_begin = i % 4,
			      .cpu_end = slow && i % 2 ? (i + 1) % 4 : i % 4,
			      .caller = 0,
			      .user_caller = WHY_NO_STACK };
	uint32_t arg = slow && i != 4 ? 7 : i % 10;

	c.values = calloc(WHY_FIELDS, sizeof(*c.values));
	assert_non_null(c.values);
	c.values[WHY_COMM] = why_fixture_text(i % 3 ? "reader" : "evil\x1b[31m,\"<b>");
	c.values[WHY_ARG0] = why_fixture_number(arg);
	c.values[WHY_RET] = i == 7 ? NULL : why_fixture_number(512);
	c.values[WHY_MIGRATED] = why_fixture_text(c.cpu_begin == c.cpu_end ? "no" : "yes");
	c.part_ns[KSTATS_PART_RUNNING] = 5000 + fixture_random(r) % 4000;
	c.part_ns[KSTATS_PART_INTERRUPTED] = i % 5 ? 0 : 700;
	c.wait.stack = c.wait.waker_stack = WHY_NO_STACK;
	if (slow && i == 4) {
		c.part_ns[KSTATS_PART_RUNNING] += 400000;
		c.n_samples = 2;
		c.samples = calloc(2, sizeof(*c.samples));
		assert_non_null(c.samples);
	} else if (slow) {
		c.wait.ns = 400000 + fixture_random(r) % 300000;
		c.wait.part = KSTATS_PART_BLOCKED;
		c.wait.stack = 1;
		c.wait.waker = why_fixture_text(i % 6 ? "holder" : "kworker/1:2");
		c.wait.waker_tid = 77;
		c.wait.waker_stack = 2;
		c.part_ns[KSTATS_PART_BLOCKED] = c.wait.ns;
		c.part_ns[KSTATS_PART_RUNNABLE] = fixture_random(r) % 20000;
	}
	c.duration_ns = c.part_ns[KSTATS_PART_RUNNING] + c.part_ns[KSTATS_PART_RUNNABLE] +
			c.part_ns[KSTATS_PART_BLOCKED];
	return c;
}

static inline void why_fixture_fields(struct why *w)
{
	static const struct {
		const char *name;
		enum why_when when;
		bool counted;
	} fields[WHY_FIELDS] = {
		[WHY_COMM] = { "comm", WHY_AT_ENTRY, true },
		[WHY_ARG0] = { "arg0", WHY_AT_ENTRY, true },
		[WHY_RET] = { "ret", WHY_AWAKE, false },
		[WHY_MIGRATED] = { "migrated", WHY_DURING, false },
	};
	char text[16];
	int i;

	w->n_fields = WHY_FIELDS;
	for (i = 0; i < WHY_FIELDS; i++)
		w->fields[i] = (struct why_field){ why_fixture_text(fields[i].name), fields[i].when,
						   fields[i].counted };
	why_fixture_value(w, WHY_COMM, "reader", 2 * WHY_CALLS / 3, 20);
	why_fixture_value(w, WHY_COMM, "evil\x1b[31m,\"<b>", WHY_CALLS / 3, 10);
	for (i = 0; i < 10; i++) {
		snprintf(text, sizeof(text), "%d", i);
		why_fixture_value(w, WHY_ARG0, text, WHY_CALLS / 10,
				  i == 7   ? WHY_SLOW - 1
				  : i == 4 ? 1
					   : 0);
	}
}

static inline struct why *why_fixture(void)
{
	struct why *w = calloc(1, sizeof(*w));
	uint64_t r = 31;
	unsigned int i;

	assert_non_null(w);
	w->threshold_ns = 300000;
	w->quantile = 0.99;
	w->n_calls = WHY_CALLS;
	w->n_slow = WHY_SLOW;
	w->fields = calloc(WHY_FIELDS, sizeof(*w->fields));
	w->values = calloc(16, sizeof(*w->values));
	w->stacks = calloc(4, sizeof(*w->stacks));
	w->calls = calloc(2 * WHY_SLOW, sizeof(*w->calls));
	w->lost = calloc(1, sizeof(*w->lost));
	assert_true(w->fields && w->values && w->stacks && w->calls && w->lost);
	why_fixture_fields(w);
	why_fixture_stack(w, "vfs_read+0x1c", "ksys_read+0x6f", "do_syscall_64+0x5d");
	why_fixture_stack(w, "__schedule+0x3a1", "schedule+0x27", "mutex_lock+0x2e");
	why_fixture_stack(w, "try_to_wake_up+0x2a", "mutex_unlock+0x12", "[kt] kt_hold+0x5");
	for (i = 0; i < WHY_SLOW; i++) {
		w->calls[w->n_calls_kept++] = why_fixture_call(i, true, &r);
		w->calls[w->n_calls_kept++] = why_fixture_call(i, false, &r);
	}
	w->lost[w->n_lost++] = (struct why_lost){ why_fixture_text("stacks"), 3 };
	return w;
}

/* The same, divided into callees: slow calls wait in the first one. Of one it is not known. */
static inline struct why *why_fixture_divided(void)
{
	struct why *w = why_fixture();
	struct why_call *c;

	w->n_callees = 2;
	w->callees = calloc(2, sizeof(*w->callees));
	assert_non_null(w->callees);
	w->callees[0] = why_fixture_text("mutex_lock");
	w->callees[1] = why_fixture_text("copy_\x1b[31m<b>");
	for (c = w->calls; c < w->calls + w->n_calls_kept; c++) {
		if (c == w->calls + 6)
			continue;
		c->callee_ns = calloc(3, sizeof(*c->callee_ns));
		assert_non_null(c->callee_ns);
		c->callee_ns[0] = 300 + c->wait.ns;
		c->callee_ns[1] = c->part_ns[KSTATS_PART_RUNNING] / 3;
		c->callee_ns[2] = c->duration_ns - c->callee_ns[0] - c->callee_ns[1];
	}
	return w;
}

/* With values of --show, one of which can be read in some calls only. */
static inline struct why *why_fixture_shown(void)
{
	struct why *w = why_fixture();
	struct why_call *c;

	w->fields = realloc(w->fields, (WHY_FIELDS + 2) * sizeof(*w->fields));
	assert_non_null(w->fields);
	w->fields[w->n_fields++] =
		(struct why_field){ why_fixture_text("str(name, 8)"), WHY_SHOWN, false };
	w->fields[w->n_fields++] =
		(struct why_field){ why_fixture_text("file->f_pos / 2"), WHY_SHOWN, false };
	for (c = w->calls; c < w->calls + w->n_calls_kept; c++) {
		c->values = realloc(c->values, w->n_fields * sizeof(*c->values));
		assert_non_null(c->values);
		/* Only slow calls have the first value: yet it is not compared. */
		c->values[WHY_FIELDS] = why_fixture_text(c->is_slow ? "/a \x1b[31m<b>..." : "/b");
		c->values[WHY_FIELDS + 1] =
			c->tid % 3 ? why_fixture_number(c->duration_ns % 97) : NULL;
	}
	return w;
}

#endif /* KSTATS_WHY_FIXTURE_H */
