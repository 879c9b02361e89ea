// SPDX-License-Identifier: GPL-2.0-only
/*
 * node_desks.c - the desks and stacks of tasks, before a node starts. A task that ended
 * while nothing was attached has left its own taken, for as long as no other gets its
 * address. Called by node_start().
 */
#include "node_priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int clear(int fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	size_t size;
	void *at;

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	if (info.type != BPF_MAP_TYPE_ARRAY || info.value_size != sizeof(struct kstats_desk) ||
	    !(info.map_flags & BPF_F_MMAPABLE))
		return -EINVAL;
	size = (size_t)info.max_entries * info.value_size;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	memset(at, 0, size);
	munmap(at, size);
	return 0;
}

static int clear_stacks(int fd)
{
	__u64 task;

	while (!bpf_map_get_next_key(fd, NULL, &task))
		if (bpf_map_delete_elem(fd, &task))
			return -errno;
	return errno == ENOENT ? 0 : -errno;
}

int node_clear_desks(const struct node *n, struct error *e)
{
	int err;

	if (n->meta.pairing != KSTATS_BY_TASK)
		return 0;
	err = clear(n->flight.desks_fd);
	if (!err)
		err = clear_stacks(n->flight.stacks_fd);
	if (!err)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "its desks cannot be used",
			 "remove it with 'kstats-bpf node rm'", "cannot start '%s'", n->name);
}
