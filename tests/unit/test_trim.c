// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_trim.c - programs without what constants make superfluous. Small ones whose rest is known,
 * and random ones, which must do the same before and after: an interpreter runs both.
 */
#include "fixture.h"

#include <errno.h>

#include "hook/trim.h"

#define MOST 400
#define RUNS 20000

#define ALU(op, dst, n)                                                                 \
	(struct bpf_insn)                                                               \
	{                                                                               \
		.code = BPF_ALU64 | BPF_K | (op), .dst_reg = (dst), .imm = (int32_t)(n) \
	}
#define ALU_X(op, dst, src)                                                          \
	(struct bpf_insn)                                                            \
	{                                                                            \
		.code = BPF_ALU64 | BPF_X | (op), .dst_reg = (dst), .src_reg = (src) \
	}
#define JUMP(op, dst, n, to)                                                                       \
	(struct bpf_insn)                                                                          \
	{                                                                                          \
		.code = BPF_JMP | BPF_K | (op), .dst_reg = (dst), .off = (to), .imm = (int32_t)(n) \
	}
#define CALL(kind, n)                                                              \
	(struct bpf_insn)                                                          \
	{                                                                          \
		.code = BPF_JMP | BPF_CALL, .src_reg = (kind), .imm = (int32_t)(n) \
	}
#define LOAD(dst, src, at)                                                              \
	(struct bpf_insn)                                                               \
	{                                                                               \
		.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = (dst), .src_reg = (src), \
		.off = (at)                                                             \
	}
#define STORE(dst, at, src)                                                             \
	(struct bpf_insn)                                                               \
	{                                                                               \
		.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = (dst), .src_reg = (src), \
		.off = (at)                                                             \
	}
#define WIDE(kind, dst, n)                                    \
	(struct bpf_insn){ .code = BPF_LD | BPF_IMM | BPF_DW, \
			   .src_reg = (kind),                 \
			   .dst_reg = (dst),                  \
			   .imm = (int32_t)(n) },             \
		(struct bpf_insn)                             \
	{                                                     \
		.imm = (int32_t)((uint64_t)(n) >> 32)         \
	}
#define EXIT                               \
	(struct bpf_insn)                  \
	{                                  \
		.code = BPF_JMP | BPF_EXIT \
	}

/* Trims @n instructions, and compares what is left with @want. */
static void check(const struct bpf_insn *insns, size_t n, const struct bpf_insn *want, size_t left)
{
	struct splice_program p = { .insns = malloc(n * sizeof(*insns)), .n = n };
	size_t i;

	assert_non_null(p.insns);
	memcpy(p.insns, insns, n * sizeof(*insns));
	assert_int_equal(trim_program(&p), n - left);
	assert_int_equal(p.n, left);
	for (i = 0; i < left; i++)
		assert_memory_equal(&p.insns[i], &want[i], sizeof(*want));
	free(p.insns);
}

#define CHECK(insns, want) \
	check(insns, sizeof(insns) / sizeof(*(insns)), want, sizeof(want) / sizeof(*(want)))

/* A setting that is 0 leaves nothing of its branch, and nothing of itself. */
static void test_setting(void **state)
{
	const struct bpf_insn insns[] = {
		WIDE(BPF_PSEUDO_MAP_VALUE, 1, 7),
		ALU(BPF_MOV, 2, 0),
		JUMP(BPF_JEQ, 2, 0, 2),
		ALU(BPF_MOV, 1, 5),
		CALL(0, 3),
		ALU(BPF_MOV, 0, 0),
		EXIT,
	};
	const struct bpf_insn want[] = { ALU(BPF_MOV, 0, 0), EXIT };

	CHECK(insns, want);
}

/* What the two ways to a place know, only if it is the same. */
static void test_merge(void **state)
{
	const struct bpf_insn insns[] = {
		ALU(BPF_MOV, 6, 1),     LOAD(2, 1, 0),      JUMP(BPF_JEQ, 2, 9, 2),
		ALU(BPF_MOV, 6, 2),     ALU(BPF_MOV, 7, 3), ALU(BPF_MOV, 0, 8),
		JUMP(BPF_JEQ, 6, 1, 1), ALU(BPF_MOV, 0, 9), EXIT,
	};
	const struct bpf_insn want[] = {
		ALU(BPF_MOV, 6, 1),     LOAD(2, 1, 0),
		JUMP(BPF_JEQ, 2, 9, 1), ALU(BPF_MOV, 6, 2),
		ALU(BPF_MOV, 0, 8),     JUMP(BPF_JEQ, 6, 1, 1),
		ALU(BPF_MOV, 0, 9),     EXIT,
	};

	CHECK(insns, want);
}

/* The kernel looks for a tail call before it removes dead code. */
static void test_tail_call(void **state)
{
	const struct bpf_insn insns[] = {
		ALU(BPF_MOV, 0, 0), JUMP(BPF_JEQ, 0, 0, 1), CALL(0, 12), ALU(BPF_MOV, 0, 0), EXIT,
	};

	CHECK(insns, insns);
}

/* What is not understood stays as it is. */
static void test_unknown(void **state)
{
	struct bpf_insn insns[] = { ALU(BPF_MOV, 1, 0), JUMP(0xe0, 1, 0, 1), ALU(BPF_MOV, 2, 0),
				    EXIT };

	CHECK(insns, insns);
	insns[1] = (struct bpf_insn){ .code = BPF_LD | BPF_ABS | BPF_W };
	CHECK(insns, insns);
	insns[1] = (struct bpf_insn){ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .imm = 0x100 };
	CHECK(insns, insns);
}

/* An exchange that compares does so with r0, and writes it. */
static void test_exchange(void **state)
{
	const struct bpf_insn exchange = { .code = BPF_STX | BPF_ATOMIC | BPF_DW,
					   .dst_reg = 1,
					   .src_reg = 2,
					   .imm = BPF_CMPXCHG };
	const struct bpf_insn insns[] = { ALU(BPF_MOV, 0, 1),     ALU(BPF_MOV, 2, 3), exchange,
					  JUMP(BPF_JEQ, 0, 1, 1), ALU(BPF_MOV, 0, 4), EXIT };

	CHECK(insns, insns);
}

/* Functions that nothing calls any more are gone, with their records; others are found. */
static void test_functions(void **state)
{
	const struct bpf_insn insns[] = {
		ALU(BPF_MOV, 9, 0),
		JUMP(BPF_JNE, 9, 0, 5),
		CALL(BPF_PSEUDO_CALL, 6),
		WIDE(BPF_PSEUDO_FUNC, 2, 7),
		ALU(BPF_MOV, 0, 0),
		EXIT,
		CALL(BPF_PSEUDO_CALL, 6),
		EXIT,
		/* 9 */ ALU(BPF_MOV, 0, 1),
		EXIT,
		/* 11 */ ALU(BPF_MOV, 3, 1),
		ALU(BPF_MOV, 0, 2),
		EXIT,
		/* 14 */ ALU(BPF_MOV, 0, 3),
		EXIT,
	};
	const struct bpf_insn want[] = {
		CALL(BPF_PSEUDO_CALL, 4),   WIDE(BPF_PSEUDO_FUNC, 2, 5),
		ALU(BPF_MOV, 0, 0),         EXIT,
		/* 5 */ ALU(BPF_MOV, 0, 1), EXIT,
		/* 7 */ ALU(BPF_MOV, 0, 2), EXIT,
	};
	const uint32_t funcs[][2] = { { 0, 70 }, { 9, 71 }, { 11, 72 }, { 14, 73 } };
	const uint32_t left[][2] = { { 0, 70 }, { 5, 71 }, { 7, 72 } };
	struct splice_program p = { .insns = malloc(sizeof(insns)),
				    .n = sizeof(insns) / sizeof(*insns),
				    .funcs = malloc(sizeof(funcs)),
				    .n_funcs = 4,
				    .func_size = sizeof(*funcs) };

	assert_non_null(p.insns);
	assert_non_null(p.funcs);
	memcpy(p.insns, insns, sizeof(insns));
	memcpy(p.funcs, funcs, sizeof(funcs));
	assert_int_equal(trim_program(&p), 7);
	assert_int_equal(p.n, sizeof(want) / sizeof(*want));
	assert_memory_equal(p.insns, want, sizeof(want));
	assert_int_equal(p.n_funcs, 3);
	assert_memory_equal(p.funcs, left, sizeof(left));
	free(p.insns);
	free(p.funcs);
}

/* ---- random programs ---- */

#define FRAME 8 /* words */
#define STEPS 3000
#define FUNCTIONS 3

/* What a program does that can be seen from outside. */
struct course {
	uint64_t told; /* all stores and calls of helpers, in their order */
	int steps;
	bool ended;
};

static uint64_t trim_seed = 1;

static unsigned int pick(unsigned int n)
{
	trim_seed = trim_seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (trim_seed >> 33) % n;
}

static void tell(struct course *c, uint64_t what)
{
	c->told = (c->told ^ what) * 0x9e3779b97f4a7c15ULL + 1;
}

static uint64_t arithmetic(const struct bpf_insn *i, uint64_t a, uint64_t b)
{
	bool is_word = BPF_CLASS(i->code) == BPF_ALU;
	unsigned int mask = is_word ? 31 : 63;
	uint64_t r = a;

	if (is_word)
		a = (uint32_t)a;
	switch (BPF_OP(i->code)) {
	case BPF_MOV:
		r = b;
		break;
	case BPF_ADD:
		r = a + b;
		break;
	case BPF_SUB:
		r = a - b;
		break;
	case BPF_MUL:
		r = a * b;
		break;
	case BPF_AND:
		r = a & b;
		break;
	case BPF_OR:
		r = a | b;
		break;
	case BPF_XOR:
		r = a ^ b;
		break;
	case BPF_LSH:
		r = a << (b & mask);
		break;
	case BPF_RSH:
		r = a >> (b & mask);
		break;
	case BPF_ARSH:
		r = is_word ? (uint64_t)((int32_t)a >> (b & mask))
			    : (uint64_t)((int64_t)a >> (b & mask));
		break;
	case BPF_NEG:
		r = -a;
		break;
	}
	return is_word ? (uint32_t)r : r;
}

static bool holds(const struct bpf_insn *i, uint64_t a, uint64_t b)
{
	int64_t sa = a, sb = b;

	if (BPF_CLASS(i->code) == BPF_JMP32) {
		a = (uint32_t)a;
		b = (uint32_t)b;
		sa = (int32_t)a;
		sb = (int32_t)b;
	}
	switch (BPF_OP(i->code)) {
	case BPF_JA:
		return true;
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSET:
		return a & b;
	case BPF_JSGT:
		return sa > sb;
	case BPF_JSGE:
		return sa >= sb;
	case BPF_JSLT:
		return sa < sb;
	}
	return sa <= sb;
}

static uint64_t run(const struct bpf_insn *insns, size_t at, const uint64_t *args, struct course *c)
{
	uint64_t reg[11] = {}, frame[FRAME] = {}, b;
	const struct bpf_insn *i;
	int k;

	memcpy(&reg[1], args, 5 * sizeof(*reg));
	while (c->steps++ < STEPS) {
		i = &insns[at++];
		b = BPF_SRC(i->code) == BPF_X ? reg[i->src_reg] : (uint64_t)(int64_t)i->imm;
		switch (BPF_CLASS(i->code)) {
		case BPF_ALU:
		case BPF_ALU64:
			reg[i->dst_reg] = arithmetic(i, reg[i->dst_reg], b);
			continue;
		case BPF_LD:
			reg[i->dst_reg] = (uint32_t)i->imm | (uint64_t)(uint32_t)insns[at++].imm
								     << 32;
			continue;
		case BPF_LDX:
			reg[i->dst_reg] = frame[-i->off / 8 - 1];
			continue;
		case BPF_STX:
			frame[-i->off / 8 - 1] = reg[i->src_reg];
			tell(c, reg[i->src_reg]);
			continue;
		}
		if (BPF_OP(i->code) == BPF_EXIT)
			return reg[0];
		if (BPF_OP(i->code) != BPF_CALL) {
			if (holds(i, reg[i->dst_reg], b))
				at += i->off;
			continue;
		}
		if (i->src_reg == BPF_PSEUDO_CALL) {
			reg[0] = run(insns, at + i->imm, &reg[1], c);
		} else {
			for (k = 1; k <= 5; k++)
				tell(c, reg[k]);
			reg[0] = c->told;
		}
		for (k = 1; k <= 5; k++)
			reg[k] = 0xdead0000 + k;
	}
	return 0;
}

/* Few numbers, so that much is known and alike. */
static struct bpf_insn any_insn(size_t i, size_t end)
{
	static const uint8_t ops[] = { BPF_MOV, BPF_MOV, BPF_MOV,  BPF_MOV, BPF_ADD,
				       BPF_SUB, BPF_MUL, BPF_AND,  BPF_OR,  BPF_XOR,
				       BPF_LSH, BPF_RSH, BPF_ARSH, BPF_NEG };
	static const uint8_t jumps[] = {
		BPF_JA,  BPF_JEQ,  BPF_JNE,  BPF_JGT,  BPF_JGE,  BPF_JLT,
		BPF_JLE, BPF_JSET, BPF_JSGT, BPF_JSGE, BPF_JSLT, BPF_JSLE
	};
	static const int32_t numbers[] = { 0, 0, 1, 1, 2, -1, 77, INT32_MIN };
	struct bpf_insn insn = { .dst_reg = pick(10),
				 .src_reg = pick(10),
				 .imm = numbers[pick(8)] };
	unsigned int kind = pick(20), forward = end - i - 1;

	if (kind < 10) {
		insn.code =
			ops[pick(14)] | (pick(2) ? BPF_ALU64 : BPF_ALU) | (pick(2) ? BPF_X : BPF_K);
	} else if (kind < 15 && forward) {
		insn.code = jumps[pick(12)] | (pick(2) ? BPF_JMP : BPF_JMP32) |
			    (pick(3) ? BPF_K : BPF_X);
		if (BPF_OP(insn.code) == BPF_JA)
			insn.code = BPF_JMP | BPF_JA;
		insn.off = pick(12) || i < 4 ? (int)pick(forward < 9 ? forward : 9)
					     : -(int)pick(4) - 1;
		insn.src_reg = BPF_SRC(insn.code) == BPF_X ? insn.src_reg : 0;
	} else if (kind < 17) {
		insn = LOAD(insn.dst_reg, 10, -8 * (int)(pick(FRAME) + 1));
	} else if (kind < 18) {
		insn = STORE(10, -8 * (int)(pick(FRAME) + 1), insn.src_reg);
	} else {
		insn = CALL(0, 5);
	}
	return insn;
}

/* Functions that follow each other; each calls those behind it. */
static size_t any_program(struct bpf_insn *insns, uint32_t (*funcs)[2])
{
	size_t n = 0, end;
	uint32_t f, length[FUNCTIONS];

	for (f = 0; f < FUNCTIONS; f++) {
		funcs[f][0] = n;
		funcs[f][1] = f;
		length[f] = 5 + pick(60);
		n += length[f];
	}
	for (f = 0, n = 0; f < FUNCTIONS; f++) {
		end = n + length[f];
		for (; n < end - 1; n++)
			insns[n] = f + 1 < FUNCTIONS && !pick(15)
					   ? CALL(BPF_PSEUDO_CALL, funcs[f + 1][0] - n - 1)
					   : any_insn(n, end);
		insns[n++] = EXIT;
	}
	return n;
}

static bool is_reached[MOST];

/* As the verifier sees it: each instruction must be reached from the beginning. */
static void visit(const struct splice_program *p, size_t i)
{
	const struct bpf_insn *at;

	while (i < p->n && !is_reached[i]) {
		at = &p->insns[i];
		is_reached[i++] = true;
		if (at->code == (BPF_JMP | BPF_EXIT))
			return;
		if (at->code == (BPF_JMP | BPF_CALL)) {
			if (at->src_reg == BPF_PSEUDO_CALL)
				visit(p, i + at->imm);
		} else if (BPF_CLASS(at->code) == BPF_JMP || BPF_CLASS(at->code) == BPF_JMP32) {
			visit(p, i + at->off);
			if (BPF_OP(at->code) == BPF_JA)
				return;
		}
	}
	assert_true(i < p->n);
}

/* Also those that do not end in time are trimmed; they may take fewer steps then. */
static bool same_course(const struct bpf_insn *insns, const struct splice_program *p)
{
	static const uint64_t args[][5] = { { 0 }, { 1, 2, 3, 4, 5 }, { ~0ULL, 77, 1, 0, 2 } };
	struct course before, after;
	uint64_t r, s;
	size_t i;

	for (i = 0; i < sizeof(args) / sizeof(*args); i++) {
		before = after = (struct course){};
		r = run(insns, 0, args[i], &before);
		if (before.steps > STEPS)
			continue;
		s = run(p->insns, 0, args[i], &after);
		if (r != s || before.told != after.told || after.steps > before.steps)
			return false;
	}
	return true;
}

static void test_random(void **state)
{
	struct bpf_insn insns[MOST];
	uint32_t funcs[FUNCTIONS][2], f;
	struct splice_program p;
	size_t i, n, left = 0, all = 0;
	int run_n, runs = fixture_rounds(RUNS, RUNS / 20);

	for (run_n = 0; run_n < runs; run_n++) {
		n = any_program(insns, funcs);
		p = (struct splice_program){ .insns = malloc(sizeof(insns)),
					     .n = n,
					     .funcs = malloc(sizeof(funcs)),
					     .n_funcs = FUNCTIONS,
					     .func_size = sizeof(*funcs) };
		assert_non_null(p.insns);
		assert_non_null(p.funcs);
		memcpy(p.insns, insns, n * sizeof(*insns));
		memcpy(p.funcs, funcs, sizeof(funcs));
		assert_true(trim_program(&p) >= 0);
		memset(is_reached, 0, sizeof(is_reached));
		visit(&p, 0);
		for (i = 0; i < p.n; i++)
			assert_true(is_reached[i]);
		for (f = 0; f < p.n_funcs; f++)
			assert_true(((uint32_t(*)[2])p.funcs)[f][0] < p.n);
		if (!same_course(insns, &p))
			fail_msg("the program of seed %d does something else", run_n);
		left += p.n;
		all += n;
		free(p.insns);
		free(p.funcs);
	}
	/* Much goes and much stays: both are tried. */
	assert_true(left > all / 5 && left < all * 4 / 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_setting),   cmocka_unit_test(test_merge),
		cmocka_unit_test(test_tail_call), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_exchange),  cmocka_unit_test(test_functions),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
