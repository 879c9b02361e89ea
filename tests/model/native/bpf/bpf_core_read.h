/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf_core_read.h - in place of libbpf's: the structures are those of vmlinux.h. In: fields.
 * Out: their values.
 */
#ifndef MODEL_BPF_CORE_READ_H
#define MODEL_BPF_CORE_READ_H

#define MODEL_READ_1(from, a, ...) ((from)->a)
#define MODEL_READ_2(from, a, b, ...) ((from)->a->b)
#define MODEL_READ(a, b, n, ...) n
#define BPF_CORE_READ(from, ...) \
	MODEL_READ(__VA_ARGS__, MODEL_READ_2, MODEL_READ_1, )(from, __VA_ARGS__, )

#define bpf_core_read(to, size, from) bpf_probe_read_kernel(to, size, from)
#define bpf_core_field_offset(type, field) __builtin_offsetof(type, field)

#endif /* MODEL_BPF_CORE_READ_H */
