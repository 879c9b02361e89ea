// SPDX-License-Identifier: GPL-2.0-only
/* denied.c - tables of functions that this program refuses to trace. */
#include "facts/priv.h"

#include <string.h>

#include "util/arch.h"

/* A name that ends in '*' is a prefix. Grouped by what each entry protects. */
static const char *const recording[] = {
	"__bpf_prog_enter*",
	"__bpf_prog_exit*",
	"__bpf_tramp_*",
	"bpf_trampoline_*",
	"bpf_get_current_*",
	"bpf_ktime_get_*",
	"ktime_get_mono_fast_ns",
	"bpf_get_attach_cookie*",
	"bpf_get_func_ret",
	"bpf_map_lookup_elem",
	"bpf_map_update_elem",
	"bpf_map_delete_elem",
	"bpf_get_smp_processor_id",
	"array_map_*",
	"percpu_array_map_*",
	"htab_map_*",
	"__htab_map_*",
	"trace_call_bpf*",
	"__bpf_trace_*",
	"bpf_trace_run*",
	"rethook_*",
	"arch_rethook_*",
	"kretprobe_*",
	"kprobe_ftrace_handler",
	"kprobe_perf_func",
	"kretprobe_perf_func",
	"kprobe_dispatcher",
	"kretprobe_dispatcher",
	"pre_handler_kretprobe",
	"migrate_disable",
	"migrate_enable",
	"__rcu_read_lock",
	"__rcu_read_unlock",
	"rcu_read_unlock_strict",
	"kstats_record*",
	NULL,
};

static const char *const never_returns[] = {
	"__fortify_panic",
	"__module_put_and_kthread_exit",
	"__stack_chk_fail",
	"cpu_startup_entry",
	"do_exit",
	"do_group_exit",
	"do_idle_dead",
	"do_task_dead",
	"emergency_restart",
	"kthread_complete_and_exit",
	"kthread_exit",
	"machine_real_restart",
	"make_task_dead",
	"nmi_panic_self_stop",
	"panic",
	"panic_smp_self_stop",
	"play_dead",
	"rest_init",
	"rewind_stack_and_make_dead",
	"start_kernel",
	"stop_this_cpu",
	"vpanic",
	ARCH_NEVER_RETURN,
	NULL,
};

static bool listed(const char *const *list, const char *name)
{
	size_t len;

	for (; *list; list++) {
		if ((*list)[0] != name[0])
			continue;
		len = strlen(*list);
		if ((*list)[len - 1] == '*' ? !strncmp(*list, name, len - 1) : !strcmp(*list, name))
			return true;
	}
	return false;
}

const char *facts_denied(const char *name)
{
	return listed(recording, name) ? "recording a sample uses it itself" : NULL;
}

bool facts_noreturn(const char *name)
{
	return listed(never_returns, name);
}
