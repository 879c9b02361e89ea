/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user.h - functions and marks of programs and libraries. In: the name of a file, or of a
 * library. Out: where the kernel can put a probe into it, or why not. Called by plan and the
 * verb list.
 */
#ifndef KSTATS_USER_H
#define KSTATS_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/build_id.h"
#include "util/error.h"

/** enum user_first - what the kernel does with the instruction that a probe replaces */
enum user_first {
	USER_STEPPED, /* the thread executes it as a single step, which takes several times as long
		       */
	USER_NOP, /* nothing */
	USER_LONG_NOP, /* emulated by new kernels; others treat it as @USER_STEPPED */
	USER_PUSH, /* emulates a push */
	USER_JUMP, /* emulates a jump or a call */
	USER_FIRSTS,
};

/** struct user_symbol - a function */
struct user_symbol {
	char *name; /* owned; as the symbol table has it, without version */
	char *version; /* owned; "" without one, which is not */
	char *shown; /* @name in the words of its language, and then owned; else @name */
	bool is_part; /* what the compiler moved out of another function */
	bool is_default; /* the version that new programs are linked with */
	uint64_t offset; /* in the file */
	uint64_t size; /* bytes; 0: not known */
	enum user_first first; /* its first instruction */
	const char *refused; /* why no probe can be there; NULL if it can */
	const char *no_return; /* why no probe can be at its return; NULL if it can */
};

/** struct user_mark - a static probe (USDT), at each place where it occurs */
struct user_mark {
	char *provider; /* owned */
	char *name; /* owned */
	char *arguments; /* owned; as the note of the first place describes them */
	bool is_uniform; /* the notes of all places describe the same */
	uint64_t *offsets; /* owned; @n places in the file */
	size_t n;
	/* place in the file of the count of those who listen, or 0 */
	uint64_t semaphore;
	const char *refused; /* why nobody can listen; NULL if it is possible */
	enum user_first first; /* the instruction at the first place */
};

/** enum user_where - where an argument of a static probe is */
enum user_where {
	USER_NOWHERE, /* it cannot be read: not an integer, or an address that is too complex */
	USER_IN_REGISTER,
	USER_IN_MEMORY, /* of the program, at a register */
	USER_IS_NUMBER, /* it is always the same */
};

/** struct user_argument - an argument of a static probe */
struct user_argument {
	enum user_where where; /* where it is */
	unsigned int bytes; /* its width */
	bool is_signed; /* it is a number with sign */
	int at; /* of a register: its place in struct pt_regs */
	int64_t number; /* behind that register in memory; or the number that it is */
};

#define USER_PARAMS_MAX 12

/** struct user_param - a parameter of a function, by debug information */
struct user_param {
	char name[64]; /* "" if it has none */
	unsigned int bytes; /* its width */
	bool is_signed; /* it is a number with sign */
	int at; /* of its register: place in struct pt_regs; -1: no number, or it is in none */
};

/** struct user_file - which file a path leads to */
struct user_file {
	uint64_t device; /* where it is */
	uint64_t inode; /* its number there */
	uint64_t size; /* bytes */
	uint64_t changed_ns; /* wall clock of the last change of its contents */
	uint64_t touched_ns; /* the same of any change, which nobody can set; 0: not known */
	char build_id[BUILD_ID_TEXT]; /* in hexadecimal; "" if it has none */
};

/** struct user_mapped - a part of the memory of a process */
struct user_mapped {
	uint64_t begin; /* address */
	uint64_t end; /* behind it */
	uint64_t offset; /* of @begin in the file */
	bool is_code; /* it is executable */
	unsigned int major; /* of the device that the file is on */
	unsigned int minor;
	uint64_t inode; /* of the file; 0: none */
	/* in the root of the process, or from ours if it has none of its own; or "[vdso]"; or "" */
	char *path;
};

struct user_binary;
struct user_names;

/**
 * user_program() - the file that execvp() would execute
 * @word: a path, or a name to be found in PATH
 *
 * Return: its path, owned by the caller; or NULL.
 */
char *user_program(const char *word, struct error *e);

/**
 * user_open() - find a program or library, and read its symbols and marks
 * @word: path, or the name of a library such as "libc", or of a program
 * @pid: process that has it mapped, also in a container; 0: any
 *
 * Return: freed by user_close(), or NULL.
 */
struct user_binary *user_open(const char *word, pid_t pid, struct error *e);

/** user_close() - release; @b may be NULL */
void user_close(struct user_binary *b);

/** user_path() - the path by which the kernel finds it; owned by @b */
const char *user_path(const struct user_binary *b);

/** user_symbols() - all functions, by name; owned by @b */
const struct user_symbol *user_symbols(const struct user_binary *b, size_t *n);

/** user_marks() - all marks, by provider and name; owned by @b */
const struct user_mark *user_marks(const struct user_binary *b, size_t *n);

/**
 * user_find() - find one function
 * @name: its name, with "@VERSION" or without; in the words of its language; or "0xOFFSET", the
 *	place in the file where a function begins
 *
 * Return: owned by @b; NULL if there is none, or several.
 */
const struct user_symbol *user_find(const struct user_binary *b, const char *name, struct error *e);

/** user_find_mark() - find a mark; @name: "PROVIDER:NAME" or "NAME". Return: owned by @b, or NULL
 */
const struct user_mark *user_find_mark(const struct user_binary *b, const char *name,
				       struct error *e);

/**
 * user_argument() - where an argument of a static probe is
 * @arguments: as its note describes them
 *
 * Return: false if there are fewer.
 */
bool user_argument(const char *arguments, unsigned int index, struct user_argument *a);

/**
 * user_params() - the parameters of a function, where it begins
 * @b: whose debug information is opened at the first call
 *
 * Return: their number, 0 without debug information.
 */
size_t user_params(struct user_binary *b, const struct user_symbol *s,
		   struct user_param params[USER_PARAMS_MAX]);

/** enum user_result - what a function returns */
enum user_result {
	USER_RETURNS_UNKNOWN, /* without debug information, or a structure */
	USER_RETURNS_NUMBER, /* or an address */
	USER_RETURNS_FLOAT,
	USER_RETURNS_NOTHING,
};

/** struct user_return - the return value of a function; @bytes, @is_signed: of a number */
struct user_return {
	enum user_result is;
	unsigned int bytes;
	bool is_signed;
};

/** user_return() - what a function returns, by debug information; @b: as of user_params() */
struct user_return user_return(struct user_binary *b, const struct user_symbol *s);

/** user_params_never() - why this build knows no parameters: half a sentence; NULL if it does */
const char *user_params_never(void);

/**
 * user_variants() - of a function that chooses one of several, those that can be traced
 * @words: receives a few names, as a next step; "" if none is known
 */
void user_variants(const struct user_binary *b, const struct user_symbol *s, char *words,
		   size_t size);

/** user_matches() - whether a name of the function matches a glob, or is what user_find() takes */
bool user_matches(const struct user_symbol *s, const char *glob);

/** user_mark_matches() - whether PROVIDER:NAME, or NAME, matches a glob */
bool user_mark_matches(const struct user_mark *m, const char *glob);

/** user_lacks() - what would help to find more functions: half a sentence; "" if all is there */
const char *user_lacks(const struct user_binary *b);

/**
 * user_breaks() - how a probe at the return of a function may break the program
 *
 * The frame of such a call cannot be unwound by an exception of C++ or a panic of Rust. Where
 * stacks are switched, the kernel takes the returns for those of other calls.
 *
 * Return: half a sentence; NULL if nothing of the kind is known.
 */
const char *user_breaks(const struct user_binary *b);

/** user_which() - which file was read; valid until user_close() */
const struct user_file *user_which(const struct user_binary *b);

/** user_file_read() - which file is there now. Return: 0 or -errno */
int user_file_read(const char *path, struct user_file *file);

/**
 * user_file_hold() - open a file if it is still the one that was read
 * @then: what was read; if it has no @touched_ns, the same inode is right, if no @inode, any file
 *
 * Return: descriptor, -ESTALE if it is another file or was changed, or -errno.
 */
int user_file_hold(const char *path, const struct user_file *then);

/**
 * user_file_moved() - whether a path leads to another file, or to other contents
 * @then: what was there
 * @why: receives half a sentence if so, else ""
 *
 * Probes belong to the file and not to the path. A file that was copied over itself is the same.
 */
bool user_file_moved(const char *path, const struct user_file *then, char *why, size_t size);

/**
 * user_mapped_read() - read a line of /proc/PID/maps
 * @line: will hold the path, and is cut behind it
 *
 * Return: false if it is none.
 */
bool user_mapped_read(char *line, struct user_mapped *m);

/**
 * user_mapped_path() - by which path the file of a mapping is opened from here
 * @root: where /proc is, "" but for tests
 *
 * Return: a path, which may lead to nothing, owned by the caller; NULL when out of memory.
 */
char *user_mapped_path(const char *root, pid_t pid, const struct user_mapped *m);

/**
 * user_names_open() - read the functions of a file, to name what is at its places
 * @file: which one was meant; NULL: whichever is there now
 *
 * Unlike user_open() it takes files for other machines and reads no instruction and no mark.
 *
 * Return: freed by user_names_close(); NULL if it cannot be read, or is another file.
 */
struct user_names *user_names_open(const char *path, const struct user_file *file);

/**
 * user_names_find() - the function at a place
 * @offset: in the file
 * @into: receives how far into the function that is
 *
 * Return: its name in the words of its language, owned by @names; or NULL.
 */
const char *user_names_find(struct user_names *names, uint64_t offset, uint64_t *into);

/** user_names_close() - release; @names may be NULL */
void user_names_close(struct user_names *names);

/** user_first_of() - how the kernel treats an instruction; @code: @n bytes of it and what follows
 */
enum user_first user_first_of(const unsigned char *code, size_t n);

/**
 * user_first_refused() - why no probe may replace an instruction: the kernel refuses it, which
 * nobody is told where the file is mapped later, or does something else in its place
 * @code: @n bytes of it and what follows
 *
 * Return: half a sentence about a function that begins with it; NULL if a probe may be there.
 */
const char *user_first_refused(const unsigned char *code, size_t n);

/** user_first_words() - that in words: "nop: emulated", "single-stepped" and so on */
const char *user_first_words(enum user_first first);

#endif /* KSTATS_USER_H */
