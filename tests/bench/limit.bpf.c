// SPDX-License-Identifier: GPL-2.0-only
/*
 * limit.bpf.c - what no tool can be cheaper than: two programs that do nothing,
 * and two that read the clock. Loaded by calls.c.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

SEC("tp_btf/sys_enter")
int empty_enter(void *ctx)
{
	return 0;
}

SEC("tp_btf/sys_exit")
int empty_exit(void *ctx)
{
	return 0;
}

SEC("tp_btf/sys_enter")
int clocks_enter(void *ctx)
{
	bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sys_exit")
int clocks_exit(void *ctx)
{
	bpf_ktime_get_ns();
	return 0;
}

SEC("fentry/kt_empty")
int empty_fentry(void *ctx)
{
	return 0;
}

SEC("fexit/kt_empty")
int empty_fexit(void *ctx)
{
	return 0;
}

SEC("fentry/kt_empty")
int clocks_fentry(void *ctx)
{
	bpf_ktime_get_ns();
	return 0;
}

SEC("fexit/kt_empty")
int clocks_fexit(void *ctx)
{
	bpf_ktime_get_ns();
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
