// SPDX-License-Identifier: GPL-2.0-only
/*
 * measure.c - measure one way. The programs stay loaded. Repetitions with and without the
 * programs attached alternate, so that drift affects both equally.
 */
#include "calibrate/priv.h"

#include <errno.h>
#include <stdlib.h>

#include "result/dist.h"
#include "result/ledger.h"
#include "session/session.h"

#define REPETITIONS 7

/* The figures of all repetitions of one way. */
struct trial {
	const struct plan *plan;
	const struct loop *loop;
	enum loop_target target;
	struct session *session;
	struct snapshot *last;
	double floor[COST_STATES][REPETITIONS];
	double added[COST_STATES][REPETITIONS];
};

static unsigned int calls_of(const struct trial *t, enum cost_state state)
{
	return state == COST_HOT ? LOOP_CHUNKS * loop_chunk(t->target) : LOOP_COLD_CALLS;
}

static double measure_call(const struct trial *t, enum cost_state state)
{
	double ns;

	session_switch(t->session, true);
	ns = state == COST_HOT ? loop_hot(t->loop, t->target, LOOP_CHUNKS)
			       : loop_cold(t->loop, t->target);
	session_switch(t->session, false);
	return ns;
}

/* Read what was counted since the last read. */
static struct snapshot *since_last(struct trial *t, struct error *e)
{
	struct snapshot *now = session_snapshot(t->session, e), *diff;

	if (!now || !t->last) {
		t->last = now;
		return NULL;
	}
	diff = snapshot_subtract(now, t->last, e);
	snapshot_free(t->last);
	t->last = now;
	return diff;
}

static int wrong_count(uint64_t n, unsigned int wanted, struct error *e)
{
	char why[128];

	snprintf(why, sizeof(why), "it counted %llu calls of %u", (unsigned long long)n, wanted);
	return error_set(e, EXIT_KERNEL, -EIO, why, "try again", "cannot calibrate");
}

/*
 * Check that every call was counted, and no other. If reading the clock is a system call,
 * tracepoints of system calls count one more.
 */
static int check_count(const struct trial *t, const struct snapshot *diff, unsigned int wanted,
		       struct error *e)
{
	uint64_t n = diff->nodes[0].ledger[KSTATS_STARTED];

	if (wanted)
		n = ledger_recorded(diff, 0);
	return n == wanted || (t->target == LOOP_INVALID && wanted && n > wanted)
		       ? 0
		       : wrong_count(n, wanted, e);
}

/* The floor is the mean of the slot that holds the median sample. */
static int floor_of(const struct snapshot *diff, double *ns, struct error *e)
{
	struct dist d;
	uint32_t slot;
	int err = dist_open(&d, diff, 0, DIST_ALL_CPUS);

	if (!err) {
		slot = dist_quantile_slot(&d, DIST_ONE / 2);
		*ns = d.samples ? dist_slot_avg(&d.slots[slot], slot, d.bits) : 0;
	}
	dist_close(&d);
	return err ? error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot calibrate") : 0;
}

/* @ns receives the time of a call. The floor means something only while attached. */
static int phase(struct trial *t, enum cost_state state, bool attached, double *ns, double *floor,
		 struct error *e)
{
	struct snapshot *diff;
	int err;

	*ns = measure_call(t, state);
	diff = since_last(t, e);
	if (!diff)
		return -EIO;
	err = check_count(t, diff, attached ? calls_of(t, state) : 0, e);
	if (!err && attached)
		err = floor_of(diff, floor, e);
	snapshot_free(diff);
	return err;
}

/* Hot calls bring back what the cold calls before them evicted. */
static int warm_up(struct trial *t, struct error *e)
{
	session_switch(t->session, true);
	loop_hot(t->loop, t->target, LOOP_WARM_CHUNKS);
	session_switch(t->session, false);
	snapshot_free(since_last(t, e));
	return t->last ? 0 : -EIO;
}

static int repeat(struct trial *t, int i, struct error *e)
{
	double with[COST_STATES], without[COST_STATES], none;
	int state, err = warm_up(t, e);

	for (state = 0; !err && state < COST_STATES; state++)
		err = phase(t, state, true, &with[state], &t->floor[state][i], e);
	if (err)
		return err;
	session_detach(t->session);
	err = warm_up(t, e);
	for (state = 0; !err && state < COST_STATES; state++)
		err = phase(t, state, false, &without[state], &none, e);
	if (!err)
		err = session_attach(t->session, e);
	for (state = 0; !err && state < COST_STATES; state++)
		t->added[state][i] = with[state] - without[state];
	return err;
}

/* ---- the figures ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static uint64_t whole_ns(double ns)
{
	return ns <= 0 ? 0 : ns > COST_NS_MAX ? COST_NS_MAX : (uint64_t)(ns + 0.5);
}

static struct cost_figure figure(double values[REPETITIONS])
{
	qsort(values, REPETITIONS, sizeof(*values), by_value);
	return (struct cost_figure){ whole_ns(values[REPETITIONS / 2]), whole_ns(values[0]),
				     whole_ns(values[REPETITIONS - 1]) };
}

static void sum_up(struct trial *t, struct cost *row)
{
	const struct snapshot *s = t->last;
	int state;

	snprintf(row->method, sizeof(row->method), "%s", s->nodes[0].method);
	snprintf(row->backend, sizeof(row->backend), "%s", s->backend);
	snprintf(row->pairing, sizeof(row->pairing), "%s", cost_pairing(s->pairing));
	for (state = 0; state < COST_STATES; state++) {
		row->floor_ns[state] = figure(t->floor[state]);
		row->added_ns[state] = figure(t->added[state]);
	}
}

int calibrate_measure(const struct plan *plan, const struct loop *loop, enum loop_target target,
		      struct cost *row, struct error *e)
{
	struct trial t = { .plan = plan, .loop = loop, .target = target };
	int err = 0, i;

	t.session = session_open(plan, e);
	if (!t.session)
		return -EOPNOTSUPP;
	session_start(t.session);
	for (i = 0; !err && i < REPETITIONS; i++)
		err = repeat(&t, i, e);
	if (!err)
		sum_up(&t, row);
	snapshot_free(t.last);
	session_close(t.session);
	return err;
}
