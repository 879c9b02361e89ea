// SPDX-License-Identifier: GPL-2.0-only
/*
 * counts.c - see counts.h. A slot in use is stored as three numbers: the distance from the slot
 * before it, its samples, and their sum. Each byte holds 7 bits, the lowest first.
 */
#include "result/counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES 10 /* bytes of the largest number */
#define SLOT_BYTES (3 * NUMBER_BYTES)
#define NO_SLOT UINT32_MAX /* before the first slot, so that slot 0 has the distance 1 */

/* A CPU in use. Its bytes end where those of the next one begin. */
struct counts_cpu {
	uint32_t cpu;
	uint32_t end;
};

/* @owners: how many snapshots hold it; the bytes follow @cpus. */
struct counts {
	uint32_t owners;
	uint32_t n_cpus;
	uint32_t slots;
	uint64_t samples;
	struct counts_cpu cpus[];
};

static const uint8_t *counts_bytes_of(const struct counts *c)
{
	return (const uint8_t *)(c->cpus + c->n_cpus);
}

static size_t size_of(const struct counts *c)
{
	return sizeof(*c) + c->n_cpus * sizeof(*c->cpus) + c->cpus[c->n_cpus - 1].end;
}

/* ---- reading ---- */

/* The first of the CPUs in use that is not below @cpu. */
static uint32_t find_cpu(const struct counts *c, uint32_t cpu)
{
	uint32_t lo = 0, hi = c ? c->n_cpus : 0, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (c->cpus[mid].cpu < cpu)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct counts_cursor counts_begin(const struct counts *c, int cpu)
{
	struct counts_cursor at = { .of = c, .rows = c ? c->n_cpus : 0 };

	if (cpu == COUNTS_ALL_CPUS)
		return at;
	at.row = find_cpu(c, cpu);
	if (at.row < at.rows)
		at.rows = at.row + (c->cpus[at.row].cpu == (uint32_t)cpu);
	return at;
}

static void enter_cpu(struct counts_cursor *at)
{
	const struct counts_cpu *cpu = &at->of->cpus[at->row];

	at->at = counts_bytes_of(at->of) + (at->row ? cpu[-1].end : 0);
	at->end = counts_bytes_of(at->of) + cpu->end;
	at->cpu = cpu->cpu;
	at->slot = NO_SLOT;
	at->row++;
}

uint64_t counts_number(const uint8_t **at)
{
	uint64_t n = 0;
	int shift = 0;
	uint8_t byte;

	do {
		byte = *(*at)++;
		n |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return n;
}

bool counts_next(struct counts_cursor *at)
{
	if (at->at == at->end) {
		if (at->row == at->rows) {
			at->place = COUNTS_END;
			return false;
		}
		enter_cpu(at);
	}
	at->slot += counts_number(&at->at);
	at->count.samples = counts_number(&at->at);
	at->count.sum = counts_number(&at->at);
	at->place = (uint64_t)at->cpu << 32 | at->slot;
	return true;
}

bool counts_next_cpu(const struct counts *c, uint32_t *cpu)
{
	uint32_t row = find_cpu(c, *cpu);

	if (!c || row == c->n_cpus)
		return false;
	*cpu = c->cpus[row].cpu;
	return true;
}

size_t counts_slots(const struct counts *c)
{
	return c ? c->slots : 0;
}

uint64_t counts_samples(const struct counts *c)
{
	return c ? c->samples : 0;
}

bool counts_same(const struct counts *a, const struct counts *b)
{
	if (a == b || !a || !b)
		return a == b;
	return a->n_cpus == b->n_cpus && size_of(a) == size_of(b) &&
	       !memcmp(a->cpus, b->cpus, size_of(a) - sizeof(*a));
}

/* ---- making ---- */

static bool make_room(struct counts_writer *w)
{
	uint32_t rows = w->cpus_room ? 2 * w->cpus_room : 16;
	size_t room = w->room ? 2 * w->room : 1024;
	void *grown;

	if (w->n_cpus == w->cpus_room) {
		grown = realloc(w->cpus, rows * sizeof(*w->cpus));
		if (!grown)
			return false;
		w->cpus = grown;
		w->cpus_room = rows;
	}
	if (w->size + SLOT_BYTES > w->room) {
		grown = realloc(w->bytes, room);
		if (!grown)
			return false;
		w->bytes = grown;
		w->room = room;
	}
	return true;
}

static void counts_put(struct counts_writer *w, uint64_t n)
{
	for (; n > 0x7f; n >>= 7)
		w->bytes[w->size++] = n | 0x80;
	w->bytes[w->size++] = n;
}

static bool is_empty(const struct kstats_slot *count)
{
	return !(count->samples | count->sum);
}

static void counts_add_slot(struct counts_writer *w, uint32_t cpu, uint32_t slot,
			    const struct kstats_slot *count)
{
	w->failed |= !make_room(w);
	if (w->failed)
		return;
	if (!w->n_cpus || w->cpus[w->n_cpus - 1].cpu != cpu) {
		w->cpus[w->n_cpus++].cpu = cpu;
		w->slot = NO_SLOT;
	}
	counts_put(w, slot - w->slot);
	counts_put(w, count->samples);
	counts_put(w, count->sum);
	w->cpus[w->n_cpus - 1].end = w->size;
	w->slot = slot;
	w->slots++;
	w->samples += count->samples;
}

void counts_add(struct counts_writer *w, uint32_t cpu, uint32_t slot,
		const struct kstats_slot *count)
{
	if (!is_empty(count))
		counts_add_slot(w, cpu, slot, count);
}

void counts_add_cpu(struct counts_writer *w, uint32_t cpu, const struct kstats_slot *slots,
		    uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (!is_empty(&slots[i]))
			counts_add_slot(w, cpu, i, &slots[i]);
}

int counts_end(struct counts_writer *w, struct counts **to)
{
	size_t cpus = w->n_cpus * sizeof(*w->cpus);
	struct counts *c = NULL;

	if (w->n_cpus && !w->failed)
		c = malloc(sizeof(*c) + cpus + w->size);
	w->failed |= w->n_cpus && !c;
	if (c) {
		*c = (struct counts){ 1, w->n_cpus, w->slots, w->samples };
		memcpy(c->cpus, w->cpus, cpus);
		memcpy(c->cpus + c->n_cpus, w->bytes, w->size);
	}
	if (!w->failed) {
		counts_drop(*to);
		*to = c;
	}
	w->size = w->n_cpus = w->slots = w->samples = 0;
	if (!w->failed)
		return 0;
	w->failed = false;
	return -ENOMEM;
}

void counts_writer_free(struct counts_writer *w)
{
	free(w->bytes);
	free(w->cpus);
	*w = (struct counts_writer){};
}

struct counts *counts_share(struct counts *c)
{
	if (c)
		c->owners++;
	return c;
}

void counts_drop(struct counts *c)
{
	if (c && !--c->owners)
		free(c);
}

/* ---- packed ---- */

void counts_put_number(FILE *out, uint64_t n)
{
	for (; n > 0x7f; n >>= 7)
		putc_unlocked(n | 0x80, out);
	putc_unlocked(n, out);
}

void counts_pack(const struct counts *c, FILE *out)
{
	uint32_t i;

	counts_put_number(out, c ? c->n_cpus : 0);
	if (!c)
		return;
	counts_put_number(out, c->slots);
	counts_put_number(out, c->samples);
	for (i = 0; i < c->n_cpus; i++) {
		counts_put_number(out, c->cpus[i].cpu);
		counts_put_number(out, c->cpus[i].end);
	}
	fwrite(counts_bytes_of(c), 1, c->cpus[c->n_cpus - 1].end, out);
}

int counts_unpack(const uint8_t **at, struct counts **to)
{
	struct counts_writer w = { .n_cpus = counts_number(at) };
	uint32_t i;
	int err;

	*to = NULL;
	if (!w.n_cpus)
		return 0;
	w.slots = counts_number(at);
	w.samples = counts_number(at);
	w.cpus = calloc(w.n_cpus, sizeof(*w.cpus));
	if (!w.cpus)
		return -ENOMEM;
	for (i = 0; i < w.n_cpus; i++) {
		w.cpus[i].cpu = counts_number(at);
		w.cpus[i].end = counts_number(at);
	}
	w.size = w.cpus[w.n_cpus - 1].end;
	w.bytes = (uint8_t *)*at;
	*at += w.size;
	err = counts_end(&w, to);
	free(w.cpus);
	return err;
}

/* ---- two counts ---- */

static int result_counts_add(struct kstats_slot *a, const struct kstats_slot *b)
{
	bool over = __builtin_add_overflow(a->samples, b->samples, &a->samples);

	over |= __builtin_add_overflow(a->sum, b->sum, &a->sum);
	return over ? -EOVERFLOW : 0;
}

static int counts_subtract(struct kstats_slot *a, const struct kstats_slot *b)
{
	bool under = __builtin_sub_overflow(a->samples, b->samples, &a->samples);

	under |= __builtin_sub_overflow(a->sum, b->sum, &a->sum);
	return under ? -EINVAL : 0;
}

/* Combine the counts slot by slot; a slot that is not in use counts 0. */
static int combine(const struct counts *a, const struct counts *b,
		   int (*step)(struct kstats_slot *a, const struct kstats_slot *b),
		   struct counts **to)
{
	struct counts_cursor x = counts_begin(a, COUNTS_ALL_CPUS);
	struct counts_cursor y = counts_begin(b, COUNTS_ALL_CPUS);
	struct counts_writer w = {};
	struct kstats_slot count;
	uint64_t place;
	int err = 0;

	counts_next(&x);
	counts_next(&y);
	while (!err && (x.place != COUNTS_END || y.place != COUNTS_END)) {
		place = x.place < y.place ? x.place : y.place;
		count = x.place == place ? x.count : (struct kstats_slot){};
		if (y.place == place)
			err = step(&count, &y.count);
		counts_add(&w, place >> 32, (uint32_t)place, &count);
		if (x.place == place)
			counts_next(&x);
		if (y.place == place)
			counts_next(&y);
	}
	if (!err)
		err = counts_end(&w, to);
	counts_writer_free(&w);
	return err;
}

int counts_sum(const struct counts *a, const struct counts *b, struct counts **to)
{
	return combine(a, b, result_counts_add, to);
}

int counts_difference(const struct counts *a, const struct counts *b, struct counts **to)
{
	return combine(a, b, counts_subtract, to);
}
