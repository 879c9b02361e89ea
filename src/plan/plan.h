/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plan.h - what will be hooked, how, and why, as a value. In: a spec and the facts. Out:
 * nodes, and for each probe the ways to hook it, best first. Which way is used is decided
 * by loading it (session). Pure. Called by cmd/.
 */
#ifndef KSTATS_PLAN_H
#define KSTATS_PLAN_H

#include <stdio.h>

#include "facts/facts.h"
#include "kstats_why.h"
#include "result/snapshot.h"
#include "spec/spec.h"
#include "user/user.h"

#define PLAN_WAYS_MAX 8
#define PLAN_GAP "GAP-" /* before the name of a distribution of gaps */

/*
 * More functions than this are hooked by one link if possible: one by one takes seconds,
 * while one link takes as long for all functions as for one. Fewer have a link each, since a call
 * inside another one pays for all functions of its link.
 */
#define PLAN_MANY 32

/* Default limits of --limit functions: attached one by one, or by one link. */
#define PLAN_FUNCTIONS_MAX 64
#define PLAN_FUNCTIONS_MAX_BY_LINK 1000

/** enum plan_hook_type - how one point is observed */
enum plan_hook_type {
	PLAN_FENTRY,
	PLAN_FEXIT,
	PLAN_KPROBE,
	PLAN_KRETPROBE,
	PLAN_TP_BTF,
	PLAN_FSESSION, /* entry and return, one program */
	PLAN_KPROBE_SESSION, /* entry and return, one program; more than PLAN_MANY share a link */
	PLAN_TRACE_EVENT, /* a tracepoint, with preemption off */
	PLAN_DIRECT, /* entry and return, by a stub of the module, without a program */
	PLAN_UPROBE, /* a place in a program, by a perf event for each */
	PLAN_URETPROBE, /* the return of a function of a program, in the same way */
	PLAN_UPROBE_MULTI, /* places in a program, by one link */
	PLAN_URETPROBE_MULTI, /* the return, in the same way */
	PLAN_UPROBE_SESSION, /* entry and return, one program, one link */
	PLAN_NO_HOOK, /* one of several points is a start or an end, and not both */
	PLAN_HOOK_TYPES,
};

/** enum plan_skips - which calls the kernel skips where it preempts tasks inside programs */
enum plan_skips {
	PLAN_SKIPS_NONE,
	PLAN_SKIPS_PREEMPTED,
	PLAN_SKIPS_AT_TRACEPOINTS, /* where it also preempts at tracepoints */
	PLAN_SKIPS_AS_SESSION, /* unless its session kfuncs take the context */
};

/** struct plan_type - what is known of a type of hook */
struct plan_type {
	const char *label; /* "fentry", "kprobe session", "trace event" and so on */
	enum expr_context context; /* what its programs get */
	enum plan_skips skips; /* what it may lose */
	bool is_session; /* one program sees entry and return, with a cookie for each call */
	bool is_kprobe; /* the kernel skips it inside any other program of that kind */
	bool is_user; /* the point is in a program */
	bool is_tracepoint;
	bool is_return; /* it sees the return of a function alone */
	/* trampolines keep the parameters until the return; here the registers have changed */
	bool loses_params;
};

/** plan_types - all of them, by enum plan_hook_type */
extern const struct plan_type plan_types[];

/** struct plan_code - instructions of an expression, see expr_compile() */
struct plan_code {
	struct bpf_insn *insns; /* owned */
	int n; /* their number; 0: there is no expression */
};

/** struct plan_by - the keys of --by */
struct plan_by {
	uint32_t most; /* keys that get a node; 0: there are none */
	bool at_start; /* a call's key belongs to its entry, else to its end */
	bool of_user_calls; /* it is made at the entry of a function of a program */
	bool may_fail; /* some events may have no key, since a part of it cannot be read */
	uint32_t words; /* of a key */
	unsigned int n; /* number of @parts and @labels */
	struct expr_part parts[KSTATS_BY_PARTS]; /* how they lie in it */
	char *labels[KSTATS_BY_PARTS]; /* owned; their names, no two the same */
	uint32_t first; /* node of the first key, behind all others */
};

/** plan_by_has_frames() - whether a part of the key is found by the stack */
static inline bool plan_by_has_frames(const struct plan_by *by)
{
	unsigned int i;

	for (i = 0; i < by->n; i++)
		if (by->parts[i].frames)
			return true;
	return false;
}

/** plan_by_has_pointers() - whether a part of the key is an address */
static inline bool plan_by_has_pointers(const struct plan_by *by)
{
	unsigned int i;

	for (i = 0; i < by->n; i++)
		if (by->parts[i].is_pointer)
			return true;
	return false;
}

/** plan_by_has_programs() - whether a part of the key is the stack of a program */
static inline bool plan_by_has_programs(const struct plan_by *by)
{
	unsigned int i;

	for (i = 0; i < by->n; i++)
		if (by->parts[i].frames == EXPR_FRAMES_PROGRAM)
			return true;
	return false;
}

/** struct plan_quick - parts of the condition that programs check by themselves */
struct plan_quick {
	uint64_t min_ns; /* shorter calls are counted as such, and not recorded */
	enum kstats_ret_op ret_op; /* comparison of the return value */
	int64_t ret_value; /* its right side */
};

/** enum plan_role - what a program does at its point */
enum plan_role {
	PLAN_START, /* it begins a call or a pair, or sees one point alone */
	PLAN_END,
	PLAN_CANCEL, /* it ends a start without a sample */
	PLAN_VIA, /* a start passes it on the way to its end */
	PLAN_ROLES,
};

/** struct plan_places - where a point is in a program or library */
struct plan_places {
	char *path; /* owned; by which the kernel finds the file; NULL: a point in the kernel */
	struct user_file file; /* in which the places were found; only of plan_make() */
	uint64_t *offsets; /* owned; @n places in the file */
	uint32_t n; /* number of @offsets */
	uint64_t semaphore; /* place in the file of the count of those who listen, or 0 */
	uint32_t pid; /* the only process in which it is hooked; 0: all */
};

/** struct plan_hook - one point and how it is observed */
struct plan_hook {
	enum plan_hook_type type; /* how */
	char *module; /* owned; "" for the kernel proper */
	char *name; /* owned; function or tracepoint */
	uint32_t btf_id; /* in the BTF of @module; 0 for kprobes */
	bool shared; /* another module, or the kernel, has a function of this name too */
	uint64_t word; /* hook word, see KSTATS_HOOK_NODE_BITS */
	struct plan_code gate; /* the condition, if it is evaluated first in both programs */
	/* the condition that its program asks at a start, and the value there if it is a point */
	struct plan_code if_start;
	struct plan_code if_end; /* the same at an end, and the value of a pair */
	struct plan_code key; /* the key, if it is an expression */
	struct plan_code own; /* of one of several points: what makes an event this point */
	struct plan_code keep; /* of a start among several: what its end needs of it */
	enum plan_role role; /* of one of several points; of others it is not set */
	struct plan_code by; /* the key of --by */
	struct plan_places places; /* of a point in a program */
	uint32_t calls; /* open calls of a kretprobe that are remembered, where tracefs is used */
};

/** struct plan_way - one way to observe a probe */
struct plan_way {
	const char *method; /* what it is called in the output */
	struct plan_hook start; /* hook of the start */
	/* hook of the end; the same as @start if one program sees both, or if there is one point */
	struct plan_hook end;
};

/** struct plan_probe - a function, or a pair of points */
struct plan_probe {
	uint32_t node; /* node that accounts for its starts */
	unsigned int n_args; /* of the function; the one with the fewest is used to try loading */
	struct facts_value ret; /* what the function returns */
	struct facts_value args[KSTATS_WHY_ARGS]; /* its first arguments */
	char *reason; /* owned; why the first of @ways comes first */
	char *if_type; /* owned; types of the parts of the condition, in words; NULL: none */
	char *value_type; /* owned; type of the value, in words; NULL: the sample is the duration */
	unsigned int n_ways; /* at least 1 */
	struct plan_way ways[PLAN_WAYS_MAX]; /* best first */
};

/** struct plan_node - a distribution that will be recorded */
struct plan_node {
	char *name; /* owned */
	char *what; /* owned; "entry to return of vfs_read" */
	enum snapshot_kind kind; /* see enum snapshot_kind */
	uint32_t owner; /* node whose ledger accounts for it */
};

/** struct plan_refusal - why callees are not traced */
struct plan_refusal {
	const char *why; /* in words; not owned */
	uint32_t n; /* callees */
};

/** struct plan - everything that will be done to the kernel */
struct plan {
	const struct spec *spec; /* what was asked for; not owned */
	const struct facts *facts; /* what the kernel offers; not owned */
	bool is_pair; /* start and end are different points */
	bool is_several; /* a pair with a probe for each of its points; all have one node */
	unsigned int n_kept; /* values of a start that are kept for its end */
	unsigned int n_vias; /* points on the way, whose times are kept too */
	bool has_user; /* a point is in a program */
	bool breaks; /* a probe at the return of a function may break the program, by --throws */
	enum facts_session session; /* which form of the session kfuncs this kernel has */
	uint32_t has; /* what this kernel has or does, see plan_has() */
	/* it does not count the kprobe programs that it skips, so our programs count their runs, to
	 * be subtracted from its hits */
	bool counts_runs;
	bool reads_hits; /* the hits of kprobes, or hits inside another kprobe, are needed */
	/* it does not, so calls of bpf(2) are watched to tell what may be skipped */
	bool watch_bpf_calls;
	bool preempts; /* this kernel preempts tasks inside BPF tracing programs */
	bool tp_preempts; /* also at tracepoints, except with PLAN_TRACE_EVENT */
	char *preempts_why; /* owned; where @preempts is known from */
	/*
	 * an end may find a start that cannot be verified; each distribution then has a second one
	 * for unverified samples
	 */
	bool may_doubt;
	bool kmod; /* the kernel module holds the slots, if it can be used */
	bool map; /* the map holds the slots, if the module is not used */
	/* owned; why the module is not used; "" if it is, or if the map was asked for */
	char *backend_reason;
	unsigned int n_cpus; /* possible CPUs */
	uint32_t n_returns; /* kretprobes that there may be */
	uint32_t return_calls; /* open calls that each of them remembers, where tracefs is used */
	/* in the map, slots come in blocks, so many in the pool of each CPU; 0: all are there */
	uint32_t blocks_of_cpu;
	uint64_t slot_bytes; /* kernel memory of the slots, if they are in the map */
	uint64_t slot_bytes_all; /* the same with all slots of every distribution there */
	struct plan_quick quick; /* what is left of the condition is code of its own */
	struct plan_by by; /* distributions that are made while it runs */
	uint32_t n_nodes; /* number of @nodes */
	struct plan_node *nodes; /* distributions, without those of keys */
	/* the first node for unverified samples, one for each owner; 0: none */
	uint32_t unverified_at;
	uint32_t parts_at; /* the first node for parts, KSTATS_PARTS_N of each owner; 0: none */
	/* the first node for stages, of which there is one more than @n_vias; 0: none */
	uint32_t via_at;
	/* the first node for callees, of which there are two more than @n_callees; 0: none */
	uint32_t callees_at;
	uint32_t n_callees; /* number of @callees */
	struct plan_way *callees; /* owned; functions that are hooked within calls only */
	char *untraced; /* owned; callees that are not, in words; "" if there are none */
	size_t n_refusals; /* number of @refusals */
	struct plan_refusal *refusals; /* owned; why callees are not traced, each reason once */
	uint32_t n_probes; /* number of @probes */
	struct plan_probe *probes; /* what is hooked */
	size_t n_calls; /* functions that are hooked at entry and return */
	size_t n_skipped; /* functions that matched a glob but cannot be traced */
};

/** plan_has() - whether the kernel of a plan has or does something */
static inline bool plan_has(const struct plan *plan, enum facts_has what)
{
	return plan->has >> what & 1;
}

/**
 * plan_make() - decide what to hook
 * @plan: filled in; freed with plan_free() also after an error
 * @spec: what is asked for; must outlive the plan
 *
 * Return: 0, -ENOENT, -ENOTUNIQ, -EINVAL, -EOPNOTSUPP, -E2BIG or -ENOMEM.
 */
int plan_make(struct plan *plan, const struct spec *spec, struct facts *facts, struct error *e);

/** plan_need_ftrace() - refuse if ftrace is switched off; @facts: NULL for the running kernel */
int plan_need_ftrace(const struct facts *facts, struct error *e);

/**
 * plan_first_method() - name of the method tried first for a function, or NULL if there is none
 * @refused: methods that are known not to load, a bit each by enum spec_method
 */
const char *plan_first_method(const struct facts *facts, const struct facts_function *fn,
			      unsigned int refused);

/** plan_check_direct() - check that a stub can measure a function, with the module kstats */
int plan_check_direct(const struct facts_function *fn, struct error *e);

/**
 * plan_may_skip() - whether the kernel skips calls because tasks are preempted
 * @plan: has its session and preempts
 * @type: how a point is observed
 *
 * Calls skipped in interrupts are another matter, which every method has.
 */
bool plan_may_skip(const struct plan *plan, enum plan_hook_type type);

/** plan_way_risk() - what a way may lose on this kernel: half a sentence, or NULL */
const char *plan_way_risk(const struct plan *plan, const struct plan_way *way);

/**
 * plan_preemption() - say whether the kernel preempts inside programs, and the effect
 * @why: how that is known
 */
const char *plan_preemption(bool preempts, const char *why, enum facts_session session, char *buf,
			    size_t size);

/**
 * plan_return_calls() - open calls that each of @n_functions kretprobes remembers
 * @n_cpus: possible CPUs
 *
 * At most 4,095; fewer if all would take more than 64 MiB, but at least 63 and two for each CPU.
 */
uint32_t plan_return_calls(uint32_t n_functions, unsigned int n_cpus);

/** plan_return_bytes() - bytes of kernel memory that a kretprobe takes for them */
uint64_t plan_return_bytes(uint32_t calls, unsigned int n_cpus);

/** plan_tracepoint_method() - label of the method tried first for a tracepoint of a pair */
const char *plan_tracepoint_method(struct facts *facts, const char *name);

/** plan_by_free() - release; @by may be zero-filled */
void plan_by_free(struct plan_by *by);

/** plan_free() - release; @plan may be zero-filled */
void plan_free(struct plan *plan);

/** plan_places_free() - release what they own */
void plan_places_free(struct plan_places *p);

/** plan_print() - the plan in words, for --dry-run */
void plan_print(const struct plan *plan, FILE *out);

#define PLAN_MARKERS "markers in programs" /* what is measured with m:NAME, in words */
#define PLAN_PAIRING 512 /* room for what plan_pairing() says */

/** plan_pairing() - how ends find their starts, in words */
const char *plan_pairing(const struct spec *spec, char *buf, size_t size);

/**
 * plan_filters() - which tasks and calls are measured, in words
 *
 * Return: allocated text, "" without filters; NULL when out of memory.
 */
char *plan_filters(const struct spec *spec);

/** plan_leaves_out() - whether the filters of plan_filters() leave tasks out, not only calls */
bool plan_leaves_out(const char *filters);

/** plan_is_session() - whether one program sees entry and return, with a cookie for each call */
static inline bool plan_is_session(enum plan_hook_type type)
{
	return plan_types[type].is_session;
}

/** plan_is_point() - whether values are recorded at one point, so that no end has a start */
static inline bool plan_is_point(const struct plan *plan)
{
	return plan->spec->pairing == KSTATS_BY_POINT;
}

/**
 * plan_shares_link() - whether a way hooks its function by one link with others
 *
 * Either all of that type, or those in the same file: see plan_with().
 */
bool plan_shares_link(const struct plan *plan, const struct plan_way *way);

/** plan_with() - whether two ways for which plan_shares_link() holds have the same link */
bool plan_with(const struct plan_way *a, const struct plan_way *b);

/** plan_has_end() - whether another program than that of the start sees the end */
static inline bool plan_has_end(const struct plan *plan, const struct plan_way *way)
{
	return !plan_is_session(way->start.type) && !plan_is_point(plan) &&
	       way->end.type != PLAN_NO_HOOK;
}

/** plan_has_start() - whether a program sees the start */
static inline bool plan_has_start(const struct plan_way *way)
{
	return way->start.type != PLAN_NO_HOOK;
}

/** plan_one_node() - whether all probes have the same node */
static inline bool plan_one_node(const struct plan *plan)
{
	return plan->spec->merge || plan->is_several;
}

/** plan_keeps_start() - whether each call keeps its own start, so that no stamp is needed */
static inline bool plan_keeps_start(enum plan_hook_type type)
{
	return plan_is_session(type) || type == PLAN_DIRECT;
}

/** plan_is_kprobe() - whether the kernel skips it inside any other program of that kind */
static inline bool plan_is_kprobe(enum plan_hook_type type)
{
	return plan_types[type].is_kprobe;
}

/** plan_all_nodes() - number of nodes, with those that keys may get */
static inline uint32_t plan_all_nodes(const struct plan *plan)
{
	return plan->n_nodes + plan->by.most;
}

/** plan_is_user() - whether a point is in a program */
static inline bool plan_is_user(enum plan_hook_type type)
{
	return plan_types[type].is_user;
}

/** plan_is_for_user() - whether a method is for points in programs only */
static inline bool plan_is_for_user(enum spec_method method)
{
	return method == SPEC_METHOD_UPROBE_SESSION || method == SPEC_METHOD_UPROBE_MULTI ||
	       method == SPEC_METHOD_UPROBE;
}

/** plan_stride() - number of nodes of a function or pair, without the unverified one */
uint32_t plan_stride(const struct plan *plan);

/** plan_is_for_tracepoints() - whether a method is for tracepoints only */
static inline bool plan_is_for_tracepoints(enum spec_method method)
{
	return method == SPEC_METHOD_TP_BTF || method == SPEC_METHOD_TRACE_EVENT;
}

/** plan_is_tracepoint() - whether a point is a tracepoint */
static inline bool plan_is_tracepoint(enum plan_hook_type type)
{
	return plan_types[type].is_tracepoint;
}

#endif /* KSTATS_PLAN_H */
