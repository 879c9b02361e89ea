// SPDX-License-Identifier: GPL-2.0-only
/* test_splice.c - a function of a program gets another body, and calls still find theirs. */
#include "fixture.h"

#include <errno.h>

#include "hook/splice.h"

#define MAGIC 0x123456789abcdef0ULL

#define MOV(n)                                                  \
	{                                                       \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = (n) \
	}
#define EXIT                               \
	{                                  \
		.code = BPF_JMP | BPF_EXIT \
	}
#define CALL(n)                                                                    \
	{                                                                          \
		.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = (n) \
	}
#define HELPER(n)                                      \
	{                                              \
		.code = BPF_JMP | BPF_CALL, .imm = (n) \
	}
#define WIDE(n)                                                     \
	{ .code = BPF_LD | BPF_IMM | BPF_DW, .imm = (int32_t)(n) }, \
	{                                                           \
		.imm = (int32_t)((n) >> 32)                         \
	}
#define ADDRESS(n)                                                                     \
	{ .code = BPF_LD | BPF_IMM | BPF_DW, .src_reg = BPF_PSEUDO_FUNC, .imm = (n) }, \
	{                                                                              \
	}

/* main: 0 to 6; the function: 7 to 9; one behind it: 10 to 12, which calls both and main's end. */
static const struct bpf_insn program[] = {
	CALL(6),     CALL(8), HELPER(6), ADDRESS(6), MOV(1), EXIT,
	WIDE(MAGIC), EXIT,    CALL(-4),  CALL(-1),   EXIT,
};

#define N (sizeof(program) / sizeof(*program))

static struct bpf_insn *copy(void)
{
	struct bpf_insn *insns = malloc(sizeof(program));

	assert_non_null(insns);
	memcpy(insns, program, sizeof(program));
	return insns;
}

static void check(const struct bpf_insn *body, size_t n_body)
{
	struct bpf_insn *insns = copy();
	int more = (int)n_body - 3;
	size_t n = N;

	assert_int_equal(splice_function(&insns, &n, MAGIC, body, n_body), 0);
	assert_int_equal(n, N + more);
	assert_memory_equal(insns + 7, body, n_body * sizeof(*body));
	/* Into the function, behind it, into the kernel, and the address of the one behind. */
	assert_int_equal(insns[0].imm, 6);
	assert_int_equal(insns[1].imm, 8 + more);
	assert_int_equal(insns[2].imm, 6);
	assert_int_equal(insns[3].imm, 6 + more);
	/* From behind: into the function, and to what is behind itself. */
	assert_int_equal(insns[10 + more].imm, -4 - more);
	assert_int_equal(insns[11 + more].imm, -1);
	free(insns);
}

static void test_sizes(void **state)
{
	static const struct bpf_insn body[] = { MOV(2), MOV(3), MOV(4), MOV(5), EXIT };

	check(body + 3, 2);
	check(body + 2, 3);
	check(body, 5);
}

static void test_missing(void **state)
{
	static const struct bpf_insn body[] = { EXIT };
	struct bpf_insn *insns = copy();
	size_t n = N;

	assert_int_equal(splice_function(&insns, &n, MAGIC + 1, body, 1), -ENOENT);
	assert_int_equal(n, N);
	assert_memory_equal(insns, program, sizeof(program));
	free(insns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
