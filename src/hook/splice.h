/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * splice.h - instructions in place of a function of a program. In: a program whose functions
 * follow each other. Out: the same with another body of one function. Called by hook.c.
 */
#ifndef KSTATS_HOOK_SPLICE_H
#define KSTATS_HOOK_SPLICE_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

/**
 * splice_function() - replace the function that begins with a number
 * @insns: owned by the caller; allocated anew
 * @n: number of instructions; updated
 * @magic: the number that the function loads first
 * @body: its new instructions, @n_body of them
 *
 * Return: 0, -ENOENT if there is no such function, or -ENOMEM.
 */
int splice_function(struct bpf_insn **insns, size_t *n, uint64_t magic, const struct bpf_insn *body,
		    size_t n_body);

#endif /* KSTATS_HOOK_SPLICE_H */
