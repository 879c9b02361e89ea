// SPDX-License-Identifier: GPL-2.0-only
/* splice.c - see splice.h. Jumps stay within a function; only calls lead from one to another. */
#include "hook/splice.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_wide(const struct bpf_insn *i)
{
	return i->code == (BPF_LD | BPF_IMM | BPF_DW);
}

static bool is_function_call(const struct bpf_insn *i)
{
	if (i->code == (BPF_JMP | BPF_CALL))
		return i->src_reg == BPF_PSEUDO_CALL;
	return is_wide(i) && i->src_reg == BPF_PSEUDO_FUNC;
}

/* Where the load of the number is; @n if nowhere. */
static size_t find(const struct bpf_insn *insns, size_t n, uint64_t magic)
{
	size_t i;

	for (i = 0; i + 1 < n; i += 1 + is_wide(&insns[i]))
		if (is_wide(&insns[i]) && !insns[i].src_reg &&
		    (uint32_t)insns[i].imm == (uint32_t)magic &&
		    (uint32_t)insns[i + 1].imm == (uint32_t)(magic >> 32))
			return i;
	return n;
}

int splice_function(struct bpf_insn **insns, size_t *n, uint64_t magic, const struct bpf_insn *body,
		    size_t n_body)
{
	size_t from = find(*insns, *n, magic), to, i, target;
	struct bpf_insn *new;
	ptrdiff_t more;

	for (to = from; to < *n && (*insns)[to].code != (BPF_JMP | BPF_EXIT); to++)
		;
	if (to == *n)
		return -ENOENT;
	to++;
	more = (ptrdiff_t)n_body - (ptrdiff_t)(to - from);
	new = malloc((*n + more) * sizeof(*new));
	if (!new)
		return -ENOMEM;
	memcpy(new, *insns, from * sizeof(*new));
	memcpy(new + from, body, n_body * sizeof(*new));
	memcpy(new + from + n_body, *insns + to, (*n - to) * sizeof(*new));
	for (i = 0; i < *n; i += 1 + is_wide(&(*insns)[i])) {
		if ((i >= from && i < to) || !is_function_call(&(*insns)[i]))
			continue;
		target = i + 1 + (*insns)[i].imm;
		new[i >= to ? i + more : i].imm += (target >= to ? more : 0) - (i >= to ? more : 0);
	}
	free(*insns);
	*insns = new;
	*n += more;
	return 0;
}
