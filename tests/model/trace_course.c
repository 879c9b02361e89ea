// SPDX-License-Identifier: GPL-2.0-only
#include "trace_priv.h"

#include <bpf/bpf_helpers.h>
#include <stdio.h>
#include <string.h>

#define PROGRAM(name, context)  \
	int name(context *ctx); \
	int name##_asking(context *ctx)

PROGRAM(fentry_start, void);
PROGRAM(fexit_end, void);
PROGRAM(fsession_both, void);
PROGRAM(kprobe_session_both, struct pt_regs);
PROGRAM(kprobe_start, struct pt_regs);
PROGRAM(kretprobe_end, struct pt_regs);
PROGRAM(tp_start, void);
PROGRAM(tp_end, void);
int tp_start_several(void *ctx);
int tp_end_several(void *ctx);
int tp_cancel_several(void *ctx);
int tp_via_several(void *ctx);
int trace_event_start(void *ctx);
int trace_event_end(void *ctx);
int task_exit(__u64 *ctx);
int task_free(__u64 *ctx);
int task_birth(__u64 *ctx);

struct call calls[CALLS];
int n_calls;
struct here heres_of[MACHINE_CPUS];
__u64 row;
__u64 skipped;
static __u64 pool[MACHINE_TASKS + MACHINE_CPUS * MACHINE_LEVELS][32];

struct trace_sums trace_sums;

struct call *call_of_time(__u64 ns)
{
	int i;

	if (ns < MACHINE_BEGIN_NS || ns > machine.ns)
		return NULL;
	for (i = n_calls - 1; i >= 0; i--)
		if (calls[i].ns == ns && !calls[i].is_via)
			return &calls[i];
	return NULL;
}

/* ---- helpers of the programs that run ---- */

__u64 machine_patched(__u64 magic)
{
	struct call *c = running()->call;

	switch (magic) {
	case KSTATS_HOOK_MAGIC:
		return (c->is_via ? (__u32)c->nth : node_of(c->function)) |
		       8ULL << KSTATS_HOOK_KEY_SHIFT;
	case KSTATS_GUARD_MAGIC:
		if (c->is_via)
			return TRACE_FUNCTIONS + c->nth;
		return shape->several ? 2 * c->function + running()->is_end : c->function;
	}
	return 0;
}

static bool asks_zero(const struct call *c, __u32 key)
{
	return (shape->asks_if || shape->owns) && c->key == key;
}

__u64 machine_expr(__u64 magic, void *ctx, __u64 *value, __u64 duration)
{
	struct call *c = running()->call;

	if (magic == KSTATS_EXPR_BY_MAGIC || magic == KSTATS_EXPR_KEY_MAGIC) {
		value[0] = c->key;
		return KSTATS_EXPR_YES;
	}
	if (magic == KSTATS_EXPR_KEEP_MAGIC)
		value[0] = c - calls;
	if (magic == KSTATS_EXPR_END_MAGIC && shape->keeps)
		running()->kept = value[-KSTATS_KEPT_WORDS];
	if (magic == KSTATS_EXPR_END_MAGIC && shape->counts)
		running()->switches = value[-KSTATS_KEPT_WORDS - 1];
	if ((shape->asks_if || magic == KSTATS_EXPR_POINT_MAGIC) && asks_zero(c, 0))
		return KSTATS_EXPR_NO;
	if ((shape->asks_if || magic == KSTATS_EXPR_POINT_MAGIC) && asks_zero(c, 2))
		return KSTATS_EXPR_UNREADABLE;
	return KSTATS_EXPR_YES;
}

bool bpf_session_is_return(void *ctx)
{
	return running()->is_end;
}

__u64 *bpf_session_cookie(void *ctx)
{
	return &running()->call->cookie;
}

__u64 bpf_get_attach_cookie(void *ctx)
{
	return machine_patched(KSTATS_HOOK_MAGIC);
}

long bpf_get_func_ret(void *ctx, __u64 *value)
{
	*value = 0;
	return 0;
}

/* ---- a program runs, or is skipped ---- */

#define RUN(name, ctx) (asks() ? name##_asking(ctx) : name(ctx))

static int run_kprobe(struct call *c, bool is_end)
{
	struct pt_regs regs = { .sp = c->frame + (is_end ? 8 : 0), .di = c->key };

	if (shape->method == TRACE_KSESSION)
		return RUN(kprobe_session_both, &regs);
	return is_end ? RUN(kretprobe_end, &regs) : RUN(kprobe_start, &regs);
}

/* A call of the first function ends, one of the second is cancelled. */
static int run_several(struct call *c, bool is_end, __u64 *args)
{
	if (c->is_via)
		return tp_via_several(args);
	if (!is_end)
		return tp_start_several(args);
	return c->function ? tp_cancel_several(args) : tp_end_several(args);
}

static int run_program(struct call *c, bool is_end)
{
	struct pt_regs regs = { .sp = c->frame };
	struct pt_regs *event = &regs;
	__u64 *args = (__u64 *)c->frame;

	args[0] = c->key;
	switch (shape->method) {
	case TRACE_FENTRY:
		return is_end ? RUN(fexit_end, args) : RUN(fentry_start, args);
	case TRACE_FSESSION:
		return RUN(fsession_both, args);
	case TRACE_POINTS:
		if (shape->several)
			return run_several(c, is_end, args);
		return is_end ? RUN(tp_end, args) : RUN(tp_start, args);
	case TRACE_EVENTS:
		return is_end ? trace_event_end(&event) : trace_event_start(&event);
	default:
		return run_kprobe(c, is_end);
	}
}

static void run_ended(struct machine_run *run)
{
	struct call *c = run->call;

	order_judge_left(run);
	if (shape->vias && run->sampled)
		via_judge(run);
	if (c->is_via)
		return;
	if (!run->was_on || run->epoch != epoch_ns || !kstats_on)
		return;
	c->filtered |=
		!run->is_end && !c->counted && !passes_filter(c->task) && !(shape->owns && !c->key);
	if (!run->is_end && c->counted && !is_measured(c->task))
		say("a start is counted that is left out");
	if (!run->is_end && !c->counted && !asks() && !shape->on_first && is_measured(c->task))
		say("a start is not counted");
	if (run->is_end && c->unmatched && !is_measured(c->task))
		say("an end is counted that is left out");
	/* A cancel without a start is nothing. An end that is left out may have a start. */
	if (run->is_end && run->told != 1 && !asks() && !shape->on_first &&
	    (run->told || is_measured(c->task)) && !(shape->several && c->function && !run->told))
		say("an end has %d outcomes", run->told);
}

/* Returns what the program returned; -1 where it was skipped. */
static int program(struct call *c, bool is_end)
{
	struct here *h = &heres_of[machine.cpu];
	int at = c->is_via ? TRACE_FUNCTIONS + c->nth : 2 * c->function + (is_end && !is_session());
	__u32 *active = is_kprobe() ? &h->any_active : &h->active[at];
	struct machine_task *t = machine_task();
	struct machine_run run = {
		.below = t->run,
		.call = c,
		.is_end = is_end,
		.was_on = kstats_on,
		.upon_start = is_end && order_start_runs(),
		.epoch = epoch_ns,
	};
	int got = -1;

	tell("%s of call %d of %c%u at %llx%s", is_end ? "end" : "start", (int)(c - calls),
	     'a' + c->function, c->key, c->frame & 0xffff, *active ? ": skipped" : "");
	h->hits[at]++;
	t->in_program++;
	machine_point();
	if (++*active == 1) {
		machine_point();
		t->run = &run;
		got = run_program(c, is_end);
		run_ended(&run);
		t->run = run.below;
		machine_point();
	} else {
		h->misses[at]++;
		skipped++;
		pass(c->function, 0);
		if (is_end)
			trace_sums.skipped_ends++;
		else
			trace_sums.skipped_starts++;
	}
	--*active;
	machine_point();
	t->in_program--;
	tell("%s of call %d done", is_end ? "end" : "start", (int)(c - calls));
	return got;
}

/* ---- calls ---- */

/* The @n-th key that belongs to the bucket of the key 1. */
static __u32 key_that_meets(__u32 n)
{
	static __u32 found[36];
	__u32 i, key = 0;

	for (i = 0; i <= n && !found[n]; found[i++] = key)
		while (kstats_key_bucket(++key) != kstats_key_bucket(1))
			;
	return found[n];
}

static struct call *call_new(int function, __u32 key)
{
	struct call *c = &calls[n_calls];

	if (n_calls == CALLS)
		return NULL;
	n_calls++;
	trace_sums.calls++;
	memset(c, 0, sizeof(*c));
	c->function = function;
	c->key = shape->meet ? key_that_meets(key) : key;
	c->task = machine_task();
	c->level = machine_here()->level;
	c->cpu = machine.cpu;
	if (shape->pool)
		c->cookie = pool[c->task - machine.tasks][c->level];
	return c;
}

/* Returns whether the kernel runs the program at the return. */
static bool call_begins(struct call *c)
{
	int got;

	c->began_at = machine.at;
	got = program(c, false);
	c->started = got >= 0;
	c->start_skipped = got < 0;
	c->begun_at = machine.at;
	if (shape->method == TRACE_KSESSION && got == 1)
		return false;
	return !is_session() || got >= 0 || shape->ends_alone;
}

static void call_ends(struct call *c)
{
	int got;

	c->ended_at = machine.at;
	c->ended_while_off = !kstats_on;
	got = program(c, true);
	c->done_at = machine.at;
	c->ended = got >= 0;
	c->end_skipped = got < 0;
	if (shape->pool)
		pool[c->task - machine.tasks][c->level] = c->cookie;
}

/* In an interrupt on top of it nothing ends. */
static bool dies(void)
{
	return machine_task()->dies && !machine_here()->level;
}

/* The task ends inside of the calls that are open: they never return. */
static void die(void)
{
	if (machine_here()->level || !machine_task()->ts.pid)
		return;
	tell("the task dies");
	machine_task()->dies = true;
	told_begin_alone();
	task_exit(NULL);
	told_end_alone();
}

/* A task does this itself. */
static void rename_task(void)
{
	if (!machine_here()->level)
		machine_task()->ts.comm[0] ^= 'x';
}

static const char *body(const char *at);

/* @bytes: of its frame; 0: its caller has jumped to it, and has no other frame */
static const char *call(const char *at, int function, __u32 key, __u32 bytes)
{
	struct call *c = call_new(function, key);
	bool returns;

	if (!c)
		return at + strlen(at);
	c->frame = machine_frame(bytes);
	returns = call_begins(c);
	machine_point();
	if (*at == '(')
		at = body(at + 1);
	machine_point();
	c->gone = dies();
	if (returns && !c->gone)
		call_ends(c);
	machine_leave(bytes);
	return at;
}

/* One point of a pair alone: start and end may be in different tasks. */
static void point_of_pair(int function, bool is_end, __u32 key)
{
	struct call *c = call_new(function, key);

	if (!c)
		return;
	c->frame = machine_frame(128);
	if (is_end)
		call_ends(c);
	else
		call_begins(c);
	machine_leave(128);
	machine_point();
}

/* A point on the way. */
static void point_on_way(int nth, __u32 key)
{
	struct call *c = call_new(0, key);

	if (!c)
		return;
	c->is_via = true;
	c->nth = nth;
	c->frame = machine_frame(128);
	c->began_at = machine.at;
	c->start_skipped = program(c, false) < 0;
	c->done_at = machine.at;
	machine_leave(128);
}

/* Does what a text says, as far as its end or a closing parenthesis. Returns where that is. */
static const char *body(const char *at)
{
	char what;
	bool jump;
	__u32 key;

	while (*at && *at != ')' && !dies()) {
		jump = *at == '/';
		at += jump;
		what = *at++;
		key = *at >= '0' && *at <= '9' ? *at++ - '0' : 1;
		if (*at >= 'A' && *at <= 'Z')
			key = *at++ - 'A' + 10;
		if (what == 's' || what == 'e')
			point_of_pair(0, what == 'e', key);
		else if (shape->vias && (what == 'v' || what == 'w'))
			point_on_way(what - 'v', key);
		else if (shape->several && (what == 't' || what == 'c'))
			point_of_pair(1, what == 'c', key);
		else if (what == '~')
			machine_here()->level == MACHINE_TASK &&machine_sleep(true);
		else if (what == '!')
			die();
		else if (what == '>')
			machine_move((machine.cpu + 1) % MACHINE_CPUS);
		else if (what == '=')
			rename_task();
		else if (what >= 'a' && what < 'a' + TRACE_FUNCTIONS)
			at = call(at, what - 'a', key, jump ? 0 : 128);
	}
	return *at ? at + 1 : at;
}

/* These are of no call, and nothing comes in between. */
void course_birth(struct machine_task *parent, struct machine_task *task)
{
	struct machine_task *now = machine_task();
	__u64 ctx[1] = { (__u64)&task->ts };

	machine_here()->now = parent;
	machine.quiet++;
	task_birth(ctx);
	machine.quiet--;
	machine_here()->now = now;
}

void course_free(struct machine_task *task)
{
	__u64 ctx[1] = { (__u64)&task->ts };

	machine.quiet++;
	told_begin_alone();
	task_free(ctx);
	told_end_alone();
	machine.quiet--;
}

void course_body(void *text)
{
	struct machine_task *t = machine_task();

	body(text);
	/* It is freed by others, once it does not run any more. */
	if (t->dies && !machine_here()->level)
		course_free(t);
}

/* ---- bodies by chance ---- */

static char *made_by_chance(char *at, char *end, int deep)
{
	int n = 1 + machine_chance(&row) % 3;

	while (n-- && at + 8 < end) {
		__u64 dice = machine_chance(&row);

		if (shape->apart && dice % 4 == 0) {
			if (shape->several && dice & 128)
				*at++ = dice & 64 ? 't' : 'c';
			else
				*at++ = dice & 64 ? 's' : 'e';
			*at++ = shape->meet ? 'A' + (dice >> 8) % 26 : '0' + (dice >> 8) % 3;
			continue;
		}
		if (shape->vias && (dice >> 12) % 3 == 0) {
			*at++ = dice & 64 ? 'v' : 'w';
			*at++ = shape->meet ? 'A' + (dice >> 8) % 26 : '0' + (dice >> 24) % 4;
			continue;
		}
		*at++ = 'a' + (dice >> 16) % shape->functions;
		*at++ = '0' + (dice >> 24) % 4;
		if (deep > 0 && dice >> 32 & 1) {
			*at++ = '(';
			at = made_by_chance(at, end - 1, deep - 1);
			*at++ = ')';
		}
		/* Per CPU, an end takes the last start there: its call must stay. */
		if ((dice >> 40) % 8 == 0 && shape->pairing != KSTATS_BY_CPU)
			*at++ = (dice >> 44) & 1 ? '~' : '>';
		if (shape->renames && (dice >> 52) % 8 == 0)
			*at++ = '=';
		if (shape->deaths && (dice >> 48) % 16 == 0)
			*at++ = '!';
	}
	return at;
}

static void text_by_chance(char *text, int deep)
{
	*made_by_chance(text, text + TRACE_BODY - 1, deep) = 0;
}

/* ---- what comes in between ---- */

static struct trace_plan *plan;
static int planned; /* events of the plan so far */

static void interrupt_by_chance(enum machine_level level)
{
	char text[TRACE_BODY];

	if (!machine_may_interrupt(level) || n_calls > CALLS / 2)
		return;
	text_by_chance(text, 1);
	tell("interrupt %d: %s", level, text);
	machine_interrupt(level, course_body, text);
	tell("interrupt %d ends", level);
}

void course_fire(void)
{
	__u64 dice = machine_chance(&row);

	machine.next = machine.at + 1 + (dice >> 8) % (2 * shape->mean);
	/* A whole stop must fit into a call. */
	if (shape->controls && dice & 8) {
		control_step(dice >> 32);
		return;
	}
	switch (dice & 7) {
	case 0:
	case 1:
		if (shape->n_cpus > 1)
			machine_other_cpu();
		return;
	case 2:
	case 3:
		if (machine_may_preempt())
			machine_sleep(false);
		return;
	case 4:
		interrupt_by_chance(MACHINE_SOFTIRQ);
		return;
	case 5:
		if (shape->nmi)
			interrupt_by_chance(MACHINE_NMI);
		return;
	default:
		interrupt_by_chance(MACHINE_IRQ);
	}
}

/* A task that is preempted is one that only a task may run upon. */
static enum machine_level level_of(const char *what)
{
	if (*what == '~')
		return MACHINE_TASK;
	return *what == 'N' ? MACHINE_NMI : *what == 'S' ? MACHINE_SOFTIRQ : MACHINE_IRQ;
}

void course_fire_planned(void)
{
	const char *what = shape->interrupts[plan->what[planned]];
	__u64 *ended_at = &plan->ended_at[planned];
	bool came = true;

	machine.next = ++planned < plan->n ? plan->at[planned] : ~0ULL;
	*ended_at = machine.at;
	if (*what == '|')
		came = machine_other_cpu();
	else if (*what == '~')
		came = machine_may_preempt() && machine_sleep(false);
	else if (machine_may_interrupt(level_of(what)))
		machine_interrupt(level_of(what), course_body, (void *)(what + 1));
	else
		came = false;
	*ended_at = came ? machine.at : 0;
}

bool trace_may_come(const struct trace_plan *with, const char *what, __u64 at)
{
	int i;

	for (i = 0; i < with->n && shape->n_cpus == 1 && *what != '|'; i++)
		if (level_of(shape->interrupts[with->what[i]]) >= level_of(what) &&
		    level_of(shape->interrupts[with->what[i]]) > MACHINE_TASK && at > with->at[i] &&
		    at <= with->ended_at[i])
			return false;
	return true;
}

void course_text(char *text)
{
	text_by_chance(text, shape->deep);
}

void course_follow(struct trace_plan *with)
{
	plan = with;
	memset(plan->ended_at, 0, sizeof(plan->ended_at));
	planned = 0;
}

void course_clear(void)
{
	memset(heres_of, 0, sizeof(heres_of));
	memset(pool, 0, sizeof(pool));
	n_calls = 0;
	skipped = 0;
	wrong[0] = 0;
	order_clear();
	missed_newest = false;
}
