// SPDX-License-Identifier: GPL-2.0-only
/* test_fold.c - loads of constants that become immediates. */
#include "fixture.h"

#include <linux/bpf.h>

#include "hook/fold.h"

#define FD 7
#define OTHER_FD 8

static const struct {
	uint64_t wide;
	uint32_t word;
	uint16_t half;
	uint8_t byte;
	uint8_t last;
} values = { 0x123456789abcdef0, 0xfffffff3, 0x8001, 0xc5, 1 };

static const struct fold_constants constants = { FD, &values, sizeof(values) };

/* r@at = address; r@to = load of @size there. */
static void put(struct bpf_insn *i, int fd, int32_t offset, int at, int to, int size)
{
	memset(i, 0, 3 * sizeof(*i));
	i[0].code = BPF_LD | BPF_IMM | BPF_DW;
	i[0].src_reg = BPF_PSEUDO_MAP_VALUE;
	i[0].dst_reg = at;
	i[0].imm = fd;
	i[1].imm = offset;
	i[2].code = BPF_LDX | BPF_MEM | size;
	i[2].dst_reg = to;
	i[2].src_reg = at;
}

static bool is_nop(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_JA) && !i->off;
}

static void test_sizes(void **state)
{
	static const struct {
		int offset, size;
		uint32_t value;
	} cases[] = {
		{ 8, BPF_W, 0xfffffff3 },
		{ 12, BPF_H, 0x8001 },
		{ 14, BPF_B, 0xc5 },
		{ 15, BPF_B, 1 },
	};
	struct bpf_insn p[4];
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		put(p, FD, cases[i].offset, 2, 2, cases[i].size);
		assert_int_equal(fold_constants(p, 3, &constants), 1);
		assert_true(is_nop(&p[0]) && is_nop(&p[1]));
		/* Of 32 bits: one of 64 would extend the sign. */
		assert_int_equal(p[2].code, BPF_ALU | BPF_MOV | BPF_K);
		assert_int_equal(p[2].dst_reg, 2);
		assert_int_equal((uint32_t)p[2].imm, cases[i].value);
	}
}

static void test_wide(void **state)
{
	struct bpf_insn p[3];

	put(p, FD, 0, 3, 3, BPF_DW);
	assert_int_equal(fold_constants(p, 3, &constants), 1);
	assert_int_equal(p[0].code, BPF_LD | BPF_IMM | BPF_DW);
	assert_int_equal(p[0].src_reg, 0);
	assert_int_equal(p[0].dst_reg, 3);
	assert_int_equal((uint32_t)p[0].imm, 0x9abcdef0);
	assert_int_equal((uint32_t)p[1].imm, 0x12345678);
	assert_true(is_nop(&p[2]));
}

/* The address is still wanted where the load does not overwrite it. */
static void test_address_kept(void **state)
{
	struct bpf_insn p[3], before[3];

	put(p, FD, 8, 2, 4, BPF_W);
	memcpy(before, p, sizeof(p));
	assert_int_equal(fold_constants(p, 3, &constants), 1);
	assert_memory_equal(p, before, 2 * sizeof(*p));
	assert_int_equal(p[2].dst_reg, 4);
	put(p, FD, 0, 2, 4, BPF_DW);
	memcpy(before, p, sizeof(p));
	assert_int_equal(fold_constants(p, 3, &constants), 0);
	assert_memory_equal(p, before, sizeof(p));
}

static void test_left_alone(void **state)
{
	struct bpf_insn p[4], before[4];
	unsigned int i;

	for (i = 0; i < 5; i++) {
		memset(p, 0, sizeof(p));
		put(p, i == 0 ? OTHER_FD : FD, i == 1 ? sizeof(values) - 3 : 8, 2, 2, BPF_W);
		if (i == 2)
			p[2].src_reg = 5; /* another address */
		if (i == 3) /* somebody jumps to the load, with an address of his own */
			p[3] = (struct bpf_insn){ .code = BPF_JMP | BPF_JA, .off = -2 };
		if (i == 4)
			p[0].src_reg = BPF_PSEUDO_MAP_FD;
		memcpy(before, p, sizeof(p));
		assert_int_equal(fold_constants(p, i == 3 ? 4 : 3, &constants), 0);
		assert_memory_equal(p, before, sizeof(p));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_address_kept),
		cmocka_unit_test(test_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
