// SPDX-License-Identifier: GPL-2.0-only
/*
 * text.c - read the kernel's memory by a BPF program. /proc/kcore would take CAP_SYS_RAWIO, which
 * tracing does not. Called by callees.c.
 */
#include "facts/callees.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_WORD(insn, to, from, value)                                  \
	(insn)[0] = (struct bpf_insn){ .code = BPF_LD | BPF_IMM | BPF_DW, \
				       .dst_reg = (to),                   \
				       .src_reg = (from),                 \
				       .imm = (int32_t)(value) },         \
	(insn)[1] = (struct bpf_insn)                                     \
	{                                                                 \
		.imm = (int32_t)((uint64_t)(value) >> 32)                 \
	}

/* bpf_probe_read_kernel() into the only value of the map. */
static int text_program(int map, uint64_t address, size_t n)
{
	struct bpf_insn insns[8] = {
		[2] = { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = n },
		[5] = { .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel },
		[6] = { .code = BPF_JMP | BPF_EXIT },
	};
	int fd;

	TEXT_WORD(insns, BPF_REG_1, BPF_PSEUDO_MAP_VALUE, (uint32_t)map);
	TEXT_WORD(insns + 3, BPF_REG_3, 0, address);
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "kstats_text", "GPL", insns, 7, NULL);
	return fd < 0 ? -errno : fd;
}

int facts_text(uint64_t address, void *to, size_t n)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "kstats_text", sizeof(uint32_t), n, 1, NULL);
	int prog = map < 0 ? map : text_program(map, address, n), err;
	uint32_t zero = 0;

	err = prog < 0 ? prog : 0;
	if (!err && bpf_prog_test_run_opts(prog, &opts))
		err = -errno;
	if (!err && opts.retval)
		err = (int)opts.retval;
	if (!err && bpf_map_lookup_elem(map, &zero, to))
		err = -errno;
	if (prog >= 0)
		close(prog);
	if (map >= 0)
		close(map);
	return err;
}
