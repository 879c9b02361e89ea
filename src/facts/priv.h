/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of facts share. Included by this folder only. */
#ifndef KSTATS_FACTS_PRIV_H
#define KSTATS_FACTS_PRIV_H

#include "facts/facts.h"
#include "facts/types.h"

#define FACTS_BTF_DIR "/sys/kernel/btf"

/**
 * struct facts_entry - a function name of one module
 * @name: points into the BTF, or into ftrace's list where @btf_id is 0
 * @btf_id: its FUNC, or 0
 * @hits: lines of that name in ftrace's list
 * @forbidden: kprobes refuse it
 */
struct facts_entry {
	const char *name;
	uint32_t btf_id;
	uint16_t hits;
	bool forbidden;
};

/** struct facts_tp - a tracepoint name of one module */
struct facts_tp {
	const char *name;
	uint32_t btf_id;
};

/**
 * struct facts_module - the kernel proper, or a module
 * @name: "" for the kernel proper
 * @types: its BTF
 * @fns: functions
 * @n_fns: their number
 * @sorted: @fns are sorted by name, and each name is there once
 * @tps: tracepoints sorted by name
 * @n_tps: their number
 */
struct facts_module {
	char *name;
	struct facts_types types;
	struct facts_entry *fns;
	size_t n_fns;
	bool sorted;
	struct facts_tp *tps;
	size_t n_tps;
};

/**
 * struct facts - all of it; modules are read when first asked for
 * @root: root folder without a final slash
 * @kernel: the kernel proper
 * @modules: the others
 * @n_modules: their number
 * @modules_read: @modules are filled in
 * @ftrace_read: ftrace's list was looked for
 * @ftrace: ftrace's list, or NULL when it could not be read
 * @blacklist: the list of functions forbidden to kprobes, or NULL
 * @events: the list of trace events, or NULL
 * @events_err: why it could not be read
 * @marked: what the two say is in the entries of all functions, and these are
 *	sorted; the lists are cut into words then
 * @session: the calls of session programs
 * @rethook: kprobe sessions remember calls as kernels before 6.14 do
 * @misses: see facts_counts_kprobes()
 * @bpf_calls: see facts_hooks_bpf_calls()
 * @preempts: see facts_preempts()
 * @preempts_why: what says so
 * @tp_stays: preemption is off while a tracepoint runs its programs
 * @by_name: trampolines find a module's function by its name alone; since 6.4 a
 *	program knows its module
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
	bool bpf_calls;
	bool preempts;
	char preempts_why[96];
	bool tp_stays;
	enum facts_session session;
};

/**
 * facts_btf_read() - parse a BTF file and index what it names
 * @m: filled in
 * @path: file
 * @base: types of the kernel proper for a module, else NULL
 *
 * Return: 0 or -errno.
 */
int facts_btf_read(struct facts_module *m, const char *path, const struct facts_types *base);

/**
 * facts_btf_sort() - sort the functions by name, and keep one of each name
 * @m: module; entries move
 */
void facts_btf_sort(struct facts_module *m);

/**
 * facts_btf_session() - the calls that session programs make
 * @m: the kernel proper
 *
 * Return: their form.
 */
enum facts_session facts_btf_session(const struct facts_module *m);

/**
 * facts_btf_has_member() - does a structure of the kernel have it
 * @m: module
 * @type: name of the structure
 * @member: name of the member
 *
 * Return: true when it does.
 */
bool facts_btf_has_member(const struct facts_module *m, const char *type, const char *member);

/**
 * facts_btf_function() - return value and arguments of a function
 * @m: module
 * @id: its FUNC
 * @out: ret, n_args and args are filled in
 */
void facts_btf_function(const struct facts_module *m, uint32_t id, struct facts_function *out);

/**
 * facts_btf_varargs() - does its number of arguments vary
 * @m: module
 * @id: its FUNC, or 0
 *
 * Return: true when it does.
 */
bool facts_btf_varargs(const struct facts_module *m, uint32_t id);

/**
 * facts_btf_tracepoint() - arguments of a tracepoint
 * @m: module
 * @id: its typedef
 * @out: n_args and args are filled in
 */
void facts_btf_tracepoint(const struct facts_module *m, uint32_t id, struct facts_tracepoint *out);

/**
 * facts_skips_read() - find out what the kernel does where it skips a program
 * @f: facts; rethook, misses, bpf_calls, preempts and preempts_why are filled in
 */
void facts_skips_read(struct facts *f);

/**
 * facts_preempt_read() - find out whether tasks are preempted inside programs
 * @f: facts; preempts and preempts_why are filled in
 */
void facts_preempt_read(struct facts *f);

/**
 * facts_modules_read() - read the BTF of all modules, once
 * @f: facts
 *
 * Return: 0 or -ENOMEM.
 */
int facts_modules_read(struct facts *f);

/**
 * facts_ftrace_read() - what ftrace can hook and what kprobes refuse, once
 * @f: facts; all modules are read too
 *
 * Return: 0 or -ENOMEM. Files that cannot be read leave the answer unknown.
 */
int facts_ftrace_read(struct facts *f);

/**
 * facts_ftrace_mark() - and put it into the entries of all functions, once
 * @f: facts; entries move
 *
 * Return: 0 or -ENOMEM.
 */
int facts_ftrace_mark(struct facts *f);

/**
 * facts_entry_marked() - look a name up, with what ftrace and kprobes say of it
 * @f: facts after facts_ftrace_read()
 * @m: module
 * @name: function name
 * @entry: receives its entry, or NULL
 *
 * Return: 0 or -ENOMEM.
 */
int facts_entry_marked(struct facts *f, struct facts_module *m, const char *name,
		       const struct facts_entry **entry);

/**
 * facts_entry_find() - look a name up in a module
 * @m: module
 * @name: function name
 *
 * Return: its entry or NULL.
 */
struct facts_entry *facts_entry_find(const struct facts_module *m, const char *name);

/**
 * facts_module_find() - look a module up
 * @f: facts, with all modules read
 * @name: its name
 *
 * Return: the module or NULL.
 */
struct facts_module *facts_module_find(const struct facts *f, const char *name);

/**
 * facts_shared() - does a name mean something else, too
 * @f: facts, with all modules read
 * @m: module that has a function of that name
 * @name: function name
 *
 * Return: true when the kernel proper, or another module, has it too.
 */
bool facts_shared(const struct facts *f, const struct facts_module *m, const char *name);

/**
 * facts_fill() - an entry as the facts that others see
 * @f: facts
 * @m: its module
 * @entry: the entry
 * @types: look up return value and arguments too
 * @out: filled in
 */
void facts_fill(const struct facts *f, const struct facts_module *m,
		const struct facts_entry *entry, bool types, struct facts_function *out);

/**
 * facts_denied() - why this program refuses to trace a function
 * @name: function name
 *
 * Return: half a sentence, or NULL.
 */
const char *facts_denied(const char *name);

/**
 * facts_noreturn() - does it never return
 * @name: function name
 *
 * Return: true when it does not.
 */
bool facts_noreturn(const char *name);

/**
 * facts_near_functions() - names like this one, as "did you mean ..."
 * @f: facts
 * @name: what was asked for
 * @buf: receives the words, "" when nothing is near
 * @size: size of @buf
 *
 * Return: @buf.
 */
char *facts_near_functions(struct facts *f, const char *name, char *buf, size_t size);

/**
 * facts_near_tracepoints() - the same for tracepoints
 * @f: facts
 * @name: what was asked for
 * @buf: receives the words
 * @size: size of @buf
 *
 * Return: @buf.
 */
char *facts_near_tracepoints(const struct facts *f, const char *name, char *buf, size_t size);

/**
 * facts_variant() - a name that the compiler gave to a changed copy
 * @f: facts
 * @name: function name
 * @buf: receives "NAME.isra.0" or the like
 * @size: size of @buf
 *
 * Reads proc/kallsyms, which is slow.
 *
 * Return: 1 found, 0 not, 2 when the plain name is there after all (a function
 * without BTF).
 */
int facts_variant(const struct facts *f, const char *name, char *buf, size_t size);

#endif /* KSTATS_FACTS_PRIV_H */
