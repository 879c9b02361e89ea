// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmem_placed.c - events at chosen points. In: texts of what tasks and interrupts do, and a plan of
 * what comes where. Out: whether all is as it must be. Called by test_kmem.c.
 */
#include "kmem_priv.h"

static struct kmem_plan *plan;
static int planned; /* events of the plan so far */

static void free_letter(struct object *o, bool rcu)
{
	if (o->state == OWNED && is_cache(o->program))
		object_free(o, CACHE_FREE);
	else if (o->state == OWNED)
		object_free(o, rcu ? RCU_FREE : KFREE);
	else if (o->state == WAITING && !rcu)
		object_free(o, KFREE);
}

static void alloc_letter(struct object *o, __u64 i)
{
	__u64 pair = i / 2;

	if (o->state == NOBODYS)
		object_alloc(o, shape->caches && i & 1, pair | pair << 8 | pair << 16 | pair << 24);
}

static void body(void *of)
{
	const char *text;
	bool rcu = false;

	for (text = of; *text; text++) {
		if (*text == '0')
			free_null();
		else if (*text >= 'a')
			alloc_letter(&objects[*text - 'a'], *text - 'a');
		else if (*text >= 'A')
			free_letter(&objects[*text - 'A'], rcu);
		rcu = *text == '*';
		machine_point();
	}
}

static bool come(const char *what)
{
	enum machine_level level = *what == 'S' ? MACHINE_SOFTIRQ : MACHINE_IRQ;
	__u64 before = n_events;

	if (*what == '|')
		return machine_other_cpu();
	if (!machine_may_interrupt(level))
		return false;
	tell("interrupt %d: %s", level, what + 1);
	machine_interrupt(level, body, (void *)(what + 1));
	tell("interrupt %d ends", level);
	return n_events != before;
}

static void fire(void)
{
	int i = planned++;

	machine.next = planned < plan->n ? plan->at[planned] : ~0ULL;
	plan->came[i] = come(shape->interrupts[plan->what[i]]);
}

const char *kmem_planned(const struct kmem_shape *of, struct kmem_plan *with, __u64 *points)
{
	const char *text;
	unsigned int i;

	kmem_begin(of, 1);
	plan = with;
	planned = 0;
	for (i = 0; i < sizeof(of->tasks) / sizeof(of->tasks[0]); i++)
		if (of->tasks[i])
			machine_add(i % MACHINE_CPUS, false, body, (void *)of->tasks[i]);
	machine.fire = fire;
	machine.next = with->n ? with->at[0] : ~0ULL;
	machine_go();
	text = judge_all();
	*points = machine.at;
	return text;
}
