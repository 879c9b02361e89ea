/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kstats_calls.h - what the BPF programs and user space share of calls of kfuncs. In an object
 * such a call has a number from here, in place of which user space puts the kernel's own when it
 * loads the program. If the object named the kfunc, libbpf would read all types of the kernel to
 * find it, by one system call for each page, though user space already has them.
 */
#ifndef KSTATS_CALLS_H
#define KSTATS_CALLS_H

/** enum kstats_call - kfuncs; those of the module kstats come last */
enum kstats_call {
	KSTATS_CALL_IS_RETURN,
	KSTATS_CALL_COOKIE,
	KSTATS_CALL_TASK_NEW,
	KSTATS_CALL_TASK_NEXT,
	KSTATS_CALL_TASK_DESTROY,
	KSTATS_CALL_RECORD,
	KSTATS_CALL_ARRAY_RECORD,
	KSTATS_CALLS,
};

#define KSTATS_CALL_MODULE KSTATS_CALL_RECORD /* the first of the module */
#define KSTATS_CALL_MAGIC 0x6b630000 /* stands for the first kfunc, and so on */

#endif /* KSTATS_CALLS_H */
