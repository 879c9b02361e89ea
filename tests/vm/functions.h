/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * functions.h - functions of the kernel, for programs that hand them to the module. In: a name.
 * Out: what KSTATS_DEV_ATTACH takes. Included by faults.c and kmod/tool.c.
 */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <linux/types.h>

/** address_of() - the first symbol of that name in /proc/kallsyms, or 0 */
__u64 address_of(const char *name);

/** program_of() - load an empty program for fentry of a function; its descriptor, or -errno */
int program_of(const char *name);

#endif
