// SPDX-License-Identifier: GPL-2.0-only
/*
 * first_arm64.c - what the kernel does with an instruction of arm64 that a probe replaces, and
 * which ones no probe may replace: see arm_probe_decode_insn() in
 * arch/arm64/kernel/probes/decode-insn.c. What it refuses, it refuses when it attaches or when the
 * file is mapped, without a word.
 */
#ifdef __aarch64__
#include <string.h>

#include "user/user.h"

#define HINTS 0xd503201f /* all of them: nop is the first */
#define HINT_MASK 0xfffff01f

/* An instruction is one of these if @mask leaves @value of it. */
struct pattern {
	uint32_t mask;
	uint32_t value;
	const char *why;
};

static bool first_code(const unsigned char *code, size_t n, uint32_t *insn)
{
	if (n < sizeof(*insn))
		return false;
	memcpy(insn, code, sizeof(*insn));
	return true;
}

/* Branches, and addresses near the instruction. */
static bool is_simulated(uint32_t insn)
{
	return (insn & 0x7c000000) == 0x14000000 || /* b, bl */
	       (insn & 0xff000010) == 0x54000000 || /* b.cond */
	       (insn & 0x7c000000) == 0x34000000 || /* cbz, cbnz, tbz, tbnz */
	       (insn & 0x1f000000) == 0x10000000 || /* adr, adrp */
	       (insn & 0xff9ffc1f) == 0xd61f0000; /* br, blr, ret */
}

/* nop, bti and those that sign the address in the link register. The kernel knows no others. */
static bool is_known_hint(uint32_t insn)
{
	switch (insn >> 5 & 0x7f) {
	case 0: /* nop */
	case 7: /* xpaclri */
	case 8: /* pacia1716 */
	case 10: /* pacib1716 */
	case 24: /* paciaz */
	case 25: /* paciasp */
	case 26: /* pacibz */
	case 27: /* pacibsp */
	case 32: /* bti, and for calls, jumps and both */
	case 34:
	case 36:
	case 38:
		return true;
	}
	return false;
}

enum user_first user_first_of(const unsigned char *code, size_t n)
{
	uint32_t insn;

	if (!first_code(code, n, &insn))
		return USER_STEPPED;
	if (insn == HINTS)
		return USER_NOP;
	if ((insn & HINT_MASK) == HINTS)
		return USER_LONG_NOP;
	if ((insn & 0xffc07fff) == 0xa9807bfd) /* stp x29, x30, [sp, #n]! */
		return USER_PUSH;
	return is_simulated(insn) ? USER_JUMP : USER_STEPPED;
}

const char *user_first_refused(const unsigned char *code, size_t n)
{
	static const struct pattern refused[] = {
		{ 0x3b000000, 0x18000000, "its first instruction loads from an address near it" },
		{ 0x3f000000, 0x08000000, "its first instruction is an exclusive load or store" },
		{ 0xff000000, 0xd4000000,
		  "its first instruction is a system call or a breakpoint" },
		{ 0xfe000000, 0xd6000000,
		  "its first instruction is a branch that checks a signature" },
		{ 0xfff00000, 0xd5100000, "its first instruction writes a system register" },
		{ 0xfff8f000, 0xd5004000, "its first instruction writes a system flag" },
		{ 0x3f200c00, 0x19000400, "its first instruction copies or fills memory" },
	};
	uint32_t insn;
	size_t i;

	if (!first_code(code, n, &insn) || is_simulated(insn))
		return NULL;
	if ((insn & HINT_MASK) == HINTS && !is_known_hint(insn))
		return "its first instruction is a hint that the kernel refuses under a uprobe";
	for (i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if ((insn & refused[i].mask) == refused[i].value)
			return refused[i].why;
	return NULL;
}

const char *user_first_words(enum user_first first)
{
	static const char *const words[] = {
		[USER_STEPPED] = "single-stepped",
		[USER_NOP] = "nop, simulated by new kernels",
		[USER_LONG_NOP] = "hint, single-stepped",
		[USER_PUSH] = "push of the frame",
		[USER_JUMP] = "branch or address, simulated",
	};

	return words[first];
}
#endif
