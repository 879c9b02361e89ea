// SPDX-License-Identifier: GPL-2.0-only
/* abi.c - see abi.h. */
#include "abi.h"

#include <linux/bpf.h>
#include <linux/err.h>
#include <linux/math.h>
#include <linux/mutex.h>

#define WORD 8 /* bytes of a register */
#define REGISTERS 6 /* that hold arguments */
#define RESULTS 2 /* that hold a result */

/* A structure that takes more than one register may be on the stack all the same. */
static bool in_registers(const struct btf_func_model *f)
{
	unsigned int i;

	for (i = 0; i < f->nr_args; i++)
		if (f->arg_size[i] > WORD)
			return false;
	return f->nr_args <= REGISTERS && f->ret_size <= RESULTS * WORD;
}

int abi_check(u32 program, unsigned long addr)
{
	struct bpf_prog *prog = bpf_prog_get_type_dev(program, BPF_PROG_TYPE_TRACING, false);
	struct bpf_trampoline *found;
	int err = -EBADF;

	if (IS_ERR(prog))
		return PTR_ERR(prog) == -EINVAL ? -EBADF : PTR_ERR(prog);
	mutex_lock(&prog->aux->dst_mutex);
	found = prog->aux->dst_trampoline; /* not any more once it is attached */
	if (found && !prog->aux->dst_prog && (unsigned long)found->func.addr == addr)
		err = in_registers(&found->func.model) ? 0 : -E2BIG;
	mutex_unlock(&prog->aux->dst_mutex);
	bpf_prog_put(prog);
	return err;
}
