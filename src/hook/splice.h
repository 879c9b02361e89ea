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

/** struct splice_program - a program that is changed */
struct splice_program {
	struct bpf_insn *insns; /* owned; its instructions */
	size_t n; /* their number */
	void *funcs; /* owned; a record for each function, which begins with its place; or NULL */
	uint32_t n_funcs; /* number of records */
	uint32_t func_size; /* bytes of one */
};

/**
 * splice_function() - replace the function that begins with a number
 * @p: changed; unchanged after an error
 * @magic: the number that the function loads first
 * @body: its new instructions, @n_body of them
 *
 * Return: 0, -ENOENT if there is no such function, or -ENOMEM.
 */
int splice_function(struct splice_program *p, uint64_t magic, const struct bpf_insn *body,
		    size_t n_body);

/**
 * splice_first() - put instructions before a program
 * @p: changed; unchanged after an error
 * @body: @n_body instructions that go on to what comes behind them
 *
 * Return: 0 or -ENOMEM.
 */
int splice_first(struct splice_program *p, const struct bpf_insn *body, size_t n_body);

#endif /* KSTATS_HOOK_SPLICE_H */
