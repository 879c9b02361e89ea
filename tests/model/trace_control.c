// SPDX-License-Identifier: GPL-2.0-only
#include "trace_priv.h"

#include <bpf/bpf_helpers.h>
#include <string.h>

/*
 * User space stops, resets and starts, as src/node/control.c does it: a step at a time, with
 * anything in between. Some steps wait until no program runs.
 */
static enum {
	CONTROL_ON,
	CONTROL_HALTING, /* programs that saw it on may still run */
	CONTROL_OUTDATING, /* the same of those that saw the old epoch */
	CONTROL_OFF,
} phase;
static bool resets;

int session;
__u64 kept_open;

void control_clear(void)
{
	phase = CONTROL_ON;
	session = 0;
	kept_open = 0;
}

static bool programs_run(void)
{
	int i;

	for (i = 0; i < machine.n_tasks; i++)
		if (machine.tasks[i].in_program)
			return true;
	return false;
}

static void cell_each(void (*change)(struct kstats_cell *))
{
	struct machine_map *m = machine_map_of(cells);
	__u32 i;

	for (i = 0; i < MACHINE_CPUS * m->entries; i++)
		change((struct kstats_cell *)(m->values + i * m->size));
}

static void cell_tally(struct kstats_cell *cell)
{
	kept_open += !!cell->start_ns;
}

static void cell_close(struct kstats_cell *cell)
{
	cell->start_ns = cell->last_end_ns = 0;
}

static void cell_zero(struct kstats_cell *cell)
{
	memset(cell, 0, __builtin_offsetof(struct kstats_cell, id));
}

/* The starts that are open now stay in flight. */
static void keep_open(void)
{
	if (shape->pairing == KSTATS_BY_CPU)
		cell_each(cell_tally);
	else
		count_open();
	cell_each(cell_close);
}

static void forget_all(void)
{
	int i;

	cell_each(cell_zero);
	machine_clear(by_keys);
	by_taken = 0;
	memset(noted, 0, sizeof(noted));
	kept_open = 0;
	for (i = 0; i < n_calls; i++) {
		memset(calls[i].fates, 0, sizeof(calls[i].fates));
		calls[i].from_before = true;
	}
}

/* Its first task is added by user space, and the others as they begin. */
void control_follow(void)
{
	__u64 dice = machine_chance(&row);
	int n = machine.n_tasks, first = dice % n, i;
	__u64 address = (__u64)&machine.tasks[first].ts;
	__u8 one = 1;

	machine.quiet++;
	machine_clear(command_tasks);
	memset(command_homes, 0, sizeof(command_homes));
	outsider = (first + 1 + (dice >> 16) % (n - 1)) % n;
	bpf_map_update_elem(command_tasks, &address, &one, BPF_ANY);
	kstats_home_add(&command_homes[kstats_home(address)], address);
	for (i = 0; i < n; i++)
		if (i != first && i != outsider)
			course_birth(&machine.tasks[first], &machine.tasks[i]);
	machine.quiet--;
}

void control_step(__u64 dice)
{
	if (phase != CONTROL_ON && phase != CONTROL_OFF && programs_run())
		return;
	tell("user space: step %d of a %s", phase, resets ? "reset" : "stop");
	switch (phase) {
	case CONTROL_ON:
		resets = dice & 1;
		kstats_on = 0;
		phase = CONTROL_HALTING;
		return;
	case CONTROL_HALTING:
		if (!resets)
			keep_open();
		epoch_ns = machine_clock();
		phase = CONTROL_OUTDATING;
		return;
	case CONTROL_OUTDATING:
		if (resets)
			forget_all();
		forget_keys();
		if (shape->command)
			control_follow();
		session++;
		phase = CONTROL_OFF;
		return;
	case CONTROL_OFF:
		epoch_ns = machine_clock();
		kstats_on = 1;
		phase = CONTROL_ON;
	}
}

void control_finish(void)
{
	while (phase == CONTROL_HALTING || phase == CONTROL_OUTDATING)
		control_step(0);
}
