// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_trace.c - runs the scenarios of trace_scenarios.h: by chance with fixed seeds, and with
 * events at all points. Comes in: nothing, or how often as long to go on; --tell NAME SEED prints
 * the course of one run, and --placed NAME POINT... that of events in turn at these points. Goes
 * out: TAP. Called by model.t.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tell.h"
#include "trace.h"
#include "trace_scenarios.h"

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
