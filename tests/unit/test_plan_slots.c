// SPDX-License-Identifier: GPL-2.0-only
/* test_plan_slots.c - whether slots come in blocks, and how much memory they take. */
#include <bpf/btf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "plan/priv.h"

#define MB 1000000ULL
#define MIB (1ULL << 20)

#define ROOT "/tmp/kstats-slots-XXXXXX"

static char removal[64]; /* of the folder of facts */

static void put(const char *root, const char *folder, const char *name, const void *data,
		size_t size)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "mkdir -p %s/%s", root, folder);
	assert_int_equal(system(path), 0);
	snprintf(path, sizeof(path), "%s/%s/%s", root, folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

/* A kernel of which only the CPUs are known. */
static struct facts *facts_with(const char *possible)
{
	char root[] = ROOT;
	struct btf *btf = btf__new_empty();
	struct facts *facts;
	const void *raw;
	uint32_t size;

	assert_non_null(mkdtemp(root));
	snprintf(removal, sizeof(removal), "rm -r %s", root);
	btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	raw = btf__raw_data(btf, &size);
	put(root, "sys/kernel/btf", "vmlinux", raw, size);
	btf__free(btf);
	if (*possible)
		put(root, "sys/devices/system/cpu", "possible", possible, strlen(possible));
	facts = facts_open(root, NULL);
	assert_non_null(facts);
	return facts;
}

static void facts_drop(struct facts *facts)
{
	facts_close(facts);
	assert_int_equal(system(removal), 0);
}

struct row {
	uint32_t nodes;
	const char *cpus;
	unsigned int bits;
	uint64_t asked; /* --limit memory */
	bool in_blocks;
	uint64_t least, most; /* bytes */
	enum spec_method method;
};

static int choose(const struct row *r, struct plan *plan, struct spec *spec, bool loaded,
		  bool forced, struct error *e)
{
	struct facts *facts = facts_with(r->cpus);
	int err;

	*spec = (struct spec){ .bits = r->bits, .slot_memory = r->asked, .method = r->method };
	*plan = (struct plan){
		.spec = spec,
		.n_nodes = r->nodes,
		.kmod = loaded,
		.map = !forced,
		.backend_reason = strdup(""),
	};
	err = plan_choose_slots(plan, facts, e);
	facts_drop(facts);
	return err;
}

static void test_memory(void **state)
{
	static const struct row rows[] = {
		/* all slots from the start */
		{ 1, "0-1", 5, 0, false, 61824, 61824 },
		{ 1, "", 5, 0, false, 30912, 30912 },
		{ 33, "0-63", 5, 0, false, 65 * MB, 66 * MB },
		{ 8, "0-255", 5, 0, false, 63 * MB, 64 * MB },
		{ 1000, "0-63", 0, 0, false, 77 * MB,
		  79 * MB }, /* few slots: blocks save nothing */
		/* in blocks */
		{ 34, "0-63", 5, 0, true, 66 * MB, 64 * MIB },
		{ 256, "0-255", 5, 0, true, 145 * MB, 152 * MB },
		{ 1000, "0-63", 5, 0, true, 140 * MB, 150 * MB },
		{ 1000, "0-255", 5, 0, true, 575 * MB, 600 * MB },
		{ 9, "0-255", 5, 0, true, 66 * MB, 64 * MIB },
		/* as asked for */
		{ 1, "0-1", 5, 61824, false, 61824, 61824 },
		{ 1, "0-1", 5, 61823, true, 57000, 61823 },
		{ 256, "0-255", 5, 60 * MIB, true, 60 * MIB - MIB, 60 * MIB },
		{ 256, "0-255", 5, 4ULL << 30, false, 2 * MIB, 4ULL << 30 },
		{ 1, "0-1", 5, 608 + 2 * 8 * 264, true, 4832, 4832 },
	};
	struct error e = {};
	struct plan plan;
	struct spec spec;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(choose(&rows[i], &plan, &spec, false, false, &e), 0);
		assert_int_equal(plan.blocks_of_cpu != 0, rows[i].in_blocks);
		assert_int_equal(plan.blocks_of_cpu % 8, 0);
		assert_in_range(plan.slot_bytes, rows[i].least, rows[i].most);
		assert_true(plan.slot_bytes <= plan.slot_bytes_all);
		free(plan.backend_reason);
	}
}

/* Numbers of blocks have 32 bits. */
static void test_most(void **state)
{
	static const struct row row = { 4000000, "0-4095", 5, 1ULL << 47, true, 0, 0 };
	struct error e = {};
	struct plan plan;
	struct spec spec;

	assert_int_equal(choose(&row, &plan, &spec, false, false, &e), 0);
	assert_int_equal(plan.blocks_of_cpu, UINT32_MAX / 4096 / 8 * 8);
	free(plan.backend_reason);
}

static void test_refusals(void **state)
{
	static const struct row small = { 3, "0-1", 5, 6 * 304 + 2 * 8 * 264 - 1, true, 0, 0 };
	struct error e = {};
	struct plan plan;
	struct spec spec;

	assert_int_equal(choose(&small, &plan, &spec, false, false, &e), -ENOSPC);
	assert_string_equal(e.what, "--limit memory is too small");
	assert_non_null(strstr(e.why, "3 distributions on 2 CPUs take at least 5.906 KiB"));
	free(plan.backend_reason);
}

/* The module takes 8 bytes more for a distribution on a CPU, and makes few nodes. */
static void test_module(void **state)
{
	static const struct row rows[] = {
		{ 256, "0-255", 5, 0, true, 145 * MB, 152 * MB },
		{ 256, "0-255", 5, 150 * MIB, true, 149 * MIB, 150 * MIB },
		{ 1, "0-1", 5, 0, false, 61824, 61824 },
		{ 1, "0-1", 5, 624 + 2 * 8 * 264, true, 4848, 4848 },
		{ 1024, "0-1", 0, 0, false, 2 * MB, 3 * MB },
		{ 1025, "0-1", 0, 0, true, 3 * MB, 4 * MB }, /* a block for all slots there are */
		{ 1025, "0-1", 0, 2 * MIB, true, MIB, 2 * MIB },
	};
	static const struct row small = { 3, "0-1", 5, 6 * 312 + 2 * 8 * 264 - 1, true, 0, 0 };
	struct error e = {};
	struct plan plan;
	struct spec spec;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(choose(&rows[i], &plan, &spec, true, i % 2, &e), 0);
		assert_true(plan.kmod);
		assert_int_equal(plan.blocks_of_cpu != 0, rows[i].in_blocks);
		assert_in_range(plan.slot_bytes, rows[i].least, rows[i].most);
		free(plan.backend_reason);
	}
	assert_int_equal(choose(&small, &plan, &spec, true, true, &e), -ENOSPC);
	assert_string_equal(e.what, "--limit memory is too small");
	free(plan.backend_reason);
}

/* Stubs have no blocks. */
static void test_stubs(void **state)
{
	static const struct row many = { 64, "0-255", 5, 0, false, 0, 0, SPEC_METHOD_DIRECT };
	static const struct row asked = {
		64, "0-255", 5, 64 * MIB, false, 0, 0, SPEC_METHOD_DIRECT
	};
	struct error e = {};
	struct plan plan;
	struct spec spec;

	assert_int_equal(choose(&many, &plan, &spec, true, true, &e), 0);
	assert_int_equal(plan.blocks_of_cpu, 0);
	free(plan.backend_reason);
	assert_int_equal(choose(&asked, &plan, &spec, true, true, &e), -ENOSPC);
	assert_non_null(strstr(e.what, "'direct'"));
	assert_non_null(strstr(e.next, "another method"));
	free(plan.backend_reason);
}

/* Unverified samples are rare: their distributions get cells, and no blocks. */
static void test_unverified(void **state)
{
	static const struct row row = { 512, "0-255", 5, 0, true, 0, 0 };
	struct spec spec = { .bits = 5 };
	struct plan plan = {
		.spec = &spec,
		.n_nodes = 512,
		.unverified_at = 256,
		.map = true,
	};
	struct facts *facts = facts_with("0-255");
	struct error e = {};
	uint32_t blocks;

	assert_int_equal(plan_choose_slots(&plan, facts, &e), 0);
	blocks = plan.blocks_of_cpu;
	facts_drop(facts);
	assert_int_equal(choose(&row, &plan, &spec, false, false, &e), 0);
	assert_in_range(plan.blocks_of_cpu, 2 * blocks - 16, 2 * blocks);
	free(plan.backend_reason);
}

/* With few functions and CPUs all that the kernel allows, and never less than perf would make. */
static void test_returns(void **state)
{
	static const struct {
		uint32_t functions;
		unsigned int n_cpus;
		uint32_t calls;
	} rows[] = {
		{ 1, 1, 4095 },     { 50, 2, 4095 },  { 1, 128, 4095 },  { 64, 128, 511 },
		{ 1000, 128, 511 }, { 1000, 2, 511 }, { 100000, 2, 63 }, { 1, 4096, 4095 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(plan_return_calls(rows[i].functions, rows[i].n_cpus),
				 rows[i].calls);
	assert_int_equal(plan_return_bytes(4095, 2), 4096 * 16 + 4095 * 80);
	assert_true(64 * plan_return_bytes(511, 128) < 64 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),   cmocka_unit_test(test_most),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_module),
		cmocka_unit_test(test_stubs),    cmocka_unit_test(test_unverified),
		cmocka_unit_test(test_returns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
