// SPDX-License-Identifier: GPL-2.0-only
/*
 * first.c - what the kernel does with an instruction that a probe replaces, here of x86-64: see
 * branch_setup_xol_ops() and push_setup_xol_ops() in arch/x86/kernel/uprobes.c. That of arm64 is
 * in first_arm64.c.
 */
#include <string.h>
#include <unistd.h>

#include "user/priv.h"

#define CODE_BYTES 16

enum user_first user_first_at(const struct user_binary *b, uint64_t offset, const char **refused)
{
	unsigned char code[CODE_BYTES];
	ssize_t n = pread(b->fd, code, sizeof(code), offset);

	*refused = user_first_refused(code, n > 0 ? n : 0);
	return user_first_of(code, n > 0 ? n : 0);
}

#ifdef __x86_64__
/* push of one of the 16 registers */
static bool is_push(const unsigned char *code, size_t n)
{
	if (n > 1 && code[0] == 0x41) /* the prefix of the upper 8 */
		code++;
	return (code[0] & 0xf8) == 0x50;
}

static bool first_is_jump(const unsigned char *code, size_t n)
{
	if (code[0] == 0xe8 || code[0] == 0xe9 || code[0] == 0xeb || (code[0] & 0xf0) == 0x70)
		return true;
	return n > 1 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80;
}

/*
 * The nops that compilers and the kernel itself use. Up to 6.12 the kernel executes them; 6.18 does
 * not, but executes all others.
 */
static bool is_long_nop(const unsigned char *code, size_t n)
{
	static const struct {
		size_t size;
		const unsigned char code[8];
	} nops[] = {
		{ 3, { 0x0f, 0x1f, 0x00 } }, { 4, { 0x0f, 0x1f, 0x40 } },
		{ 5, { 0x0f, 0x1f, 0x44 } }, { 6, { 0x66, 0x0f, 0x1f, 0x44 } },
		{ 7, { 0x0f, 0x1f, 0x80 } }, { 8, { 0x0f, 0x1f, 0x84 } },
	};
	unsigned int i;

	for (i = 0; i < sizeof(nops) / sizeof(nops[0]); i++)
		if (n >= nops[i].size && !memcmp(code, nops[i].code, nops[i].size))
			return true;
	return false;
}

enum user_first user_first_of(const unsigned char *code, size_t n)
{
	if (!n)
		return USER_STEPPED;
	if (code[0] == 0x90 || (n > 1 && code[0] == 0x66 && code[1] == 0x90))
		return USER_NOP;
	if (is_long_nop(code, n))
		return USER_LONG_NOP;
	if (is_push(code, n))
		return USER_PUSH;
	return first_is_jump(code, n) ? USER_JUMP : USER_STEPPED;
}

const char *user_first_words(enum user_first first)
{
	static const char *const words[] = {
		[USER_STEPPED] = "single-stepped",
		[USER_NOP] = "nop, emulated",
		[USER_LONG_NOP] = "long nop, emulated by new kernels",
		[USER_PUSH] = "push, emulated",
		[USER_JUMP] = "jump, emulated",
	};

	return words[first];
}
#endif
