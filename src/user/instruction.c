// SPDX-License-Identifier: GPL-2.0-only
/*
 * instruction.c - the instructions of x86-64 that no probe may replace. The kernel decides by the
 * opcode byte (arch/x86/kernel/uprobes.c: uprobe_init_insn(), branch_setup_xol_ops(),
 * arch_uprobe_analyze_insn()) and does not ask whether a VEX or EVEX prefix gives that byte another
 * meaning. tests/vm/insns.c runs each of them with and without a probe.
 */
#include "user/user.h"

#ifdef __x86_64__

#define REX_B 0x01 /* the register is one of the upper 8 */
#define OPERAND_SIZE 0x66

#define NO_PROBE "the kernel puts no probe on its first instruction"
#define UNKNOWN "its first instruction is one that the kernel may not know"
#define LEFT_OUT                                                                                  \
	"the kernel takes its first instruction, of AVX, for a jump or a nop, and a probe would " \
	"leave it out"
#define CRASHES                                                                                    \
	"the kernel takes its first instruction, of AVX, for a return or popf, and a probe would " \
	"crash the program"

/* An instruction as far as it matters here. */
struct instruction {
	bool has_bad_prefix; /* of a segment that is not used, or lock */
	bool is_word; /* with the prefix for operands of 16 bits */
	bool is_repeated; /* with one of the prefixes of rep */
	unsigned char rex;
	unsigned char map; /* of VEX with three bytes */
	bool is_extended; /* by VEX or EVEX */
	bool is_unknown; /* by XOP or REX2, or in a map that old kernels do not know */
	unsigned char opcode; /* the byte that the kernel looks at */
	unsigned char next, operands; /* the bytes behind it */
};

/* A bit for each opcode byte, in rows of 16: those for which there is no probe in 64-bit mode. */
static const unsigned short refused_rows[16] = {
	0x40c0, 0xc0c0, 0x8080, 0x8080, 0x0000, 0x0000, 0xf007, 0x0000,
	0x0004, 0x0400, 0x0000, 0x0000, 0xf000, 0x0070, 0xf4f0, 0x0c12,
};

/* Return: how many bytes of prefixes there are. */
static size_t read_prefixes(struct instruction *in, const unsigned char *code, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		switch (code[i]) {
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0xf0:
			in->has_bad_prefix = true;
			break;
		case OPERAND_SIZE:
			in->is_word = true;
			break;
		case 0xf2:
		case 0xf3:
			in->is_repeated = true;
			break;
		case 0x64:
		case 0x65:
		case 0x67:
			break;
		default:
			return i;
		}
	}
	return i;
}

/* Return: how many bytes of VEX, EVEX and their like there are. */
static size_t read_extension(struct instruction *in, const unsigned char *code, size_t n)
{
	unsigned char map = n > 1 ? code[1] & 0x1f : 0;

	switch (code[0]) {
	case 0xc5:
		in->is_extended = true;
		return 2;
	case 0xc4:
		in->is_extended = true;
		in->is_unknown = !map || map > 3;
		in->map = map;
		return 3;
	case 0x62:
		in->is_extended = true;
		map &= 0x0f;
		in->is_unknown = !map || map == 4 || map > 6;
		return 4;
	case 0x8f:
		in->is_unknown = n > 1 && (code[1] & 0x38);
		return 0;
	case 0xd5:
		in->is_unknown = true;
		return 0;
	}
	return 0;
}

/* Return: false if the bytes end before the opcode. */
static bool read_instruction(struct instruction *in, const unsigned char *code, size_t n)
{
	size_t at = read_prefixes(in, code, n);

	if (at < n && (code[at] & 0xf0) == 0x40)
		in->rex = code[at++];
	if (at < n)
		at += read_extension(in, code + at, n - at);
	if (at >= n)
		return false;
	in->opcode = code[at];
	/* cmpoxadd to cmpnbxadd, which Linux 6.1 does not know; the others are refused anyway */
	in->is_unknown |= in->map == 2 && (in->opcode & 0xfc) == 0xe0;
	in->next = at + 1 < n ? code[at + 1] : 0;
	in->operands = at + 2 < n ? code[at + 2] : 0;
	return true;
}

static bool is_short_jump(unsigned char opcode)
{
	return (opcode & 0xf0) == 0x70;
}

static bool is_jump(unsigned char opcode)
{
	return opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb || is_short_jump(opcode);
}

/* Also a load of the stack segment, after which the processor delays the trap of a single step. */
static bool is_refused(const struct instruction *in)
{
	return in->has_bad_prefix || refused_rows[in->opcode >> 4] >> (in->opcode & 15) & 1 ||
	       (in->opcode == 0x8e && (in->next & 0x38) == 0x10);
}

/* The kernel does not set the address right after returns, nor ends the single step of popf. */
static bool is_return_or_popf(unsigned char opcode)
{
	return (opcode & 0xf6) == 0xc2 || opcode == 0x9d;
}

static const char *extended_refused(const struct instruction *in)
{
	if (is_jump(in->opcode) || in->opcode == 0x90)
		return LEFT_OUT;
	return is_return_or_popf(in->opcode) ? CRASHES : NULL;
}

/* sgdt, sidt, sldt, smsw and str, which the kernel executes for programs, but not in a copy. */
static bool is_of_system(const struct instruction *in)
{
	unsigned char reg = in->operands >> 3 & 7;

	if (in->opcode != 0x0f || in->next > 0x01)
		return false;
	return !in->next || reg == 4 || (reg < 2 && in->operands < 0xc0);
}

/* The kernel's tables have instructions of AVX there, and read these with rep as none at all. */
static bool is_with_void_prefix(const struct instruction *in)
{
	return in->is_repeated && ((in->next & 0xf0) == 0x40 || (in->next & 0xf0) == 0x90);
}

static const char *plain_refused(const struct instruction *in)
{
	if (in->is_word &&
	    (is_jump(in->opcode) || (in->opcode == 0x0f && (in->next & 0xf0) == 0x80)))
		return NO_PROBE;
	/* Some processors of AMD keep 16 bits of the address, others and Intel's all of it. */
	if (in->is_word && (in->opcode & 0xfc) == 0xe0)
		return "its first instruction is a loop with a prefix, and the kernel may not know "
		       "how far this processor jumps";
	if (in->opcode == 0x90 && (in->rex & REX_B))
		return "the kernel takes its first instruction, which exchanges registers, for a "
		       "nop, and a probe would leave it out";
	if (in->opcode == 0x9c)
		return "its first instruction is pushf, which would also push the flag of a single "
		       "step";
	if (in->opcode == 0x0f && (in->next == 0x05 || in->next == 0x34))
		return "its first instruction is a system call, which a probe would change";
	if (in->opcode == 0x0f && ((in->next & 0xfe) == 0x78 || is_with_void_prefix(in)))
		return UNKNOWN;
	if (is_of_system(in))
		return "its first instruction reads a table of the system, which a probe would "
		       "break";
	return NULL;
}

const char *user_first_refused(const unsigned char *code, size_t n)
{
	struct instruction in = {};

	if (!read_instruction(&in, code, n))
		return NULL;
	if (in.is_unknown)
		return UNKNOWN;
	if (is_refused(&in))
		return NO_PROBE;
	return in.is_extended ? extended_refused(&in) : plain_refused(&in);
}
#endif
