// SPDX-License-Identifier: GPL-2.0-only
/* user_points.c - markers of a program: each access to memory of theirs is a point. */
/* A marker that waits asks who it is at each try, which a system call would be. */
#define getpid model_getpid
#define syscall model_syscall
#include "kstats_user.h"
#include "user.h"

void user_pair(void)
{
	KSTATS_BEGIN(req);
	KSTATS_END(req);
}

struct kstats_user_marker *user_marker(void)
{
	KSTATS_USER_MARKER(req, marker);
	return marker;
}

void user_process(const __u32 *version)
{
	kstats_user_process.version = version;
}

void *user_thread(unsigned long *size)
{
	*size = sizeof(kstats_user_thread);
	return &kstats_user_thread;
}
