// SPDX-License-Identifier: GPL-2.0-only
/*
 * command.c - the tasks of the measured command, where the programs of bpf/command.bpf.h find
 * them: in task slots, and in a table where another task owns the slot. In: the command's first
 * task. Out: it is there. Called by session.c, again.c and heap.
 */
#include "session/priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "store/table.h"

#define TASKS_MAX 262144
#define TASKS_ENDED 16384 /* tasks that have ended and are not freed yet */

/* A power of two: the upper bits of a product are then the number of a task slot. */
uint32_t session_task_slots(bool command)
{
	int n_cpus = libbpf_num_possible_cpus();
	uint32_t n = command ? KSTATS_TASK_SLOTS_COMMAND : KSTATS_TASK_SLOTS_PER_CPU;

	while (n < KSTATS_TASK_SLOTS_MAX && (int)n < n_cpus * KSTATS_TASK_SLOTS_PER_CPU)
		n *= 2;
	return n;
}

uint32_t session_task_slot_shift(bool command)
{
	return 32 - __builtin_ctz(session_task_slots(command));
}

/* As many tasks as the kernel allows. An unused entry takes 16 bytes in each table. */
uint32_t session_tasks_max(void)
{
	FILE *f = fopen("/proc/sys/kernel/threads-max", "re");
	uint32_t n = TASKS_MAX;

	if (f && fscanf(f, "%" SCNu32, &n) != 1)
		n = TASKS_MAX;
	if (f)
		fclose(f);
	return (n < TASKS_MAX ? n : TASKS_MAX) + TASKS_ENDED;
}

/* A slot begins with the members that are used here, whether it has a stack or not. */
static struct kstats_task_slot *slot_at(const struct table *t, size_t i, size_t size)
{
	return (struct kstats_task_slot *)((char *)t->at + i * size);
}

static struct kstats_task_slot *slot_of_task(const struct table *t, size_t size, uint64_t task)
{
	return slot_at(t, kstats_task_slot_index(task, session_task_slot_shift(true)), size);
}

/* As command_add() of the programs, which may run meanwhile. */
int session_command_add(const struct session_command *c, uint64_t task)
{
	struct kstats_task_slot *slot;
	struct table t = { 0 };
	__u64 key = task, free = 0;
	__u8 one = 1;
	int err = table_open(&t, c->slots, c->size);

	if (err)
		return err;
	slot = slot_of_task(&t, c->size, task);
	if (!__atomic_compare_exchange_n(&slot->owner, &free, task, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST) &&
	    free != task) {
		__atomic_fetch_add(&slot->guests, 1, __ATOMIC_SEQ_CST);
		err = bpf_map_update_elem(c->tasks, &key, &one, BPF_NOEXIST) ? -errno : 0;
		if (err)
			__atomic_fetch_sub(&slot->guests, 1, __ATOMIC_SEQ_CST);
	}
	table_close(&t);
	return err == -EEXIST ? 0 : err;
}

/* Returns whether there were any. Tasks that begin meanwhile may come to where nothing was. */
static bool forget_once(const struct session_command *c, const struct table *t)
{
	struct kstats_task_slot *slot;
	bool found = false;
	__u64 key;
	size_t i;

	for (i = 0; i < t->n; i++) {
		slot = slot_at(t, i, c->size);
		found |= !!__atomic_exchange_n(&slot->owner, 0, __ATOMIC_SEQ_CST);
	}
	while (!bpf_map_get_next_key(c->tasks, NULL, &key)) {
		found = true;
		if (!bpf_map_delete_elem(c->tasks, &key))
			__atomic_fetch_sub(&slot_of_task(t, c->size, key)->guests, 1,
					   __ATOMIC_SEQ_CST);
		else if (errno != ENOENT)
			return false;
	}
	return found;
}

int session_command_forget(const struct session_command *c)
{
	struct table t = { 0 };
	int err = table_open(&t, c->slots, c->size);

	while (!err && forget_once(c, &t))
		;
	table_close(&t);
	return err;
}
