// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_user.c - markers beside other threads, and beside a node that is stopped, reset and
 * started, at all points. Comes in: nothing, or how often as long to go on. Goes out: TAP. Called
 * by model.t.
 *
 * A thread does pairs of begin and end. At two points of it other things happen: user space does
 * the next steps of a reset, another thread does a pair, or the thread moves to another processor.
 * After a stop, at most one begin may be open in each thread: begun = recorded + given up + open.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kstats_user.h"
#include "user.h"

int model_getpid(void)
{
	static int pid;

	if (!pid)
		pid = getpid();
	return pid;
}

long model_syscall(long number, ...)
{
	long arg[3], i;
	va_list args;

	if (number == SYS_gettid)
		return model_getpid();
	va_start(args, number);
	for (i = 0; i < 3; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	return syscall(number, arg[0], arg[1], arg[2]);
}

#define THREADS 2
#define CPUS 2
#define RESET 7 /* steps */
#define PAIRS 4
#define BITS 0

/* ---- points ---- */

static __u64 at, next;
static void (*fire)(void);

static void point(void)
{
	if (fire && ++at == next)
		fire();
}

#define ACCESS(name)                 \
	void __tsan_##name(void *of) \
	{                            \
		point();             \
	}

ACCESS(read1)
ACCESS(read2)
ACCESS(read4)
ACCESS(read8)
ACCESS(write1)
ACCESS(write2)
ACCESS(write4)
ACCESS(write8)
ACCESS(write16)
ACCESS(unaligned_read8)
ACCESS(unaligned_write8)

void __tsan_init(void)
{
}

#define ATOMIC(bits, type)                                                                        \
	type __tsan_atomic##bits##_load(const volatile type *of, int order)                       \
	{                                                                                         \
		point();                                                                          \
		return *of;                                                                       \
	}                                                                                         \
	void __tsan_atomic##bits##_store(volatile type *of, type to, int order)                   \
	{                                                                                         \
		point();                                                                          \
		*of = to;                                                                         \
	}                                                                                         \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *of, type from, type to,    \
							int order, int other)                     \
	{                                                                                         \
		type old;                                                                         \
                                                                                                  \
		point();                                                                          \
		old = *of;                                                                        \
		if (old == from)                                                                  \
			*of = to;                                                                 \
		return old;                                                                       \
	}                                                                                         \
	int __tsan_atomic##bits##_compare_exchange_strong(volatile type *of, type *from, type to, \
							  int order, int other)                   \
	{                                                                                         \
		type old = __tsan_atomic##bits##_compare_exchange_val(of, *from, to, 0, 0);       \
		int done = old == *from;                                                          \
                                                                                                  \
		*from = old;                                                                      \
		return done;                                                                      \
	}

ATOMIC(32, __u32)
ATOMIC(64, __u64)

void __tsan_atomic_signal_fence(int order)
{
}

void *__tsan_memset(void *to, int byte, unsigned long n)
{
	return memset(to, byte, n);
}

void *__tsan_memcpy(void *to, const void *from, unsigned long n)
{
	return memcpy(to, from, n);
}

/* ---- a node, and what user space does with it ---- */

/*
 * The program runs on one CPU, really: only restartable sequences are safe from a stop. A move
 * changes no more than where it counts.
 */
static struct kstats_user_control control;
static char cells[CPUS][KSTATS_USER_CELL_SIZE(BITS)] __attribute__((aligned(64)));
static __u32 cpu, begins_on, moves;
static struct kstats_user_node node;
static __u32 version;
static __u64 sessions;
static int step; /* of a reset */

static void version_next(int changing)
{
	version = ((version + 1) & (KSTATS_USER_CHANGING - 1)) | KSTATS_USER_VERSION_BIT |
		  (changing ? KSTATS_USER_CHANGING : 0);
}

/* As src/node/user.c does it. */
static void reset_step(void)
{
	switch (step++) {
	case 0:
		control.session = 0;
		break;
	case 1:
		version_next(0);
		break;
	case 2:
	case 3:
		memset(cells[step - 3], 0, sizeof(*cells));
		break;
	case 4:
		version_next(1);
		break;
	case 5:
		control.session = ++sessions;
		break;
	case 6:
		version_next(0);
		break;
	}
}

static __u64 count_of(__u32 slot, __u32 n)
{
	__u64 sum = 0;
	int i;

	for (i = 0; i < CPUS; i++)
		for (__u32 j = 0; j < n; j++)
			sum += ((struct kstats_slot *)cells[i])[slot + j].samples;
	return sum;
}

/* ---- threads ---- */

static char *threads[THREADS]; /* what each keeps while another one runs */

static void other_thread(void)
{
	unsigned long size;
	void *mine = user_thread(&size);
	void (*was)(void) = fire;

	memcpy(threads[0], mine, size);
	memcpy(mine, threads[1], size);
	fire = NULL;
	user_pair();
	fire = was;
	memcpy(threads[1], mine, size);
	memcpy(mine, threads[0], size);
}

static void move(void)
{
	node.cells = cells[++moves % CPUS] - (__u64)cpu * sizeof(*cells);
}

/* ---- all placements ---- */

#define MOVE (-1)

static __u64 first_at, second_at;
static int first_steps, second_steps; /* of the reset; 0: the other thread does a pair; or MOVE */

static void happen(int steps)
{
	if (steps == MOVE)
		move();
	if (!steps)
		other_thread();
	while (steps-- > 0)
		reset_step();
}

static void fire_all(void)
{
	next = 0;
	if (at == first_at) {
		next = second_at;
		happen(first_steps);
	} else {
		happen(second_steps);
	}
}

static void begin(void)
{
	struct kstats_user_marker *m = user_marker();
	unsigned long size;
	int i;

	memset(user_thread(&size), 0, size);
	for (i = 0; i < THREADS; i++) {
		if (!threads[i])
			threads[i] = malloc(size);
		memset(threads[i], 0, size);
	}
	memset(cells, 0, sizeof(cells));
	control =
		(struct kstats_user_control){ .session = sessions = 1, .n_cpus = 1, .bits = BITS };
	node = (struct kstats_user_node){
		.control = &control, .n_cpus = cpu + 1, .cell_size = sizeof(*cells), .bits = BITS
	};
	moves = begins_on;
	move();
	version = KSTATS_USER_VERSION_BIT | 1;
	user_process(&version);
	m->node = &node;
	m->version = m->seen = 0;
	step = 0;
	at = 0;
	next = first_at;
}

static int is_wrong(char *text, size_t size)
{
	__u64 begun, ended, open;

	fire = NULL;
	while (step < RESET)
		reset_step();
	user_pair(); /* so that a begin that was left lies below others */
	begun = count_of(KSTATS_USER_BEGUN, 1);
	ended = count_of(KSTATS_USER_COUNTS, KSTATS_N_SLOTS(BITS)) +
		count_of(KSTATS_USER_NESTED, 1) + count_of(KSTATS_USER_LEFT, 1);
	open = begun - ended;
	if (!open)
		return 0;
	if (!text[0])
		snprintf(text, size,
			 "%llu begun = %llu ended + %lld while no thread is inside; "
			 "events at %llu: %d, at %llu: %d",
			 begun, ended, open, first_at, first_steps, second_at, second_steps);
	return 1;
}

static __u64 run(char *text, size_t size)
{
	int i;

	begin();
	fire = fire_all;
	for (i = 0; i < PAIRS; i++)
		user_pair();
	is_wrong(text, size);
	return at;
}

/* Where it begins matters only to moves. Return: how many runs this was. */
static int run_each(char *text, size_t size)
{
	int n = first_steps == MOVE || second_steps == MOVE ? CPUS : 1;

	for (begins_on = 0; begins_on < n; begins_on++)
		run(text, size);
	return n;
}

int main(void)
{
	__u64 points, runs = 0;
	char text[200] = "";
	cpu_set_t one;

	cpu = sched_getcpu();
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) || !&__rseq_size || !__rseq_size) {
		puts("not ok 1 - markers: no CPU of its own, or no restartable sequences\n1..1");
		return 1;
	}
	first_at = second_at = begins_on = 0;
	points = run(text, sizeof(text));
	for (first_at = 1; first_at <= points; first_at++)
		for (first_steps = MOVE; first_steps <= RESET; first_steps++)
			for (second_at = first_at + 1; second_at <= points + 60; second_at++)
				for (second_steps = MOVE; second_steps <= RESET; second_steps++)
					runs += run_each(text, sizeof(text));
	printf("%s 1 - markers beside a reset, another thread and moves: %llu runs\n",
	       text[0] ? "not ok" : "ok", runs);
	if (text[0])
		printf("# %s\n", text);
	printf("1..1\n");
	return !!text[0];
}
