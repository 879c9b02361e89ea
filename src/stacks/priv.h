/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of stacks share. */
#ifndef KSTATS_STACKS_PRIV_H
#define KSTATS_STACKS_PRIV_H

#include "stacks/stacks.h"
#include "stacks/symbols.h"

/** struct stacks_file - a program or library */
struct stacks_file {
	uint64_t device;
	uint64_t inode;
	char *path; /* owned; by which it was opened */
	const char *base; /* the last part of its name, in @shown */
	char *shown; /* owned; its name */
	struct user_names *names; /* owned; NULL: it could not be read */
};

/** struct stacks_range - executable memory of a process */
struct stacks_range {
	struct user_mapped mapped; /* its path is owned */
	struct stacks_file *file; /* NULL: not looked for yet */
};

/** struct stacks_process - what a process has in its memory */
struct stacks_process {
	pid_t pid;
	pid_t parent; /* which it has its memory from, if that cannot be read; 0: none */
	bool is_read; /* @ranges are known */
	bool is_gone; /* it has ended */
	struct stacks_range *ranges; /* owned; sorted */
	size_t n;
};

struct stacks_ring;

struct stacks {
	char *root; /* owned */
	struct symbols kernel;
	struct symbols data; /* variables; empty if they were not read */
	bool kernel_read; /* it was tried */
	int kernel_err; /* of symbols_read() */
	struct stacks_file **files; /* owned */
	size_t n_files;
	struct stacks_process *processes; /* owned; sorted by pid */
	size_t n_processes;
	struct stacks_ring *rings; /* owned; of each processor: what processes map */
	size_t n_rings;
	bool has_gaps; /* the kernel could not tell all */
};

/** stacks_process_find() - a process that is known. Return: valid until the next is added; NULL */
struct stacks_process *stacks_process_find(const struct stacks *s, pid_t pid);

/** stacks_process_add() - the same, or a new one; NULL when out of memory */
struct stacks_process *stacks_process_add(struct stacks *s, pid_t pid);

/** stacks_process_clear() - forget what it maps, and all else but its number */
void stacks_process_clear(struct stacks_process *p);

/** stacks_process_map() - it has mapped a file, in place of what was there; copies the path */
void stacks_process_map(struct stacks_process *p, const struct user_mapped *m);

/** stacks_forget_gone() - forget processes that have ended */
void stacks_forget_gone(struct stacks *s);

/** stacks_hear() - a record of the kernel (struct perf_event_header, and what follows it) */
void stacks_hear(struct stacks *s, const void *record);

/** stacks_unfollow() - the kernel tells no more */
void stacks_unfollow(struct stacks *s);

/** stacks_free_processes() - release them */
void stacks_free_processes(struct stacks *s);

/** stacks_free_files() - release them */
void stacks_free_files(struct stacks *s);

#endif /* KSTATS_STACKS_PRIV_H */
