/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * facts.h - what this kernel offers, read once. In: a root folder (normally "/") with
 * sys/kernel/btf, proc/kallsyms and sys/kernel/tracing. Out: functions, tracepoints, and
 * why some cannot be traced. Loads a BPF program only to read code or symbols;
 * needs no root, but root can read more. Called by plan and by the verbs list, doctor and complete.
 */
#ifndef KSTATS_FACTS_H
#define KSTATS_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "expr/expr.h"
#include "util/build_id.h"
#include "util/error.h"

#define FACTS_ARGS_MAX 12

struct btf;
struct facts;
struct facts_types;

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

/** struct facts_value - a return value or an argument */
struct facts_value {
	enum facts_type type; /* its kind */
	uint8_t bytes; /* its size, 0 for void and unknown */
};

/** struct facts_function - a function of this kernel */
struct facts_function {
	const char *module; /* owned by facts; "" for the kernel proper */
	const char *name; /* owned by facts */
	uint32_t btf_id; /* id of its FUNC in the BTF of its module, 0 when it has none */
	/*
	 * 1 if ftrace can hook its entry; 0 if not: notrace, inlined, or in a section that ftrace
	 * leaves out; -1 if not known, since that takes root
	 */
	int seen_by_ftrace;
	int kprobe_ok; /* 1 if kprobes accept it, 0 if the kernel forbids it, -1 if not known */
	const char *denied; /* half a sentence why this program refuses it, or NULL */
	bool noreturn; /* it never returns: it can start a pair, but has no duration */
	bool shared; /* another module or the kernel proper has a function of this name */
	bool twin; /* it is @shared, and this kernel's trampolines cannot tell them apart */
	bool varargs; /* it takes a variable number of arguments, so no trampoline can hook it */
	struct facts_value ret; /* return value */
	unsigned int n_args; /* number of its named arguments */
	struct facts_value args[FACTS_ARGS_MAX]; /* arguments, the first FACTS_ARGS_MAX */
};

/** struct facts_tracepoint - a tracepoint of this kernel */
struct facts_tracepoint {
	const char *module; /* owned by facts; "" for the kernel proper */
	const char *name; /* owned by facts; without subsystem */
	uint32_t btf_id; /* id of the typedef btf_trace_NAME in the BTF of its module */
	unsigned int n_args; /* number of arguments (without the hidden first one) */
	struct facts_value args[FACTS_ARGS_MAX]; /* arguments */
};

/**
 * facts_open() - read what the kernel under a root folder offers
 * @root: "/" for the running kernel, or a folder of recorded facts
 *
 * Return: facts, freed by facts_close(), or NULL (no BTF at all).
 */
struct facts *facts_open(const char *root, struct error *e);

/** facts_has_module() - whether a module is loaded and has BTF; @name: module */
bool facts_has_module(const struct facts *f, const char *name);

/** enum facts_session - the kfuncs that programs of the session methods call */
enum facts_session {
	FACTS_NO_SESSION,
	FACTS_SESSION_VOID, /* without an argument: kernels from 6.10 on */
	FACTS_SESSION, /* with the context as argument: from 7.0 on, together with fsession */
};

/** enum facts_has - what this kernel has or does; each is a row in has.c */
enum facts_has {
	/* one link can put uprobes at many places: from 6.6 on */
	FACTS_LINKS_UPROBES,
	/*
	 * a program runs at the return of a call although it was skipped at the entry. This is
	 * about kprobe sessions; they do so up to 6.13. fsession always does
	 */
	FACTS_RUNS_SKIPPED_RETURN,
	/* the kernel counts the kprobe programs that it skips: from 6.7 on */
	FACTS_COUNTS_KPROBES,
	/*
	 * a kretprobe may have room for many open calls, and not only for about ten. That needs an
	 * event of tracefs. Root can use it also where it is not mounted
	 */
	FACTS_ROOM_FOR_RETURNS,
	/*
	 * each task has room for few nested calls of a kprobe session: from 6.14 on. The kernel
	 * counts in the task the calls for which it has no room
	 */
	FACTS_COUNTS_DEEP,
	/* programs can read how often a kprobe was hit: from 5.19 on */
	FACTS_SHOWS_HITS,
	/* programs can hook the entry and return of bpf(2) */
	FACTS_HOOKS_BPF_CALLS,

	/*
	 * The verifier knows of registers that they hold the same number, for as long as it needs
	 * to: from 6.12 on. Before, it may take what it knows of one path for true of another, and
	 * remove code that is needed: on 6.1 that for long durations. See trim.h.
	 */
	FACTS_LINKS_REGISTERS,
	FACTS_HAS_N
};

/** facts_has() - what this kernel has or does, as bits of enum facts_has */
uint32_t facts_has(const struct facts *f);

/** facts_session() - which form of these kfuncs this kernel has */
enum facts_session facts_session(const struct facts *f);

/**
 * facts_preempts() - whether this kernel preempts tasks inside BPF tracing programs
 *
 * The kernel skips a program that is already running on the CPU. While a task is preempted
 * inside a program, it therefore skips the calls of all other tasks on that CPU.
 *
 * Return: false only if the kernel is known not to preempt there.
 */
bool facts_preempts(const struct facts *f);

/** facts_preempts_why() - how that is known: "PREEMPT_RT", "preempt=lazy, as its scheduler says" */
const char *facts_preempts_why(const struct facts *f);

/**
 * facts_tp_preempts() - whether this kernel preempts tasks inside programs on tracepoints
 *
 * Up to 6.12 preemption is off there. From 6.13 on at system calls, and from 7.0 on at every
 * tracepoint, it is off only in the programs of trace events.
 *
 * Return: false only if the kernel is known not to preempt there.
 */
bool facts_tp_preempts(const struct facts *f);

/** facts_free_stubs() - stubs of the module kstats that no function uses; -1: not known */
int facts_free_stubs(const struct facts *f);

/**
 * facts_ftrace_is_off() - whether ftrace is known to be switched off by sysctl
 * @f: NULL for the running kernel
 *
 * Programs can then still be attached to functions, by every method, but never run.
 */
bool facts_ftrace_is_off(const struct facts *f);

/** facts_close() - release; @f may be NULL */
void facts_close(struct facts *f);

/**
 * facts_find_function() - look a function up by its exact name
 * @module: module name, or NULL for anywhere (the kernel proper first)
 * @e: filled in with the reason on failure: no such function, module not loaded, inlined,
 *	or ambiguous between modules; with the nearest names
 *
 * Also finds functions that cannot be traced; @out tells why.
 *
 * Return: 0, -ENOENT, or -ENOTUNIQ.
 */
int facts_find_function(struct facts *f, const char *module, const char *name,
			struct facts_function *out, struct error *e);

/**
 * facts_match_functions() - all functions whose name matches a glob
 * @module: module name or glob, or NULL for the kernel proper and all modules
 * @glob: fnmatch() pattern
 * @out: array, sorted by module and name, freed by the caller with free()
 * @n: its length; functions that cannot be traced (denied, or known to be refused by both
 *	fentry and kprobes) are left out
 * @n_skipped: number of matching functions that were left out
 *
 * Return: 0 or -ENOMEM. If nothing matches, 0 with *@n == 0.
 */
int facts_match_functions(struct facts *f, const char *module, const char *glob,
			  struct facts_function **out, size_t *n, size_t *n_skipped);

/**
 * facts_each_function() - call a function for every function of the kernel
 * @deep: include modules and ftrace's list
 * @fn: called for each, without types; a non-zero result ends the walk
 * @ctx: handed to @fn
 *
 * Return: the last result of @fn, or -ENOMEM.
 */
int facts_each_function(struct facts *f, bool deep,
			int (*fn)(void *ctx, const struct facts_function *function), void *ctx);

/**
 * facts_each_tracepoint() - call a function for every tracepoint
 * @deep: include modules
 * @fn: called for each, without types; a non-zero result ends the walk
 * @ctx: handed to @fn
 *
 * Return: the last result of @fn, or -ENOMEM.
 */
int facts_each_tracepoint(struct facts *f, bool deep,
			  int (*fn)(void *ctx, const struct facts_tracepoint *tp), void *ctx);

/**
 * facts_function_point() - the parameters of a function, for expressions
 * @point: filled in; @f owns its types; without BTF it has none
 */
void facts_function_point(const struct facts *f, const struct facts_function *fn,
			  struct expr_point *point);

/** facts_tracepoint_point() - the arguments of a tracepoint, the same */
void facts_tracepoint_point(const struct facts *f, const struct facts_tracepoint *tp,
			    struct expr_point *point);

/** facts_write_point() - a point as C declares it, "int f(struct file *file, int n)" */
void facts_write_point(const struct expr_point *point, bool is_function, FILE *out);

/** facts_near() - the names nearest to a name, as "did you mean A, B or C?", or "" */
char *facts_near(struct facts *f, const char *name, char *buf, size_t size);

/**
 * facts_find_tracepoint() - look a tracepoint up
 * @subsystem: subsystem name, or NULL; if tracefs can be read, a wrong name is an error
 * @e: filled in with the reason on failure, with the nearest names
 *
 * Return: 0 or -ENOENT.
 */
int facts_find_tracepoint(struct facts *f, const char *subsystem, const char *name,
			  struct facts_tracepoint *out, struct error *e);

/**
 * facts_in_subsystem() - whether a trace event of that name belongs to a subsystem
 * @subsystem: name or glob
 *
 * Return: 1, 0, or -errno if tracefs cannot be read.
 */
int facts_in_subsystem(struct facts *f, const char *name, const char *subsystem);

/** facts_no_event() - why a tracepoint has no usable trace event: half a sentence, or NULL */
const char *facts_no_event(struct facts *f, const char *name);

/**
 * facts_event_id() - the number of a tracepoint's trace event
 *
 * Return: the number; -ENOENT; -ENOTUNIQ if several have the name; or -errno from tracefs.
 */
int facts_event_id(const char *root, const char *name);

/** struct facts_symbol - a symbol of the kernel */
struct facts_symbol {
	uint64_t address; /* where it is; 0: hidden */
	char type; /* its letter, as in nm(1) */
	char *name;
	char *module; /* "" for the kernel proper */
};

/** facts_is_text() - whether a symbol is a function */
bool facts_is_text(const struct facts_symbol *symbol);

/**
 * facts_symbols() - go through the kernel's symbols
 * @root: root folder; "" for the running kernel, "/" for its text alone
 * @types: of the running kernel, if they have been read, else NULL
 * @each: called for each; not 0 ends it
 * @ctx: handed to @each
 *
 * Of the running kernel by a BPF iterator, which takes less than half the time; from
 * /proc/kallsyms where that cannot be loaded. Both give the same.
 *
 * Return: what @each returned last, or -errno.
 */
int facts_symbols(const char *root, const struct facts_types *types,
		  int (*each)(void *ctx, const struct facts_symbol *symbol), void *ctx);

/** struct facts_address - where a function is */
struct facts_address {
	const char *module; /* "" for the kernel proper */
	const char *name; /* not owned */
	uint64_t address; /* of the last symbol of that name; 0 if the kernel hides it */
	unsigned int n; /* symbols of that name in that module */
};

/**
 * facts_addresses() - find where functions are
 * @root: as for facts_open(), "" for the running kernel
 * @types: as for facts_symbols()
 * @addresses: @n of them, with module and name; the rest is filled in
 *
 * Return: 0 or -errno.
 */
int facts_addresses(const char *root, const struct facts_types *types,
		    struct facts_address *addresses, size_t n);

/**
 * facts_address_check() - whether it is known where a function is
 * @a: filled in by facts_addresses()
 *
 * Return: 0; -ENOENT if there is no such symbol, -EACCES if the kernel hides addresses, or
 * -ENOTUNIQ if several functions have that name, and it is not known which is meant.
 */
int facts_address_check(const struct facts_address *a);

/** facts_address_refusal() - in words; @err: of facts_address_check(), or another -errno */
const char *facts_address_refusal(int err);

/** facts_kernel_types() - the types of the kernel proper; they belong to @f */
const struct facts_types *facts_kernel_types(const struct facts *f);

/** facts_cpus() - number of possible CPUs; 1 if it cannot be read */
unsigned int facts_cpus(const struct facts *f);

#define FACTS_CLOCK 64 /* room for the name of a clock source */

/** facts_clock() - clock source of the kernel, or "" */
void facts_clock(const struct facts *f, char clock[FACTS_CLOCK]);

struct recording_machine;

/**
 * facts_machine() - describe the machine, for recordings
 * @m: zero-filled, or filled in before; what cannot be read is left empty
 *
 * Return: 0 or -ENOMEM.
 */
int facts_machine(const struct facts *f, struct recording_machine *m);

/**
 * facts_mark() - a number that changes with the set of loaded modules
 *
 * Facts stay true as long as the mark that was taken before them stays the same. It costs
 * reading two folders.
 *
 * Return: the number; it changes when a module is loaded, unloaded or reloaded, also one
 * without BTF. 0 if a folder cannot be read.
 */
uint64_t facts_mark(const char *root);

/** struct facts_listener - somebody who listens to a tracepoint, or to a place in a program */
struct facts_listener {
	char tracepoint[128]; /* without subsystem; "" for a place in a program */
	char path[512]; /* of the program or library; "" for a tracepoint */
	uint64_t offset; /* the place in it */
	bool is_return; /* at the return of the function there */
	uint32_t program; /* id of the BPF program; 0: ftrace */
	char name[64]; /* of the program; of ftrace's instance, "" for the main one */
	uint32_t link; /* id of the program's link; 0 if it has none, or it is not known */
	int pid; /* of a process that has it open; 0 if none has, so that it is pinned */
	char comm[16]; /* name of that process */
};

/**
 * facts_listeners() - who listens now, as far as this kernel tells
 * @programs: to places in programs, else to tracepoints
 * @rows: freed by the caller with free(); unsorted
 *
 * Return: 0; -EPERM without privileges, or another -errno.
 */
int facts_listeners(bool programs, struct facts_listener **rows, size_t *n);

#endif /* KSTATS_FACTS_H */
