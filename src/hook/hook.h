/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hook.h - one program copied from a template, and attached to one point. In: a template and a
 * plan_hook. Out: file descriptors. Called by session.
 */
#ifndef KSTATS_HOOK_H
#define KSTATS_HOOK_H

#include <bpf/libbpf.h>

#include "hook/rows.h"
#include "plan/plan.h"

/** struct hook_place - a further place of an uprobe; -1 each if there is none */
struct hook_place {
	int link_fd; /* its link */
	int perf_fd; /* its perf event */
};

/** struct hook - a loaded and attached copy of a template; all -1 if there is none */
struct hook {
	int prog_fd; /* the program */
	int link_fd; /* its link */
	int perf_fd; /* the perf event of a kprobe, an uprobe or a trace event */
	int file_fd; /* the file that places in a program were found in, for who lists probes */
	struct hook_place *more; /* owned; or NULL */
	unsigned int n_more; /* number of @more */
	char event[32]; /* of returns_open(); "" if there is none */
	/* -errno of returns_open(), if the kretprobe has room for few calls therefore; else 0 */
	int event_err;
};

#define HOOK_KPROBE_SESSION 56 /* BPF_TRACE_KPROBE_SESSION, newer than many headers */
#define HOOK_FSESSION 58 /* BPF_TRACE_FSESSION, the same */

#define HOOK_UPROBE_MULTI 48 /* BPF_TRACE_UPROBE_MULTI, the same */
#define HOOK_UPROBE_SESSION 57 /* BPF_TRACE_UPROBE_SESSION, the same */

#define HOOK_NONE ((struct hook){ -1, -1, -1, -1, NULL, 0, "", 0 })

/**
 * struct hook_funcs - which functions of a program are global
 *
 * The verifier goes once through a global function, and at each call through a static one.
 */
struct hook_funcs {
	const void *info; /* records of the kernel, in which BTF describes each function */
	uint32_t n; /* their number */
	uint32_t size; /* bytes of one */
	int btf; /* descriptor of that BTF */
};

/** struct hook_template - a program whose copies are hooked */
struct hook_template {
	const struct bpf_insn *insns; /* its instructions, as libbpf has relocated them */
	size_t n; /* their number */
	struct hook_funcs funcs; /* its functions */
	struct bpf_map *settings; /* its constants, as loaded */
	int module_btf; /* descriptor of the BTF of the module whose kfuncs it calls, or 0 */
	uint32_t guard; /* index of the hook's struct kstats_guard */
	bool trims; /* copies are trimmed: see trim.h */
};

/**
 * hook_module_btf() - open the BTF of a module, which needs CAP_SYS_ADMIN
 *
 * Return: descriptor, closed by the caller, or -errno.
 */
int hook_module_btf(const char *module);

/**
 * hook_copy() - copy a template, fill in the hook word, and load it
 * @why: receives half a sentence on failure
 *
 * Return: descriptor of the program, or -errno.
 */
int hook_copy(const struct plan_hook *plan, const struct hook_template *template, char *why,
	      size_t size);

/**
 * hook_empty() - load a program for fentry of a function that does nothing
 * @why: receives half a sentence on failure
 *
 * Return: descriptor of the program, closed by the caller, or -errno.
 */
int hook_empty(const struct plan_hook *plan, char *why, size_t size);

/**
 * hook_open() - copy, load and attach
 * @h: filled in; unchanged after an error
 * @why: receives half a sentence on failure
 */
int hook_open(struct hook *h, const struct plan_hook *plan, const struct hook_template *template,
	      char *why, size_t size);

/**
 * hook_attach() - attach a loaded program
 * @h: has its program; link and perf event are filled in
 * @why: receives half a sentence on failure
 *
 * Return: 0, or -errno with nothing but the program in @h.
 */
int hook_attach(struct hook *h, const struct plan_hook *plan, char *why, size_t size);

/**
 * hook_perf_kprobe() - a kprobe or kretprobe as a perf event, which ends when it is closed
 *
 * Return: file descriptor, or -errno; -ENOENT if the kernel has no kprobes.
 */
int hook_perf_kprobe(const struct plan_hook *plan);

/**
 * hook_perf_event() - the trace event of a tracepoint as a perf event
 *
 * Return: file descriptor, or -errno, also from facts_event_id().
 */
int hook_perf_event(const struct plan_hook *plan);

/**
 * hook_read_number() - read a number from a file of the kernel
 * @format: for scanf(), with one int
 *
 * Return: the number, or -errno.
 */
int hook_read_number(const char *path, const char *format);

struct perf_event_attr;

/**
 * hook_uprobe_event() - open a perf event of a place in a program
 * @attr: all but its type
 * @pid: process; 0: this one; -1: all
 *
 * Return: descriptor, or -errno.
 */
int hook_uprobe_event(struct perf_event_attr *attr, int pid);

/** hook_attach_user() - attach a loaded program to its places in a program; as hook_attach() */
int hook_attach_user(struct hook *h, const struct plan_hook *plan, char *why, size_t size);

/*
 * The messages and statistics of the verifier, without each instruction. Instructions would
 * fill any buffer, and before 6.4 the end of the log, with the reason, is then lost.
 */
#define HOOK_LOG_LEVEL 4

/**
 * hook_verifier_words() - say why a program was refused
 * @log: log of the verifier; is cut into lines
 * @why: receives its last message; without one, that it gave none, or the text of @err
 * @err: negative errno of the load
 *
 * With --verbose, when libbpf may print, the whole log is printed too.
 */
void hook_verifier_words(char *log, char *why, size_t size, int err);

/** hook_detach() - detach, and keep the program for hook_attach(); @h may be HOOK_NONE */
void hook_detach(struct hook *h);

/** hook_close() - detach and unload; @h may be HOOK_NONE */
void hook_close(struct hook *h);

/**
 * hook_open_many() - attach one program to many functions by one link
 * @h: filled in; unchanged after an error
 * @hooks: @n hooks for which plan_with() holds, at least 1
 * @why: receives half a sentence on failure
 *
 * Return: 0 or -errno. If the kernel refuses one function, none is hooked.
 */
int hook_open_many(struct hook *h, const struct plan_hook *const *hooks, uint32_t n,
		   const struct hook_template *template, char *why, size_t size);

/**
 * hook_link_session() - attach a session program to @n functions, at least 1
 * @prog_fd: program, loaded with HOOK_KPROBE_SESSION as its attach type
 *
 * Return: descriptor of the link, or -errno.
 */
int hook_link_session(int prog_fd, const struct plan_hook *const *hooks, uint32_t n);

/**
 * hook_link_user() - the same of functions in one file, by a type with one link for many
 * @why: receives half a sentence on failure
 */
int hook_link_user(int prog_fd, const struct plan_hook *const *hooks, uint32_t n, char *why,
		   size_t size);

/** hook_link_many() - the one of both that these hooks need; @why: receives half a sentence */
int hook_link_many(int prog_fd, const struct plan_hook *const *hooks, uint32_t n, char *why,
		   size_t size);

/** struct hook_skips - what the kernel skipped, by its own counters */
struct hook_skips {
	/* the program, or for some types of hooks another one, was running on that CPU already */
	uint64_t runs;
	/* the kprobe was hit inside another, or there was no room to remember the call */
	uint64_t hits;
};

/** hook_skips() - read the counters since the program was loaded; @h: has its program and link */
struct hook_skips hook_skips(const struct hook *h);

/**
 * hook_skipped() - sum of both counters of hook_skips()
 * @h: has its program and link
 *
 * Kernels before 6.7 do not count kprobe programs here, see hook_hits(). For a program that sees
 * entry and return, both are counted.
 */
uint64_t hook_skipped(const struct hook *h);

/**
 * hook_hits_read() - read those skips of all kprobes that no program's own count has
 * @hits: replaced; freed with rows_free()
 * @link_fd: link of the program link_hits; if negative, no row is read
 */
int hook_hits_read(struct rows *hits, int link_fd);

/**
 * hook_hits_least() - take the smaller count of two readings, for each kprobe
 * @hits: rows; changed
 * @later: rows that were read after all programs of the first reading had ended
 *
 * A program that is about to run looks like a skipped one. It has run by the second reading.
 */
void hook_hits_least(struct rows *hits, const struct rows *later);

/**
 * hook_hits() - the skips of one kprobe, of which only differences while it is attached count
 * @probe: number of its probe
 * @end: its end, else its start
 */
struct hook_skips hook_hits(const struct rows *hits, uint32_t probe, bool end);

#endif /* KSTATS_HOOK_H */
