/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spec_kmem.h - what the user asks `kmem` for, as a value. In: argv. Out: struct spec_kmem, owned
 * by the caller. Pure. Called by cmd/; read by heap.
 */
#ifndef KSTATS_SPEC_KMEM_H
#define KSTATS_SPEC_KMEM_H

#include "kstats_kmem.h"
#include "spec/spec.h"

/** enum kmem_word - what each row has, so that reports can be by it whatever --by was measured */
enum kmem_word {
	KMEM_SITE,
	KMEM_CACHE,
	KMEM_KIND,
	KMEM_SIZE, /* from here on also in expressions */
	KMEM_ORDER,
	KMEM_WORDS,
};

/** kmem_names - by enum kmem_word, then other names in expressions of --by; ended by NULL */
extern const char *const kmem_names[];

/** enum kmem_sort - what the entries are sorted by, largest first */
enum kmem_sort {
	KMEM_SORT_WASTE,
	KMEM_SORT_BYTES,
	KMEM_SORT_COUNT,
	KMEM_SORT_LIVE,
	KMEM_SORT_RATE,
};

/** kmem_sort_names - words of --sort, by enum kmem_sort, ended by NULL */
extern const char *const kmem_sort_names[];

/**
 * struct spec_kmem - one request to watch allocations
 * @spec: who, when, which command, what is written, the condition of --if, and those parts of --by
 *	that the kernel must tell apart; the rest of it is not used
 * @lifetimes: match allocations with their frees
 * @kinds: bits of enum kstats_kmem_kind
 * @by: what a line of the report is of, as it was written
 * @by_word: a part of it is an enum kmem_word
 * @sort: what these are sorted by
 * @top: how many are shown; 0: as many as usual
 * @gfp: only allocations with all these flags, in words; NULL: all
 * @numa: only allocations on CPUs of this NUMA node, a number in words; NULL: on all
 * @skip: functions that are no call sites, globs with commas; NULL: none
 * @page_sites: find the call sites of pages, by the stack
 * @max_sites: rows, a power of 2
 * @max_live: live objects, a power of 2
 * @node: name of the node that is to measure it; NULL: this process does
 */
struct spec_kmem {
	struct spec spec;
	bool lifetimes;
	unsigned int kinds;
	const char *by;
	bool by_word;
	enum kmem_sort sort;
	unsigned int top;
	const char *gfp;
	const char *numa;
	const char *skip;
	bool page_sites;
	unsigned int max_sites;
	unsigned int max_live;
	const char *node;
};

/** spec_kmem_options - the options of `kmem` */
extern const struct option_row spec_kmem_options[];

/**
 * spec_parse_kmem() - the words of `kstats-bpf kmem`
 * @k: filled in; freed with spec_free() of its spec also after an error
 * @argc: number of words, "kmem" first
 * @argv: the words; they must live as long as @k, which points into them
 *
 * Return: 0, OPTIONS_HELP when help is asked for, or -EINVAL.
 */
int spec_parse_kmem(struct spec_kmem *k, int argc, char **argv, struct error *e);

/** kmem_same_part() - whether a part of --by, of @n bytes, is another one; blanks do not count */
bool kmem_same_part(const char *text, size_t n, const char *as);

/** kmem_word_of() - which word a part of --by is, of @n bytes; KMEM_WORDS: it is an expression */
enum kmem_word kmem_word_of(const char *text, size_t n);

/**
 * spec_parse_kmem_node() - the words of `kstats-bpf node add --kmem`
 * @k: as for spec_parse_kmem()
 * @argv: the words, "add" first; "--kmem" is taken out
 *
 * Return: as spec_parse_kmem().
 */
int spec_parse_kmem_node(struct spec_kmem *k, int argc, char **argv, struct error *e);

#endif /* KSTATS_SPEC_KMEM_H */
