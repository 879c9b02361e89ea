/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf_helpers.h - in place of libbpf's, for programs that are compiled for the machine they run
 * on. In: calls of helpers and kfuncs. Out: what tests/model/machine.c has for them.
 */
#ifndef MODEL_BPF_HELPERS_H
#define MODEL_BPF_HELPERS_H

#define SEC(name)
#define __ksym
#define __weak __attribute__((weak))
#ifndef NULL
#define NULL ((void *)0)
#endif
#define __always_inline inline __attribute__((always_inline))
#define __noinline __attribute__((noinline))

/* Each map's first member is its type, in whose place the machine puts its own map. */
#define __uint(name, value) int(*name)[value]
#define __type(name, type) type *name

void *bpf_map_lookup_elem(void *map, const void *key);
void *bpf_map_lookup_percpu_elem(void *map, const void *key, __u32 cpu);
long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags);
long bpf_map_delete_elem(void *map, const void *key);
long bpf_probe_read_kernel(void *to, __u32 size, const void *from);
long bpf_probe_read_user(void *to, __u32 size, const void *from);
__u64 bpf_get_func_ip(void *ctx);
__u64 bpf_ktime_get_ns(void);
__u64 bpf_get_current_task(void);
struct task_struct *bpf_get_current_task_btf(void);
__u32 bpf_get_smp_processor_id(void);
__u64 bpf_get_current_ancestor_cgroup_id(int level);
__u64 bpf_get_attach_cookie(void *ctx);
long bpf_get_func_ret(void *ctx, __u64 *value);
long bpf_get_func_arg(void *ctx, __u32 n, __u64 *value);
long bpf_get_stack(void *ctx, void *to, __u32 size, __u64 flags);
#define bpf_get_task_stack(task, to, size, flags) bpf_get_stack(task, to, size, flags)
long bpf_loop(__u32 n, void *callback, void *ctx, __u64 flags);
long bpf_probe_read_kernel_str(void *to, __u32 size, const void *from);
#define bpf_get_current_pid_tgid() ((__u64)bpf_get_current_task_btf()->pid)
#define bpf_get_current_uid_gid() 0ULL
#define bpf_get_current_cgroup_id() 1ULL
long bpf_get_current_comm(void *to, __u32 size);
long bpf_seq_write(struct seq_file *seq, const void *data, __u32 size);

__u64 machine_patched(__u64 magic);
__u64 machine_setting(__u64 magic);
void *machine_table(void *map);
__u64 machine_expr(__u64 magic, void *ctx, __u64 *value, __u64 duration);

/* What insn.bpf.h has in assembly. */
#define INSN_PATCHED(word, magic) ((word) = machine_patched(magic))
#define INSN_EXPR(magic, ctx, value, duration) return machine_expr(magic, ctx, value, duration)
#define INSN_LOAD(v, at, offset) ((v) = *(__u64 *)((char *)(at) + (offset)))
#define INSN_LOW(low, p) ((low) = (__u32)(__u64)(p))
#define INSN_ADD(at, p) ((at) += (__u64)(p))
#define INSN_KEEP(i) asm volatile("" : "+r"(i))
#define INSN_FORGET(i, unknown) asm volatile("" : "+r"(i) : "r"(unknown))
#define INSN_NUMBER(v, n) ((v) = machine_setting(n))
#define INSN_AND(v, n) ((v) &= machine_setting(n))
#define INSN_SHIFT(v, n) ((v) <<= machine_setting(n))
#define INSN_NOTHING() ((void)0)
#define INSN_TABLE(map) ((map) = machine_table(map))
#define INSN_TAIL_CALL() ((void)0)

#endif /* MODEL_BPF_HELPERS_H */
