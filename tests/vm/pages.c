// SPDX-License-Identifier: GPL-2.0-only
/*
 * pages.c - the programs of the pages in docs/: ./prog, ./server, ./old and ./new are this. With
 * the word "on" it goes on for ten seconds. It calls parse(), send(), put() and take() in turn,
 * reads, allocates, fails to open a file, sends a packet, and has static probes and markers.
 */
#include <fcntl.h>
#include <linux/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kstats_user.h"

/* A static probe with a value, twice: the pages take the first of one and the second of another. */
#define PROBE(PROVIDER, NAME, VALUE)                                                           \
	asm volatile("990: nop\n.pushsection .note.stapsdt, \"?\", \"note\"\n.balign 4\n"      \
		     ".4byte 992f - 991f, 994f - 993f, 3\n991: .asciz \"stapsdt\"\n"           \
		     "992: .balign 4\n993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte 0\n"    \
		     ".asciz \"" PROVIDER "\"\n.asciz \"" NAME "\"\n.asciz \"-8@%0 -8@%0\"\n"  \
		     "994: .balign 4\n.popsection\n"                                           \
		     :                                                                         \
		     : "r"(VALUE))

static volatile long sum;
static int udp;

__attribute__((noinline)) long parse(long n)
{
	long i;

	for (i = 0; i < 300; i++)
		sum += i * n;
	return sum;
}

/* That of libc is declared in a header that is not included. */
long send(int size);
__attribute__((noinline)) long send(int size)
{
	struct sockaddr_in to = { .sin_family = 2, .sin_port = 9 << 8, .sin_addr = { 0x0100007f } };

	return syscall(SYS_sendto, udp, "x", 1, 0, &to, sizeof(to)) + size;
}

__attribute__((noinline)) long net_out(long size)
{
	return send((int)size % 7) + 1;
}

__attribute__((noinline)) long put(long job)
{
	PROBE("jobs", "put", job);
	return job + sum;
}

__attribute__((noinline)) long take(long job)
{
	PROBE("jobs", "take", job);
	return job - sum;
}

static void turn(long n)
{
	char byte;
	int fd;

	PROBE("app", "begin", n);
	KSTATS_BEGIN(request);
	parse(n);
	put(n);
	free(malloc(5000 + (size_t)n % 100));
	fd = open("/dev/zero", O_RDONLY);
	if (fd >= 0 && read(fd, &byte, 1) == 1)
		close(fd);
	if (open("/nosuch", O_RDONLY) >= 0)
		sum++;
	net_out(n);
	take(n);
	KSTATS_SAMPLE(request_size, n % 1000);
	KSTATS_END(request);
	PROBE("app", "end", n);
}

int main(int argc, char **argv)
{
	bool on = argc > 1 && !strcmp(argv[1], "on");
	long n, turns = on ? 10000 : 200;

	udp = (int)syscall(SYS_socket, 2, 2, 0);
	for (n = 0; n < turns; n++) {
		turn(n);
		if (on)
			usleep(1000);
	}
	return 0;
}
