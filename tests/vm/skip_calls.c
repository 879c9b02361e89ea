// SPDX-License-Identifier: GPL-2.0-only
/*
 * skip_calls.c - system calls of many threads, with their truth. Comes in:
 * "getpgid THREADS CALLS", "sleep THREADS CALLS", "lookups CPU", or "fifo COMMAND...". Goes out: of
 * the first two, a row `NAME CALLS SUM_NS MIN_NS MAX_NS` as the callers saw it, and rows
 * `FIRST_NS CALLS` of its distribution, in slots of bits 2. Those that sleep, 1 ms each time,
 * share CPU 0 with a real-time thread, which takes it away from them at any moment. lookups reads
 * a BPF map on a CPU until it is ended, which keeps programs of kprobes away as long as it copies.
 * fifo runs a command under SCHED_FIFO. Called by skip.py.
 */
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "kstats_slot.h"

#define BITS 2
#define THREADS_MAX 64
#define VALUE_SIZE 32768
#define SLEEP_NS 1000000
#define PERIOD_NS 700000 /* of the real-time thread, and how long it works in each */
#define WORK_NS 200000
#define PRIORITY 50

struct caller {
	pthread_t thread;
	pthread_barrier_t *begin;
	void (*function)(void);
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

static void getpgid_call(void)
{
	syscall(SYS_getpgid, 0);
}

static void sleep_call(void)
{
	struct timespec ts = { .tv_nsec = SLEEP_NS };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
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
		c->function();
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

static int calls_run(const char *name, void (*function)(void), int threads, unsigned long calls)
{
	struct caller *all = &callers[0];
	pthread_barrier_t begin;
	unsigned int i;

	pthread_barrier_init(&begin, NULL, threads);
	for (i = 0; i < threads; i++) {
		callers[i].begin = &begin;
		callers[i].function = function;
		callers[i].calls = calls;
		if (pthread_create(&callers[i].thread, NULL, call, &callers[i]))
			return 1;
	}
	for (i = 0; i < threads; i++) {
		pthread_join(callers[i].thread, NULL);
		if (i)
			add(all, &callers[i]);
	}
	printf("%s %lu %llu %llu %llu\n", name, threads * calls, all->sum, all->min, all->max);
	for (i = 0; i < KSTATS_N_SLOTS(BITS); i++) {
		if (all->slots[i])
			printf("%llu %llu\n", kstats_slot_first(i, BITS), all->slots[i]);
	}
	return 0;
}

static int here(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

/* Works at each tick of its timer. It never sleeps in the function that the others call. */
static void *preempt(void *arg)
{
	struct itimerspec ticks = { { 0, PERIOD_NS }, { 0, PERIOD_NS } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	__u64 n, first;

	if (fd < 0 || timerfd_settime(fd, 0, &ticks, NULL))
		return arg;
	while (read(fd, &n, sizeof(n)) == sizeof(n)) {
		for (first = now_ns(); now_ns() - first < WORK_NS;)
			;
	}
	return arg;
}

static int sleep_run(int threads, unsigned long calls)
{
	struct sched_param param = { .sched_priority = PRIORITY };
	pthread_t other;

	if (here(0) || pthread_create(&other, NULL, preempt, NULL) ||
	    pthread_setschedparam(other, SCHED_FIFO, &param))
		return 1;
	return calls_run("sleep", sleep_call, threads, calls);
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
	int fd;

	fd = syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
	if (fd < 0 || here(cpu))
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
	struct sched_param param = { .sched_priority = PRIORITY };

	if (!sched_setscheduler(0, SCHED_FIFO, &param))
		execvp(command[0], command);
	perror("skip_calls fifo");
	return 1;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (argc == 4 && !strcmp(argv[1], "getpgid") && n > 0 && n <= THREADS_MAX)
		return calls_run("getpgid", getpgid_call, n, strtoul(argv[3], NULL, 10));
	if (argc == 4 && !strcmp(argv[1], "sleep") && n > 0 && n <= THREADS_MAX)
		return sleep_run(n, strtoul(argv[3], NULL, 10));
	if (argc == 3 && !strcmp(argv[1], "lookups"))
		return lookups_run(n);
	if (argc > 2 && !strcmp(argv[1], "fifo"))
		return fifo_run(argv + 2);
	fprintf(stderr,
		"usage: skip_calls getpgid|sleep THREADS CALLS | lookups CPU | fifo COMMAND...\n");
	return 2;
}
