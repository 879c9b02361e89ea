// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slice.c - the small BTF that programs are relocated against has the structures that
 * they name, and every member lies where it lies in the kernel's.
 */
#include <bpf/btf.h>
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

#include "facts/facts.h"
#include "facts/types.h"

static int add_struct(struct btf *btf, const char *name, const char *member, int type, int at)
{
	int id = btf__add_struct(btf, name, 64);

	assert_int_equal(btf__add_field(btf, member, type, at, 0), 0);
	return id;
}

/* One structure in another, an array, a union without a name, a bitfield, a pointer. */
static struct btf *kernel(void)
{
	struct btf *btf = btf__new_empty();
	int t_int = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), t_inner, t_named, t_array, t_union;
	int t_enum = btf__add_enum(btf, "e", 4), t_ptr = btf__add_ptr(btf, t_int);

	add_struct(btf, "other", "a", t_int, 0);
	t_inner = add_struct(btf, "inner", "deep", t_int, 96);
	t_named = btf__add_typedef(btf, "inner_t", btf__add_const(btf, t_inner));
	t_array = btf__add_array(btf, t_int, t_inner, 3);
	t_union = btf__add_union(btf, NULL, 8);
	btf__add_field(btf, "one", t_int, 0, 0);
	btf__add_field(btf, "two", t_ptr, 0, 0);
	btf__add_struct(btf, "wanted", 512);
	btf__add_field(btf, "in", t_named, 64, 0);
	btf__add_field(btf, "row", t_array, 1024, 0);
	btf__add_field(btf, NULL, t_union, 2624, 0);
	btf__add_field(btf, "bits", t_int, 2691, 5);
	btf__add_field(btf, "enum", t_enum, 2720, 0);
	return btf;
}

static struct btf *slice(const struct btf *local)
{
	char root[] = "/tmp/kstats-slice.XXXXXX", path[128];
	struct btf *all = kernel(), *out;
	struct facts *facts;
	const void *raw;
	uint32_t size;
	FILE *f;
	int fd;

	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "mkdir -p %s/sys/kernel/btf", root);
	assert_int_equal(system(path), 0);
	snprintf(path, sizeof(path), "%s/sys/kernel/btf/vmlinux", root);
	raw = btf__raw_data(all, &size);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(raw, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
	btf__free(all);
	facts = facts_open(root, NULL);
	assert_non_null(facts);
	fd = facts_slice(facts_kernel_types(facts), local);
	assert_true(fd >= 0);
	facts_close(facts);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	out = btf__parse(path, NULL);
	assert_non_null(out);
	close(fd);
	snprintf(path, sizeof(path), "rm -r %s", root);
	assert_int_equal(system(path), 0);
	return out;
}

/* Appends "name@bit:bits" for each member, and those of a structure inside in parentheses. */
static void tell(const struct btf *btf, uint32_t id, char *text, size_t size)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	size_t at;
	int i;

	for (i = 0; btf_is_array(t);)
		t = btf__type_by_id(btf, btf_array(t)->type);
	for (i = 0; btf_is_composite(t) && i < btf_vlen(t); i++) {
		at = strlen(text);
		snprintf(text + at, size - at, "(%s@%u:%u %u",
			 btf__name_by_offset(btf, btf_members(t)[i].name_off),
			 btf_member_bit_offset(t, i), btf_member_bitfield_size(t, i),
			 btf_kind(btf__type_by_id(btf, btf_members(t)[i].type)));
		tell(btf, btf_members(t)[i].type, text, size);
		at = strlen(text);
		snprintf(text + at, size - at, ")");
	}
}

static void test_members(void **state)
{
	struct btf *local = btf__new_empty(), *out;
	char text[512] = "";

	(void)state;
	btf__add_struct(local, "absent", 8);
	btf__add_struct(local, "wanted", 8);
	out = slice(local);
	tell(out, btf__find_by_name_kind(out, "wanted", BTF_KIND_STRUCT), text, sizeof(text));
	assert_string_equal(text,
			    "(in@64:0 4(deep@96:0 1))(row@1024:0 3(deep@96:0 1))"
			    "(@2624:0 5(one@0:0 1)(two@0:0 2))(bits@2691:5 1)(enum@2720:0 6)");
	assert_int_equal(btf__type_by_id(out, btf__type_cnt(out) - 1)->size, 512);
	assert_true(btf__find_by_name_kind(out, "other", BTF_KIND_STRUCT) < 0);
	assert_true(btf__find_by_name_kind(out, "inner", BTF_KIND_STRUCT) < 0);
	btf__free(local);
	btf__free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
