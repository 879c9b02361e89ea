// SPDX-License-Identifier: GPL-2.0-only
/*
 * uprobes.c - a program whose functions are called known numbers of times, which uprobes.sh
 * lists. "all LIBRARY" does everything; "work" calls up_work() until its input ends.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
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

static volatile int sink;

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

static volatile int handled;

static void handle(int signal)
{
	handled++;
	up_signal();
}

static void signals(void)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = {};
	int i;

	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 1009; i++)
		up_signal();
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

int main(int argc, char **argv)
{
	char byte;
	int i;

	if (argc == 3 && !strcmp(argv[1], "all")) {
		calls(argv[0], argv[2]);
	} else if (argc == 2 && !strcmp(argv[1], "after")) {
		for (i = 0; i < 17; i++)
			up_after();
	} else if (argc == 2 && !strcmp(argv[1], "work")) {
		while (read(0, &byte, 1) == 1) {
			for (i = 0; i < 103; i++)
				up_work();
			if (write(1, &byte, 1) != 1)
				return 1;
		}
	} else if (argc == 3 && !strcmp(argv[1], "load")) {
		load(argv[2]);
	} else {
		return 2;
	}
	return 0;
}
