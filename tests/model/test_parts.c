// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_parts.c - do the parts of each call add up, and is each of them what its task did? Comes
 * in: nothing, or how often as long to go on. Goes out: TAP. Called by model.t.
 *
 * Tasks call functions, one inside the other; they spin, sleep, are preempted and moved. Interrupts
 * come at any access to memory, and call functions too. The truth is kept beside it, by the same
 * clock: a wait is far longer than what the programs themselves take.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kstats_why.h"
#include "parts.h"

#define TASKS 6
#define FUNCTIONS 2
#define MEAN 40
#define MOST_UNDER 64
#define WAIT_NS 1000000 /* at least, where a task waits */
#define ERROR_NS 200000 /* what a program and interrupts on top of it take */
#define IRQ_NS 20000

extern char parts[], parts_irqs[], why_waits[];
extern const volatile __u32 parts_shift;
extern const volatile bool with_parts, with_why, parts_numbered;
extern __u64 why_wait_ns;
int why_waking(__u64 *ctx);
int parts_switch(__u64 *ctx);
int parts_wakeup(__u64 *ctx);
int parts_free(__u64 *ctx);
int irq_begins(__u64 *ctx);
int irq_ends(__u64 *ctx);
int softirq_begins(__u64 *ctx);
int softirq_ends(__u64 *ctx);

/** struct shape - what happens */
static const struct shape {
	const char *name;
	int depth; /* of calls inside each other */
	bool preempts; /* inside programs too */
	bool interrupts;
	bool dies; /* some tasks, inside a call */
	bool crowded; /* all tasks hash to the same few places */
	int often; /* points between what comes in between; 0: MEAN */
	bool jumps; /* out of calls, whose ends are not seen */
	bool under; /* functions that are not measured call the outermost ones */
	bool complete; /* each call that is seen has parts */
} shapes[] = {
	{ "calls that sleep and spin", 4, .complete = true },
	{ "interrupts", 4, .interrupts = true, .complete = true },
	{ "recursion deeper than is kept", 40, .interrupts = true },
	{ "jumps out of calls", 6, .jumps = true, .complete = true },
	{ "jumps out of calls, interrupts", 6, .interrupts = true, .jumps = true,
	  .complete = true },
	{ "jumps out of as many calls as are kept", KSTATS_STACK_DEPTH - 1, .jumps = true,
	  .under = true },
	{ "tasks that die inside", 6, .interrupts = true, .dies = true, .complete = true },
	{ "too few places", 3, .interrupts = true, .dies = true, .crowded = true },
	{ "places that are taken all the time", 1, .interrupts = true, .crowded = true,
	  .often = 6 },
	{ "jumps out of recursion deeper than is kept", 30, .jumps = true },
	{ "preemption inside programs", 6, true, true, true, .jumps = true },
};

enum doing {
	RUNS,
	RUNNABLE,
	SLEEPS,
	BLOCKS
};

static const struct shape *shape;
static __u64 row;
static char wrong[240];
static struct model_truth truth[MACHINE_TASKS];
static enum doing doing[MACHINE_TASKS];
static __u64 since[MACHINE_TASKS];
static int jumps[MACHINE_TASKS]; /* calls that it still has to leave */
static bool calm[MACHINE_TASKS]; /* it jumps no more */
static __u32 under[MACHINE_TASKS]; /* at most so many functions call its outermost call */
static bool active[MACHINE_CPUS][2 * FUNCTIONS], in_switch;
static __u64 n_calls, n_known, n_unknown, irq_found, irq_true;
static bool lost;
static struct task_struct idle; /* at one address, so that its hash is the same in each run */
static int nested[MACHINE_CPUS];

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

void kstats_record(__u32 id, __u64 v)
{
}

int kstats_array_record(__u32 id, __u32 index, __u64 v)
{
	return 0;
}

__u64 machine_patched(__u64 magic)
{
	return 0;
}

__u64 machine_setting(__u64 magic)
{
	return magic;
}

static int me(void)
{
	return machine_task() - machine.tasks;
}

static void say(const char *what, __u64 is, __u64 must)
{
	if (!wrong[0])
		snprintf(wrong, sizeof(wrong), "%s: %llu, and not %llu", what, is, must);
}

/* ---- what tasks do ---- */

/* Nothing but an NMI comes in between. */
static void sched(int (*program)(__u64 *), __u64 *ctx)
{
	bool was = in_switch;

	in_switch = true;
	program(ctx);
	in_switch = was;
}

static void passes(__u64 ns)
{
	machine.ns += ns;
}

static void spend(int task)
{
	__u64 ns = machine.ns - since[task];

	if (doing[task]) {
		truth[task].off_ns[doing[task] - RUNNABLE] += ns;
		if (truth[task].wait_ns < ns)
			truth[task].wait_ns = ns;
	}
	since[task] = machine.ns;
}

static void out(enum doing how, bool preempt)
{
	static const unsigned int states[] = { [RUNNABLE] = 0, [SLEEPS] = 1, [BLOCKS] = 2 };
	struct task_struct *prev = &machine_task()->ts;
	/* Preempted on the way to sleep, it has a state as well. */
	__u64 ctx[] = { preempt, (__u64)prev, (__u64)&idle,
			preempt ? machine_chance(&row) % 2 : states[how] };

	prev->__state = ctx[3];
	/* A signal came: the state that the program is given is an old one. */
	if (!preempt && how == RUNNABLE && machine_chance(&row) % 2)
		ctx[3] = 1;
	spend(me());
	doing[me()] = how;
	truth[me()].switches++;
	sched(parts_switch, ctx);
}

static void in(void)
{
	__u64 ctx[] = { 0, (__u64)&idle, (__u64)&machine_task()->ts, 1 };

	spend(me());
	doing[me()] = RUNS;
	sched(parts_switch, ctx);
}

static void wake(int task)
{
	__u64 ctx[] = { (__u64)&machine.tasks[task].ts };

	if (task >= machine.n_tasks || machine.tasks[task].done)
		return;
	if (doing[task] == SLEEPS || doing[task] == BLOCKS) {
		sched(why_waking, ctx);
		spend(task);
		doing[task] = RUNNABLE;
	}
	/* Also of a task that runs, or that was woken before. */
	sched(parts_wakeup, ctx);
}

/* Back on a processor; somebody has woken it. */
static void leave(enum doing how, bool preempt)
{
	int task = me();

	out(how, preempt);
	passes(WAIT_NS + machine_chance(&row) % WAIT_NS);
	machine_sleep(!preempt);
	passes(WAIT_NS);
	if (doing[task] != RUNNABLE)
		wake(task);
	passes(machine_chance(&row) % 4 * WAIT_NS);
	in();
}

/* ---- calls ---- */

void model_began(struct model_call *c)
{
	if (c->outermost)
		truth[me()].wait_ns = 0;
	c->from = truth[me()];
}

void model_ended(struct model_call *c)
{
	c->to = truth[me()];
}

static __u64 apart(__u64 a, __u64 b)
{
	return a > b ? a - b : b - a;
}

static void judge(const struct model_call *c)
{
	static const char *const names[] = { "runnable", "sleeping", "blocked" };
	__u64 sum = c->parts[KSTATS_PART_RUNNING], off, irq = c->to.irq_ns - c->from.irq_ns;
	__u64 error = ERROR_NS * (1 + c->to.switches - c->from.switches);
	int i;

	n_calls++;
	if (!c->known) {
		n_unknown++;
		if (shape->complete && !lost)
			say("calls without parts", 1, 0);
		return;
	}
	n_known++;
	for (i = 0; i < KSTATS_PARTS_OFF; i++) {
		off = c->to.off_ns[i] - c->from.off_ns[i];
		sum += c->parts[KSTATS_PART_RUNNABLE + i];
		if (apart(c->parts[KSTATS_PART_RUNNABLE + i], off) > error)
			say(names[i], c->parts[KSTATS_PART_RUNNABLE + i], off);
	}
	if (sum != c->end_ns - c->ns)
		say("sum of the parts", sum, c->end_ns - c->ns);
	if (c->outermost && !shape->preempts && apart(c->wait_ns, c->to.wait_ns) > error)
		say("the longest wait", c->wait_ns, c->to.wait_ns);
	if (c->left != (c->to.switches != c->from.switches))
		say("left the processor", c->left, !c->left);
	/* Of a call inside an interrupt the truth is not known here. */
	if (nested[machine.cpu])
		return;
	if (c->parts[KSTATS_PART_INTERRUPTED] > irq)
		say("interrupted", c->parts[KSTATS_PART_INTERRUPTED], irq);
	irq_found += c->parts[KSTATS_PART_INTERRUPTED];
	irq_true += irq;
}

/* No call of the task is open. */
static void judge_place(void)
{
	const struct kstats_parts_bucket *b = (void *)machine_map_of(parts)->values;
	__u32 n, i;

	for (n = 0; n < machine_map_of(parts)->entries; n++)
		for (i = 0; i < KSTATS_PARTS_WAYS; i++)
			if (b[n].owner[i] == (__u64)&machine_task()->ts)
				say("places without an open call", 1, 0);
}

/* The kernel runs no program inside itself on one processor. */
static bool program(int n, void (*run)(struct model_call *), struct model_call *c)
{
	bool *here = &active[machine.cpu][n];

	if (*here)
		return false;
	*here = true;
	machine_task()->in_program++;
	run(c);
	machine_task()->in_program--;
	*here = false;
	return true;
}

static bool call(int depth);

static bool is_task(void)
{
	return machine_here()->level == MACHINE_TASK;
}

static bool may_jump(void)
{
	return shape->jumps && is_task() && !calm[me()];
}

/* Out of all calls where they are nested deep. */
static int most_jumps(void)
{
	return shape->depth > 6 ? shape->depth : 4;
}

static bool body(int depth)
{
	int n = machine_chance(&row) % 3;

	while (n-- && !jumps[me()]) {
		machine_point();
		passes(machine_chance(&row) % 1000);
		if (is_task()) {
			switch (machine_chance(&row) % 12) {
			case 0:
				leave(SLEEPS, false);
				break;
			case 1:
				leave(BLOCKS, false);
				break;
			case 2:
				leave(RUNNABLE, false);
				break;
			case 3:
				wake(machine_chance(&row) % TASKS);
				break;
			case 4:
				passes(WAIT_NS);
				break;
			case 5:
				jumps[me()] =
					may_jump() ? 1 + machine_chance(&row) % most_jumps() : 0;
				return true;
			}
		}
		if (depth && !call(depth - 1))
			return false;
	}
	return true;
}

static bool call_inside(int depth)
{
	/* Of two at one frame, the first may have ended with a jump to the second. */
	int function = depth == shape->depth ? 0 : machine_chance(&row) % FUNCTIONS;
	struct model_call c = { .node = function, .frame = machine_frame(128) };
	bool seen;

	c.outermost = is_task() && depth == shape->depth;
	seen = program(2 * function, points_begin, &c);
	if (!(depth > 6 ? call(depth - 1) : body(depth)))
		return false;
	if (is_task() && shape->dies && !(machine_chance(&row) % 40))
		return false;
	if (is_task() && jumps[me()]) {
		jumps[me()]--;
		return true;
	}
	if (c.outermost)
		under[me()] = MOST_UNDER;
	/* An end without a start has no parts. */
	if (!seen)
		return true;
	if (program(2 * function + 1, points_end, &c))
		judge(&c);
	else
		lost = true;
	if (c.outermost && !shape->preempts && !lost)
		judge_place();
	return true;
}

/* False: the task has died. */
static bool call(int depth)
{
	bool goes_on = call_inside(depth);

	machine_leave(128);
	return goes_on;
}

/* False: as call(). A call is not told from one inside another that was left further up. */
static bool call_somewhere(void)
{
	__u32 *most = &under[me()], bytes;
	bool goes_on;

	*most = machine_chance(&row) % (*most + 1);
	bytes = shape->under ? 128 * *most : 0;
	machine_frame(bytes);
	goes_on = call(shape->depth);
	machine_leave(bytes);
	return goes_on;
}

static void work(void *unused)
{
	int n = 3 + machine_chance(&row) % 4;

	in();
	for (; n-- && call_somewhere(); jumps[me()] = 0) {
		machine_point();
		calm[me()] = n < 2;
	}
	out(SLEEPS, false);
}

/* ---- what comes in between ---- */

static void interrupt(void *level)
{
	bool soft = (__u64)level == MACHINE_SOFTIRQ, nmi = (__u64)level == MACHINE_NMI;
	__u64 ns = machine.ns;

	nested[machine.cpu]++;
	if (!nmi)
		soft ? softirq_begins(NULL) : irq_begins(NULL);
	passes(IRQ_NS);
	if (machine_chance(&row) % 2)
		call(1);
	if (!nmi)
		soft ? softirq_ends(NULL) : irq_ends(NULL);
	/* One on top of another is part of that. */
	if (!--nested[machine.cpu])
		truth[me()].irq_ns += machine.ns - ns;
}

static int mean(void)
{
	return shape->often ? shape->often : MEAN;
}

static void fire(void)
{
	__u64 dice = machine_chance(&row);
	enum machine_level level = MACHINE_SOFTIRQ + dice % 3;

	machine.next = machine.at + 1 + (dice >> 8) % (2 * mean());
	if (in_switch) {
		if (shape->interrupts && machine_may_interrupt(MACHINE_NMI))
			machine_interrupt(MACHINE_NMI, interrupt, (void *)MACHINE_NMI);
		return;
	}
	if (dice & 4)
		machine_other_cpu();
	else if (dice & 8 && machine_may_preempt())
		leave(RUNNABLE, true);
	else if (shape->interrupts && machine_may_interrupt(level))
		machine_interrupt(level, interrupt, (void *)level);
}

/* ---- all ---- */

static void judge_places(bool freed)
{
	const struct kstats_parts_bucket *b = (void *)machine_map_of(parts)->values;
	__u32 n, i;

	for (n = 0; n < machine_map_of(parts)->entries; n++) {
		if (freed && b[n].used)
			say("places that count as used", b[n].used, 0);
		for (i = 0; i < KSTATS_PARTS_WAYS; i++)
			if (b[n].owner[i])
				say(freed ? "places of tasks that are gone"
					  : "places without an open call",
				    1, 0);
	}
}

static void run(__u64 seed)
{
	__u64 ctx[1];
	int i;

	row = machine_mix(seed);
	machine_clear(parts);
	machine_clear(parts_irqs);
	memset(truth, 0, sizeof(truth));
	memset(doing, 0, sizeof(doing));
	memset(jumps, 0, sizeof(jumps));
	memset(calm, 0, sizeof(calm));
	memset(under, 0, sizeof(under));
	machine_clear(why_waits);
	memset(active, 0, sizeof(active));
	memset(nested, 0, sizeof(nested));
	lost = in_switch = false;
	machine_begin(seed);
	MACHINE_SET(parts_shift, shape->crowded ? 31 : 26);
	machine.preempts = shape->preempts;
	for (i = 0; i < TASKS; i++)
		machine_add(i % MACHINE_CPUS, false, work, NULL);
	machine.fire = fire;
	machine.next = 1 + machine_chance(&row) % mean();
	machine_go();
	if (!shape->dies && !shape->preempts && !lost)
		judge_places(false);
	for (i = 0; i < TASKS; i++) {
		ctx[0] = (__u64)&machine.tasks[i].ts;
		parts_free(ctx);
	}
	judge_places(true);
}

int main(int argc, char **argv)
{
	__u64 runs = 1500ULL * (argc > 1 ? atoi(argv[1]) : 1), seed;
	int n_tests = 0, n_failed = 0;

	machine_map(parts, MACHINE_ARRAY, 64, sizeof(struct kstats_parts_bucket));
	machine_map(why_waits, MACHINE_ARRAY, 64 * KSTATS_PARTS_WAYS,
		    sizeof(struct kstats_why_wait));
	MACHINE_SET(with_parts, 1);
	MACHINE_SET(with_why, 1);
	MACHINE_SET(parts_numbered, 1);
	why_wait_ns = WAIT_NS / 2;
	machine_map(parts_irqs, MACHINE_PERCPU, 1, 16);
	for (shape = shapes; shape < shapes + sizeof(shapes) / sizeof(shapes[0]); shape++) {
		if (n_failed && getenv("MODEL_FIRST"))
			break;
		wrong[0] = 0;
		n_calls = n_known = n_unknown = irq_found = irq_true = 0;
		for (seed = 1; seed <= (shape->often ? 4 : 1) * runs && !wrong[0]; seed++)
			run(seed);
		if (!wrong[0] && shape->interrupts && !shape->often && 2 * irq_found < irq_true)
			say("time in interrupts that was found", irq_found, irq_true);
		if (!wrong[0] && n_known < n_calls / 2)
			say("calls with parts", n_known, n_calls);
		printf("%s %d - parts: %s: %llu runs, %llu calls, %llu without parts\n",
		       wrong[0] ? "not ok" : "ok", ++n_tests, shape->name, seed - 1, n_calls,
		       n_unknown);
		if (wrong[0])
			printf("# seed %llu: %s\n", seed - 1, wrong);
		n_failed += !!wrong[0];
	}
	printf("1..%d\n", n_tests);
	return !!n_failed;
}
