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
	struct stacks_range *ranges; /* owned; sorted */
	size_t n;
};

struct stacks {
	char *root; /* owned */
	struct symbols kernel;
	bool kernel_read; /* it was tried */
	int kernel_err; /* of symbols_read() */
	struct stacks_file **files; /* owned */
	size_t n_files;
	struct stacks_process *processes; /* owned; sorted by pid */
	size_t n_processes;
};

/** stacks_free_processes() - release them */
void stacks_free_processes(struct stacks *s);

/** stacks_free_files() - release them */
void stacks_free_files(struct stacks *s);

#endif /* KSTATS_STACKS_PRIV_H */
