/* SPDX-License-Identifier: GPL-2.0-only */
/* symbols.h - the kernel's functions and variables by address. In: kallsyms. Out: their names. */
#ifndef KSTATS_STACKS_SYMBOLS_H
#define KSTATS_STACKS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kstats_kmem.h"
#include "lines/lines.h"

struct facts_types;

/** struct symbol - a function; its end is where the next one begins */
struct symbol {
	uint64_t address;
	size_t name; /* offset of its name, after which follows that of its module */
	bool is_shared; /* others have its name; set by symbols_read_both() with variables */
};

/** struct symbols - all functions, sorted */
struct symbols {
	struct symbol *rows; /* owned */
	size_t n; /* number of @rows */
	size_t room; /* for how many there is memory */
	char *names; /* owned */
	size_t names_size;
	size_t names_room;
	uint64_t text; /* where the kernel's own code begins, if ARCH_KERNEL_HALF does not tell */
};

/**
 * symbols_read() - read them
 * @root: where /proc is, "" for the running kernel; see facts_symbols()
 * @types: of the running kernel, if they have been read, else NULL
 *
 * Return: 0, -EACCES where the kernel hides all addresses, or -errno.
 */
int symbols_read(struct symbols *s, const char *root, const struct facts_types *types);

/** symbols_read_both() - the same of functions, and @data: of variables, at once */
int symbols_read_both(struct symbols *s, struct symbols *data, const char *root,
		      const struct facts_types *types);

/** symbols_address() - an address of code of the kernel or of a module, by its lower half */
uint64_t symbols_address(const struct symbols *s, uint32_t low);

/**
 * symbols_site() - the name of a call site
 * @address: return address
 * @more: read earlier, for modules that are gone; or NULL
 *
 * Return: allocated "function+0x1e [module]", or "0xffff..." if it is not known; NULL when out
 * of memory.
 */
char *symbols_site(const struct symbols *s, const struct symbols *more, uint64_t address);

/**
 * symbols_place() - where the call of a call site is; arguments as those of symbols_site()
 * @place: receives texts that are valid as long as @s and @more
 *
 * Return: false if it is not known.
 */
bool symbols_place(const struct symbols *s, const struct symbols *more, uint64_t address,
		   struct lines_place *place);

/**
 * symbols_pointer() - the function or variable that an address is in
 * @data: variables
 * @place: receives texts that are valid as long as @s and @data
 * @is_shared: receives whether others have its name
 *
 * Return: false if it is in none whose end is known.
 */
bool symbols_pointer(const struct symbols *s, const struct symbols *data, uint64_t address,
		     struct lines_place *place, bool *is_shared);

/**
 * symbols_find() - a function of the kernel proper by its name
 * @address: receives where it begins
 * @size: receives how far it is to the next function
 *
 * Return: false if there is none.
 */
bool symbols_find(const struct symbols *s, const char *name, uint64_t *address, uint64_t *size);

/** struct symbols_module - where the functions of a module are */
struct symbols_module {
	const char *name;
	uint64_t first; /* address of its first function */
	uint64_t end; /* behind its last one */
};

/**
 * symbols_modules() - all modules with functions
 * @each: called for each; its error ends it
 *
 * Return: 0, or what @each returned.
 */
int symbols_modules(const struct symbols *s, int (*each)(void *ctx, const struct symbols_module *m),
		    void *ctx);

/**
 * symbols_stays() - whether an address has the same name as long as no module comes or goes
 * @address: return address
 *
 * Return: true inside functions of the kernel or of a module; false in BPF programs, in
 * trampolines, and behind the last function of a module.
 */
bool symbols_stays(const struct symbols *s, uint64_t address);

/** symbols_has_module() - whether a module begins where it did */
bool symbols_has_module(const struct symbols *s, const struct symbols_module *m);

/** struct symbols_globs - globs of names of functions */
struct symbols_globs {
	const char *const *at;
	size_t n;
	bool *used; /* of each, receives whether a function matches it */
};

/**
 * symbols_ranges() - the code of all functions, also of modules, that match a glob
 * @to: sorted; functions that touch share a range; unused ones come last and are empty
 *
 * A name matches as it is, and also without what the compiler and the kernel's build put behind
 * it: ".cold", "_noprof".
 *
 * Return: 0, or -E2BIG if there are more ranges than @to has room for.
 */
int symbols_ranges(const struct symbols *s, const struct symbols_globs *globs,
		   struct kstats_kmem_range to[KSTATS_KMEM_SKIPPED]);

/** symbols_free() - release; @s may be zero-filled */
void symbols_free(struct symbols *s);

#endif /* KSTATS_STACKS_SYMBOLS_H */
