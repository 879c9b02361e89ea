// SPDX-License-Identifier: GPL-2.0-only
#include "kmem_priv.h"

#include <bpf/bpf_helpers.h>
#include <string.h>

int kmalloc_raw(__u64 *ctx);
int kfree_raw(__u64 *ctx);
int cache_alloc_raw(__u64 *ctx);
int cache_free_raw(__u64 *ctx);
int kfree_rcu_fentry(void *ctx);

extern char command_tasks[], here[];
extern __u64 free_misses[], here_base, skipped_ns[2];
extern __u32 kmem_on;
extern const volatile __u16 kmem_numa[];

#define TASKS 4

const struct kmem_shape *shape;
struct object objects[KMEM_ADDRESSES];
struct kmem_cache cache_of[N_CACHES];
__u32 settings[KSTATS_KMEM_SETTINGS];
const __u64 sizes[SIZES] = { 8, 96, 1000, 5000 };
__u64 n_events;
__u64 n_switched;
static int active[MACHINE_CPUS][PROGRAMS];
static __u64 misses[KSTATS_KMEM_FREE_N][MACHINE_CPUS]; /* as the kernel counts what it skips */
static __u64 row; /* of chance */

/* ---- what the programs need ---- */

__u64 machine_setting(__u64 magic)
{
	return settings[magic - KSTATS_KMEM_MAGIC];
}

__u64 machine_patched(__u64 magic)
{
	return 0;
}

__u64 machine_expr(__u64 magic, void *ctx, __u64 *value, __u64 duration)
{
	const struct object *o = machine_task()->run->o;

	memcpy(value, o->by, shape->keys * sizeof(*value));
	return o->left_out ? KSTATS_EXPR_NO : KSTATS_EXPR_YES;
}

long bpf_get_func_ret(void *ctx, __u64 *value)
{
	*value = 0;
	return 0;
}

/* ---- events ---- */

static void run_program(enum program program, __u64 *ctx)
{
	switch (program) {
	case KMALLOC:
		kmalloc_raw(ctx);
		return;
	case KFREE:
		kfree_raw(ctx);
		return;
	case CACHE_ALLOC:
		cache_alloc_raw(ctx);
		return;
	case CACHE_FREE:
		cache_free_raw(ctx);
		return;
	default:
		kfree_rcu_fentry(ctx);
	}
}

static int how_of(enum program program)
{
	switch (program) {
	case KFREE:
		return KSTATS_KMEM_KFREE;
	case CACHE_FREE:
		return KSTATS_KMEM_CACHE_FREE;
	case RCU_FREE:
		return KSTATS_KMEM_RCU_FREE;
	default:
		return -1;
	}
}

/* A run on a free knows of all that was skipped of its program on its CPU before it. */
static void judge_doubt(int how, int cpu, __u64 before)
{
	const struct kstats_kmem_counts *c =
		(struct kstats_kmem_counts *)machine_map_of(counts)->values;

	if (how >= 0 && c[cpu].misses[how] < before + 1)
		say("a program on frees does not know of those that were skipped before it");
}

/* Returns whether the program ran. */
static bool event(struct machine_run *run, __u64 *ctx)
{
	int how = how_of(run->program);
	struct machine_task *t = machine_task();
	int *here = &active[machine.cpu][run->program];
	__u64 before;
	bool runs;
	int i;

	tell("program %d of %d", run->program, (int)(run->o - objects));
	run->below = t->run;
	run->began = ++n_events;
	run->began_alone = !programs_run();
	run->switched = n_switched;
	t->in_program++;
	machine_point();
	runs = ++*here == 1;
	if (runs) {
		t->run = run;
		before = how < 0 ? 0 : misses[how][machine.cpu];
		run_program(run->program, ctx);
		judge_off(run);
		if (!run->saw_off)
			judge_doubt(how, machine.cpu, before);
		t->run = run->below;
		for (i = 0; i < KSTATS_KMEM_COUNT_N; i++)
			kmem_sums.counts[i] += run->counted[i];
	}
	if (!runs && how >= 0)
		misses[how][machine.cpu]++;
	tell("program %d of %d%s", run->program, (int)(run->o - objects),
	     runs ? ": done" : ": skipped");
	return runs;
}

static void event_ends(struct machine_run *run)
{
	--active[machine.cpu][run->program];
	machine_task()->in_program--;
	machine_point();
}

static struct object *pick(int state, bool cached)
{
	__u32 i, first = machine_chance(&row) % shape->addresses;
	struct object *o;

	for (i = 0; i < shape->addresses; i++) {
		o = &objects[(first + i) % shape->addresses];
		if ((int)o->state == state && (state == NOBODYS || is_cache(o->program) == cached))
			return o;
	}
	return NULL;
}

/* Also those values that look like a free place. */
static void set_key(struct object *o, __u64 dice)
{
	const __u64 values[] = { 0, 1, ~0ULL, KSTATS_KMEM_BY_CHANGED };
	int i;

	for (i = 0; i < shape->keys; i++, dice >>= 8)
		o->by[i] = values[dice & 0xf ? dice & 1 : dice >> 4 & 3];
	o->left_out = shape->keys && !(dice & 7);
}

/* Nobody else has the object until the event is over. */
void object_alloc(struct object *o, bool cached, __u64 dice)
{
	struct machine_run run = { .o = o, .program = cached ? CACHE_ALLOC : KMALLOC };
	__u64 ctx[6];

	o->state = BUSY;
	o->program = run.program;
	o->site = 0x1000 + dice % SITES;
	o->cache = (dice >> 8) % N_CACHES;
	o->size = (dice >> 16) % SIZES;
	o->req = sizes[o->size];
	set_key(o, dice >> 24);
	ctx[0] = o->site;
	ctx[1] = o->ptr;
	ctx[2] = cached ? (__u64)&cache_of[o->cache] : o->req;
	ctx[3] = cached ? 0 : o->req + 8;
	ctx[4] = ctx[5] = 0;
	kmem_sums.allocs++;
	if (!event(&run, ctx)) {
		kmem_sums.skipped_allocs++;
		o->stale |= o->is_live;
	} else if (!run.saw_off) {
		alloc_done(&run);
	}
	event_ends(&run);
	o->state = OWNED;
}

static void alloc(bool cached)
{
	struct object *o = pick(NOBODYS, false);
	__u64 dice = machine_chance(&row);

	if (o)
		object_alloc(o, cached, dice);
}

/* Nobody gets the address until the event is over. */
void object_free(struct object *o, enum program program)
{
	enum kstats_kmem_free how = how_of(program);
	__u32 site = 0x2000 + machine_chance(&row) % 2;
	__u64 ctx[3] = { site, o->ptr, (__u64)&cache_of[o->cache] };
	struct machine_run run = { .o = o, .program = program };

	if (program == RCU_FREE) {
		ctx[0] = 1;
		site = KSTATS_KMEM_NO_CALLER;
	}
	o->state = BUSY;
	kmem_sums.frees++;
	if (!event(&run, ctx))
		free_skipped(&run, how);
	else if (!run.saw_off)
		free_done(&run, site, how);
	event_ends(&run);
	o->state = program == RCU_FREE ? WAITING : NOBODYS;
}

void free_null(void)
{
	static struct object none;
	__u64 ctx[3] = { 0x2000 };
	struct machine_run run = { .o = &none, .program = KFREE };

	kmem_sums.frees++;
	if (!event(&run, ctx))
		kmem_sums.skipped_frees++;
	else if (!run.saw_off && (run.counted[KSTATS_KMEM_N_NULL] != 1 ||
				  run.counted[KSTATS_KMEM_N_FREES + KSTATS_KMEM_KFREE] != 1))
		say("a free of NULL is not counted as one");
	event_ends(&run);
}

static void free_one(bool cached)
{
	struct object *o;

	if (shape->nulls && machine_chance(&row) % 4)
		free_null();
	o = pick(OWNED, cached);
	if (!o)
		return;
	if (cached)
		object_free(o, CACHE_FREE);
	else if (shape->rcu && machine_chance(&row) % 4 == 0)
		object_free(o, RCU_FREE);
	else
		object_free(o, KFREE);
}

/* What was handed to kfree_rcu() is freed. */
static void free_later(void)
{
	struct object *o = pick(WAITING, false);

	if (o && o->program == KMALLOC)
		object_free(o, KFREE);
}

static void work(int n)
{
	__u64 dice;

	while (n--) {
		dice = machine_chance(&row);
		if (dice % 16 < 7)
			alloc(shape->caches && dice & 16);
		else if (dice % 16 < 14)
			free_one(shape->caches && dice & 16);
		else if (shape->rcu && dice & 1)
			free_later();
		else if (machine_here()->level == MACHINE_TASK)
			machine_sleep(true);
		machine_point();
	}
}

static void work_of(void *n)
{
	work((__u64)n);
}

static const struct {
	void *map;
	__u32 entries, size;
} maps[] = {
	{ rows, COPIES *ROWS_MOST, sizeof(struct kstats_kmem_row) },
	{ live, LIVE_MOST, sizeof(struct kstats_kmem_live) },
	{ lifes, COPIES *LIFES_MOST, sizeof(struct kstats_kmem_life) },
	{ caches, CACHE_PLACES, sizeof(struct kstats_kmem_cache) },
	{ counts, MACHINE_CPUS, sizeof(struct kstats_kmem_counts) },
};

#define N_MAPS (sizeof(maps) / sizeof(maps[0]))

static bool is_cleared; /* by a reset that goes on */

/* What a program knows of the kernel's own counts stays true. */
static void clear_all(void)
{
	struct kstats_kmem_counts *c = (struct kstats_kmem_counts *)machine_map_of(counts)->values;
	unsigned int i;

	for (i = 0; i < N_MAPS; i++)
		if (maps[i].map != counts)
			machine_clear(maps[i].map);
	for (i = 0; i < MACHINE_CPUS; i++)
		memset(c[i].n, 0, sizeof(c[i].n));
}

/*
 * User space resets, as src/node/kmem.c does it: it switches off, waits for the programs that run,
 * clears the tables, and switches on. Anything may come between two steps.
 */
static void reset_step(void)
{
	if (!(n_switched & 1)) {
		tell("user space switches off");
		kmem_on = 0;
		is_cleared = false;
		n_switched++;
	} else if (is_cleared) {
		tell("user space switches on");
		kmem_on = 1;
		n_switched++;
	} else if (!programs_run()) {
		tell("user space clears the tables");
		clear_all();
		judge_reset();
		is_cleared = true;
	}
}

static void fire(void)
{
	__u64 dice = machine_chance(&row);
	enum machine_level level = dice & 1 ? MACHINE_IRQ : MACHINE_SOFTIRQ;

	/* What is off is soon on again. */
	machine.next = machine.at + 1 + (dice >> 8) % (n_switched & 1 ? 8 : 2 * shape->mean);
	if (shape->resets && dice >> 60 < (n_switched & 1 ? 12 : 1))
		reset_step();
	else if (dice & 2)
		machine_other_cpu();
	else if ((dice & 12) == 0)
		machine_may_preempt() && machine_sleep(false);
	else if (machine_may_interrupt(level))
		machine_interrupt(level, work_of, (void *)(1 + (dice >> 32) % 4));
}

/* ---- before and after ---- */

void kmem_open(void)
{
	unsigned int i;

	for (i = 0; i < N_MAPS; i++)
		machine_map(maps[i].map, MACHINE_ARRAY, maps[i].entries, maps[i].size);
	machine_map(command_tasks, MACHINE_HASH, 8, 1);
	machine_map(here, MACHINE_PERCPU, 1, sizeof(__u64));
	here_base = 0;
	for (i = 0; i < KSTATS_KMEM_FREE_N; i++)
		free_misses[i] = (__u64)misses[i] - (__u64)machine_map_of(here)->values;
	MACHINE_SET(kmem_numa[1], 1);
	for (i = 0; i < N_CACHES; i++) {
		cache_of[i].object_size = 64 + i;
		cache_of[i].size = 128 + i;
		cache_of[i].name = "cache";
	}
}

static int bits_of(__u32 n)
{
	return kstats_fls64(n) - 1;
}

static void set_up(void)
{
	__u32 copies = shape->stripes ? COPIES : 1;

	memset(settings, 0, sizeof(settings));
	settings[KSTATS_KMEM_CPU_MASK] = MACHINE_CPUS - 1;
	settings[KSTATS_KMEM_STRIPE_MASK] = copies - 1;
	settings[KSTATS_KMEM_ROWS_MASK] = shape->rows - 1;
	settings[KSTATS_KMEM_ROWS_BITS] = bits_of(shape->rows);
	settings[KSTATS_KMEM_ROWS_ALL] = shape->rows * copies - 1;
	settings[KSTATS_KMEM_LIFES_MASK] = shape->lifes - 1;
	settings[KSTATS_KMEM_LIFES_BITS] = bits_of(shape->lifes);
	settings[KSTATS_KMEM_LIFES_ALL] = shape->lifes * copies - 1;
	settings[KSTATS_KMEM_CACHES_ALL] = KSTATS_KMEM_CACHES * copies - 1;
	settings[KSTATS_KMEM_LIVE_ALL] = shape->live - 1;
	settings[KSTATS_KMEM_LIVE_FIRST] = (shape->live - 1) & ~(KSTATS_KMEM_WAYS - 1);
	settings[KSTATS_KMEM_LIFETIMES] = 1;
	settings[KSTATS_KMEM_NODES] = 1;
	settings[KSTATS_KMEM_PLAIN] = shape->plain;
	settings[KSTATS_KMEM_BY] = shape->keys;
	settings[KSTATS_KMEM_ASKS] = shape->keys ? 1 << KSTATS_KMEM_NAMES : 0;
	kmem_on = 1;
}

static void clear(void)
{
	unsigned int i;

	for (i = 0; i < N_MAPS; i++)
		if (maps[i].map != caches || shape->caches)
			machine_clear(maps[i].map);
	memset(objects, 0, sizeof(objects));
	for (i = 0; i < KMEM_ADDRESSES; i++)
		objects[i].ptr = 0xffff888000001000ULL + 64 * i;
	memset(active, 0, sizeof(active));
	memset(misses, 0, sizeof(misses));
	skipped_ns[0] = skipped_ns[1] = 0;
	n_switched = 0;
	judge_begin();
}

void kmem_begin(const struct kmem_shape *of, __u64 seed)
{
	shape = of;
	row = machine_mix(seed);
	clear();
	machine_begin(seed);
	set_up();
	machine.preempts = shape->preempts;
}

const char *kmem_chance(const struct kmem_shape *of, __u64 seed)
{
	int i;

	kmem_begin(of, seed);
	for (i = 0; i < TASKS; i++)
		machine_add(i % MACHINE_CPUS, false, work_of,
			    (void *)(8 + machine_chance(&row) % 24));
	machine.fire = fire;
	machine.next = 1 + machine_chance(&row) % shape->mean;
	machine_go();
	if (n_switched & 1 && !is_cleared)
		reset_step();
	return judge_all();
}
