// SPDX-License-Identifier: GPL-2.0-only
/* refusal.c - why the kernel refused. */
#include "util/refusal.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/arch.h"
#include "util/file.h"

#define FIRST_USER_NAMESPACE "user:[4026531837]"
#define FEW_FILES 64 /* maps and programs of one session may need as many */

int refusal_has_cap(int cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	if (syscall(SYS_capget, &header, data))
		return 0;
	return data[cap / 32].effective >> (cap % 32) & 1;
}

bool refusal_may_load(void)
{
	return refusal_has_cap(CAP_SYS_ADMIN) ||
	       (refusal_has_cap(CAP_BPF) && refusal_has_cap(CAP_PERFMON));
}

bool refusal_in_user_namespace(void)
{
	char link[64] = "";

	return readlink("/proc/self/ns/user", link, sizeof(link) - 1) > 0 &&
	       strcmp(link, FIRST_USER_NAMESPACE);
}

bool refusal_is_by_limit(int err)
{
	return err == -EMFILE || err == -ENFILE;
}

bool refusal_few_files(int err, char *why, size_t size)
{
	struct rlimit files = { .rlim_cur = RLIM_INFINITY };

	if (err != -EINVAL || getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= FEW_FILES)
		return false;
	snprintf(why, size,
		 "the kernel says: %s; perhaps since this process may open only %llu files: raise "
		 "the limit with 'ulimit -n'",
		 strerror(-err), (unsigned long long)files.rlim_cur);
	return true;
}

void refusal_blame(int err, char *why, size_t size)
{
	char text[128];

	if (refusal_is_by_limit(err))
		snprintf(why, size, "%s may open no more files: close some, or raise %s",
			 err == -EMFILE ? "this process" : "all processes together",
			 err == -EMFILE ? "the limit with 'ulimit -n'" : "fs.file-max");
	else if (refusal_few_files(err, why, size))
		return;
	else if (err == -ENODATA)
		snprintf(why, size,
			 "it gave libbpf no map for global variables; perhaps just now only");
	else if (err == -ENOTSUPP)
		snprintf(why, size,
			 "this kernel has no direct calls of functions on " ARCH_NAME
			 ", which fentry needs");
	else if (err != -EPERM && err != -EACCES)
		snprintf(why, size, "the kernel says: %s", strerror(-err));
	else if (refusal_in_user_namespace())
		snprintf(why, size,
			 "privileges of a user namespace, as in a rootless container, "
			 "do not count for BPF");
	else if (!refusal_may_load())
		snprintf(why, size, "the user lacks CAP_BPF and CAP_PERFMON");
	else if (prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER)
		snprintf(why, size, "a seccomp filter forbids it, as those of containers do");
	else if (!file_first_line("", "/sys/kernel/security/lockdown", text, sizeof(text)) &&
		 !strstr(text, "[none]"))
		snprintf(why, size, "kernel lockdown forbids it (%s)", text);
	else if (!file_first_line("", "/sys/kernel/security/lsm", text, sizeof(text)))
		snprintf(why, size, "a security policy forbids it (security modules: %s)", text);
	else
		snprintf(why, size, "a security policy of this machine forbids it");
}

int refusal_check_user(bool needs_bpf, const char *what, struct error *e)
{
	char why[256];

	if (!needs_bpf || refusal_may_load())
		return 0;
	refusal_blame(-EPERM, why, sizeof(why));
	return error_set(e, EXIT_KERNEL, -EPERM, why, "see 'kstats-bpf doctor'", "cannot %s", what);
}

int refusal_check_pages(long most, const char *what, struct error *e)
{
	long size = sysconf(_SC_PAGESIZE);
	char why[96];

	if (size <= most)
		return 0;
	snprintf(why, sizeof(why), "its pages are %ld KiB, and at most %ld KiB are supported",
		 size >> 10, most >> 10);
	return error_set(e, EXIT_KERNEL, -EOPNOTSUPP, why, "boot a kernel with smaller pages",
			 "cannot %s on this kernel", what);
}

void refusal_blame_module(int err, char *why, size_t size)
{
	if (!refusal_has_cap(CAP_SYS_ADMIN))
		snprintf(why, size,
			 "the user lacks CAP_SYS_ADMIN, which the kfuncs of a module need");
	else if (!*why && err == -EACCES)
		snprintf(why, size, "this kernel lets no program call its kfuncs");
	else if (!*why)
		refusal_blame(err, why, size);
}
