// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_expr_c.c - the interpreter against a C compiler: random expressions over random types, and
 * operators between each two widths and signs, on the same bytes. A pointer that cannot be read and
 * a division by zero end in a signal there.
 */
#include "fixture.h"

#include <ctype.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "expr/expr.h"
#include "expr_world.h"

#define WORLDS 6
#define RANDOM 60
#define FILLS 4

/* What decides into which type both sides of an operator are converted. */
static const char *const types[] = { "short", "int", "unsigned", "long", "unsigned long" };
static const char *const ops[] = { "==", "<", ">=", "/", "%", "+" };

#define TYPES (sizeof(types) / sizeof(*types))
#define OPS (sizeof(ops) / sizeof(*ops))
#define CONVERTED (TYPES * TYPES * OPS * 2)
#define EACH (RANDOM + CONVERTED / WORLDS)

static struct world worlds[WORLDS];
static struct expr expressions[WORLDS][EACH];
static sigjmp_buf back;

_Static_assert(CONVERTED % WORLDS == 0, "each world has as many");

/* A number that C does not know while it compiles, so that shifts are those of the machine. */
static void print_c(const char *text, FILE *out)
{
	const char *p;
	size_t n;

	for (p = text; *p; p += n) {
		n = 1;
		if (isalnum((unsigned char)*p) || *p == '_') {
			for (; isalnum((unsigned char)p[n]) || p[n] == '_'; n++)
				;
			if (isdigit((unsigned char)*p) && (p == text || p[-1] != '[')) {
				fprintf(out, "V(%.*s)", (int)n, p);
				continue;
			}
		}
		fwrite(p, 1, n, out);
	}
}

/* A negative number and the same one or another one. @i: below CONVERTED */
static void print_converted(char *text, size_t size, unsigned int i)
{
	const char *a = types[i / 2 % TYPES], *b = types[i / 2 / TYPES % TYPES];

	snprintf(text, size, i % 2 ? "(%s)-p3 %s (%s)-p3" : "(%s)-p3 %s (%s)p4", a,
		 ops[i / 2 / TYPES / TYPES], b);
}

static void print_world(struct world *w, unsigned int number, FILE *out)
{
	static char text[2 * EXPR_LENGTH_MAX];
	struct error e = {};
	struct expr *x;
	unsigned int i, p;

	world_print(w, out);
	for (i = 0; i < EACH; i++) {
		x = &expressions[number][i];
		do
			if (i < RANDOM)
				world_expression(w, text, sizeof(text), false);
			else
				print_converted(text, sizeof(text), (i - RANDOM) * WORLDS + number);
		while (expr_parse(x, "--if", text, &e));
		assert_int_equal(expr_check(x, "--if", &w->point, EXPR_CONDITION, &e), 0);
		fprintf(out, "long f%u_%u(const unsigned long *params) {", number, i);
		for (p = 0; p < WORLD_PARAMS; p++)
			fprintf(out, "%s p%u = (%s)params[%u];",
				w->of[w->point.params[p].type].name, p,
				w->of[w->point.params[p].type].name, p);
		fputs("return (long)(", out);
		print_c(text, out);
		fputs(");}\n", out);
	}
}

static void compile_c(const char *folder, unsigned int number)
{
	char path[64], command[256];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%u.c", folder, number);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs("#define V(n) ({ volatile __typeof__(n) v = (n); v; })\n"
	      "enum colour { RED };\n"
	      "#define LITTLE V(7)\n#define BIG V(0xfffffff0)\n",
	      out);
	world_make(&worlds[number], 100 + number);
	print_world(&worlds[number], number, out);
	assert_int_equal(fclose(out), 0);
	snprintf(command, sizeof(command), "gcc -w -O0 -fwrapv -shared -fPIC -o %s/%u.so %s",
		 folder, number, path);
	assert_int_equal(system(command), 0);
}

static void caught(int number)
{
	siglongjmp(back, number);
}

/* Return: whether C came to a value, too. */
static bool compare(struct world *w, const struct expr *x, long (*function)(const uint64_t *))
{
	const struct expr_wanted wanted = { .value = x, .use = EXPR_KEY };
	const struct expr_input in = { .params = w->params, .read = world_read, .memory = w };
	uint64_t value = 0;
	enum kstats_outcome outcome;
	volatile long found = 0;
	int signal_number;

	world_fill(w, (uintptr_t)w->memory);
	outcome = expr_run(&wanted, &in, &value);
	signal_number = sigsetjmp(back, 1);
	if (!signal_number)
		found = function(w->params);
	/* C leaves open which of two errors comes first, and traps at LONG_MIN / -1. */
	if (signal_number) {
		if (outcome == KSTATS_EXPR_YES && signal_number == SIGFPE)
			return false;
		assert_true(outcome == KSTATS_EXPR_UNREADABLE || outcome == KSTATS_EXPR_DIVISION);
		return false;
	}
	/* It leaves out what has no effect, as in a < a. */
	if (outcome != KSTATS_EXPR_YES)
		return false;
	if ((uint64_t)found != value)
		print_error("%s: C has %#lx, the interpreter %#lx\n", x->text, found, (long)value);
	assert_int_equal(found, (int64_t)value);
	return true;
}

static void test_same(void **state)
{
	char folder[] = "/tmp/kstats-expr-XXXXXX", path[64], name[32], command[64];
	struct sigaction action = { .sa_handler = caught };
	unsigned int number, n_worlds = fixture_rounds(WORLDS, 1), i, fills, values = 0;
	void *object, *function;

	assert_non_null(mkdtemp(folder));
	for (number = 0; number < n_worlds; number++)
		compile_c(folder, number);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	for (number = 0; number < n_worlds; number++) {
		snprintf(path, sizeof(path), "%s/%u.so", folder, number);
		object = dlopen(path, RTLD_NOW);
		assert_non_null(object);
		for (i = 0; i < EACH; i++) {
			snprintf(name, sizeof(name), "f%u_%u", number, i);
			function = dlsym(object, name);
			assert_non_null(function);
			for (fills = 0; fills < FILLS; fills++)
				values += compare(&worlds[number], &expressions[number][i],
						  (long (*)(const uint64_t *))function);
		}
		dlclose(object);
	}
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	/* Most of them have a value. */
	assert_true(values > n_worlds * EACH * FILLS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_same) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
