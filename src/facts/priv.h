/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of facts share. Included by this folder only. */
#ifndef KSTATS_FACTS_PRIV_H
#define KSTATS_FACTS_PRIV_H

#include "facts/facts.h"
#include "facts/types.h"

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
	bool is_plain; /* it has no BTF, and owns the names of its functions */
	bool sorted; /* @fns are sorted by name, one entry for each name */
	struct facts_tp *tps; /* tracepoints sorted by name */
	size_t n_tps; /* their number */
	struct expr_types expr; /* the same for expressions, once they are needed */
};

/** struct facts - everything; modules are read when first needed */
struct facts {
	char *root; /* root folder without a final slash */
	struct facts_module kernel; /* the kernel proper */
	struct facts_module *modules; /* the others */
	size_t n_modules; /* their number */
	bool modules_read; /* @modules are filled in */
	bool ftrace_read; /* reading ftrace's list has been tried */
	char *ftrace; /* ftrace's list, or NULL when it could not be read */
	char *blacklist; /* the list of functions forbidden to kprobes, or NULL */
	char *events; /* the list of trace events, or NULL */
	int events_err; /* -errno if it could not be read */
	/*
	 * the two lists have been entered into the entries of all functions, which are sorted; the
	 * text of the lists is cut into words then
	 */
	bool marked;
	/*
	 * trampolines find a module's function by its name alone; from 6.4 on a program knows its
	 * module
	 */
	bool by_name;
	uint32_t has; /* bits of enum facts_has */
	bool preempts; /* see facts_preempts() */
	char preempts_why[96]; /* where that is known from */
	bool tp_stays; /* preemption is off while a tracepoint runs its programs */
	enum facts_session session; /* which form of the session kfuncs the kernel has */
};

/** facts_module_free() - release what it holds */
void facts_module_free(struct facts_module *m);

/** facts_by_name() - compare two of the structures above that begin with their names */
int facts_by_name(const void *a, const void *b);

/**
 * facts_btf_read() - parse a BTF file and index what it names
 * @base: types of the kernel proper for a module, else NULL
 */
int facts_btf_read(struct facts_module *m, const char *path, const struct facts_types *base);

/** facts_btf_sort() - sort the functions by name, one of each name; entries move */
void facts_btf_sort(struct facts_module *m);

/** facts_btf_session() - which form of the session kfuncs the kernel has; @m: the kernel proper */
enum facts_session facts_btf_session(const struct facts_module *m);

/** facts_btf_has_member() - whether a structure of the kernel has a member; @type: its name */
bool facts_btf_has_member(const struct facts_module *m, const char *type, const char *member);

/** facts_btf_function() - look up return value and arguments; @id: FUNC; @out: gets these */
void facts_btf_function(const struct facts_module *m, uint32_t id, struct facts_function *out);

/** facts_btf_varargs() - whether the number of arguments varies; @id: FUNC, or 0 */
bool facts_btf_varargs(const struct facts_module *m, uint32_t id);

/** facts_btf_tracepoint() - look up the arguments; @id: typedef; @out: gets these */
void facts_btf_tracepoint(const struct facts_module *m, uint32_t id, struct facts_tracepoint *out);

/** facts_has_read() - find out what the kernel has or does */
void facts_has_read(struct facts *f);

/** facts_preempt_read() - fill in preempts and preempts_why */
void facts_preempt_read(struct facts *f);

/** facts_modules_read() - read the BTF of all modules, once. Return: 0 or -ENOMEM */
int facts_modules_read(struct facts *f);

/**
 * facts_ftrace_read() - read ftrace's list and the kprobe blacklist, and all modules, once
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

/** facts_ftrace_mark() - enter both lists into all entries, once. Return: 0 or -ENOMEM */
int facts_ftrace_mark(struct facts *f);

/**
 * facts_entry_marked() - look a name up, with what ftrace and kprobes say about it
 * @f: after facts_ftrace_read()
 * @entry: receives its entry, or NULL
 *
 * Return: 0 or -ENOMEM.
 */
int facts_entry_marked(struct facts *f, struct facts_module *m, const char *name,
		       const struct facts_entry **entry);

/** facts_entry_find() - look a name up in a module. Return: its entry or NULL */
struct facts_entry *facts_entry_find(const struct facts_module *m, const char *name);

/** facts_module_find() - look a module up; @f: all are read. Return: the module or NULL */
struct facts_module *facts_module_find(const struct facts *f, const char *name);

/** facts_shared() - whether others than @m have a function of that name; @f: all are read */
bool facts_shared(const struct facts *f, const struct facts_module *m, const char *name);

/** facts_denied() - why this program refuses to trace a function: half a sentence, or NULL */
const char *facts_denied(const char *name);

/** facts_noreturn() - whether a function never returns */
bool facts_noreturn(const char *name);

/** facts_near_functions() - names near this one, as "did you mean ...", or "" */
char *facts_near_functions(struct facts *f, const char *name, char *buf, size_t size);

/** facts_tp_named() - a tracepoint of a module by its name, or NULL */
const struct facts_tp *facts_tp_named(const struct facts_module *m, const char *name);

/** facts_near_tracepoints() - tracepoint names near this one, as "did you mean ...", or "" */
char *facts_near_tracepoints(const struct facts *f, const char *name, char *buf, size_t size);

/** struct facts_visitor - who goes through the kernel's symbols */
struct facts_visitor {
	int (*each)(void *ctx, const struct facts_symbol *symbol);
	void *ctx;
	int end; /* what @each returned last, or -errno */
};

/** facts_visit_block() - visits all whole symbols, moves the rest to the front, returns its size */
typedef size_t facts_visit_block(struct facts_visitor *v, char *block, size_t size);

/**
 * facts_visit() - read symbols until they end, or @v->each ends it
 * @fd: closed
 *
 * Return: 0 if @v->end tells how it ended; or, if nothing was read, -errno or -ENODATA.
 */
int facts_visit(int fd, struct facts_visitor *v, facts_visit_block *visit);

/**
 * facts_iterate() - go through the running kernel's symbols by a BPF iterator
 * @types: as for facts_symbols()
 * @v: who visits them
 *
 * Return: 0 if @v->end tells how it ended; or -errno, and no symbol was visited: the kernel has no
 * such iterator, or this process may not load programs.
 */
int facts_iterate(const struct facts_types *types, struct facts_visitor *v);

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
