// SPDX-License-Identifier: GPL-2.0-only
/* caps.c - giving up capabilities. */
#include "util/caps.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int caps_keep(uint64_t mask, struct error *e)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	if (syscall(SYS_capget, &header, data))
		goto fail;
	data[0].permitted &= (uint32_t)mask;
	data[0].effective &= (uint32_t)mask;
	data[1].permitted &= (uint32_t)(mask >> 32);
	data[1].effective &= (uint32_t)(mask >> 32);
	data[0].inheritable = data[1].inheritable = 0;
	if (syscall(SYS_capset, &header, data) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		goto fail;
	return 0;
fail:
	return error_set(e, EXIT_KERNEL, -errno, NULL, NULL, "cannot give up privileges");
}
