/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of this folder share. */
#ifndef KSTATS_SESSION_PRIV_H
#define KSTATS_SESSION_PRIV_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "hook/hook.h"
#include "kstats_callees.h"
#include "kstats_calls.h"
#include "kstats_why.h"
#include "kstats.skel.h"
#include "session/deep.h"
#include "session/session.h"
#include "store/store.h"
#include "util/clock.h"

/** struct session_skips - what the kernel has skipped of a pair of programs up to some time */
struct session_skips {
	struct hook_skips start; /* of the start program, or of the only one */
	struct hook_skips end; /* of the end program */
};

/** struct session_many - one program on many functions, or one at entries and one at returns */
struct session_many {
	struct hook hook; /* the program, or that of the entries */
	struct hook end; /* that of the returns */
	uint32_t n; /* number of functions */
	struct session_skips begin; /* what was skipped before session_start() */
	struct session_skips stop; /* the same at session_stop() */
	uint64_t told; /* skipped calls that a snapshot has already counted */
};

/** struct session_calls - the kfuncs that programs call */
struct session_calls {
	const struct facts_types *types; /* of the kernel proper; not owned */
	uint32_t ids[KSTATS_CALLS]; /* their numbers, once they are needed; 0: not known */
	bool has_module; /* those of the module have been looked up */
};

/** struct session_probe - a probe as it was attached */
struct session_probe {
	int way; /* index of its way, or -1 if it is left out */
	unsigned int next; /* index of the way that is tried next */
	uint64_t direct; /* address of the function, if a stub of the module measures it; else 0 */
	int many; /* index of the program it shares with others, or -1 */
	char why[320]; /* why it has no earlier way, or is left out; "" for the first way */
	struct hook start;
	struct hook end;
	struct session_skips begin; /* what was skipped before session_start() */
	struct session_skips stop; /* the same at session_stop() */
	uint64_t told; /* skipped calls that a snapshot has already counted for its node */
};

/** struct session_callee - a callee as it was attached */
struct session_callee {
	char why[320]; /* why it is left out; "" if it is not */
	struct hook start;
	struct hook end;
};

/** struct session_code - a template, relocated but not loaded */
struct session_code {
	const struct bpf_program *prog; /* the template */
	struct bpf_insn *insns; /* its instructions, as libbpf has relocated them */
	size_t n; /* their number */
	struct hook_funcs funcs; /* its functions */
};

#define SESSION_TEMPLATES 16
#define SESSION_HANDLERS 6
#define SESSION_HELPERS_MAX 8
#define SESSION_PARTS_MAX 32

struct session {
	const struct plan *plan;
	int module_uses; /* before it used the module; -1: it was not there */
	struct kstats_bpf *skel;
	bool kmod; /* the slots are in the module */
	int handlers[SESSION_HANDLERS];
	struct session_code codes[SESSION_TEMPLATES];
	unsigned int n_codes;
	struct session_calls calls; /* what they call */
	struct bpf_link *helpers[SESSION_HELPERS_MAX]; /* by session_helpers */
	struct bpf_link *parts[SESSION_PARTS_MAX]; /* programs on switches and interrupts */
	struct table why_records; /* single calls that wait to be read; empty without */
	struct table why_counts; /* counts of all calls by thread and processor; the same */
	struct bpf_link *why_waking; /* of the program on wakeups, or NULL */
	struct bpf_link **why_samples; /* owned; by CPU, or NULL */
	int32_t why_budget; /* what programs were given for ordinary calls; 0: what they began with
			     */
	struct bpf_link *hits_link; /* of link_hits; NULL if it is not needed */
	struct rows hits; /* last rows of link_hits */
	int hits_err; /* -errno if they could not be read, else 0 */
	struct rows deep; /* rows of task_depths at session_start() */
	struct session_deep deep_stop; /* what was nested too deep until session_stop() */
	int deep_err; /* -errno if that could not be read, else 0 */
	struct session_deep deep_told; /* of these, what a snapshot has already counted */
	struct session_probe *probes;
	struct facts_address *addresses; /* owned; by probe, where stubs need them; else NULL */
	struct store store;
	struct session_frames *frames; /* owned; NULL if no key has frames */
	int module_btf; /* of the kernel module, 0 with the map backend */
	char backend_reason[320]; /* why the module is not used, if it was tried */
	unsigned int loaded; /* bits of the hook types of which a program was loaded */
	unsigned int asked; /* bits of the hook types of which the reason for refusal was read */
	char refused[PLAN_HOOK_TYPES][320]; /* that reason */
	bool has_callees; /* @callees are hooked, as far as they can be */
	struct session_callee callees[KSTATS_CALLEES_MAX];
	uint32_t n_many;
	struct session_many *many;
	bool returns_cleaned; /* returns_clean() was called */
	bool stopped;
	uint64_t wall_ns;
	uint64_t begin_ns;
	uint64_t end_ns;
};

/** session_helper() - the program of a row of session_helpers */
static inline struct bpf_program *session_helper(const struct session *s, unsigned int i)
{
	return bpf_object__find_program_by_name(s->skel->obj, session_helpers[i].name);
}

/**
 * session_load() - load the maps and the helpers, relocate the templates, make the nodes
 * @kmod: the slots go into the module
 *
 * Return: 0 or -errno, with nothing loaded.
 */
int session_load(struct session *s, bool kmod, struct error *e);

/** session_unload() - undo session_load(); @s: without hooks */
void session_unload(struct session *s);

/**
 * session_keep_begin() - keep the instructions of templates instead of loading them
 * @s: its codes are filled in when the object is loaded
 *
 * Return: 0 or -errno. Ended by session_keep_end() in any case.
 */
int session_keep_begin(struct session *s);

/** session_keep_end() - end session_keep_begin() */
void session_keep_end(struct session *s);

/**
 * session_code() - the instructions of a template
 * @role: of the program
 *
 * Return: instructions; NULL in @insns if the object for this kernel has no such template.
 */
struct session_code session_code(const struct session *s, enum plan_hook_type type,
				 enum plan_role role);

/** session_code_of() - the same; @prog: the template, or NULL */
struct session_code session_code_of(const struct session *s, const struct bpf_program *prog);

/**
 * session_calls() - put the kernel's numbers of kfuncs in place of those of kstats_calls.h
 * @calls: gets those that are looked up
 *
 * Return: 0 or -errno: the types of the module kstats cannot be read.
 */
int session_calls(struct session_calls *calls, struct bpf_insn *insns, size_t n);

/** session_code_free() - free what @code holds */
void session_code_free(struct session_code *code);

/** session_blocks() - the map of blocks; -1 if the slots are in the cells or in the module */
static inline int session_blocks(const struct session *s)
{
	return !s->kmod && s->plan->blocks_of_cpu ? bpf_map__fd(s->skel->maps.blocks) : -1;
}

/** session_settings() - fill in the constants and size the maps; @skel: opened, not loaded */
int session_settings(struct kstats_bpf *skel, const struct plan *plan, bool kmod, struct error *e);

/** session_needs_calls() - whether one of the ways uses a program of the session methods */
bool session_needs_calls(const struct plan *plan);

/** session_want() - choose the programs that the plan needs; @s: its skeleton is open */
void session_want(struct session *s);

/** session_parts_want() - choose the programs that --parts needs; @s: its skeleton is open */
void session_parts_want(struct session *s);

/** session_parts_attach() - attach them; @s: loaded */
int session_parts_attach(struct session *s, struct error *e);

/** session_parts_detach() - detach them */
void session_parts_detach(struct session *s);

/** session_callees_want() - choose the programs on callees; @s: its skeleton is open */
void session_callees_want(struct session *s);

/** session_callees_settings() - what they need to know, and the size of their maps. 0 or -errno */
int session_callees_settings(struct kstats_bpf *skel, const struct plan *plan);

/**
 * session_callees_hook() - load and attach them
 *
 * Of those that were found, some may be refused, which are left out; not of those that were named.
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int session_callees_hook(struct session *s, struct error *e);

/** session_callees_unhook() - detach them */
void session_callees_unhook(struct session *s);

/** session_callee_why() - why the callee of a node is left out; NULL: it is not, or is none */
const char *session_callee_why(const struct session *s, const struct plan_node *node);

/** session_callee_left_out() - a callee that was refused; as session_left_out() */
const char *session_callee_left_out(const struct session *s, unsigned int i, const char **why);

/** session_why_want() - choose the programs that single calls need; @s: its skeleton is open */
void session_why_want(struct session *s);

/** session_why_settings() - fill in their constants and size their maps; after those of parts */
int session_why_settings(struct kstats_bpf *skel, const struct plan *plan);

/** session_why_wait_ns() - which waits are looked at; @threshold_ns: of slow calls */
uint64_t session_why_wait_ns(uint64_t threshold_ns);

/** session_why_attach() - attach them, and map what they write; @s: loaded */
int session_why_attach(struct session *s, struct error *e);

/** session_why_detach() - undo session_why_attach() */
void session_why_detach(struct session *s);

/** session_hook() - hook every probe by the first of its ways that works; @e: if none does */
int session_hook(struct session *s, struct error *e);

/**
 * session_lacks_module() - whether a probe was left out because its programs call the module
 * @s: session with the module, after session_hook()
 * @why: receives half a sentence
 *
 * Kernels before 6.10 load no kprobe program that calls a module. The map backend may work.
 */
bool session_lacks_module(struct session *s, char *why, size_t size);

/**
 * session_guard_of() - index of the guard of a program on many functions
 * @many: index of the program
 *
 * The guard of a probe with programs of its own has the probe's index.
 */
static inline uint32_t session_guard_of(const struct session *s, uint32_t many)
{
	return s->plan->n_probes + many;
}

/** session_guard() - tell the hooked programs where the kernel counts what it skips of them */
int session_guard(struct session *s, struct error *e);

/** session_hits() - prepare to read the hits of kprobes, where plan->reads_hits asks for it */
int session_hits(struct session *s, struct error *e);

/** session_open_plain() - the programs of the map backend, opened for helpers only, or NULL with
 * errno */
struct kstats_bpf *session_open_plain(void);

/** session_counts_deep() - whether calls are counted that are nested deeper than the kernel keeps
 */
bool session_counts_deep(const struct session *s);

/** session_deep_begin() - count them from now on. Return: 0 or -errno */
int session_deep_begin(struct session *s);

/** session_deep_read() - read their number. Return: 0 or -errno */
int session_deep_read(struct session *s, struct session_deep *deep);

/** session_skips_read() - read what the kernel has skipped so far; @stop: else at the start */
void session_skips_read(struct session *s, bool stop);

/**
 * session_skips_tell() - add the calls that the kernel skipped to the ledgers
 * @snap: snapshot with all other counters
 *
 * Return: 0, or -errno if they could not be read, now or at the start.
 */
int session_skips_tell(struct session *s, struct snapshot *snap);

/** session_direct_open() - let a stub of the module measure the function of a probe, stopped */
int session_direct_open(struct session *s, uint32_t probe, char *why, size_t size);

/** session_direct_follow() - measure one process more, or none if it is 0; 0 or -errno */
int session_direct_follow(struct session *s, uint32_t process);

/** session_direct_switch() - let all stubs measure, or let them pass */
void session_direct_switch(struct session *s, bool on);

/** session_direct_detach() - detach all stubs, until session_direct_attach() */
void session_direct_detach(struct session *s);

/** session_direct_attach() - attach them again; @why: receives half a sentence on failure */
int session_direct_attach(struct session *s, char *why, size_t size);

/** session_direct_tell() - add the calls that the stubs have counted to the ledgers; 0 or -errno */
int session_direct_tell(struct session *s, struct snapshot *snap);

/** session_unhook() - detach all hooks and unload their programs */
void session_unhook(struct session *s);

/** session_keeps_stamps() - whether tasks hold stamps of open calls; not with session cookies */
bool session_keeps_stamps(const struct session *s);

#endif /* KSTATS_SESSION_PRIV_H */
