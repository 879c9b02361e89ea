// SPDX-License-Identifier: GPL-2.0-only
#include "trace_priv.h"

#include <string.h>

/* Starts that came on top of this one and were not taken by their ends: they fill the ring. */
int starts_above(const struct call *c)
{
	const struct call *other;
	int n = 0;

	for (other = c + 1; other < calls + n_calls; other++)
		if (other->task == c->task && other->counted && !other->ended &&
		    (!c->done_at || other->begun_at < c->done_at))
			n++;
	return n;
}

static bool judging; /* nothing runs any more, so what is known of a task stays */
static enum {
	UNKNOWN,
	CROWDED,
	SPARSE
} known[MACHINE_TASKS];

static bool task_is_crowded(const struct machine_task *task)
{
	int most = KSTATS_STACK_DEPTH / (leaves_out() ? 4 : 2), n = 0;
	const struct call *other;

	/* There are seldom so many at all. */
	for (other = calls; other < calls + n_calls; other++)
		n += other->task == task && other->counted && !other->ended;
	for (other = calls; n >= most && other < calls + n_calls; other++)
		if (other->task == task && starts_above(other) >= most)
			return true;
	return false;
}

/* So many, in its task, that the place of the call may have been needed. */
bool is_crowded(const struct call *c)
{
	int i = c->task - machine.tasks;

	if (!judging)
		return task_is_crowded(c->task);
	if (known[i] == UNKNOWN)
		known[i] = task_is_crowded(c->task) ? CROWDED : SPARSE;
	return known[i] == CROWDED;
}

/* In its ring, from the place of @c up to top. */
static bool has_hole(const struct kstats_stack *st, const struct call *c)
{
	__u64 start;
	int i, hole = 0;

	for (i = 1; i <= KSTATS_STACK_DEPTH; i++) {
		start = st->stamps[(st->top - i) & (KSTATS_STACK_DEPTH - 1)].start_ns;
		if (start == c->ns)
			return hole;
		hole |= !start;
	}
	return false;
}

/*
 * Whether a place above the start of @c is empty, so that its end does not find it. A start leaves
 * one if an interrupt drops starts below, between two certain instructions of it.
 */
bool lies_below_hole(const struct call *c)
{
	struct machine_map *m = machine_map_of(task_slots);
	bool hole = false;
	__u32 i;

	for (i = 0; i < m->entries; i++)
		hole |= has_hole(&((struct kstats_task_slot *)m->values)[i].stack, c);
	m = machine_map_of(task_stacks);
	for (i = 0; i < m->entries; i++)
		hole |= m->keys[i] && has_hole(&((struct kstats_stack *)m->values)[i], c);
	return hole;
}

/*
 * Calls whose end finds no start, though it was there: where the ring is crowded; and where an
 * NMI comes between two certain instructions of a start in an interrupt, after another NMI has
 * lost its end. They are counted as lost by one name or another. The same by an interrupt in an
 * interrupt is so rare that test_trace.c bounds its number.
 */
static bool is_excused(const struct call *c)
{
	/* The points of a pair share a level, and the ends of a key a key. What is left out may
	 * leave a hole above a start that stays open.
	 */
	if (shape->pairing == KSTATS_BY_KEY || is_pair_of_points())
		return true;
	if (shape->nmi || shape->controls || shape->renames || is_crowded(c))
		return true;
	trace_sums.below_holes += c->below_hole;
	return c->below_hole;
}

/*
 * User space counts by the same function. What it counts is judged by what is known of each call: a
 * mark is of no call, and a start of before a stop of another session.
 */
static void open_stamp(__u64 ns, __u32 node)
{
	struct call *c = call_of_time(ns);

	if (ns == KSTATS_START_TAKEN)
		say("a place is taken, and no start is being made");
	if (!kstats_stamp_counts(ns, epoch_ns))
		return;
	trace_sums.open++;
	if (!c)
		say("an open stamp is of no call");
	else
		count_fate(c, node, KSTATS_IN_FLIGHT);
}

static void open_stack(const struct kstats_stack *st)
{
	int i;

	for (i = 0; i < KSTATS_STACK_DEPTH; i++)
		open_stamp(st->stamps[i].start_ns, st->stamps[i].node);
}

static void open_stacks(void)
{
	struct machine_map *m = machine_map_of(task_slots);
	__u32 i;

	for (i = 0; i < m->entries; i++)
		open_stack(&((struct kstats_task_slot *)m->values)[i].stack);
	m = machine_map_of(task_stacks);
	for (i = 0; i < m->entries; i++)
		if (m->keys[i])
			open_stack(&((struct kstats_stack *)m->values)[i]);
	m = machine_map_of(idle_stacks);
	for (i = 0; i < MACHINE_CPUS; i++)
		open_stack(&((struct kstats_stack *)m->values)[i]);
}

/* Nothing runs any more: with --first one start of a key is open, others do not count. */
static void judge_bucket(const struct kstats_place *places)
{
	const struct kstats_place *p, *q;

	for (p = places; p < places + KSTATS_KEY_WAYS; p++)
		for (q = places; q < p; q++)
			if (p->key == q->key && kstats_place_is_open(p->word) &&
			    kstats_place_is_open(q->word) && kstats_place_ns(p->word) >= epoch_ns &&
			    kstats_place_ns(q->word) >= epoch_ns)
				say("two starts of key %llu are open", (unsigned long long)p->key);
}

static void open_keys(void)
{
	struct machine_map *m = machine_map_of(keys);
	struct kstats_place *p;
	int i, j, way;

	for (i = 0; i < n_touched; i++) {
		for (j = 0; j < i && touched[j] != touched[i]; j++)
			;
		if (j < i)
			continue;
		p = ((struct kstats_keys *)(m->values + touched[i] * m->size))->places;
		if (shape->first)
			judge_bucket(p);
		for (way = 0; way < KSTATS_KEY_WAYS; way++)
			if (kstats_place_is_open(p[way].word))
				open_stamp(kstats_place_ns(p[way].word), 0);
	}
}

void count_open(void)
{
	open_stacks();
	if (shape->pairing == KSTATS_BY_KEY)
		open_keys();
}

void forget_keys(void)
{
	struct machine_map *m = machine_map_of(keys);

	while (n_touched)
		memset(m->values + touched[--n_touched] * m->size, 0, m->size);
}

static __u64 ledger(__u32 node, int id)
{
	struct machine_map *m = machine_map_of(cells);
	__u64 sum = 0;
	int cpu;

	for (cpu = 0; cpu < MACHINE_CPUS; cpu++)
		sum += ((struct kstats_cell *)(m->values + (cpu * TRACE_NODES + node) * m->size))
			       ->ledger[id];
	return sum;
}

static void judge_ledger(void)
{
	__u64 counted;
	__u32 node;
	int id;

	for (node = 0; node < TRACE_NODES; node++)
		for (id = 0; id < KSTATS_LEDGER_SPACE; id++) {
			counted = ledger(node, id);
			trace_sums.fates[id] += counted;
			if (counted != noted[node][id])
				say("counter %d of node %d lost a count", id, node);
		}
}

/* A call in which @c was called has found its start, so @c was given up at the latest then. */
static bool caller_ended(const struct call *c)
{
	const struct call *o;

	for (o = calls; o < c; o++)
		if (o->task == c->task && o->level == c->level && o->cpu == c->cpu &&
		    o->frame > c->frame && o->begun_at && o->begun_at <= c->began_at &&
		    o->ended_at > c->begun_at && o->fates[RECORDED])
			return true;
	return false;
}

static void judge_start(const struct call *c)
{
	int n = c - calls;

	if (is_excused(c))
		return;
	if (c->fates[KSTATS_IN_FLIGHT] && !is_session() && caller_ended(c))
		say("call %d is in flight, and what called it has ended", n);
	if (c->fates[KSTATS_NESTED])
		say("call %d: said to be nested too deep, and is not", n);
	if (c->fates[KSTATS_END_MISSED] && c->ended)
		say("call %d: its end is said to be missed, and ran", n);
	if (c->unmatched && c->counted && !c->fates[KSTATS_BUSY])
		say("call %d: its end found no start, though it was there", n);
}

/* User space tells by the difference how many of these have no end. */
static bool has_no_stamp(const struct call *c)
{
	return is_session() && (!c->ended || c->ended_while_off || c->session != session);
}

static void judge_call(const struct call *c)
{
	int id, sum = 0, n = c - calls;

	if (model_tells)
		tell("call %d: %d starts above", n, starts_above(c));

	if (c->from_before)
		return;
	for (id = 0; id < KSTATS_LEDGER_SPACE; id++)
		sum += c->fates[id];
	trace_sums.recorded += c->fates[RECORDED];
	if (c->counted && !sum && !has_no_stamp(c) && !is_crowded(c))
		say("call %d: a start is in no counter", n);
	if (sum > c->counted && !is_crowded(c))
		say("call %d: counted %d times", n, sum);
	if (c->fates[KSTATS_IN_FLIGHT] && c->ended && !is_excused(c))
		say("call %d: a call is in flight, and its end ran", n);
	if (c->fates[KSTATS_TASK_GONE] && !c->task->dies)
		say("call %d: the task of a call is said to be gone", n);
	if (c->fates[KSTATS_SHORT] || c->fates[KSTATS_RET] || c->fates[KSTATS_DIVISION] ||
	    c->fates[KSTATS_NEGATIVE] || c->fates[KSTATS_NO_ROOM] || c->fates[KSTATS_FULL] ||
	    c->fates[KSTATS_IF] || (c->fates[KSTATS_CANCELLED] && !shape->several) ||
	    (c->fates[KSTATS_UNREADABLE] && !shape->asks_if && !shape->owns))
		say("call %d: it is counted by a name that cannot be", n);
	if (c->fates[KSTATS_UNVERIFIED] && !skipped)
		say("call %d: a sample is unverified, though nothing was skipped", n);
	if (c->gone && sum && !c->fates[KSTATS_TASK_GONE] && !is_crowded(c) && !shape->apart)
		say("call %d: its task died inside, and it is counted otherwise", n);
	judge_start(c);
}

/* Per CPU a start and the one that supersedes it are told apart only by their number. */
static void judge_cpu(void)
{
	__u64 started = 0, others = 0, recorded = 0;
	struct machine_map *m = machine_map_of(cells);
	__u32 node;
	int i;

	for (node = 0; node < TRACE_APART; node++) {
		started += ledger(node, KSTATS_STARTED);
		others += ledger(node, KSTATS_SUPERSEDED) + ledger(node, KSTATS_UNVERIFIED) +
			  ledger(node, KSTATS_AGAIN) + ledger(node, KSTATS_CANCELLED) +
			  ledger(node, KSTATS_END_MISSED) + ledger(node, KSTATS_IF) +
			  ledger(node, KSTATS_UNREADABLE);
		for (i = 0; i < MACHINE_CPUS; i++)
			others += !!((struct kstats_cell *)(m->values +
							    (i * TRACE_NODES + node) * m->size))
					    ->start_ns;
	}
	for (i = 0; i < n_calls; i++) {
		recorded += calls[i].fates[RECORDED];
		if (calls[i].fates[RECORDED] > 1)
			say("a call is recorded twice");
	}
	trace_sums.recorded += recorded;
	others += kept_open;
	if (started != others + recorded)
		say("%llu started, %llu recorded, %llu others", started, recorded, others);
}

const char *judge(void)
{
	int i;

	control_finish();
	judge_ledger();
	if (shape->pairing == KSTATS_BY_CPU) {
		judge_cpu();
		return wrong[0] ? wrong : NULL;
	}
	count_open();
	judging = true;
	memset(known, 0, sizeof(known));
	for (i = 0; i < n_calls; i++)
		judge_call(&calls[i]);
	judging = false;
	return wrong[0] ? wrong : NULL;
}
