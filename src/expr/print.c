// SPDX-License-Identifier: GPL-2.0-only
/* print.c - BPF instructions in words, as the kernel's verifier writes them. */
#include <linux/bpf.h>

#include "expr/expr.h"

static const char *helper_name(int helper)
{
	switch (helper) {
	case BPF_FUNC_probe_read_kernel:
		return "probe_read_kernel";
	case BPF_FUNC_probe_read_kernel_str:
		return "probe_read_kernel_str";
	case BPF_FUNC_probe_read_user_str:
		return "probe_read_user_str";
	case BPF_FUNC_get_func_arg:
		return "get_func_arg";
	case BPF_FUNC_get_func_ret:
		return "get_func_ret";
	case BPF_FUNC_get_current_comm:
		return "get_current_comm";
	case BPF_FUNC_get_current_pid_tgid:
		return "get_current_pid_tgid";
	case BPF_FUNC_get_current_uid_gid:
		return "get_current_uid_gid";
	case BPF_FUNC_get_smp_processor_id:
		return "get_smp_processor_id";
	case BPF_FUNC_get_numa_node_id:
		return "get_numa_node_id";
	case BPF_FUNC_get_current_cgroup_id:
		return "get_current_cgroup_id";
	default:
		return "helper";
	}
}

static void print_operand(const struct bpf_insn *i, FILE *out)
{
	if (BPF_SRC(i->code) == BPF_X)
		fprintf(out, "r%u", i->src_reg);
	else
		fprintf(out, "%d", i->imm);
}

static void print_alu(const struct bpf_insn *i, FILE *out)
{
	static const char *const ops[] = { "+=",  "-=",  "*=", "/=", "|=", "&=",  "<<=",
					   ">>=", "= -", "%=", "^=", "=",  "s>>=" };
	char reg = BPF_CLASS(i->code) == BPF_ALU ? 'w' : 'r';

	fprintf(out, "%c%u %s ", reg, i->dst_reg, ops[BPF_OP(i->code) >> 4]);
	if (BPF_OP(i->code) == BPF_NEG)
		fprintf(out, "%c%u", reg, i->dst_reg);
	else
		print_operand(i, out);
}

static void print_jump(const struct bpf_insn *i, int at, FILE *out)
{
	static const char *const ops[] = { "",    "==", ">", ">=", "&",  "!=", "s>",
					   "s>=", "",   "",  "<",  "<=", "s<", "s<=" };
	unsigned int op = BPF_OP(i->code) >> 4;

	if (BPF_OP(i->code) == BPF_EXIT) {
		fputs("exit", out);
	} else if (BPF_OP(i->code) == BPF_CALL) {
		fprintf(out, "call %s", helper_name(i->imm));
	} else if (BPF_OP(i->code) == BPF_JA) {
		fprintf(out, "goto %d", at + 1 + i->off);
	} else {
		fprintf(out, "if r%u %s ", i->dst_reg, op < 14 ? ops[op] : "?");
		print_operand(i, out);
		fprintf(out, " goto %d", at + 1 + i->off);
	}
}

static void print_memory(const struct bpf_insn *i, FILE *out)
{
	static const char *const sizes[] = { "u32", "u16", "u8", "u64" };
	const char *size = sizes[BPF_SIZE(i->code) >> 3];

	if (BPF_CLASS(i->code) == BPF_LDX)
		fprintf(out, "r%u = *(%s *)(r%u %+d)", i->dst_reg, size, i->src_reg, i->off);
	else if (BPF_CLASS(i->code) == BPF_STX)
		fprintf(out, "*(%s *)(r%u %+d) = r%u", size, i->dst_reg, i->off, i->src_reg);
	else
		fprintf(out, "*(%s *)(r%u %+d) = %d", size, i->dst_reg, i->off, i->imm);
}

void expr_print_insns(const struct bpf_insn *insns, int n, FILE *out)
{
	const struct bpf_insn *i;
	int at;

	for (at = 0; at < n; at++) {
		i = &insns[at];
		fprintf(out, "%4d: ", at);
		switch (BPF_CLASS(i->code)) {
		case BPF_ALU:
		case BPF_ALU64:
			print_alu(i, out);
			break;
		case BPF_JMP:
			print_jump(i, at, out);
			break;
		case BPF_LD:
			fprintf(out, "r%u = 0x%llx", i->dst_reg,
				(unsigned long long)(uint32_t)i->imm |
					(unsigned long long)(uint32_t)i[1].imm << 32);
			at++;
			break;
		default:
			print_memory(i, out);
		}
		fputc('\n', out);
	}
}
