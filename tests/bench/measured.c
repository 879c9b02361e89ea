// SPDX-License-Identifier: GPL-2.0-only
/*
 * measured.c - stands in for src/measure in a copy of the program that measures nothing:
 * everything from the words to the exit status is the program's own, but its runs are made
 * up, without privileges and without running a command. The words of the measured command
 * say how: `WANDER NOISE INCREASE FUNCTIONS`; MADE_STREAM in the environment is the state of
 * the random numbers. Called by sequential.c, see measure.h.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "measure/measure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made.h"

#define FUNCTIONS_MAX 20
#define CENTRE_NS 1e6

struct measure {
	const struct plan *plan;
	enum made_wander wander;
	double noise;
	double increase;
	unsigned int functions;
	unsigned int when; /* number of the next run */
	double last[FUNCTIONS_MAX];
};

struct measure *measure_open(const struct plan *plan, const struct facts *facts, struct error *e)
{
	const char *stream = getenv("MADE_STREAM");
	char **words = plan->spec->command;
	struct measure *m = calloc(1, sizeof(*m));
	unsigned int state[2];
	int i;

	for (i = 0; words[i]; i++)
		;
	if (!m || i != 4 || !stream || sscanf(stream, "%u %u", &state[0], &state[1]) != 2)
		abort();
	set_seed(state[0], state[1]);
	m->plan = plan;
	m->wander = atoi(words[0]);
	m->noise = atof(words[1]);
	m->increase = atof(words[2]);
	m->functions = atoi(words[3]);
	return m;
}

int measure_again(struct measure *m, const struct plan *plan, const struct facts *facts,
		  struct error *e)
{
	m->plan = plan;
	return 0;
}

/* The command of --vs is run by a shell. */
static bool is_base(const struct plan *plan)
{
	return !strcmp(plan->spec->command[0], "/bin/sh");
}

static struct snapshot *next_run(struct measure *m)
{
	struct snapshot *s = made_run(m->plan->spec->bits, m->functions);
	unsigned int k;
	double off;

	s->kernel = strdup("");
	s->backend = strdup("map");
	s->backend_reason = strdup("");
	s->pairing = strdup("by task");
	s->filters = strdup("");
	s->command = strdup("");
	s->span.wall_ns = (1700000000 + m->when) * MADE_SECOND;
	s->span.begin_ns = m->when * MADE_SECOND;
	s->span.end_ns = s->span.begin_ns + MADE_SECOND / 2;
	for (k = 0; k < m->functions; k++) {
		off = made_off(m->wander, m->noise, m->when, &m->last[k]);
		off += is_base(m->plan) ? 0 : log1p(m->increase);
		made_mean(s, k, CENTRE_NS * exp(off));
	}
	m->when++;
	return s;
}

int measure_run(struct measure *m, const struct measure_watch *watch, struct recording **r,
		struct error *e)
{
	const struct recording_machine machine = { .cpu = "", .clock = "", .build_id = "" };

	*r = recording_new(next_run(m));
	return *r ? recording_set_machine(*r, &machine) : -ENOMEM;
}

int measure_know(struct measure *m, const struct costs *c, struct error *e)
{
	return 0;
}

const char *measure_unknown(const struct measure *m)
{
	return NULL;
}

bool measure_overhead(const struct measure *m, double *percent, unsigned int *cpus, bool *ended)
{
	return false;
}

const char *measure_left_out(const struct measure *m, unsigned int i, const char **why)
{
	return NULL;
}

bool measure_closed(const struct measure *m)
{
	return false;
}

bool measure_interrupted(const struct measure *m)
{
	return false;
}

uint64_t measure_untracked(const struct measure *m)
{
	return 0;
}

void measure_close(struct measure *m)
{
	free(m);
}
