// SPDX-License-Identifier: GPL-2.0-only
/*
 * why.c - calls of which it is known why some are slow. Comes in: a case and the number of calls.
 * Each SLOW-th call is slow. Built and called by why-run, which looks at call() of it, or at
 * vfs_read().
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ULL
#define SLOW 37
#define SLOW_MS 8

static int ask[2], answer[2], zero, kmsg, answer_ms = SLOW_MS;
static const char *procs; /* where the control group takes its processes; of slowly(), its notes */
static volatile int stop;
static jmp_buf out;

static unsigned long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

static void rest(unsigned long long ns)
{
	const struct timespec t = { 0, ns };

	nanosleep(&t, NULL);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

__attribute__((noinline)) void burns(void)
{
	unsigned long long begin = now(CLOCK_THREAD_CPUTIME_ID);

	while (now(CLOCK_THREAD_CPUTIME_ID) - begin < SLOW_MS * MS)
		;
}

static void reads(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		exit(1);
}

/* ---- what makes calls slow ---- */

static void quick(void)
{
	reads(zero);
}

/* The other thread answers after a while. */
static void sleeps(void)
{
	if (write(ask[1], "", 1) != 1)
		exit(1);
	reads(answer[0]);
}

static void spins(void)
{
	burns();
}

/* For longer than an emulator stops. */
static void spins_on(void)
{
	int i;

	for (i = 0; i < 4; i++)
		burns();
}

static void *answers(void *unused)
{
	prctl(PR_SET_NAME, "planted-waker");
	for (;;) {
		reads(ask[0]);
		rest(answer_ms * MS);
		if (write(answer[1], "", 1) != 1)
			exit(1);
	}
	return NULL;
}

/* Comes while the call is on the processor, since that is the only time that it waits for. */
static void *presses(void *unused)
{
	const struct sched_param high = { .sched_priority = 50 };

	prctl(PR_SET_NAME, "planted-rt");
	pin(0);
	sched_setscheduler(0, SCHED_FIFO, &high);
	while (!stop) {
		reads(ask[0]);
		rest(MS);
		burns();
	}
	return NULL;
}

/* It asks, and is in the middle of its own work when the other one presses, a late one too. */
static void preempted(void)
{
	unsigned long long begin = now(CLOCK_MONOTONIC);

	if (write(ask[1], "", 1) != 1)
		exit(1);
	while (now(CLOCK_MONOTONIC) - begin < SLOW_MS * MS)
		;
}

static void rings(int signal)
{
}

/*
 * Reads what does not come, until an alarm: meanwhile it has the mutex of the file's place. For
 * longer than a task waits for a processor, even in an emulator that has few of them itself.
 */
static void *holds(void *unused)
{
	const struct sigaction alarm = { .sa_handler = rings };
	const struct itimerval soon = { .it_value.tv_usec = 8 * SLOW_MS * 1000 };
	char text[8192];

	prctl(PR_SET_NAME, "planted-waker");
	sigaction(SIGALRM, &alarm, NULL);
	for (;;) {
		reads(ask[0]);
		setitimer(ITIMER_REAL, &soon, NULL);
		if (read(kmsg, text, sizeof(text)) > 0)
			continue;
	}
	return NULL;
}

/* No other thread takes the alarm. */
static void locks(void)
{
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	if (write(ask[1], "", 1) != 1)
		exit(1);
	/* The other one needs a processor to get there: more than a millisecond, in an emulator. */
	rest(SLOW_MS * MS);
	lseek(kmsg, 0, SEEK_CUR);
}

/* The first one never returns, and has waited longer than all that follow. */
static void jumps(void)
{
	static int turn;

	if (turn++) {
		sleeps();
		return;
	}
	rest(10 * SLOW_MS * MS);
	longjmp(out, 1);
}

__attribute__((noinline)) void call(void (*body)(void))
{
	body();
}

static const struct {
	const char *name;
	void (*body)(void);
	void *(*other)(void *);
} cases[] = {
	{ "sleeps", sleeps, answers },
	{ "jumps", jumps, answers },
	{ "spins", spins, NULL },
	{ "preempted", preempted, presses },
	{ "locks", locks, holds },
};

static void calls(int n, void (*body)(void))
{
	volatile int i;

	for (i = 1; i <= n; i++)
		if (!setjmp(out))
			call(i % SLOW ? quick : body);
}

/* All read one pipe into one place; those that ask for seven bytes are slow. */
static void sevens(int n)
{
	static char bytes[7];
	pthread_t thread;
	int i, slow;

	pin(0);
	if (pthread_create(&thread, NULL, answers, NULL))
		exit(2);
	for (i = 1; i <= n; i++) {
		slow = !(i % SLOW);
		if (write(slow ? ask[1] : answer[1], "", 1) != 1 ||
		    read(answer[0], bytes, slow ? sizeof(bytes) : 1) != 1)
			exit(1);
	}
}

/* The same; those that come right behind a slow one ask for three bytes. */
static void after(int n)
{
	static char bytes[7];
	pthread_t thread;
	int i, slow;

	pin(0);
	if (pthread_create(&thread, NULL, answers, NULL))
		exit(2);
	for (i = 1; i <= n; i++) {
		slow = !(i % SLOW);
		if (write(slow ? ask[1] : answer[1], "", 1) != 1 ||
		    read(answer[0], bytes, slow ? sizeof(bytes) : i % SLOW == 1 ? 3 : 1) != 1)
			exit(1);
	}
}

/* On two processors in turn; slow on one of them alone. */
static void elsewhere(int n)
{
	int i;

	for (i = 0; i < n; i++) {
		pin(i % 2);
		call(i % (2 * SLOW) == 1 ? spins : quick);
	}
}

/*
 * On two processors; some of those that ask for seven bytes on one of them are slow, by more than
 * an emulator stops for.
 */
static void sevens_elsewhere(int n)
{
	static char bytes[7];
	pthread_t thread;
	unsigned int seed = 1, dice;
	bool seven;
	int i, slow, cpu;

	answer_ms = 4 * SLOW_MS;
	if (pthread_create(&thread, NULL, answers, NULL))
		exit(2);
	for (i = 0; i < n; i++) {
		dice = rand_r(&seed) >> 3;
		cpu = dice % 2;
		seven = dice / 2 % 3 == 0;
		slow = cpu && seven && dice / 6 % 5 == 0;
		pin(cpu);
		rest(MS);
		if (write(slow ? ask[1] : answer[1], "", 1) != 1 ||
		    read(answer[0], bytes, seven ? sizeof(bytes) : 1) != 1)
			exit(1);
	}
}

/* Slow ones find nothing to read for some time, and say so; the others read much. */
static void errors(int n)
{
	const struct timeval wait = { 0, 4 * SLOW_MS * 1000 };
	static char much[65536];
	int ends[2], i;

	pin(0);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ||
	    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		exit(2);
	for (i = 1; i <= n; i++) {
		rest(MS);
		if ((i % SLOW && write(ends[1], much, sizeof(much)) < 0) ||
		    (read(ends[0], much, sizeof(much)) < 0 && errno != EAGAIN))
			exit(1);
	}
}

/* Four processes of one name, two of them in a control group; these have slow calls. */
static void group(int n)
{
	FILE *f;
	int i;

	for (i = 0; i < 4; i++) {
		if (fork())
			continue;
		f = i < 2 ? fopen(procs, "w") : NULL;
		if (i < 2 && (!f || fprintf(f, "%d\n", getpid()) < 0 || fclose(f)))
			_exit(2);
		pin(i % 2);
		calls(n, i < 2 ? spins_on : quick);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
}

/* Two processes of other names, on a processor each; the second has three times the calls. */
static void both(int n)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (fork())
			continue;
		pin(i);
		prctl(PR_SET_NAME, i ? "planted-b" : "planted-a");
		calls(i ? 3 * n : n, spins);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
}

static void quickly(int n)
{
	calls(n, quick);
}

/* Calls for some time, few of them. */
/* Notes when each quarter of the calls begins. */
static void slowly(int n)
{
	FILE *f = *procs ? fopen(procs, "w") : NULL;
	int i;

	for (i = 0; i < n; i++) {
		if (f && i % (n / 4) == 0)
			fprintf(f, "%llu\n", now(CLOCK_MONOTONIC));
		call(quick);
		rest(MS);
	}
	if (f)
		fclose(f);
}

static const struct {
	const char *name;
	void (*run)(int n);
} others[] = {
	{ "both", both },     { "elsewhere", elsewhere },
	{ "sevens", sevens }, { "sevens-elsewhere", sevens_elsewhere },
	{ "errors", errors }, { "group", group },
	{ "quick", quickly }, { "slowly", slowly },
	{ "after", after },
};

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 1;
	const size_t n_cases = sizeof(cases) / sizeof(*cases);
	pthread_t thread;
	size_t i;

	zero = open("/dev/zero", O_RDONLY);
	if (zero < 0 || pipe(ask) || pipe(answer))
		return 2;
	procs = argc > 3 ? argv[3] : "";
	for (i = 0; argc > 1 && i < sizeof(others) / sizeof(*others); i++) {
		if (strcmp(argv[1], others[i].name))
			continue;
		others[i].run(n);
		return 0;
	}
	for (i = 0; i < n_cases && (argc < 2 || strcmp(argv[1], cases[i].name)); i++)
		;
	if (i == n_cases)
		return 2;
	if (cases[i].body == locks) {
		char text[8192];

		kmsg = open("/proc/kmsg", O_RDONLY | O_NONBLOCK);
		while (read(kmsg, text, sizeof(text)) > 0)
			;
		if (kmsg < 0 || fcntl(kmsg, F_SETFL, 0))
			return 2;
	}
	pin(0);
	/* A caller that gets to its read late, since an emulator stopped, still sleeps for long. */
	answer_ms = 4 * SLOW_MS;
	if (cases[i].other && pthread_create(&thread, NULL, cases[i].other, NULL))
		return 2;
	calls(n, cases[i].body);
	return 0;
}
