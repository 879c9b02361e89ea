/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of facts share. Included by this folder only. */
#ifndef KSTATS_FACTS_PRIV_H
#define KSTATS_FACTS_PRIV_H

#include "facts/facts.h"
#include "facts/types.h"

#define FACTS_BTF_DIR "/sys/kernel/btf"

/** struct facts_entry - a function name of one module */
struct facts_entry {
	const char *name; /* points into the BTF, or into ftrace's list where @btf_id is 0 */
	uint32_t btf_id; /* its FUNC, or 0 */
	uint16_t hits; /* number of lines with that name in ftrace's list */
	bool forbidden; /* kprobes refuse it */
};

/** struct facts_tp - a tracepoint name of one module */
struct facts_tp {
	const char *name;
	uint32_t btf_id;
};

/** struct facts_module - the kernel proper, or a module */
struct facts_module {
	char *name; /* "" for the kernel proper */
	struct facts_types types; /* its BTF */
	struct facts_entry *fns; /* functions */
	size_t n_fns; /* their number */
	bool sorted; /* @fns are sorted by name, one entry for each name */
	struct facts_tp *tps; /* tracepoints sorted by name */
	size_t n_tps; /* their number */
};

/**
 * struct facts - everything; modules are read when first needed
 * @root: root folder without a final slash
 * @kernel: the kernel proper
 * @modules: the others
 * @n_modules: their number
 * @modules_read: @modules are filled in
 * @ftrace_read: reading ftrace's list has been tried
 * @ftrace: ftrace's list, or NULL when it could not be read
 * @blacklist: the list of functions forbidden to kprobes, or NULL
 * @events: the list of trace events, or NULL
 * @events_err: -errno if it could not be read
 * @marked: the two lists have been entered into the entries of all functions, which are
 *	sorted; the text of the lists is cut into words then
 * @session: which form of the session kfuncs the kernel has
 * @rethook: kprobe sessions keep calls in a pool, as kernels before 6.14 do
 * @misses: see facts_counts_kprobes()
 * @hits: see facts_shows_hits()
 * @bpf_calls: see facts_hooks_bpf_calls()
 * @preempts: see facts_preempts()
 * @preempts_why: where that is known from
 * @tp_stays: preemption is off while a tracepoint runs its programs
 * @by_name: trampolines find a module's function by its name alone; from 6.4 on a program
 *	knows its module
 */
struct facts {
	char *root;
	struct facts_module kernel;
	struct facts_module *modules;
	size_t n_modules;
	bool modules_read;
	bool ftrace_read;
	char *ftrace;
	char *blacklist;
	char *events;
	int events_err;
	bool marked;
	bool by_name;
	bool rethook;
	bool misses;
	bool hits;
	bool bpf_calls;
	bool preempts;
	char preempts_why[96];
	bool tp_stays;
	enum facts_session session;
};

/**
 * facts_btf_read() - parse a BTF file and index what it names
 * @m: filled in
 * @base: types of the kernel proper for a module, else NULL
 */
int facts_btf_read(struct facts_module *m, const char *path, const struct facts_types *base);

/**
 * facts_btf_sort() - sort the functions by name, and keep one of each name
 * @m: module; entries move
 */
void facts_btf_sort(struct facts_module *m);

/** facts_btf_session() - which form of the session kfuncs the kernel has; @m: the kernel proper */
enum facts_session facts_btf_session(const struct facts_module *m);

/**
 * facts_btf_has_member() - whether a structure of the kernel has a member
 * @type: name of the structure
 * @member: name of the member
 */
bool facts_btf_has_member(const struct facts_module *m, const char *type, const char *member);

/**
 * facts_btf_function() - look up the return value and arguments of a function
 * @id: its FUNC
 * @out: ret, n_args and args are filled in
 */
void facts_btf_function(const struct facts_module *m, uint32_t id, struct facts_function *out);

/**
 * facts_btf_varargs() - whether a function takes a variable number of arguments
 * @id: its FUNC, or 0
 */
bool facts_btf_varargs(const struct facts_module *m, uint32_t id);

/**
 * facts_btf_tracepoint() - look up the arguments of a tracepoint
 * @id: its typedef
 * @out: n_args and args are filled in
 */
void facts_btf_tracepoint(const struct facts_module *m, uint32_t id, struct facts_tracepoint *out);

/**
 * facts_skips_read() - find out which programs the kernel skips, and what it counts
 * @f: facts; rethook, misses, bpf_calls, preempts and preempts_why are filled in
 */
void facts_skips_read(struct facts *f);

/**
 * facts_preempt_read() - find out whether the kernel preempts tasks inside programs
 * @f: facts; preempts and preempts_why are filled in
 */
void facts_preempt_read(struct facts *f);

/** facts_modules_read() - read the BTF of all modules, once. Return: 0 or -ENOMEM */
int facts_modules_read(struct facts *f);

/**
 * facts_ftrace_read() - read ftrace's list and the kprobe blacklist, once
 * @f: facts; all modules are read too
 *
 * Return: 0 or -ENOMEM. Files that cannot be read leave the answer unknown.
 */
int facts_ftrace_read(struct facts *f);

/**
 * facts_kept_read() - ftrace's list as it was kept
 * @mark: facts_mark() of now
 *
 * Return: the list, freed by free(), or NULL if none was kept of this boot and these modules.
 */
char *facts_kept_read(const struct facts *f, uint64_t mark);

/**
 * facts_kept_write() - keep ftrace's list until the next boot, if that is possible
 * @mark: facts_mark() of before and after the list was read
 */
void facts_kept_write(const struct facts *f, uint64_t mark, const char *list);

/**
 * facts_ftrace_mark() - enter both lists into the entries of all functions, once
 * @f: facts; entries move
 *
 * Return: 0 or -ENOMEM.
 */
int facts_ftrace_mark(struct facts *f);

/**
 * facts_entry_marked() - look a name up, with what ftrace and kprobes say about it
 * @f: facts after facts_ftrace_read()
 * @entry: receives its entry, or NULL
 *
 * Return: 0 or -ENOMEM.
 */
int facts_entry_marked(struct facts *f, struct facts_module *m, const char *name,
		       const struct facts_entry **entry);

/** facts_entry_find() - look a name up in a module. Return: its entry or NULL */
struct facts_entry *facts_entry_find(const struct facts_module *m, const char *name);

/**
 * facts_module_find() - look a module up
 * @f: facts, with all modules read
 *
 * Return: the module or NULL.
 */
struct facts_module *facts_module_find(const struct facts *f, const char *name);

/**
 * facts_shared() - whether a name is ambiguous
 * @f: facts, with all modules read
 * @m: module that has a function of that name
 *
 * Return: true if the kernel proper, or another module, has a function of that name.
 */
bool facts_shared(const struct facts *f, const struct facts_module *m, const char *name);

/**
 * facts_denied() - why this program refuses to trace a function
 *
 * Return: half a sentence, or NULL.
 */
const char *facts_denied(const char *name);

/** facts_noreturn() - whether a function never returns */
bool facts_noreturn(const char *name);

/**
 * facts_near_functions() - names near this one, as "did you mean ..."
 * @buf: receives the words, "" if no name is near
 */
char *facts_near_functions(struct facts *f, const char *name, char *buf, size_t size);

/** facts_near_tracepoints() - tracepoint names near this one, as "did you mean ..." */
char *facts_near_tracepoints(const struct facts *f, const char *name, char *buf, size_t size);

/**
 * facts_variant() - find the name that the compiler gave to a modified copy
 * @buf: receives "NAME.isra.0" or the like
 *
 * Reads proc/kallsyms, which is slow.
 *
 * Return: 1 if found, 0 if not, 2 if the plain name exists after all (a function without
 * BTF).
 */
int facts_variant(const struct facts *f, const char *name, char *buf, size_t size);

#endif /* KSTATS_FACTS_PRIV_H */
