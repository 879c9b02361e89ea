// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_user_params.c - the parameters of functions, by the debug information that the compiler of
 * this machine writes: their names, widths and signs, and the registers that hold them.
 */
#include "fixture.h"

#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/user.h"

/* Places in struct pt_regs of the registers for numbers, in order. */
enum {
	NOWHERE = -1,
	RDI = 112,
	RSI = 104,
	RDX = 96,
	RCX = 88,
	R8 = 72,
	R9 = 64
};

struct place {
	char folder[32];
};

static int make_place(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	*state = p;
	strcpy(p->folder, "/tmp/kstats-params.XXXXXX");
	return mkdtemp(p->folder) ? 0 : -1;
}

static void run(const struct place *p, const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && %s", p->folder, command);
	if (system(line))
		fail_msg("%s", line);
}

static int remove_place(void **state)
{
	run(*state, "rm -r \"$PWD\"");
	free(*state);
	return 0;
}

/* Into the library "lib" of the folder. @options: of the compiler, whose first word it is */
static void build(const struct place *p, const char *options, const char *source)
{
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/source.c", p->folder);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(source, f);
	assert_int_equal(fclose(f), 0);
	snprintf(line, sizeof(line), "%s -shared -fPIC -w -o lib source.c", options);
	run(p, line);
}

/* A parameter; one without a name ends the list. */
struct wanted {
	const char *name;
	unsigned int bytes;
	bool is_signed;
	int at;
};

#define MOST 12

static void expect(const struct place *p, const char *function, const struct wanted *wanted)
{
	struct user_param params[USER_PARAMS_MAX];
	const struct user_symbol *s;
	struct user_binary *b;
	struct error e = {};
	char path[64];
	size_t n, i;

	snprintf(path, sizeof(path), "%s/lib", p->folder);
	b = user_open(path, 0, &e);
	if (!b)
		fail_msg("%s: %s", e.what, e.why);
	s = user_find(b, function, &e);
	if (!s)
		fail_msg("%s: %s", e.what, e.why);
	n = user_params(b, s, params);
	for (i = 0; i < n && wanted[i].name; i++)
		if (strcmp(params[i].name, wanted[i].name) || params[i].bytes != wanted[i].bytes ||
		    params[i].is_signed != wanted[i].is_signed || params[i].at != wanted[i].at)
			fail_msg("%s: %s, %u bytes, sign %d, at %d; expected %s, %u, %d, %d",
				 function, params[i].name, params[i].bytes, params[i].is_signed,
				 params[i].at, wanted[i].name, wanted[i].bytes, wanted[i].is_signed,
				 wanted[i].at);
	if (i < n || wanted[i].name)
		fail_msg("%s has %zu parameters", function, n);
	user_close(b);
}

#define EXPECT(p, function, ...) expect(p, function, (const struct wanted[MOST + 2]){ __VA_ARGS__ })

#ifdef KSTATS_LIBDW
static const char *const levels[] = { "cc -g -O0", "cc -g -O2", "cc -g -O2 -gdwarf-4" };

#define EACH_LEVEL(i) for (i = 0; i < sizeof(levels) / sizeof(*levels); i++)

static void expect_return(const struct place *p, const char *function, struct user_return wanted)
{
	const struct user_symbol *s;
	struct user_return is = {};
	struct user_binary *b;
	struct error e = {};
	char path[64];

	snprintf(path, sizeof(path), "%s/lib", p->folder);
	b = user_open(path, 0, &e);
	s = b ? user_find(b, function, &e) : NULL;
	if (!s)
		fail_msg("%s: %s", e.what, e.why);
	is = user_return(b, s);
	if (is.is != wanted.is || is.bytes != wanted.bytes || is.is_signed != wanted.is_signed)
		fail_msg("%s returns %d, %u bytes, sign %d; expected %d, %u, %d", function, is.is,
			 is.bytes, is.is_signed, wanted.is, wanted.bytes, wanted.is_signed);
	user_close(b);
}

#define RETURNS(p, function, ...) expect_return(p, function, (struct user_return){ __VA_ARGS__ })

static void test_returns(void **state)
{
	size_t i;

	EACH_LEVEL(i)
	{
		build(*state, levels[i],
		      "int a(void) { return -1; }\n"
		      "typedef const unsigned short named;\n"
		      "named b(void) { return 1; }\n"
		      "_Bool c(void) { return 1; }\n"
		      "void *d(void) { return 0; }\n"
		      "enum minus { C = -1 }; enum minus e(void) { return C; }\n"
		      "void f(void) {}\n"
		      "double g(void) { return 1; }\n"
		      "struct s { long of[9]; }; struct s h(void) { return (struct s){}; }\n"
		      "asm(\".text\\n.type k, @function\\nk: ret\\n.size k, 1\\n.globl k\");\n");
		RETURNS(*state, "a", USER_RETURNS_NUMBER, 4, true);
		RETURNS(*state, "b", USER_RETURNS_NUMBER, 2, false);
		RETURNS(*state, "c", USER_RETURNS_NUMBER, 1, false);
		RETURNS(*state, "d", USER_RETURNS_NUMBER, 8, false);
		RETURNS(*state, "e", USER_RETURNS_NUMBER, 4, true);
		RETURNS(*state, "f", USER_RETURNS_NOTHING, 0, false);
		RETURNS(*state, "g", USER_RETURNS_FLOAT, 0, false);
		RETURNS(*state, "h", USER_RETURNS_UNKNOWN, 0, false);
		RETURNS(*state, "k", USER_RETURNS_UNKNOWN, 0, false);
	}
}

static void test_widths(void **state)
{
	size_t i;

	EACH_LEVEL(i)
	{
		build(*state, levels[i],
		      "long a(signed char a, unsigned char b, short c, unsigned short d, int e,\n"
		      "       unsigned f) { return a + b + c + d + e + f; }\n"
		      "enum plus { A, B }; enum minus { C = -1 };\n"
		      "typedef const volatile short named;\n"
		      "long b(long a, unsigned long b, void *c, _Bool d, enum plus e,\n"
		      "       enum minus f) { return a + b + (long)c + d + e + f; }\n"
		      "long c(char a, named b, int (*c)(void), int d[3]) { return a + b; }\n");
		EXPECT(*state, "a", { "a", 1, true, RDI }, { "b", 1, false, RSI },
		       { "c", 2, true, RDX }, { "d", 2, false, RCX }, { "e", 4, true, R8 },
		       { "f", 4, false, R9 });
		EXPECT(*state, "b", { "a", 8, true, RDI }, { "b", 8, false, RSI },
		       { "c", 8, false, RDX }, { "d", 1, false, RCX }, { "e", 4, false, R8 },
		       { "f", 4, true, R9 });
		EXPECT(*state, "c", { "a", 1, true, RDI }, { "b", 2, true, RSI },
		       { "c", 8, false, RDX }, { "d", 8, false, RCX });
	}
}

/* Registers for numbers are counted apart from those for floating-point numbers. */
static void test_stack(void **state)
{
	size_t i;

	EACH_LEVEL(i)
	{
		build(*state, levels[i],
		      "long a(int a, double b, int c, float d, long double e, int f,\n"
		      "       int g, int h, int i, int on_stack, ...) { return a + on_stack; }\n"
		      "int b(int a, int b, int c, int d, int e, int f, int g, int h,\n"
		      "      int i, int j, int k, int l, int m) { return 1; }\n"
		      "int none(void) { return 1; }\n");
		EXPECT(*state, "a", { "a", 4, true, RDI }, { "b", 8, false, NOWHERE },
		       { "c", 4, true, RSI }, { "d", 4, false, NOWHERE },
		       { "e", 16, false, NOWHERE }, { "f", 4, true, RDX }, { "g", 4, true, RCX },
		       { "h", 4, true, R8 }, { "i", 4, true, R9 },
		       { "on_stack", 4, true, NOWHERE });
		EXPECT(*state, "b", { "a", 4, true, RDI }, { "b", 4, true, RSI },
		       { "c", 4, true, RDX }, { "d", 4, true, RCX }, { "e", 4, true, R8 },
		       { "f", 4, true, R9 }, { "g", 4, true, NOWHERE }, { "h", 4, true, NOWHERE },
		       { "i", 4, true, NOWHERE }, { "j", 4, true, NOWHERE },
		       { "k", 4, true, NOWHERE }, { "l", 4, true, NOWHERE });
		EXPECT(*state, "none", {});
	}
}

/* A parameter that may take several registers hides those after it, unless DWARF names theirs. */
static void test_structures(void **state)
{
	static const char source[] = "struct two { long a, b; }; struct many { long a[9]; };\n"
				     "long a(int a, struct two b, int c) { return a + b.a + c; }\n"
				     "struct many b(int a) { return (struct many){ { a } }; }\n"
				     "int c(__int128 a, int b) { return a + b; }\n";

	build(*state, levels[0], source);
	EXPECT(*state, "a", { "a", 4, true, RDI }, { "b", 0, false, NOWHERE },
	       { "c", 4, true, NOWHERE });
	EXPECT(*state, "b", { "a", 4, true, NOWHERE });
	EXPECT(*state, "c", { "a", 16, true, NOWHERE }, { "b", 4, true, NOWHERE });
	build(*state, levels[1], source);
	EXPECT(*state, "a", { "a", 4, true, RDI }, { "b", 0, false, NOWHERE },
	       { "c", 4, true, RCX });
	EXPECT(*state, "b", { "a", 4, true, RSI });
	EXPECT(*state, "c", { "a", 16, true, NOWHERE }, { "b", 4, true, RDX });
}

/* If a parameter moves between registers, the one at the entry counts. */
static void test_lists(void **state)
{
	size_t i;

	EACH_LEVEL(i)
	{
		build(*state, levels[i],
		      "int other(int n);\n"
		      "int a(int a, int b) { a = other(b); b = other(a); return a + b; }\n");
		EXPECT(*state, "a", { "a", 4, true, RDI }, { "b", 4, true, RSI });
	}
}

/* A constprop copy of gcc drops a parameter, so the next one moves up. */
static void test_removed(void **state)
{
	build(*state, "gcc -g -O2 -fno-inline",
	      "int other(int n);\n"
	      "static int a(int a, int b) { return other(a) * other(b) * other(a + b); }\n"
	      "int all(int n) { return a(7, n) + a(7, n + 1) + other(n); }\n");
	EXPECT(*state, "a.constprop.0", { "b", 4, true, RDI }, { "a", 4, true, NOWHERE });
}

/* The same function inside another one, and by itself. */
static void test_inlined(void **state)
{
	build(*state, "cc -g -O2",
	      "int other(int n);\n"
	      "__attribute__((always_inline)) inline int in(int n, short m)\n"
	      "{ return other(n + m); }\n"
	      "int in(int n, short m);\n"
	      "int all(int few) { return in(few, 7) + in(few + 1, 8); }\n");
	EXPECT(*state, "in", { "n", 4, true, RDI }, { "m", 2, true, RSI });
	EXPECT(*state, "all", { "few", 4, true, RDI });
}

static void test_references(void **state)
{
	build(*state, "c++ -g -O0 -x c++",
	      "struct s { long a[9]; int method(int n); };\n"
	      "int s::method(int n) { return n + a[0]; }\n"
	      "extern \"C\" int a(int &a, const s &b, int &&c, char16_t d)\n"
	      "{ return a + c + d; }\n");
	EXPECT(*state, "a", { "a", 8, false, RDI }, { "b", 8, false, RSI }, { "c", 8, false, RDX },
	       { "d", 2, false, RCX });
	EXPECT(*state, "_ZN1s6methodEi", { "this", 8, false, RDI }, { "n", 4, true, RSI });
}

/* The file of debug symbols that has the same build id. */
static void test_other_file(void **state)
{
	char line[256];

	build(*state, "cc -g -O2 -Wl,--build-id=0xabcdef0123456789",
	      "int a(int n) { return n; }\n");
	run(*state, "objcopy --only-keep-debug lib debug && strip lib");
	EXPECT(*state, "a", {});
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/usr/lib/debug", "tmpfs", 0, NULL)) {
		print_message("this user cannot mount\n");
		skip();
	}
	snprintf(line, sizeof(line), "mkdir -p %s && cp debug %s/cdef0123456789.debug",
		 "/usr/lib/debug/.build-id/ab", "/usr/lib/debug/.build-id/ab");
	run(*state, line);
	EXPECT(*state, "a", { "n", 4, true, RDI });
	umount("/usr/lib/debug");
}

static void test_none(void **state)
{
	build(*state, "cc -O2", "int a(int n) { return n; }\n");
	EXPECT(*state, "a", {});
	assert_null(user_params_never());
}
#else
static void test_never(void **state)
{
	build(*state, "cc -g -O2", "int a(int n) { return n; }\n");
	EXPECT(*state, "a", {});
	assert_string_equal(user_params_never(), "kstats-bpf was built without libdw");
}
#endif

#define CASE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef KSTATS_LIBDW
		CASE(test_returns),    CASE(test_widths),     CASE(test_stack),
		CASE(test_structures), CASE(test_lists),      CASE(test_removed),
		CASE(test_inlined),    CASE(test_references), CASE(test_none),
		CASE(test_other_file),
#else
		CASE(test_never),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
