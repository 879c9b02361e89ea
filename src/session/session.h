/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - load and attach the BPF programs of a plan, and read what they counted. In: a
 * plan. Out: snapshots. Prints nothing. Everything belongs to file descriptors, so that
 * nothing outlives the process. Called by cmd/.
 */
#ifndef KSTATS_SESSION_H
#define KSTATS_SESSION_H

#include <sys/types.h>

#include "hook/rows.h"
#include "kstats_who.h"
#include "kstats_why.h"
#include "naming/naming.h"
#include "pin/pin.h"
#include "plan/plan.h"
#include "result/snapshot.h"
#include "store/flight.h"
#include "store/store.h"

#define SESSION_PIN_CELLS "cells"
#define SESSION_PIN_BLOCKS "blocks" /* slots in blocks */
#define SESSION_PIN_VARIABLES "variables"
#define SESSION_PIN_IDLE "idle" /* stacks of the idle tasks */
#define SESSION_PIN_TASK_SLOTS "task_slots" /* stacks of tasks */
#define SESSION_PIN_STACKS "stacks" /* of tasks that have no task slot */
#define SESSION_PIN_KEYS "keys" /* open starts, by key */
#define SESSION_PIN_BY "by" /* the keys of --by */
#define SESSION_PIN_HITS "hits" /* the iterator over links, see struct kstats_hits */
#define SESSION_PIN_OWNERS "owners" /* holds the nodes in the module */
#define SESSION_PIN_PROG "prog-%s" /* helpers, see session_helpers */
#define SESSION_PIN_LINK "link-%s"
#define SESSION_PIN_HOOK_PROG "prog-%u-%s" /* probe; start or end */
#define SESSION_PIN_HOOK_LINK "link-%u-%s"
#define SESSION_PIN_HOOK_MORE "link-%u-%s-%u" /* the same; number of a further place */
#define SESSION_PIN_NAME 32 /* bytes of such a name */

struct hook;
struct session;
struct facts_types;

/** enum session_need - why a helper is loaded; several reasons are possible */
enum session_need {
	SESSION_STAMPS = 1 << 0, /* stamps in tasks */
	SESSION_COMMAND = 1 << 1, /* only a command and its children are measured */
	SESSION_BPF_CALLS = 1 << 2, /* the kernel skips programs of kprobes uncounted */
	SESSION_DEEP = 1 << 3, /* the kernel has room for few nested calls of a task */
};

/** struct session_helper - a program beside the hooks, which follows tasks or calls of bpf(2) */
struct session_helper {
	const char *name; /* of the program */
	unsigned int needs; /* enum session_need; one of them is enough */
};

/** session_helpers - all of them in the order of attaching, ended by a NULL name */
extern const struct session_helper session_helpers[];

/**
 * session_open() - load and attach; nothing is recorded yet
 * @plan: must outlive the session
 * @e: filled in with the reason, and with what refused it
 *
 * Each probe gets the first of its ways that really loads and attaches. If there are several
 * probes, one for which no way works is left out, see session_left_out().
 *
 * Return: a session, freed by session_close(), or NULL.
 */
struct session *session_open(const struct plan *plan, struct error *e);

/**
 * session_left_out() - a probe for which no way worked
 * @i: 0, 1, 2, ... until NULL is returned
 * @why: receives the reason; owned by the session
 *
 * Return: its name, or NULL if there are no more.
 */
const char *session_left_out(const struct session *s, unsigned int i, const char **why);

/**
 * session_follow() - measure only this process and all its children
 * @pid: the process, before it runs the command
 */
int session_follow(struct session *s, pid_t pid, struct error *e);

/** session_start() - record from now on */
void session_start(struct session *s);

/**
 * session_switch() - pause and resume recording; @s: started, not stopped; @on: resume
 *
 * Programs that run at this moment finish their event; this does not wait for them.
 */
void session_switch(struct session *s, bool on);

/** session_detach() - detach the programs, and keep them loaded */
void session_detach(struct session *s);

/**
 * session_attach() - attach the programs again after session_detach()
 * @e: filled in on failure; then some may be attached and others not
 */
int session_attach(struct session *s, struct error *e);

/**
 * session_stop() - end recording, and wait until no program runs
 *
 * Calls that are open now keep their stamps, and are counted as in flight.
 */
void session_stop(struct session *s);

/**
 * session_again() - prepare another run with the same attached programs
 * @s: after session_stop()
 * @plan: plan of the next run, which differs in its command only
 *
 * Needs no privileges. session_follow() and session_start() come next.
 */
int session_again(struct session *s, const struct plan *plan, struct error *e);

/**
 * session_about() - describe what a session measures, and how; reads no slots and no tasks
 *
 * Return: a snapshot without counts, freed by snapshot_free(), or NULL.
 */
struct snapshot *session_about(const struct session *s, struct error *e);

/**
 * session_snapshot() - copy the counts so far
 *
 * After session_stop() the snapshot is final: calls in flight are counted by walking the
 * stamps of all tasks, and the ledger must balance. Before it, in flight is the difference
 * of the other counters.
 *
 * Return: a snapshot, freed by snapshot_free(), or NULL.
 */
struct snapshot *session_snapshot(struct session *s, struct error *e);

/**
 * session_others() - about how many calls the filters left out so far; 0 without filters
 * @s: its spec limits the overhead
 *
 * A point of a pair counts as half a call.
 */
uint64_t session_others(const struct session *s);

/**
 * session_why_limits() - which calls are slow, for programs; @s: its spec asks for single calls
 * @threshold_ns: calls of this duration or more leave a record
 * @base_ns: lowest threshold of which slow calls are counted; 0: no call is counted. Once counted,
 *	it stays
 */
void session_why_limits(struct session *s, uint64_t threshold_ns, uint64_t base_ns);

/** session_part_text() - a value in the words of a key or a record; owned by the caller, or NULL */
char *session_part_text(const struct expr_part *part, const uint64_t *words);

/** session_why_choose() - let calls leave a record whatever their duration; @chance: of each, 0 to
 * 1 */
void session_why_choose(struct session *s, double chance);

/** session_why_chosen() - shorter calls than the threshold that were chosen since it was asked last
 */
uint32_t session_why_chosen(struct session *s);

/** session_why_take() - read the records that wait, and make room for others; @each: gets each */
void session_why_take(struct session *s, void (*each)(void *, const struct kstats_why_record *),
		      void *ctx);

/** session_why_count() - read how many calls there were; @each: gets those of a thread on a CPU */
void session_why_count(struct session *s,
		       void (*each)(void *, uint32_t cpu, const struct kstats_why_count *),
		       void *ctx);

/** session_why_args() - number of arguments that trampolines let records have */
uint32_t session_why_args(const struct plan *plan);

/** session_why_lost() - how much could not be kept */
uint64_t session_why_lost(const struct session *s, enum kstats_why_lost what);

/** session_in_container() - whether our PID namespace is not the first one */
bool session_in_container(void);

/** session_named() - the name of a number, also of one whose names this machine gives.
 *	Return: false if it has none
 */
bool session_named(enum naming naming, uint64_t number, char *buf, size_t size);

/** session_way() - how a probe was attached, or NULL if it is left out; @i: its index */
const struct plan_way *session_way(const struct session *s, uint32_t i);

/** struct session_variables - where the variables of the programs lie */
struct session_variables {
	size_t size; /* bytes of all variables */
	size_t on_at; /* offset of kstats_on, which lets them record */
	size_t epoch_at; /* offset of epoch_ns; calls that began before it do not count */
	size_t taken_at; /* offset of by_taken, the number of keys of --by */
};

/** session_variables() - the layout of this session's variables */
struct session_variables session_variables(const struct session *s);

/** session_wait_programs() - wait until all programs that run now have ended */
void session_wait_programs(void);

/**
 * session_hits_read() - read how often the kernel skipped programs of kprobes, and why
 * @hits: replaced; freed with rows_free()
 * @link_fd: what is pinned as SESSION_PIN_HITS; if negative, no row is read
 * @settle: wait for programs that are about to run, so that they do not count as skipped
 */
int session_hits_read(struct rows *hits, int link_fd, bool settle);

/**
 * session_direct_count() - add the calls that a stub has counted to the ledger of its node
 * @snap: snapshot with all other counters
 *
 * All that is left is in flight. If the stub lets calls pass, the reason of the node says why.
 * Return: 0 or -errno.
 */
int session_direct_count(struct store *st, uint32_t owner, struct snapshot *snap);

/** session_direct_lost() - why a stub does not measure its function correctly; NULL if it does */
const char *session_direct_lost(enum kstats_direct_state state);

/**
 * session_pin_links() - name the links of a hook
 * @i: number of its probe
 * @which: "start" or "end"
 *
 * Return: 0 or -errno.
 */
int session_pin_links(const struct pin_folder *f, uint32_t i, const char *which,
		      const struct hook *h);

/**
 * session_pin() - pin everything, so that it outlives the process
 * @f: folder that receives the SESSION_PIN_ names
 *
 * Return: 0 or -errno; the owner of the folder then removes what is pinned.
 */
int session_pin(const struct session *s, const struct pin_folder *f, struct error *e);

/**
 * session_untracked() - number of tasks of the command that could not be followed
 *
 * It is 0 unless the table of processes was full.
 */
uint64_t session_untracked(const struct session *s);

/** session_close() - detach and unload everything; @s may be NULL */
void session_close(struct session *s);

/* ---- keys of --by ---- */

/** session_by_size() - bytes of a place in the table of keys */
static inline size_t session_by_size(const struct plan_by *by)
{
	return offsetof(struct kstats_by, words) + by->words * sizeof(__u64);
}

struct session_frames;

/**
 * session_frames_open() - prepare to name the stacks in keys
 * @fd: their table
 *
 * Return: freed by session_frames_close(), or NULL.
 */
struct session_frames *session_frames_open(const struct plan_by *by, int fd);

/**
 * session_follows() - whether stacks of programs are kept
 *
 * Then session_catch_up() is to be called every now and then, and before the result is read: else
 * programs that have ended have no names.
 */
bool session_follows(const struct session *s);

/** session_catch_up() - read what processes have in their memory */
void session_catch_up(struct session *s);

/** session_frames_text() - a part of a key that has frames, whose word this is; or NULL */
char *session_frames_text(struct session_frames *f, const struct expr_part *part, uint64_t word);

/**
 * session_frames_pointer() - the name of what a pointer in a key leads to
 * @buf: receives it
 *
 * Return: false if it is no function and no variable of the kernel.
 */
bool session_frames_pointer(struct session_frames *f, uint64_t address, char *buf, size_t size);

/** session_frames_forget() - forget all stacks, while no programs run; @f may be NULL */
void session_frames_forget(struct session_frames *f);

/** session_frames_close() - release; @f may be NULL */
void session_frames_close(struct session_frames *f);

/** struct session_by_tables - where programs put what keys consist of */
struct session_by_tables {
	int keys; /* descriptor; not used if there are none */
	struct session_frames *frames; /* NULL: no key has any */
};

/**
 * session_by_tally() - flight_tally(), also for the nodes of keys, which get their names
 * @whose: the keys, in an error: "--by", "'reads'"
 * @snap: has snapshot_add_keys(); keys that have a name keep it
 *
 * A key that has a number but no name yet may belong to another function. Until it has a name,
 * its samples and those of all later keys count as in flight.
 */
int session_by_tally(const struct plan_by *by, const char *whose,
		     const struct session_by_tables *tables, const struct flight *f,
		     struct store *st, struct snapshot *snap, bool final, struct error *e);

/** struct session_keys - how many have come */
struct session_keys {
	uint32_t keys; /* keys */
	uint32_t nodes; /* nodes that they have: a key that two CPUs meet first at once has two */
};

struct table;

/** session_by_count() - count the keys that have come; @fd: their table. Return: 0 or -errno */
int session_by_count(const struct plan_by *by, int fd, struct session_keys *n);

/** session_by_count_in() - the same where the table is mapped. Return: 0 or -ENOMEM */
int session_by_count_in(const struct plan_by *by, const struct table *t, struct session_keys *n);

/**
 * session_by_forget() - forget all keys
 * @by: its programs do not run
 * @taken: their variable by_taken
 *
 * Return: 0 or -errno.
 */
int session_by_forget(const struct plan_by *by, int fd, uint32_t *taken);

/* ---- what programs see of tasks ---- */

struct bpf_program;

/**
 * session_tell_task() - a task as the kernel knows it
 * @prog: loaded program tell_task
 * @number: of the task, in our own PID namespace
 * @task: receives it
 *
 * Return: 0, -ESRCH where there is none, or -errno.
 */
int session_tell_task(const struct bpf_program *prog, pid_t number, struct kstats_task *task);

/**
 * session_command_add() - let programs measure the first task of a command
 * @fd: map of the tasks of the command
 * @homes: KSTATS_HOMES of them
 * @address: of the task
 */
int session_command_add(int fd, __u64 *homes, __u64 address);

/**
 * session_who() - filters as programs see them
 * @who: process and thread numbers of our own PID namespace are replaced by those of the
 *	initial one
 * @cgroup: receives id and level, if there is a cgroup
 * @e: why they cannot be used; a CPU that is not there
 */
int session_who(struct spec_who *who, struct kstats_cgroup *cgroup, struct error *e);

/**
 * session_who_first() - the filters whose answer for a task never changes
 * @n_pids: number of processes
 * @command: only the tasks of a command are measured
 *
 * Return: their kind, for programs.
 */
enum kstats_who session_who_first(uint32_t n_pids, bool command);

/**
 * SESSION_SET_WHO() - write filters into the constants of bpf/filter.bpf.h
 * @to: the constants of a skeleton that has them
 * @from: struct spec whose filters they are
 * @e: why they cannot be used
 *
 * A macro, since each skeleton has a type of its own. Result: that of session_who().
 */
#define SESSION_SET_WHO(to, from, e)                                         \
	({                                                                   \
		__typeof__(to) to_ = (to);                                   \
		const struct spec *spec_ = (from);                           \
		struct kstats_cgroup cgroup_ = {};                           \
		struct spec_who who_ = spec_->who;                           \
		int err_ = session_who(&who_, &cgroup_, e);                  \
                                                                             \
		to_->who_by_comm = who_.comm[0];                             \
		memcpy((void *)to_->who_comm, who_.comm, sizeof(who_.comm)); \
		to_->who_by_cpu = who_.by_cpu;                               \
		memcpy((void *)to_->who_cpus, who_.cpus, sizeof(who_.cpus)); \
		to_->who_by_command = spec_follows(spec_);                   \
		to_->who_any = spec_leaves_out(spec_);                       \
		to_->who_n_pids = who_.n_pids;                               \
		memcpy((void *)to_->who_pids, who_.pids, sizeof(who_.pids)); \
		to_->who_n_tids = who_.n_tids;                               \
		memcpy((void *)to_->who_tids, who_.tids, sizeof(who_.tids)); \
		to_->who_cgroup_level = cgroup_.level;                       \
		to_->who_cgroup_id = cgroup_.id;                             \
		err_;                                                        \
	})

/**
 * SESSION_SET_FIRST() - which of these filters programs ask before all else
 * @to: the constants of a skeleton, after SESSION_SET_WHO()
 */
#define SESSION_SET_FIRST(to)                                                              \
	({                                                                                 \
		__typeof__(to) of_ = (to);                                                 \
                                                                                           \
		of_->who_first = session_who_first(of_->who_n_pids, of_->who_by_command);  \
		of_->who_later = of_->who_n_tids || of_->who_by_cpu || of_->who_by_comm || \
				 of_->who_cgroup_level;                                    \
	})

/** session_tasks_max() - how many tasks a command may have at once */
uint32_t session_tasks_max(void);

/**
 * session_handlers() - make it safe to unregister handlers of sections
 *
 * libbpf frees its list with the last handler and keeps the pointer (seen in 1.1), so one that
 * is not used is never removed.
 *
 * Return: 0 or -errno.
 */
int session_handlers(void);

#define SESSION_POINTS 4 /* kinds of points that sections of helpers name */

/**
 * session_points_begin() - look up in types that are known what helpers attach to
 * @types: of the kernel proper; they are used until session_points_end()
 * @handlers: filled in
 *
 * For objects that are opened and loaded from now on. Their helpers are attached by
 * bpf_program__attach_trace() or bpf_program__attach_iter(): the section tells libbpf nothing.
 *
 * Return: 0 or -errno. Ended by session_points_end() in any case.
 */
int session_points_begin(const struct facts_types *types, int handlers[SESSION_POINTS]);

/** session_points_end() - end session_points_begin() */
void session_points_end(int handlers[SESSION_POINTS]);

/** session_traces_callee() - whether the callee with this number in the plan is not left out */
bool session_traces_callee(const struct session *s, uint32_t nth);

/** session_counts_as_end() - whether the runs of its programs count as those of ends */
static inline bool session_counts_as_end(enum plan_hook_type type)
{
	return type == PLAN_KRETPROBE;
}

#endif /* KSTATS_SESSION_H */
