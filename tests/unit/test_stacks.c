// SPDX-License-Identifier: GPL-2.0-only
/* test_stacks.c - frames by name, in a root folder that is made here. */
#include "fixture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stacks/stacks.h"

#define PID 4242

static char root[] = "/tmp/test_stacks.XXXXXX";
static char program[64];

static const char *under(const char *name)
{
	static char path[2][256];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", root, name);
	return path[turn];
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(under(name), "we");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* A library with two functions of known places, a gap behind the second, and one of C++. */
static int build(void)
{
	static const char source[] = ".text\n.org 0x100\n"
				     ".globl first\n.type first,%function\nfirst: .skip 32\n"
				     ".size first,.-first\n"
				     ".globl _ZN4shop4sellEi\n.type _ZN4shop4sellEi,%function\n"
				     "_ZN4shop4sellEi: .skip 16\n"
				     ".size _ZN4shop4sellEi,.-_ZN4shop4sellEi\n.skip 64\n";
	char command[512];

	put("lib.s", source);
	snprintf(program, sizeof(program), "%s/lib;x.so", root);
	snprintf(command, sizeof(command),
		 "cc -shared -nostdlib -Wl,-z,separate-code -Wl,-Ttext=0x1000 -o '%s' %s/lib.s",
		 program, root);
	return system(command);
}

static int make_root(void **state)
{
	if (!mkdtemp(root) || mkdir(under("proc"), 0700) || mkdir(under("proc/4242"), 0700) ||
	    symlink("/", under("proc/4242/root")))
		return -1;
	put("proc/kallsyms", "ffffffff81000000 T first\n"
			     "ffffffff81000100 t second\n"
			     "ffffffffc0000000 t own\t[module]\n");
	return build();
}

static int remove_root(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

/* The program is at 0x500000, made memory behind it, then what the kernel gives. */
static void put_maps(void)
{
	char text[512];
	struct stat st;

	assert_int_equal(stat(program, &st), 0);
	snprintf(text, sizeof(text),
		 "00400000-00401000 r--p 00000000 %02x:%02x %lu %s\n"
		 "00500000-00501000 r-xp 00001000 %02x:%02x %lu %s\n"
		 "00600000-00601000 r-xp 00000000 00:00 0 \n"
		 "00700000-00701000 r-xp 00000000 00:00 0          [vdso]\n"
		 "00800000-00801000 r-xp 00001000 %02x:%02x 1 /gone/libgone.so (deleted)\n",
		 (unsigned int)(st.st_dev >> 8), (unsigned int)(st.st_dev & 0xff),
		 (unsigned long)st.st_ino, program, (unsigned int)(st.st_dev >> 8),
		 (unsigned int)(st.st_dev & 0xff), (unsigned long)st.st_ino, program,
		 (unsigned int)(st.st_dev >> 8), (unsigned int)(st.st_dev & 0xff));
	put("proc/4242/maps", text);
}

static void reads(const struct stacks_frame *f, const char *text)
{
	char buf[STACKS_TEXT];

	assert_string_equal(stacks_text(f, true, buf, sizeof(buf)), text);
}

static void kernel_reads(struct stacks *s, uint64_t address, enum stacks_kind kind,
			 const char *text)
{
	struct stacks_frame f;

	stacks_kernel(s, address, kind, &f);
	reads(&f, text);
}

static void program_reads(struct stacks *s, pid_t pid, uint64_t address, enum stacks_kind kind,
			  const char *text)
{
	struct stacks_frame f;

	stacks_program(s, pid, address, kind, &f);
	reads(&f, text);
}

static void test_kernel(void **state)
{
	struct stacks *s = stacks_open(root);

	kernel_reads(s, 0xffffffff81000044, STACKS_PLACE, "first+0x44");
	kernel_reads(s, 0xffffffff81000044, STACKS_RETURN, "first+0x44");
	kernel_reads(s, 0xffffffff81000100, STACKS_PLACE, "second+0x0");
	kernel_reads(s, 0xffffffff81000100, STACKS_RETURN, "first+0x100");
	kernel_reads(s, 0xffffffffc0000005, STACKS_RETURN, "own+0x5 [module]");
	kernel_reads(s, 0xffffffff80000000, STACKS_RETURN, "0xffffffff80000000");
	assert_null(stacks_hidden(s));
	stacks_close(s);
}

static void test_hidden(void **state)
{
	struct stacks *s;

	put("proc/kallsyms", "0000000000000000 T first\n");
	s = stacks_open(root);
	kernel_reads(s, 0xffffffff81000044, STACKS_RETURN, "0xffffffff81000044");
	assert_non_null(strstr(stacks_hidden(s), "hides the addresses"));
	stacks_close(s);
	unlink(under("proc/kallsyms"));
	s = stacks_open(root);
	assert_non_null(strstr(stacks_hidden(s), "cannot be read"));
	stacks_close(s);
}

static void test_program(void **state)
{
	struct stacks *s = stacks_open(root);
	struct stacks_frame f;
	char buf[STACKS_TEXT];

	put_maps();
	program_reads(s, PID, 0x500104, STACKS_PLACE, "first+0x4");
	program_reads(s, PID, 0x500120, STACKS_RETURN, "first+0x20");
	program_reads(s, PID, 0x500122, STACKS_RETURN, "shop::sell(int)+0x2");
	program_reads(s, PID, 0x500140, STACKS_PLACE, "[lib:x.so+0x1140]");
	program_reads(s, PID, 0x500040, STACKS_PLACE, "[lib:x.so+0x1040]");
	program_reads(s, PID, 0x600040, STACKS_PLACE, "[anon+0x40]");
	program_reads(s, PID, 0x700040, STACKS_PLACE, "[vdso+0x40]");
	program_reads(s, PID, 0x800040, STACKS_PLACE, "[libgone.so+0x1040]");
	program_reads(s, PID, 0x900040, STACKS_PLACE, "[unknown]");
	program_reads(s, PID, 0x400040, STACKS_PLACE, "[unknown]");
	program_reads(s, PID + 1, 0x500104, STACKS_PLACE, "[unknown]");
	stacks_program(s, PID, 0x500104, STACKS_PLACE, &f);
	assert_string_equal(stacks_text(&f, false, buf, sizeof(buf)), "first");
	assert_string_equal(f.in, "lib;x.so");
	stacks_close(s);
}

/* What was read stays, as for the processes that are gone: nothing is opened twice. */
static void test_once(void **state)
{
	struct stacks *s = stacks_open(root);
	char away[96];
	struct stacks_frame f;
	int i;

	put_maps();
	program_reads(s, PID, 0x500104, STACKS_PLACE, "first+0x4");
	snprintf(away, sizeof(away), "%s.away", program);
	assert_int_equal(rename(program, away), 0);
	unlink(under("proc/4242/maps"));
	for (i = 0; i < 10000; i++) {
		stacks_program(s, PID, 0x500100 + i % 32, STACKS_PLACE, &f);
		assert_string_equal(f.function, "first");
		assert_int_equal(f.offset, i % 32);
	}
	assert_int_equal(rename(away, program), 0);
	stacks_close(s);
}

static void test_file(void **state)
{
	struct stacks *s = stacks_open("");
	struct user_file file = {};
	struct stacks_frame f;

	assert_int_equal(user_file_read(program, &file), 0);
	assert_true(stacks_file(s, program, &file, 0x1104, STACKS_RETURN, &f));
	reads(&f, "first+0x4");
	file.inode++;
	assert_false(stacks_file(s, program, &file, 0x1104, STACKS_RETURN, &f));
	reads(&f, "[lib:x.so+0x1104]");
	assert_false(stacks_file(s, "/gone/prog", &file, 0x12, STACKS_RETURN, &f));
	reads(&f, "[prog+0x12]");
	stacks_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel),  cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_program), cmocka_unit_test(test_once),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
