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

#include "util/error.h"

/** enum user_first - what the kernel does with the instruction that a probe replaces */
enum user_first {
	USER_STEPPED, /* the thread executes it as a single step, which takes several times as long
		       */
	USER_NOP, /* nothing */
	USER_PUSH, /* emulates a push */
	USER_JUMP, /* emulates a jump or a call */
};

/** struct user_symbol - a function */
struct user_symbol {
	char *name; /* owned; as the symbol table has it, without version */
	char *version; /* owned; "" without one */
	char *shown; /* owned; @name in the words of its language */
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
	char *arguments; /* owned; as the note describes them */
	uint64_t *offsets; /* owned; @n places in the file */
	size_t n;
	/* place in the file of the count of those who listen, or 0 */
	uint64_t semaphore;
	enum user_first first; /* the instruction at the first place */
};

struct user_binary;

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

/** user_find_mark() - find a mark; @name: "PROVIDER:NAME". Return: owned by @b, or NULL */
const struct user_mark *user_find_mark(const struct user_binary *b, const char *name,
				       struct error *e);

/** user_matches() - whether a name of the function matches a glob */
bool user_matches(const struct user_symbol *s, const char *glob);

/** user_mark_matches() - whether PROVIDER:NAME, or NAME, matches a glob */
bool user_mark_matches(const struct user_mark *m, const char *glob);

/** user_lacks() - what would help to find more functions: half a sentence; "" if all is there */
const char *user_lacks(const struct user_binary *b);

/**
 * user_throws() - whether its functions may throw exceptions, of C++ or as Rust panics do
 *
 * The frame of a call with a probe at its return cannot be unwound, and ends the program.
 */
bool user_throws(const struct user_binary *b);

/** user_first_of() - how the kernel treats an instruction; @code: @n bytes of it and what follows
 */
enum user_first user_first_of(const unsigned char *code, size_t n);

/** user_first_words() - that in words: "nop: emulated", "single-stepped" and so on */
const char *user_first_words(enum user_first first);

#endif /* KSTATS_USER_H */
