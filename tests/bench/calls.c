// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls.c - what a call costs while something is attached to it. Comes in: what
 * to attach itself ("none", "empty", "clocks", "leak", and for memory "events", "probes" or
 * "links"), what to call ("getpgid",
 * whose tracepoints are meant, "syscall" for the function of the kernel behind it,
 * "function" for kt_empty(), "memory" for kmalloc() and kfree(), or "marker" for the
 * example of a marker in a module), how many calls,
 * and on how many CPUs at once. Goes out: ns for each call, of the slowest CPU, in
 * time that the caller itself was running: what else runs on the machine does not
 * count. Calls of a module are made in parts, each shorter than a tick, and the
 * cheapest counts: in a guest that counts instructions it has nothing else in it,
 * where a task's own time has what the kernel takes for interrupts before it. Called
 * by the scripts beside it.
 */
#include <bpf/libbpf.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "limit.skel.h"

#define CPUS_MAX 64
#define PARTS 40

enum kind {
	GETPGID,
	SYSCALL,
	FUNCTION,
	MEMORY,
	MARKER,
	KINDS
};

static const struct {
	const char *name;
	char section; /* how the sections begin of the programs for it */
	const char *file; /* whose writer makes the calls */
} kinds[] = {
	[GETPGID] = { "getpgid", 't', NULL },
	[SYSCALL] = { "syscall", 'f', NULL },
	[FUNCTION] = { "function", 'f', "/sys/kernel/debug/kstats_target/empty" },
	[MEMORY] = { "memory", 'r', "/sys/kernel/debug/kstats_memory/cost" },
	[MARKER] = { "marker", '-', "/sys/module/kernel_marker/parameters/run" },
};

struct loop {
	pthread_t thread;
	pthread_barrier_t *begin;
	enum kind kind;
	unsigned long calls;
	int cpu;
	double ns; /* for each call; negative: it failed */
};

static double now_ns(const struct loop *l)
{
	struct timespec ts;

	clock_gettime(l->kind != GETPGID ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/* A module makes the calls, all within one write. */
static int call_file(const char *name, unsigned long calls)
{
	FILE *f = fopen(name, "w");

	if (!f)
		return -1;
	return (fprintf(f, "%lu\n", calls) < 0) | fclose(f);
}

static int call(const struct loop *l, unsigned long calls)
{
	unsigned long i;

	if (kinds[l->kind].file)
		return call_file(kinds[l->kind].file, calls);
	for (i = 0; i < calls; i++)
		syscall(SYS_getpgid, 0);
	return 0;
}

static void *run(void *arg)
{
	struct loop *l = arg;
	int parts = l->kind != GETPGID ? PARTS : 1, i, err;
	cpu_set_t set;
	double begin, ns;

	CPU_ZERO(&set);
	CPU_SET(l->cpu, &set);
	err = sched_setaffinity(0, sizeof(set), &set);
	err |= call(l, l->calls / 10 + 1);
	pthread_barrier_wait(l->begin);
	for (i = 0; i < parts; i++) {
		begin = now_ns(l);
		err |= call(l, l->calls / parts);
		ns = (now_ns(l) - begin) / (l->calls / parts);
		if (!i || ns < l->ns)
			l->ns = ns;
	}
	if (err)
		l->ns = -1;
	return NULL;
}

/* Programs for memory by other hooks have names of their own, so their sections are not asked. */
static bool is_meant(const struct bpf_program *p, const char *what, enum kind kind)
{
	char section = *bpf_program__section_name(p);

	return !strncmp(bpf_program__name(p), what, strlen(what)) &&
	       (section == kinds[kind].section || (kind == MEMORY && section != 'f'));
}

/* Of one kind: empty, clocks, events, probes, links or leak; on one kind of call. */
static int attach(const char *what, enum kind kind)
{
	struct limit_bpf *skel = limit_bpf__open();
	struct bpf_program *p;
	struct bpf_map *m;

	if (!skel)
		return -1;
	bpf_object__for_each_map(m, skel->obj) bpf_map__set_autocreate(m, !strcmp(what, "leak"));
	bpf_object__for_each_program(p, skel->obj)
	{
		bpf_program__set_autoload(p, is_meant(p, what, kind));
		if (kind == SYSCALL && bpf_program__autoload(p))
			bpf_program__set_attach_target(p, 0, "__x64_sys_getpgid");
	}
	return limit_bpf__load(skel) || limit_bpf__attach(skel) ? -1 : 0;
}

static int measure(enum kind kind, unsigned long calls, int cpus)
{
	struct loop loops[CPUS_MAX];
	pthread_barrier_t begin;
	double worst = 0;
	int i;

	pthread_barrier_init(&begin, NULL, cpus);
	for (i = 0; i < cpus; i++) {
		loops[i] = (struct loop){ .begin = &begin, .kind = kind, .calls = calls, .cpu = i };
		if (pthread_create(&loops[i].thread, NULL, run, &loops[i]))
			return -1;
	}
	for (i = 0; i < cpus; i++) {
		pthread_join(loops[i].thread, NULL);
		if (loops[i].ns < 0)
			return -1;
		worst = loops[i].ns > worst ? loops[i].ns : worst;
	}
	printf("%.2f\n", worst);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long calls = argc == 5 ? strtoul(argv[3], NULL, 10) : 0;
	int cpus = argc == 5 ? atoi(argv[4]) : 0;
	enum kind kind = 0;

	while (argc == 5 && kind < KINDS && strcmp(argv[2], kinds[kind].name))
		kind++;
	if (kind == KINDS || calls < PARTS || cpus < 1 || cpus > CPUS_MAX) {
		fprintf(stderr,
			"usage: calls none|empty|clocks|events|probes|links|leak getpgid|syscall|function|memory CALLS CPUS (CALLS a multiple of 40)\n");
		return 2;
	}
	if (strcmp(argv[1], "none") && attach(argv[1], kind)) {
		fprintf(stderr, "bench/calls: cannot attach '%s'\n", argv[1]);
		return 1;
	}
	if (measure(kind, calls, cpus)) {
		fprintf(stderr, "bench/calls: cannot make the calls\n");
		return 1;
	}
	return 0;
}
