// SPDX-License-Identifier: GPL-2.0-only
/* made.c - see made.h. */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "made.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLES 1000 /* of made_mean() */

/* ---- words ---- */

void made_read(struct made_words *w, int argc, char **argv)
{
	int c;

	*w = (struct made_words){};
	while ((c = getopt(argc, argv, "sn:p:")) != -1) {
		switch (c) {
		case 's':
			w->shortly = true;
			break;
		case 'n':
			w->most = atoi(optarg);
			break;
		case 'p':
			w->program = optarg;
			break;
		default:
			exit(2);
		}
	}
	w->words = argv + optind;
	w->n_words = argc - optind;
}

bool made_wants(const struct made_words *w, const char *what)
{
	int i;

	for (i = 0; i < w->n_words; i++)
		if (strstr(what, w->words[i]))
			return true;
	return !w->n_words;
}

unsigned int made_times(const struct made_words *w, unsigned int all)
{
	unsigned int n = w->shortly ? all / 10 : all;

	return w->most && w->most < n ? w->most : n;
}

/* ---- random numbers ---- */

/* Steele, Lea and Flood's SplitMix64: neighbouring numbers become unlike. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* The high bits of a number come from the first word alone: both have to differ. */
void made_stream(uint32_t table, uint32_t row)
{
	uint64_t seed = mix((uint64_t)table << 32 | row);

	set_seed(seed >> 32, (uint32_t)seed);
}

double made_off(enum made_wander wander, double noise, unsigned int i, double *last)
{
	double z = norm_rand();

	switch (wander) {
	case DRIFT:
		return noise * (z + 0.3 * i);
	case MEMORY:
		*last = i ? 0.7 * *last + sqrt(1 - 0.49) * z : z;
		return noise * *last;
	case OUTLIERS:
		return noise * z + (unif_rand() < 0.05 ? log(2) : 0);
	case DISTURBED:
		return noise * (z + (unif_rand() < 0.05 ? 10 : 0));
	case ROUGH:
		return noise * rt(3) / sqrt(3);
	case MODES:
		return noise * z + (unif_rand() < 0.5 ? log(1.25) : 0);
	case DAYS:
		return noise * z + *last;
	case TICKS:
		return rbinom(1, 0.5) * log(1.1);
	default:
		return noise * z;
	}
}

/* ---- runs ---- */

struct snapshot *made_run(unsigned int bits, unsigned int functions)
{
	struct snapshot *s = snapshot_new(bits, 1, functions);
	unsigned int k;

	if (!s)
		abort();
	s->span.end_ns = MADE_SECOND;
	s->span.final = true;
	for (k = 0; k < functions; k++) {
		s->nodes[k].method = strdup("fentry/fexit");
		if (!s->nodes[k].method || asprintf(&s->nodes[k].name, "f%u", k) < 0 ||
		    asprintf(&s->nodes[k].what, "entry to return of f%u", k) < 0)
			abort();
	}
	return s;
}

void made_counts(struct snapshot *s, uint32_t node, const struct kstats_slot *slots,
		 uint64_t samples)
{
	struct counts_writer w = {};

	counts_add_cpu(&w, 0, slots, kstats_n_slots(s->bits));
	if (counts_end(&w, &s->nodes[node].counts))
		abort();
	counts_writer_free(&w);
	s->nodes[node].ledger[KSTATS_STARTED] = samples;
}

void made_mean(struct snapshot *s, uint32_t node, double ns)
{
	static struct kstats_slot slots[KSTATS_N_SLOTS_MAX];
	uint32_t slot = kstats_slot_index(ns, s->bits);

	slots[slot].samples = SAMPLES;
	slots[slot].sum = kstats_slot_scale(SAMPLES * ns, slot, s->bits);
	made_counts(s, node, slots, SAMPLES);
	slots[slot] = (struct kstats_slot){};
}
