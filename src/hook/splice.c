// SPDX-License-Identifier: GPL-2.0-only
/* splice.c - see splice.h. Jumps stay within a function; only calls lead from one to another. */
#include "hook/splice.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hook/insn.h"

/* Where the load of the number is; @n if nowhere. */
static size_t splice_find(const struct bpf_insn *insns, size_t n, uint64_t magic)
{
	size_t i;

	for (i = 0; i + 1 < n; i += 1 + insn_is_wide(&insns[i]))
		if (insn_is_wide(&insns[i]) && !insns[i].src_reg &&
		    (uint32_t)insns[i].imm == (uint32_t)magic &&
		    (uint32_t)insns[i + 1].imm == (uint32_t)(magic >> 32))
			return i;
	return n;
}

/* Calls across the place where @more instructions are added lead further. */
static void move_calls(struct bpf_insn *new, const struct splice_program *p, size_t from, size_t to,
		       ptrdiff_t more)
{
	size_t i, target;

	for (i = 0; i < p->n; i += 1 + insn_is_wide(&p->insns[i])) {
		if ((i >= from && i < to) || !insn_is_function(&p->insns[i]))
			continue;
		target = i + 1 + p->insns[i].imm;
		new[i >= to ? i + more : i].imm += (target >= to ? more : 0) - (i >= to ? more : 0);
	}
}

static void move_funcs(struct splice_program *p, size_t to, ptrdiff_t more)
{
	uint32_t i, *place;

	for (i = 0; i < p->n_funcs; i++) {
		place = (uint32_t *)((char *)p->funcs + (size_t)i * p->func_size);
		*place += *place >= to ? more : 0;
	}
}

int splice_function(struct splice_program *p, uint64_t magic, const struct bpf_insn *body,
		    size_t n_body)
{
	size_t from = splice_find(p->insns, p->n, magic), to;
	struct bpf_insn *new;
	ptrdiff_t more;

	for (to = from; to < p->n && p->insns[to].code != (BPF_JMP | BPF_EXIT); to++)
		;
	if (to == p->n)
		return -ENOENT;
	to++;
	more = (ptrdiff_t)n_body - (ptrdiff_t)(to - from);
	new = malloc((p->n + more) * sizeof(*new));
	if (!new)
		return -ENOMEM;
	memcpy(new, p->insns, from * sizeof(*new));
	memcpy(new + from, body, n_body * sizeof(*new));
	memcpy(new + from + n_body, p->insns + to, (p->n - to) * sizeof(*new));
	move_calls(new, p, from, to, more);
	move_funcs(p, to, more);
	free(p->insns);
	p->insns = new;
	p->n += more;
	return 0;
}

/* Jumps are relative, and both ends of each move by the same distance. */
int splice_first(struct splice_program *p, const struct bpf_insn *body, size_t n_body)
{
	struct bpf_insn *new = malloc((p->n + n_body) * sizeof(*new));

	if (!new)
		return -ENOMEM;
	memcpy(new, body, n_body * sizeof(*new));
	memcpy(new + n_body, p->insns, p->n * sizeof(*new));
	/* The first function begins with them. */
	move_funcs(p, 1, n_body);
	free(p->insns);
	p->insns = new;
	p->n += n_body;
	return 0;
}
