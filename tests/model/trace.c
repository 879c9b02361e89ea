// SPDX-License-Identifier: GPL-2.0-only
#include "trace_priv.h"

#include <stdio.h>
#include <string.h>

extern const volatile bool is_pair, by_gap, by_ret, split_ret, may_doubt, keeps_switches,
	counts_switches, is_alone, cookie_may_be_old, who_any, who_by_cpu, who_by_comm,
	who_by_command, who_later, if_at_start, key_by_expr, by_at_start, by_may_fail, count_runs,
	first_counts, points_leave_out, if_at_end;
extern const volatile __u32 pairing, unverified_at, n_of_owner, n_possible_cpus, task_slot_shift,
	by_words, by_first, by_most, by_shift, by_bits, key_start, key_end, n_points, kept_words,
	kept_exprs, n_vias, via_at, who_first;
extern const volatile __u64 who_cpus[KSTATS_CPUS_MAX / 64];
extern __u64 bpf_calls_open, bpf_calls_ns;

#define TOPS (2 * KSTATS_STACK_DEPTH)

const struct trace_shape *shape;
int outsider;
static __u64 tops;

/* ---- before and after ---- */

static const struct {
	void *map;
	enum machine_map_kind kind;
	__u32 entries;
	__u32 size;
} maps[] = {
	{ cells, MACHINE_PERCPU, TRACE_NODES, KSTATS_CELL_SIZE_KMOD },
	{ task_slots, MACHINE_ARRAY, 2, sizeof(struct kstats_task_slot) },
	{ task_stacks, MACHINE_HASH, 8, sizeof(struct kstats_stack) },
	{ idle_stacks, MACHINE_PERCPU, 1, sizeof(struct kstats_stack) },
	{ keys, MACHINE_ARRAY, KSTATS_KEY_BUCKETS, sizeof(struct kstats_keys) },
	{ guards, MACHINE_ARRAY, 2 * TRACE_FUNCTIONS, sizeof(struct kstats_guard) },
	{ guards_seen, MACHINE_PERCPU, 2 * TRACE_FUNCTIONS, sizeof(struct kstats_seen) },
	{ here, MACHINE_PERCPU, 1, 8 },
	{ heres, MACHINE_ARRAY, 1, sizeof(struct kstats_heres) },
	{ bpf_callers, MACHINE_HASH, 8, 1 },
	{ runs, MACHINE_PERCPU, 2 * TRACE_FUNCTIONS, 8 },
	{ others, MACHINE_PERCPU, 1, 8 },
	{ by_keys, MACHINE_ARRAY, 16, sizeof(struct kstats_by) },
	{ command_tasks, MACHINE_HASH, 8, 1 },
	{ blocks, MACHINE_ARRAY, 1, sizeof(struct kstats_block) },
	{ hit_places, MACHINE_HASH, 1, 4 },
	{ kept_slots, MACHINE_ARRAY, 2, sizeof(struct kstats_kept_ring) },
	{ kept_tasks, MACHINE_HASH, 16, sizeof(struct kstats_kept_ring) },
	{ kept_keys, MACHINE_ARRAY, KSTATS_KEY_BUCKETS, sizeof(struct kstats_kept_keys) },
};

void trace_open(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		machine_map(maps[i].map, maps[i].kind, maps[i].entries, maps[i].size);
}

static void settings_of_shape(void)
{
	MACHINE_SET(pairing, shape->pairing);
	MACHINE_SET(is_pair, is_pair_of_points());
	MACHINE_SET(by_gap, shape->gap);
	MACHINE_SET(may_doubt, shape->preempts || shape->pairing == KSTATS_BY_KEY);
	MACHINE_SET(keeps_switches,
		    shape->preempts || shape->pairing == KSTATS_BY_KEY || shape->counts);
	MACHINE_SET(counts_switches, shape->counts);
	MACHINE_SET(is_alone, !shape->merged || shape->functions == 1);
	MACHINE_SET(key_by_expr, shape->several);
	MACHINE_SET(first_counts, shape->first);
	MACHINE_SET(kept_words, shape->keeps + (shape->vias ? TRACE_VIAS : 0));
	MACHINE_SET(kept_exprs, shape->keeps);
	MACHINE_SET(n_vias, shape->vias ? TRACE_VIAS : 0);
	MACHINE_SET(via_at, TRACE_VIA);
	MACHINE_SET(if_at_end, shape->keeps || shape->counts);
	MACHINE_SET(points_leave_out, shape->owns);
	MACHINE_SET(n_points, shape->vias      ? TRACE_FUNCTIONS + TRACE_VIAS
			      : shape->several ? TRACE_FUNCTIONS
					       : 0);
	MACHINE_SET(cookie_may_be_old, shape->pool && shape->preempts);
	MACHINE_SET(if_at_start, shape->asks_if);
	MACHINE_SET(by_words, shape->asks_by);
	MACHINE_SET(by_at_start, shape->asks_by && !shape->by_at_end);
	MACHINE_SET(by_first, TRACE_BY);
	MACHINE_SET(by_most, TRACE_KEYS);
	MACHINE_SET(by_shift, 62); /* few places, so that keys meet */
	MACHINE_SET(by_bits, 8);
	MACHINE_SET(unverified_at, TRACE_APART);
	MACHINE_SET(n_of_owner, TRACE_STRIDE);
	MACHINE_SET(n_possible_cpus, MACHINE_CPUS);
	MACHINE_SET(task_slot_shift, 31);
	MACHINE_SET(count_runs, shape->counts_runs);
	MACHINE_SET(who_any, shape->on_first || shape->renames || shape->command);
	MACHINE_SET(who_by_command, shape->command);
	MACHINE_SET(who_first,
		    shape->command ? KSTATS_WHO_COMMAND
		    : (shape->on_first || shape->renames) && shape->pairing == KSTATS_BY_TASK
			    ? KSTATS_WHO_CHANGING
			    : KSTATS_WHO_ANY);
	MACHINE_SET(who_later, shape->on_first || shape->renames);
	MACHINE_SET(who_by_comm, shape->renames);
	MACHINE_SET(who_by_cpu, shape->on_first);
	MACHINE_SET(who_cpus[0], 1);
}

static void settings(void)
{
	static const struct trace_shape *of;

	/* The same in each run of a shape. */
	if (of != shape)
		settings_of_shape();
	of = shape;
	machine.preempts = shape->preempts;
	kstats_on = 1;
	epoch_ns = by_taken = bpf_calls_open = bpf_calls_ns = 0;
}

static __u64 distance(const void *of)
{
	return (char *)of - (char *)&heres_of[0].here;
}

static void guard_set(int function)
{
	struct kstats_guard *g = (struct kstats_guard *)machine_map_of(guards)->values + function;
	const struct here *h = &heres_of[0];

	if (shape->several) {
		*g = (struct kstats_guard){ .misses[0] = distance(&h->misses[function]) };
		if (function % 2 == 0 && function < TRACE_FUNCTIONS && !shape->unguarded)
			g->active = distance(&h->active[function]);
		return;
	}
	if (!is_kprobe() && !shape->unguarded)
		g->active = distance(&h->active[2 * function]);
	g->misses[0] = distance(&h->misses[2 * function]);
	if (!is_session())
		g->misses[1] = distance(&h->misses[2 * function + 1]);
}

/* They go up and down by whole rounds of the ring, so they may be below zero. */
static void set_tops(void)
{
	struct machine_map *m = machine_map_of(task_slots);
	__u32 i;

	for (i = 0; i < m->entries; i++)
		((struct kstats_task_slot *)m->values)[i].stack.top = -(tops++ % TOPS);
}

static void clear(void)
{
	struct kstats_heres *h;
	int i, cpu;

	forget_keys();
	control_clear();
	machine_clear(cells);
	machine_clear(task_slots);
	machine_clear(task_stacks);
	machine_clear(idle_stacks);
	set_tops();
	memset(homes_with_stack, 0, sizeof(homes_with_stack));
	machine_clear(guards);
	machine_clear(guards_seen);
	machine_clear(runs);
	machine_clear(kept_slots);
	machine_clear(kept_tasks);
	machine_clear(by_keys);
	told_clear();
	course_clear();
	h = (struct kstats_heres *)machine_map_of(heres)->values;
	for (cpu = 0; cpu < MACHINE_CPUS; cpu++) {
		h->at[cpu] = (__u64)&heres_of[cpu].here;
		for (i = 0; i < TRACE_NODES; i++)
			((struct kstats_cell *)(machine_map_of(cells)->values +
						(cpu * TRACE_NODES + i) *
							machine_map_of(cells)->size))
				->id = i + 1;
	}
	for (i = 0; i < (shape->vias ? TRACE_FUNCTIONS + TRACE_VIAS : TRACE_FUNCTIONS); i++)
		guard_set(i);
}

/*
 * A task of a command ends, whether the program saw that or not, and another one that is not of the
 * command gets its address.
 */
static void replace_outsider(void)
{
	struct machine_task *t = &machine.tasks[outsider];

	course_birth(&machine.tasks[(outsider + 1) % machine.n_tasks], t);
	if (machine_chance(&row) & 1)
		course_free(t);
	course_birth(&machine.tasks[MACHINE_TASKS - 1], t);
}

static const char *run(__u64 seed, void (*fire)(void), __u64 next)
{
	char texts[4][TRACE_BODY];
	int i;

	clear();
	machine_begin(seed);
	settings();
	for (i = 0; i < shape->n_tasks; i++) {
		if (shape->tasks[i])
			snprintf(texts[i], TRACE_BODY, "%s", shape->tasks[i]);
		else
			course_text(texts[i]);
		machine_add(i % shape->n_cpus, shape->idle && i < shape->n_cpus, course_body,
			    texts[i]);
	}
	if (shape->command) {
		control_follow();
		replace_outsider();
	}
	machine.fire = fire;
	machine.next = next;
	machine_go();
	return judge();
}

const char *trace_chance(const struct trace_shape *of, __u64 seed)
{
	shape = of;
	row = machine_mix(seed);
	return run(seed, course_fire, 1 + machine_chance(&row) % (4 * of->mean));
}

const char *trace_planned(const struct trace_shape *of, struct trace_plan *with, __u64 *points)
{
	const char *text;

	shape = of;
	course_follow(with);
	text = run(1, course_fire_planned, with->n ? with->at[0] : ~0ULL);
	*points = machine.at;
	return text;
}

__u64 trace_first_end(void)
{
	return calls[0].ended_at;
}

/* No functions and programs are at addresses of their own. */
__u64 bpf_get_func_ip(void *ctx)
{
	return 0;
}

long bpf_probe_read_user(void *to, __u32 size, const void *from)
{
	return -14; /* EFAULT */
}
