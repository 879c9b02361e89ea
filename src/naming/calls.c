// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls.c - the system calls of this machine: those of the headers that it is built with, and those
 * that later kernels have, which are the same on all machines.
 */
#include <asm/unistd.h>

#include "naming/naming.h"

/* Of asm-generic/unistd.h, 6.7 to 6.18. */
#define LATER(call)                                                                                \
	call(451, cachestat) call(452, fchmodat2) call(453, map_shadow_stack)                      \
		call(454, futex_wake) call(455, futex_wait) call(456, futex_requeue) call(         \
			457, statmount) call(458, listmount) call(459, lsm_get_self_attr)          \
			call(460, lsm_set_self_attr) call(461, lsm_list_modules) call(462, mseal)  \
				call(463, setxattrat) call(464, getxattrat) call(465, listxattrat) \
					call(466, removexattrat) call(467, open_tree_attr)         \
						call(468, file_getattr) call(469, file_setattr)

#define KNOWN(name) { __NR_##name, #name },
#define CALL(number, name) { number, #name },

static const struct {
	unsigned int number;
	const char *name;
} calls[] = {
/* The first one of a number counts. */
#include "syscalls.h"
	LATER(CALL)
};

bool naming_call(unsigned int nth, unsigned int *number, const char **name)
{
	if (nth >= sizeof(calls) / sizeof(*calls))
		return false;
	*number = calls[nth].number;
	*name = calls[nth].name;
	return true;
}
