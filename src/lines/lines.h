/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lines.h - places in the kernel's code as lines of its source, by the debug information that
 * is on this machine; nothing is fetched from elsewhere. In: places. Out: text. Only a file of
 * the same build as the running code is used. Called by heap.
 */
#ifndef KSTATS_LINES_H
#define KSTATS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_FRAMES 32 /* functions inlined into each other at one place, at most */

struct lines;

/**
 * struct lines_place - an instruction of the kernel
 * @address: where it is in memory
 * @module: name of the module that it is in, "" for the kernel proper
 * @function: symbol that holds it
 * @offset: of the instruction in the function
 */
struct lines_place {
	uint64_t address;
	const char *module;
	const char *function;
	uint64_t offset;
};

/**
 * struct lines_frame - a function at a place; all texts are valid until lines_close()
 * @function: its name, or NULL
 * @file: as the debug information has it, or NULL
 * @folder: the compiler ran there, or NULL
 * @line: 0 where it is not known
 */
struct lines_frame {
	const char *function;
	const char *file;
	const char *folder;
	unsigned int line;
};

/**
 * lines_open() - prepare to look up places; files are opened when a place needs them
 * @root: put before all paths; may be ""
 * @release: of the running kernel
 * @stext: address of the kernel's symbol _stext, or 0: no place of the kernel proper is found
 *
 * Return: freed by lines_close(), or NULL when out of memory.
 */
struct lines *lines_open(const char *root, const char *release, uint64_t stext);

/**
 * lines_frames() - the functions at a place: the innermost first, the one that is not inlined
 * last
 *
 * Return: their number; 0 if nothing is known.
 */
size_t lines_frames(struct lines *l, const struct lines_place *p,
		    struct lines_frame frames[LINES_FRAMES]);

/**
 * lines_text() - the line of a place, like "mm/util.c:124"
 *
 * It is that of the innermost function that is not in a header: what a header inlines is a
 * helper, and its line would be the same for all who use it. If the function is not that of
 * the place, but is inlined there, its name follows: "fs/namei.c:141 getname".
 *
 * Return: valid until lines_close(), or NULL if nothing is known.
 */
const char *lines_text(struct lines *l, const struct lines_place *p);

/**
 * lines_path() - a path within the kernel's source
 * @f: frame with a file
 * @buf: receives the path; the whole one if it is not known where the source begins
 *
 * Return: @buf.
 */
const char *lines_path(const struct lines_frame *f, char *buf, size_t size);

/**
 * lines_missing() - why lines are missing, and what would help
 * @buf: receives a sentence
 *
 * Return: @buf, or NULL if nothing was missing so far.
 */
const char *lines_missing(const struct lines *l, char *buf, size_t size);

/** lines_close() - release; @l may be NULL */
void lines_close(struct lines *l);

#endif /* KSTATS_LINES_H */
