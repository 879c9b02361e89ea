// SPDX-License-Identifier: GPL-2.0-only
/*
 * user.c - a program with markers whose counts are known. Comes in: a command, or lines with
 * commands on standard input, each answered by a line. Called by user.sh.
 *
 *	user lines			read commands
 *	user threads T N		T threads, each with N samples of 3 and N pairs
 *	user spin T			T threads with samples and pairs until killed
 *	user storm SEED N		N random steps in this process and in those that it makes;
 *					prints the samples, pairs, and begins without an end
 *	user filtered			the state under a filter that kills who calls bpf(2)
 *	user sealed			the state under one that allows what kstats_user(3) lists
 *	user hostile FOLDER NAME [HOW]	write nonsense into the cells of a node
 *	user freeze FOLDER NAME		freeze the cells of a node
 *	user lock FOLDER		hold the locks that this user can take there, until killed
 */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "kstats_user.h"

/* ---- what a program may do between two markers ---- */

static void pairs(unsigned long n)
{
	while (n--) {
		KSTATS_BEGIN(req);
		KSTATS_END(req);
	}
}

static void samples(unsigned long n, unsigned long value)
{
	while (n--)
		KSTATS_SAMPLE(batch, value);
}

static __attribute__((noinline)) void begin(void)
{
	KSTATS_BEGIN(req);
}

static __attribute__((noinline)) void end(void)
{
	KSTATS_END(req);
}

static void nest(unsigned long n)
{
	KSTATS_BEGIN(req);
	if (n > 1)
		nest(n - 1);
	KSTATS_END(req);
}

static jmp_buf back;

/* The inner begin is left by longjmp(); the outer end must not take it. */
static __attribute__((noinline)) void jump(bool inner)
{
	KSTATS_BEGIN(req);
	if (inner)
		longjmp(back, 1);
	if (!setjmp(back))
		jump(true);
	KSTATS_END(req);
}

/* Its end has no begin of its own, and must not take that of the caller. */
static __attribute__((noinline)) void skip(bool inner)
{
	if (!inner) {
		KSTATS_BEGIN(req);
		skip(true);
	}
	KSTATS_END(req);
}

static void overlap(void)
{
	KSTATS_BEGIN(req);
	KSTATS_BEGIN(other);
	KSTATS_END(req);
	KSTATS_END(other);
}

static void *leave(void *unused)
{
	begin();
	return NULL;
}

/* As if 2^62 begins had been left without an end before a reset. */
static void *forget(void *unused)
{
	kstats_user_thread.top = 1ULL << 62;
	end();
	nest(40);
	return NULL;
}

/* It is cancelled in the next function where a thread may be. */
static void *cancelled(void *unused)
{
	pthread_cancel(pthread_self());
	samples(1, 3);
	pthread_testcancel();
	samples(1, 3);
	return NULL;
}

/* It looks for a node again and again, and may be cancelled at any instruction. */
static void *looks(void *begun)
{
	KSTATS_USER_MARKER(other, marker);

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	*(volatile bool *)begun = true;
	for (;;) {
		marker->version = ~0U;
		kstats_user_look(marker);
	}
	return NULL;
}

static void cancelled_amid(int n)
{
	volatile bool begun;
	pthread_t t;

	while (n--) {
		begun = false;
		if (pthread_create(&t, NULL, looks, (void *)&begun))
			return;
		while (!begun)
			sched_yield();
		usleep(n % 7 * 50);
		pthread_cancel(t);
		pthread_join(t, NULL);
	}
}

static void in_thread(void *(*run)(void *), void *arg)
{
	pthread_t t;

	if (!pthread_create(&t, NULL, run, arg))
		pthread_join(t, NULL);
}

/* The child counts its own, and does not end what the parent began. */
static void forks(void)
{
	pid_t child;

	KSTATS_BEGIN(req);
	child = fork();
	if (!child) {
		pairs(2);
		samples(1, 5);
	}
	KSTATS_END(req);
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static volatile sig_atomic_t handled, no_more;
static timer_t timer;

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Asked for when a handler that took some time is done, so that its program goes on. */
static void next_signal(long took)
{
	const struct itimerspec soon = { { 0, 0 },
					 { 0, took < 20000 ? 20000 : took % 1000000000 } };

	if (!no_more)
		timer_settime(timer, 0, &soon, NULL);
}

static void on_signal(int sig)
{
	long begin = now_ns();

	handled = handled + 1;
	pairs(1);
	next_signal(now_ns() - begin);
}

/* Signals at any moment of a pair. Prints how many pairs the handler had. */
static void signals(unsigned long n)
{
	handled = 0;
	no_more = 0;
	signal(SIGALRM, on_signal);
	timer_create(CLOCK_MONOTONIC, NULL, &timer);
	next_signal(0);
	pairs(n);
	no_more = 1;
	timer_delete(timer);
	printf("%d\n", (int)handled);
}

static void library(const char *path, unsigned long n)
{
	void *lib = dlopen(path, RTLD_NOW);
	void (*sample)(unsigned long value) =
		lib ? (void (*)(unsigned long))dlsym(lib, "example_batch") : NULL;

	while (sample && n--)
		sample(7);
	if (lib)
		dlclose(lib);
}

extern void equal_names(void);

static bool command(char *line)
{
	char word[32] = "", path[256] = "";
	unsigned long n = 0, value = 0;

	sscanf(line, "%31s %lu %lu %255s", word, &n, &value, path);
	if (!strcmp(word, "sample"))
		samples(n, value);
	else if (!strcmp(word, "pair"))
		pairs(n);
	else if (!strcmp(word, "begin"))
		begin();
	else if (!strcmp(word, "end"))
		end();
	else if (!strcmp(word, "nest"))
		nest(n);
	else if (!strcmp(word, "jump"))
		jump(false);
	else if (!strcmp(word, "skip"))
		skip(false);
	else if (!strcmp(word, "overlap"))
		overlap();
	else if (!strcmp(word, "names"))
		equal_names();
	else if (!strcmp(word, "leave"))
		in_thread(leave, NULL);
	else if (!strcmp(word, "forget"))
		in_thread(forget, NULL);
	else if (!strcmp(word, "cancel"))
		in_thread(cancelled, NULL);
	else if (!strcmp(word, "amid"))
		cancelled_amid(n);
	else if (!strcmp(word, "fork"))
		forks();
	else if (!strcmp(word, "signals"))
		signals(n);
	else if (!strcmp(word, "library"))
		library(path, n);
	else if (!strcmp(word, "look"))
		KSTATS_USER_LOOK();
	else if (!strcmp(word, "state"))
		printf("%s\n", kstats_user_text(KSTATS_USER_STATE(batch)));
	else
		return false;
	return true;
}

static int lines(void)
{
	char line[400];

	while (fgets(line, sizeof(line), stdin)) {
		if (!command(line))
			return 2;
		puts("done");
		fflush(stdout);
	}
	return 0;
}

/* ---- many ---- */

static unsigned long each;

static void *count(void *unused)
{
	unsigned long i;

	for (i = 0; i < each; i++) {
		KSTATS_SAMPLE(batch, 3);
		KSTATS_BEGIN(req);
		KSTATS_END(req);
	}
	return NULL;
}

static int threads(unsigned long n)
{
	pthread_t t[64];
	unsigned long i;

	for (i = 0; i < n && i < 64; i++)
		if (pthread_create(&t[i], NULL, count, NULL))
			return 1;
	while (i--)
		pthread_join(t[i], NULL);
	return 0;
}

/* ---- forks, programs that replace each other, cancelled threads, other users ---- */

struct storm {
	unsigned long samples, pairs, open;
};

#define STORM_FD 200 /* where each process tells its counts when it ends */

static struct storm storm;
static unsigned long storm_seed;
static bool storm_may = true; /* what it counts is seen: root began this program */

static unsigned long storm_next(unsigned long below)
{
	storm_seed ^= storm_seed << 13;
	storm_seed ^= storm_seed >> 7;
	storm_seed ^= storm_seed << 17;
	return (storm_seed >> 20) % below;
}

static void storm_tell(void)
{
	if (!storm_may)
		storm = (struct storm){ 0 };
	if (write(STORM_FD, &storm, sizeof(storm)) != sizeof(storm))
		abort();
}

static void *storm_thread(void *arg)
{
	unsigned long n = (unsigned long)arg, i;

	samples(n, 3);
	if (n % 2)
		begin(); /* it stays open */
	pthread_cancel(pthread_self());
	for (i = 0; i < n; i++)
		pthread_testcancel();
	return NULL;
}

static void storm_cancel(void)
{
	unsigned long n = 1 + storm_next(5);

	in_thread(storm_thread, (void *)n);
	storm.samples += n;
	storm.open += n % 2;
}

static void storm_steps(unsigned long n);

static void storm_exec(unsigned long n)
{
	char seed[32], steps[32];

	snprintf(seed, sizeof(seed), "%lu", 1 + storm_next(1UL << 40));
	snprintf(steps, sizeof(steps), "%lu", n);
	if (storm_next(2)) {
		begin(); /* nobody can end it any more */
		storm.open++;
	}
	storm_tell();
	execl("/proc/self/exe", "user", "storm", seed, steps, "child", NULL);
	abort();
}

/* A child with steps of its own, perhaps as another user, perhaps as a new program. */
static void storm_fork(unsigned long n)
{
	unsigned long how = storm_next(4), seed = 1 + storm_next(1UL << 40);
	pid_t child = fork();

	if (child < 0)
		abort();
	if (child) {
		waitpid(child, NULL, 0);
		return;
	}
	storm = (struct storm){ 0 };
	storm_seed = seed;
	if (how & 1 && !getuid() && setreuid(1000, 1000))
		abort();
	if (how & 2)
		storm_exec(n);
	storm_steps(n);
	storm_tell();
	_exit(0);
}

static void storm_steps(unsigned long n)
{
	unsigned long k;

	while (n--) {
		k = 1 + storm_next(7);
		switch (storm_next(n > 3 ? 5 : 3)) {
		case 0:
			samples(k, 3);
			storm.samples += k;
			break;
		case 1:
			pairs(k);
			storm.pairs += k;
			break;
		case 2:
			nest(k);
			storm.pairs += k;
			break;
		case 3:
			storm_cancel();
			break;
		default:
			storm_fork(n / 3);
		}
	}
}

static int storm_run(bool first, unsigned long seed, unsigned long n)
{
	struct storm one, sum = { 0, 0, 0 };
	int pipes[2];

	storm_seed = seed;
	storm_may = first || !getuid();
	if (first && (pipe(pipes) || dup2(pipes[1], STORM_FD) < 0 || close(pipes[1])))
		return 1;
	/* Found now, since a child may soon be a user who may not find them. */
	samples(1, 3);
	pairs(1);
	storm.samples++;
	storm.pairs++;
	storm_steps(n);
	storm_tell();
	if (!first)
		return 0;
	close(STORM_FD);
	while (read(pipes[0], &one, sizeof(one)) == sizeof(one)) {
		sum.samples += one.samples;
		sum.pairs += one.pairs;
		sum.open += one.open;
	}
	printf("%lu %lu %lu\n", sum.samples, sum.pairs, sum.open);
	return 0;
}

/* ---- a writer that means harm ---- */

static int get(const char *folder, const char *name, const char *more, struct bpf_map_info *info)
{
	union bpf_attr attr = {};
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, more);
	attr.pathname = (__u64)path;
	fd = syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = fd;
	attr.info.info_len = sizeof(*info);
	attr.info.info = (__u64)info;
	return syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) ? -1 : fd;
}

static void nonsense(__u64 *at, size_t n)
{
	static unsigned long seed = 88172645463325252UL;
	size_t i;

	for (i = 0; i < n; i++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		at[i] = i % 5 ? seed : seed % 1000;
	}
}

/* The control can be read, and nothing else. */
static void try_control(int fd)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	printf("control %s", at == MAP_FAILED ? "closed" : "open");
	at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	printf(" %s\n", at != MAP_FAILED && mprotect(at, 4096, PROT_READ | PROT_WRITE) ? "closed"
										      : "open");
	fflush(stdout);
}

/* 2^36 samples in each of 8 slots, of values above 2^24. */
static void count_long(struct kstats_slot *values)
{
	__u64 value, n = 1ULL << 36;

	for (value = 1U << 24; value < (1U << 24) + (8U << 19); value += 1U << 19)
		values[kstats_slot_index(value, 5)] = (struct kstats_slot){ n, n * value };
}

/*
 * @how: "lies": 10 ends of 5 ns without a begin; "long": as many samples as fit; "on":
 * nonsense until killed; else once
 */
static int hostile(const char *folder, const char *name, const char *how)
{
	struct bpf_map_info info = {}, control = {};
	int fd = get(folder, name, "+cells", &info);
	size_t size = (size_t)info.value_size * info.max_entries;
	__u64 *at = fd < 0 ? MAP_FAILED
			   : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return 1;
	if (!strcmp(how, "lies")) {
		at[2 * (kstats_user_durations() + 5)] = 10;
		at[2 * (kstats_user_durations() + 5) + 1] = 50;
		return 0;
	}
	if (!strcmp(how, "long")) {
		count_long((struct kstats_slot *)at + kstats_user_values(5));
		return 0;
	}
	do
		nonsense(at, size / 8);
	while (!strcmp(how, "on"));
	try_control(get(folder, name, "", &control));
	return 0;
}

static int freeze(const char *folder, const char *name)
{
	struct bpf_map_info info = {};
	union bpf_attr attr = { .map_fd = get(folder, name, "+cells", &info) };

	return syscall(SYS_bpf, BPF_MAP_FREEZE, &attr, sizeof(attr)) ? 1 : 0;
}

static int hold_locks(const char *folder)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/+lock", folder);
	flock(open(path, O_RDONLY), LOCK_EX);
	if (flock(open(folder, O_RDONLY), LOCK_EX))
		return 1;
	puts("held");
	fflush(stdout);
	pause();
	return 0;
}

static int filtered(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), /* number of the call */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 1;
	samples(3, 3);
	puts(kstats_user_text(KSTATS_USER_STATE(batch)));
	return 0;
}

#define ALLOW(call, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, skip, 0)

/* Samples before the filter, and after a line on standard input. */
static int sealed(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), /* number of the call */
		ALLOW(SYS_read, 8),
		ALLOW(SYS_write, 7),
		ALLOW(SYS_exit_group, 6),
		ALLOW(SYS_clock_gettime, 5),
		ALLOW(SYS_getpid, 4),
		ALLOW(SYS_gettid, 3),
		ALLOW(SYS_prctl, 2),
		ALLOW(SYS_mmap, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(*code), code };
	char line;

	samples(3, 3);
	KSTATS_SAMPLE(missing, 1);
	puts("sealed");
	fflush(stdout);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 1;
	if (read(0, &line, 1) != 1)
		return 1;
	samples(2, 3);
	KSTATS_SAMPLE(missing, 1);
	puts(kstats_user_text(KSTATS_USER_STATE(batch)));
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "lines"))
		return lines();
	each = argc > 3 ? strtoul(argv[3], NULL, 10) : ~0UL;
	if (!strcmp(what, "threads") || !strcmp(what, "spin"))
		return threads(argc > 2 ? strtoul(argv[2], NULL, 10) : 1);
	if (!strcmp(what, "storm") && argc > 3)
		return storm_run(argc == 4, strtoul(argv[2], NULL, 10), each);
	if (!strcmp(what, "filtered"))
		return filtered();
	if (!strcmp(what, "sealed"))
		return sealed();
	if (!strcmp(what, "freeze") && argc > 3)
		return freeze(argv[2], argv[3]);
	if (!strcmp(what, "lock") && argc > 2)
		return hold_locks(argv[2]);
	if (!strcmp(what, "hostile") && argc > 3)
		return hostile(argv[2], argv[3], argc > 4 ? argv[4] : "");
	return 2;
}
