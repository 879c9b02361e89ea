/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fold.h - constants as immediates. In: a program's instructions and the values of its
 * constants. Out: the same program, which loads a constant only where no immediate can stand.
 */
#ifndef KSTATS_HOOK_FOLD_H
#define KSTATS_HOOK_FOLD_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

/** struct fold_constants - a map that nobody writes to any more */
struct fold_constants {
	int fd; /* as the instructions name it */
	const void *values; /* its one element */
	size_t size; /* bytes of it */
};

/**
 * fold_constants() - put the values into the instructions
 * @insns: program, as libbpf has relocated it
 * @n: number of its instructions, which stays the same: unneeded ones become jumps to the next
 *	one, which the kernel removes
 *
 * The kernel's verifier knows the values and removes the branches that they decide, but it
 * leaves the loads, each of which costs time on the hot path.
 *
 * Return: number of loads that were removed, or -ENOMEM with nothing changed.
 */
int fold_constants(struct bpf_insn *insns, size_t n, const struct fold_constants *c);

#endif /* KSTATS_HOOK_FOLD_H */
