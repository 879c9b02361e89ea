// SPDX-License-Identifier: GPL-2.0-only
/* test_recipes.c - recipes: their files, who may write them, and their words among the user's. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "recipes/recipes.h"
#include "spec/spec.h"
#include "util/words.h"

#define WORDS_MAX 64

static char top[] = "/tmp/test_recipes.XXXXXX";
static char folder[100];

static int make_folder(void **state)
{
	char path[64];

	if (!mkdtemp(top))
		return -1;
	setenv("XDG_CONFIG_HOME", top, 1);
	snprintf(path, sizeof(path), "%s/kstats-bpf", top);
	snprintf(folder, sizeof(folder), "%s/recipes", path);
	return mkdir(path, 0755) || mkdir(folder, 0755);
}

static int remove_folder(void **state)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

static void write_recipe(const char *name, const char *text)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.recipe", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0644), 0);
}

/* The words after "trace", joined by |, that a line becomes; or NULL with the error. */
static char *take(const char *line, struct error *e)
{
	static char joined[2000];
	char text[1000], *argv[WORDS_MAX] = { "trace" }, *rest = text;
	struct recipe_words w;
	int argc = 1, i, err;

	*e = (struct error){};
	snprintf(text, sizeof(text), "%s", line);
	while ((argv[argc] = words_next(&rest)))
		argc++;
	err = recipe_take(&w, argc, argv, RECIPE_NAMES, e);
	assert_int_equal(err, e->err);
	joined[0] = '\0';
	for (i = 1; !err && i < w.argc; i++)
		sprintf(joined + strlen(joined), "%s%s", i > 1 ? "|" : "", w.argv[i]);
	if (!err)
		assert_null(w.argv[w.argc]);
	recipe_drop(&w);
	return err ? NULL : joined;
}

static void becomes(const char *line, const char *words)
{
	struct error e;
	char *got = take(line, &e);

	if (!got)
		print_error("%s: %s: %s\n", line, e.what, e.why);
	assert_non_null(got);
	assert_string_equal(got, words);
}

/* The sentence holds these words. */
static void refused(const char *line, int err, const char *words)
{
	struct error e;
	char sentence[sizeof(e.what) + sizeof(e.why) + sizeof(e.next) + 4];

	assert_null(take(line, &e));
	snprintf(sentence, sizeof(sentence), "%s: %s; %s", e.what, e.why, e.next);
	if (!strstr(sentence, words))
		print_error("%s: %s\n", line, sentence);
	assert_non_null(strstr(sentence, words));
	assert_int_equal(e.err, err);
}

#define PAIR                                                                              \
	"# a comment\nAnswers: How long?\n\nTrace: --start tp:a --end tp:b --key 'x+y'\n" \
	" --if 'x > 1 || y' --by x\nCannot see: all\n"

static void test_words(void **state)
{
	write_recipe("pair", PAIR);
	becomes("vfs_read --by comm", "vfs_read|--by|comm");
	becomes("@pair", "--name|pair|--start|tp:a|--end|tp:b|--key|x+y|--by|x|--if|x > 1 || y");
	becomes("-d 5 @pair -- cat @pair",
		"--name|pair|--start|tp:a|--end|tp:b|--key|x+y|--by|x|-d|5|--if|x > 1 || y|--|cat|"
		"@pair");
	/* The value of an option is no recipe. */
	becomes("vfs_read --comm @pair", "vfs_read|--comm|@pair");
	becomes("vfs_read -qo @pair", "vfs_read|-qo|@pair");
	becomes("vfs_read --output=@pair", "vfs_read|--output=@pair");
}

static void test_override(void **state)
{
	write_recipe("pair", PAIR);
	becomes("@pair --by=comm -n mine",
		"--name|pair|--start|tp:a|--end|tp:b|--key|x+y|--by=comm|-n|mine|--if|x > 1 || y");
	becomes("@pair --key cpu",
		"--name|pair|--start|tp:a|--end|tp:b|--by|x|--key|cpu|--if|x > 1 || y");
	becomes("@pair --start tp:c",
		"--name|pair|--end|tp:b|--key|x+y|--by|x|--start|tp:c|--if|x > 1 || y");
	becomes("--if 'z || w' @pair -q",
		"--name|pair|--start|tp:a|--end|tp:b|--key|x+y|--by|x|-q|--if|"
		"(x > 1 || y) && (z || w)");
	becomes("@pair --if=z", "--name|pair|--start|tp:a|--end|tp:b|--key|x+y|--by|x|--if|"
				"(x > 1 || y) && (z)");
	becomes("@pair --pid 3", "--name|pair|--start|tp:a|--end|tp:b|--key|x+y|--by|x|--pid|3|"
				 "--if|x > 1 || y");
	write_recipe("named", "Answers: a\nTrace: f --name other\n");
	becomes("@named --if z", "f|--name|other|--if|z");
}

/* Filters look at the task that runs; a recipe may measure what happens to another one. */
static void test_filter(void **state)
{
	write_recipe("of", "Answers: a\nTask: p\nTrace: --start tp:a --end tp:b\n");
	becomes("@of --comm=x -qp 1,2 -C 0",
		"--name|of|--start|tp:a|--end|tp:b|-q|-C|0|--if|"
		"(p->comm == \"x\") && (p->tgid == 1 || p->tgid == 2)");
	becomes("@of -qp12", "--name|of|--start|tp:a|--end|tp:b|-q|--if|p->tgid == 12");
	becomes("@of -C0 -qa -- cat", "--name|of|--start|tp:a|--end|tp:b|-C0|-qa|--|cat");
	becomes("@of --all --if z -t 7 -- cat",
		"--name|of|--start|tp:a|--end|tp:b|--all|--if|(z) && (p->pid == 7)|--|cat");
	refused("@of -- cat", -EINVAL,
		"cannot use a command without --all with @of: its events "
		"happen while another task runs");
	refused("@of --cgroup /x", -EINVAL, "cannot use --cgroup with @of");
	write_recipe("no", "Answers: a\nTask: none\nTrace: --start tp:a --end tp:b\n");
	becomes("@no -a -- cat", "--name|no|--start|tp:a|--end|tp:b|-a|--|cat");
	refused("@no -- cat", -EINVAL, "what it measures belongs to no task");
	refused("@no --comm x", -EINVAL, "cannot use --comm with @no");
}

static void test_parameter(void **state)
{
	write_recipe("of", "Answers: a\nParameter: NAME, of a function\n"
			   "Trace with parameter: vfs_$NAME --if 'comm == \"$NAME $X\"'\n");
	becomes("@of read -q", "--name|of|vfs_read|-q|--if|comm == \"read $X\"");
	becomes("-q @of read", "--name|of|vfs_read|-q|--if|comm == \"read $X\"");
	refused("@of", -EINVAL, "it needs NAME, of a function");
	refused("@of -q read", -EINVAL, "it needs NAME, of a function");
	write_recipe("maybe", "Answers: a\nParameter: NAME, of a function\nTrace: f\n"
			      "Trace with parameter: vfs_$NAME\n");
	becomes("@maybe -q", "--name|maybe|f|-q");
	becomes("@maybe read g", "--name|maybe|vfs_read|g");
}

static void test_bad_files(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} rows[] = {
		{ "Answers: a\n", "has no words of trace" },
		{ "Trace: f\n", "does not say what it answers" },
		{ "Answers: a\nTrace: f\nTrce: g\n", ".recipe', line 3: it begins with no field" },
		{ "Answers: a\nfoo\n", "line 2: it begins with no field" },
		{ " Answers: a\n", "line 1: it begins with a space" },
		{ "Answers: a\nTrace: f\n\nTrace: g\n", "line 4: the field is there twice" },
		{ "Answers: a\nTrace: f 'g\n", "line 2: a quote is not closed" },
		{ "Answers: a\nTrace:\n", "line 2: it has no words" },
		{ "Answers: a\nTrace: f --output /etc/passwd\n",
		  "line 2: '--output' is no option of a recipe" },
		{ "Answers: a\nTrace: f -o /etc/passwd\n", "line 2: '-o' is no option" },
		{ "Answers: a\nTrace: f -- rm -rf x\n", "line 2: '--' is no option" },
		{ "Answers: a\nTrace: f --by 'a b'\n", "bad.recipe', line 2: cannot use" },
		{ "Answers: a\nParameter: N, of it\nTrace: f\n", "its parameter is in no words" },
		{ "Answers: a\nTrace: f\nTrace with parameter: g$N\n",
		  "line 3: the recipe has no parameter" },
		{ "Answers: a\nParameter: n, of it\nTrace with parameter: g$N\n",
		  "its parameter is no name" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		write_recipe("bad", rows[i].text);
		refused("@bad", -EINVAL, rows[i].says);
	}
}

/* Whoever may write a recipe chooses what root measures. */
static void test_trust(void **state)
{
	char path[200];

	write_recipe("pair", PAIR);
	snprintf(path, sizeof(path), "%s/pair.recipe", folder);
	assert_int_equal(chmod(path, 0666), 0);
	refused("@pair", -EPERM, "others may write to it or to its folder");
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(chmod(folder, 0777), 0);
	refused("@pair", -EPERM, "others may write to it or to its folder");
	assert_int_equal(chmod(folder, 0755), 0);
	if (!geteuid()) {
		assert_int_equal(chown(path, 65534, 65534), 0);
		refused("@pair", -EPERM, "belongs to another user");
		assert_int_equal(chown(path, 0, 0), 0);
		assert_int_equal(chown(folder, 65534, 65534), 0);
		refused("@pair", -EPERM, "belongs to another user");
		assert_int_equal(chown(folder, 0, 0), 0);
	}
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	refused("@pair", -ELOOP, "it is a link");
	assert_int_equal(unlink(path), 0);
}

static void test_find(void **state)
{
	struct recipe *r;
	struct error e = {};

	refused("@nosuchone", -ENOENT, "there is none of that name");
	refused("@biolta", -ENOENT, "did you mean biolat?");
	refused("@../x", -EINVAL, "its name has letters");
	refused("@biolat @biolat", -EINVAL, "there is another recipe");
	/* The user's own takes the place of that of the program. */
	r = recipe_open("biolat", &e);
	assert_non_null(r);
	assert_null(r->file);
	recipe_free(r);
	write_recipe("biolat", PAIR);
	r = recipe_open("biolat", &e);
	assert_non_null(r);
	assert_string_equal(r->answers, "How long?");
	recipe_free(r);
}

static void look_at(void *ctx, const struct recipe *r, const struct error *bad)
{
	char line[100];
	unsigned int *n = ctx;
	struct error e;

	/* Those of other tests. */
	if (!r || r->file)
		return;
	++*n;
	assert_non_null(r->blind);
	assert_true(strlen(r->answers) < 64); /* it fits into a line of the list */
	assert_int_equal(r->answers[strlen(r->answers) - 1], '?');
	if (r->words) {
		snprintf(line, sizeof(line), "@%s", r->name);
		if (!take(line, &e))
			print_error("%s: %s: %s\n", line, e.what, e.why);
		assert_int_equal(e.err, 0);
	}
	if (r->with) {
		snprintf(line, sizeof(line), "@%s read", r->name);
		if (!take(line, &e))
			print_error("%s: %s: %s\n", line, e.what, e.why);
		assert_int_equal(e.err, 0);
	}
}

/* Each recipe of the program can be read, and says what it answers and what it cannot see. */
static void test_all(void **state)
{
	unsigned int n = 0;
	struct error e = {};

	assert_int_equal(recipes_each(look_at, &n, &e), 0);
	assert_true(n > 0);
}

static void test_explain(void **state)
{
	char text[] = "trace\0@kvm", *argv[] = { text, text + 6, NULL };
	struct recipe_words w;
	struct error e = {};

	write_recipe("kvm", "Answers: a\nTrace: f\nNeeds: the module kvm\n");
	assert_int_equal(recipe_take(&w, 2, argv, RECIPE_NAMES, &e), 0);
	error_set(&e, EXIT_USAGE, -ENOENT, "there is none", "look", "cannot trace 'f'");
	recipe_explain(&w, &e);
	assert_string_equal(e.what, "cannot run @kvm");
	assert_string_equal(e.why, "cannot trace 'f': there is none");
	assert_string_equal(e.next, "it needs the module kvm");
	error_set(&e, EXIT_KERNEL, -EPERM, "it is forbidden", "ask", "cannot trace 'f'");
	recipe_explain(&w, &e);
	assert_string_equal(e.next, "ask");
	recipe_drop(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),     cmocka_unit_test(test_override),
		cmocka_unit_test(test_parameter), cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_filter),    cmocka_unit_test(test_trust),
		cmocka_unit_test(test_all),       cmocka_unit_test(test_find),
		cmocka_unit_test(test_explain),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
