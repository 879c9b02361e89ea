// SPDX-License-Identifier: GPL-2.0-only
/* How many bytes does each read(2) return? A program that records into a node of the module. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "kstats_kfunc.h"

__u32 id; /* of the node; set by user space */

SEC("fexit/vfs_read")
int BPF_PROG(read_end, void *file, void *buf, __u64 size, void *pos, __s64 got)
{
	if (got >= 0)
		kstats_record(id, got);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
