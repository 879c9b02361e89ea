/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * naming.h - names of numbers of the kernel: of system calls, errors, soft interrupts and so on.
 * In: a number. Out: its name, and back. Pure; the names of devices and groups, which the machine
 * gives, are found by facts. Called by expr and session.
 */
#ifndef KSTATS_NAMING_H
#define KSTATS_NAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum naming - what a number is the number of */
enum naming {
	NAMING_NONE,
	NAMING_SYSCALL, /* a system call of this machine's 64-bit table */
	NAMING_ERRNO, /* a negative error */
	NAMING_SOFTIRQ, /* a vector of soft interrupts */
	NAMING_BLOCKOP, /* an operation of block devices */
	NAMING_STATE, /* a task's state, as of sched_switch */
	NAMING_PORT, /* a port in the order of the network */
	NAMING_TCPSTATE, /* a state of TCP */
	NAMING_DEVICE, /* the number of a block device in the kernel */
	NAMING_CGROUP, /* the id of a control group */
};

#define NAMING_BLOCKOP_MASK 0xff /* operation among flags */

/** naming_find() - the naming that a word is, such as "syscall"; NAMING_NONE: none */
enum naming naming_find(const char *word, size_t length);

/** naming_word() - the word of a naming */
const char *naming_word(enum naming naming);

/** naming_each() - call a function with the word of each naming */
void naming_each(void (*each)(void *ctx, const char *word), void *ctx);

/** naming_write() - the name of a number. Return: false if it has none here */
bool naming_write(enum naming naming, uint64_t number, char *buf, size_t size);

/** naming_compares() - whether each name stands for one number, which is known everywhere */
bool naming_compares(enum naming naming);

/**
 * naming_number() - the number of a name
 * @near: receives "did you mean ...?", or ""
 *
 * Return: false if there is no such name, or naming_compares() is false.
 */
bool naming_number(enum naming naming, const char *name, int64_t *number, char *near, size_t size);

/** naming_call() - the names and numbers of system calls, in no order. Return: false past the last
 * one */
bool naming_call(unsigned int nth, unsigned int *number, const char **name);

#endif /* KSTATS_NAMING_H */
