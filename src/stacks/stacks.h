/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stacks.h - frames of the kernel, of modules and of programs by name. In: addresses, or places
 * in files. Out: functions. Each file is read once, when a frame needs it. Called by session.
 */
#ifndef KSTATS_STACKS_H
#define KSTATS_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "user/user.h"

#define STACKS_TEXT 512 /* bytes of a frame as text, which is cut there */

struct stacks;

/** enum stacks_kind - what an address is */
enum stacks_kind {
	STACKS_PLACE, /* of the instruction that runs */
	STACKS_RETURN, /* behind a call: the call is named, even if its function ends with it */
};

/** struct stacks_frame - where an address is; its texts are valid until stacks_close() */
struct stacks_frame {
	const char *function; /* NULL: not known */
	/* the module; the base name of the program or library; "vdso", "anon"; "": the kernel
	 * proper; NULL: not known
	 */
	const char *in;
	/* in @function; else in the file @in, or from the begin of that memory; else the address
	 * itself, 0: of a process that is gone
	 */
	uint64_t offset;
	bool in_kernel; /* a function of the kernel, of a module or of a BPF program */
};

/**
 * stacks_open() - prepare to name frames; nothing is read yet
 * @root: where /proc is, "" but for tests
 *
 * Return: freed by stacks_close(); NULL when out of memory.
 */
struct stacks *stacks_open(const char *root);

/**
 * stacks_read() - read the functions of the kernel now
 *
 * Otherwise that is done when the first frame of the kernel is named, for which privileges may be
 * needed that are dropped by then.
 */
void stacks_read(struct stacks *s);

/** stacks_read_data() - the same, and its variables, for stacks_pointer() */
void stacks_read_data(struct stacks *s);

/**
 * stacks_follow() - let the kernel tell what processes map from now on
 *
 * So frames of a process have names after its end, too. Where the kernel refuses, all is as before.
 */
void stacks_follow(struct stacks *s);

/** stacks_catch_up() - read what the kernel has told: from time to time, and before naming */
void stacks_catch_up(struct stacks *s);

/** stacks_kernel() - an address of the kernel, of a module or of a BPF program */
void stacks_kernel(struct stacks *s, uint64_t address, enum stacks_kind kind,
		   struct stacks_frame *f);

/**
 * stacks_pointer() - a function or a variable of the kernel or of a module
 * @address: what a pointer holds; after stacks_read_data()
 * @f: a variable is told as a function
 * @is_shared: receives whether others have its name
 *
 * Return: false if it points to something else.
 */
bool stacks_pointer(struct stacks *s, uint64_t address, struct stacks_frame *f, bool *is_shared);

/** stacks_program() - an address of a process, by what it has in its memory now, or had */
void stacks_program(struct stacks *s, pid_t pid, uint64_t address, enum stacks_kind kind,
		    struct stacks_frame *f);

/**
 * stacks_file() - a place in a file, whose process may be gone
 * @path: of the file, as it is found from here
 * @file: which one it must be; @file->inode is 0: whichever is there
 * @offset: in the file
 *
 * Return: false if that file is not there any more; then only its name and the offset are told.
 */
bool stacks_file(struct stacks *s, const char *path, const struct user_file *file, uint64_t offset,
		 enum stacks_kind kind, struct stacks_frame *f);

/**
 * stacks_text() - a frame as text: "vfs_read+0x1c", "kt_empty+0x5 [kstats_target]", "main+0x12",
 * "[libc.so.6+0x12345]", "[anon+0x40]", "0xffffffff81000000", "[unknown]"
 * @with_offset: else functions are told without it, which makes stacks alike that differ in it
 * @buf: %STACKS_TEXT are enough
 *
 * A line of the text holds ";" nowhere, so that frames can be joined by it.
 *
 * Return: @buf, which may hold bytes that control a terminal.
 */
char *stacks_text(const struct stacks_frame *f, bool with_offset, char *buf, size_t size);

/** stacks_hidden() - why no frame of the kernel has a name: half a sentence; or NULL */
const char *stacks_hidden(struct stacks *s);

/** stacks_close() - release; @s may be NULL */
void stacks_close(struct stacks *s);

#endif /* KSTATS_STACKS_H */
