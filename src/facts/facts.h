/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * facts.h - what this kernel offers, read once and then only asked.
 * In: a root folder (normally "/") with sys/kernel/btf, proc/kallsyms,
 * sys/kernel/tracing. Out: functions, tracepoints and why not. Loads nothing
 * into the kernel and needs no root, though root sees more.
 * Called by plan and by the list, doctor and complete commands.
 */
#ifndef KSTATS_FACTS_H
#define KSTATS_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

#define FACTS_ARGS_MAX 12

struct facts;

/** enum facts_type - the kind of a return value or an argument */
enum facts_type {
	FACTS_UNKNOWN, /* no BTF */
	FACTS_VOID,
	FACTS_SIGNED,
	FACTS_UNSIGNED,
	FACTS_BOOL,
	FACTS_POINTER,
	FACTS_OTHER, /* struct, union, float */
};

/**
 * struct facts_value - a return value or an argument
 * @type: its kind
 * @bytes: its size, 0 for void and unknown
 */
struct facts_value {
	enum facts_type type;
	uint8_t bytes;
};

/**
 * struct facts_function - a function of this kernel
 * @module: owned by facts; "" for the kernel proper
 * @name: owned by facts
 * @btf_id: id of its FUNC in the BTF of its module, 0 when it has none
 * @seen_by_ftrace: 1 its entry can be hooked, 0 it cannot (notrace, inlined
 *	or placed in a section that ftrace leaves alone), -1 not known (needs root)
 * @kprobe_ok: 1 kprobes accept it, 0 on the kernel's list of forbidden
 *	functions, -1 not known
 * @denied: NULL, or why this program refuses it (used by recording itself,
 *	never returns, part of the BPF entry path): half a sentence
 * @noreturn: it never returns: it can start a pair but not be timed
 * @twin: another module, or the kernel proper, has a function of that name, and
 *	this kernel's trampolines cannot tell them apart
 * @shared: another module, or the kernel proper, has a function of this name too
 * @varargs: its number of arguments varies: no trampoline goes there
 * @ret: return value
 * @n_args: number of arguments that are always there
 * @args: arguments, the first FACTS_ARGS_MAX
 */
struct facts_function {
	const char *module;
	const char *name;
	uint32_t btf_id;
	int seen_by_ftrace;
	int kprobe_ok;
	const char *denied;
	bool noreturn;
	bool twin;
	bool shared;
	bool varargs;
	struct facts_value ret;
	unsigned int n_args;
	struct facts_value args[FACTS_ARGS_MAX];
};

/**
 * struct facts_tracepoint - a tracepoint of this kernel
 * @module: owned by facts; "" for the kernel proper
 * @name: owned by facts; without subsystem
 * @btf_id: id of the typedef btf_trace_NAME in the BTF of its module
 * @n_args: number of arguments (without the hidden first one)
 * @args: arguments
 */
struct facts_tracepoint {
	const char *module;
	const char *name;
	uint32_t btf_id;
	unsigned int n_args;
	struct facts_value args[FACTS_ARGS_MAX];
};

/**
 * facts_open() - read what the kernel under a root folder offers
 * @root: "/" for the running kernel, or a folder of recorded facts
 * @e: why not
 *
 * Return: facts, freed by facts_close(), or NULL (no BTF at all).
 */
struct facts *facts_open(const char *root, struct error *e);

/**
 * facts_has_module() - is a module loaded, with types that programs can use
 * @f: facts
 * @name: module
 *
 * Return: true when its BTF is there.
 */
bool facts_has_module(const struct facts *f, const char *name);

/** enum facts_session - the calls that programs of the session methods make */
enum facts_session {
	FACTS_NO_SESSION,
	FACTS_SESSION_VOID, /* without an argument: kernels from 6.10 on */
	FACTS_SESSION, /* with the context: from 7.0 on, and fsession with them */
};

/**
 * facts_session() - in which form this kernel has those calls
 * @f: facts
 *
 * Return: the form.
 */
enum facts_session facts_session(const struct facts *f);

/**
 * facts_preempts() - does this kernel preempt a task inside a BPF tracing program
 * @f: facts
 *
 * It skips a program that is active on the CPU already. Where a task can be preempted
 * in there, it skips the calls of all tasks that run on that CPU until then.
 *
 * Return: false only where the kernel is known not to.
 */
bool facts_preempts(const struct facts *f);

/**
 * facts_preempts_why() - where the answer of facts_preempts() is from
 * @f: facts
 *
 * Return: part of a sentence: "PREEMPT_RT", "preempt=lazy, as its scheduler says".
 */
const char *facts_preempts_why(const struct facts *f);

/**
 * facts_runs_skipped_return() - where the entry of a call is skipped, is its return run
 * @f: facts
 *
 * Of kprobe sessions, up to 6.13. Of fsession it is always so.
 *
 * Return: true where it is.
 */
bool facts_runs_skipped_return(const struct facts *f);

/**
 * facts_counts_kprobes() - does the kernel count what it skips with kprobes
 * @f: facts
 *
 * Return: true since 6.7.
 */
bool facts_counts_kprobes(const struct facts *f);

/**
 * facts_hooks_bpf_calls() - can programs run where bpf(2) begins and ends
 * @f: facts
 *
 * Return: true where the kernel describes the function behind it.
 */
bool facts_hooks_bpf_calls(const struct facts *f);

/**
 * facts_tp_preempts() - does it preempt a task inside a program on a tracepoint
 * @f: facts
 *
 * Up to 6.12 preemption is off there; from 6.13 on at system calls, and from 7.0 on at
 * every tracepoint, it is only off in the programs of trace events.
 *
 * Return: false only where the kernel is known not to.
 */
bool facts_tp_preempts(const struct facts *f);

/**
 * facts_ftrace_is_off() - is ftrace switched off by sysctl
 * @f: facts; NULL: of the kernel that runs
 *
 * Programs are attached to functions then as ever, by each method, and never run.
 *
 * Return: true when it is known to be.
 */
bool facts_ftrace_is_off(const struct facts *f);

/**
 * facts_close() - release
 * @f: may be NULL
 */
void facts_close(struct facts *f);

/**
 * facts_find_function() - look a function up by its exact name
 * @f: facts
 * @module: module name, or NULL for anywhere (the kernel proper first)
 * @name: function name
 * @out: filled in
 * @e: why not: no such function, module not loaded, inlined, ambiguous between
 *	modules; with the nearest names
 *
 * A function that exists but cannot be traced is found; @out tells why not.
 *
 * Return: 0, -ENOENT, or -ENOTUNIQ.
 */
int facts_find_function(struct facts *f, const char *module, const char *name,
			struct facts_function *out, struct error *e);

/**
 * facts_match_functions() - all functions whose name matches a glob
 * @f: facts
 * @module: module name or glob, or NULL for the kernel proper and all modules
 * @glob: fnmatch() pattern
 * @out: array, sorted by module and name, freed by the caller with free()
 * @n: its length; only functions that can be traced (not denied, not known
 *	to be refused by both fentry and kprobes)
 * @n_skipped: how many matched but cannot be traced
 *
 * Return: 0 or -ENOMEM. No match is 0 with *@n == 0.
 */
int facts_match_functions(struct facts *f, const char *module, const char *glob,
			  struct facts_function **out, size_t *n, size_t *n_skipped);

/**
 * facts_each_function() - every function there is, traceable or not
 * @f: facts
 * @deep: look at modules and at ftrace's list too, else only at the kernel
 * @fn: called for each, without types; a non-zero result ends the walk
 * @ctx: handed to @fn
 *
 * Return: the last result of @fn, or -ENOMEM.
 */
int facts_each_function(struct facts *f, bool deep,
			int (*fn)(void *ctx, const struct facts_function *function), void *ctx);

/**
 * facts_each_tracepoint() - every tracepoint there is
 * @f: facts
 * @deep: look at modules too, else only at the kernel
 * @fn: called for each, without types; a non-zero result ends the walk
 * @ctx: handed to @fn
 *
 * Return: the last result of @fn, or -ENOMEM.
 */
int facts_each_tracepoint(struct facts *f, bool deep,
			  int (*fn)(void *ctx, const struct facts_tracepoint *tp), void *ctx);

/**
 * facts_near() - names like this one, in words
 * @f: facts
 * @name: what was asked for
 * @buf: receives "did you mean A, B or C?", or ""
 * @size: size of @buf
 *
 * Return: @buf.
 */
char *facts_near(struct facts *f, const char *name, char *buf, size_t size);

/**
 * facts_find_tracepoint() - look a tracepoint up
 * @f: facts
 * @subsystem: subsystem name, or NULL; wrong ones are an error where tracefs
 *	can be read
 * @name: tracepoint name
 * @out: filled in
 * @e: why not, with the nearest names
 *
 * Return: 0 or -ENOENT.
 */
int facts_find_tracepoint(struct facts *f, const char *subsystem, const char *name,
			  struct facts_tracepoint *out, struct error *e);

/**
 * facts_in_subsystem() - does a trace event of that name belong to a subsystem
 * @f: facts
 * @name: tracepoint name
 * @subsystem: name or glob
 *
 * Return: 1, 0, or -errno where tracefs cannot be read.
 */
int facts_in_subsystem(struct facts *f, const char *name, const char *subsystem);

/**
 * facts_no_event() - why a tracepoint cannot be reached by a trace event
 * @f: facts
 * @name: tracepoint name
 *
 * Return: NULL where it can, or half a sentence.
 */
const char *facts_no_event(struct facts *f, const char *name);

/**
 * facts_event_id() - the number of a tracepoint's trace event
 * @root: root folder
 * @name: tracepoint name
 *
 * Return: the number, -ENOENT, -ENOTUNIQ where several have the name, or -errno of
 * tracefs.
 */
int facts_event_id(const char *root, const char *name);

/**
 * struct facts_machine - the machine, for the record
 * @cpu: model name of the processor, or ""
 * @cpus_online: number of CPUs online; 0 when not known
 * @clock: clock source of the kernel, or ""
 * @build_id: of the kernel, in hexadecimal, or ""
 */
struct facts_machine {
	char cpu[128];
	unsigned int cpus_online;
	char clock[64];
	char build_id[129];
};

/**
 * facts_machine() - what is measured on
 * @f: facts
 * @m: filled in; what cannot be read is left empty
 */
void facts_machine(const struct facts *f, struct facts_machine *m);

/**
 * facts_mark() - what is loaded at this moment
 * @root: root folder
 *
 * Facts that were opened after a mark was taken are true as long as it stays the
 * same; it costs a look into one folder.
 *
 * Return: a number, another one as soon as a module comes, goes or was loaded anew;
 * 0 where the folder cannot be read.
 */
uint64_t facts_mark(const char *root);

#endif /* KSTATS_FACTS_H */
