// SPDX-License-Identifier: GPL-2.0-only
/* functions.c - see functions.h. */
#include "functions.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

__u64 address_of(const char *name)
{
	FILE *in = fopen("/proc/kallsyms", "r");
	unsigned long long at, found = 0;
	char line[1024], symbol[512];

	while (in && !found && fgets(line, sizeof(line), in))
		if (sscanf(line, "%llx %*c %511s", &at, symbol) == 2 && !strcmp(symbol, name))
			found = at;
	if (in)
		fclose(in);
	return found;
}

int program_of(const char *name)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY);
	int id = libbpf_find_vmlinux_btf_id(name, BPF_TRACE_FENTRY);

	if (id < 0)
		return id;
	opts.attach_btf_id = id;
	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "empty", "GPL", insns, 2, &opts);
}
