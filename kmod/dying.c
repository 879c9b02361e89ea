// SPDX-License-Identifier: GPL-2.0-only
/*
 * dying.c - see dying.h.
 *
 * At its end a task runs do_exit(), which does not return, nor do those who called it. So when
 * the tracepoint in it is reached, each frame on the stack that would return into a stub never
 * will. What do_exit() calls from then on returns, but for do_task_dead(), see kstats_direct.h.
 */
#include "dying.h"

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "compat.h"
#include "direct.h"

#define FRAMES 128 /* of a stack that are looked at in one go */

struct frames {
	unsigned long at[FRAMES];
};

static struct frames __percpu *frames;
static struct tracepoint *exit_point;

/* Only tasks come here, and none is preempted in between: one buffer for a CPU is enough. */
static void exits(void *unused, struct task_struct *task COMPAT_EXIT_ARGS)
{
	unsigned int n, i, seen = 0;
	unsigned long *at;

	if (!direct_in_use())
		return;
	preempt_disable_notrace();
	at = this_cpu_ptr(frames)->at;
	do {
		n = stack_trace_save(at, FRAMES, seen);
		for (i = 0; i < n; i++)
			direct_died(at[i]);
		seen += n;
	} while (n == FRAMES);
	preempt_enable_notrace();
}

struct named {
	const char *name;
	struct tracepoint *found;
};

static void compare(struct tracepoint *point, void *data)
{
	struct named *named = data;

	if (!strcmp(point->name, named->name))
		named->found = point;
}

/*
 * Modules cannot name these tracepoints, which are not exported to them. The kernel has one of each
 * name, since a name is that of a symbol, and those of modules are not among them. None of them
 * goes. So the first one would do; all are looked at, once when the module is loaded and once when
 * the first set of processes is made.
 */
struct tracepoint *tracepoint_named(const char *name)
{
	struct named named = { .name = name };

	for_each_kernel_tracepoint(compare, &named);
	return named.found;
}

int dying_init(void)
{
	int err = 0;

	/* The arguments are those of this kernel's tracepoint, or the module is not built. */
	check_trace_callback_type_sched_process_exit(exits);
	exit_point = tracepoint_named("sched_process_exit");
	frames = exit_point ? alloc_percpu(struct frames) : NULL;
	if (exit_point)
		err = frames ? tracepoint_probe_register(exit_point, exits, NULL) : -ENOMEM;
	else
		err = -EOPNOTSUPP;
	if (err)
		free_percpu(frames);
	return err;
}

void dying_exit(void)
{
	tracepoint_probe_unregister(exit_point, exits, NULL);
	tracepoint_synchronize_unregister();
	free_percpu(frames);
}
