// SPDX-License-Identifier: GPL-2.0-only
/* rows.c - see rows.h. */
#include "hook/rows.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int by_id(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* They write whole rows, and a read may be cut inside one. */
static int rows_read_all(int fd, struct rows *rows)
{
	size_t have = 0, room = 0;
	void *grown;
	ssize_t n;

	do {
		if (room - have < rows->size) {
			room = room ? 2 * room : 256 * rows->size;
			grown = realloc(rows->data, room);
			if (!grown)
				return -ENOMEM;
			rows->data = grown;
		}
		n = read(fd, rows->data + have, room - have);
		if (n < 0)
			return -errno;
		have += n;
	} while (n);
	rows->n = have / rows->size;
	qsort(rows->data, rows->n, rows->size, by_id);
	return 0;
}

int rows_read(struct rows *rows, size_t size, int link_fd)
{
	int fd = bpf_iter_create(link_fd), err;

	rows_free(rows);
	rows->size = size;
	if (fd < 0)
		return fd;
	err = rows_read_all(fd, rows);
	close(fd);
	return err;
}

const void *rows_find(const struct rows *rows, uint64_t id)
{
	return rows->n ? bsearch(&id, rows->data, rows->n, rows->size, by_id) : NULL;
}

void rows_free(struct rows *rows)
{
	free(rows->data);
	*rows = (struct rows){};
}
