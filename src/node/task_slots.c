// SPDX-License-Identifier: GPL-2.0-only
/*
 * task_slots.c - clear the task slots and stacks before a node starts. A task that ended while
 * nothing was attached has left its slot taken, until another task gets the same address.
 * Called by node_start().
 */
#include "node/priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "store/table.h"

static int task_slots_clear(int fd)
{
	struct table t = { 0 };
	int err = table_open(&t, fd, sizeof(struct kstats_task_slot));

	if (!err)
		memset(t.at, 0, t.size);
	table_close(&t);
	return err;
}

static int clear_stacks(int fd)
{
	__u64 task;

	while (!bpf_map_get_next_key(fd, NULL, &task))
		if (bpf_map_delete_elem(fd, &task))
			return -errno;
	return errno == ENOENT ? 0 : -errno;
}

int node_clear_task_slots(const struct node *n, struct error *e)
{
	int err;

	if (n->meta.pairing != KSTATS_BY_TASK)
		return 0;
	err = task_slots_clear(n->flight.task_slots_fd);
	if (!err)
		err = clear_stacks(n->flight.stacks_fd);
	if (!err)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "its task slots cannot be used",
			 "remove it with 'kstats-bpf node rm'", "cannot start '%s'", n->name);
}
