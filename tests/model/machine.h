/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine.h - a small kernel in user space: processors, tasks, interrupts, and the helpers that
 * BPF programs call. In: what runs, and a plan of what comes in between. Out: the same course
 * each time it is run with that plan. Called by the models of the programs (trace.c, kmem.c).
 *
 * The programs are compiled with -fsanitize=thread. The functions that the compiler then calls
 * before each access to shared memory are here: each is a point, and at a point the plan
 * may let an interrupt, an NMI, another task or another processor run.
 */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include "vmlinux.h"

#ifndef NULL
#define NULL ((void *)0)
#endif

#define MACHINE_CPUS 2
#define MACHINE_BEGIN_NS 1000000000 /* the first time */
#define MACHINE_TASKS 8
#define MACHINE_STACK 16384 /* bytes, and aligned to them, as in the kernel */

/** enum machine_level - what runs on a processor; each may come on top of lower ones */
enum machine_level {
	MACHINE_TASK,
	MACHINE_SOFTIRQ,
	MACHINE_IRQ,
	MACHINE_NMI,
	MACHINE_LEVELS,
};

struct machine_run; /* a program that runs, as the model of the programs knows it */

/**
 * struct machine_task - a task
 * @ts: as the programs see it
 * @cpu: its processor
 * @sp: its stack pointer while no interrupt runs on top
 * @in_program: programs that run in it now, and those in interrupts on top
 * @run: the innermost of them
 * @done: it has run to its end
 * @dies: it leaves the calls that it is in without their ends
 * @body: what it does
 * @arg: for @body
 */
struct machine_task {
	struct task_struct ts;
	int cpu;
	__u64 sp;
	int in_program;
	struct machine_run *run;
	bool done, dies;
	void (*body)(void *arg);
	void *arg;
};

/**
 * struct machine_cpu - a processor
 * @now: the task that runs there
 * @level: what runs on top of it
 * @sp: stack pointers of the interrupts' stacks, by level
 * @locked: an update of a map holds its lock: another one on top of it fails
 * @kprobes: kprobe programs that run, as the kernel counts them
 */
struct machine_cpu {
	struct machine_task *now;
	enum machine_level level;
	__u64 sp[MACHINE_LEVELS];
	int locked;
	int kprobes;
};

/**
 * struct machine - all of it
 * @at: number of points passed
 * @next: the point at which @fire is called
 * @quiet: no points now
 * @preempts: tasks may be preempted inside programs
 * @cpu: processor that runs
 * @ns: clock
 */
struct machine {
	__u64 at;
	__u64 next;
	void (*fire)(void);
	int quiet;
	bool preempts;
	int cpu;
	__u64 ns;
	__u64 clock_seed;
	int n_tasks;
	struct machine_cpu cpus[MACHINE_CPUS];
	struct machine_task tasks[MACHINE_TASKS];
};

extern struct machine machine;

static inline struct machine_cpu *machine_here(void)
{
	return &machine.cpus[machine.cpu];
}

static inline struct machine_task *machine_task(void)
{
	return machine_here()->now;
}

/** machine_point() - something may come in between here */
void machine_point(void);

/** machine_begin() - forget all tasks and start the clock; @seed: of the clock's steps */
void machine_begin(__u64 seed);

/** machine_add() - a task on @cpu that does @body */
struct machine_task *machine_add(int cpu, bool idle, void (*body)(void *), void *arg);

/** machine_go() - run all tasks to their ends */
void machine_go(void);

/** machine_sleep() - let another task of this processor run; false: there is none */
bool machine_sleep(bool voluntary);

/** machine_may_preempt() - whether the task that runs may be switched out here */
bool machine_may_preempt(void);

/** machine_other_cpu() - let another processor go on, as far as its next switch; false: none */
bool machine_other_cpu(void);

/** machine_move() - the task that runs moves to another processor, where it waits for its turn */
void machine_move(int cpu);

/** machine_may_interrupt() - whether @level may come on top of what runs */
bool machine_may_interrupt(enum machine_level level);

/** machine_interrupt() - run @body on top of what runs */
void machine_interrupt(enum machine_level level, void (*body)(void *), void *arg);

/** machine_frame() - enter a function: the address of its frame; machine_leave() leaves it */
__u64 machine_frame(__u32 bytes);
void machine_leave(__u32 bytes);

/** machine_clock() - the next time, later than all before */
__u64 machine_clock(void);

/* ---- maps ---- */

/** enum machine_map_kind - what its places are found by */
enum machine_map_kind {
	MACHINE_ARRAY,
	MACHINE_PERCPU,
	MACHINE_HASH,
};

/**
 * struct machine_map - a map
 * @kind: see enum machine_map_kind
 * @entries: number of places
 * @size: bytes of a value
 * @values: all of them; those of a processor behind each other
 * @keys: of a hash map: 0 where the place is free
 */
struct machine_map {
	enum machine_map_kind kind;
	__u32 entries;
	__u32 size;
	char *values;
	__u64 *keys;
};

/** machine_map() - give @map, as the programs know it, its memory, all zero */
struct machine_map *machine_map(void *map, enum machine_map_kind kind, __u32 entries, __u32 size);

/** machine_map_of() - what machine_map() made */
static inline struct machine_map *machine_map_of(void *map)
{
	return *(struct machine_map **)map;
}

/** machine_clear() - all zero again */
void machine_clear(void *map);

/** machine_set() - write a setting, which is constant for the programs */
void machine_set(const volatile void *setting, __u64 value, __u32 size);
#define MACHINE_SET(setting, value) machine_set(&(setting), value, sizeof(setting))

/* ---- what the model of the programs is told: it defines these ---- */

/** model_exchanged() - @at held @old and was given another value by one atomic exchange */
void model_exchanged(void *at, __u64 old);

/** model_adds() - @at is about to be added to */
void model_adds(void *at);

/** model_clock() - a program reads the clock */
void model_clock(__u64 ns);

/** model_touched() - a place of an array was looked up */
void model_touched(void *map, __u32 i);

/* ---- chance ---- */

static inline __u64 machine_mix(__u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/** machine_chance() - the next of a row of numbers */
static inline __u64 machine_chance(__u64 *row)
{
	*row += 0x9e3779b97f4a7c15ULL;
	return machine_mix(*row);
}

#endif /* MODEL_MACHINE_H */
