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

/* Places of the functions, each with the number of a type. */
static const uint32_t funcs[3][2] = { { 0, 70 }, { 7, 71 }, { 10, 72 } };

static struct splice_program copy(void)
{
	struct splice_program p = { .n = N, .n_funcs = 3, .func_size = sizeof(funcs[0]) };

	p.insns = malloc(sizeof(program));
	p.funcs = malloc(sizeof(funcs));
	assert_non_null(p.insns);
	assert_non_null(p.funcs);
	memcpy(p.insns, program, sizeof(program));
	memcpy(p.funcs, funcs, sizeof(funcs));
	return p;
}

static void drop(struct splice_program *p)
{
	free(p->insns);
	free(p->funcs);
}

static void check(const struct bpf_insn *body, size_t n_body)
{
	struct splice_program p = copy();
	const uint32_t(*moved)[2] = p.funcs;
	int more = (int)n_body - 3;
	struct bpf_insn *insns;

	assert_int_equal(splice_function(&p, MAGIC, body, n_body), 0);
	insns = p.insns;
	assert_int_equal(p.n, N + more);
	assert_memory_equal(insns + 7, body, n_body * sizeof(*body));
	/* Into the function, behind it, into the kernel, and the address of the one behind. */
	assert_int_equal(insns[0].imm, 6);
	assert_int_equal(insns[1].imm, 8 + more);
	assert_int_equal(insns[2].imm, 6);
	assert_int_equal(insns[3].imm, 6 + more);
	/* From behind: into the function, and to what is behind itself. */
	assert_int_equal(insns[10 + more].imm, -4 - more);
	assert_int_equal(insns[11 + more].imm, -1);
	assert_int_equal(moved[0][0], 0);
	assert_int_equal(moved[1][0], 7);
	assert_int_equal(moved[2][0], 10 + more);
	assert_int_equal(moved[2][1], 72);
	drop(&p);
}

static void test_sizes(void **state)
{
	static const struct bpf_insn body[] = { MOV(2), MOV(3), MOV(4), MOV(5), EXIT };

	check(body + 3, 2);
	check(body + 2, 3);
	check(body, 5);
}

/* Everything is as far from each other as before, and the first function has got longer. */
static void test_first(void **state)
{
	static const struct bpf_insn body[] = { MOV(2), MOV(3), MOV(4) };
	struct splice_program p = copy();
	const uint32_t(*moved)[2] = p.funcs;

	assert_int_equal(splice_first(&p, body, 3), 0);
	assert_int_equal(p.n, N + 3);
	assert_memory_equal(p.insns, body, sizeof(body));
	assert_memory_equal(p.insns + 3, program, sizeof(program));
	assert_int_equal(moved[0][0], 0);
	assert_int_equal(moved[1][0], 10);
	assert_int_equal(moved[2][0], 13);
	assert_int_equal(moved[2][1], 72);
	drop(&p);
}

static void test_missing(void **state)
{
	static const struct bpf_insn body[] = { EXIT };
	struct splice_program p = copy();

	assert_int_equal(splice_function(&p, MAGIC + 1, body, 1), -ENOENT);
	assert_int_equal(p.n, N);
	assert_memory_equal(p.insns, program, sizeof(program));
	assert_memory_equal(p.funcs, funcs, sizeof(funcs));
	drop(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
