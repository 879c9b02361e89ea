/* SPDX-License-Identifier: GPL-2.0-only */
/* symbols.h - the kernel's functions by address. In: kallsyms. Out: names of call sites. */
#ifndef KSTATS_HEAP_SYMBOLS_H
#define KSTATS_HEAP_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct symbol - a function; its end is where the next one begins */
struct symbol {
	uint64_t address;
	size_t name; /* offset of its name, after which follows that of its module */
};

/** struct symbols - all functions, sorted */
struct symbols {
	struct symbol *rows; /* owned */
	size_t n; /* number of @rows */
	size_t room; /* for how many there is memory */
	char *names; /* owned */
	size_t names_size;
	size_t names_room;
};

/**
 * symbols_read() - read them
 * @root: where /proc is, "" but for tests
 *
 * Return: 0, -EACCES where the kernel hides all addresses, or -errno.
 */
int symbols_read(struct symbols *s, const char *root);

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
 * symbols_find() - a function of the kernel proper by its name
 * @address: receives where it begins
 * @size: receives how far it is to the next function
 *
 * Return: false if there is none.
 */
bool symbols_find(const struct symbols *s, const char *name, uint64_t *address, uint64_t *size);

/** symbols_free() - release; @s may be zero-filled */
void symbols_free(struct symbols *s);

#endif /* KSTATS_HEAP_SYMBOLS_H */
