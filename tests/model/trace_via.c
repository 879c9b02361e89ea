// SPDX-License-Identifier: GPL-2.0-only
/* trace_via.c - whether the stages of a sample are those of the points that its call passed. */
#include "trace_priv.h"

/* Whether a start, or a pass, is where the end that runs takes its start from. */
static bool is_beside_end(const struct call *o, const struct machine_run *run)
{
	if (shape->owns && (!o->key || o->key == 2))
		return false;
	if (shape->pairing == KSTATS_BY_KEY)
		return o->key == run->call->key;
	return o->task == run->call->task && !o->level == !run->call->level &&
	       (!o->level || o->cpu == run->call->cpu);
}

/* Whether the pass can be of no other start: none was there since its own began. */
static bool is_clear(const struct machine_run *run)
{
	const struct call *o;

	for (o = calls; o < calls + n_calls; o++)
		if (!o->is_via && o != run->sampled && o->began_at && is_beside_end(o, run) &&
		    (o->task == run->sampled->task || shape->pairing == KSTATS_BY_KEY) &&
		    (!o->taken || o->taken_at > run->sampled->began_at))
			return false;
	return true;
}

static bool is_pass(const struct call *p, int nth, const struct machine_run *run)
{
	return p->is_via && p->nth == nth && p->ns && is_beside_end(p, run);
}

/* All of it between the start and the end. */
static bool is_inside(const struct call *p, const struct machine_run *run)
{
	return run->sampled->begun_at && p->began_at > run->sampled->begun_at && p->done_at &&
	       p->done_at < run->call->ended_at;
}

/*
 * Whether the pass is in an interrupt upon a start of the task that is newer than its own: neither
 * passes nor ends of interrupts look below such a start.
 */
static bool is_hidden(const struct call *p, const struct machine_run *run)
{
	const struct call *o;

	if (!p->level || shape->pairing == KSTATS_BY_KEY)
		return false;
	for (o = run->sampled + 1; o < calls + n_calls; o++)
		if (!o->is_via && !o->level && o->task == p->task && o->counted &&
		    o->began_at < p->done_at && (!o->taken || o->taken_at > p->began_at))
			return true;
	return false;
}

/* Whether the point was passed while the end ran, or the start. */
static bool is_at_edge(int nth, const struct machine_run *run)
{
	const struct call *p;

	for (p = calls; p < calls + n_calls; p++)
		if (p->is_via && p->nth == nth && p->began_at && is_beside_end(p, run) &&
		    (!p->done_at || p->done_at >= run->call->ended_at))
			return true;
	return false;
}

/* Whether a newer start than that of the sample was open all through the pass, which is its. */
static bool is_of_newer(const struct call *p, const struct machine_run *run)
{
	const struct call *o, *of = run->sampled;

	for (o = of + 1; o < calls + n_calls && !shape->first; o++)
		if (!o->is_via && o->counted && is_beside_end(o, run) &&
		    o->began_at > of->begun_at && o->begun_at && o->begun_at < p->began_at &&
		    p->done_at && (!o->taken || o->taken_at > p->done_at))
			return true;
	return false;
}

/* The time at which the stage ended; or that of its begin, if the point was not passed. */
static __u64 via_judge_stage(const struct machine_run *run, int nth, __u64 from, bool *twice)
{
	__u64 at = from + run->stages[nth] - 1;
	bool passed = run->stages[nth], is_time = false, sure = is_clear(run);
	const struct call *p;
	int n = 0;

	for (p = calls; p < calls + n_calls; p++) {
		if (!is_pass(p, nth, run))
			continue;
		is_time |= p->ns == at && (is_crowded(run->sampled) || !is_of_newer(p, run));
		if (!sure || !is_inside(p, run) || is_hidden(p, run) || is_crowded(run->sampled))
			continue;
		n++;
		if (passed && (shape->first ? p->ns < at : p->ns > at))
			say("a stage of call %d ends at another time than it was passed",
			    (int)(run->sampled - calls));
		/* With --first it may have been passed before the point in front of it. */
		if (!passed && p->ns >= from && !shape->first && !is_at_edge(nth, run))
			say("call %d passed point %d", (int)(run->sampled - calls), nth);
	}
	*twice |= n > 1 && passed;
	if (passed && run->stages[nth] - 1 > run->sample)
		say("a stage of call %d is longer than the call", (int)(run->sampled - calls));
	if (passed && !is_time)
		say("a stage of call %d ends where nothing was passed",
		    (int)(run->sampled - calls));
	if (shape->first && n == 1 && !passed && !is_at_edge(nth, run) && from == run->sampled->ns)
		say("call %d passed point %d first", (int)(run->sampled - calls), nth);
	return passed ? at : from;
}

/* Of a sample that counts, no point can have been passed without its program. */
static void judge_skipped(const struct machine_run *run)
{
	const struct call *p;

	for (p = calls; p < calls + n_calls; p++)
		if (p->is_via && p->start_skipped && is_beside_end(p, run) && is_inside(p, run))
			say("the sample of call %d goes over pass %d, which was skipped",
			    (int)(run->sampled - calls), (int)(p - calls));
}

void via_judge(const struct machine_run *run)
{
	__u64 at = run->sampled->ns;
	bool twice = false;
	int i;

	for (i = 0; i < TRACE_VIAS; i++)
		at = via_judge_stage(run, i, at, &twice);
	if (run->stages[TRACE_VIAS] != run->first - at + 1)
		say("the stages of call %d do not add up", (int)(run->sampled - calls));
	if (twice && !run->stages[TRACE_VIAS + 1])
		say("call %d passed a point again", (int)(run->sampled - calls));
	if (run->stages[TRACE_VIAS + 1] && run->stages[TRACE_VIAS + 1] != run->sample + 1)
		say("what passed a point again is of another call");
	judge_skipped(run);
}
