// SPDX-License-Identifier: GPL-2.0-only
#include "trace_priv.h"

#include <string.h>

__u64 noted[TRACE_NODES][KSTATS_LEDGER_SPACE];
__u64 touched[TOUCHED];
int n_touched;

#define PASSED 1024
bool missed_newest;
static struct passed passed[PASSED];
static int n_passed;

void pass(int function, __u64 first)
{
	if (n_passed < PASSED)
		passed[n_passed] =
			(struct passed){ machine.cpu, function, first, machine.ns, session };
	n_passed++;
}

static struct machine_run alone[MACHINE_TASKS];

void told_begin_alone(void)
{
	struct machine_task *t = machine_task();
	struct machine_run *run = &alone[t - machine.tasks];

	*run = (struct machine_run){ .below = t->run };
	t->in_program++;
	t->run = run;
}

void told_end_alone(void)
{
	machine_task()->run = machine_task()->run->below;
	machine_task()->in_program--;
}

/* ---- what the machine tells ---- */

static __u64 switches_now(void)
{
	const struct task_struct *t = &machine_task()->ts;

	return t->nvcsw + t->nivcsw;
}

void model_clock(__u64 ns)
{
	struct machine_run *run = running();

	if (!run)
		return;
	if (!run->first) {
		run->first = ns;
		if (run->call && run->is_end && !run->call->is_via)
			pass(run->call->function, ns);
	}
	run->last = ns;
	if (run->call && !run->is_end) {
		run->call->ns = ns;
		run->call->switches = switches_now();
		run->call->ns_at = machine.at;
	}
}

static bool is_in_keys(const void *at)
{
	const struct machine_map *m = machine_map_of(keys);

	return (__u64)((char *)at - m->values) < (__u64)m->entries * m->size;
}

static void take_out(struct machine_run *run, struct call *c)
{
	run->before = run->subject;
	run->subject = c;
	c->taken = true;
	c->taken_at = machine.at;
	if (run->call && run->is_end && shape->owns && !run->call->key)
		say("call %d is ended by an event that is no point", (int)(c - calls));
	tell("the start of call %d is taken out", (int)(c - calls));
}

/* One of several starts per CPU took the start of @c out of its place, and put @now there. */
static void judge_taken_by_start(const struct call *c, const struct call *by, __u64 now)
{
	if (shape->first)
		say("a start takes the place of call %d, and the first start counts",
		    (int)(c - calls));
	if (!now && !c->level != !by->level)
		say("a start that is left out takes out call %d, of another level",
		    (int)(c - calls));
}

void model_exchanged(void *at, __u64 old)
{
	struct machine_run *run = running();
	struct call *c;

	/* A start is later than the last one at its place, whatever the clock says. */
	if (run && run->call && !run->is_end && is_in_keys(at) &&
	    kstats_place_is_open(*(__u64 *)at))
		run->call->ns = kstats_place_ns(*(__u64 *)at);
	if (!run || !old)
		return;
	if (shape->several && shape->pairing == KSTATS_BY_CPU)
		old &= ~KSTATS_CPU_INTERRUPT;
	if (old != KSTATS_START_TAKEN && (old == KSTATS_START_MARK || old & KSTATS_MARK_TIMED))
		order_mark_taken(at, run, run->is_end && shape->several);
	c = call_of_time(old);
	if (!c && shape->pairing == KSTATS_BY_KEY && kstats_place_is_open(old))
		c = call_of_time(kstats_place_ns(old));
	if (!c)
		return;
	if (shape->several && shape->pairing == KSTATS_BY_CPU && run->call && !run->is_end)
		judge_taken_by_start(c, run->call, *(__u64 *)at);
	take_out(run, c);
}

void count_fate(struct call *c, __u32 node, int id)
{
	if (!c) {
		say("a count of %d is of no call", id);
		return;
	}
	if (node != node_of(c->function))
		say("a count of %d is in another function's ledger", id);
	if (c->session != session)
		say("call %d, of before a stop, is counted as %d", (int)(c - calls), id);
	c->fates[id]++;
}

/* Open starts of keys that share their places with the key of @c. */
static int open_beside(const struct call *c)
{
	const struct call *o;
	int n = 0;

	for (o = calls; o < calls + n_calls; o++)
		n += o != c && o->counted && !o->taken && !o->fates[KSTATS_FULL];
	return n;
}

/* Whether the table had the start since @when. One that does not count may have been there a while.
 */
static bool was_in_table(const struct call *c, __u64 when)
{
	return c->taken ? c->taken_at > when : !c->fates[KSTATS_AGAIN];
}

/* A start does not count: another one of its kind must have been open. */
static void judge_again(const struct call *c, const struct machine_run *run)
{
	const struct call *o;

	if (!shape->first || !c || !is_pair_of_points() || shape->pairing == KSTATS_BY_CPU)
		return;
	for (o = calls; o < calls + n_calls; o++)
		if (o != c && o->counted && o->began_at < machine.at &&
		    was_in_table(o, c->began_at) &&
		    (shape->pairing == KSTATS_BY_KEY
			     ? o->key == c->key
			     : o->task == c->task && !o->level == !c->level))
			return;
	say("call %d does not count, though no other was open", (int)(c - calls));
}

/* Of the start that an end has taken. In a full ring, its place may have been needed meanwhile. */
static void count_of_end(const struct machine_run *run, __u32 node, int id)
{
	if (run->subject || !run->call || !is_crowded(run->call))
		count_fate(run->subject, node, id);
}

/* Of a start that is given up. An end may have taken its own before. */
static void count_dropped(struct machine_run *run, __u32 node, int id)
{
	struct call *c = run->subject;

	count_fate(c, node, id);
	if (c)
		order_give_up(c, run);
	if (c && run->is_end && shape->several && id == KSTATS_END_MISSED && !is_crowded(c) &&
	    (shape->pairing == KSTATS_BY_CPU ? c->ns : c->put_ns) >= run->first)
		say("call %d came upon the end that gives it up", (int)(c - calls));
	run->subject = run->before;
}

static void count_noted(struct machine_run *run, __u32 node, int id)
{
	struct call *c = run->call;

	switch (id) {
	case KSTATS_STARTED:
		if (shape->owns && !c->key)
			say("an event that is no point is counted");
		c->counted = true;
		c->session = session;
		return;
	case KSTATS_UNMATCHED:
		run->told++;
		c->unmatched++;
		c->below_hole = lies_below_hole(c);
		order_judge_unmatched(run);
		return;
	case KSTATS_FULL:
		if (open_beside(c) < KSTATS_KEY_CHAIN * KSTATS_KEY_WAYS)
			say("the table of keys is said to be full, and is not");
		count_fate(c, node, id);
		return;
	case KSTATS_TASK_GONE:
	case KSTATS_END_MISSED:
	case KSTATS_NESTED:
		count_dropped(run, node, id);
		return;
	case KSTATS_UNVERIFIED: /* it may have taken the start of another call */
		run->told++;
		count_fate(is_session() ? c : run->subject, node, id);
		return;
	case KSTATS_CANCELLED:
		if (!run->is_end || !c->function)
			say("a start is cancelled by what is no cancel");
		run->told++;
		count_of_end(run, node, id);
		return;
	case KSTATS_UNREADABLE:
		if (run->is_end)
			count_of_end(run, node, id);
		else
			count_fate(c, node, id);
		return;
	case KSTATS_AGAIN:
		if (shape->pairing == KSTATS_BY_CPU)
			return;
		c = run->subject ? run->subject : c;
		judge_again(c, run);
		count_fate(c, node, id);
		run->subject = run->before;
		return;
	case KSTATS_SUPERSEDED:
		if (shape->pairing == KSTATS_BY_KEY)
			count_dropped(run, node, id);
		return;
	default:
		count_fate(c, node, id);
	}
}

/* A variable of the program, on the stack that the machine runs it on. */
static bool is_local(const void *at)
{
	__u64 distance = (__u64)at - (__u64)__builtin_frame_address(0);

	return distance < 16384;
}

void model_adds(void *at)
{
	struct machine_map *m = machine_map_of(cells);
	__u64 offset = (char *)at - m->values, in_cell;
	struct machine_run *run = running();
	__u32 node;
	int id;

	if (run && run->is_end && !is_local(at) && call_of_time(*(__u64 *)at))
		take_out(run, call_of_time(*(__u64 *)at));
	else if (run && run->call && !is_local(at))
		order_written(at, run);
	if (offset >= (__u64)MACHINE_CPUS * TRACE_NODES * m->size || !run)
		return;
	in_cell = offset % m->size;
	node = offset / m->size % TRACE_NODES;
	if (in_cell < __builtin_offsetof(struct kstats_cell, ledger))
		return;
	id = (in_cell - __builtin_offsetof(struct kstats_cell, ledger)) / 8;
	if (id >= KSTATS_LEDGER_SPACE)
		return;
	noted[node][id]++;
	tell("counter %d of node %d, call %d", id, node,
	     (int)((id == KSTATS_STARTED || !run->subject ? run->call : run->subject) - calls));
	if (run->call)
		count_noted(run, node, id);
	else
		count_fate(run->subject, node, id);
}

void model_touched(void *map, __u32 i)
{
	int j;

	for (j = 0; j < n_touched && touched[j] != i; j++)
		;
	if (map == keys && j == n_touched && n_touched < TOUCHED)
		touched[n_touched++] = i;
}

/* ---- samples ---- */

/*
 * Whose start the sample is of. An end per CPU, and one whose place in a full ring is needed, may
 * take out another start than it has read: see end_by_cpu() and stack_pop().
 */
static struct call *call_of_sample(struct machine_run *run, __u64 v)
{
	struct call *c;

	if (!is_pair_of_points())
		return run->call;
	c = call_of_time(run->first - v);
	if (c && c != run->subject && shape->pairing != KSTATS_BY_CPU && !is_crowded(c))
		say("a sample is of call %d, and another start was taken", (int)(c - calls));
	return c;
}

static void judge_sample(struct machine_run *run, __u64 v)
{
	struct call *c = call_of_sample(run, v);

	/* The end of a call that was left out may then find what is not its own. */
	if (leaves_out() && !is_session() && c && is_crowded(c)) {
		if (run->subject)
			run->subject->fates[RECORDED]++;
		return;
	}
	if (shape->several && run->call->function)
		say("a cancel makes a sample");
	if (!run->is_end || !c || !c->counted || v != run->first - c->ns) {
		say("a sample is of another call");
		return;
	}
	if (c->session != session)
		say("the sample of call %d goes over a stop", (int)(c - calls));
	if (shape->keeps && run->kept != (__u64)(c - calls))
		say("the sample of call %d has the values of call %d", (int)(c - calls),
		    (int)run->kept);
	/* A full ring may have needed its place while its end read what is kept of it. */
	if (shape->counts && run->switches != switches_now() - c->switches && !c->given_up)
		say("call %d left the processor %d times, and was told %d", (int)(c - calls),
		    (int)(switches_now() - c->switches), (int)run->switches);
	if (is_pair_of_points())
		order_judge(c, run);
	if (is_pair_of_points() && shape->pairing == KSTATS_BY_TASK && run->subject)
		c = run->subject;
	c->fates[RECORDED]++;
	run->sampled = call_of_time(run->first - v);
	run->sample = v;
}

static void sample_of(struct machine_run *run, __u64 v)
{
	run->told++;
	judge_sample(run, v);
}

/* A gap is the time from an end on this CPU, after which no program of the function was skipped. */
static void sample_of_gap(struct machine_run *run, int function, __u64 v)
{
	struct passed *p = &passed[n_passed < PASSED ? n_passed : PASSED];
	bool skips = false;

	if (run->is_end)
		say("a gap ends with an end");
	while (p-- > passed) {
		if (p->cpu != machine.cpu || p->function != function)
			continue;
		if (p->first && p->first == run->last - v) {
			if (skips)
				say("a gap is over calls that were skipped");
			if (p->session != session)
				say("a gap goes over a stop");
			if (p->used)
				say("two gaps begin at one end");
			p->used = true;
			return;
		}
		skips |= !p->first && p->ns < run->last;
	}
	say("a gap is not the time since an end");
}

/* The key of --by that has this node; ~0 if none has. */
static __u64 key_of_node(__u32 node, int function)
{
	struct machine_map *m = machine_map_of(by_keys);
	const struct kstats_by *b = (struct kstats_by *)m->values;
	__u32 i;

	for (i = 0; i < m->entries; i++)
		if (b[i].number == node + KSTATS_BY_NUMBER && b[i].node == node_of(function))
			return b[i].words[0];
	return ~0ULL;
}

int kstats_record(__u32 id, __u64 v)
{
	struct machine_run *run = running();
	__u32 node = id - 1;

	if (node >= TRACE_VIA) {
		if (run->stages[node - TRACE_VIA])
			say("a stage has two samples");
		run->stages[node - TRACE_VIA] = v + 1;
	} else if (node >= TRACE_BY) {
		if (key_of_node(node, run->call->function) != run->call->key &&
		    !is_crowded(run->call))
			say("a sample is in another key's distribution");
		sample_of(run, v);
	} else if (node >= TRACE_APART) {
		return 0; /* it was counted as unverified */
	} else if (node % TRACE_STRIDE) {
		sample_of_gap(run, node / TRACE_STRIDE, v);
	} else {
		if (node != node_of(run->call->function))
			say("a sample is in another function's distribution");
		sample_of(run, v);
	}
	return 0;
}

int kstats_array_record(__u32 id, __u32 index, __u64 v)
{
	return kstats_record(id, v);
}

void told_clear(void)
{
	memset(noted, 0, sizeof(noted));
	n_passed = 0;
}
