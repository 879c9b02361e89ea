// SPDX-License-Identifier: GPL-2.0-only
/* functions.c - see functions.h. */
#include "functions.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All of /proc/kallsyms, which the kernel takes long to write. */
static char *symbols_read(void)
{
	FILE *in = fopen("/proc/kallsyms", "r");
	size_t length = 0;
	char *text = NULL;

	if (in && getdelim(&text, &length, '\0', in) < 0) {
		free(text);
		text = NULL;
	}
	if (in)
		fclose(in);
	return text;
}

__u64 address_of(const char *name)
{
	static char *symbols;
	const char *at = symbols = symbols ?: symbols_read();
	size_t length = strlen(name);

	/* Lines are "ADDRESS KIND NAME", perhaps with a tab and a module. */
	for (; at && (at = strstr(at, name)); at++) {
		if (at == symbols || at[-1] != ' ' || !strchr("\n\t", at[length]))
			continue;
		while (at > symbols && at[-1] != '\n')
			at--;
		return strtoull(at, NULL, 16);
	}
	return 0;
}

int program_of(const char *name)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY);
	static struct btf *types;
	int id;

	types = types ?: btf__load_vmlinux_btf();
	if (!types)
		return -errno;
	id = btf__find_by_name_kind(types, name, BTF_KIND_FUNC);
	if (id < 0)
		return id;
	opts.attach_btf_id = id;
	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "empty", "GPL", insns, 2, &opts);
}
