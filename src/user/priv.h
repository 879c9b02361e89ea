/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of user share. */
#ifndef KSTATS_USER_PRIV_H
#define KSTATS_USER_PRIV_H

#include <gelf.h>
#include <sys/stat.h>

#include "user/user.h"

#define USER_SEGMENTS_MAX 16
#define USER_DEBUG_FOLDER "/usr/lib/debug/.build-id"
#define USER_DEBUG_PATH (sizeof(USER_DEBUG_FOLDER) + BUILD_ID_TEXT + 16)

/* A part of the file that is executed. */
struct user_segment {
	uint64_t address; /* where it is linked to */
	uint64_t offset; /* in the file */
	uint64_t size; /* bytes in the file */
	bool is_code; /* it is executable */
	bool is_writable; /* a program may change it in memory */
};

struct user_binary {
	char *path; /* owned; as the kernel finds it */
	char *word; /* owned; as the user named it */
	int fd;
	struct user_file file; /* which one it is */
	struct user_segment segments[USER_SEGMENTS_MAX];
	size_t n_segments;
	bool needs_unwinder; /* it loads a library that throws exceptions */
	bool is_library; /* others load it by a name */
	bool is_go; /* made by the Go compiler */
	bool names_only; /* its symbols are for user_names_find() */
	bool has_symtab; /* it has all its functions, not only those for others */
	char build_id[BUILD_ID_TEXT];
	struct user_symbol *symbols; /* owned, by name */
	size_t n_symbols;
	struct user_mark *marks; /* owned, by provider and name */
	size_t n_marks;
	struct Dwarf *dwarf; /* owned; debug information, or NULL */
	int dwarf_fd; /* of its file, if that is another; 0: not looked for yet */
	struct Dwarf *alternate; /* owned; what files share of it, or NULL */
	int alternate_fd; /* of its file */
};

/** user_locate() - the path of a file; see user_open(). Return: owned by the caller, or NULL */
char *user_locate(const char *word, pid_t pid, struct error *e);

/** user_offset() - place in the file of an address, or 0 if it is in no part of the file */
uint64_t user_offset(const struct user_binary *b, uint64_t address, bool *is_code);

/** user_read_segments() - what the file has for memory; @elf: of the file itself */
void user_read_segments(struct user_binary *b, Elf *elf);

/** user_read_symbols() - all functions; @elf: of the file itself. Return: 0 or -ENOMEM */
int user_read_symbols(struct user_binary *b, Elf *elf);

/** user_symbol_free() - release what a symbol owns */
void user_symbol_free(struct user_symbol *s);

/** user_read_marks() - all marks; @elf: of the file itself. Return: 0 or -ENOMEM */
int user_read_marks(struct user_binary *b, Elf *elf);

/** user_judge() - set what can be probed of a function; @s: with its names and offset */
void user_judge(const struct user_binary *b, struct user_symbol *s, int type);

/**
 * user_first_at() - the instruction at a place in the file
 * @refused: receives why no probe may replace it; NULL if one may
 */
enum user_first user_first_at(const struct user_binary *b, uint64_t offset, const char **refused);

/**
 * user_operand() - where an argument of a static probe is
 * @text: @n bytes, as the assembler of this architecture writes an operand
 * @a: receives it; left as it is if it is no integer
 */
void user_operand(const char *text, size_t n, struct user_argument *a);

/** user_open_regular() - open a regular file to read it. Return: its descriptor, or -errno */
int user_open_regular(const char *path, struct stat *st);

/** user_describe() - which file it is, but for its build id */
void user_describe(const struct stat *st, struct user_file *file);

/** user_read_build_id() - its build id in hexadecimal, or "" */
void user_read_build_id(Elf *elf, char text[BUILD_ID_TEXT]);

/** user_section() - the section of that name, or NULL */
Elf_Scn *user_section(Elf *elf, const char *name, GElf_Shdr *header);

/* Tables of symbols shrink to a fifth; what shrinks much more is not of a linker. */
#define USER_SHRINKS_MOST 50
#define USER_UNPACKS_ANYWAY (1ULL << 20) /* bytes */

/** user_unpacks_far() - whether a section claims to unpack to more than that; @fd: of the file */
bool user_unpacks_far(int fd);

/**
 * user_mini_open() - the small symbol table in .gnu_debugdata
 * @fd: receives a descriptor of the file in memory
 *
 * Return: ended by elf_end(), or NULL.
 */
Elf *user_mini_open(Elf *elf, int *fd);

/** user_debug_path() - the file of debug information of the same build, there or not */
bool user_debug_path(const struct user_binary *b, char path[USER_DEBUG_PATH]);

/** user_params_close() - release what user_params() has opened */
void user_params_close(struct user_binary *b);

/**
 * user_alternate_set() - find the file of debug information to which another one leads
 * @fd: of that one, which is open as b->dwarf
 *
 * Return: false if there should be one, and is none that can be used.
 */
bool user_alternate_set(struct user_binary *b, int fd);

/** user_alternate_close() - release it, after b->dwarf */
void user_alternate_close(struct user_binary *b);

/** user_demangle() - a name in the words of C++ or Rust. Return: owned by the caller, or NULL */
char *user_demangle(const char *name);

#endif /* KSTATS_USER_PRIV_H */
