/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of this room share. */
#ifndef KSTATS_HEAP_PRIV_H
#define KSTATS_HEAP_PRIV_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "facts/types.h"
#include "heap/heap.h"
#include "stacks/symbols.h"
#include "kmem/gfp.h"
#include "kmem.skel.h"
#include "session/session.h"

/** enum heap_table - the tables of the programs */
enum heap_table {
	HEAP_ROWS,
	HEAP_LIVE,
	HEAP_LIFES,
	HEAP_CACHES,
	HEAP_COUNTS,
	HEAP_TABLES,
};

/** struct heap_area - a table in memory */
struct heap_area {
	size_t size; /* bytes */
	const void *at; /* mapped for reading, or NULL */
};

/** struct heap_hook - a program on an event */
struct heap_hook {
	const char *event; /* as the user knows it */
	const char *method;
	const char *function; /* that it is on, or NULL: on the event's tracepoint */
	bool is_trace_event; /* a classic tracepoint, not a raw one */
	uint32_t btf_id; /* of that function */
	enum bpf_attach_type attach; /* entry or return of it */
	struct bpf_program *prog; /* in the skeleton; NULL if there is none */
	int fd; /* owned; it, loaded; or -1 */
	char why[256]; /* why there is none, "" if it is not wanted */
	int link; /* descriptor, or -1 */
	int perf; /* the perf event of a trace event, or -1 */
	uint64_t begin; /* events skipped before heap_start() */
	uint64_t skipped; /* since then, once it is stopped */
};

/** struct heap_part - a dimension of the rows */
struct heap_part {
	struct expr_part part; /* how its value lies in the key */
	bool is_flags; /* of GFP */
	bool is_node; /* a NUMA node; -1: any */
};

#define HEAP_NO_HOOK .fd = -1, .link = -1, .perf = -1
#define HEAP_EVENTS 6 /* hooks on events; others are on functions that make none */
#define HEAP_SECTIONS 4

/**
 * struct heap - see heap.h
 *
 * What is read is in memory that is mapped: it does not matter who loaded the programs.
 */
struct heap {
	const struct spec_kmem *want;
	struct facts *facts;
	struct kmem_bpf *skel; /* NULL once it is loaded by another process */
	uint32_t *on; /* kmem_on of the programs */
	char *filters; /* owned; in words */
	struct recording_machine machine; /* owned */
	/* where it was pinned: */
	struct spec_kmem kept; /* @want */
	struct json_object *description; /* owned; texts of @kept and @hooks are in it */
	struct heap_area variables; /* of the programs */
	size_t n_gone; /* modules that were unloaded or moved since the begin */
	struct symbols_module *gone; /* owned; of them */
	uint32_t settings[KSTATS_KMEM_SETTINGS];
	unsigned int n_parts;
	struct heap_part parts[KSTATS_BY_PARTS]; /* of the key of --by */
	struct bpf_insn *code; /* owned; of --if and --by */
	int n_code; /* number of instructions; 0: there are no expressions */
	int handlers[HEAP_SECTIONS];
	int points[SESSION_POINTS]; /* handlers of helpers */
	int slice; /* descriptor of facts_slice_object() while programs are loaded, else 0 */
	struct heap_area tables[HEAP_TABLES];
	struct heap_hook hooks[HEAP_HOOKS];
	bool trims; /* programs are trimmed: see FACTS_LINKS_REGISTERS */
	void *funcs; /* owned; records of the functions of the program that is loaded next */
	struct bpf_link *helpers[2]; /* that follow the command */
	struct symbols symbols; /* at the begin: modules may be gone at the end */
	uint64_t modules; /* facts_mark() before that */
	struct facts_types types; /* of the kernel proper, or none */
	struct lines *lines; /* of the call sites */
	struct kmem_gfp gfp; /* names of the flags, where they are needed */
	unsigned int n_cpus;
	bool dry; /* nothing may be loaded */
	bool stopped;
	uint64_t wall_ns;
	uint64_t begin_ns;
	uint64_t end_ns;
};

/** heap_types() - types of the kernel; NULL if no facts were read, as of a node */
static inline const struct facts_types *heap_types(const struct heap *h)
{
	return h->facts ? facts_kernel_types(h->facts) : NULL;
}

/** heap_map() - the map of a table */
struct bpf_map *heap_map(const struct heap *h, enum heap_table table);

/** heap_load() - size the tables, fill in the constants, load, map the tables */
int heap_load(struct heap *h, struct error *e);

/** heap_choose() - as heap_load(), but only choose: nothing is loaded and nothing probed */
int heap_choose(struct heap *h, struct error *e);

/** heap_unload() - undo heap_load(), also where it failed */
void heap_unload(struct heap *h);

/** heap_attach() - attach all programs, those on frees first */
int heap_attach(struct heap *h, struct error *e);

/** heap_detach() - undo heap_attach(), also where it failed */
void heap_detach(struct heap *h);

/**
 * heap_know_names() - read what call sites and dimensions are named by
 *
 * Call sites that cannot be named are left out.
 */
int heap_know_names(struct heap *h, struct error *e);

/** heap_set_on() - count, or do not; programs that run finish their event */
void heap_set_on(const struct heap *h, bool on);

/** heap_close_fd() - close it, unless it is negative; @fd: is -1 afterwards */
void heap_close_fd(int *fd);

/** heap_skipped() - events for which the kernel did not run a program since it was loaded */
uint64_t heap_skipped(const struct heap_hook *hook);

/**
 * heap_wants() - whether a program is needed
 * @kind: of the objects that its event is about
 * @frees: it frees them
 *
 * Objects of a cache may be freed by kfree(), too: where frees are matched, both kinds are
 * watched for either.
 */
bool heap_wants(const struct heap *h, enum kstats_kmem_kind kind, bool frees);

/** heap_walks() - whether the call sites of a kind are found by the stack */
bool heap_walks(const struct heap *h, enum kstats_kmem_kind kind);

/** heap_skip() - set the constants by which call sites are found */
int heap_skip(struct heap *h, struct error *e);

/** heap_hooks() - choose the programs, in the order in which they are attached */
void heap_hooks(struct heap *h);

/** heap_functions() - choose those on functions, and set the constants that they need */
void heap_functions(struct heap *h);

/** heap_lose_functions() - do without the programs on functions; @why: half a sentence */
void heap_lose_functions(struct heap *h, const char *why);

/** heap_doubt_choose() - set the constants by which the programs read the kernel's counts */
void heap_doubt_choose(struct heap *h);

/** heap_doubt_begin() - tell the loaded programs where these counts are, if they need them */
int heap_doubt_begin(struct heap *h, struct error *e);

/**
 * heap_doubt_allocations() - whether allocations of objects may have been skipped
 * @at: what was skipped until then
 */
bool heap_doubt_allocations(const struct heap *h, const struct heap_moment *at);

/** heap_ask() - check the expressions of --if and --by, compile them, and set their constants */
int heap_ask(struct heap *h, struct error *e);

/**
 * heap_read_parts() - the dimensions, and their values of each row
 * @k: has its rows
 * @rows: those of the programs, in the same order
 *
 * Return: 0 or -ENOMEM.
 */
int heap_read_parts(const struct heap *h, struct kmem *k,
		    const struct kstats_kmem_row *const *rows);

/** heap_filters() - all filters in words. Return: allocated, or NULL when out of memory */
char *heap_filters(const struct heap *h);

/** heap_print_plan() - what was chosen, in words. Return: 0 or -ENOMEM */
int heap_print_plan(const struct heap *h, FILE *out);

/** heap_gfp() - find the names of the GFP flags of this kernel */
void heap_gfp(struct heap *h);

#endif /* KSTATS_HEAP_PRIV_H */
