// SPDX-License-Identifier: GPL-2.0-only
/* test_streams.c - no file gets the number of a standard stream. */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/streams.h"

/* In a child: those whose bit is in @closed are closed, the others stay what they are. */
static int try_closed(int closed)
{
	struct pollfd look = {};
	char byte = 0;
	int fd, bad = 0;

	for (fd = 0; fd < 3; fd++)
		if (closed & 1 << fd)
			close(fd);
	streams_reserve();
	bad |= open("/dev/null", O_RDWR) < 3;
	for (fd = 0; fd < 3; fd++) {
		if (!(closed & 1 << fd))
			continue;
		look.fd = fd;
		bad |= (read(fd, &byte, 1) != -1) << 1;
		bad |= (write(fd, &byte, 1) != -1 || errno != EBADF) << 2;
		bad |= (fcntl(fd, F_GETFD) != FD_CLOEXEC) << 3;
		/* A measurement ends when its output has hung up: this is none. */
		bad |= (fd && poll(&look, 1, 0) && look.revents & (POLLERR | POLLNVAL)) << 4;
	}
	return bad;
}

static void test_reserve(void **state)
{
	int closed, status;
	pid_t pid;

	for (closed = 0; closed < 8; closed++) {
		pid = fork();
		if (!pid)
			_exit(try_closed(closed));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_reserve) };

	return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
