// SPDX-License-Identifier: GPL-2.0-only
/*
 * direct.bpf.c - programs that let the kernel module measure functions without a BPF program.
 * In: the variables below; user space sets them, then runs a program. Out: the
 * same variables, and the value that the program returns.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "kstats_kfunc.h"

__u32 id; /* node of the module */
__u64 address; /* of the function */
struct kstats_direct_filter filter;
__u32 process; /* in the initial PID namespace */

SEC("syscall")
int direct_attach(void *ctx)
{
	return kstats_direct_attach(id, address);
}

SEC("syscall")
int direct_detach(void *ctx)
{
	return kstats_direct_detach(id);
}

SEC("syscall")
int direct_filter(void *ctx)
{
	return kstats_direct_filter(id, &filter, sizeof(filter));
}

SEC("syscall")
int direct_follow(void *ctx)
{
	return kstats_direct_follow(id, process);
}

char LICENSE[] SEC("license") = "GPL";
