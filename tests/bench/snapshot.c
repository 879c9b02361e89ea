// SPDX-License-Identifier: GPL-2.0-only
/*
 * snapshot.c - what reading the slots takes, and what drawing them takes, on the
 * largest machine: full slots, made up here. Goes out: lines GROUP<tab>WHAT<tab>MS.
 * Called by own.sh.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../unit/fixture.h"
#include "kstats_abi.h"
#include "format/format.h"
#include "store/store.h"

#define MANY_CPUS 256

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

/* ---- reading ---- */

/* As many nodes as have the slots of so many processors together on this machine. */
static int read_worth(const char *what, unsigned int n_nodes, unsigned int bits)
{
	size_t cell = KSTATS_CELL_SIZE(kstats_n_slots(bits));
	struct store_setup setup = { .bits = bits, .n_nodes = n_nodes, .blocks_fd = -1 };
	struct snapshot *s = snapshot_new(bits, libbpf_num_possible_cpus(), n_nodes);
	struct store st = {};
	struct error e = {};
	double begin;

	setup.cells_fd = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "cells", 4, cell, n_nodes, NULL);
	if (!s || setup.cells_fd < 0 || store_open(&st, &setup, &e) || store_read(&st, s, &e))
		return -1;
	begin = now_ms();
	if (store_read(&st, s, &e))
		return -1;
	printf("reading the slots, us\t%s\t%.1f\n", what, (now_ms() - begin) * 1e3);
	store_close(&st);
	close(setup.cells_fd);
	snapshot_free(s);
	return 0;
}

static int read_all(void)
{
	unsigned int n = libbpf_num_possible_cpus();

	if (n > 2 || 64 % n) {
		fprintf(stderr, "bench/snapshot: reading is measured on 1 or 2 processors\n");
		return 0;
	}
	/* One bit less is half as many slots. */
	return read_worth("of 1 processor", 1, KSTATS_BITS_MAX - (n == 2)) ||
	       read_worth("of 2 processors", 2 / n, KSTATS_BITS_MAX) ||
	       read_worth("of 64 processors", 64 / n, KSTATS_BITS_MAX) ||
	       read_worth("of 256 processors", MANY_CPUS / n, KSTATS_BITS_MAX);
}

/* ---- drawing ---- */

static struct snapshot *full(void)
{
	struct snapshot *s = fixture_new(KSTATS_BITS_MAX, MANY_CPUS, 1);
	unsigned int n = KSTATS_N_SLOTS_MAX, i;
	struct snapshot_node *node = s->nodes;
	struct counts_writer w = {};
	struct kstats_slot slot;

	for (i = 0; i < MANY_CPUS * n; i++) {
		slot.samples = 1 + i % 7;
		slot.sum = slot.samples *
			   kstats_slot_scale(kstats_slot_first(i % n, s->bits), i % n, s->bits);
		node->ledger[KSTATS_STARTED] += slot.samples;
		counts_add(&w, i / n, i % n, &slot);
	}
	counts_end(&w, &node->counts);
	counts_writer_free(&w);
	return s;
}

static int draw(const struct format *f, const struct recording *rec)
{
	const struct report_look o = { .unit = "auto", .width = 80 };
	const struct report_set set = { .n = 1, .recs = &rec };
	FILE *out = fopen("/dev/null", "w");
	double begin = now_ms();
	int err;

	if (!out)
		return -1;
	err = format_trace(f, out, &set, &o);
	printf("256 processors x 1,921 slots, ms\t%s\t%.1f\n", f->name, now_ms() - begin);
	return fclose(out) || err;
}

static int keep(struct recording *rec)
{
	FILE *file = tmpfile();
	struct recording *back;
	struct error e = {};
	double begin = now_ms();

	if (!file || recording_save(rec, file, &e))
		return -1;
	printf("256 processors x 1,921 slots, ms\twriting a recording\t%.1f\n", now_ms() - begin);
	rewind(file);
	begin = now_ms();
	back = recording_load(file, &e);
	if (!back)
		return -1;
	printf("256 processors x 1,921 slots, ms\treading it\t%.1f\n", now_ms() - begin);
	recording_free(back);
	return fclose(file);
}

int main(void)
{
	struct snapshot *s = full();
	struct recording *rec = recording_new(s);
	const struct format *f;
	int err = !rec || read_all();

	for (f = format_next(NULL, REPORT_TRACE); !err && f; f = format_next(f, REPORT_TRACE))
		err = draw(f, rec);
	err = err || keep(rec);
	recording_free(rec);
	if (err)
		fprintf(stderr, "bench/snapshot: failed\n");
	return err != 0;
}
