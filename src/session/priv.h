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

/**
 * enum session_class - kinds of programs that a kernel lets in or not, as bits
 *
 * Programs of type tp_btf are in none: they are always let in, or nothing is.
 */
enum session_class {
	SESSION_FENTRY = 1 << 0,
	SESSION_KPROBE = 1 << 1,
	SESSION_FSESSION = 1 << 2,
	SESSION_KPROBE_SESSION = 1 << 3,
	SESSION_TRACE_EVENT = 1 << 4,
	SESSION_CLASSES = 5,
};

/**
 * struct session_skips - what the kernel had skipped of a pair of programs at a moment
 * @start: of the start program, or of the only one
 * @end: of the end program
 */
struct session_skips {
	struct hook_skips start;
	struct hook_skips end;
};

/**
 * struct session_many - one program on many functions
 * @hook: it
 * @n: how many
 * @begin: what was skipped before session_start()
 * @stop: the same at session_stop()
 * @told: calls that a snapshot has told as skipped
 */
struct session_many {
	struct hook hook;
	uint32_t n;
	struct session_skips begin;
	struct session_skips stop;
	uint64_t told;
};

/**
 * struct session_probe - a probe as it was attached
 * @way: index of its way, or -1: left out
 * @next: index of the way that is tried next
 * @many: index of the program it shares with others, or -1
 * @why: why not an earlier way, or why it is left out; "" for the first
 * @start: its start
 * @end: its end
 * @begin: what was skipped before session_start()
 * @stop: the same at session_stop()
 * @told: calls that a snapshot has told as skipped, of its node
 */
struct session_probe {
	int way;
	unsigned int next;
	int many;
	char why[320];
	struct hook start;
	struct hook end;
	struct session_skips begin;
	struct session_skips stop;
	uint64_t told;
};

/**
 * struct session_code - a template that was not shown to the kernel
 * @prog: whose
 * @insns: its instructions, as libbpf has relocated them
 * @n: their number
 */
struct session_code {
	const struct bpf_program *prog;
	const struct bpf_insn *insns;
	size_t n;
};

#define SESSION_TEMPLATES 16
#define SESSION_HANDLERS 6

struct session {
	const struct plan *plan;
	struct kstats_bpf *skel;
	bool untried; /* the templates are in @codes, and were not loaded */
	unsigned int proved; /* classes of which a copy was let in; bit SESSION_CLASSES: of none */
	unsigned int doubted; /* classes of which one was refused */
	int handlers[SESSION_HANDLERS];
	struct session_code codes[SESSION_TEMPLATES];
	unsigned int n_codes;
	struct bpf_link *on_exit;
	struct bpf_link *on_free;
	struct bpf_link *on_birth;
	struct bpf_link *on_bpf_begin;
	struct bpf_link *on_bpf_end;
	struct session_probe *probes;
	struct store store;
	int module_btf; /* of the kernel module, 0 with the map backend */
	char backend_reason[320]; /* why not the module, where it was tried */
	unsigned int classes; /* whose templates are loaded */
	char refused[SESSION_CLASSES][320]; /* why not, by the number of the bit */
	uint32_t n_many;
	struct session_many *many;
	bool stopped;
	uint64_t wall_ns;
	uint64_t begin_ns;
	uint64_t end_ns;
};

/**
 * session_load() - load the maps, the templates and the helpers' programs, and
 * make the nodes
 * @s: session with its plan
 * @e: why not
 *
 * Return: 0 or -errno.
 */
int session_load(struct session *s, struct error *e);

/**
 * session_load_untried() - the same, without showing a template to the kernel
 * @s: session with its plan
 *
 * The verifier takes longest of all, and the copies go through it anyway. But only
 * session_load() finds out what to do without where something is refused.
 *
 * Return: 0 or -errno, with nothing loaded: then nothing is known either.
 */
int session_load_untried(struct session *s);

/**
 * session_unload() - what session_load() made
 * @s: session, without hooks
 */
void session_unload(struct session *s);

/**
 * session_doubts() - was a class refused of which nothing was let in
 * @s: session after session_hook(), loaded untried
 *
 * Return: true when session_load() may come to something else.
 */
bool session_doubts(const struct session *s);

/**
 * session_keep_codes() - from now on, load nothing in place of a template
 * @s: session; its codes are filled in as they would be loaded
 *
 * Return: 0 or -errno. Ended by session_keep_end(), before anything else is loaded.
 */
int session_keep_codes(struct session *s);

/**
 * session_keep_end() - load templates again
 * @s: session
 */
void session_keep_end(struct session *s);

/**
 * session_code() - a template's instructions
 * @s: loaded session
 * @type: kind of hook
 * @end: for an end, else for a start
 *
 * Return: prog and insns are NULL where there is no such template.
 */
struct session_code session_code(const struct session *s, enum plan_hook_type type, bool end);

/**
 * session_settings() - fill in the constants and size the maps
 * @skel: opened, not loaded
 * @plan: plan
 * @kmod: the slots go into the module
 * @e: why not
 *
 * Return: 0 or -errno.
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
 *
 * Return: 0 or -errno.
 */
int session_translate(struct spec_who *who, struct error *e);

/**
 * session_cgroup() - a group as programs see it
 * @path: its folder
 * @cgroup: receives id and level
 * @e: why it cannot be used
 *
 * Return: 0 or -errno.
 */
int session_cgroup(const char *path, struct kstats_cgroup *cgroup, struct error *e);

/**
 * session_template() - the loaded template for one kind of hook
 * @s: session
 * @type: kind of hook
 * @end: for an end, else for a start
 *
 * Return: a program of the skeleton, or NULL where its object has none.
 */
struct bpf_program *session_template(const struct session *s, enum plan_hook_type type, bool end);

/**
 * session_classes() - the kinds of programs that a way needs
 * @way: way
 *
 * Return: bits of enum session_class.
 */
unsigned int session_classes(const struct plan_way *way);

/**
 * session_want() - what of the skeleton is to be loaded
 * @s: session with its classes and an opened skeleton
 *
 * Return: 0 or -errno.
 */
int session_want(struct session *s);

/**
 * session_hook() - hook every probe by the first of its ways that works
 * @s: loaded session
 * @e: why nothing could be hooked
 *
 * Return: 0 or -errno.
 */
int session_hook(struct session *s, struct error *e);

/**
 * session_guard_of() - the guard of a program on many functions
 * @s: session
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
 * @e: why not
 *
 * Return: 0 or -errno.
 */
int session_guard(struct session *s, struct error *e);

/**
 * session_skips_read() - what the kernel has skipped by now
 * @s: session
 * @stop: at its stop, else at its start
 */
void session_skips_read(struct session *s, bool stop);

/**
 * session_skips_tell() - put the calls that the kernel skipped into the ledgers
 * @s: session
 * @snap: snapshot with all other counters
 */
void session_skips_tell(struct session *s, struct snapshot *snap);

/**
 * session_unhook() - take every hook away, and the programs
 * @s: session
 */
void session_unhook(struct session *s);

/**
 * session_keeps_stamps() - are there stamps in tasks
 * @s: attached session
 *
 * Return: true unless the kernel keeps the start of every call with it.
 */
bool session_keeps_stamps(const struct session *s);

#endif /* KSTATS_SESSION_PRIV_H */
