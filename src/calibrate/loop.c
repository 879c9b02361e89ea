// SPDX-License-Identifier: GPL-2.0-only
/* loop.c - the calls that are measured. */
#include "calibrate/priv.h"
#include "util/arch.h"
#include "util/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LINE 64 /* bytes of a cache line */
#define COLD_NS 1000000
#define BUFFER_MIN (1UL << 20)
#define BUFFER_MAX (8UL << 20)

/* ---- life ---- */

static size_t buffer_size(void)
{
	long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
	size_t size = cache > 0 ? 2 * (size_t)cache : BUFFER_MAX / 2;

	return size < BUFFER_MIN ? BUFFER_MIN : size > BUFFER_MAX ? BUFFER_MAX : size;
}

int loop_open(struct loop *l, struct error *e)
{
	cpu_set_t one;
	int cpu = sched_getcpu();

	*l = (struct loop){ .fd = -1, .size = buffer_size() };
	if (cpu < 0 || sched_getaffinity(0, sizeof(l->cpus), &l->cpus))
		goto fail;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	l->buffer = calloc(1, l->size);
	if (!l->buffer || sched_setaffinity(0, sizeof(one), &one))
		goto fail;
	l->fd = eventfd(0, EFD_CLOEXEC);
	if (l->fd >= 0)
		return 0;
fail:
	return error_set(e, EXIT_KERNEL, -errno, NULL, NULL, "cannot calibrate");
}

void loop_close(struct loop *l)
{
	if (l->fd >= 0)
		close(l->fd);
	if (l->buffer)
		sched_setaffinity(0, sizeof(l->cpus), &l->cpus);
	free((void *)l->buffer);
	*l = (struct loop){ .fd = -1 };
}

/* ---- one call ---- */

/*
 * They are in code_*.c. The build keeps these names in the table of dynamic symbols, which files
 * keep when stripped.
 */
void calibrate_on_nop(void);
void calibrate_on_long(void);
void calibrate_on_push(void);
void calibrate_on_jump(void);
void calibrate_on_step(void);
void calibrate_on_begin(void);
void calibrate_on_end(void);

static const struct {
	const char *name;
	void (*call)(void);
} functions[LOOP_TARGETS] = {
	[LOOP_NOP] = { "calibrate_on_nop", calibrate_on_nop },
	[LOOP_LONG_NOP] = { "calibrate_on_long", calibrate_on_long },
	[LOOP_PUSH] = { "calibrate_on_push", calibrate_on_push },
	[LOOP_JUMP] = { "calibrate_on_jump", calibrate_on_jump },
	[LOOP_STEPPED] = { "calibrate_on_step", calibrate_on_step },
	[LOOP_MARKS] = { "calibrate_on_begin", calibrate_on_begin },
};

const char *loop_name(enum loop_target target, bool end)
{
	return end ? "calibrate_on_end" : functions[target].name;
}

static void loop_call(const struct loop *l, enum loop_target target)
{
	if (functions[target].call)
		functions[target].call();
	else
		lseek(target == LOOP_SEEK ? l->fd : -1, 0, SEEK_CUR);
}

/* ---- hot ---- */

static int loop_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), loop_by_value);
	return n & 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double loop_hot(const struct loop *l, enum loop_target target, unsigned int chunks)
{
	unsigned int calls = loop_chunk(target), i, k;
	double ns[LOOP_CHUNKS];
	uint64_t before;

	for (i = 0; i < chunks; i++) {
		before = clock_ns(CLOCK_MONOTONIC);
		for (k = 0; k < calls; k++)
			loop_call(l, target);
		ns[i] = (double)(clock_ns(CLOCK_MONOTONIC) - before) / calls;
	}
	return median(ns, chunks);
}

/* ---- cold ---- */

/* One jump in each of this many lines evicts all other code from the first cache. */
static __attribute__((noinline)) void evict_code(void)
{
	asm volatile(".p2align 6\n"
		     ".rept 1024\n" ARCH_JUMP " 1f\n"
		     ".p2align 6\n"
		     "1:\n"
		     ".endr\n");
}

static void make_cold(const struct loop *l)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + COLD_NS;
	size_t i;

	do {
		for (i = 0; i < l->size; i += LINE)
			l->buffer[i]++;
		evict_code();
	} while (clock_ns(CLOCK_MONOTONIC) < until);
}

double loop_cold(const struct loop *l, enum loop_target target)
{
	double calls[LOOP_COLD_CALLS];
	uint64_t before;
	int i;

	for (i = 0; i < LOOP_COLD_CALLS; i++) {
		make_cold(l);
		before = clock_ns(CLOCK_MONOTONIC);
		loop_call(l, target);
		calls[i] = clock_ns(CLOCK_MONOTONIC) - before;
	}
	return median(calls, LOOP_COLD_CALLS);
}
