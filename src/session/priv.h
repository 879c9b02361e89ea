/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of this folder share. */
#ifndef KSTATS_SESSION_PRIV_H
#define KSTATS_SESSION_PRIV_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "hook/hook.h"
#include "kstats.skel.h"
#include "session/session.h"
#include "store/store.h"
#include "util/clock.h"

/** struct session_skips - what the kernel had skipped of a pair of programs at a moment */
struct session_skips {
	struct hook_skips start; /* of the start program, or of the only one */
	struct hook_skips end; /* of the end program */
};

/** struct session_many - one program on many functions */
struct session_many {
	struct hook hook; /* it */
	uint32_t n; /* how many */
	struct session_skips begin; /* what was skipped before session_start() */
	struct session_skips stop; /* the same at session_stop() */
	uint64_t told; /* calls that a snapshot has told as skipped */
};

/** struct session_probe - a probe as it was attached */
struct session_probe {
	int way; /* index of its way, or -1: left out */
	unsigned int next; /* index of the way that is tried next */
	int many; /* index of the program it shares with others, or -1 */
	char why[320]; /* why not an earlier way, or why it is left out; "" for the first */
	struct hook start; /* its start */
	struct hook end; /* its end */
	struct session_skips begin; /* what was skipped before session_start() */
	struct session_skips stop; /* the same at session_stop() */
	uint64_t told; /* calls that a snapshot has told as skipped, of its node */
};

/** struct session_code - a template: relocated, and not loaded */
struct session_code {
	const struct bpf_program *prog; /* whose */
	const struct bpf_insn *insns; /* its instructions, as libbpf has relocated them */
	size_t n; /* their number */
};

#define SESSION_TEMPLATES 16
#define SESSION_HANDLERS 6
#define SESSION_HELPERS_MAX 8

struct session {
	const struct plan *plan;
	struct kstats_bpf *skel;
	bool kmod; /* the slots are in the module */
	int handlers[SESSION_HANDLERS];
	struct session_code codes[SESSION_TEMPLATES];
	unsigned int n_codes;
	struct bpf_link *helpers[SESSION_HELPERS_MAX]; /* by session_helpers */
	struct bpf_link *hits_link; /* of link_hits; NULL where nobody needs it */
	struct rows hits; /* what it wrote last */
	int hits_err; /* why it did not */
	struct session_probe *probes;
	struct store store;
	int module_btf; /* of the kernel module, 0 with the map backend */
	char backend_reason[320]; /* why not the module, where it was tried */
	unsigned int loaded; /* kinds of hooks of which a copy was loaded, as bits */
	unsigned int asked; /* kinds of which the kernel was asked for its reason, as bits */
	char refused[PLAN_HOOK_TYPES][320]; /* kinds of which it loads no program: why */
	uint32_t n_many;
	struct session_many *many;
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
 * @s: session with its plan
 * @kmod: the slots go into the module
 *
 * Return: 0 or -errno, with nothing loaded.
 */
int session_load(struct session *s, bool kmod, struct error *e);

/** session_unload() - what session_load() made; @s: session, without hooks */
void session_unload(struct session *s);

/**
 * session_keep_begin() - from now on keep the instructions of templates, and load none
 * @s: session; its codes are filled in when the object is loaded
 *
 * Return: 0 or -errno. Ended by session_keep_end() in any case.
 */
int session_keep_begin(struct session *s);

/** session_keep_end() - load programs of those sections again */
void session_keep_end(struct session *s);

/**
 * session_code() - a template's instructions
 * @s: loaded session
 * @type: kind of hook
 * @end: for an end, else for a start
 *
 * Return: its insns are NULL where the object for this kernel has no such template.
 */
struct session_code session_code(const struct session *s, enum plan_hook_type type, bool end);

/**
 * session_settings() - fill in the constants and size the maps
 * @skel: opened, not loaded
 * @kmod: the slots go into the module
 */
int session_settings(struct kstats_bpf *skel, const struct plan *plan, bool kmod, struct error *e);

/**
 * session_tell_task() - a task as the kernel knows it
 * @skel: loaded, with the program tell_task
 * @number: of the task, in our own PID namespace
 * @task: receives it
 *
 * Return: 0, -ESRCH where there is none, or -errno.
 */
int session_tell_task(const struct kstats_bpf *skel, pid_t number, struct kstats_task *task);

/**
 * session_translate() - process and thread numbers of our own PID namespace as
 *	programs see them: in the initial one
 * @who: whose numbers are replaced where the namespace is another
 * @e: why they cannot be
 */
int session_translate(struct spec_who *who, struct error *e);

/**
 * session_cgroup() - a group as programs see it
 * @path: its folder
 * @cgroup: receives id and level
 * @e: why it cannot be used
 */
int session_cgroup(const char *path, struct kstats_cgroup *cgroup, struct error *e);

/**
 * session_needs_calls() - does a plan need the kernel's calls for session programs
 *
 * Return: true where one of its ways is by such a program.
 */
bool session_needs_calls(const struct plan *plan);

/**
 * session_want() - choose the programs of the skeleton that the plan needs
 * @s: session with an opened skeleton
 */
void session_want(struct session *s);

/**
 * session_hook() - hook every probe by the first of its ways that works
 * @s: loaded session
 * @e: why nothing could be hooked
 */
int session_hook(struct session *s, struct error *e);

/**
 * session_lacks_module() - was a probe left out because its programs call the module
 * @s: session with the module, after session_hook()
 * @why: receives half a sentence
 *
 * Kernels before 6.10 load no program of a kprobe that calls a module.
 *
 * Return: true when the map may do what the module does not.
 */
bool session_lacks_module(struct session *s, char *why, size_t size);

/**
 * session_guard_of() - the guard of a program on many functions
 * @many: index of the program
 *
 * Return: its place; that of a probe's own programs is the probe's index.
 */
static inline uint32_t session_guard_of(const struct session *s, uint32_t many)
{
	return s->plan->n_probes + many;
}

/**
 * session_guard() - tell the programs where the kernel counts what it skips of them
 * @s: session after session_hook()
 */
int session_guard(struct session *s, struct error *e);

/**
 * session_hits() - make ready to count the kprobes that the kernel skips without counting it
 * @s: session after session_hook()
 */
int session_hits(struct session *s, struct error *e);

/**
 * session_skips_read() - what the kernel has skipped by now
 * @stop: at its stop, else at its start
 */
void session_skips_read(struct session *s, bool stop);

/**
 * session_skips_tell() - put the calls that the kernel skipped into the ledgers
 * @snap: snapshot with all other counters
 *
 * Return: 0, or -errno where they could not be read, now or at the start.
 */
int session_skips_tell(struct session *s, struct snapshot *snap);

/** session_unhook() - take every hook away, and the programs */
void session_unhook(struct session *s);

/**
 * session_keeps_stamps() - are there stamps in tasks
 * @s: attached session
 *
 * Return: true unless the kernel keeps the start of every call with it.
 */
bool session_keeps_stamps(const struct session *s);

#endif /* KSTATS_SESSION_PRIV_H */
