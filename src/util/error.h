/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * error.h - carries the description of a failure from where it is known to where it is
 * printed. In: what failed, why, and what to do. Out: one sentence. Called by every layer;
 * printed only by cmd/ and main. A function that takes a struct error fills it in when it
 * fails, and returns 0 or -errno, or NULL.
 */
#ifndef KSTATS_ERROR_H
#define KSTATS_ERROR_H

/** enum exit_status - exit codes of every command */
enum exit_status {
	EXIT_DONE = 0, /* done */
	EXIT_CHECK = 1, /* a check failed */
	EXIT_USAGE = 2, /* wrong usage, input or output */
	EXIT_LEDGER = 3, /* ledger unbalanced or loss above --max-loss, or inconclusive */
	EXIT_KERNEL = 4, /* this kernel or user cannot do it */
	EXIT_OVERHEAD = 5, /* the overhead passed the limit */
};

/** struct error - one failure */
struct error {
	int err; /* negative errno */
	enum exit_status status; /* exit code it leads to */
	char what[384]; /* what failed and on what: "cannot trace 'foo'" */
	char why[512]; /* the reason: "no function of this kernel has that name" */
	char next[384]; /* what to do: "see 'kstats-bpf list'"; may be empty */
};

/**
 * error_set() - fill in a failure
 * @e: filled in; may be NULL
 * @status: exit code
 * @err: negative errno
 * @why: reason, or NULL for the errno's own text
 * @next: what the user can do, or NULL
 * @what: printf format of what failed and on what
 *
 * All text is made safe for a terminal.
 *
 * Return: @err, so that callers can return error_set(...).
 */
int error_set(struct error *e, enum exit_status status, int err, const char *why, const char *next,
	      const char *what, ...) __attribute__((format(printf, 6, 7)));

/** error_no_memory() - report that memory is short; @what: as of error_set(). Return: -ENOMEM */
int error_no_memory(struct error *e, const char *what, ...) __attribute__((format(printf, 2, 3)));

/** error_print() - "kstats-bpf: WHAT: WHY; NEXT" on stderr. Return: the exit code of @e */
int error_print(const struct error *e);

/** error_name() - EAGAIN and the like, and those of the kernel alone; NULL if it has none */
const char *error_name(int number);
/** error_number() - the number of an error name like EAGAIN, or 0 if there is no such name */
int error_number(const char *name);

#endif /* KSTATS_ERROR_H */
