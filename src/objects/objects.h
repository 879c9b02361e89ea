/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * objects.h - the BPF programs, which are compressed in this program. A run unpacks the one object
 * that it loads. Called by session and heap.
 */
#ifndef KSTATS_OBJECTS_H
#define KSTATS_OBJECTS_H

#include <bpf/libbpf.h>
#include <stddef.h>

/** enum objects_name - what the Makefile compiles: bpf/kstats.bpf.c in nine ways, and kmem.bpf.c */
enum objects_name {
	OBJECTS_MAP,
	OBJECTS_BLOCKS,
	OBJECTS_KMOD,
	OBJECTS_SESSION_MAP,
	OBJECTS_SESSION_BLOCKS,
	OBJECTS_SESSION_KMOD,
	OBJECTS_SESSION_VOID_MAP,
	OBJECTS_SESSION_VOID_BLOCKS,
	OBJECTS_SESSION_VOID_KMOD,
	OBJECTS_KMEM,
	OBJECTS
};

/**
 * objects_unpack() - the bytes of an object, an ELF file
 * @size: receives their number
 *
 * Return: allocated bytes, which the caller frees, or NULL with errno.
 */
void *objects_unpack(enum objects_name name, size_t *size);

/**
 * objects_open() - open an object by its skeleton, which holds no bytes
 * @bytes: what objects_unpack() returned; libbpf keeps none of them
 * @btf: path of the types of the kernel to relocate it against, or NULL for where libbpf looks
 *
 * Return: 0 or -errno.
 */
int objects_open(struct bpf_object_skeleton *skel, void *bytes, size_t size, const char *btf);

#endif /* KSTATS_OBJECTS_H */
