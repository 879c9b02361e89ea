// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lines.c - source lines by debug information: of a small program and a module that
 * data/lines.sh compiles, compared with addr2line, from all places where the files may be, in
 * several forms, and from files that are damaged.
 */
#include "fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lines/lines.h"
#include "util/build_id.h"

#define SHIFT 0xffffffff12340000ULL /* from addresses of the file to those in memory */
#define STEXT (0x81000000ULL + SHIFT)
#define DAMAGED 300
#define BOOT "usr/lib/debug/boot/vmlinux-9.9"

/* Libdw 0.188 forgets memory of files that are damaged. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libdw";
}

static char root[] = "/tmp/test_lines.XXXXXX";
static bool usable; /* libdw is built in, and there are tools */

__attribute__((format(printf, 1, 2))) static int run(const char *format, ...)
{
	char words[1024], line[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	snprintf(line, sizeof(line), "cd %s && { %s; } >>log 2>&1", root, words);
	return system(line);
}

static int setup(void **state)
{
	struct lines *l;
	char line[256];

	if (!mkdtemp(root))
		return -1;
	if (system("command -v gcc objcopy addr2line xz >/dev/null"))
		return 0;
	snprintf(line, sizeof(line), "bash tests/unit/data/lines.sh %s", root);
	if (system(line))
		return -1;
	l = lines_open(root, "9.9", STEXT);
	lines_text(l, &(struct lines_place){ STEXT, "", "_stext", 0 });
	usable = !strstr(lines_missing(l, line, sizeof(line)), "libdw");
	lines_close(l);
	return 0;
}

static int teardown(void **state)
{
	char line[128];

	snprintf(line, sizeof(line), "rm -rf %s", root);
	return system(line);
}

static void need(void)
{
	if (usable)
		return;
	print_message("skipped: there is no libdw, or no gcc and binutils\n");
	skip();
}

/* Leaves the kernel's file @made at @place, and nothing of it elsewhere. */
static void put_kernel(const char *made, const char *place)
{
	assert_int_equal(
		run("rm -rf usr/lib/debug/boot/* usr/lib/debug/.build-id lib/modules/9.9/build"),
		0);
	assert_int_equal(run("install -D -m 644 made/%s %s", made, place), 0);
}

static const char *kernel_line(struct lines *l, uint64_t address)
{
	const struct lines_place p = { address + SHIFT, "", "unused", 0 };

	return lines_text(l, &p);
}

/* ---- the same as addr2line ---- */

/* One line of its answers, without the newline; false at the end of an address. */
static bool next_line(FILE *f, char *line, size_t size)
{
	long at = ftell(f);

	if (!fgets(line, size, f))
		return false;
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "0x", 2))
		return true;
	fseek(f, at, SEEK_SET);
	return false;
}

static unsigned int compare_address(FILE *f, struct lines *l, uint64_t address)
{
	const struct lines_place p = { address + SHIFT, "", "unused", 0 };
	struct lines_frame frames[LINES_FRAMES];
	size_t n = lines_frames(l, &p, frames), i;
	char line[512], own[1024];

	for (i = 0; next_line(f, line, sizeof(line)); i++) {
		if (i >= n)
			fail_msg("%" PRIx64 ": %zu functions, and addr2line has more", address, n);
		assert_string_equal(frames[i].function, line);
		assert_true(next_line(f, line, sizeof(line)));
		line[strcspn(line, " ")] = '\0'; /* the discriminator */
		snprintf(own, sizeof(own), "%s%s%s:%u",
			 *frames[i].file == '/' ? "" : frames[i].folder,
			 *frames[i].file == '/' ? "" : "/", frames[i].file, frames[i].line);
		assert_string_equal(own, line);
	}
	assert_int_equal(i, n);
	return n;
}

static void test_addresses(void **state)
{
	unsigned int compared = 0, frames = 0;
	char line[512], path[128];
	struct lines *l;
	FILE *f;

	need();
	put_kernel("vmlinux", BOOT);
	snprintf(path, sizeof(path), "%s/made/answers", root);
	f = fopen(path, "r");
	assert_non_null(f);
	l = lines_open(root, "9.9", STEXT);
	while (fgets(line, sizeof(line), f)) {
		frames += compare_address(f, l, strtoull(line, NULL, 16));
		compared++;
	}
	assert_int_equal(compared, 1000);
	assert_true(frames > 1100);
	assert_null(lines_missing(l, line, sizeof(line)));
	lines_close(l);
	fclose(f);
}

/* ---- where files are, and which ---- */

/* The text of the first line of the program that calls what a header inlines. */
static void check_text(void)
{
	struct lines *l = lines_open(root, "9.9", STEXT);
	bool helper = false, inner = false, plain = false;
	const char *text;
	uint64_t at;

	for (at = STEXT - SHIFT; at < STEXT - SHIFT + 100; at++) {
		text = kernel_line(l, at);
		assert_non_null(text);
		assert_ptr_equal(text, kernel_line(l, at));
		plain |= !strcmp(text, "mm/first.c:3");
		inner |= !strcmp(text, "mm/first.c:6 inner_0");
		helper |= !strcmp(text, "mm/first.c:14");
		assert_null(strstr(text, ".h:"));
	}
	assert_true(plain && inner && helper);
	lines_close(l);
}

static void test_places(void **state)
{
	char id[128] = "", line[256];
	FILE *f;

	need();
	put_kernel("vmlinux", BOOT);
	check_text();
	put_kernel("vmlinux", "lib/modules/9.9/build/vmlinux");
	check_text();
	snprintf(line, sizeof(line), "readelf -n %s/made/vmlinux | sed -n 's/.*Build ID: //p'",
		 root);
	f = popen(line, "r");
	assert_non_null(f);
	assert_non_null(fgets(id, sizeof(id), f));
	pclose(f);
	id[strcspn(id, "\n")] = '\0';
	snprintf(line, sizeof(line), "usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
	put_kernel("vmlinux.kept", line);
	check_text();
}

static void test_forms(void **state)
{
	static const char *const forms[] = { "vmlinux.units", "vmlinux.kept", "vmlinux.dwarf4",
					     "vmlinux.compressed" };
	size_t i;

	need();
	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		put_kernel(forms[i], BOOT);
		assert_int_equal(run("cp made/%s.notes sys/kernel/notes", forms[i]), 0);
		check_text();
	}
	assert_int_equal(run("cp made/vmlinux.notes sys/kernel/notes"), 0);
}

static void refused(const char *why)
{
	struct lines *l = lines_open(root, "9.9", STEXT);
	char text[1024];

	assert_null(kernel_line(l, STEXT - SHIFT));
	assert_non_null(lines_missing(l, text, sizeof(text)));
	if (!strstr(text, why))
		fail_msg("'%s' is not in '%s'", why, text);
	lines_close(l);
}

static void test_refused(void **state)
{
	need();
	put_kernel("vmlinux.other", BOOT);
	refused(BOOT ": is of another build");
	put_kernel("vmlinux.stripped", BOOT);
	refused(BOOT ": has no debug information");
	put_kernel("addresses", BOOT);
	refused(BOOT ": is not an ELF file");
	put_kernel("vmlinux", BOOT);
	assert_int_equal(run("chmod 666 " BOOT), 0);
	refused(BOOT ": ");
	put_kernel("vmlinux", "elsewhere");
	refused("install linux-image-9.9-dbg (Debian)");
	put_kernel("vmlinux", BOOT);
	assert_int_equal(run("mv sys/kernel/notes sys/kernel/hidden"), 0);
	refused("there is no debug information of Linux 9.9");
	assert_int_equal(run("mv sys/kernel/hidden sys/kernel/notes"), 0);
	check_text();
}

/* ---- modules ---- */

static const char *module_line(struct lines *l, const char *function, uint64_t offset)
{
	static uint64_t address = 0xffffffffc0000000; /* lines are kept by it */
	const struct lines_place p = { address += 16, "some_fs", function, offset };

	return lines_text(l, &p);
}

/* @packed: the module in use is compressed, whatever form its debug information has. */
static void check_module(const char *made, const char *place, bool packed)
{
	struct lines *l = lines_open(root, "9.9", STEXT);
	char text[1024];

	assert_int_equal(run("rm -f lib/modules/9.9/kernel/fs/* "
			     "usr/lib/debug/lib/modules/9.9/kernel/fs/*"),
			 0);
	assert_null(module_line(l, "one", 0));
	assert_non_null(lines_missing(l, text, sizeof(text)));
	assert_non_null(strstr(text, "of the module some_fs; install"));
	lines_close(l);
	assert_int_equal(run("install -m 644 made/%s %s", made, place), 0);
	assert_int_equal(
		run("echo 'kernel/fs/%s: kernel/lib/other.ko' >lib/modules/9.9/modules.dep",
		    packed ? "some-fs.ko.xz" : "some-fs.ko"),
		0);
	l = lines_open(root, "9.9", STEXT);
	assert_string_equal(module_line(l, "begin", 0), "fs/module.c:2");
	assert_string_equal(module_line(l, "outer_0", 0), "fs/module.c:10");
	assert_string_equal(module_line(l, "one", 0), "fs/module.c:52");
	assert_string_equal(module_line(l, "two", 0), "fs/module_two.c:3");
	assert_null(module_line(l, "twice", 0)); /* there are two */
	assert_null(module_line(l, "nothing", 0));
	lines_close(l);
}

static void test_modules(void **state)
{
	struct lines *l;
	char text[64];

	need();
	check_module("some_fs.ko", "lib/modules/9.9/kernel/fs/some-fs.ko", false);
	check_module("some_fs.ko.xz", "lib/modules/9.9/kernel/fs/some-fs.ko.xz", true);
	check_module("some_fs.ko", "usr/lib/debug/lib/modules/9.9/kernel/fs/some-fs.ko", true);
	check_module("some_fs.ko.kept", "usr/lib/debug/lib/modules/9.9/kernel/fs/some-fs.ko.debug",
		     false);
	/* BPF programs and the like have no file, and nothing to install. */
	l = lines_open(root, "9.9", STEXT);
	assert_null(lines_text(l, &(struct lines_place){ 1, "bpf", "bpf_prog_1234", 0 }));
	assert_null(lines_missing(l, text, sizeof(text)));
	lines_close(l);
}

/* ---- builds ---- */

/* Notes of Xen have the types of GNU's, and come first. */
static void test_notes(void **state)
{
	static const unsigned char notes[] = {
		4,   0,   0,   0,   8,    0, 0,    0, 3,  0, 0, 0,
		'X', 'e', 'n', 0,   1,    2, 3,    4, 5,  6, 7, 8, /**/
		6,   0,   0,   0,   1,    0, 0,    0, 3,  0, 0, 0,
		'L', 'i', 'n', 'u', 'x',  0, 0,    0, 9,  0, 0, 0, /**/
		4,   0,   0,   0,   5,    0, 0,    0, 3,  0, 0, 0,
		'G', 'N', 'U', 0,   0xab, 1, 0xff, 0, 16, 0, 0, 0,
	};
	char text[BUILD_ID_TEXT], path[128];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/notes", root);
	for (n = sizeof(notes); n; n--) {
		f = fopen(path, "w");
		assert_non_null(f);
		fwrite(notes, 1, n, f);
		fclose(f);
		build_id_read(root, "/notes", text);
		assert_string_equal(text, n == sizeof(notes) ? "ab01ff0010" : "");
	}
	build_id_read(root, "/no notes", text);
	assert_string_equal(text, "");
}

/* ---- damaged files ---- */

static void damage(char *bytes, size_t size, uint64_t *seed)
{
	struct lines_frame frames[LINES_FRAMES];
	char path[128], text[64];
	struct lines *l;
	uint64_t at;
	size_t i;
	FILE *f;

	for (i = 0; i < 20; i++)
		bytes[fixture_random(seed) % size] = fixture_random(seed);
	snprintf(path, sizeof(path), "%s/" BOOT, root);
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite(bytes, 1, fixture_random(seed) % 4 ? size : fixture_random(seed) % size, f);
	fclose(f);
	l = lines_open(root, "9.9", STEXT);
	for (at = STEXT; at < STEXT + 1000; at += 7) {
		lines_frames(l, &(struct lines_place){ at, "", "", 0 }, frames);
		lines_text(l, &(struct lines_place){ at, "", "", 0 });
	}
	lines_missing(l, text, sizeof(text));
	lines_close(l);
}

/* Each of them is refused or answers something; the program goes on. */
static void test_damaged(void **state)
{
	uint64_t seed = 4711;
	char path[128], *bytes, *copy;
	size_t size, i;
	FILE *f;

	need();
	put_kernel("vmlinux", BOOT);
	snprintf(path, sizeof(path), "%s/made/vmlinux", root);
	f = fopen(path, "r");
	assert_non_null(f);
	bytes = malloc(1 << 20);
	copy = malloc(1 << 20);
	assert_true(bytes && copy);
	size = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	for (i = 0; i < DAMAGED; i++) {
		memcpy(copy, bytes, size);
		damage(copy, size, &seed);
	}
	free(bytes);
	free(copy);
}

/* ---- paths ---- */

static void test_paths(void **state)
{
	static const struct {
		const char *folder, *file, *shown;
	} cases[] = {
		{ "/home/u/kernel", "mm/util.c", "mm/util.c" },
		{ "/home/u/kernel", "/home/u/kernel/mm/util.c", "mm/util.c" },
		{ "/home/u/kernel", "./include/../mm//util.c", "mm/util.c" },
		{ "/home/u/kernel", "/home/u/kernel2/a.c", "/home/u/kernel2/a.c" },
		{ "/build/linux-6.12/debian/build/x", "../../../mm/util.c", "mm/util.c" },
		{ "/build/linux-6.12/debian/build/x", "/build/linux-6.12/mm/util.c", "mm/util.c" },
		{ "/usr/src/debug/k/linux-6.9.fc40", "fs/open.c", "fs/open.c" },
		{ "/b", "/linux-a/linux-b/x.c", "x.c" },
		{ "/b", "../../../a.c", "/a.c" },
		{ NULL, "mm/util.c", "mm/util.c" },
		{ "", "", "" },
		{ "/", "/", "" },
	};
	struct lines_frame f = {};
	char buf[64];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		f.folder = cases[i].folder;
		f.file = cases[i].file;
		assert_string_equal(lines_path(&f, buf, sizeof(buf)), cases[i].shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses), cmocka_unit_test(test_places),
		cmocka_unit_test(test_forms),     cmocka_unit_test(test_refused),
		cmocka_unit_test(test_modules),   cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_notes),     cmocka_unit_test(test_paths),
	};

	return cmocka_run_group_tests_name("lines", tests, setup, teardown);
}
