// SPDX-License-Identifier: GPL-2.0-only
/* test_stacks.c - frames by name, in a root folder that is made here. */
#include "fixture.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stacks/priv.h"

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
			     "ffffffff81000180 t own\n"
			     "ffffffff81000200 T _etext\n"
			     "ffffffff82000000 D table\n"
			     "ffffffff82000040 b lock\n"
			     "ffffffff82000080 B __bss_end\n"
			     "0000000000001000 A counter\n"
			     "ffffffffc0000000 t own\t[module]\n"
			     "ffffffffc0002000 d setting\t[module]\n"
			     "ffffffffffffef00 d high\t[other]\n");
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

static void pointer_reads(struct stacks *s, uint64_t address, const char *want)
{
	struct stacks_frame f;
	char buf[STACKS_TEXT] = "nothing";
	bool is_shared = false;

	if (stacks_pointer(s, address, &f, &is_shared))
		stacks_text(&f, f.offset, buf, sizeof(buf));
	if (is_shared)
		strcat(buf, ", shared");
	assert_string_equal(buf, want);
}

static void test_pointers(void **state)
{
	struct stacks *s = stacks_open(root);

	stacks_read_data(s);
	pointer_reads(s, 0xffffffff81000000, "first");
	pointer_reads(s, 0xffffffff81000104, "second+0x4");
	pointer_reads(s, 0xffffffff82000000, "table");
	pointer_reads(s, 0xffffffff82000040, "lock");
	pointer_reads(s, 0xffffffff82000048, "lock+0x8");
	pointer_reads(s, 0xffffffffc0000000, "own [module], shared");
	pointer_reads(s, 0xffffffff81000180, "own, shared");
	pointer_reads(s, 0xffffffff81000208, "nothing");
	pointer_reads(s, 0xffffffff82000088, "nothing");
	pointer_reads(s, 0xffffffffc0001000, "nothing");
	pointer_reads(s, 0xffffffffc0003000, "nothing");
	pointer_reads(s, 0xffffffffc0002000, "setting [module]");
	pointer_reads(s, 0xffffffffffffef08, "high+0x8 [other]");
	pointer_reads(s, 0xffff888004540000, "nothing");
	pointer_reads(s, 0, "nothing");
	pointer_reads(s, 0x2000, "nothing");
	/* Errors are behind the last page that a variable can be in. */
	pointer_reads(s, -22ULL, "nothing");
	pointer_reads(s, -4095ULL, "nothing");
	/* Variables are in no stack. */
	kernel_reads(s, 0xffffffff81000104, STACKS_PLACE, "second+0x4");
	stacks_close(s);
	/* Without variables, they would have names of functions. */
	s = stacks_open(root);
	stacks_read(s);
	pointer_reads(s, 0xffffffff81000000, "nothing");
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

/* ---- processes that are gone ---- */

/* A record as the kernel writes it, and the time behind it. */
struct told {
	struct perf_event_header header;
	uint32_t pid, other, tid, ptid;
	uint64_t length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[32];
	uint64_t ns;
};

static void hears(struct stacks *s, uint32_t type, uint32_t pid, uint32_t other)
{
	const struct told t = {
		.header = { .type = type, .misc = PERF_RECORD_MISC_COMM_EXEC, .size = sizeof(t) },
		.pid = pid,
		.other = other,
		.tid = pid,
	};

	stacks_hear(s, &t);
}

/* A page of the library at @begin. */
static void hears_mapped(struct stacks *s, uint32_t pid, uint64_t begin, uint64_t offset)
{
	struct stat st;
	struct told t = {
		.header = { .type = PERF_RECORD_MMAP2, .size = sizeof(t) },
		.pid = pid,
		.other = pid,
		.tid = begin,
		.length = 0x1000,
		.offset = offset,
		.protection = PROT_READ | PROT_EXEC,
		.path = "/lib;x.so",
	};

	assert_int_equal(stat(program, &st), 0);
	t.major = st.st_dev >> 8;
	t.minor = st.st_dev & 0xff;
	t.inode = st.st_ino;
	stacks_hear(s, &t);
}

static void test_gone(void **state)
{
	struct stacks *s = stacks_open(root);

	/* It was there before, so its memory is read when a frame is named. */
	hears_mapped(s, 1, 0x10000, 0x1000);
	program_reads(s, 1, 0x10004, STACKS_PLACE, "[unknown]");
	/* It maps a program, and its child runs another one, and ends. */
	hears(s, PERF_RECORD_COMM, 2, 2);
	hears_mapped(s, 2, 0x10000, 0x1000);
	hears_mapped(s, 2, 0x30000, 0x1000);
	program_reads(s, 2, 0x10104, STACKS_PLACE, "first+0x4");
	program_reads(s, 2, 0x20004, STACKS_PLACE, "[unknown]");
	program_reads(s, 2, 0x30124, STACKS_PLACE, "shop::sell(int)+0x4");
	hears(s, PERF_RECORD_FORK, 3, 2);
	hears(s, PERF_RECORD_FORK, 4, 2);
	hears(s, PERF_RECORD_COMM, 4, 4);
	hears_mapped(s, 4, 0x50000, 0x1000);
	hears(s, PERF_RECORD_EXIT, 4, 4);
	program_reads(s, 3, 0x10104, STACKS_PLACE, "first+0x4");
	program_reads(s, 4, 0x10004, STACKS_PLACE, "[unknown]");
	program_reads(s, 4, 0x50104, STACKS_PLACE, "first+0x4");
	/* What it maps takes the place of what was there. */
	hears_mapped(s, 2, 0xf800, 0x1000);
	program_reads(s, 2, 0x10004, STACKS_PLACE, "[lib:x.so+0x1804]");
	program_reads(s, 2, 0x10904, STACKS_PLACE, "[unknown]");
	/* A child keeps what it had of a parent that runs another program. */
	hears(s, PERF_RECORD_FORK, 6, 2);
	hears(s, PERF_RECORD_FORK, 7, 6);
	hears(s, PERF_RECORD_COMM, 6, 6);
	hears(s, PERF_RECORD_COMM, 2, 2);
	hears_mapped(s, 2, 0x30000, 0x1000);
	program_reads(s, 6, 0x30104, STACKS_PLACE, "[unknown]");
	program_reads(s, 7, 0x30124, STACKS_PLACE, "shop::sell(int)+0x4");
	stacks_forget_gone(s);
	program_reads(s, 4, 0x50004, STACKS_PLACE, "[unknown]");
	program_reads(s, 2, 0x30104, STACKS_PLACE, "first+0x4");
	stacks_close(s);
}

/* What the kernel itself tells of a child. */
/* After something was lost, nobody knows what a process runs but by its memory. */
static void test_lost(void **state)
{
	struct stacks *s = stacks_open(root);

	hears(s, PERF_RECORD_COMM, 2, 2);
	hears_mapped(s, 2, 0x10000, 0x1000);
	hears(s, PERF_RECORD_COMM, 5, 5);
	hears_mapped(s, 5, 0x10000, 0x1000);
	hears(s, PERF_RECORD_EXIT, 5, 5);
	hears(s, PERF_RECORD_FORK, 3, 2);
	hears(s, PERF_RECORD_LOST, 0, 0);
	hears(s, PERF_RECORD_FORK, 4, 5);
	program_reads(s, 2, 0x10104, STACKS_PLACE, "[unknown]");
	program_reads(s, 3, 0x10104, STACKS_PLACE, "[unknown]");
	program_reads(s, 4, 0x10104, STACKS_PLACE, "[unknown]");
	program_reads(s, 5, 0x10104, STACKS_PLACE, "first+0x4");
	stacks_close(s);
}

static void test_followed(void **state)
{
	struct stacks *s = stacks_open("");
	struct stacks_process *p;
	pid_t child;

	stacks_follow(s);
	child = fork();
	if (!child)
		_exit(execl("/bin/true", "true", NULL));
	assert_int_equal(waitpid(child, NULL, 0), child);
	stacks_catch_up(s);
	p = stacks_process_find(s, child);
	/* In a container others have other numbers, and without privileges nothing is told. */
	if (p) {
		assert_true(p->is_gone);
		assert_true(p->is_read);
		assert_true(p->n > 1);
	}
	stacks_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel),   cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_hidden),   cmocka_unit_test(test_program),
		cmocka_unit_test(test_once),     cmocka_unit_test(test_file),
		cmocka_unit_test(test_gone),     cmocka_unit_test(test_lost),
		cmocka_unit_test(test_followed),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
