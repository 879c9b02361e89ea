// SPDX-License-Identifier: GPL-2.0-only
/*
 * uprobes.c - a program whose functions are called known numbers of times, which uprobes.sh
 * lists. "all LIBRARY" does everything; "work" calls up_work() and malloc() until its input
 * ends, "guarded" passes static probes that are only reached while their semaphores say that
 * somebody listens, "yield" runs two coroutines, "preempt N" lets one thread preempt another,
 * "writable" makes its code writable, and "hold" keeps pinned objects open.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "kstats_user.h"

#define MARK __attribute__((noinline, noclone, used))

/* One for each way in which the kernel treats the instruction under a probe. */
void up_nop(void);
void up_push(void);
void up_step(void);
void up_tail(void);
void up_self(int n);
asm(".text\n.globl up_nop, up_push, up_step, up_tail, up_tailed, up_self\n"
    ".type up_nop, @function\nup_nop: nop\nret\n"
    ".type up_push, @function\nup_push: push %rbx\npop %rbx\nret\n"
    ".type up_step, @function\nup_step: endbr64\nret\n"
    ".type up_tail, @function\nup_tail: nop\njmp up_tailed\n"
    ".type up_tailed, @function\nup_tailed: nop\nret\n"
    ".type up_self, @function\nup_self: nop\ndec %edi\njg up_self\nret\n");

/*
 * A static probe whose arguments are in a register, with and without sign, in memory, a number, and
 * where no number is: the first is -i % 11, the second is i.
 */
void up_spot(int minus, long i);
asm(".type up_spot, @function\nup_spot: mov %di, -24(%rsp)\n990: nop\nret\n"
    ".pushsection .note.stapsdt, \"\", \"note\"\n.balign 4\n"
    ".4byte 992f - 991f, 994f - 993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"
    "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte 0\n.asciz \"spots\"\n.asciz \"spot\"\n"
    ".asciz \"-4@%edi 8@%rsi -2@-24(%rsp) 4@$-1 1@%sil 4f@%xmm0 8@-8(%rax,%rbx,4)\"\n"
    "994: .balign 4\n.popsection\n");

static volatile int sink;

/*
 * Jobs that one thread puts and another takes. The number is in a register where a job is put,
 * and in memory, narrower and with sign, at the static probe where it is taken.
 */
void up_put(long job);
void up_take(const char *who, long job);
asm(".text\n.globl up_put, up_take\n"
    ".type up_put, @function\nup_put: nop\n990: nop\nret\n"
    ".type up_take, @function\nup_take: mov %esi, -24(%rsp)\n995: nop\nret\n"
    ".pushsection .note.stapsdt, \"\", \"note\"\n.balign 4\n"
    ".4byte 992f - 991f, 994f - 993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"
    "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte 0\n.asciz \"jobs\"\n.asciz \"put\"\n"
    ".asciz \"8@%rdi\"\n994: .balign 4\n"
    ".4byte 992b - 991b, 999f - 998f, 3\n.asciz \"stapsdt\"\n.balign 4\n"
    "998: .8byte 990b\n.8byte _.stapsdt.base\n.8byte 0\n.asciz \"other\"\n.asciz \"put\"\n"
    ".asciz \"\"\n999: .balign 4\n"
    ".4byte 992b - 991b, 997f - 996f, 3\n.asciz \"stapsdt\"\n.balign 4\n"
    "996: .8byte 995b\n.8byte _.stapsdt.base\n.8byte 0\n.asciz \"jobs\"\n.asciz \"take\"\n"
    ".asciz \"8@%rdi -4@-24(%rsp) 4f@%xmm0\"\n997: .balign 4\n.popsection\n");

MARK long up_args(long a, long b, int c, unsigned char d, long e, long f)
{
	asm volatile("" : : "r"(c), "r"(d), "r"(e), "r"(f));
	return 2 * a - b;
}

MARK int up_text(const char *name, int n)
{
	asm volatile("" : : "r"(name), "r"(n));
	return n;
}

struct two {
	long a, b;
};

MARK void up_mixed(double d, int size, struct two by_value, int after)
{
	asm volatile("" : : "x"(d), "r"(size), "r"(by_value.a), "r"(after));
}

MARK void up_recursive(int n)
{
	if (n > 1)
		up_recursive(n - 1);
	sink++;
}

MARK void up_deep(int n)
{
	if (n > 1)
		up_deep(n - 1);
	sink++;
}

MARK void up_very_deep(int n)
{
	if (n > 1)
		up_very_deep(n - 1);
	sink++;
}

/* 300 functions, of which number i is called i % 7 + 1 times, and returns i + 100. */
#define MANY(n)                 \
	MARK int many_##n(void) \
	{                       \
		sink++;         \
		return n;       \
	}
#define ALL_10(do, h) \
	do            \
	(h##0) do(h##1) do(h##2) do(h##3) do(h##4) do(h##5) do(h##6) do(h##7) do(h##8) do(h##9)
#define ALL_100(do, h)                                                                       \
	ALL_10(do, h##0)                                                                     \
	ALL_10(do, h##1) ALL_10(do, h##2) ALL_10(do, h##3) ALL_10(do, h##4) ALL_10(do, h##5) \
		ALL_10(do, h##6) ALL_10(do, h##7) ALL_10(do, h##8) ALL_10(do, h##9)
#define CALL(n) many_##n,
ALL_100(MANY, 1)
ALL_100(MANY, 2) ALL_100(MANY, 3)

	static void many(void)
{
	int (*const calls[])(void) = { ALL_100(CALL, 1) ALL_100(CALL, 2) ALL_100(CALL, 3) };
	unsigned int i, j;

	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		for (j = 0; j <= i % 7; j++)
			calls[i]();
}

static jmp_buf out;

MARK void up_jump(int n)
{
	sink++;
	if (n % 2)
		longjmp(out, 1);
}

MARK void up_thread(void)
{
	sink++;
}

MARK void up_leave(void)
{
	sink++;
	syscall(SYS_exit, 0);
}

MARK void up_child(void)
{
	sink++;
}

MARK int up_fork(void)
{
	int pid = fork();

	sink++;
	return pid;
}

MARK void up_exec(char *self)
{
	execl(self, self, "after", NULL);
	sink++;
}

MARK void up_after(void)
{
	sink++;
}

MARK void up_signal(void)
{
	sink++;
}

MARK void up_nap(int n)
{
	usleep(20000);
	if (n)
		up_nap(n - 1);
}

MARK void up_marks(int fd)
{
	char byte;

	KSTATS_BEGIN(mark);
	if (read(fd, &byte, 1) == 1)
		sink++;
	KSTATS_END(mark);
}

MARK void up_other_marks(void)
{
	KSTATS_BEGIN(mark);
	KSTATS_END(mark);
}

MARK void up_work(void)
{
	sink++;
}

/* They are counted up by those who listen, in pages of the file. */
__attribute__((section(".probes"))) unsigned short guarded_begin, guarded_end;
/* This one is in no file. */
unsigned short guarded_lost;

/* Static probes whose notes name a semaphore. */
#define GUARDED(name)                                                                  \
	do {                                                                           \
		if (!*(volatile unsigned short *)&guarded_##name)                      \
			break;                                                         \
		asm volatile("990: nop\n.pushsection .note.stapsdt, \"?\", \"note\"\n" \
			     ".balign 4\n.4byte 992f - 991f, 994f - 993f, 3\n"         \
			     "991: .asciz \"stapsdt\"\n992: .balign 4\n"               \
			     "993: .8byte 990b\n.8byte _.stapsdt.base\n"               \
			     ".8byte guarded_" #name "\n.asciz \"guarded\"\n"          \
			     ".asciz \"" #name "\"\n.asciz \"\"\n"                     \
			     "994: .balign 4\n.popsection\n");                         \
	} while (0)

MARK void up_guarded(void)
{
	GUARDED(begin);
	GUARDED(end);
	GUARDED(lost);
}

static void allocate(int n)
{
	char *volatile got;

	while (n--) {
		got = malloc(10);
		free(got);
	}
}

static void *thread(void *unused)
{
	int i;

	for (i = 0; i < 211; i++)
		up_thread();
	return unused;
}

static void *leave(void *unused)
{
	up_leave();
	return unused;
}

static void threads(int n, void *(*run)(void *))
{
	pthread_t ids[16];
	int i;

	for (i = 0; i < n; i++)
		pthread_create(&ids[i], NULL, run, NULL);
	for (i = 0; i < n; i++)
		pthread_join(ids[i], NULL);
}

static void jumps(void)
{
	volatile int i;

	for (i = 0; i < 31; i++)
		if (!setjmp(out))
			up_jump(i);
}

static void forks(void)
{
	int i, j, pid;

	for (i = 0; i < 7; i++) {
		pid = up_fork();
		for (j = 0; !pid && j < 13; j++)
			up_child();
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

static volatile int handled, no_more;

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Asked for when a handler that took some time is done, so that its program goes on. */
static void next_signal(long took)
{
	const struct itimerval soon = { { 0, 0 },
					{ 0, took < 500000 ? 500 : took / 1000 % 1000000 } };

	if (!no_more)
		setitimer(ITIMER_REAL, &soon, NULL);
}

static void handle(int signal)
{
	long begin = now_ns();

	handled++;
	up_signal();
	next_signal(now_ns() - begin);
}

static void signals(void)
{
	struct itimerval never = {};
	int i;

	signal(SIGALRM, handle);
	next_signal(0);
	for (i = 0; i < 1009; i++)
		up_signal();
	no_more = 1;
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%d\n", handled);
}

static void load(const char *library)
{
	void (*call)(void);
	void *handle;
	int i, j;

	for (i = 0; i < 5; i++) {
		handle = dlopen(library, RTLD_NOW);
		call = handle ? (void (*)(void))dlsym(handle, "lib_call") : NULL;
		for (j = 0; call && j < 23; j++)
			call();
		dlclose(handle);
	}
}

static void args(void)
{
	int i;

	for (i = 0; i < 1009; i++) {
		up_args(i % 7, i % 5, -i, i % 3, 100 + i % 2, 6);
		up_spot(-(i % 11), i);
		up_mixed(i, -(i % 5), (struct two){ i, i }, i % 3);
	}
}

/* Names of files that are not there, the last one of 100 bytes, and what is no name. */
static void text(void)
{
	char last[] = "/tmp/up/0123456789012345678901234567890123456789"
		      "0123456789012345678901234567890123456789012345678901";
	const char *const names[] = { "/up/first", "/up/second", last, (char *)8 };
	static const int times[] = { 101, 57, 33, 7 };
	int i, n;

	for (i = 0; i < 4; i++) {
		for (n = 0; n < times[i]; n++) {
			up_text(names[i], n);
			syscall(SYS_openat, AT_FDCWD, names[i], O_RDONLY, 0);
		}
	}
}

#define JOBS 997
#define JOB(i) ((i)-JOBS / 2) /* half of the numbers are negative */

/* Of each seven jobs one is put twice, of each ten one is not taken, and 31 were never put. */
static void *put_jobs(void *unused)
{
	int i;

	for (i = 0; i < JOBS; i++) {
		up_put(JOB(i));
		if (i % 7 == 3)
			up_put(JOB(i));
	}
	return unused;
}

static void *take_jobs(void *unused)
{
	int i;

	for (i = JOBS + 30; i >= 0; i--)
		if (i >= JOBS || i % 10 != 9)
			up_take("another", JOB(i));
	return unused;
}

static void *do_jobs(void *unused)
{
	static int n;
	int first = 1000000 * __sync_add_and_fetch(&n, 1), i;

	for (i = 0; i < 503; i++) {
		up_put(first + i);
		up_take("itself", first + i);
	}
	return unused;
}

#define URGENT 10000000 /* the first of the urgent jobs */

static volatile int slow_ended;
static long slow_jobs, urgent_jobs;

static void do_job(long job)
{
	up_put(job);
	up_take("itself", job);
}

static void *do_slow(void *unused)
{
	int i;

	for (i = 0; i < slow_jobs; i++)
		do_job(i);
	slow_ended = 1;
	return unused;
}

/* Preempts the slow thread wherever it is, in the probes of its jobs too. */
static void *do_urgent(void *unused)
{
	struct sched_param first = { .sched_priority = 1 };
	struct timespec soon = { .tv_nsec = 50000 };
	long began, took;

	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &first))
		exit(1);
	while (!slow_ended) {
		nanosleep(&soon, NULL);
		began = now_ns();
		do_job(URGENT + urgent_jobs++);
		/* The slow thread has no less time, however slow the machine is. */
		took = now_ns() - began;
		soon.tv_nsec = took < 50000 ? 50000 : took > 50000000 ? 50000000 : took;
	}
	return unused;
}

/* Print how many jobs were done, and the sum of their numbers. @n: those of the slow thread */
static void preempt(long n)
{
	pthread_t slow, urgent;
	cpu_set_t one;

	slow_jobs = n;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		exit(1);
	pthread_create(&urgent, NULL, do_urgent, NULL);
	pthread_create(&slow, NULL, do_slow, NULL);
	pthread_join(slow, NULL);
	pthread_join(urgent, NULL);
	printf("%ld %ld\n", n + urgent_jobs,
	       n * (n - 1) / 2 + URGENT * urgent_jobs + urgent_jobs * (urgent_jobs - 1) / 2);
}

static ucontext_t home, turns[2];

/* A call ends on its own stack, after another one has begun and slept on the other stack. */
MARK void up_yield(int mine)
{
	if (!mine)
		usleep(5000);
	swapcontext(&turns[mine], &turns[!mine]);
	sink++;
}

static void take_turns(int mine)
{
	int i;

	for (i = 0; i < 13; i++)
		up_yield(mine);
}

#define STACK 65536UL

/* @upper: which of the two has the stack at the higher address; @apart: by how much */
static void yield(int upper, size_t apart)
{
	char *stacks = mmap(NULL, apart + 2 * STACK, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int i;

	if (stacks == MAP_FAILED || mprotect(stacks, STACK, PROT_READ | PROT_WRITE) ||
	    mprotect(stacks + apart / STACK * STACK, 2 * STACK, PROT_READ | PROT_WRITE))
		exit(1);
	for (i = 0; i < 2; i++) {
		getcontext(&turns[i]);
		turns[i].uc_stack.ss_sp = stacks + (i == upper ? apart : 0);
		turns[i].uc_stack.ss_size = STACK;
		turns[i].uc_link = &home;
		makecontext(&turns[i], (void (*)(void))take_turns, 1, i);
	}
	swapcontext(&home, &turns[0]);
}

static void calls(char *self, const char *library)
{
	int i, zero = open("/dev/zero", O_RDONLY);

	for (i = 0; i < 101; i++) {
		up_nop();
		up_push();
		up_step();
		up_tail();
	}
	up_self(3);
	for (i = 0; i < 3; i++)
		up_recursive(11);
	up_deep(20);
	up_very_deep(100);
	jumps();
	threads(8, thread);
	threads(3, leave);
	forks();
	signals();
	load(library);
	up_nap(2);
	for (i = 0; i < 19; i++)
		up_marks(zero);
	up_other_marks();
	fflush(stdout);
	up_exec(self);
}

/* Keep what is pinned at the paths open until the input ends. */
static int hold(char **paths)
{
	union bpf_attr attr = {};
	char byte;

	for (; *paths; paths++) {
		attr.pathname = (__u64)*paths;
		if (syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr)) < 0)
			return 1;
	}
	puts("held");
	fflush(stdout);
	return read(0, &byte, 1);
}

int main(int argc, char **argv)
{
	char byte;
	int i;

	if (argc == 3 && !strcmp(argv[1], "all")) {
		calls(argv[0], argv[2]);
	} else if (argc == 2 && !strcmp(argv[1], "after")) {
		for (i = 0; i < 17; i++)
			up_after();
	} else if (argc == 2 && !strcmp(argv[1], "crash")) {
		for (i = 0; i < 17; i++)
			up_after();
		raise(SIGILL);
	} else if (argc == 2 && !strcmp(argv[1], "work")) {
		while (read(0, &byte, 1) == 1) {
			for (i = 0; i < 103; i++)
				up_work();
			allocate(7);
			if (write(1, &byte, 1) != 1)
				return 1;
		}
	} else if (argc == 2 && !strcmp(argv[1], "writable")) {
		if (mprotect((void *)((unsigned long)up_work & -4096UL), 8192,
			     PROT_READ | PROT_WRITE | PROT_EXEC))
			return 1;
		puts("ready");
		fflush(stdout);
		while (read(0, &byte, 1) == 1)
			up_work();
	} else if (argc == 2 && !strcmp(argv[1], "args")) {
		args();
	} else if (argc == 2 && !strcmp(argv[1], "text")) {
		text();
	} else if (argc == 2 && !strcmp(argv[1], "jobs")) {
		threads(1, put_jobs);
		threads(1, take_jobs);
		threads(4, do_jobs);
	} else if (argc == 3 && !strcmp(argv[1], "preempt")) {
		preempt(atol(argv[2]));
	} else if (argc > 2 && !strcmp(argv[1], "hold")) {
		return hold(argv + 2);
	} else if (argc == 2 && !strcmp(argv[1], "many")) {
		many();
	} else if (argc == 2 && !strcmp(argv[1], "guarded")) {
		while (read(0, &byte, 1) == 1) {
			for (i = 0; i < 107; i++)
				up_guarded();
			printf("%d %d\n", guarded_begin, guarded_end);
			fflush(stdout);
		}
	} else if (argc == 4 && !strcmp(argv[1], "yield")) {
		yield(atoi(argv[2]), strtoul(argv[3], NULL, 0));
	} else if (argc == 3 && !strcmp(argv[1], "load")) {
		load(argv[2]);
	} else {
		return 2;
	}
	return 0;
}
