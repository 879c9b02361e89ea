// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kmem.c - scenarios of kmem.h by chance, with fixed seeds. Comes in: nothing, or how often as
 * long to go on; MODEL_FIRST, to end with the first scenario that fails; --tell NAME SEED prints
 * the course of one run. Goes out: TAP. Called by model.t.
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
	{ "more objects than places", 40, 16, LARGE, .plain = true },
	{ "more rows than places", 16, 64, .rows = 4, .lifes = 512, .mean = 40, .caches = true },
	{ "more lifetimes than places", 16, 64, .rows = 64, .lifes = 4, .mean = 40 },
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
	       "place, %llu no row, %llu no lifetime\n",
	       text[0] ? "not ok" : "ok", ++n_tests, shape->name, n, s->allocs, s->frees,
	       s->skipped_allocs, s->skipped_frees, s->lifetimes, s->stale, s->stale_and_sure,
	       s->counts[KSTATS_KMEM_N_NO_LIVE],
	       s->counts[KSTATS_KMEM_N_NO_ROW] + s->counts[KSTATS_KMEM_N_NO_ROW + 1],
	       s->counts[KSTATS_KMEM_N_NO_LIFE]);
	if (text[0])
		printf("# %s\n", text);
	n_failed += !!text[0];
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1;
	unsigned int i, n = sizeof(shapes) / sizeof(shapes[0]);

	kmem_open();
	model_tells = argc == 4 && !strcmp(argv[1], "--tell");
	for (i = 0; i < n && !(n_failed && getenv("MODEL_FIRST")); i++)
		if (!model_tells)
			by_chance(&shapes[i], 2000ULL * times);
		else if (!strcmp(shapes[i].name, argv[2]))
			kmem_chance(&shapes[i], strtoull(argv[3], NULL, 0));
	printf("1..%d\n", n_tests);
	return !!n_failed;
}
