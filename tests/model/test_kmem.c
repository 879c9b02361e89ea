// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kmem.c - scenarios of kmem.h: by chance, with fixed seeds, and with events at all points.
 * Comes in: nothing, or how often as long to go on; MODEL_FIRST, to end with the first scenario
 * that fails; --tell NAME SEED prints the course of one run, and --placed NAME POINT:WHAT... that
 * of a run with events at these points. Goes out: TAP. Called by model.t.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kmem.h"
#include "tell.h"

#define LARGE .rows = 64, .lifes = 512, .mean = 40

static const struct kmem_shape shapes[] = {
	{ "objects", 16, 64, LARGE },
	{ "objects, the short way", 16, 64, LARGE, .plain = true },
	{ "objects, a copy for each processor", 16, 64, LARGE, .plain = true, .stripes = true },
	{ "few addresses, used again and again", 3, 64, LARGE, .plain = true },
	{ "objects of caches", 16, 64, LARGE, .plain = true, .caches = true },
	{ "kfree_rcu()", 12, 64, LARGE, .plain = true, .rcu = true },
	{ "kfree() of NULL", 12, 64, LARGE, .plain = true, .nulls = true },
	{ "keys of two words", 16, 64, LARGE, .keys = 2 },
	{ "keys of four words, in caches", 16, 64, LARGE, .keys = 4, .caches = true,
	  .stripes = true },
	{ "resets", 16, 64, LARGE, .plain = true, .caches = true, .rcu = true, .nulls = true,
	  .resets = true },
	{ "resets, keys", 16, 64, LARGE, .keys = 2, .resets = true },
	{ "preempted", 16, 64, LARGE, .plain = true, .caches = true, .rcu = true,
	  .preempts = true },
	{ "more objects than places", 40, 16, LARGE, .plain = true },
	{ "more rows than places", 16, 64, .rows = 4, .lifes = 512, .mean = 40, .caches = true },
	{ "more lifetimes than places", 16, 64, .rows = 64, .lifes = 4, .mean = 40 },
};

/* Few places, so that objects, rows and lifetimes meet. */
#define SMALL .rows = 4, .lifes = 8

static const struct kmem_shape placements[] = {
	{ "an object, and one like it", 8, 8, SMALL, .plain = true, .tasks = { "aA" },
	  .interrupts = { "Ib", "IbB", "SbBb" }, .events = 2 },
};

static int n_tests, n_failed;

static void by_chance(const struct kmem_shape *shape, __u64 n)
{
	const struct kmem_sums *s = &kmem_sums;
	const char *wrong;
	char text[250] = "";
	__u64 seed;

	memset(&kmem_sums, 0, sizeof(kmem_sums));
	for (seed = 1; seed <= n; seed++) {
		wrong = kmem_chance(shape, seed);
		if (wrong && !text[0])
			snprintf(text, sizeof(text), "seed %llu: %s", seed, wrong);
	}
	/* What is skipped in the last instructions of a program is seen by the next one there. */
	if (!text[0] && s->stale > 200 && s->stale_and_sure > s->stale / 8)
		snprintf(text, sizeof(text),
			 "of %llu lifetimes of two objects %llu are told as sure", s->stale,
			 s->stale_and_sure);
	printf("%s %d - memory: %s: %llu runs, %llu allocations and %llu frees, %llu and %llu "
	       "skipped; %llu lifetimes; %llu of two objects, %llu sure; %llu found no "
	       "place, %llu no row, %llu no lifetime; %llu resets, %llu events while off\n",
	       text[0] ? "not ok" : "ok", ++n_tests, shape->name, n, s->allocs, s->frees,
	       s->skipped_allocs, s->skipped_frees, s->lifetimes, s->stale, s->stale_and_sure,
	       s->counts[KSTATS_KMEM_N_NO_LIVE],
	       s->counts[KSTATS_KMEM_N_NO_ROW] + s->counts[KSTATS_KMEM_N_NO_ROW + 1],
	       s->counts[KSTATS_KMEM_N_NO_LIFE], s->resets, s->off);
	if (text[0])
		printf("# %s\n", text);
	n_failed += !!text[0];
}

/* All ways to place the events that are left behind those that are in the plan. */
static __u64 placed(const struct kmem_shape *shape, struct kmem_plan plan, int left, char *text)
{
	const char *wrong;
	__u64 runs = 1, points, at;
	int n = plan.n, i;

	wrong = kmem_planned(shape, &plan, &points);
	if (wrong && !text[0]) {
		snprintf(text, 200, "%s; events at", wrong);
		for (i = 0; i < n; i++)
			snprintf(text + strlen(text), 30, " %llu:%d", plan.at[i], plan.what[i]);
	}
	/* Where an event cannot come, the run is one without it, and was made. */
	if (!left || (n && !plan.came[n - 1]))
		return runs;
	plan.n++;
	for (at = n ? plan.at[n - 1] + 1 : 1; at <= points; at++)
		for (i = 0; shape->interrupts[i]; i++) {
			plan.at[n] = at;
			plan.what[n] = i;
			runs += placed(shape, plan, left - 1, text);
		}
	return runs;
}

static void at_all_points(const struct kmem_shape *shape, int more)
{
	const struct kmem_sums *s = &kmem_sums;
	struct kmem_plan plan = {};
	char text[300] = "";
	__u64 runs;

	memset(&kmem_sums, 0, sizeof(kmem_sums));
	runs = placed(shape, plan, shape->events + more, text);
	printf("%s %d - memory at all points: %s: %llu runs, %llu and %llu skipped; %llu "
	       "lifetimes; %llu of two objects, %llu sure\n",
	       text[0] ? "not ok" : "ok", ++n_tests, shape->name, runs, s->skipped_allocs,
	       s->skipped_frees, s->lifetimes, s->stale, s->stale_and_sure);
	if (text[0])
		printf("# %s\n", text);
	n_failed += !!text[0];
}

/* @at: of each event its point, and behind a colon which of the interrupts it is */
static void tell_placed(const char *name, int n, char **at)
{
	struct kmem_plan plan = { .n = n };
	const char *wrong;
	unsigned int i;
	__u64 points;
	char *end;
	int k;

	model_tells = true;
	for (k = 0; k < n; k++) {
		plan.at[k] = strtoull(at[k], &end, 0);
		plan.what[k] = *end == ':' ? atoi(end + 1) : 0;
	}
	for (i = 0; i < sizeof(placements) / sizeof(placements[0]); i++) {
		if (strcmp(placements[i].name, name))
			continue;
		wrong = kmem_planned(&placements[i], &plan, &points);
		printf("%s\n", wrong ? wrong : "all is as it must be");
	}
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1;
	unsigned int i, n = sizeof(shapes) / sizeof(shapes[0]);

	kmem_open();
	if (argc > 2 && argc <= 3 + KMEM_PLACED && !strcmp(argv[1], "--placed")) {
		tell_placed(argv[2], argc - 3, argv + 3);
		return 0;
	}
	model_tells = argc == 4 && !strcmp(argv[1], "--tell");
	for (i = 0; i < n && !(n_failed && getenv("MODEL_FIRST")); i++)
		if (!model_tells)
			by_chance(&shapes[i], 2000ULL * times);
		else if (!strcmp(shapes[i].name, argv[2]))
			kmem_chance(&shapes[i], strtoull(argv[3], NULL, 0));
	n = sizeof(placements) / sizeof(placements[0]);
	for (i = 0; i < n && !model_tells && !(n_failed && getenv("MODEL_FIRST")); i++)
		at_all_points(&placements[i], times > 1);
	printf("1..%d\n", n_tests);
	return !!n_failed;
}
