// SPDX-License-Identifier: GPL-2.0-only
/*
 * skip_calls.c - system calls of many threads, with their truth. Comes in:
 * "getpgid THREADS CALLS", "lookups CPU", or "fifo COMMAND...". Goes out: of getpgid, a row
 * `getpgid CALLS SUM_NS MIN_NS MAX_NS` as the callers saw it, and rows `FIRST_NS CALLS` of its
 * distribution, in slots of bits 2. lookups reads a BPF map on a CPU until it is ended,
 * which keeps programs of kprobes away as long as it copies. fifo runs a command under
 * SCHED_FIFO. Called by skip.py.
 */
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kstats_slot.h"

#define BITS 2
#define THREADS_MAX 64
#define VALUE_SIZE 32768

struct caller {
	pthread_t thread;
	pthread_barrier_t *begin;
	unsigned long calls;
	__u64 sum, min, max;
	__u64 slots[KSTATS_N_SLOTS(BITS)];
};

static struct caller callers[THREADS_MAX];

static __u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void *call(void *arg)
{
	struct caller *c = arg;
	unsigned long i;
	__u64 ns;

	c->min = ~0ULL;
	pthread_barrier_wait(c->begin);
	for (i = 0; i < c->calls; i++) {
		ns = now_ns();
		syscall(SYS_getpgid, 0);
		ns = now_ns() - ns;
		c->sum += ns;
		c->min = ns < c->min ? ns : c->min;
		c->max = ns > c->max ? ns : c->max;
		c->slots[kstats_slot_index(ns, BITS)]++;
	}
	return NULL;
}

static void add(struct caller *to, const struct caller *c)
{
	unsigned int i;

	to->sum += c->sum;
	to->min = c->min < to->min ? c->min : to->min;
	to->max = c->max > to->max ? c->max : to->max;
	for (i = 0; i < KSTATS_N_SLOTS(BITS); i++)
		to->slots[i] += c->slots[i];
}

static int getpgid_run(int threads, unsigned long calls)
{
	struct caller *all = &callers[0];
	pthread_barrier_t begin;
	unsigned int i;

	pthread_barrier_init(&begin, NULL, threads);
	for (i = 0; i < threads; i++) {
		callers[i].begin = &begin;
		callers[i].calls = calls;
		if (pthread_create(&callers[i].thread, NULL, call, &callers[i]))
			return 1;
	}
	for (i = 0; i < threads; i++) {
		pthread_join(callers[i].thread, NULL);
		if (i)
			add(all, &callers[i]);
	}
	printf("getpgid %lu %llu %llu %llu\n", threads * calls, all->sum, all->min, all->max);
	for (i = 0; i < KSTATS_N_SLOTS(BITS); i++) {
		if (all->slots[i])
			printf("%llu %llu\n", kstats_slot_first(i, BITS), all->slots[i]);
	}
	return 0;
}

static int lookups_run(int cpu)
{
	static char value[VALUE_SIZE * 64]; /* of every possible CPU */
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_PERCPU_ARRAY,
		.key_size = 4,
		.value_size = VALUE_SIZE,
		.max_entries = 1,
	};
	__u32 key = 0;
	cpu_set_t set;
	int fd;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	fd = syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
	if (fd < 0 || sched_setaffinity(0, sizeof(set), &set))
		return 1;
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = fd;
	attr.key = (unsigned long)&key;
	attr.value = (unsigned long)value;
	while (!syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr)))
		;
	return 1;
}

static int fifo_run(char **command)
{
	struct sched_param param = { .sched_priority = 50 };

	if (!sched_setscheduler(0, SCHED_FIFO, &param))
		execvp(command[0], command);
	perror("skip_calls fifo");
	return 1;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (argc == 4 && !strcmp(argv[1], "getpgid") && n > 0 && n <= THREADS_MAX)
		return getpgid_run(n, strtoul(argv[3], NULL, 10));
	if (argc == 3 && !strcmp(argv[1], "lookups"))
		return lookups_run(n);
	if (argc > 2 && !strcmp(argv[1], "fifo"))
		return fifo_run(argv + 2);
	fprintf(stderr,
		"usage: skip_calls getpgid THREADS CALLS | lookups CPU | fifo COMMAND...\n");
	return 2;
}
