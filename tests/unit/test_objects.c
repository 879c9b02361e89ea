// SPDX-License-Identifier: GPL-2.0-only
/* test_objects.c - each object is unpacked whole: its tables of sections end where it ends. */
#include "fixture.h"

#include <elf.h>
#include <linux/bpf.h>
#include <string.h>

#include "kstats_calls.h"
#include "objects/objects.h"

static void test_unpack(void **state)
{
	enum objects_name name;
	Elf64_Ehdr h;
	size_t size;
	char *bytes;

	for (name = 0; name < OBJECTS; name++) {
		bytes = objects_unpack(name, &size);
		assert_non_null(bytes);
		assert_true(size > sizeof(h));
		memcpy(&h, bytes, sizeof(h));
		assert_memory_equal(h.e_ident, ELFMAG, SELFMAG);
		assert_int_equal(h.e_machine, EM_BPF);
		assert_int_equal(h.e_shoff + h.e_shnum * sizeof(Elf64_Shdr), size);
		free(bytes);
	}
}

/* The sizes in the header of .BTF.ext, which `packaging/bare` changes. */
static void test_lines(void **state)
{
	static const char name[] = ".BTF.ext";
	enum objects_name object;
	Elf64_Shdr names, h;
	Elf64_Ehdr elf;
	uint32_t sizes[8];
	size_t size;
	char *bytes;
	int i;

	for (object = 0; object < OBJECTS; object++) {
		bytes = objects_unpack(object, &size);
		memcpy(&elf, bytes, sizeof(elf));
		memcpy(&names, bytes + elf.e_shoff + elf.e_shstrndx * sizeof(h), sizeof(h));
		for (i = 0; i < elf.e_shnum; i++) {
			memcpy(&h, bytes + elf.e_shoff + i * sizeof(h), sizeof(h));
			if (!strcmp(bytes + names.sh_offset + h.sh_name, name))
				break;
		}
		assert_int_not_equal(i, elf.e_shnum);
		memcpy(sizes, bytes + h.sh_offset, sizeof(sizes));
		/* Functions, lines, relocations. */
		assert_int_not_equal(sizes[3], 0);
		assert_int_equal(sizes[5], 0);
		assert_int_not_equal(sizes[7], 0);
		/* They follow each other, and the last ones end with the section. */
		assert_int_equal(sizes[4], sizes[2] + sizes[3]);
		assert_int_equal(sizes[6], sizes[4] + sizes[5]);
		assert_int_equal(sizes[1] + sizes[6] + sizes[7], h.sh_size);
		/* A part begins with the size of its records. */
		memcpy(sizes, bytes + h.sh_offset + sizes[1] + sizes[6], sizeof(*sizes));
		assert_int_equal(sizes[0], sizeof(struct bpf_core_relo));
		free(bytes);
	}
}

/* Relocations name symbols by their numbers, which `packaging/bare` changes. */
static void test_relocations(void **state)
{
	enum objects_name object;
	Elf64_Shdr symbols, h;
	Elf64_Ehdr elf;
	Elf64_Rel rel;
	Elf64_Sym sym;
	size_t size, at;
	char *bytes;
	int i, n;

	for (object = 0; object < OBJECTS; object++) {
		bytes = objects_unpack(object, &size);
		memcpy(&elf, bytes, sizeof(elf));
		n = 0;
		for (i = 0; i < elf.e_shnum; i++) {
			memcpy(&h, bytes + elf.e_shoff + i * sizeof(h), sizeof(h));
			if (h.sh_type != SHT_REL)
				continue;
			memcpy(&symbols, bytes + elf.e_shoff + h.sh_link * sizeof(h),
			       sizeof(symbols));
			for (at = 0; at < h.sh_size; at += sizeof(rel), n++) {
				memcpy(&rel, bytes + h.sh_offset + at, sizeof(rel));
				assert_true(ELF64_R_SYM(rel.r_info) * sizeof(sym) <
					    symbols.sh_size);
				memcpy(&sym,
				       bytes + symbols.sh_offset +
					       ELF64_R_SYM(rel.r_info) * sizeof(sym),
				       sizeof(sym));
				assert_int_not_equal(ELF64_ST_TYPE(sym.st_info), STT_NOTYPE);
			}
		}
		assert_int_not_equal(n, 0);
		free(bytes);
	}
}

static bool objects_have(enum objects_name name, const void *what, size_t n)
{
	size_t size;
	char *bytes = objects_unpack(name, &size);
	bool has = memmem(bytes, size, what, n);

	free(bytes);
	return has;
}

/* Whether a string is among the bytes: in names of sections, symbols and types. */
static bool has_word(enum objects_name name, const char *word)
{
	return objects_have(name, word, strlen(word));
}

/* Whether a kfunc is called. */
static bool has_call(enum objects_name name, enum kstats_call call)
{
	const uint32_t number = KSTATS_CALL_MAGIC + call;

	return objects_have(name, &number, sizeof(number));
}

static bool objects_are_equal(enum objects_name a, enum objects_name b)
{
	size_t sizes[2];
	char *bytes[] = { objects_unpack(a, &sizes[0]), objects_unpack(b, &sizes[1]) };
	bool equal = sizes[0] == sizes[1] && !memcmp(bytes[0], bytes[1], sizes[0]);

	free(bytes[0]);
	free(bytes[1]);
	return equal;
}

/* A name leads to the object that was compiled for it. */
static void test_each(void **state)
{
	enum objects_name name, other;

	for (name = 0; name < OBJECTS_KMEM; name++) {
		assert_int_equal(has_call(name, KSTATS_CALL_RECORD), name % 3 == OBJECTS_KMOD);
		assert_int_equal(has_call(name, KSTATS_CALL_COOKIE), name >= OBJECTS_SESSION_MAP);
		for (other = 0; other < name; other++)
			assert_false(objects_are_equal(name, other));
	}
	assert_true(has_word(OBJECTS_KMEM, "kmem_on"));
	for (name = 0; name < OBJECTS; name++)
		assert_false(has_word(name, "LBB"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unpack),
		cmocka_unit_test(test_each),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_relocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
