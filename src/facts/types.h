/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * types.h - the types of the kernel or of a module, by number. In: a BTF file. Out: types
 * and names, as they are in the file. Included by this folder,
 * hook/probe.c, session and heap.
 *
 * Types are sorted by kind only, and not by name, since only a few names are looked up.
 */
#ifndef KSTATS_FACTS_TYPES_H
#define KSTATS_FACTS_TYPES_H

#include <bpf/btf.h>
#include <stddef.h>
#include <stdint.h>

#include "expr/expr.h"

#define FACTS_BTF_DIR "/sys/kernel/btf"
#define FACTS_KERNEL_BTF FACTS_BTF_DIR "/vmlinux" /* of the kernel proper */

#define FACTS_LINKED_REGISTERS "linked_regs" /* a structure: see FACTS_LINKS_REGISTERS */

/** struct facts_types - a BTF file */
struct facts_types {
	void *data; /* the file */
	size_t size; /* its size */
	size_t mapped; /* number of mapped bytes of @data; 0 if it was read into allocated memory */
	const struct facts_types *base; /* types that come before these, or NULL */
	uint32_t first; /* number of the first type of this file */
	uint32_t n; /* number of the type after the last */
	const struct btf_type **at; /* position of each type in the file */
	uint32_t *of_kind; /* indexes in @at: those of each kind lie together, in their order */
	uint32_t kinds[NR_BTF_KINDS + 1]; /* where each kind begins in @of_kind, and the end */
	const char *strings; /* names */
	uint32_t strings_first; /* bytes of the names of @base, which offsets count first */
	uint32_t strings_size; /* bytes of @strings */
};

/**
 * facts_types_read() - read a BTF file
 * @t: filled in; unchanged after an error
 * @base: BTF of the kernel proper for a module, else NULL; must outlive @t
 *
 * Return: 0 or -errno; -EINVAL if it is no BTF, or a version this program does not know.
 */
int facts_types_read(struct facts_types *t, const char *path, const struct facts_types *base);

/** facts_types_free() - release; @t: types, or zeroes */
void facts_types_free(struct facts_types *t);

/** facts_type() - a type by its number; @id: its number; 0 is void. Return: the type, or NULL */
const struct btf_type *facts_type(const struct facts_types *t, uint32_t id);

/** facts_type_name() - a name by its offset. Return: the name, or "" */
const char *facts_type_name(const struct facts_types *t, uint32_t offset);

/** facts_types_find() - number of the first type of that name in @t itself, or 0; @kind: BTF_KIND_
 */
uint32_t facts_types_find(const struct facts_types *t, unsigned int kind, const char *name);

/** facts_expr_types() - the same types for expressions; @t must outlive them */
struct expr_types facts_expr_types(const struct facts_types *t);

/**
 * facts_slice() - the structures that programs name, as a small BTF
 * @t: types of the kernel proper
 * @local: BTF of the programs
 *
 * Return: a file descriptor of the BTF, which the caller closes, or -errno.
 */
int facts_slice(const struct facts_types *t, const struct btf *local);

/**
 * facts_slice_object() - a small BTF to relocate an object against
 * @types: of the kernel proper
 * @bytes: the object, an ELF file of this program
 * @path: receives the path of the BTF, which only this process can open
 *
 * In the BTF of the whole kernel, libbpf would search all types for each structure, which takes
 * more than half of the program's own time.
 *
 * Return: a descriptor, which the caller closes after the object is loaded, or -errno.
 */
int facts_slice_object(const struct facts_types *types, const void *bytes, char *path,
		       size_t path_size);

#endif /* KSTATS_FACTS_TYPES_H */
