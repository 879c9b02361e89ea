/* SPDX-License-Identifier: GPL-2.0-only */
/* keys.h - what keys.bpf.c and keys.c share. */
#ifndef KEYS_H
#define KEYS_H

#define KEYS_MANY 300000 /* more than the table has places */

enum keys_work {
	KEYS_SHARED, /* starts and ends of keys that all threads have: the account balances */
	KEYS_OWN, /* of keys that one thread has: what each end finds is known */
	KEYS_FILL, /* one start of each of many keys */
	KEYS_DRAIN, /* one end of each of them */
};

/**
 * struct keys_run - one run of the program, its input and what it saw
 * @work: what is done, enum keys_work
 * @n: how many starts and ends together
 * @seed: of what is done when; not zero
 * @first: number of the first key
 * @n_keys: how many keys, at most 64 where they are one thread's own
 * @open: of the keys that are one thread's own, one bit each: a start is open
 * @starts: starts made
 * @recorded: ends that found a start
 * @unmatched: ends that found none
 * @superseded: starts of an own key that was open
 * @wrong: ends that found what they should not, or nothing where they should
 */
struct keys_run {
	__u64 work;
	__u64 n;
	__u64 seed;
	__u64 first;
	__u64 n_keys;
	__u64 open;
	__u64 starts;
	__u64 recorded;
	__u64 unmatched;
	__u64 superseded;
	__u64 wrong;
};

#endif /* KEYS_H */
