// SPDX-License-Identifier: GPL-2.0-only
/*
 * percpu.c - starts and ends of --key cpu at the same time: by one start program and one
 * end program, and by several of each. Every start must be found in one place: recorded,
 * superseded, or still open. Prints TAP. Run by percpu.t.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kstats_abi.h"
#include "percpu.h"
#include "percpu.skel.h"

#define STARTS 4000000 /* of each thread that makes starts */
#define RUN 5000 /* of one run of the program */
#define THREADS 4
#define PATIENCE 20 /* so many times as many starts, for an end that meets one */

struct worker {
	pthread_t thread;
	int prog;
	int ends;
	int err;
	struct percpu_run run;
};

static int starters; /* threads that still make starts */
static int unmet; /* threads that make ends, and have met no start so far */

static bool goes_on(const struct worker *w, int i)
{
	if (w->ends)
		return __atomic_load_n(&starters, __ATOMIC_SEQ_CST);
	return i < STARTS / RUN ||
	       (i < PATIENCE * (STARTS / RUN) && __atomic_load_n(&unmet, __ATOMIC_SEQ_CST) > 0);
}

/*
 * Ends go on until there are no starts any more; starts until each thread that makes ends has met
 * one, or for long enough.
 */
static void *work(void *arg)
{
	struct worker *w = arg;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &w->run, .ctx_size_in = sizeof(w->run));
	bool met = false;
	int i;

	for (i = 0; !w->err && goes_on(w, i); i++) {
		w->err = bpf_prog_test_run_opts(w->prog, &opts);
		if (w->ends && !met && (w->err || w->run.done)) {
			met = true;
			__atomic_sub_fetch(&unmet, 1, __ATOMIC_SEQ_CST);
		}
	}
	if (!w->ends)
		__atomic_sub_fetch(&starters, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* Half of the threads make starts, half of them ends. */
static int run_all(const struct percpu_bpf *skel, int threads, __u64 *starts, __u64 *recorded)
{
	struct worker w[THREADS] = { 0 };
	int i, err = 0;

	starters = threads / 2;
	unmet = threads - starters;
	for (i = 0; !err && i < threads; i++) {
		w[i].ends = i % 2;
		w[i].prog = bpf_program__fd(w[i].ends ? skel->progs.percpu_ends
						      : skel->progs.percpu_starts);
		w[i].run = (struct percpu_run){ .n = RUN, .ident = 1 + i / 2 };
		err = pthread_create(&w[i].thread, NULL, work, &w[i]);
	}
	if (err)
		__atomic_store_n(&unmet, 0, __ATOMIC_SEQ_CST);
	while (i-- > 0) {
		pthread_join(w[i].thread, NULL);
		err = err || w[i].err;
		*(w[i].ends ? recorded : starts) += w[i].run.done;
	}
	return err;
}

static int stress(int number, const char *what, int threads)
{
	struct percpu_bpf *skel = percpu_bpf__open();
	__u64 starts = 0, recorded = 0, superseded;
	static struct kstats_cell cell;
	__u32 zero = 0;
	int err = !skel, ok;

	if (!err) {
		skel->rodata->is_alone = threads == 2;
		skel->rodata->may_doubt = true;
		err = percpu_bpf__load(skel);
	}
	err = err || run_all(skel, threads, &starts, &recorded) ||
	      bpf_map_lookup_elem(bpf_map__fd(skel->maps.cell), &zero, &cell);
	superseded = cell.ledger[KSTATS_SUPERSEDED];
	ok = !err && recorded && superseded && starts == recorded + superseded + !!cell.start_ns;
	printf("%sok %d - %s: %llu starts: %llu recorded, %llu superseded, %d open%s\n",
	       ok ? "" : "not ", number, what, starts, recorded, superseded, !!cell.start_ns,
	       err ? "; the programs cannot be loaded or run" : "");
	percpu_bpf__destroy(skel);
	return !ok;
}

int main(void)
{
	int bad;

	puts("1..2");
	bad = stress(1, "one start program and one end program", 2);
	return stress(2, "two of each", THREADS) || bad;
}
