// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmem_load.c - a load of many small allocations that other tasks free: pairs of processes
 * that send messages over sockets. Comes in: the number of pairs, and of messages of each.
 * Called by kmem.py.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char message[100];

static int send_all(int fd, long n)
{
	while (n--)
		if (write(fd, message, sizeof(message)) != sizeof(message))
			return 1;
	return 0;
}

static int receive_all(int fd, long n)
{
	while (n--)
		if (read(fd, message, sizeof(message)) != sizeof(message))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	int pairs = argc == 3 ? atoi(argv[1]) : 0, fds[2], i, status, bad = 0;
	long n = argc == 3 ? atol(argv[2]) : 0;

	if (!pairs || !n) {
		fprintf(stderr, "usage: kmem_load PAIRS MESSAGES\n");
		return 2;
	}
	for (i = 0; i < pairs; i++) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds))
			return 1;
		if (!fork())
			_exit(send_all(fds[0], n));
		if (!fork())
			_exit(receive_all(fds[1], n));
		close(fds[0]);
		close(fds[1]);
	}
	for (i = 0; i < 2 * pairs; i++)
		bad |= wait(&status) < 0 || status;
	return bad;
}
