// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_callees.c - does each call divide into itself and its callees, and is each of them what its
 * task did? Comes in: nothing, or how often as long to go on. Goes out: TAP. Called by model.t.
 *
 * Tasks call a function, which calls others and itself; they call it, too. Interrupts come at any
 * access to memory and call all of them, and tasks are preempted inside programs, so that the
 * kernel skips some. A call of which that is not known must be right, or be left undivided.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callees.h"

#define TASKS 5
#define CALLEES 3
#define PROGRAMS (2 + 2 * CALLEES)
#define MEAN 60
#define LONG_NS 1000000 /* in a function, of itself */

extern char parts[], callees[], callees_found[], guards[], guards_seen[], heres[], cells[];
extern const volatile bool with_parts;
extern const volatile __u32 parts_shift, n_callees, n_possible_cpus;
extern const volatile bool may_doubt, parts_numbered;
int callee_enter(void *ctx);
int callee_leave(void *ctx);
int parts_switch(__u64 *ctx);
int parts_free(__u64 *ctx);

/** struct shape - what happens */
static const struct shape {
	const char *name;
	int depth; /* of calls inside each other */
	bool preempts; /* inside programs too */
	bool interrupts;
	bool complete; /* each call that is seen is divided */
} shapes[] = {
	{ "calls in calls", 3, .complete = true },
	{ "interrupts", 1, .interrupts = true },
	{ "recursion deeper than is kept", 12, .interrupts = true },
	{ "preemption inside programs", 4, true },
	{ "preemption and interrupts", 4, true, true },
};

/** struct caller - an open call of the target, with its truth */
struct caller {
	struct model_caller c;
	struct caller *up; /* the one around it on the same stack */
	int ways; /* callees that are open, one inside the other */
	__u64 skips; /* of programs of the target, before it */
	__u64 least_ns[CALLEES], most_ns[CALLEES];
};

static const struct shape *shape;
static __u64 row, misses[MACHINE_CPUS][PROGRAMS], n_calls, n_undivided;
static char wrong[240];
static bool active[MACHINE_CPUS][PROGRAMS];
static int nth_now[MACHINE_TASKS];
/* samples of a call that is being recorded: itself, callees, undivided */
static __u64 *samples[MACHINE_TASKS];
static struct caller *open[MACHINE_TASKS][MACHINE_LEVELS];
static __u64 skips; /* of programs of the target */

void model_exchanged(void *at, __u64 old)
{
}

void model_adds(void *at)
{
}

void model_clock(__u64 ns)
{
}

void model_touched(void *map, __u32 i)
{
}

static int me(void)
{
	return machine_task() - machine.tasks;
}

/* Nodes are numbers of samples. */
void kstats_record(__u32 id, __u64 v)
{
	samples[me()][id] += v + 1;
}

int kstats_array_record(__u32 id, __u32 index, __u64 v)
{
	return 0;
}

__u64 machine_patched(__u64 magic)
{
	return nth_now[me()];
}

__u64 machine_setting(__u64 magic)
{
	return magic;
}

static void say(const char *what, __u64 is, __u64 must)
{
	if (!wrong[0])
		snprintf(wrong, sizeof(wrong), "%s: %llu, and not %llu", what, is, must);
}

/* ---- programs ---- */

/* The kernel runs no program inside itself on one processor, and counts what it skips. */
static bool program_begins(int n)
{
	if (active[machine.cpu][n]) {
		misses[machine.cpu][n]++;
		skips += n < 2;
		return false;
	}
	active[machine.cpu][n] = true;
	machine_task()->in_program++;
	return true;
}

static void program_ends(int n)
{
	machine_task()->in_program--;
	active[machine.cpu][n] = false;
}

static void on_callee(int callee, bool end, __u32 frame)
{
	int was = nth_now[me()], n = 2 + 2 * callee + end;

	if (!program_begins(n))
		return;
	nth_now[me()] = callee;
	end ? callee_leave((void *)(__u64)frame) : callee_enter((void *)(__u64)frame);
	nth_now[me()] = was;
	program_ends(n);
}

/* ---- calls ---- */

/* A record has what was recorded. */
static void judge_kept(const struct model_caller *c, const __u64 *is)
{
	int i;

	if (c->is_divided != !is[CALLEES + 1])
		say("calls with times in callees", c->is_divided, !c->is_divided);
	for (i = 0; c->is_divided && i <= KSTATS_CALLEES_MAX; i++) {
		if (i < CALLEES && c->callee_ns[i] != (is[1 + i] ? is[1 + i] - 1 : 0))
			say("the time in a callee that is kept", c->callee_ns[i], is[1 + i]);
		if (i == KSTATS_CALLEES_MAX && c->callee_ns[i] != is[0] - 1)
			say("the time in itself that is kept", c->callee_ns[i], is[0] - 1);
		if (i >= CALLEES && i < KSTATS_CALLEES_MAX && c->callee_ns[i])
			say("the time in what is no callee", c->callee_ns[i], 0);
	}
}

static void judge(const struct caller *c, const __u64 *is)
{
	__u64 sum = 0, ns;
	int i;

	n_calls += machine_here()->level == MACHINE_TASK;
	judge_kept(&c->c, is);
	if (is[CALLEES + 1]) {
		n_undivided += machine_here()->level == MACHINE_TASK;
		if (shape->complete && machine_here()->level == MACHINE_TASK)
			say("calls that are not divided", 1, 0);
		if (is[CALLEES + 1] - 1 != c->c.end_ns - c->c.ns)
			say("the time that is not divided", is[CALLEES + 1] - 1,
			    c->c.end_ns - c->c.ns);
		return;
	}
	for (i = 0; i <= CALLEES; i++)
		sum += is[i] ? is[i] - 1 : 0;
	if (sum != c->c.end_ns - c->c.ns)
		say("the sum", sum, c->c.end_ns - c->c.ns);
	for (i = 0; i < CALLEES; i++) {
		ns = is[1 + i] ? is[1 + i] - 1 : 0;
		if (ns < c->least_ns[i] || ns > c->most_ns[i])
			say("the time in a callee", ns, c->least_ns[i]);
	}
}

/* All interrupts but NMIs have one stack. */
static struct caller **here(void)
{
	enum machine_level level = machine_here()->level;

	return &open[me()][level == MACHINE_IRQ ? MACHINE_SOFTIRQ : level];
}

static void call(int depth);

/* Back on a processor, maybe another task was there. */
static void change(bool preempt)
{
	struct task_struct idle = {};
	struct task_struct *self = &machine_task()->ts;
	__u64 out[] = { preempt, (__u64)self, (__u64)&idle, !preempt };
	__u64 in[] = { 0, (__u64)&idle, (__u64)self, 0 };

	self->nivcsw++;
	parts_switch(out);
	machine_sleep(!preempt);
	parts_switch(in);
}

static void body(int depth)
{
	int n = depth > 3 ? 0 : machine_chance(&row) % 3;

	do {
		machine_point();
		machine.ns += LONG_NS;
		if (machine_here()->level == MACHINE_TASK && !(machine_chance(&row) % 5))
			change(false);
		if (depth)
			call(depth - 1);
	} while (n--);
}

/* The truth lies between what is certainly in the callee and what may be. */
static void call_callee(int callee, int depth)
{
	__u32 frame = machine_frame(128);
	struct caller *c = *here();
	__u64 before = machine.ns, after;

	on_callee(callee, false, frame);
	after = machine.ns;
	if (c)
		c->ways++;
	body(depth);
	if (c && !--c->ways) {
		c->least_ns[callee] += machine.ns - after;
		on_callee(callee, true, frame);
		c->most_ns[callee] += machine.ns - before;
	} else {
		on_callee(callee, true, frame);
	}
	machine_leave(128);
}

static void call_target(int depth)
{
	struct caller c = { .c.frame = machine_frame(128), .up = *here(), .skips = skips };
	__u64 is[CALLEES + 2] = {}, *was;
	bool seen = program_begins(0);

	if (seen) {
		points_begin(&c.c);
		program_ends(0);
		*here() = &c;
	}
	body(depth);
	*here() = c.up;
	if (seen && program_begins(1)) {
		was = samples[me()];
		samples[me()] = is;
		points_end(&c.c);
		samples[me()] = was;
		program_ends(1);
		/* Else what a skipped program hides makes it unverified. */
		if (!shape->preempts || c.skips == skips)
			judge(&c, is);
	}
	machine_leave(128);
}

static void call(int depth)
{
	int which = machine_chance(&row) % (CALLEES + 1);

	if (which)
		call_callee(which - 1, depth);
	else
		call_target(depth);
}

static void work(void *unused)
{
	int n = 3 + machine_chance(&row) % 4;

	while (n--) {
		call_target(shape->depth);
		machine_point();
	}
}

/* ---- what comes in between ---- */

static void interrupt(void *level)
{
	machine.ns += LONG_NS;
	if (machine_chance(&row) % 2)
		call(1);
}

static void fire(void)
{
	__u64 dice = machine_chance(&row);
	enum machine_level level = MACHINE_SOFTIRQ + dice % 3;

	machine.next = machine.at + 1 + (dice >> 8) % (2 * MEAN);
	if (dice & 4)
		machine_other_cpu();
	else if (dice & 8 && machine_may_preempt())
		change(true);
	else if (shape->interrupts && machine_may_interrupt(level))
		machine_interrupt(level, interrupt, NULL);
}

/* ---- all ---- */

static void run(__u64 seed)
{
	char *const maps[] = { parts, callees, callees_found, guards_seen, cells };
	struct kstats_guard *g = (void *)machine_map_of(guards)->values;
	struct kstats_heres *h = (void *)machine_map_of(heres)->values;
	struct kstats_cell *cell;
	__u64 ctx[1];
	int i;

	row = machine_mix(seed);
	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		machine_clear(maps[i]);
	memset(active, 0, sizeof(active));
	memset(misses, 0, sizeof(misses));
	memset(open, 0, sizeof(open));
	memset(g, 0, CALLEES * sizeof(*g));
	for (i = 0; i < MACHINE_CPUS; i++)
		h->at[i] = (__u64)misses[i];
	for (i = 0; i < CALLEES; i++) {
		g[i].misses[0] = (char *)&misses[0][2 + 2 * i] - (char *)misses[0];
		g[i].misses[1] = (char *)&misses[0][3 + 2 * i] - (char *)misses[0];
	}
	for (i = 0; i < MACHINE_CPUS * (CALLEES + 2); i++) {
		cell = (void *)(machine_map_of(cells)->values + i * sizeof(*cell));
		cell->id = i % (CALLEES + 2);
	}
	machine_begin(seed);
	machine.preempts = shape->preempts;
	MACHINE_SET(may_doubt, shape->preempts);
	for (i = 0; i < TASKS; i++)
		machine_add(i % MACHINE_CPUS, false, work, NULL);
	machine.fire = fire;
	machine.next = 1 + machine_chance(&row) % MEAN;
	machine_go();
	for (i = 0; i < TASKS; i++) {
		ctx[0] = (__u64)&machine.tasks[i].ts;
		parts_free(ctx);
	}
}

int main(int argc, char **argv)
{
	__u64 runs = 2000ULL * (argc > 1 ? atoi(argv[1]) : 1), seed;
	int n_tests = 0, n_failed = 0;

	machine_map(parts, MACHINE_ARRAY, 64, sizeof(struct kstats_parts_bucket));
	machine_map(callees, MACHINE_ARRAY, 64 * KSTATS_PARTS_WAYS * KSTATS_CALLEES_DEPTH,
		    sizeof(struct kstats_callees));
	machine_map(callees_found, MACHINE_PERCPU, 1, sizeof(struct kstats_callees));
	machine_map(guards, MACHINE_ARRAY, CALLEES, sizeof(struct kstats_guard));
	machine_map(guards_seen, MACHINE_PERCPU, CALLEES, sizeof(struct kstats_seen));
	machine_map(heres, MACHINE_ARRAY, 1, sizeof(struct kstats_heres));
	machine_map(cells, MACHINE_PERCPU, CALLEES + 2, sizeof(struct kstats_cell));
	MACHINE_SET(parts_shift, 26);
	MACHINE_SET(with_parts, 1);
	MACHINE_SET(n_callees, CALLEES);
	MACHINE_SET(parts_numbered, 1);
	MACHINE_SET(n_possible_cpus, MACHINE_CPUS);
	for (shape = shapes; shape < shapes + sizeof(shapes) / sizeof(shapes[0]); shape++) {
		if (n_failed && getenv("MODEL_FIRST"))
			break;
		wrong[0] = 0;
		n_calls = n_undivided = 0;
		for (seed = 1; seed <= runs && !wrong[0]; seed++)
			run(seed);
		if (!wrong[0] && n_undivided > n_calls / 2)
			say("calls that are not divided", n_undivided, n_calls);
		printf("%s %d - callees: %s: %llu runs, %llu calls, %llu undivided\n",
		       wrong[0] ? "not ok" : "ok", ++n_tests, shape->name, seed - 1, n_calls,
		       n_undivided);
		if (wrong[0])
			printf("# seed %llu: %s\n", seed - 1, wrong);
		n_failed += !!wrong[0];
	}
	printf("1..%d\n", n_tests);
	return !!n_failed;
}
