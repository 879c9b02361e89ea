// SPDX-License-Identifier: GPL-2.0-only
/*
 * threads.c - a process of two threads. It tells the numbers of both, waits for a
 * line, and then writes to FILE: the first thread FIRST, the second SECOND. Goes on
 * until its standard input ends. Called by options.sh.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *file;
static int tid;
static pthread_barrier_t told, go;

static int say(const char *text)
{
	int fd = open(file, O_WRONLY), err;

	err = fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text);
	close(fd);
	return err;
}

static void *second(void *text)
{
	tid = syscall(SYS_gettid);
	pthread_barrier_wait(&told);
	pthread_barrier_wait(&go);
	return say(text) ? NULL : &tid;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	void *done = NULL;
	char line[64];

	if (argc != 4)
		return 2;
	file = argv[1];
	pthread_barrier_init(&told, NULL, 2);
	pthread_barrier_init(&go, NULL, 2);
	if (pthread_create(&thread, NULL, second, argv[3]))
		return 1;
	pthread_barrier_wait(&told);
	printf("%d %d\n", (int)getpid(), tid);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	pthread_barrier_wait(&go);
	if (say(argv[2]) || pthread_join(thread, &done) || !done)
		return 1;
	printf("done\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		;
	return 0;
}
