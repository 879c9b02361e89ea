/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.h - the programs of bpf/kstats.bpf.c on the machine of machine.h. In: a shape (what is
 * measured, how, and what comes in between). Out: what became of each call, and whether that may
 * be. Scenarios are in trace_scenarios.h.
 */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include "machine.h"
#include "kstats_abi.h"
#include "kstats_who.h"

#define TRACE_FUNCTIONS 4
#define TRACE_STRIDE 4 /* nodes of a function: samples, gaps or errors, apart, a spare one */
#define TRACE_KEYS 4 /* nodes of --by */
#define TRACE_APART (TRACE_FUNCTIONS * TRACE_STRIDE) /* the first node of unverified samples */
#define TRACE_BY (TRACE_APART + TRACE_FUNCTIONS)
#define TRACE_VIA (TRACE_BY + TRACE_KEYS) /* nodes of stages, and of calls that passed twice */
#define TRACE_VIAS 2
#define TRACE_NODES (TRACE_VIA + TRACE_VIAS + 2)
#define TRACE_BODY 120

/** enum trace_method - which programs run at the start and at the end of a call */
enum trace_method {
	TRACE_FENTRY, /* a trampoline: fentry and fexit */
	TRACE_FSESSION, /* a trampoline with a cookie */
	TRACE_KPROBE, /* kprobe and kretprobe */
	TRACE_KSESSION, /* a kprobe session with a cookie */
	TRACE_POINTS, /* a pair of raw tracepoints */
	TRACE_EVENTS, /* a pair of trace events */
};

/**
 * struct trace_shape - what is measured, and what comes in between
 * @tasks: bodies of the tasks: "a(bc)a" is a call of function a, in which b and then c are called,
 *	and another call of a. A digit behind a letter is an argument: of --by or --key its key, of
 *	--if 0 for a condition that does not hold, and 2 for one that cannot be read. "s1" and "e1"
 *	are the start and the end of the pair with key 1, "~" sleeps, "!" dies, ">" moves to the
 *	other processor, "=" changes the name of the task; "a(/b)" jumps from a to b, which returns
 *	to the caller of a. Of several points, a call of b is a start by another point that is
 *	cancelled; "t" and "c" are these points alone; "v" and "w" are on the way to an end. NULL:
 *	by chance
 * @interrupts: what may come in between, by level; the first letter is I, S or N for interrupt,
 *	softirq and NMI. NULL: by chance
 * @cpus: the processor of each task
 * @idle: the first task of each processor is its idle task
 * @mean: by chance, points from one event to the next
 * @begins: the first of @interrupts comes at the first point
 * @upon_end: the first of @interrupts comes when the end of the first call has begun, or later
 * @in_turn: with events at given points, the first one is the first of @interrupts, and so on
 */
struct trace_shape {
	const char *name;
	enum trace_method method;
	enum kstats_pairing pairing;
	const char *tasks[4];
	const char *interrupts[5]; /* the last one is NULL */
	int n_tasks;
	int n_cpus;
	int functions;
	bool begins;
	bool upon_end;
	bool in_turn;
	bool idle;
	bool preempts;
	bool gap;
	bool asks_if;
	bool asks_by;
	bool by_at_end;
	bool pool; /* cookies come from a pool and keep their old value */
	bool ends_alone; /* the return of a session runs though its entry was skipped */
	bool controls; /* stop, start and reset come in between */
	bool merged; /* all functions have one node */
	bool several; /* two starts, an end and a cancel; with two functions, merged */
	bool first; /* of several starts before an end the first counts */
	bool keeps; /* values of a start are kept for its end */
	bool counts; /* ends ask how often the task left the processor */
	bool vias; /* of several points, two are on the way */
	bool owns; /* points have conditions: an argument is what it is of --if */
	bool deaths; /* by chance, tasks die inside of calls */
	bool unguarded; /* whether a start runs on this processor is not known */
	bool apart; /* by chance, the points of a pair come alone, too */
	bool meet; /* keys share their places */
	bool counts_runs; /* kprobe programs count their runs */
	bool on_first; /* starts on the first processor only */
	bool renames; /* starts under the first name only; by chance, tasks change their names */
	bool command; /* only the tasks of a command; a stop or a reset goes over to another one */
	int deep; /* by chance, calls are nested up to here */
	int mean;
	bool nmi;
};

/** trace_open() - make the maps */
void trace_open(void);

/**
 * struct trace_plan - events at given points: see trace_planned()
 * @at: their points
 * @what: which of the interrupts of the shape they are
 * @ended_at: receives where each ended; 0: it could not come there
 */
struct trace_plan {
	__u64 at[8];
	int what[8];
	int n;
	__u64 ended_at[8];
};

/** trace_may_come() - false: event @what cannot come at @at, since a run with @plan was there */
bool trace_may_come(const struct trace_plan *plan, const char *what, __u64 at);

/**
 * trace_chance() - run a shape by chance
 *
 * Return: NULL, or what is wrong.
 */
const char *trace_chance(const struct trace_shape *shape, __u64 seed);

/**
 * trace_planned() - run a shape with interrupts at given points
 * @with: what comes where; receives what became of it
 * @points: receives how many points there were
 *
 * Return: NULL, or what is wrong.
 */
const char *trace_planned(const struct trace_shape *shape, struct trace_plan *with, __u64 *points);

/** trace_first_end() - the point of the last run at which the end of its first call began */
__u64 trace_first_end(void);

/** struct trace_sums - what all runs so far came to; it shows that a scenario has its case */
struct trace_sums {
	__u64 calls;
	__u64 skipped_starts;
	__u64 skipped_ends;
	__u64 fates[KSTATS_LEDGER_SPACE];
	__u64 recorded;
	__u64 open;
	__u64 seldom; /* runs with an end that missed the newest start: see say_seldom() */
	__u64 below_holes; /* calls that were counted as lost: see lies_below_hole() */
};

extern struct trace_sums trace_sums;

#endif /* MODEL_TRACE_H */
