/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - everything that differs between the kernels from 6.1 to 7.3. Included by every
 * file here that registers something with BPF.
 */
#ifndef KSTATS_COMPAT_H
#define KSTATS_COMPAT_H

#include <linux/btf.h>
#include <linux/btf_ids.h>

/* From 7.0 on this is the default, and the flag is gone. */
#ifndef KF_TRUSTED_ARGS
#define KF_TRUSTED_ARGS 0
#endif

/* From 6.9 on a set of kfuncs has its own macro. */
#ifndef BTF_KFUNCS_START
#define BTF_KFUNCS_START(name) BTF_SET8_START(name)
#define BTF_KFUNCS_END(name) BTF_SET8_END(name)
#endif

#ifndef __bpf_kfunc
#define __bpf_kfunc __used noinline
#endif

/* Only BPF programs call a kfunc, so it needs no declaration of its own. */
#ifndef __bpf_kfunc_start_defs
#define __bpf_kfunc_start_defs()                                             \
	__diag_push();                                                       \
	__diag_ignore_all("-Wmissing-declarations", "called from BPF only"); \
	__diag_ignore_all("-Wmissing-prototypes", "called from BPF only")
#define __bpf_kfunc_end_defs() __diag_pop()
#endif

#ifdef CONFIG_KSTATS_DIRECT
#include <linux/ftrace.h>
#include <linux/version.h>

/*
 * Before 6.4 the calls that take a struct ftrace_ops had names of their own, and a module had its
 * code elsewhere.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define compat_module_text(mod) (((struct module *)(mod))->core_layout.base)
#define compat_module_text_size(mod) (((struct module *)(mod))->core_layout.text_size)
#define compat_register_direct register_ftrace_direct_multi
/* It leaves the filter to its caller. */
#define compat_unregister_direct(ops, addr)                                 \
	({                                                                  \
		int compat_err = unregister_ftrace_direct_multi(ops, addr); \
                                                                            \
		if (!compat_err)                                            \
			ftrace_free_filter(ops);                            \
		compat_err;                                                 \
	})
#define compat_modify_direct modify_ftrace_direct_multi_nolock
#else
#define compat_module_text(mod) (((struct module *)(mod))->mem[MOD_TEXT].base)
#define compat_module_text_size(mod) (((struct module *)(mod))->mem[MOD_TEXT].size)
#define compat_register_direct register_ftrace_direct
#define compat_unregister_direct(ops, addr) unregister_ftrace_direct(ops, addr, true)
#define compat_modify_direct modify_ftrace_direct_nolock
#endif

/* From 6.16 on the tracepoint of a task's end tells one thing more. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define COMPAT_EXIT_ARGS
#else
#define COMPAT_EXIT_ARGS , bool last_of_process
#endif

/* From 7.0 on ftrace can jump in place of calling, and says which place it asks about. */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_JMP
#define COMPAT_OPS_IP unsigned long ip,
#else
#define COMPAT_OPS_IP
#define ftrace_jmp_set(addr) (addr)
#endif
#endif

#endif /* KSTATS_COMPAT_H */
