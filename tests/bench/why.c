// SPDX-License-Identifier: GPL-2.0-only
/*
 * why.c - how often `why` names what makes calls slow, on calls made up here. Goes out: a table, as
 * TAP. Eight threads call; 1 % of the calls are slow, by chance, in bursts, or by a planted cause.
 * Of each set, all slow calls and as many ordinary ones are kept, as of a real one. Called by
 * `make bench-why`; words choose rows, -s takes a tenth of the sets, -n N at most N.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made.h"
#include "why/why.h"

#define TABLE 20261126
#define THREADS 8
#define USUAL_NS 10000.0
#define LONGER_NS 400000.0
#define GAP_NS 10000000.0 /* mean time of a thread between two calls */
#define SLOW 0.01
#define STALL_NS 20000000ULL
#define BURST_NS 100000000ULL
#define ERRORS 2.3 /* standard errors that a share may be off */
#define COVERED 90.0
#define WIDE 100000 /* values of arg1 in one of the rows */

enum plant {
	BY_CHANCE,
	BY_STALL, /* the whole machine, each 7 slow calls */
	BY_STALL_UNLIKE, /* the same, and threads call up to 20 times as often as others */
	BY_THREAD, /* bursts, each of one thread by chance */
	BY_TIME, /* long calls meet more */
	BY_WIDE, /* arg1 has 100,000 values */
	BY_ARG,
	BY_CPU,
	BY_COMM,
	BY_PAIR,
	BY_ERROR,
	BY_CALLEE,
	BY_SPIN, /* the same, and it does not sleep */
	BY_WAKER,
	BY_MOMENT, /* calls are long at any moment of them, so in any callee */
	BY_LENGTH, /* calls are longer in all callees, and one varies */
	BY_PLACE, /* in one callee, which calls it anyway */
	BY_STORM, /* interrupts */
	BY_NOISE, /* interrupts take a fifth of all time */
};

#define CALLEES 3

enum field {
	COMM,
	PID,
	CPU,
	UID,
	ARG0,
	ARG1,
	CALLER,
	RET,
	MIGRATED,
	CALLEE,
	FIELDS
};

static const struct {
	const char *name;
	enum why_when when;
	bool counted;
} fields[FIELDS] = {
	[COMM] = { "comm", WHY_AT_ENTRY, true },        [PID] = { "pid", WHY_AT_ENTRY, true },
	[CPU] = { "cpu", WHY_AT_ENTRY, true },          [UID] = { "uid", WHY_AT_ENTRY, true },
	[ARG0] = { "arg0", WHY_AT_ENTRY, true },        [ARG1] = { "arg1", WHY_AT_ENTRY, true },
	[CALLER] = { "caller", WHY_AT_ENTRY, false },   [RET] = { "ret", WHY_AWAKE, false },
	[MIGRATED] = { "migrated", WHY_DURING, false }, [CALLEE] = { "callee", WHY_AWAKE, false },
};

struct row {
	const char *what;
	enum plant plant;
	unsigned int slow; /* calls */
	double others; /* share of slow calls that are slow by chance */
	unsigned int sets;
	double least; /* percent of sets with the cause in the first row; 0: none is planted */
};

static const struct row rows[] = {
	{ "none, 100 slow calls by chance", BY_CHANCE, 100, 0, 1000, 0 },
	{ "none, 20 slow calls by chance", BY_CHANCE, 20, 0, 1000, 0 },
	{ "none, 1,000 slow calls by chance", BY_CHANCE, 1000, 0, 200, 0 },
	{ "none, stalls of the machine", BY_STALL, 100, 0, 1000, 0 },
	{ "none, stalls, threads unlike", BY_STALL_UNLIKE, 100, 0, 1000, 0 },
	{ "none, bursts of one thread", BY_THREAD, 100, 0, 1000, 0 },
	{ "none, long calls meet more", BY_TIME, 100, 0, 1000, 0 },
	{ "none, arg1 with 100,000 values", BY_WIDE, 100, 0, 1000, 0 },
	{ "arg0 is 7, 20 slow calls", BY_ARG, 20, 0.1, 200, 90 },
	{ "arg0 is 7, 100 slow calls", BY_ARG, 100, 0.1, 200, 99 },
	{ "arg0 is 7, 1,000 slow calls", BY_ARG, 1000, 0.1, 50, 99 },
	{ "CPU 1 only, 20 slow calls", BY_CPU, 20, 0.1, 200, 80 },
	{ "CPU 1 only, 100 slow calls", BY_CPU, 100, 0.1, 200, 99 },
	{ "CPU 1 only, 1,000 slow calls", BY_CPU, 1000, 0.1, 50, 99 },
	{ "one comm, 20 slow calls", BY_COMM, 20, 0.1, 200, 80 },
	{ "one comm, 100 slow calls", BY_COMM, 100, 0.1, 200, 99 },
	{ "one comm, 1,000 slow calls", BY_COMM, 1000, 0.1, 50, 99 },
	{ "arg0 and CPU, 20 slow calls", BY_PAIR, 20, 0, 200, 0.1 },
	{ "arg0 and CPU, 100 slow calls", BY_PAIR, 100, 0, 200, 80 },
	{ "arg0 and CPU, 1,000 slow calls", BY_PAIR, 1000, 0, 50, 99 },
	{ "errors only, 20 slow calls", BY_ERROR, 20, 0.1, 200, 80 },
	{ "errors only, 100 slow calls", BY_ERROR, 100, 0.1, 200, 99 },
	{ "errors only, 1,000 slow calls", BY_ERROR, 1000, 0.1, 50, 99 },
	{ "one callee, 20 slow calls", BY_CALLEE, 20, 0.1, 200, 80 },
	{ "one callee, 100 slow calls", BY_CALLEE, 100, 0.1, 200, 99 },
	{ "one callee, 1,000 slow calls", BY_CALLEE, 1000, 0.1, 50, 99 },
	{ "one callee that spins, 100 slow calls", BY_SPIN, 100, 0.1, 200, 0.1 },
	{ "one callee that spins, 1,000 slow calls", BY_SPIN, 1000, 0.1, 50, 99 },
	{ "none, long at any moment", BY_MOMENT, 100, 0, 1000, 0 },
	{ "none, long at any moment, 20 slow calls", BY_MOMENT, 20, 0, 1000, 0 },
	{ "none, long in all callees", BY_LENGTH, 100, 0, 1000, 0 },
	{ "none, interrupts all the time", BY_NOISE, 100, 0, 1000, 0 },
	{ "long in one callee, 20 slow calls", BY_PLACE, 20, 0.1, 200, 80 },
	{ "long in one callee, 100 slow calls", BY_PLACE, 100, 0.1, 200, 99 },
	{ "long in one callee, 1,000 slow calls", BY_PLACE, 1000, 0.1, 50, 99 },
	{ "interrupts, 20 slow calls", BY_STORM, 20, 0.1, 200, 80 },
	{ "interrupts, 100 slow calls", BY_STORM, 100, 0.1, 200, 99 },
	{ "one waker, 20 slow calls", BY_WAKER, 20, 0.1, 200, 80 },
	{ "one waker, 100 slow calls", BY_WAKER, 100, 0.1, 200, 99 },
	{ "one waker, 1,000 slow calls", BY_WAKER, 1000, 0.1, 50, 99 },
};

/* A call that is made up. */
struct made_call {
	uint64_t start_ns;
	uint64_t duration_ns;
	uint64_t wait_ns;
	int thread;
	int values[FIELDS];
	uint64_t interrupted_ns;
	uint64_t callee_ns[CALLEES + 1]; /* the last one: itself */
	const char *waker;
	bool slow;
};

struct world {
	const struct row *row;
	uint64_t end_ns;
	uint64_t stall_every_ns;
	size_t n;
	size_t room;
	struct made_call *calls;
};

static int below(int n)
{
	return unif_rand() * n;
}

/* ---- what makes calls slow ---- */

/* The thread that is slow in a burst: by its number. */
static int thread_of(uint64_t burst)
{
	return (burst * 2654435761u >> 7) % THREADS;
}

static bool in_burst(const struct world *w, uint64_t at_ns, uint64_t length, uint64_t *left)
{
	uint64_t phase = at_ns % w->stall_every_ns;

	*left = phase < length ? length - phase : 0;
	return *left;
}

/* The share of calls that a cause may choose from. */
static bool is_caused(enum plant plant, struct made_call *c)
{
	switch (plant) {
	case BY_ARG:
		return c->values[ARG0] == 7 && unif_rand() < SLOW * 10;
	case BY_CPU:
		return c->values[CPU] == 1 && unif_rand() < SLOW * 4;
	case BY_COMM:
		return c->values[COMM] == 2 && unif_rand() < SLOW * 4;
	case BY_PAIR:
		return c->values[ARG0] == 7 && c->values[CPU] == 1 && unif_rand() < SLOW * 40;
	default:
		return unif_rand() < SLOW;
	}
}

static void slow_by_cause(const struct world *w, struct made_call *c)
{
	if (unif_rand() < SLOW * w->row->others) {
		c->slow = true;
	} else if (is_caused(w->row->plant, c) && unif_rand() >= w->row->others) {
		c->slow = true;
		c->values[RET] = w->row->plant == BY_ERROR ? 5 : c->values[RET];
		c->values[CALLEE] = w->row->plant == BY_CALLEE || w->row->plant == BY_SPIN
					    ? 9
					    : c->values[CALLEE];
		c->waker = w->row->plant == BY_WAKER ? "holder" : c->waker;
	}
	if (!c->slow)
		return;
	c->wait_ns = LONGER_NS * exp(0.3 * norm_rand());
	if (!c->waker)
		c->waker = below(2) ? "swapper/0" : "kworker/1:1";
	c->duration_ns += c->wait_ns;
	if (w->row->plant != BY_SPIN && w->row->plant < BY_MOMENT)
		return;
	c->wait_ns = 0;
	c->waker = NULL;
}

/*
 * Of ordinary calls a tenth, a third and a quarter of the time, more or less, is in callees. What
 * makes a call slow is at some moment of it, and so in one of them.
 */
static void make_callees(const struct world *w, struct made_call *c, uint64_t usual, bool caused)
{
	static const double share[CALLEES] = { 0.1, 0.33, 0.25 };
	uint64_t left = usual, extra = c->duration_ns - usual;
	double at = unif_rand();
	int i;

	for (i = 0; i < CALLEES; i++) {
		c->callee_ns[i] = fmin(left, usual * share[i] * exp(0.3 * norm_rand()));
		left -= c->callee_ns[i];
	}
	c->callee_ns[CALLEES] = left;
	for (i = 0; i < CALLEES && at > (double)c->callee_ns[i] / usual; i++)
		at -= (double)c->callee_ns[i] / usual;
	if (w->row->plant == BY_PLACE && caused)
		i = 0;
	if (w->row->plant != BY_LENGTH) {
		c->callee_ns[i] += extra;
		return;
	}
	left = c->duration_ns;
	for (i = 0; i < CALLEES; i++) {
		c->callee_ns[i] *= (double)c->duration_ns / usual;
		left -= c->callee_ns[i];
	}
	c->callee_ns[CALLEES] = left;
}

/* Of ordinary calls, one in a hundred is interrupted; in a noisy world, a fifth of the time is. */
static void make_interrupts(const struct world *w, struct made_call *c, bool caused)
{
	double n = 0, at;

	if (w->row->plant == BY_NOISE)
		for (at = exp_rand(); at < c->duration_ns / 20000.0; at += exp_rand())
			n += 4000;
	else if (unif_rand() < 0.01)
		n = 3000;
	if (w->row->plant == BY_STORM && caused)
		n = c->duration_ns * 0.7;
	c->interrupted_ns = fmin(n, c->duration_ns - c->wait_ns);
}

static void make_slow(const struct world *w, struct made_call *c)
{
	uint64_t left;

	switch (w->row->plant) {
	case BY_STALL:
	case BY_STALL_UNLIKE:
		c->slow = in_burst(w, c->start_ns, STALL_NS, &left);
		c->duration_ns += left;
		break;
	case BY_THREAD:
		c->slow = in_burst(w, c->start_ns, BURST_NS, &left) && unif_rand() < 0.7 &&
			  thread_of(c->start_ns / w->stall_every_ns) == c->thread;
		c->duration_ns += c->slow ? LONGER_NS * exp(0.3 * norm_rand()) : 0;
		break;
	case BY_CHANCE:
	case BY_TIME:
	case BY_WIDE:
	case BY_MOMENT:
	case BY_LENGTH:
	case BY_NOISE:
		c->slow = unif_rand() < SLOW;
		c->duration_ns += c->slow ? LONGER_NS * exp(0.3 * norm_rand()) : 0;
		break;
	default:
		slow_by_cause(w, c);
	}
	if (w->row->plant == BY_TIME && unif_rand() < -expm1(-1e-6 * c->duration_ns * 3))
		c->values[RET] = 4;
	c->values[MIGRATED] = unif_rand() < -expm1(-1e-6 * c->duration_ns * 2);
}

/* ---- calls ---- */

static void make_call(struct world *w, int thread, uint64_t *now)
{
	struct made_call *c;
	uint64_t usual;
	bool caused;

	if (w->n == w->room) {
		w->room = w->room ? 2 * w->room : 4096;
		w->calls = realloc(w->calls, w->room * sizeof(*w->calls));
	}
	c = &w->calls[w->n++];
	*c = (struct made_call){ .start_ns = *now,
				 .duration_ns = USUAL_NS * exp(0.3 * norm_rand()),
				 .thread = thread };
	c->values[COMM] = thread % 4;
	c->values[PID] = 100 + thread;
	c->values[CPU] = unif_rand() < 0.9 ? thread / 2 : below(4);
	c->values[UID] = thread % 2;
	c->values[ARG0] = below(10);
	c->values[ARG1] = below(w->row->plant == BY_WIDE ? WIDE : 1000);
	c->values[CALLER] = below(50);
	c->values[RET] = unif_rand() < 0.02 ? 11 : 0;
	c->values[CALLEE] = unif_rand() < 0.3;
	usual = c->duration_ns;
	make_slow(w, c);
	if (w->row->plant >= BY_MOMENT) {
		caused = c->slow && unif_rand() >= w->row->others;
		make_callees(w, c, usual, caused);
		make_interrupts(w, c, caused);
	}
	*now += c->duration_ns;
}

static int by_start(const void *a, const void *b)
{
	uint64_t x = ((const struct made_call *)a)->start_ns;
	uint64_t y = ((const struct made_call *)b)->start_ns;

	return (x > y) - (x < y);
}

static void make_world(struct world *w)
{
	const double bursts = w->row->plant == BY_THREAD ? w->row->slow / 6.0 : w->row->slow / 7.0;
	double gap = GAP_NS;
	uint64_t now;
	int t;

	w->end_ns = w->row->slow / SLOW / THREADS * GAP_NS;
	w->stall_every_ns = w->end_ns / bursts;
	for (t = 0; t < THREADS; t++) {
		if (w->row->plant == BY_STALL_UNLIKE)
			gap = GAP_NS * (1 + 2.7 * t);
		for (now = gap * exp_rand(); now < w->end_ns; now += gap * exp_rand())
			make_call(w, t, &now);
	}
	qsort(w->calls, w->n, sizeof(*w->calls), by_start);
}

/* ---- what is kept ---- */

static char *text_of(int field, int value)
{
	char *text = NULL;

	if (asprintf(&text, "%d", field == RET ? -value : value) < 0)
		abort();
	return text;
}

static void keep_values(struct why *w, const struct world *world)
{
	uint64_t *calls = calloc(WIDE, sizeof(*calls)), *slow = calloc(WIDE, sizeof(*slow));
	size_t i;
	int f, v;

	w->values = calloc(world->n + 1000, sizeof(*w->values));
	for (f = 0; f < FIELDS; f++) {
		for (i = 0; fields[f].counted && i < world->n; i++) {
			calls[world->calls[i].values[f]]++;
			slow[world->calls[i].values[f]] += world->calls[i].slow;
		}
		for (v = 0; v < WIDE; v++) {
			if (calls[v])
				w->values[w->n_values++] =
					(struct why_value){ f, text_of(f, v), calls[v], slow[v] };
			calls[v] = slow[v] = 0;
		}
	}
	free(calls);
	free(slow);
}

static void keep_call(struct why *w, const struct made_call *c)
{
	struct why_call *to = &w->calls[w->n_calls_kept++];
	int f;

	*to = (struct why_call){ .start_ns = c->start_ns,
				 .duration_ns = c->duration_ns,
				 .is_split = true,
				 .is_slow = c->slow,
				 .pid = 100 + c->thread,
				 .tid = 100 + c->thread,
				 .values = calloc(FIELDS, sizeof(*to->values)),
				 .caller = WHY_NO_STACK,
				 .user_caller = WHY_NO_STACK };
	for (f = 0; f < FIELDS; f++)
		to->values[f] = text_of(f, c->values[f]);
	to->part_ns[KSTATS_PART_RUNNING] = c->duration_ns - c->wait_ns;
	to->part_ns[KSTATS_PART_SLEEPING] = c->wait_ns;
	to->part_ns[KSTATS_PART_INTERRUPTED] = c->interrupted_ns;
	if (w->n_callees) {
		to->callee_ns = calloc(CALLEES + 1, sizeof(*to->callee_ns));
		memcpy(to->callee_ns, c->callee_ns, sizeof(c->callee_ns));
	}
	to->wait.ns = c->wait_ns;
	to->wait.part = KSTATS_PART_SLEEPING;
	to->wait.stack = to->wait.waker_stack = WHY_NO_STACK;
	to->wait.waker = c->waker ? strdup(c->waker) : NULL;
}

/* All slow calls, and the first ordinary one after each of as many times. */
static struct why *keep(const struct world *world)
{
	struct why *w = calloc(1, sizeof(*w));
	size_t i, n_ordinary = 0;
	int f;

	w->n_calls = world->n;
	for (i = 0; i < world->n; i++)
		w->n_slow += world->calls[i].slow;
	w->n_callees = world->row->plant >= BY_MOMENT ? CALLEES : 0;
	w->callees = calloc(CALLEES, sizeof(*w->callees));
	for (f = 0; f < (int)w->n_callees; f++)
		w->callees[f] = text_of(CALLEE, f);
	w->n_fields = FIELDS;
	w->fields = calloc(FIELDS, sizeof(*w->fields));
	for (f = 0; f < FIELDS; f++)
		w->fields[f] = (struct why_field){ strdup(fields[f].name), fields[f].when,
						   fields[f].counted };
	keep_values(w, world);
	w->calls = calloc(2 * w->n_slow + 1, sizeof(*w->calls));
	for (i = 0; i < world->n; i++) {
		if (world->calls[i].slow)
			keep_call(w, &world->calls[i]);
		else if (n_ordinary < w->n_slow && world->calls[i].start_ns * (double)w->n_slow >=
							   (double)n_ordinary * world->end_ns) {
			keep_call(w, &world->calls[i]);
			n_ordinary++;
		}
	}
	return w;
}

/* ---- what is found ---- */

static bool names(const struct study_cause *c, const char *field, const char *value)
{
	int i;

	for (i = 0; i < c->n; i++)
		if (!strcmp(c->field[i], field) && !strcmp(c->value[i], value))
			return true;
	return false;
}

/* A process tells its comm. */
static bool is_right(const struct row *row, const struct study_cause *c)
{
	switch (row->plant) {
	case BY_ARG:
		return c->n == 1 && names(c, "arg0", "7");
	case BY_CPU:
		return c->n == 1 && names(c, "cpu", "1");
	case BY_COMM:
		return c->n == 1 && names(c, "comm", "2");
	case BY_PAIR:
		return c->n == 2 && names(c, "arg0", "7") && names(c, "cpu", "1");
	case BY_ERROR:
		return names(c, "ret", "-5");
	case BY_CALLEE:
	case BY_SPIN:
		return names(c, "callee", "9");
	case BY_WAKER:
		return names(c, "woken by", "holder");
	case BY_PLACE:
		return names(c, "longest in", "0");
	case BY_STORM:
		return names(c, "interrupted for", "10% or more");
	default:
		return false;
	}
}

/* What the sets of a row have shown. */
struct seen {
	unsigned int bad_bounds; /* causes that explain less than at least */
	unsigned int named;
	unsigned int right;
	double bursts;
	double excess;
	double *lo;
	double *hi;
	unsigned int known;
};

static void one(struct seen *seen, const struct row *row, bool tell)
{
	struct world world = { .row = row };
	struct study s;
	struct why *w;
	size_t i;

	make_world(&world);
	w = keep(&world);
	if (why_study(&s, w))
		abort();
	seen->named += s.n_named > 0;
	seen->right += s.n_named && is_right(row, &s.causes[0]);
	seen->bursts += s.n_bursts;
	for (i = 0; i < s.n_causes; i++)
		seen->bad_bounds += s.causes[i].share_lo > s.causes[i].share;
	if (s.has_intervals) {
		seen->excess += s.whole.slow - s.whole.ordinary;
		seen->lo[seen->known] = s.whole.lo;
		seen->hi[seen->known++] = s.whole.hi;
	}
	tell = tell || (row->least && s.n_named && !is_right(row, &s.causes[0]));
	for (i = 0; tell && i < s.n_causes; i++)
		printf("# %s %s%s%s %s: named %d, slow %.3f others %.4f lo %.3f p %.4f\n",
		       s.causes[i].field[0], s.causes[i].value[0], s.causes[i].n > 1 ? " and " : "",
		       s.causes[i].n > 1 ? s.causes[i].field[1] : "",
		       s.causes[i].n > 1 ? s.causes[i].value[1] : "", s.causes[i].is_named,
		       s.causes[i].slow, s.causes[i].others, s.causes[i].share_lo, s.causes[i].p);
	study_free(&s);
	why_free(w);
	free(world.calls);
}

static double covered(const struct seen *seen)
{
	unsigned int i, n = 0;

	for (i = 0; i < seen->known; i++)
		n += seen->lo[i] <= seen->excess / seen->known &&
		     seen->hi[i] >= seen->excess / seen->known;
	return seen->known ? 100.0 * n / seen->known : 0;
}

static bool is_good(const struct row *row, const struct seen *seen, unsigned int sets)
{
	double most = 1 + ERRORS * 100 * sqrt(STUDY_FALSE * (1 - STUDY_FALSE) / sets);
	double spare = ERRORS * 100 * sqrt(0.1 * 0.9 / sets);

	if (seen->bad_bounds)
		return false;
	if (!row->least)
		return 100.0 * seen->named / sets <= most;
	return 100.0 * seen->right / sets >= row->least - (row->least < 1 ? 1 : spare);
}

static bool table(const struct made_words *words, unsigned int number)
{
	const struct row *row = &rows[number - 1];
	unsigned int sets = made_times(words, row->sets), i;
	struct seen seen = { .lo = calloc(sets, sizeof(double)),
			     .hi = calloc(sets, sizeof(double)) };
	bool good;

	made_stream(TABLE, number);
	for (i = 0; i < sets; i++)
		one(&seen, row, words->most == 1);
	good = words->most || is_good(row, &seen, sets);
	printf("%s %u - %-42s bursts %6.1f named %5.1f first %5.1f covers %5.1f\n",
	       good ? "ok" : "not ok", number, row->what, seen.bursts / sets,
	       100.0 * seen.named / sets, 100.0 * seen.right / sets, covered(&seen));
	fflush(stdout);
	free(seen.lo);
	free(seen.hi);
	return good;
}

int main(int argc, char **argv)
{
	struct made_words words;
	unsigned int i, bad = 0;

	made_read(&words, argc, argv);
	printf("1..%zu\n# in percent: sets in which anything is named, and in which the planted\n"
	       "# cause is the first row; covers: intervals of 95 %% that hold the excess\n",
	       sizeof(rows) / sizeof(*rows));
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (made_wants(&words, rows[i].what))
			bad += !table(&words, i + 1);
	return bad != 0;
}
