// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_order.c - of several starts in a task, each end takes the newest. Starts that are left out
 * leave a mark in a pair, which counts like a start here.
 */
#include "trace_priv.h"

#include <string.h>

/* ---- marks ---- */

static struct {
	const void *at;
	struct call *call;
	__u64 ns; /* when it was made */
} marks[CALLS];
static int n_marks;
static int n_given_up; /* by programs that still run */

void order_clear(void)
{
	n_marks = 0;
	n_given_up = 0;
}

bool order_start_runs(void)
{
	const struct here *h = &heres_of[machine.cpu];
	int i;

	for (i = 0; i < TRACE_FUNCTIONS && shape->several && !shape->unguarded; i += 2)
		if (h->active[i])
			return true;
	return false;
}

static bool is_stamp_of(void *map, __u32 copies, __u64 stack_at, const void *at)
{
	const struct machine_map *m = machine_map_of(map);
	__u64 offset = (const char *)at - m->values;

	if (offset >= (__u64)copies * m->entries * m->size)
		return false;
	offset = offset % m->size - stack_at - __builtin_offsetof(struct kstats_stack, stamps);
	return offset < sizeof(((struct kstats_stack *)0)->stamps) &&
	       offset % sizeof(struct kstats_stamp) == 0;
}

/* Whether the time of a start is there. */
static bool is_stamp(const void *at)
{
	return is_stamp_of(task_slots, 1, __builtin_offsetof(struct kstats_task_slot, stack), at) ||
	       is_stamp_of(task_stacks, 1, 0, at) || is_stamp_of(idle_stacks, MACHINE_CPUS, 0, at);
}

/* A start of a pair puts its time into its place, or a mark. */
static void start_made(const void *at, struct call *c)
{
	if (!is_stamp(at) || n_marks == CALLS)
		return;
	c->put_ns = machine.ns;
	if (c->counted && !c->fates[KSTATS_UNREADABLE])
		return;
	if (shape->owns && !c->key)
		say("call %d is no point, and has a mark", (int)(c - calls));
	if (shape->first)
		say("call %d has a mark, and the first start counts", (int)(c - calls));
	marks[n_marks].at = at;
	marks[n_marks].ns = machine.ns;
	marks[n_marks++].call = c;
	c->marked = true;
	c->session = session;
	tell("call %d has a mark", (int)(c - calls));
}

/*
 * An end in an interrupt takes none upon a start, nor below one of the task: among several points
 * it gives up what it finds. @ns: when the mark that it took was made
 */
static bool gives_up(__u64 ns, const struct machine_run *run)
{
	const struct call *o;

	if (!run->call || !run->call->level)
		return false;
	if (run->upon_start)
		return true;
	for (o = calls; o < calls + n_calls; o++)
		if (!o->level && o->task == run->call->task && !o->taken && o->put_ns > ns)
			return true;
	return false;
}

void order_mark_taken(const void *at, struct machine_run *run, bool own)
{
	struct call *c;
	int i = n_marks;

	while (i-- && marks[i].at != at)
		;
	if (i < 0)
		return;
	c = marks[i].call;
	own = own && !gives_up(marks[i].ns, run);
	c->taken = true;
	c->taken_at = machine.at;
	tell("the mark of call %d is taken out", (int)(c - calls));
	if (!own || run->mark)
		order_give_up(own ? run->mark : c, run);
	if (!own)
		return;
	run->mark = c;
	run->mark_ns = marks[i].ns;
}

void order_written(const void *at, struct machine_run *run)
{
	if (!is_pair_of_points() || shape->pairing != KSTATS_BY_TASK)
		return;
	if (!run->is_end)
		start_made(at, run->call);
	else if (*(__u64 *)at == KSTATS_START_MARK || *(__u64 *)at & KSTATS_MARK_TIMED)
		order_mark_taken(at, run, true);
}

/* ---- which start an end may take ---- */

/* Whether the end that runs belongs to starts such as @c. */
static bool is_of_end(const struct call *c, const struct machine_run *run)
{
	if (c->session != session ||
	    !(c->marked || c->filtered || (c->counted && !c->fates[KSTATS_UNREADABLE])))
		return false;
	if (shape->pairing == KSTATS_BY_KEY)
		return c->key == run->call->key;
	if (!c->level != !run->call->level)
		return false;
	if (shape->pairing == KSTATS_BY_CPU)
		return c->cpu == run->call->cpu;
	/* Starts in interrupts are known by their processor too. */
	return c->task == run->call->task && (!c->level || c->cpu == run->call->cpu);
}

/* And whether the start was done when the end began. */
static bool may_be_taken(const struct call *c, const struct machine_run *run)
{
	return c->begun_at && c->begun_at < run->call->ended_at && is_of_end(c, run);
}

/*
 * Of several points in a task, an end may miss the newest start where interrupts in interrupts
 * leave starts behind while it lowers top, or where they nearly fill the ring. That is so rare that
 * test_trace.c bounds its number.
 */
static void say_seldom(const char *format, int n)
{
	if (!shape->several || shape->pairing != KSTATS_BY_TASK) {
		say(format, n);
		return;
	}
	/* One such end may pass over several starts. */
	trace_sums.seldom += !missed_newest;
	missed_newest = true;
}

/*
 * Whether the end that takes the start of @c found that of @o no more. An end in between may have
 * taken it, but if it was given up, so had to be those below it.
 */
static bool was_taken_before(const struct call *o, const struct call *c)
{
	return o->taken && !o->given_up && (!c->taken || o->taken_at < c->taken_at);
}

/* An end of a pair found no start: none may be there that it could have taken. */
void order_judge_unmatched(const struct machine_run *run)
{
	const struct call *o;

	if (!is_pair_of_points() || shape->pairing == KSTATS_BY_CPU ||
	    (shape->pairing == KSTATS_BY_TASK && run->call->level))
		return;
	/* It took the mark of a start that a filter left out, which now lets its end pass. */
	if (run->mark && run->mark->filtered)
		return;
	for (o = calls; o < calls + n_calls; o++)
		if (may_be_taken(o, run) && !o->taken && !o->filtered && !o->fates[KSTATS_FULL] &&
		    !o->fates[KSTATS_AGAIN] && !(shape->several && is_crowded(o)))
			say_seldom("an end found no start, though call %d was open",
				   (int)(o - calls));
}

/* Whether an end that takes the start of @c would have to know of a start or an end of @o. */
static bool is_beside(const struct call *o, const struct call *c)
{
	if (shape->pairing == KSTATS_BY_KEY || !o->level != !c->level)
		return false;
	if (shape->pairing == KSTATS_BY_CPU)
		return o->cpu == c->cpu;
	/* Starts in interrupts are known by their processor too. */
	return o->task == c->task && (!o->level || o->cpu == c->cpu);
}

/* A start that a filter leaves out needs no mark where no older one counts: @c is a mark then. */
static void judge_newest(const struct call *c, const struct machine_run *run)
{
	const struct call *o;

	for (o = calls; o < calls + n_calls; o++) {
		if (c->marked && o->filtered && !o->marked)
			continue;
		/* A start whose own end found none, and said so, may lie where no end finds it. */
		if (o != c && !o->unmatched &&
		    !(shape->pairing == KSTATS_BY_TASK && was_taken_before(o, c)) &&
		    may_be_taken(o, run) && c->begun_at && o > c && o->began_at >= c->begun_at)
			say_seldom("an end took an older start: call %d began later",
				   (int)(o - calls));
	}
}

/* Points of a pair: the start must be the newest one, and no program was skipped since. */
void order_judge(const struct call *c, const struct machine_run *run)
{
	const struct call *o;
	__u64 at = run->call->ended_at;
	bool crowded;

	if (!is_of_end(c, run))
		say("a sample is of call %d, which is another's", (int)(c - calls));
	if (!shape->first)
		judge_newest(c, run);
	/* In a full ring, the place of a start may be used again while its end reads it. */
	crowded = shape->pairing == KSTATS_BY_TASK && is_crowded(c);
	for (o = calls; o < calls + n_calls; o++) {
		if (shape->first && shape->pairing == KSTATS_BY_KEY && o != c && !o->taken &&
		    !o->fates[KSTATS_AGAIN] && may_be_taken(o, run) && o->begun_at < c->began_at)
			say("a sample is not of the first start: call %d", (int)(o - calls));
		if (crowded || !is_beside(o, c))
			continue;
		if (o->unmatched && shape->several && !leaves_out() && c->begun_at &&
		    o->ended_at >= c->begun_at && o->done_at && o->done_at < at)
			say_seldom(
				"an end took the start of call %d, which an end before it did not",
				(int)(c - calls));
		if ((o->start_skipped && o->began_at > c->ns_at && o->began_at < at) ||
		    (o->end_skipped && c->begun_at && o->ended_at >= c->begun_at &&
		     o->ended_at < at))
			say("a sample goes over call %d, which was skipped", (int)(o - calls));
	}
}

/* ---- starts that are given up ---- */

void order_give_up(struct call *c, const struct machine_run *run)
{
	c->given_up = true;
	if (!is_pair_of_points() || shape->pairing != KSTATS_BY_TASK || shape->first)
		return;
	n_given_up += !c->given_up_by;
	c->given_up_by = run;
}

static bool is_open(const struct call *c)
{
	return c->begun_at && !c->taken && c->session == session &&
	       (c->marked || (c->counted && !c->fates[KSTATS_UNREADABLE]));
}

/* The mark that it took last is that of its end, unless it took a start. */
static void judge_mark(struct machine_run *run)
{
	if (!run->mark || run->mark->given_up)
		return;
	if ((run->told && !run->call->unmatched) || run->subject) {
		order_give_up(run->mark, run);
		return;
	}
	/* A full ring may need the place of a start while its end takes it. */
	if (is_crowded(run->mark))
		return;
	if (run->mark_ns >= run->first)
		say("an end took the mark of call %d, which came later", (int)(run->mark - calls));
	judge_newest(run->mark, run);
}

/* Ends come upon no end of a pair: what a program leaves there, that below it may yet mend. */
void order_judge_left(struct machine_run *run)
{
	const struct call *o;
	struct call *c;

	if (run->is_end)
		judge_mark(run);
	for (c = calls; n_given_up && c < calls + n_calls; c++) {
		if (c->given_up_by != run)
			continue;
		c->given_up_by = run->below;
		n_given_up -= !run->below;
		if (run->below)
			continue;
		for (o = calls; o < calls + n_calls; o++)
			if (is_open(o) && is_beside(o, c) && o->begun_at < c->began_at &&
			    !is_crowded(c))
				say("call %d is given up, and the older call %d is not",
				    (int)(c - calls), (int)(o - calls));
	}
}
