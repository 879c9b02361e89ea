// SPDX-License-Identifier: GPL-2.0-only
/* streams.c - see streams.h. */
#include "util/streams.h"

#include <fcntl.h>
#include <unistd.h>

void streams_reserve(void)
{
	int fd;

	/* The lowest that is free is taken. A folder opened to be read does not look hung up. */
	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/", (fd ? O_RDONLY : O_PATH) | O_CLOEXEC) != fd)
			return;
}
