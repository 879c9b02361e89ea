/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user.h - what the model of the markers (test_user.c) takes from a program with markers. In:
 * nothing. Out: a begin and an end, and what they keep.
 */
#ifndef MODEL_USER_H
#define MODEL_USER_H

#include <linux/types.h>

/** user_pair() - a begin and its end */
void user_pair(void);

/** user_marker() - the marker of both */
struct kstats_user_marker *user_marker(void);

/** user_process() - let the program find its version at @version */
void user_process(const __u32 *version);

/** user_thread() - the open begins of this thread, and their @size in bytes */
void *user_thread(unsigned long *size);

/** model_getpid() - as getpid() of the one process that this is */
int model_getpid(void);

/** model_syscall() - as syscall(), which is not asked for the thread that this is */
long model_syscall(long number, ...);

#endif /* MODEL_USER_H */
