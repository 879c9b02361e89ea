// SPDX-License-Identifier: GPL-2.0-only
#include "machine.h"

#include <bpf/bpf_helpers.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define BUSY (-16) /* as errno.h has these */
#define EXISTS (-17)
#define MISSING (-2)
#define BAD_ADDRESS (-14)
#define TOO_MANY (-7)

/* Where the Makefile puts it: tasks and calls are told apart by address, so a seed keeps its
 * course. */
#define FIXED __attribute__((section(".model"), aligned(MACHINE_STACK)))

FIXED struct machine machine;

/* ---- points ---- */

void machine_point(void)
{
	if (machine.quiet || ++machine.at < machine.next)
		return;
	machine.fire();
}

#include "machine_tsan.h"

/* ---- tasks ---- */

#define COROUTINE_STACK 131072

static struct {
	ucontext_t first;
	jmp_buf entry; /* where it begins in each run but the first, without a system call */
	jmp_buf at;
	bool begun;
	char *stack;
} coroutines[MACHINE_TASKS];

static jmp_buf machine_end;

#define STACKS(name, n) FIXED static char name[n][MACHINE_STACK]

STACKS(task_stacks, MACHINE_TASKS);
STACKS(irq_stacks, MACHINE_CPUS);
STACKS(nmi_stacks, MACHINE_CPUS);

static char *aligned(__u64 size)
{
	char *at = aligned_alloc(MACHINE_STACK, size);

	if (!at)
		abort();
	return at;
}

void machine_begin(__u64 seed)
{
	int cpu;

	machine.at = 0;
	machine.next = ~0ULL;
	machine.quiet = 1;
	machine.ns = MACHINE_BEGIN_NS;
	machine.clock_seed = seed;
	machine.n_tasks = 0;
	machine.cpu = 0;
	memset(machine.cpus, 0, sizeof(machine.cpus));
	for (cpu = 0; cpu < MACHINE_CPUS; cpu++) {
		machine.cpus[cpu].sp[MACHINE_IRQ] = (__u64)irq_stacks[cpu] + MACHINE_STACK - 64;
		machine.cpus[cpu].sp[MACHINE_NMI] = (__u64)nmi_stacks[cpu] + MACHINE_STACK - 64;
	}
}

static void task_runs(void)
{
	struct machine_task *t = machine_task();

	t->body(t->arg);
	t->done = true;
	machine_sleep(true);
	machine_other_cpu();
	_longjmp(machine_end, 1);
}

static void task_enters(void)
{
	_setjmp(coroutines[machine_task() - machine.tasks].entry);
	task_runs();
}

struct machine_task *machine_add(int cpu, bool idle, void (*body)(void *), void *arg)
{
	int i = machine.n_tasks++;
	struct machine_task *t = &machine.tasks[i];

	if (i >= MACHINE_TASKS)
		abort();
	memset(t, 0, sizeof(*t));
	t->ts.stack = task_stacks[i];
	t->ts.pid = t->ts.tgid = idle ? 0 : 100 + i;
	t->ts.start_time = machine.ns;
	t->sp = (__u64)t->ts.stack + MACHINE_STACK - 64;
	t->cpu = cpu;
	t->body = body;
	t->arg = arg;
	coroutines[i].begun = false;
	if (!machine.cpus[cpu].now)
		machine.cpus[cpu].now = t;
	return t;
}

static void resume(struct machine_task *t)
{
	int i = t - machine.tasks;

	machine.cpu = t->cpu;
	machine.cpus[t->cpu].now = t;
	if (coroutines[i].begun)
		_longjmp(coroutines[i].at, 1);
	coroutines[i].begun = true;
	if (coroutines[i].stack)
		_longjmp(coroutines[i].entry, 1);
	coroutines[i].stack = aligned(COROUTINE_STACK);
	getcontext(&coroutines[i].first);
	coroutines[i].first.uc_stack.ss_sp = coroutines[i].stack;
	coroutines[i].first.uc_stack.ss_size = COROUTINE_STACK;
	coroutines[i].first.uc_link = NULL;
	makecontext(&coroutines[i].first, task_enters, 0);
	setcontext(&coroutines[i].first);
}

/* Leave the coroutine that runs, which goes on here later. */
static void leave_for(struct machine_task *from, struct machine_task *to)
{
	if (from == to)
		return;
	if (!_setjmp(coroutines[from - machine.tasks].at))
		resume(to);
}

void machine_go(void)
{
	int cpu;

	machine.quiet = 0;
	for (;;) {
		for (cpu = 0; cpu < MACHINE_CPUS; cpu++)
			if (machine.cpus[cpu].now && !machine.cpus[cpu].now->done)
				break;
		if (cpu == MACHINE_CPUS)
			break;
		if (!_setjmp(machine_end))
			resume(machine.cpus[cpu].now);
	}
	machine.quiet = 1;
}

static struct machine_task *waiting(int cpu)
{
	struct machine_task *now = machine.cpus[cpu].now;
	int from = now ? now - machine.tasks : 0, i;

	for (i = 1; i <= machine.n_tasks; i++) {
		struct machine_task *t = &machine.tasks[(from + i) % machine.n_tasks];

		if (t->cpu == cpu && !t->done && t != now)
			return t;
	}
	return NULL;
}

bool machine_may_preempt(void)
{
	return machine_here()->level == MACHINE_TASK && !machine_here()->locked &&
	       (machine.preempts || !machine_task()->in_program);
}

bool machine_sleep(bool voluntary)
{
	struct machine_task *from = machine_task(), *to = waiting(machine.cpu);

	if (!to)
		return false;
	if (voluntary)
		from->ts.nvcsw++;
	else
		from->ts.nivcsw++;
	leave_for(from, to);
	return true;
}

bool machine_other_cpu(void)
{
	struct machine_task *from = machine_task(), *to;
	int cpu = (machine.cpu + 1) % MACHINE_CPUS;

	to = machine.cpus[cpu].now;
	if (!to || to->done)
		return false;
	leave_for(from, to);
	return true;
}

void machine_move(int cpu)
{
	struct machine_task *from = machine_task(), *to = waiting(machine.cpu);

	if (from->cpu == cpu || from->in_program || machine_here()->level || !from->ts.pid)
		return;
	from->ts.nivcsw++;
	from->cpu = cpu;
	machine_here()->now = to;
	/* It runs there once the task that runs there sleeps or ends. */
	if (!machine.cpus[cpu].now || machine.cpus[cpu].now->done) {
		machine.cpus[cpu].now = from;
		machine.cpu = cpu;
		return;
	}
	if (!to)
		to = machine.cpus[cpu].now;
	leave_for(from, to);
}

/* ---- interrupts ---- */

bool machine_may_interrupt(enum machine_level level)
{
	struct machine_cpu *c = machine_here();

	if (level == MACHINE_NMI)
		return c->level < MACHINE_NMI;
	return c->level < level && !c->locked;
}

void machine_interrupt(enum machine_level level, void (*body)(void *), void *arg)
{
	int cpu = machine.cpu;
	struct machine_cpu *c = &machine.cpus[cpu];
	enum machine_level below = c->level;

	c->level = level;
	body(arg);
	c->level = below;
	machine.cpu = cpu;
}

static __u64 *stack_pointer(void)
{
	struct machine_cpu *c = machine_here();

	if (c->level == MACHINE_TASK)
		return &c->now->sp;
	return &c->sp[c->level == MACHINE_NMI ? MACHINE_NMI : MACHINE_IRQ];
}

__u64 machine_frame(__u32 bytes)
{
	return *stack_pointer() -= bytes;
}

void machine_leave(__u32 bytes)
{
	*stack_pointer() += bytes;
}

__u64 machine_clock(void)
{
	machine.ns += 1 + (machine_chance(&machine.clock_seed) & 1023);
	return machine.ns;
}

/* ---- helpers ---- */

__u64 bpf_ktime_get_ns(void)
{
	__u64 ns = machine_clock();

	model_clock(ns);
	return ns;
}

__u64 bpf_get_current_task(void)
{
	return (__u64)&machine_task()->ts;
}

struct task_struct *bpf_get_current_task_btf(void)
{
	return &machine_task()->ts;
}

__u32 bpf_get_smp_processor_id(void)
{
	return machine.cpu;
}

__u64 bpf_get_current_ancestor_cgroup_id(int level)
{
	return 0;
}

long bpf_probe_read_kernel(void *to, __u32 size, const void *from)
{
	machine_point();
	if (!from)
		return BAD_ADDRESS;
	memcpy(to, from, size);
	return 0;
}

long bpf_probe_read_kernel_str(void *to, __u32 size, const void *from)
{
	machine_point();
	strncpy(to, from, size - 1);
	return strlen(to) + 1;
}

long bpf_get_current_comm(void *to, __u32 size)
{
	memset(to, 0, size);
	memcpy(to, "model", 5);
	return 0;
}

/* No stack can be walked here. */
long bpf_get_stack(void *ctx, void *to, __u32 size, __u64 flags)
{
	return BAD_ADDRESS;
}

long bpf_get_func_arg(void *ctx, __u32 n, __u64 *value)
{
	*value = ((__u64 *)ctx)[n];
	return 0;
}

long bpf_loop(__u32 n, void *callback, void *ctx, __u64 flags)
{
	long (*each)(__u32 i, void *) = (long (*)(__u32, void *))callback;
	__u32 i;

	for (i = 0; i < n; i++)
		if (each(i, ctx))
			return i + 1;
	return n;
}

long bpf_seq_write(struct seq_file *seq, const void *data, __u32 size)
{
	return 0;
}

/* ---- maps ---- */

struct machine_map *machine_map(void *map, enum machine_map_kind kind, __u32 entries, __u32 size)
{
	struct machine_map *m = calloc(1, sizeof(*m));
	__u64 copies = kind == MACHINE_PERCPU ? MACHINE_CPUS : 1;

	if (!m)
		abort();
	m->kind = kind;
	m->entries = entries;
	m->size = size;
	m->values = aligned((copies * entries * size + MACHINE_STACK - 1) & -MACHINE_STACK);
	m->keys = calloc(entries, sizeof(*m->keys));
	*(struct machine_map **)map = m;
	machine_clear(map);
	return m;
}

void machine_clear(void *map)
{
	struct machine_map *m = machine_map_of(map);
	__u64 copies = m->kind == MACHINE_PERCPU ? MACHINE_CPUS : 1;

	memset(m->values, 0, copies * m->entries * m->size);
	memset(m->keys, 0, m->entries * sizeof(*m->keys));
}

static __u64 key_of(const struct machine_map *m, const void *key)
{
	return m->kind == MACHINE_HASH ? *(const __u64 *)key : *(const __u32 *)key;
}

static char *hash_find(struct machine_map *m, __u64 key)
{
	__u32 i;

	for (i = 0; i < m->entries; i++)
		if (m->keys[i] == key)
			return m->values + (__u64)i * m->size;
	return NULL;
}

void *bpf_map_lookup_percpu_elem(void *map, const void *key, __u32 cpu)
{
	struct machine_map *m = machine_map_of(map);
	__u64 i = key_of(m, key);

	if (i >= m->entries)
		return NULL;
	if (m->kind == MACHINE_PERCPU)
		i += cpu * m->entries;
	else
		model_touched(map, i);
	return m->values + i * m->size;
}

void *bpf_map_lookup_elem(void *map, const void *key)
{
	struct machine_map *m = machine_map_of(map);

	if (m->kind != MACHINE_HASH)
		return bpf_map_lookup_percpu_elem(map, key, machine.cpu);
	machine_point();
	return hash_find(m, key_of(m, key));
}

/* A bucket of a hash map is locked with interrupts off; an NMI on top of that fails. */
static long hash_lock(void)
{
	machine_point();
	if (machine_here()->locked)
		return BUSY;
	machine_here()->locked = 1;
	machine_point();
	return 0;
}

static void hash_unlock(void)
{
	machine_point();
	machine_here()->locked = 0;
	machine_point();
}

static long hash_update(struct machine_map *m, __u64 key, const void *value, __u64 flags)
{
	char *at = hash_find(m, key);

	if (at && flags == BPF_NOEXIST)
		return EXISTS;
	if (!at) {
		at = hash_find(m, 0);
		if (!at)
			return TOO_MANY;
		m->keys[(at - m->values) / m->size] = key;
	}
	memcpy(at, value, m->size);
	return 0;
}

long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	struct machine_map *m = machine_map_of(map);
	long err = hash_lock();

	if (err)
		return err;
	err = hash_update(m, key_of(m, key), value, flags);
	hash_unlock();
	return err;
}

long bpf_map_delete_elem(void *map, const void *key)
{
	struct machine_map *m = machine_map_of(map);
	long err = hash_lock();
	char *at;

	if (err)
		return err;
	at = hash_find(m, key_of(m, key));
	if (at)
		m->keys[(at - m->values) / m->size] = 0;
	hash_unlock();
	return at ? 0 : MISSING;
}

void *machine_table(void *map)
{
	return machine_map_of(map)->values;
}

void machine_set(const volatile void *setting, __u64 value, __u32 size)
{
	__u64 page = (__u64)setting & -4096ULL;

	if (!memcmp((void *)(__u64)setting, &value, size))
		return;
	if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE))
		abort();
	memcpy((void *)(__u64)setting, &value, size);
}
