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

#endif /* KSTATS_COMPAT_H */
