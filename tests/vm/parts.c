// SPDX-License-Identifier: GPL-2.0-only
/*
 * parts.c - calls of which it is known what becomes of their time. Comes in: a case and the number
 * of calls. Goes out: for each part, between which sums it must lie, "PART LEAST MOST" in ns. Built
 * and called by parts-run, which measures call() of it.
 *
 * The truth comes from clocks that are read around each call and, for the least, inside of it:
 * the processor time of the thread, and the time. The kernel's own sum of waits is no truth, since
 * it is off by more than the bounds.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ULL
#define DEPTH 12 /* of recursion; all calls are kept */

/* What is known of all calls together. */
static uint64_t least_cpu, most_cpu, least_wall, most_wall, least_asleep;
static void (*body)(void);
static volatile int stop;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

__attribute__((noinline)) void call(int depth)
{
	uint64_t cpu = now(CLOCK_THREAD_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);

	if (depth > 1)
		call(depth - 1);
	else
		body();
	least_wall += now(CLOCK_MONOTONIC) - wall;
	least_cpu += now(CLOCK_THREAD_CPUTIME_ID) - cpu;
}

static void calls(int n, int depth)
{
	uint64_t cpu, wall;

	while (n--) {
		/* With recursion, the outermost call bounds each of those inside. */
		cpu = now(CLOCK_THREAD_CPUTIME_ID);
		wall = now(CLOCK_MONOTONIC);
		call(depth);
		most_wall += depth * (now(CLOCK_MONOTONIC) - wall);
		most_cpu += depth * (now(CLOCK_THREAD_CPUTIME_ID) - cpu);
	}
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* ---- what calls do ---- */

static void nothing(void)
{
}

static void sleeps(void)
{
	const struct timespec t = { 0, 2 * MS };

	nanosleep(&t, NULL);
}

static void spins(void)
{
	uint64_t begin = now(CLOCK_THREAD_CPUTIME_ID);

	while (now(CLOCK_THREAD_CPUTIME_ID) - begin < 3 * MS)
		;
}

/* The parent sleeps until its child is gone, and signals do not wake it. */
static void blocks(void)
{
	if (!vfork()) {
		sleeps();
		_exit(0);
	}
}

static void moves(void)
{
	pin(sched_getcpu() ? 0 : 1);
	spins();
}

static void *presses(void *unused)
{
	const struct timespec t = { 0, 4 * MS };
	const struct sched_param high = { .sched_priority = 50 };

	pin(0);
	sched_setscheduler(0, SCHED_FIFO, &high);
	while (!stop) {
		spins();
		nanosleep(&t, NULL);
	}
	return NULL;
}

static const struct {
	const char *name;
	void (*body)(void);
	int depth;
	const char *asleep; /* the part in which it sleeps */
	uint64_t asleep_ns; /* at least, in each call */
} cases[] = {
	{ "nothing", nothing, 1, NULL, 0 },  { "sleeps", sleeps, 1, "sleeping", 2 * MS },
	{ "spins", spins, 1, NULL, 0 },      { "blocks", blocks, 1, "blocked", 2 * MS },
	{ "moves", moves, 1, "blocked", 0 }, /* until the other processor has it */
	{ "preempted", spins, 1, NULL, 0 },  { "recursion", sleeps, DEPTH, "sleeping", 2 * MS },
};

/*
 * What processors of this machine waited for those below it, in all. Meanwhile the clock of a task
 * stands, and the time does not.
 */
static uint64_t stolen(void)
{
	FILE *f = fopen("/proc/stat", "re");
	unsigned long long n[8] = { 0 };

	if (f && fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", n, n + 1, n + 2, n + 3,
			n + 4, n + 5, n + 6, n + 7) != 8)
		n[7] = 0;
	if (f)
		fclose(f);
	return n[7] * (1000 * MS / sysconf(_SC_CLK_TCK));
}

/* What the clocks themselves, and probes beside the call, may be apart by. */
static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void tell(const char *asleep, uint64_t slack, uint64_t steal)
{
	uint64_t off = less(most_wall, least_cpu);

	/*
	 * An emulator does not tell what its processors waited for. A quarter of the time is far
	 * less than what another task takes here.
	 */
	most_cpu += most_cpu / 4 + steal;
	/* It goes faster than the time by up to an eighth in an emulated guest. */
	least_cpu -= least_cpu / 8;

	/* The kernel's clock of a task begins before the switch, where it chooses the task. */
	printf("running %llu %llu\n", (unsigned long long)less(least_cpu, slack),
	       (unsigned long long)(most_cpu + slack));
	printf("duration %llu %llu\n", (unsigned long long)least_wall,
	       (unsigned long long)(most_wall + slack));
	printf("runnable %llu %llu\n",
	       (unsigned long long)(asleep ? 0 : less(less(least_wall, most_cpu), slack)),
	       (unsigned long long)(less(off, least_asleep) + slack));
	printf("sleeping %llu %llu\n",
	       asleep && !strcmp(asleep, "sleeping") ? (unsigned long long)least_asleep : 0ULL,
	       asleep && !strcmp(asleep, "sleeping") ? (unsigned long long)(off + slack) : 0ULL);
	printf("blocked %llu %llu\n",
	       asleep && !strcmp(asleep, "blocked") ? (unsigned long long)least_asleep : 0ULL,
	       asleep && !strcmp(asleep, "blocked") ? (unsigned long long)(off + slack) : 0ULL);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 1;
	const size_t n_cases = sizeof(cases) / sizeof(*cases);
	pthread_t thread;
	uint64_t steal;
	size_t i;

	for (i = 0; i < n_cases && (argc < 2 || strcmp(argv[1], cases[i].name)); i++)
		;
	if (i == n_cases)
		return 2;
	body = cases[i].body;
	signal(SIGCHLD, SIG_IGN); /* nobody waits for children */
	if (!strcmp(cases[i].name, "preempted")) {
		pin(0);
		if (pthread_create(&thread, NULL, presses, NULL))
			return 2;
	}
	steal = stolen();
	calls(n, cases[i].depth);
	steal = stolen() - steal;
	stop = 1;
	least_asleep = cases[i].asleep_ns * n * cases[i].depth;
	/* An interrupt, or a probe beside the call, in each. */
	tell(cases[i].asleep, 100000ULL * n * cases[i].depth, steal);
	return 0;
}
