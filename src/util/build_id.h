/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * build_id.h - which build of the kernel or of a module is running. In: notes that the kernel
 * shows in sysfs. Called by facts and lines.
 */
#ifndef KSTATS_BUILD_ID_H
#define KSTATS_BUILD_ID_H

#include <stddef.h>

#define BUILD_ID_MOST 64 /* bytes; the linker makes 20 of them */
#define BUILD_ID_TEXT (2 * BUILD_ID_MOST + 1)

/**
 * build_id_read() - the build id in a file of ELF notes
 * @root: put before @path; may be ""
 * @text: receives it in hexadecimal, or "" if the file does not tell it
 */
void build_id_read(const char *root, const char *path, char text[BUILD_ID_TEXT]);

/**
 * build_id_text() - bytes in hexadecimal
 * @n: number of bytes, at most BUILD_ID_MOST
 */
void build_id_text(const unsigned char *id, size_t n, char text[BUILD_ID_TEXT]);

#endif /* KSTATS_BUILD_ID_H */
