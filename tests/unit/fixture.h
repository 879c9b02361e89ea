/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fixture.h - snapshots made for tests, without a kernel. In: values. Out:
 * snapshots whose slots and ledger agree with them. Random numbers are the same
 * in every run and on every machine.
 */
#ifndef KSTATS_FIXTURE_H
#define KSTATS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "result/recording.h"

/* xorshift64* */
static inline uint64_t fixture_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

/* Whether `make test-quick` runs this: it leaves out what takes long. */
static inline bool fixture_is_quick(void)
{
	return getenv("KSTATS_QUICK");
}

/* How often a test tries what it makes up: @quick times there. */
static inline unsigned int fixture_rounds(unsigned int n, unsigned int quick)
{
	return fixture_is_quick() ? quick : n;
}

static inline void fixture_text(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	assert_non_null(*to);
}

static inline void fixture_name(struct snapshot *s, uint32_t node, const char *name)
{
	char what[256];

	snprintf(what, sizeof(what), "entry to return of %s", name);
	fixture_text(&s->nodes[node].name, name);
	fixture_text(&s->nodes[node].what, what);
	fixture_text(&s->nodes[node].method, "fentry/fexit");
	fixture_text(&s->nodes[node].reason, "first choice");
}

/* What a method costs: the floor, twice it cold, and four times it added. */
static inline void fixture_cost(struct recording *r, const char *method, uint64_t floor)
{
	struct cost c = {};
	int i;

	snprintf(c.method, sizeof(c.method), "%s", method);
	snprintf(c.backend, sizeof(c.backend), "%s", r->whole->backend);
	snprintf(c.pairing, sizeof(c.pairing), "%s", cost_pairing(r->whole->pairing));
	for (i = 0; i < COST_STATES; i++, floor *= 2) {
		c.floor_ns[i] = (struct cost_figure){ floor, floor - 1, floor + 2 };
		c.added_ns[i] = (struct cost_figure){ 4 * floor, 3 * floor, 5 * floor };
	}
	assert_int_equal(costs_put(&r->costs, &c), 0);
}

/* A final snapshot of five seconds, all nodes named. */
static inline struct snapshot *fixture_new(unsigned int bits, unsigned int n_cpus,
					   unsigned int n_nodes)
{
	struct snapshot *s = snapshot_new(bits, n_cpus, n_nodes);
	char name[32];
	uint32_t i;

	assert_non_null(s);
	fixture_text(&s->program, "0.1.0");
	fixture_text(&s->kernel, "6.12.0-amd64");
	fixture_text(&s->backend, "map");
	fixture_text(&s->pairing, "by task");
	fixture_text(&s->filters, "");
	fixture_text(&s->command, "");
	s->span.wall_ns = 1767225600000000000;
	s->span.begin_ns = 1000000007;
	s->span.end_ns = 6021000011;
	s->span.final = true;
	for (i = 0; i < n_nodes; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		fixture_name(s, i, name);
	}
	return s;
}

static inline struct kstats_slot fixture_slot(const struct snapshot *s, uint32_t node, uint32_t cpu,
					      uint32_t slot)
{
	struct counts_cursor at = counts_begin(s->nodes[node].counts, cpu);

	while (counts_next(&at))
		if (at.slot == slot)
			return at.count;
	return (struct kstats_slot){};
}

/* One slot of a CPU is @count, all others stay as they are. */
static inline void fixture_set(struct snapshot *s, uint32_t node, uint32_t cpu, uint32_t slot,
			       struct kstats_slot count)
{
	struct counts_cursor at = counts_begin(s->nodes[node].counts, COUNTS_ALL_CPUS);
	uint64_t place = (uint64_t)cpu << 32 | slot;
	struct counts_writer w = {};
	bool there;

	for (there = counts_next(&at); there && at.place < place; there = counts_next(&at))
		counts_add(&w, at.cpu, at.slot, &at.count);
	counts_add(&w, cpu, slot, &count);
	if (at.place == place)
		counts_next(&at);
	for (; at.place != COUNTS_END; counts_next(&at))
		counts_add(&w, at.cpu, at.slot, &at.count);
	assert_int_equal(counts_end(&w, &s->nodes[node].counts), 0);
	counts_writer_free(&w);
}

/* A snapshot that gets many samples: until fixture_end() they are in a plain array. */
struct fixture_bulk {
	const struct snapshot *s;
	struct kstats_slot *slots;
};

static struct fixture_bulk fixture_bulk;

static inline struct kstats_slot *fixture_bulk_cpu(const struct snapshot *s, uint32_t node,
						   uint32_t cpu)
{
	return fixture_bulk.slots + ((size_t)node * s->n_cpus + cpu) * kstats_n_slots(s->bits);
}

/* @s has no samples yet. */
static inline void fixture_begin(const struct snapshot *s)
{
	fixture_bulk.s = s;
	fixture_bulk.slots = calloc((size_t)s->n_nodes * s->n_cpus * kstats_n_slots(s->bits),
				    sizeof(*fixture_bulk.slots));
	assert_non_null(fixture_bulk.slots);
}

static inline void fixture_end(struct snapshot *s)
{
	struct counts_writer w = {};
	uint32_t node, cpu;

	for (node = 0; node < s->n_nodes; node++) {
		for (cpu = 0; cpu < s->n_cpus; cpu++)
			counts_add_cpu(&w, cpu, fixture_bulk_cpu(s, node, cpu),
				       kstats_n_slots(s->bits));
		assert_int_equal(counts_end(&w, &s->nodes[node].counts), 0);
	}
	counts_writer_free(&w);
	free(fixture_bulk.slots);
	fixture_bulk = (struct fixture_bulk){};
}

static inline void fixture_add_slot(struct snapshot *s, uint32_t node, uint32_t cpu, uint32_t slot,
				    struct kstats_slot more)
{
	bool bulk = fixture_bulk.s == s;
	struct kstats_slot *in_bulk = bulk ? fixture_bulk_cpu(s, node, cpu) + slot : NULL;
	struct kstats_slot sum = bulk ? *in_bulk : fixture_slot(s, node, cpu, slot);

	sum.samples += more.samples;
	sum.sum += more.sum;
	if (bulk)
		*in_bulk = sum;
	else
		fixture_set(s, node, cpu, slot, sum);
}

/* @n samples of one value, counted as started too. */
static inline void fixture_record(struct snapshot *s, uint32_t node, uint32_t cpu, uint64_t value,
				  uint64_t n)
{
	uint32_t i = kstats_slot_index(value, s->bits);
	uint64_t sum = n * kstats_slot_scale(value, i, s->bits);

	fixture_add_slot(s, node, cpu, i, (struct kstats_slot){ n, sum });
	if (s->nodes[node].kind != SNAPSHOT_GAP && !snapshot_is_part(s->nodes[node].kind))
		s->nodes[s->nodes[node].owner].ledger[KSTATS_STARTED] += n;
}

/* @n start events that end in a counter. */
static inline void fixture_count(struct snapshot *s, uint32_t node, enum kstats_ledger id,
				 uint64_t n)
{
	s->nodes[node].ledger[id] += n;
	if (id != KSTATS_SKIPPED && id != KSTATS_SKIPPED_SHARED && id != KSTATS_SKIPPED_ANYONE &&
	    id != KSTATS_SKIPPED_ENDS && id != KSTATS_UNMATCHED && id != KSTATS_STARTED &&
	    id != KSTATS_NO_ROOM_APART)
		s->nodes[node].ledger[KSTATS_STARTED] += n;
}

/* A value near @center on a logarithmic scale, within about @octaves of it. */
static inline uint64_t fixture_near(uint64_t *state, uint64_t center, uint32_t octaves)
{
	uint32_t bits = KSTATS_BITS_MAX, spread = (octaves << bits) / 2 + 1, at;
	uint64_t first, last;

	at = kstats_slot_index(center, bits) + fixture_random(state) % spread +
	     fixture_random(state) % spread + fixture_random(state) % spread +
	     fixture_random(state) % spread - 2 * spread;
	first = kstats_slot_first(at, bits);
	last = kstats_slot_last(at, bits);
	return first + fixture_random(state) % (last - first + 1);
}

/* The same slots, counters, settings and words. */
static inline void fixture_assert_same(const struct snapshot *a, const struct snapshot *b)
{
	uint32_t i;

	assert_int_equal(a->bits, b->bits);
	assert_int_equal(a->n_cpus, b->n_cpus);
	assert_int_equal(a->n_nodes, b->n_nodes);
	assert_true(a->span.wall_ns == b->span.wall_ns && a->span.begin_ns == b->span.begin_ns &&
		    a->span.end_ns == b->span.end_ns && a->span.final == b->span.final);
	assert_string_equal(a->program, b->program);
	assert_string_equal(a->kernel, b->kernel);
	assert_string_equal(a->backend, b->backend);
	assert_string_equal(a->pairing, b->pairing);
	assert_string_equal(a->filters, b->filters);
	assert_string_equal(a->command, b->command);
	for (i = 0; i < a->n_nodes; i++) {
		assert_string_equal(a->nodes[i].name, b->nodes[i].name);
		assert_string_equal(a->nodes[i].what, b->nodes[i].what);
		assert_string_equal(a->nodes[i].method, b->nodes[i].method);
		assert_string_equal(a->nodes[i].reason, b->nodes[i].reason);
		assert_int_equal(a->nodes[i].kind, b->nodes[i].kind);
		assert_int_equal(a->nodes[i].owner, b->nodes[i].owner);
		assert_memory_equal(a->nodes[i].ledger, b->nodes[i].ledger,
				    sizeof(a->nodes[i].ledger));
		assert_true(counts_same(a->nodes[i].counts, b->nodes[i].counts));
	}
}

/* A few more samples on random nodes, CPUs and slots. */
static inline void fixture_grow(struct snapshot *s, uint64_t *r)
{
	uint64_t i, n = fixture_random(r) % 8;

	for (i = 0; i < n; i++)
		fixture_record(s, fixture_random(r) % s->n_nodes, fixture_random(r) % s->n_cpus,
			       fixture_random(r) >> (fixture_random(r) % 64),
			       1 + fixture_random(r) % 5);
	fixture_count(s, 0, KSTATS_NESTED, fixture_random(r) % 3);
	fixture_count(s, 0, KSTATS_SKIPPED, fixture_random(r) % 3);
	s->span.end_ns += fixture_random(r) % 1000000;
}

/* Some calls end that were in flight, and others begin. */
static inline void fixture_turn_over(struct snapshot *s, uint64_t *r)
{
	uint64_t *ledger = s->nodes[0].ledger;
	uint64_t ended = fixture_random(r) % (ledger[KSTATS_IN_FLIGHT] + 1);

	fixture_record(s, 0, 0, 1000, ended);
	ledger[KSTATS_STARTED] -= ended;
	ledger[KSTATS_IN_FLIGHT] -= ended;
	fixture_count(s, 0, KSTATS_IN_FLIGHT, fixture_random(r) % 9);
}

static inline struct snapshot *fixture_snapshot(uint64_t *r)
{
	struct snapshot *s = fixture_new(fixture_random(r) % (KSTATS_BITS_MAX + 1),
					 1 + fixture_random(r) % 3, 2);

	s->nodes[1].kind = SNAPSHOT_ERROR;
	s->nodes[1].owner = 0;
	fixture_grow(s, r);
	fixture_turn_over(s, r);
	return s;
}

/* @s becomes the sum of both. */
static inline void fixture_add(struct snapshot **s, const struct snapshot *more)
{
	struct snapshot *sum = snapshot_add(*s, more, NULL);

	assert_non_null(sum);
	snapshot_free(*s);
	*s = sum;
}

/* A recording of one run; the machine is not known. */
static inline struct recording *fixture_recording(struct snapshot *whole)
{
	struct recording *r = recording_new(whole);

	assert_non_null(r);
	fixture_text(&r->machine.cpu, "");
	fixture_text(&r->machine.clock, "");
	fixture_text(&r->machine.build_id, "");
	return r;
}

#endif /* KSTATS_FIXTURE_H */
