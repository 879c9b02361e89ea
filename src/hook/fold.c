// SPDX-License-Identifier: GPL-2.0-only
#include "hook/fold.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hook/insn.h"

#define NOP ((struct bpf_insn){ .code = BPF_JMP | BPF_JA })

/* ---- what may be replaced ---- */

/* A jump target is reached from more than one place, so nothing is known of its registers. */
static void mark_targets(const struct bpf_insn *insns, size_t n, bool *target)
{
	size_t i, to;

	for (i = 0; i < n; i++) {
		if (insn_is_wide(&insns[i])) {
			i++;
			continue;
		}
		if (!insn_is_jump(&insns[i]))
			continue;
		/* A long jump has its distance in another field. */
		if (insns[i].code == (BPF_JMP32 | BPF_JA))
			to = i + 1 + insns[i].imm;
		else
			to = i + 1 + insns[i].off;
		if (to < n)
			target[to] = true;
	}
}

static size_t load_bytes(const struct bpf_insn *load)
{
	switch (BPF_SIZE(load->code)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	}
	return 8;
}

static bool is_load_from(const struct bpf_insn *load, unsigned int reg)
{
	return BPF_CLASS(load->code) == BPF_LDX && BPF_MODE(load->code) == BPF_MEM &&
	       load->src_reg == reg;
}

/* The constant that @at gives the address of, and the next instruction loads; else false. */
static bool value_of(const struct bpf_insn *at, const struct fold_constants *c, uint64_t *value)
{
	const struct bpf_insn *load = at + 2;
	size_t bytes = load_bytes(load);
	int64_t offset;

	if (!insn_is_wide(at) || at->src_reg != BPF_PSEUDO_MAP_VALUE || at->imm != c->fd ||
	    !is_load_from(load, at->dst_reg))
		return false;
	offset = (int64_t)at[1].imm + load->off;
	if (offset < 0 || (uint64_t)offset + bytes > c->size)
		return false;
	*value = 0;
	/* BPF and this machine have one order of bytes. */
	memcpy(value, (const char *)c->values + offset, bytes);
	return true;
}

/* ---- replacing ---- */

/* One instruction, extended with zeroes to 64 bits. */
static struct bpf_insn fold_move(unsigned int reg, uint32_t value)
{
	return (struct bpf_insn){ .code = BPF_ALU | BPF_MOV | BPF_K,
				  .dst_reg = reg,
				  .imm = (int32_t)value };
}

/* The address is not loaded either if the constant overwrites its register. */
static bool fold_replace(struct bpf_insn *at, uint64_t value)
{
	unsigned int reg = at[2].dst_reg;
	bool over = reg == at->dst_reg;

	if (value > UINT32_MAX && !over)
		return false;
	if (value > UINT32_MAX) {
		at[0].src_reg = 0;
		at[0].imm = (int32_t)value;
		at[1].imm = (int32_t)(value >> 32);
		at[2] = NOP;
		return true;
	}
	at[2] = fold_move(reg, value);
	if (over)
		at[0] = at[1] = NOP;
	return true;
}

int fold_constants(struct bpf_insn *insns, size_t n, const struct fold_constants *c)
{
	bool *target = calloc(n ? n : 1, sizeof(*target));
	uint64_t value;
	int folded = 0;
	size_t i;

	if (!target)
		return -ENOMEM;
	mark_targets(insns, n, target);
	for (i = 0; i + 2 < n; i++) {
		if (!insn_is_wide(&insns[i]))
			continue;
		if (!target[i + 2] && value_of(&insns[i], c, &value))
			folded += fold_replace(&insns[i], value);
		i++; /* the second half of a wide instruction, replaced or not */
	}
	free(target);
	return folded;
}
