// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_trace.c - scenarios of trace.h: by chance with fixed seeds, and with events at all points.
 * Comes in: nothing, or how often as long to go on; --tell NAME SEED prints the course of one run,
 * and --placed NAME POINT... that of events in turn at these points.
 * Goes out: TAP. Called by model.t.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tell.h"
#include "trace.h"

#define ANY .n_tasks = 4, .n_cpus = 2, .deep = 2, .mean = 60
#define SEVERAL .functions = 2, .merged = true, .several = true
#define ONE_TASK .n_tasks = 1, .n_cpus = 1, .deep = 2, .mean = 60

/* By chance. */
static const struct {
	int runs;
	struct trace_shape shape;
} chances[] = {
	{ 20000, { "fentry, one task", TRACE_FENTRY, KSTATS_BY_TASK, ONE_TASK, .functions = 2 } },
	{ 20000,
	  { "fentry, one function", TRACE_FENTRY, KSTATS_BY_TASK, ONE_TASK, .functions = 1 } },
	{ 10000,
	  { "fentry, NMIs", TRACE_FENTRY, KSTATS_BY_TASK, ONE_TASK, .functions = 2, .nmi = true } },
	{ 4000, { "fentry, tasks", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 3 } },
	{ 4000,
	  { "fentry, merged", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 3, .merged = true } },
	{ 4000,
	  { "fentry, preempted", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2,
	    .preempts = true } },
	{ 4000,
	  { "fentry, an idle task", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2,
	    .idle = true } },
	{ 4000,
	  { "fsession", TRACE_FSESSION, KSTATS_BY_TASK, ANY, .functions = 2, .nmi = true,
	    .preempts = true } },
	{ 4000,
	  { "fsession, ends alone", TRACE_FSESSION, KSTATS_BY_TASK, ANY, .functions = 2,
	    .nmi = true, .ends_alone = true } },
	{ 4000,
	  { "kprobe session", TRACE_KSESSION, KSTATS_BY_TASK, ANY, .functions = 2, .nmi = true } },
	{ 4000,
	  { "kprobe session, old cookies", TRACE_KSESSION, KSTATS_BY_TASK, ANY, .functions = 2,
	    .pool = true, .ends_alone = true } },
	{ 4000,
	  { "kprobe and kretprobe", TRACE_KPROBE, KSTATS_BY_TASK, ANY, .functions = 2, .nmi = true,
	    .counts_runs = true } },
	{ 4000,
	  { "fentry, gaps", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2, .gap = true } },
	{ 10000,
	  { "fentry, --if", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2, .asks_if = true } },
	{ 10000,
	  { "fentry, switches", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2,
	    .counts = true } },
	{ 4000,
	  { "pair, switches", TRACE_POINTS, KSTATS_BY_TASK, ANY, .functions = 1, .counts = true } },
	{ 10000,
	  { "fentry, one processor of two", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2,
	    .on_first = true } },
	{ 10000,
	  { "fentry, new names", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2,
	    .renames = true } },
	{ 4000,
	  { "fentry, new names, preempted", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2,
	    .renames = true, .preempts = true } },
	{ 4000,
	  { "pair, new names", TRACE_POINTS, KSTATS_BY_TASK, ANY, .functions = 1,
	    .renames = true } },
	{ 4000,
	  { "pair, new names, points apart", TRACE_POINTS, KSTATS_BY_TASK, ANY, .functions = 1,
	    .renames = true, .apart = true } },
	{ 4000,
	  { "several points, new names", TRACE_POINTS, KSTATS_BY_TASK, ANY, SEVERAL,
	    .renames = true, .owns = true, .apart = true } },
	{ 4000,
	  { "several points, new names, --first", TRACE_POINTS, KSTATS_BY_TASK, ANY, SEVERAL,
	    .renames = true, .first = true, .apart = true } },
	{ 4000,
	  { "pair by key, new names", TRACE_POINTS, KSTATS_BY_KEY, ANY, .functions = 1,
	    .renames = true, .apart = true } },
	{ 4000,
	  { "several points by key, new names", TRACE_POINTS, KSTATS_BY_KEY, ANY, SEVERAL,
	    .renames = true, .owns = true, .apart = true } },
	{ 4000,
	  { "pair per CPU, new names", TRACE_POINTS, KSTATS_BY_CPU, ANY, .functions = 1,
	    .renames = true, .apart = true } },
	{ 4000,
	  { "per CPU, new names", TRACE_FENTRY, KSTATS_BY_CPU, ANY, .functions = 2,
	    .renames = true } },
	{ 4000,
	  { "fentry, new names and gaps", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2,
	    .renames = true, .gap = true } },
	{ 4000,
	  { "fentry, new names and deaths", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2,
	    .renames = true, .deaths = true, .idle = true } },
	{ 4000,
	  { "fsession, new names", TRACE_FSESSION, KSTATS_BY_TASK, ANY, .functions = 2,
	    .renames = true } },
	{ 4000,
	  { "kprobe session, new names", TRACE_KSESSION, KSTATS_BY_TASK, ANY, .functions = 2,
	    .renames = true } },
	{ 10000,
	  { "fentry, a command", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2,
	    .command = true } },
	{ 4000,
	  { "fentry, a command and deaths", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2,
	    .command = true, .deaths = true } },
	{ 4000,
	  { "fentry, commands one after the other", TRACE_FENTRY, KSTATS_BY_TASK, ANY,
	    .functions = 2, .command = true, .preempts = true, .controls = true } },
	{ 4000,
	  { "fsession, a command", TRACE_FSESSION, KSTATS_BY_TASK, ANY, .functions = 2,
	    .command = true, .controls = true } },
	{ 4000,
	  { "kprobe session, a command", TRACE_KSESSION, KSTATS_BY_TASK, ANY, .functions = 2,
	    .command = true } },
	{ 4000,
	  { "per CPU, a command", TRACE_FENTRY, KSTATS_BY_CPU, ANY, .functions = 2,
	    .command = true } },
	{ 4000,
	  { "pair, a command", TRACE_POINTS, KSTATS_BY_TASK, ANY, .functions = 1, .command = true,
	    .apart = true } },
	{ 4000,
	  { "fentry, one processor, preempted", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2,
	    .on_first = true, .preempts = true } },
	{ 4000,
	  { "pair, one processor of two", TRACE_POINTS, KSTATS_BY_TASK, ANY, .functions = 1,
	    .on_first = true } },
	{ 4000,
	  { "fsession, one processor of two", TRACE_FSESSION, KSTATS_BY_TASK, ANY, .functions = 2,
	    .on_first = true } },
	{ 4000,
	  { "fentry, --by", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2, .asks_by = true } },
	{ 4000,
	  { "fsession, --by", TRACE_FSESSION, KSTATS_BY_TASK, ANY, .functions = 2,
	    .asks_by = true } },
	{ 4000,
	  { "fentry, --by at the end", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2,
	    .asks_by = true, .by_at_end = true } },
	{ 4000, { "per CPU", TRACE_FENTRY, KSTATS_BY_CPU, ANY, .functions = 2, .nmi = true } },
	{ 4000,
	  { "per CPU, merged", TRACE_FENTRY, KSTATS_BY_CPU, ANY, .functions = 2, .merged = true } },
	{ 4000, { "pair", TRACE_POINTS, KSTATS_BY_TASK, ANY, .functions = 1 } },
	{ 4000, { "pair, NMIs", TRACE_POINTS, KSTATS_BY_TASK, ANY, .functions = 1, .nmi = true } },
	{ 4000,
	  { "pair, points apart", TRACE_POINTS, KSTATS_BY_TASK, ANY, .functions = 1,
	    .apart = true } },
	{ 4000,
	  { "pair, preempted", TRACE_POINTS, KSTATS_BY_TASK, ANY, .functions = 1, .preempts = true,
	    .apart = true } },
	{ 4000,
	  { "pair of events", TRACE_EVENTS, KSTATS_BY_TASK, ANY, .functions = 1, .nmi = true,
	    .apart = true } },
	{ 4000, { "pair per CPU", TRACE_POINTS, KSTATS_BY_CPU, ANY, .functions = 1, .nmi = true } },
	{ 4000,
	  { "pair per CPU, points apart", TRACE_POINTS, KSTATS_BY_CPU, ANY, .functions = 1,
	    .nmi = true, .apart = true } },
	{ 4000,
	  { "pair per CPU, preempted", TRACE_POINTS, KSTATS_BY_CPU, ANY, .functions = 1,
	    .preempts = true } },
	{ 4000,
	  { "pair by key", TRACE_POINTS, KSTATS_BY_KEY, ANY, .functions = 1, .nmi = true,
	    .apart = true } },
	{ 4000,
	  { "pair by key, preempted", TRACE_POINTS, KSTATS_BY_KEY, ANY, .functions = 1,
	    .preempts = true, .apart = true } },
	{ 4000,
	  { "pair by key, keys meet", TRACE_POINTS, KSTATS_BY_KEY, ANY, .functions = 1,
	    .meet = true, .apart = true } },
	{ 4000, { "several points", TRACE_POINTS, KSTATS_BY_TASK, ANY, SEVERAL, .apart = true } },
	{ 4000,
	  { "several points, conditions", TRACE_POINTS, KSTATS_BY_TASK, ANY, SEVERAL, .owns = true,
	    .apart = true } },
	{ 4000,
	  { "several points, preempted", TRACE_POINTS, KSTATS_BY_TASK, ANY, SEVERAL,
	    .preempts = true, .apart = true } },
	{ 4000,
	  { "several points, --first", TRACE_POINTS, KSTATS_BY_TASK, ANY, SEVERAL, .first = true,
	    .apart = true } },
	{ 4000,
	  { "several points, unguarded", TRACE_POINTS, KSTATS_BY_TASK, ANY, SEVERAL,
	    .unguarded = true, .apart = true } },
	{ 4000,
	  { "several points, unguarded, values of the start", TRACE_POINTS, KSTATS_BY_TASK, ANY,
	    SEVERAL, .unguarded = true, .keeps = true, .apart = true } },
	{ 4000,
	  { "several points, unguarded, conditions", TRACE_POINTS, KSTATS_BY_TASK, ANY, SEVERAL,
	    .unguarded = true, .owns = true, .apart = true } },
	{ 4000,
	  { "several points per CPU, unguarded", TRACE_POINTS, KSTATS_BY_CPU, ANY, SEVERAL,
	    .unguarded = true, .apart = true } },
	{ 4000,
	  { "several points by key", TRACE_POINTS, KSTATS_BY_KEY, ANY, SEVERAL, .nmi = true,
	    .apart = true } },
	{ 4000,
	  { "several points by key, conditions", TRACE_POINTS, KSTATS_BY_KEY, ANY, SEVERAL,
	    .owns = true, .apart = true } },
	{ 4000,
	  { "several points by key, --first", TRACE_POINTS, KSTATS_BY_KEY, ANY, SEVERAL,
	    .first = true, .nmi = true, .apart = true } },
	{ 4000,
	  { "several points by key, --first, keys meet", TRACE_POINTS, KSTATS_BY_KEY, ANY, SEVERAL,
	    .first = true, .meet = true, .apart = true } },
	{ 4000,
	  { "several points by key, --first, preempted", TRACE_POINTS, KSTATS_BY_KEY, ANY, SEVERAL,
	    .first = true, .preempts = true, .apart = true } },
	{ 4000,
	  { "several points by key, stops", TRACE_POINTS, KSTATS_BY_KEY, ANY, SEVERAL,
	    .first = true, .controls = true, .apart = true } },
	{ 4000,
	  { "several points, values of the start", TRACE_POINTS, KSTATS_BY_TASK, ANY, SEVERAL,
	    .keeps = true, .apart = true } },
	{ 4000,
	  { "several points by key, values of the start", TRACE_POINTS, KSTATS_BY_KEY, ANY, SEVERAL,
	    .keeps = true, .nmi = true, .apart = true } },
	{ 4000,
	  { "several points by key, --first, values of the start", TRACE_POINTS, KSTATS_BY_KEY, ANY,
	    SEVERAL, .keeps = true, .first = true, .meet = true, .apart = true } },
	{ 8000,
	  { "points on the way", TRACE_POINTS, KSTATS_BY_TASK, ANY, SEVERAL, .vias = true,
	    .apart = true } },
	{ 4000,
	  { "points on the way, --first and conditions", TRACE_POINTS, KSTATS_BY_TASK, ANY, SEVERAL,
	    .vias = true, .first = true, .owns = true } },
	{ 4000,
	  { "points on the way, preempted", TRACE_POINTS, KSTATS_BY_TASK, ANY, SEVERAL,
	    .vias = true, .keeps = true, .preempts = true, .apart = true } },
	{ 8000,
	  { "points on the way by key", TRACE_POINTS, KSTATS_BY_KEY, ANY, SEVERAL, .vias = true,
	    .nmi = true, .apart = true } },
	{ 4000,
	  { "points on the way by key, --first, keys meet", TRACE_POINTS, KSTATS_BY_KEY, ANY,
	    SEVERAL, .vias = true, .first = true, .meet = true, .apart = true } },
	{ 4000,
	  { "points on the way by key, preempted", TRACE_POINTS, KSTATS_BY_KEY, ANY, SEVERAL,
	    .vias = true, .preempts = true, .apart = true } },
	{ 4000,
	  { "several points per CPU", TRACE_POINTS, KSTATS_BY_CPU, ANY, SEVERAL, .nmi = true,
	    .apart = true } },
	{ 4000,
	  { "several points per CPU, --first", TRACE_POINTS, KSTATS_BY_CPU, ANY, SEVERAL,
	    .first = true, .nmi = true, .apart = true } },
	{ 4000,
	  { "fentry, deaths", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2, .deaths = true } },
	{ 4000,
	  { "pair, deaths", TRACE_POINTS, KSTATS_BY_TASK, ANY, .functions = 1, .deaths = true,
	    .apart = true } },
	{ 4000,
	  { "fentry, stops", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2,
	    .controls = true } },
	{ 4000,
	  { "fentry, gaps and stops", TRACE_FENTRY, KSTATS_BY_TASK, ANY, .functions = 2,
	    .gap = true, .preempts = true, .controls = true } },
	{ 4000,
	  { "fsession, stops", TRACE_FSESSION, KSTATS_BY_TASK, ANY, .functions = 2,
	    .controls = true, .preempts = true } },
	{ 4000,
	  { "fsession, --by and stops", TRACE_FSESSION, KSTATS_BY_TASK, ANY, .functions = 2,
	    .asks_by = true, .controls = true } },
	{ 4000,
	  { "per CPU, stops", TRACE_FENTRY, KSTATS_BY_CPU, ANY, .functions = 2,
	    .controls = true } },
	{ 4000,
	  { "pair by key, stops", TRACE_POINTS, KSTATS_BY_KEY, ANY, .functions = 1,
	    .controls = true, .apart = true } },
	{ 4000,
	  { "pair, stops", TRACE_POINTS, KSTATS_BY_TASK, ANY, .functions = 1, .controls = true,
	    .apart = true } },
	{ 2000,
	  { "pair, --if", TRACE_POINTS, KSTATS_BY_TASK, ANY, .functions = 1, .asks_if = true } },
	{ 2000,
	  { "pair by key, --if", TRACE_POINTS, KSTATS_BY_KEY, ANY, .functions = 1, .asks_if = true,
	    .apart = true } },
	{ 2000,
	  { "per CPU, --if", TRACE_FENTRY, KSTATS_BY_CPU, ANY, .functions = 1, .asks_if = true } },
	{ 2000,
	  { "fsession, --if", TRACE_FSESSION, KSTATS_BY_TASK, ANY, .functions = 2,
	    .asks_if = true } },
	{ 2000,
	  { "pair, --by", TRACE_POINTS, KSTATS_BY_TASK, ANY, .functions = 1, .asks_by = true } },
};

/* With events at all points: so many at a time. */
static const struct {
	int events;
	struct trace_shape shape;
} placements[] = {
	{ 3,
	  { "fentry, one call", TRACE_FENTRY, KSTATS_BY_TASK, .n_tasks = 1, .n_cpus = 1,
	    .functions = 1, .tasks = { "a" }, .interrupts = { "Ia" } } },
	{ 3,
	  { "fentry, top is back while an end searches", TRACE_FENTRY, KSTATS_BY_TASK, .n_tasks = 1,
	    .n_cpus = 1, .functions = 2, .tasks = { "a" }, .interrupts = { "Ia(a)", "Ib", "Ia(a)" },
	    .in_turn = true } },
	{ 2,
	  { "fentry, nested calls", TRACE_FENTRY, KSTATS_BY_TASK, .n_tasks = 1, .n_cpus = 1,
	    .functions = 2, .tasks = { "a(ba)" }, .interrupts = { "Ia", "Ib", "Nab" } } },
	{ 2,
	  { "fentry, calls in interrupts", TRACE_FENTRY, KSTATS_BY_TASK, .n_tasks = 1, .n_cpus = 1,
	    .functions = 2, .tasks = { "a(b)" }, .interrupts = { "Ia(b)", "Sb(a)" } } },
	{ 2,
	  { "fentry, two processors", TRACE_FENTRY, KSTATS_BY_TASK, .n_tasks = 2, .n_cpus = 2,
	    .functions = 1, .tasks = { "aa", "a(a)" }, .interrupts = { "|", "Ia" } } },
	{ 2,
	  { "fentry, preempted", TRACE_FENTRY, KSTATS_BY_TASK, .n_tasks = 2, .n_cpus = 1,
	    .functions = 1, .tasks = { "aa", "a" }, .interrupts = { "~", "Ia" },
	    .preempts = true } },
	{ 2,
	  { "kprobe and kretprobe, a jump to a function", TRACE_KPROBE, KSTATS_BY_TASK,
	    .n_tasks = 2, .n_cpus = 1, .functions = 2, .tasks = { "a(/b(~)~)", "b" },
	    .interrupts = { "~", "Ib" }, .preempts = true } },
	{ 2,
	  { "per CPU", TRACE_FENTRY, KSTATS_BY_CPU, .n_tasks = 1, .n_cpus = 1, .functions = 1,
	    .tasks = { "aa" }, .interrupts = { "Ia", "Na" } } },
	{ 2,
	  { "pair per CPU, interrupts in interrupts", TRACE_POINTS, KSTATS_BY_CPU, .n_tasks = 1,
	    .n_cpus = 1, .functions = 1, .tasks = { "a" }, .interrupts = { "Sa", "Is" } } },
	{ 3,
	  { "pair per CPU, a start that a filter leaves out upon an end", TRACE_POINTS,
	    KSTATS_BY_CPU, .n_tasks = 1, .n_cpus = 1, .functions = 1, .renames = true,
	    .tasks = { "a=a" }, .interrupts = { "Ss", "Se", "Is" }, .in_turn = true } },
	{ 2,
	  { "pair, moved between interrupts", TRACE_POINTS, KSTATS_BY_TASK, .n_tasks = 1,
	    .n_cpus = 2, .functions = 1, .tasks = { "a>a" }, .interrupts = { "Ia", "Ie" } } },
	{ 4,
	  { "pair, starts of interrupts around a call", TRACE_POINTS, KSTATS_BY_TASK, .n_tasks = 1,
	    .n_cpus = 1, .functions = 1, .tasks = { "a" },
	    .interrupts = { "Is", "Is", "Is", "Iee" }, .begins = true, .in_turn = true } },
	{ 3,
	  { "pair, starts of interrupts upon an end", TRACE_POINTS, KSTATS_BY_TASK, .n_tasks = 1,
	    .n_cpus = 1, .functions = 1, .tasks = { "a" }, .interrupts = { "Is" },
	    .upon_end = true } },
	{ 3,
	  { "pair, --if, an interrupt is left out", TRACE_POINTS, KSTATS_BY_TASK, .n_tasks = 1,
	    .n_cpus = 1, .functions = 1, .asks_if = true, .tasks = { "a" },
	    .interrupts = { "Is", "Is0", "Ie" }, .begins = true, .in_turn = true } },
	{ 3,
	  { "pair, --if, left out in a softirq", TRACE_POINTS, KSTATS_BY_TASK, .n_tasks = 1,
	    .n_cpus = 1, .functions = 1, .asks_if = true, .tasks = { "a" },
	    .interrupts = { "Sa", "Is0", "Ie" }, .begins = true, .in_turn = true } },
	{ 2,
	  { "pair, unguarded, an end upon a start", TRACE_POINTS, KSTATS_BY_TASK, .n_tasks = 1,
	    .n_cpus = 1, .functions = 1, .unguarded = true, .tasks = { "a(a)" },
	    .interrupts = { "Is", "Ie" }, .in_turn = true } },
	{ 2,
	  { "pair, unguarded, an end upon a start that is left out", TRACE_POINTS, KSTATS_BY_TASK,
	    .n_tasks = 1, .n_cpus = 1, .functions = 1, .asks_if = true, .unguarded = true,
	    .tasks = { "a(a0)" }, .interrupts = { "Is", "Ie" }, .in_turn = true } },
	{ 2,
	  { "several, unguarded, an end upon a start", TRACE_POINTS, KSTATS_BY_TASK, .n_tasks = 1,
	    .n_cpus = 1, SEVERAL, .unguarded = true, .tasks = { "a(a)" },
	    .interrupts = { "Is", "Ie" }, .in_turn = true } },
	{ 2,
	  { "several, unguarded, an end upon a start without an answer", TRACE_POINTS,
	    KSTATS_BY_TASK, .n_tasks = 1, .n_cpus = 1, SEVERAL, .owns = true, .unguarded = true,
	    .tasks = { "ss2ee" }, .interrupts = { "Is", "Ie" }, .in_turn = true } },
	{ 2,
	  { "several, unguarded, an end upon a start that a filter leaves out", TRACE_POINTS,
	    KSTATS_BY_TASK, .n_tasks = 1, .n_cpus = 1, SEVERAL, .renames = true, .unguarded = true,
	    .tasks = { "a(=a=)" }, .interrupts = { "Is", "Ie" }, .in_turn = true } },
	{ 2,
	  { "several, unguarded, starts upon a start", TRACE_POINTS, KSTATS_BY_TASK, .n_tasks = 1,
	    .n_cpus = 1, SEVERAL, .unguarded = true, .tasks = { "a(a)" },
	    .interrupts = { "Is", "Iett" }, .in_turn = true } },
	{ 2,
	  { "several, unguarded, starts and an end upon a start", TRACE_POINTS, KSTATS_BY_TASK,
	    .n_tasks = 1, .n_cpus = 1, SEVERAL, .unguarded = true, .tasks = { "a(a)" },
	    .interrupts = { "Is", "Iette" }, .in_turn = true } },
	{ 2,
	  { "several, unguarded, starts upon a start without an answer", TRACE_POINTS,
	    KSTATS_BY_TASK, .n_tasks = 1, .n_cpus = 1, SEVERAL, .owns = true, .unguarded = true,
	    .tasks = { "ss2ee" }, .interrupts = { "Is", "Iet2t2" }, .in_turn = true } },
	{ 2,
	  { "several, unguarded, values of a start in a softirq", TRACE_POINTS, KSTATS_BY_TASK,
	    .n_tasks = 1, .n_cpus = 1, SEVERAL, .keeps = true, .unguarded = true, .tasks = { "a" },
	    .interrupts = { "Ssa", "Iette" }, .in_turn = true } },
	{ 3,
	  { "several, unguarded, starts after an end upon a start", TRACE_POINTS, KSTATS_BY_TASK,
	    .n_tasks = 1, .n_cpus = 1, SEVERAL, .unguarded = true, .begins = true,
	    .tasks = { "a(a)" }, .interrupts = { "Is", "Ie", "Itt" }, .in_turn = true } },
	{ 3,
	  { "several, unguarded, a round of the ring upon a start", TRACE_POINTS, KSTATS_BY_TASK,
	    .n_tasks = 1, .n_cpus = 1, SEVERAL, .unguarded = true, .begins = true,
	    .tasks = { "a(a)" }, .interrupts = { "Iss", "Se", "Ict" }, .in_turn = true } },
	{ 2,
	  { "several, a start and its end upon a start", TRACE_POINTS, KSTATS_BY_TASK, .n_tasks = 1,
	    .n_cpus = 1, SEVERAL, .tasks = { "a" }, .interrupts = { "Ite", "Ie" },
	    .in_turn = true } },
	{ 2,
	  { "several, --first, a start and its end upon a start", TRACE_POINTS, KSTATS_BY_TASK,
	    .n_tasks = 1, .n_cpus = 1, SEVERAL, .first = true, .tasks = { "a" },
	    .interrupts = { "Ite", "Ite" }, .in_turn = true } },
	{ 2,
	  { "several per CPU, a start and its end upon a start", TRACE_POINTS, KSTATS_BY_CPU,
	    .n_tasks = 1, .n_cpus = 1, SEVERAL, .tasks = { "a" }, .interrupts = { "Ite", "Ie" },
	    .in_turn = true } },
	{ 2,
	  { "several per CPU, --first, a start and its end upon a start", TRACE_POINTS,
	    KSTATS_BY_CPU, .n_tasks = 1, .n_cpus = 1, SEVERAL, .first = true, .tasks = { "a" },
	    .interrupts = { "Ite", "Ite" }, .in_turn = true } },
	{ 2,
	  { "several per CPU, unguarded, a start and its end upon a start", TRACE_POINTS,
	    KSTATS_BY_CPU, .n_tasks = 1, .n_cpus = 1, SEVERAL, .unguarded = true, .tasks = { "a" },
	    .interrupts = { "Ite", "Ie" }, .in_turn = true } },
	{ 2,
	  { "pair, unguarded, an end upon a start that a filter leaves out", TRACE_POINTS,
	    KSTATS_BY_TASK, .n_tasks = 1, .n_cpus = 1, .functions = 1, .renames = true,
	    .unguarded = true, .tasks = { "a(=a=)" }, .interrupts = { "Is", "Ie" },
	    .in_turn = true } },
	{ 4,
	  { "several, a place is used again upon an end", TRACE_POINTS, KSTATS_BY_TASK,
	    .n_tasks = 1, .n_cpus = 1, SEVERAL, .tasks = { "a" },
	    .interrupts = { "Ss", "Se", "Is", "Iccs" }, .begins = true, .in_turn = true } },
	{ 3,
	  { "several, ends in a cancel", TRACE_POINTS, KSTATS_BY_TASK, .n_tasks = 1, .n_cpus = 1,
	    SEVERAL, .tasks = { "b" }, .interrupts = { "Is", "Ie" }, .begins = true } },
	{ 2,
	  { "several by key, --first, two processors", TRACE_POINTS, KSTATS_BY_KEY, .n_tasks = 2,
	    .n_cpus = 2, SEVERAL, .first = true, .tasks = { "a1t1", "s1a1" },
	    .interrupts = { "|", "It1" } } },
	{ 2,
	  { "points on the way by key, two processors", TRACE_POINTS, KSTATS_BY_KEY, .n_tasks = 2,
	    .n_cpus = 2, SEVERAL, .vias = true, .tasks = { "s1v1e1", "v1s1v1w1" },
	    .interrupts = { "|", "Iv1" } } },
	{ 2,
	  { "points on the way, interrupts", TRACE_POINTS, KSTATS_BY_TASK, .n_tasks = 1,
	    .n_cpus = 1, SEVERAL, .vias = true, .tasks = { "a(va(vw)v)" },
	    .interrupts = { "Isv", "Ive" } } },
	{ 2,
	  { "pair by key, two processors", TRACE_POINTS, KSTATS_BY_KEY, .n_tasks = 2, .n_cpus = 2,
	    .functions = 1, .tasks = { "a1", "a1" }, .interrupts = { "|", "Is1" } } },
};

#define N(array) (sizeof(array) / sizeof((array)[0]))

#define RUNS_A_MISS 24000 /* at least; and where ends may come upon starts: */
#define RUNS_A_MISS_UNGUARDED 4000
#define RUNS_A_HOLE 24000 /* at least; each is told twice: its end, and its start */

static int n_tests, n_failed;

static void result(const char *kind, const struct trace_shape *shape, __u64 runs, const char *wrong)
{
	__u64 a_miss = shape->unguarded ? RUNS_A_MISS_UNGUARDED : RUNS_A_MISS;
	const struct trace_sums *s = &trace_sums;

	if (!wrong && s->below_holes > 2 * (runs / RUNS_A_HOLE))
		wrong = "too many ends found no start, though it was there";
	if (!wrong && s->seldom > runs / a_miss)
		wrong = "too many ends missed the newest start";
	printf("%s %d - %s: %s: %llu runs, %llu calls, %llu starts and %llu ends skipped, "
	       "%llu recorded\n",
	       wrong ? "not ok" : "ok", ++n_tests, kind, shape->name, runs, s->calls,
	       s->skipped_starts, s->skipped_ends, s->recorded);
	if (wrong)
		printf("# %s\n", wrong);
	n_failed += !!wrong;
	memset(&trace_sums, 0, sizeof(trace_sums));
	fflush(stdout);
}

static void by_chance(const struct trace_shape *shape, __u64 runs)
{
	const char *wrong = NULL;
	char text[300];
	__u64 seed, bad = 0;

	for (seed = 1; seed <= runs; seed++) {
		wrong = trace_chance(shape, seed);
		if (wrong && !bad++)
			snprintf(text, sizeof(text), "seed %llu: %s", seed, wrong);
	}
	if (bad)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "; %llu in all", bad);
	result("by chance", shape, runs, bad ? text : NULL);
}

static void note_wrong(const struct trace_shape *shape, const struct trace_plan *plan,
		       const char *wrong, char *text)
{
	int i;

	if (!wrong || text[0])
		return;
	snprintf(text, 200, "%s; events at", wrong);
	for (i = 0; i < plan->n; i++)
		snprintf(text + strlen(text), 40, " %llu:%s", plan->at[i],
			 shape->interrupts[plan->what[i]]);
}

/*
 * All ways to place the events that are left behind those that are in the plan. Where an event
 * cannot come, the run is one without it, and was made; but not where events come in turn.
 */
static __u64 placed(const struct trace_shape *shape, struct trace_plan plan, int left, char *text)
{
	struct trace_plan longer;
	__u64 points, runs = 1, at;
	int n = plan.n, i;

	note_wrong(shape, &plan, trace_planned(shape, &plan, &points), text);
	if (!left || (n && !shape->in_turn && !plan.ended_at[n - 1]))
		return runs;
	longer = plan;
	longer.n++;
	at = n ? plan.at[n - 1] + 1 : shape->upon_end ? trace_first_end() : 1;
	for (; at <= points; at++)
		for (i = shape->in_turn ? n : 0; shape->interrupts[i]; i++) {
			longer.at[n] = at;
			longer.what[n] = i;
			if (shape->in_turn || trace_may_come(&plan, shape->interrupts[i], at))
				runs += placed(shape, longer, left - 1, text);
			if (shape->in_turn)
				break;
		}
	return runs;
}

static void at_all_points(const struct trace_shape *shape, int events)
{
	/* The first one is at the first point, or at any. */
	struct trace_plan plan = { .at = { 1 }, .n = shape->begins };
	char text[400] = "";
	__u64 runs = placed(shape, plan, events - plan.n, text);

	/* What is left to chance may be seldom, but not what is placed. */
	if (trace_sums.seldom && !text[0])
		strcpy(text, "an end missed the newest start");
	result("at all points", shape, runs, text[0] ? text : NULL);
}

/* Comes in: MODEL_ONLY, part of the names; MODEL_FIRST, to end with the first that fails. */
static bool is_wanted(const char *name)
{
	const char *only = getenv("MODEL_ONLY");

	return (!only || strstr(name, only)) && !(n_failed && getenv("MODEL_FIRST"));
}

static int tell_one(const char *name, __u64 seed)
{
	unsigned int i;

	model_tells = true;
	for (i = 0; i < N(chances); i++)
		if (!strcmp(chances[i].shape.name, name))
			trace_chance(&chances[i].shape, seed);
	return 0;
}

/* @at: of each event its point, and behind a colon which of the interrupts it is, if not the next
 */
static int tell_placed(const char *name, int n, char **at)
{
	struct trace_plan plan = { .n = n };
	const char *wrong;
	unsigned int i;
	__u64 points;
	char *end;
	int k;

	model_tells = true;
	for (k = 0; k < n; k++) {
		plan.at[k] = strtoull(at[k], &end, 0);
		plan.what[k] = *end == ':' ? atoi(end + 1) : k;
	}
	for (i = 0; i < N(placements); i++) {
		if (strcmp(placements[i].shape.name, name))
			continue;
		wrong = trace_planned(&placements[i].shape, &plan, &points);
		printf("%s\n", wrong ? wrong : "all is as it must be");
	}
	return 0;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1;
	unsigned int i;

	trace_open();
	if (argc > 2 && argc <= 11 && !strcmp(argv[1], "--placed"))
		return tell_placed(argv[2], argc - 3, argv + 3);
	if (argc == 4 && !strcmp(argv[1], "--tell"))
		return tell_one(argv[2], strtoull(argv[3], NULL, 0));
	for (i = 0; i < N(chances); i++)
		if (is_wanted(chances[i].shape.name))
			by_chance(&chances[i].shape, (__u64)times * chances[i].runs);
	for (i = 0; i < N(placements); i++)
		if (is_wanted(placements[i].shape.name))
			at_all_points(&placements[i].shape, placements[i].events + (times > 1));
	printf("1..%d\n", n_tests);
	return !!n_failed;
}
