/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vmlinux.h - the kernel types that bpf/ touches, and no others. Field offsets
 * are relocated when a program is loaded, so only names and types matter here.
 * `make vmlinux` compares this file with a kernel's BTF.
 */
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;
typedef __u8 u8;
typedef __u32 u32;
typedef __u64 u64;
typedef _Bool bool;
typedef int pid_t;

#define true 1
#define false 0

/* Kernel interface constants, as in the uapi header bpf.h. */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_STACK_TRACE = 7,
};

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_EXIST = 2,
	BPF_F_NO_PREALLOC = 1,
	BPF_F_MMAPABLE = 1024,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct uprobe_task {
	unsigned int depth;
};

struct task_struct {
	unsigned int __state;
	void *stack;
	pid_t pid;
	pid_t tgid;
	unsigned long nvcsw;
	unsigned long nivcsw;
	unsigned long long start_time;
	char comm[16];
	const struct cred *cred;
	struct css_set *cgroups;
	unsigned int flags;
	struct {
		int counter;
	} trace_overrun; /* not on every kernel */
	struct uprobe_task *utask;
};

/* The type of @misses has a member here: clang 22 and 23 crash on the offset of an empty one. */
struct bpf_prog_stats {
	struct {
		unsigned long v;
	} misses;
};

struct bpf_prog_aux {
	u32 id;
};

struct bpf_prog {
	struct bpf_prog_stats *stats;
	int *active;
	struct bpf_prog_aux *aux;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	u64 session_id;
	u64 seq_num;
};

struct bpf_map {
	u32 id;
};

struct bpf_array {
	void *pptrs[1];
};

struct bpf_iter__bpf_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
};

struct bpf_iter__bpf_prog {
	struct bpf_iter_meta *meta;
	struct bpf_prog *prog;
};

struct list_head {
	struct list_head *next;
};

struct file {
	void *private_data;
};

struct bpf_link {
	u32 id;
	struct bpf_prog *prog;
};

struct bpf_perf_link {
	struct file *perf_file;
};

struct bpf_iter__bpf_link {
	struct bpf_iter_meta *meta;
	struct bpf_link *link;
};

/* It has a member for the same reason as the type of @misses. */
struct trace_event_call {
	struct list_head list;
};

struct perf_event {
	struct trace_event_call *tp_event;
};

struct trace_probe {
	struct list_head list;
};

struct trace_probe_event {
	struct trace_event_call call;
	struct list_head probes;
};

struct kprobe {
	unsigned long nmissed;
};

struct kretprobe {
	struct kprobe kp;
	int nmissed;
};

struct trace_kprobe {
	struct kretprobe rp;
	unsigned long *nhit;
	struct trace_probe tp;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct kmem_cache {
	unsigned int size;
	unsigned int object_size;
	const char *name;
};

/* Records of trace events. Fields come and go: 7.0 put a name into those of caches. */
struct trace_event_raw_kmalloc {
	unsigned long call_site;
	const void *ptr;
	unsigned long bytes_req;
	unsigned long bytes_alloc;
	unsigned long gfp_flags;
	int node;
};

struct trace_event_raw_kmem_cache_alloc {
	unsigned long call_site;
	const void *ptr;
	unsigned long gfp_flags;
	int node;
};

struct trace_event_raw_kfree {
	unsigned long call_site;
	const void *ptr;
};

struct trace_event_raw_kmem_cache_free {
	unsigned long call_site;
	const void *ptr;
};

struct trace_event_raw_mm_page_alloc {
	unsigned long pfn;
	unsigned int order;
	unsigned long gfp_flags;
};

struct trace_event_raw_mm_page_free {
	unsigned long pfn;
};

struct kernfs_node {
	u64 id;
};

struct cgroup {
	int level;
	struct kernfs_node *kn;
};

struct bpf_iter__cgroup {
	struct bpf_iter_meta *meta;
	struct cgroup *cgroup;
};

struct kallsym_iter {
	unsigned long value;
	char type;
	char name[512];
	char module_name[56];
	int exported;
	int show_value;
};

struct bpf_iter__ksym {
	struct bpf_iter_meta *meta;
	struct kallsym_iter *ksym;
};

#pragma clang attribute pop

/* What a kprobe program gets; part of the kernel's interface, never relocated. */
#ifdef __TARGET_ARCH_arm64
#define pt_regs user_pt_regs
struct user_pt_regs {
	unsigned long regs[31];
	unsigned long sp;
	unsigned long pc;
	unsigned long pstate;
};
#else
struct pt_regs {
	unsigned long r15;
	unsigned long r14;
	unsigned long r13;
	unsigned long r12;
	unsigned long bp;
	unsigned long bx;
	unsigned long r11;
	unsigned long r10;
	unsigned long r9;
	unsigned long r8;
	unsigned long ax;
	unsigned long cx;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
	unsigned long ip;
	unsigned long cs;
	unsigned long flags;
	unsigned long sp;
	unsigned long ss;
};
#endif

#endif /* __VMLINUX_H__ */
