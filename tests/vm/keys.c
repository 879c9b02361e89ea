// SPDX-License-Identifier: GPL-2.0-only
/*
 * keys.c [STARTS]: the table of keys under more threads than there are CPUs. Every
 * start must be found in one place: recorded, superseded, full, or still open; no
 * end finds the start of another key; and what is known of keys that one thread
 * alone uses must be so. Prints TAP. Run here and in guests by keys.t.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kstats_abi.h"
#include "keys.h"
#include "keys.skel.h"

#define THREADS 8
#define RUN 5000 /* starts and ends of one run of the program */
#define OWN                                                                                      \
	2 /* keys that each thread has alone: with the shared ones more than a bucket has places \
	   */
#define SHARED 4

struct worker {
	pthread_t thread;
	int prog;
	__u64 runs;
	int err;
	struct keys_run shared;
	struct keys_run own;
};

struct sums {
	__u64 starts, recorded, unmatched, superseded, wrong;
};

static struct keys_bpf *skel;
static struct kstats_keys *table;
static int n_cpus;
static int number, bad;

static void result(int ok, const char *what, const struct sums *s, const __u64 *got, __u64 open)
{
	printf("%sok %d - %s: %llu starts: %llu recorded, %llu superseded, %llu full, %llu open; "
	       "%llu unmatched; %llu wrong\n",
	       ok ? "" : "not ", ++number, what, s->starts, s->recorded, got[KSTATS_AGAIN],
	       got[KSTATS_FULL], open, s->unmatched, s->wrong);
	bad += !ok;
}

/* What the programs counted, and zero from now on. */
static int ledger(__u64 *sum)
{
	struct kstats_cell *cells = calloc(n_cpus, sizeof(*cells));
	int fd = bpf_map__fd(skel->maps.cells), cpu, id, err;
	__u32 zero = 0;

	if (!cells)
		return -1;
	err = bpf_map_lookup_elem(fd, &zero, cells);
	memset(sum, 0, KSTATS_LEDGER_N * sizeof(*sum));
	for (cpu = 0; !err && cpu < n_cpus; cpu++)
		for (id = 0; id < KSTATS_LEDGER_SPACE; id++)
			sum[id] += cells[cpu].ledger[id];
	memset(cells, 0, n_cpus * sizeof(*cells));
	err = err || bpf_map_update_elem(fd, &zero, cells, BPF_ANY);
	free(cells);
	return err;
}

/* Open places; a key that has two of them is counted into @twice. */
static __u64 count_open(__u64 *twice)
{
	__u64 n = 0, i, j;
	struct kstats_place *p = (void *)table, *q;

	*twice = 0;
	for (i = 0; i < KSTATS_KEY_BUCKETS; i++) {
		for (j = 0; j < KSTATS_KEY_WAYS; j++) {
			p = &table[i].places[j];
			n += kstats_place_is_open(p->word);
			for (q = p + 1; q < &table[i].places[KSTATS_KEY_WAYS]; q++)
				*twice += kstats_place_is_open(p->word) &&
					  kstats_place_is_open(q->word) && p->key == q->key;
		}
	}
	return n;
}

static int run(int prog, struct keys_run *r)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = r, .ctx_size_in = sizeof(*r));

	return bpf_prog_test_run_opts(prog, &opts);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	__u64 i;

	for (i = 0; !w->err && i < w->runs; i++)
		w->err = run(w->prog, &w->shared) || run(w->prog, &w->own);
	return NULL;
}

static void add(struct sums *s, const struct keys_run *r)
{
	s->starts += r->starts;
	s->recorded += r->recorded;
	s->unmatched += r->unmatched;
	s->superseded += r->superseded;
	s->wrong += r->wrong;
}

/* With @crowded all keys belong to one bucket, of which most find no place there. */
static int set_names(int crowded)
{
	int fd = bpf_map__fd(skel->maps.names);
	__u64 key = 0;
	__u32 i;

	for (i = 0; i < (crowded ? SHARED + THREADS * OWN : KEYS_MANY); i++) {
		do
			key++;
		while (crowded && kstats_key_bucket(key) != 1);
		if (bpf_map_update_elem(fd, &i, &key, BPF_ANY))
			return -1;
	}
	return 0;
}

static void judge(const char *what, const struct sums *s, const struct sums *own)
{
	__u64 got[KSTATS_LEDGER_N], twice, open = count_open(&twice);
	int ok = !ledger(got) && s->starts && s->recorded && s->unmatched && !s->wrong && !twice &&
		 !got[KSTATS_FULL] && got[KSTATS_AGAIN] >= own->superseded &&
		 s->starts == s->recorded + got[KSTATS_AGAIN] + open;

	result(ok, what, s, got, open);
}

static int stress(const char *what, __u64 starts, int crowded)
{
	struct worker w[THREADS] = { 0 };
	struct sums all = { 0 }, own = { 0 };
	int i, err = set_names(crowded);

	memset(table, 0, KSTATS_KEY_BUCKETS * sizeof(*table));
	for (i = 0; !err && i < THREADS; i++) {
		w[i].prog = bpf_program__fd(skel->progs.keys_run);
		w[i].runs = (starts + RUN * THREADS - 1) / (RUN * THREADS);
		w[i].shared = (struct keys_run){
			.work = KEYS_SHARED, .n = RUN, .seed = 1 + i, .n_keys = SHARED
		};
		w[i].own = (struct keys_run){ .work = KEYS_OWN,
					      .n = RUN,
					      .seed = 101 + i,
					      .first = SHARED + i * OWN,
					      .n_keys = OWN };
		err = pthread_create(&w[i].thread, NULL, work, &w[i]);
	}
	while (i-- > 0) {
		pthread_join(w[i].thread, NULL);
		err = err || w[i].err;
		add(&all, &w[i].shared);
		add(&all, &w[i].own);
		add(&own, &w[i].own);
	}
	if (!err)
		judge(what, &all, &own);
	return err;
}

/* A table that is full refuses, and what it has it gives back. */
static int fill(void)
{
	struct keys_run in = { .work = KEYS_FILL, .n = KEYS_MANY, .seed = 1, .n_keys = KEYS_MANY };
	struct keys_run out = {
		.work = KEYS_DRAIN, .n = KEYS_MANY, .seed = 1, .n_keys = KEYS_MANY
	};
	__u64 got[KSTATS_LEDGER_N], twice, open;
	int prog = bpf_program__fd(skel->progs.keys_run), err = set_names(0);
	struct sums s = { 0 };

	memset(table, 0, KSTATS_KEY_BUCKETS * sizeof(*table));
	err = err || run(prog, &in);
	open = count_open(&twice);
	err = err || run(prog, &out) || ledger(got);
	if (err)
		return err;
	add(&s, &in);
	add(&s, &out);
	result(s.starts == KEYS_MANY && open >= 65536 && got[KSTATS_FULL] == KEYS_MANY - open &&
		       s.recorded == open && s.unmatched == KEYS_MANY - open && !s.wrong &&
		       !got[KSTATS_AGAIN] && !count_open(&twice),
	       "a full table", &s, got, open);
	return 0;
}

int main(int argc, char **argv)
{
	__u64 starts = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	int err;

	setvbuf(stdout, NULL, _IOLBF, 0);
	n_cpus = libbpf_num_possible_cpus();
	skel = keys_bpf__open();
	err = !skel || n_cpus <= 0 ||
	      bpf_map__set_max_entries(skel->maps.keys, KSTATS_KEY_BUCKETS) || keys_bpf__load(skel);
	if (!err) {
		table = mmap(NULL, KSTATS_KEY_BUCKETS * sizeof(*table), PROT_READ | PROT_WRITE,
			     MAP_SHARED, bpf_map__fd(skel->maps.keys), 0);
		err = table == MAP_FAILED;
	}
	puts("1..3");
	err = err || stress("keys spread", starts / 2, 0) ||
	      stress("keys of one bucket", starts - starts / 2, 1) || fill();
	if (err)
		puts("Bail out! the program cannot be loaded or run");
	keys_bpf__destroy(skel);
	return err || bad;
}
