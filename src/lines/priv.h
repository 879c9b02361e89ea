/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * priv.h - a file with debug information. Its functions are in dwarf.c, or in none.c where the
 * program is built without libdw. Called by lines.c alone.
 */
#ifndef KSTATS_LINES_PRIV_H
#define KSTATS_LINES_PRIV_H

#include "lines/lines.h"
#include "util/build_id.h"

struct dwarf_file;

/** dwarf_is_built() - whether the program can read debug information at all */
bool dwarf_is_built(void);

/**
 * dwarf_open() - open a file
 * @build_id: build id that it must have, in hexadecimal
 * @why: receives the reason, constant text
 *
 * Return: freed by dwarf_close(), or NULL.
 */
struct dwarf_file *dwarf_open(const char *path, const char *build_id, const char **why);

/**
 * dwarf_symbol() - the address of a symbol in the file
 *
 * Return: false if there is none, or if there are several of that name.
 */
bool dwarf_symbol(struct dwarf_file *f, const char *name, uint64_t *address);

/** dwarf_frames() - the functions at an address of the file; see lines_frames() */
size_t dwarf_frames(struct dwarf_file *f, uint64_t address,
		    struct lines_frame frames[LINES_FRAMES]);

/** dwarf_close() - release; @f may be NULL */
void dwarf_close(struct dwarf_file *f);

#endif /* KSTATS_LINES_PRIV_H */
