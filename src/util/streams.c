// SPDX-License-Identifier: GPL-2.0-only
/* streams.c - the three standard streams. */
#include "util/streams.h"

#include <fcntl.h>
#include <unistd.h>

void streams_reserve(void)
{
	int fd;

	/* open() returns the lowest free number. poll() reports no hang-up for a folder. */
	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/", (fd ? O_RDONLY : O_PATH) | O_CLOEXEC) != fd)
			return;
}
