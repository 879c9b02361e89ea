// SPDX-License-Identifier: GPL-2.0-only
/* uprobes_lib.c - a library that uprobes.c loads and unloads. */
extern int lib_calls;
int lib_calls;

void lib_call(void);

void lib_call(void)
{
	lib_calls++;
}
