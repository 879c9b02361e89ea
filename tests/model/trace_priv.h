/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace_priv.h - what the files of the model of kstats.bpf.c share: calls, programs that run,
 * and the state of the run. In: nothing. Out: trace_course.c lets calls happen, trace_told.c
 * notes whose start each count and each sample is of, trace_judge.c says what is wrong with that,
 * and trace.c makes the maps and begins a run.
 */
#ifndef MODEL_TRACE_PRIV_H
#define MODEL_TRACE_PRIV_H

#include "tell.h"
#include "trace.h"

/* The maps of kstats.bpf.c. */
extern char cells[], task_slots[], task_stacks[], idle_stacks[], keys[], guards[], guards_seen[],
	here[], heres[], bpf_callers[], runs[], others[], by_keys[], command_tasks[], blocks[],
	hit_places[], kept_slots[], kept_tasks[], kept_keys[];

extern __u64 command_homes[KSTATS_HOMES];
extern __u8 homes_with_stack[KSTATS_HOMES];
extern __u32 kstats_on, by_taken;
extern __u64 epoch_ns;

/* ---- a call, and what became of it ---- */

#define CALLS 256
#define RECORDED KSTATS_STARTED /* the place of this fate: a start has no such fate */

/** struct call - a call, or a pair */
struct call {
	int function;
	bool is_via; /* the event at a point on the way, */
	int nth; /* which is this one */
	__u32 key;
	struct machine_task *task;
	int level; /* it ran at */
	int cpu;
	__u64 frame;
	__u64 ns; /* which its start program read last */
	__u64 ns_at; /* the point of that */
	__u64 switches; /* of its task until then */
	__u64 began_at, begun_at; /* points: its start began, and was done; its end began, */
	__u64 ended_at, done_at; /* and was done */
	bool started, start_skipped, ended, end_skipped;
	bool ended_while_off; /* while programs did not record */
	bool counted; /* as started */
	bool from_before; /* of a reset */
	int session; /* in which it was counted */
	bool gone; /* its task ended inside */
	bool filtered; /* a filter left its start out */
	__u64 put_ns; /* when its start was put into its place, or its mark */
	bool marked; /* it was left out, and its start is a mark */
	bool taken; /* its start was, by whomever */
	__u64 taken_at; /* the point of that */
	bool given_up; /* it was taken, but not by its end */
	const struct machine_run *given_up_by; /* by this program, which still runs */
	__u8 fates[KSTATS_LEDGER_SPACE];
	__u8 unmatched;
	bool below_hole; /* when its end found no start: see lies_below_hole() */
	__u64 cookie;
};

/** struct machine_run - a program that runs */
struct machine_run {
	struct machine_run *below;
	struct call *call;
	bool is_end;
	bool was_on; /* it began while programs recorded */
	bool upon_start; /* an end of several points: it came upon a start, and can know that */
	__u64 epoch;
	__u64 first, last; /* times that it read */
	struct call *subject; /* whose start it took or gave up last */
	struct call *before; /* the one before that */
	struct call *mark; /* whose mark it took last, which may be that of its end */
	__u64 mark_ns; /* when that was made */
	int told; /* an end: times that it counted its outcome */
	__u64 kept; /* an end: what it was told of its start */
	__u64 switches; /* an end: how often its task left the processor, as it was told */
	struct call *sampled; /* an end: whose sample it made, */
	__u64 sample;
	__u64 stages[TRACE_VIAS + 2]; /* and its stages; 1 more, so that 0 is none */
};

/** struct here - the kernel's own counters on a processor */
struct here {
	__u64 here;
	__u32 active[2 * TRACE_FUNCTIONS];
	__u64 misses[2 * TRACE_FUNCTIONS];
	__u64 hits[2 * TRACE_FUNCTIONS];
	__u32 any_active;
};

/** struct passed - an end, or a program that was skipped, in the order in which they were done */
struct passed {
	int cpu, function;
	__u64 first; /* time that the end read; 0: skipped */
	__u64 ns; /* when that was */
	int session;
	bool used; /* a gap began there */
};

extern struct call calls[CALLS];
extern int n_calls;
extern struct here heres_of[MACHINE_CPUS];
extern const struct trace_shape *shape;
extern __u64 row; /* of chance */
extern __u64 skipped; /* programs, of all */
extern bool missed_newest; /* in this run: see say_seldom() */
extern __u64 noted[TRACE_NODES][KSTATS_LEDGER_SPACE]; /* counts, as they were counted */
#define TOUCHED 64
extern __u64 touched[TOUCHED]; /* buckets of keys */
extern int n_touched;

/** call_of_time() - the call whose start read this time, or NULL */
struct call *call_of_time(__u64 ns);

/* ---- the shape ---- */

static inline bool asks(void)
{
	return shape->asks_if || shape->asks_by || shape->owns || shape->counts;
}

/* Whether some calls of a task are left out. */
static inline bool leaves_out(void)
{
	return shape->asks_if || shape->on_first || shape->renames;
}

extern int outsider; /* the task that is not of the command */

/** is_measured() - whether the filter lets calls pass that a task begins now */
static inline bool is_measured(const struct machine_task *t)
{
	if (shape->command)
		return t != &machine.tasks[outsider];
	return !shape->renames || !t->ts.comm[0];
}

/* The same of what happens now. */
static inline bool passes_filter(const struct machine_task *t)
{
	return is_measured(t) && !(shape->on_first && machine.cpu);
}

static inline bool is_kprobe(void)
{
	return shape->method == TRACE_KPROBE || shape->method == TRACE_KSESSION ||
	       shape->method == TRACE_EVENTS;
}

static inline bool is_pair_of_points(void)
{
	return shape->method == TRACE_POINTS || shape->method == TRACE_EVENTS;
}

static inline bool is_session(void)
{
	return shape->method == TRACE_FSESSION || shape->method == TRACE_KSESSION;
}

static inline __u32 node_of(int function)
{
	return shape->merged ? 0 : function * TRACE_STRIDE;
}

/* ---- trace_course.c ---- */

/** course_clear() - no call has happened */
void course_clear(void);

/** course_text() - what a task does, by chance; @text: of TRACE_BODY bytes */
void course_text(char *text);

/** course_birth() - @parent creates @task; course_free() - a task is freed */
void course_birth(struct machine_task *parent, struct machine_task *task);
void course_free(struct machine_task *task);

/** course_body() - do what a text says */
void course_body(void *text);

/** course_fire() - let something come in between, by chance */
void course_fire(void);

/** course_fire_planned() - the same by the plan of course_follow() */
void course_fire_planned(void);
void course_follow(struct trace_plan *plan);

/* ---- trace_control.c ---- */

extern int session; /* stops and resets so far */
extern __u64 kept_open; /* per CPU, starts that were open at a stop */

/** control_clear() - programs record */
void control_clear(void);

/** control_follow() - user space follows a command, and no tasks of others before */
void control_follow(void);

/** control_step() - user space does its next step, of a stop, a reset or a start */
void control_step(__u64 dice);

/** control_finish() - what user space has begun, it ends */
void control_finish(void);

/* ---- trace_told.c ---- */

static inline struct machine_run *running(void)
{
	struct machine_task *t = machine_task();

	return t ? t->run : NULL;
}

/** told_clear() - nothing was told */
void told_clear(void);

/** pass() - an end was done, or a program was skipped (@first is 0): see struct passed */
void pass(int function, __u64 first);

/** told_begin_alone() - a program runs that is of no call; told_end_alone() - it has ended */
void told_begin_alone(void);
void told_end_alone(void);

/** count_fate() - a start of @c is counted, in the ledger of @node */
void count_fate(struct call *c, __u32 node, int id);

/* ---- trace_order.c ---- */

/** order_clear() - no mark is there */
void order_clear(void);

/** order_start_runs() - whether one of several starts runs here, and an end upon it can know that
 */
bool order_start_runs(void);

/** order_written() - @run is about to write at @at, where a mark may be or come */
void order_written(const void *at, struct machine_run *run);

/** order_mark_taken() - @run takes out the mark at @at; @own: perhaps as that of its end */
void order_mark_taken(const void *at, struct machine_run *run, bool own);

/** order_give_up() - @run takes out the start of @c, which is not that of its end */
void order_give_up(struct call *c, const struct machine_run *run);

/** order_judge_left() - @run is done: of starts that it gave up, no older one may stay open */
void order_judge_left(struct machine_run *run);

/** order_judge_unmatched() - the end that runs found no start: none may be there for it */
void order_judge_unmatched(const struct machine_run *run);

/** order_judge() - the end that runs took the start of @c: it must be the newest one */
void order_judge(const struct call *c, const struct machine_run *run);

/* ---- trace_via.c ---- */

/** via_judge() - an end has run: whether the stages of its sample are right */
void via_judge(const struct machine_run *run);

/* ---- trace_judge.c ---- */

/** is_crowded() - so many starts are open that the place of the call may have been needed */
bool is_crowded(const struct call *c);
bool lies_below_hole(const struct call *c);

/** starts_above() - starts on top of one that were not taken by their ends: they fill the ring */
int starts_above(const struct call *c);

/** count_open() - the stamps that are open now are in flight */
void count_open(void);

/** forget_keys() - clear the table of keys */
void forget_keys(void);

/** judge() - whether all is as it must be: NULL, or what is wrong */
const char *judge(void);

#endif /* MODEL_TRACE_PRIV_H */
