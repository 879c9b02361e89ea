// SPDX-License-Identifier: GPL-2.0-only
#include "measure/measure.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "measure/collect.h"
#include "measure/overhead.h"
#include "measure/run.h"
#include "measure/counting.h"
#include "hook/switches.h"
#include "result/hint.h"
#include "result/ledger.h"
#include "util/clock.h"

/* Counting the samples may take 1/COUNT_SHARE of the time. */
#define COUNT_SHARE 100
#define FOLLOW_TICK_NS 100000000 /* as often is read what processes have in their memory */

/** struct measure - see measure.h */
struct measure {
	const struct plan *plan; /* not owned */
	struct run run; /* time, signals, command */
	struct counting counting; /* what counts */
	struct switches switches; /* what can keep it from running */
	struct collect *collect; /* single calls, or NULL */
	struct recording *recording; /* what becomes of it; its snapshot comes last */
	char *unknown; /* owned; a method of which that is not known, or NULL */
	struct overhead overhead; /* estimate of the overhead */
	bool ended; /* it was too much, so that nothing is attached any more */
	struct snapshot *base; /* begin of the interval, NULL in the first */
	unsigned int period; /* number of the interval, 0 before the first report */
	bool closed; /* nobody reads standard output any more */
	uint64_t begin_ns; /* of recording */
	uint64_t count_ns; /* when the samples may be counted again */
	uint64_t samples; /* when they were counted last */
	char hint[HINT_TEXT]; /* likewise; "": nothing to tell */
};

/* ---- life ---- */

static int measure_describe(struct recording *r, const struct spec *spec, const struct facts *facts,
			    struct error *e)
{
	if (facts_machine(facts, &r->machine))
		return error_no_memory(e, "cannot measure");
	return tags_copy(&r->tags, &spec->tags, e);
}

struct measure *measure_open(const struct plan *plan, const struct facts *facts, struct error *e)
{
	struct measure *m = calloc(1, sizeof(*m));
	int err;

	if (!m) {
		error_no_memory(e, "cannot measure");
		return NULL;
	}
	m->plan = plan;
	m->overhead.limit = plan->spec->max_overhead;
	m->run = RUN_NONE;
	m->recording = recording_new(NULL);
	err = m->recording ? measure_describe(m->recording, plan->spec, facts, e)
			   : error_no_memory(e, "cannot measure");
	if (!err)
		m->overhead.cpus = m->recording->machine.cpus_online;
	if (!err)
		err = run_open(&m->run, plan->spec, e);
	if (!err)
		switches_watch(&m->switches, "");
	if (!err)
		err = counting_open(&m->counting, plan, e);
	if (!err && m->run.child && m->counting.session)
		err = session_follow(m->counting.session, m->run.child, e);
	if (!err && plan->spec->why) {
		m->collect = collect_begin(m->counting.session, plan, e);
		err = m->collect ? 0 : -ENOMEM;
	}
	if (!err)
		return m;
	measure_close(m);
	return NULL;
}

int measure_again(struct measure *m, const struct plan *plan, const struct facts *facts,
		  struct error *e)
{
	int err;

	m->plan = plan;
	recording_free(m->recording);
	m->recording = recording_new(NULL);
	snapshot_free(m->base);
	m->base = NULL;
	m->period = 0;
	m->count_ns = m->samples = 0;
	*m->hint = 0;
	m->closed = false;
	err = m->recording ? measure_describe(m->recording, plan->spec, facts, e)
			   : error_no_memory(e, "cannot measure");
	if (!err)
		err = counting_again(&m->counting, plan, e);
	if (!err)
		err = run_open(&m->run, plan->spec, e);
	if (!err && m->run.child && m->counting.session)
		err = session_follow(m->counting.session, m->run.child, e);
	return err;
}

void measure_close(struct measure *m)
{
	if (!m)
		return;
	run_close(&m->run);
	run_free(&m->run);
	collect_free(m->collect);
	counting_close(&m->counting);
	switches_close(&m->switches);
	snapshot_free(m->base);
	recording_free(m->recording);
	free(m->unknown);
	free(m);
}

/* Add the methods and the backend that were really used. */
int measure_know(struct measure *m, const struct costs *c, struct error *e)
{
	struct snapshot *s = counting_about(&m->counting, e);
	const struct snapshot_node *n;
	int err;

	if (!s)
		return -EIO;
	free(m->unknown);
	m->unknown = NULL;
	err = recording_set_costs(m->recording, s, c);
	for (n = s->nodes; !err && !m->unknown && n < s->nodes + s->n_nodes; n++) {
		if (!snapshot_is_recorded(n->kind) || n->kind == SNAPSHOT_KEY ||
		    !strcmp(n->method, "none") || costs_find(c, n->method, s->backend, s->pairing))
			continue;
		m->unknown = strdup(n->method);
		err = m->unknown ? 0 : -ENOMEM;
	}
	snapshot_free(s);
	return err ? error_no_memory(e, "cannot measure") : 0;
}

const char *measure_unknown(const struct measure *m)
{
	return m->unknown;
}

const char *measure_left_out(const struct measure *m, unsigned int i, const char **why)
{
	return m->counting.session ? session_left_out(m->counting.session, i, why) : NULL;
}

bool measure_closed(const struct measure *m)
{
	return m->closed;
}

bool measure_interrupted(const struct measure *m)
{
	return m->run.interrupted;
}

uint64_t measure_untracked(const struct measure *m)
{
	return m->counting.session ? session_untracked(m->counting.session) : 0;
}

/* ---- intervals ---- */

/* What was counted since the interval began. @over: the counts of its begin may be released. */
static struct snapshot *since_base(const struct measure *m, const struct snapshot *now, bool over,
				   struct error *e)
{
	struct snapshot *diff;

	if (m->base)
		return over ? snapshot_since(now, m->base, e) : snapshot_subtract(now, m->base, e);
	diff = snapshot_copy(now);
	if (!diff)
		error_no_memory(e, "cannot measure");
	return diff;
}

static int measure_keep(struct measure *m, const struct measure_watch *watch,
			const struct snapshot *diff, struct error *e)
{
	if (!watch->keep_periods || !recording_add_period(m->recording, diff))
		return 0;
	return error_no_memory(e, "cannot measure");
}

static int measure_tell(const struct measure *m, const struct measure_watch *watch,
			struct snapshot *diff, struct error *e)
{
	struct recording view = *m->recording;

	view.whole = diff;
	view.n_periods = 0;
	recording_drop_unused(&view);
	return watch->report(watch->ctx, &view, m->period, e);
}

static int report(struct measure *m, const struct measure_watch *watch, bool new_period,
		  struct error *e)
{
	struct snapshot *now = counting_snapshot(&m->counting, e), *diff;
	int err = -EIO;

	diff = now ? since_base(m, now, new_period, e) : NULL;
	if (!m->period)
		m->period = 1;
	if (diff)
		err = new_period ? measure_keep(m, watch, diff, e) : 0;
	if (diff && !err)
		err = measure_tell(m, watch, diff, e);
	snapshot_free(diff);
	if (!now || !new_period) {
		snapshot_free(now);
		return err;
	}
	snapshot_free(m->base);
	m->base = now;
	m->period++;
	return err;
}

/* ---- progress ---- */

static double spent(const struct measure *m, const struct snapshot *s)
{
	return overhead_spent(s, &m->recording->costs, session_others(m->counting.session));
}

static void look_for_hint(struct measure *m, const struct snapshot *s)
{
	uint32_t i;

	*m->hint = 0;
	for (i = 0; i < s->n_nodes; i++)
		if (ledger_is_owner(s, i) && hint_pair(s, i, m->hint))
			return;
}

static void measure_look(struct measure *m)
{
	uint64_t before = clock_ns(CLOCK_MONOTONIC);
	struct snapshot *s = before < m->count_ns ? NULL : counting_snapshot(&m->counting, NULL);

	if (!s)
		return;
	m->samples = snapshot_samples(s);
	look_for_hint(m, s);
	if (m->overhead.limit)
		overhead_look(&m->overhead, spent(m, s), s->span.end_ns);
	m->count_ns =
		clock_ns(CLOCK_MONOTONIC) + COUNT_SHARE * (clock_ns(CLOCK_MONOTONIC) - before);
	snapshot_free(s);
}

static void beat(struct measure *m, const struct measure_watch *watch)
{
	struct measure_progress p = { .elapsed_ns = clock_ns(CLOCK_MONOTONIC) - m->begin_ns };

	measure_look(m);
	p.samples = m->samples;
	p.hint = *m->hint ? m->hint : NULL;
	if (watch->progress)
		watch->progress(watch->ctx, &p);
}

bool measure_overhead(const struct measure *m, double *percent, unsigned int *cpus, bool *ended)
{
	*percent = m->overhead.most;
	*cpus = m->overhead.cpus;
	*ended = m->ended;
	return m->overhead.over;
}

/* Detach, and wait for the command, which goes on. Returns the event that ended the wait. */
static enum run_event detach(struct measure *m, const struct measure_watch *watch)
{
	enum run_event event = RUN_END;

	m->ended = true;
	session_stop(m->counting.session);
	session_catch_up(m->counting.session);
	session_detach(m->counting.session);
	if (!m->run.child)
		return event;
	if (watch->detached)
		watch->detached(watch->ctx);
	do
		event = run_wait(&m->run);
	while (event != RUN_END && event != RUN_CLOSED);
	return event;
}

/* ---- the measurement ---- */

static int measure_begin(struct measure *m, const struct measure_watch *watch, struct error *e)
{
	int err = watch->progress || m->overhead.limit ? run_beat(&m->run) : 0;

	if (!err && (m->collect || (m->counting.session && session_follows(m->counting.session))))
		err = run_tick(&m->run, m->collect ? COLLECT_TICK_NS : FOLLOW_TICK_NS);
	if (err)
		return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot set a timer");
	m->begin_ns = clock_ns(CLOCK_MONOTONIC);
	err = counting_start(&m->counting, e);
	if (err)
		return err;
	overhead_begin(&m->overhead, m->begin_ns);
	if (watch->started)
		watch->started(watch->ctx);
	return run_start(&m->run, m->plan->spec, e);
}

/* Record until an event ends it. Return: 0, MEASURE_STOP if a report returned that, or -errno. */
static int measure_record(struct measure *m, const struct measure_watch *watch, struct error *e)
{
	enum run_event event;
	int err = 0;

	while (!err) {
		event = run_wait(&m->run);
		if (m->counting.session)
			session_catch_up(m->counting.session);
		if (event == RUN_END || event == RUN_CLOSED)
			break;
		if (event == RUN_BEAT)
			beat(m, watch);
		if (event == RUN_TICK && m->collect && collect_tick(m->collect))
			err = error_no_memory(e, "cannot keep single calls");
		if (m->overhead.over) {
			event = detach(m, watch);
			break;
		}
		if (event != RUN_BEAT && event != RUN_TICK)
			err = report(m, watch, event == RUN_PERIOD, e);
	}
	m->closed = !err && event == RUN_CLOSED;
	return err;
}

/* The last interval is always kept, so that the intervals add up to the whole. */
static int end_period(struct measure *m, const struct measure_watch *watch,
		      const struct snapshot *all, bool quiet, struct error *e)
{
	struct snapshot *diff = since_base(m, all, true, e);
	int err = diff ? measure_keep(m, watch, diff, e) : -EINVAL;

	if (!err && !quiet)
		err = measure_tell(m, watch, diff, e);
	snapshot_free(diff);
	return err;
}

/*
 * A program may crash because it is probed. @status: of the command; a shell passes on the signal
 * of its last command in this way. Return: the name of a signal, or NULL.
 */
static const char *crashed_by(int status)
{
	static const struct {
		int number;
		const char *name;
	} crashes[] = {
		{ SIGILL, "SIGILL" }, { SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" },
		{ SIGBUS, "SIGBUS" }, { SIGSEGV, "SIGSEGV" },
	};
	size_t i;

	for (i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		if (status == 128 + crashes[i].number)
			return crashes[i].name;
	return NULL;
}

/* While programs are kept from running they count nothing, and the ledger still balances. */
static int measure_tell_unseen(struct measure *m, struct snapshot *s, struct error *e)
{
	const struct plan_way *way;
	const char *signal = m->plan->has_user ? crashed_by(m->recording->status) : NULL;
	unsigned int which = 0;
	char text[384];
	uint32_t i;

	for (i = 0; i < m->plan->n_probes; i++) {
		way = session_way(m->counting.session, i);
		if (way)
			which |= switches_of(&way->start) | switches_of(&way->end);
	}
	if (signal)
		snprintf(text, sizeof(text), "a probed program crashed (%s), perhaps by the probes",
			 signal);
	else if (!switches_moved(&m->switches, which, text, sizeof(text)))
		return 0;
	s->unseen = strdup(text);
	return s->unseen ? 0 : error_no_memory(e, "cannot measure");
}

int measure_run(struct measure *m, const struct measure_watch *watch, struct recording **r,
		struct error *e)
{
	int err = measure_begin(m, watch, e), failed = 0;
	struct snapshot *all = NULL;

	*r = NULL;
	m->recording->spool = watch->spool;
	if (!err)
		failed = measure_record(m, watch, e);
	counting_stop(&m->counting);
	m->recording->status = run_close(&m->run);
	if (!err)
		all = counting_snapshot(&m->counting, failed < 0 ? NULL : e);
	if (!all)
		return err ? err : failed < 0 ? failed : -EIO;
	if (m->overhead.limit)
		overhead_end(&m->overhead, spent(m, all), all->span.end_ns);
	err = measure_tell_unseen(m, all, failed < 0 ? NULL : e);
	if (m->base && !err)
		err = end_period(m, watch, all, failed || m->closed, failed < 0 ? NULL : e);
	if (m->collect && !err) {
		m->recording->why = collect_end(m->collect, all, failed < 0 ? NULL : e);
		err = m->recording->why ? 0 : -ENOMEM;
	}
	m->recording->whole = all;
	recording_drop_unused(m->recording);
	*r = m->recording;
	m->recording = NULL;
	return failed < 0 ? failed : err < 0 ? err : 0;
}
