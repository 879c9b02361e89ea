// SPDX-License-Identifier: GPL-2.0-only
/* user_names.cpp - methods of equal names. Part of user.c. */
#include "kstats_user.h"

/* Stops the compiler from jumping in place of the last call. */
#define RETURN_HERE() __asm__ volatile("")

struct first {
	void run();
};

struct second {
	void run();
};

__attribute__((noinline)) void first::run()
{
	KSTATS_BEGIN(req);
	RETURN_HERE();
}

__attribute__((noinline)) void second::run()
{
	KSTATS_END(req);
	RETURN_HERE();
}

/* The frame of the end is below that of the begin. */
static __attribute__((noinline)) void deeper()
{
	char space[64];

	__asm__ volatile("" : : "r"(space) : "memory");
	second().run();
	RETURN_HERE();
}

extern "C" void equal_names(void);

extern "C" void equal_names(void)
{
	first().run();
	deeper();
}
