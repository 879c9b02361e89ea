// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_facts.c - what is known of a function, asked for alone and asked for among all:
 * the answers come by two ways through ftrace's list and must be the same. When a kept list
 * is used. BTF files that end too early. And the list of the kernel's symbols.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <inttypes.h>
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

static const char *const kernel_names[] = {
	"read",   "vfs_read", "vfs_readv",  "x_vfs_read", "twice", "twice_not",
	"hidden", "barred",   "barred_not", "both",       "last",
};
static const char *const module_names[] = { "mod_fn", "mod_twice", "both", "mod_hidden" };

static const char list[] = "vfs_read\nvfs_readv\ttail\nx_vfs_read\ntwice\ntwice_not [mod]\n"
			   "twice\nread [other]\nread\nbarred\nbarred_not\nno_btf\nno_btf_twice\n"
			   "no_btf_twice\n__ftrace_invalid_address___8\nboth\nboth [mod]\n"
			   "mod_fn [mod]\nmod_fn [mode]\nmod_twice [mod]\nmod_twice [mod]\n"
			   "mod_hidden [mo]\nvfs_read [mod]\nbare_twice [bare]\nbare_fn [bare]\n"
			   "bare_twice [bare]\nlast";
static const char blacklist[] = "0x1-0x2\tbarred\n0x2-0x3\tno_btf\n0x4-0x5\tvfs_readx\n"
				"0x6-0x7\txread\n0x8-0x9\tlast";

struct world {
	char root[64];
};

static void put(const struct world *w, const char *path, const void *data, size_t size)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", w->root, path);
	f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static const char *path_in(const struct world *w, const char *path, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%s", w->root, path);
	return buf;
}

static void unlink_in(const struct world *w, const char *path)
{
	char full[256];

	unlink(path_in(w, path, full, sizeof(full)));
}

static void add_functions(struct btf *btf, int proto, const char *const *names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		assert_true(btf__add_func(btf, names[i], BTF_FUNC_STATIC, proto) > 0);
}

static void put_btf(const struct world *w)
{
	struct btf *base = btf__new_empty(), *split;
	int t_int = btf__add_int(base, "int", 4, BTF_INT_SIGNED), proto;
	const void *raw;
	uint32_t size;

	/* Kinds of each length lie between what is looked for. */
	btf__add_array(base, t_int, t_int, 3);
	btf__add_struct(base, "s", 8);
	btf__add_field(base, "a", t_int, 0, 0);
	btf__add_field(base, "b", t_int, 32, 0);
	btf__add_enum(base, "e", 4);
	btf__add_enum_value(base, "E", 1);
	btf__add_enum64(base, "e64", 8, false);
	btf__add_enum64_value(base, "E64", 1);
	btf__add_fwd(base, "f", BTF_FWD_STRUCT);
	btf__add_float(base, "double", 8);
	btf__add_type_tag(base, "tag", t_int);
	btf__add_var(base, "v", BTF_VAR_STATIC, t_int);
	btf__add_datasec(base, "d", 4);
	btf__add_datasec_var_info(base, btf__type_cnt(base) - 2, 0, 4);
	btf__add_decl_tag(base, "decl", t_int, -1);
	proto = btf__add_func_proto(base, t_int);
	btf__add_func_param(base, "a", t_int);
	add_functions(base, proto, kernel_names, sizeof(kernel_names) / sizeof(*kernel_names));
	raw = btf__raw_data(base, &size);
	put(w, "sys/kernel/btf/vmlinux", raw, size);
	split = btf__new_empty_split(base);
	proto = btf__add_func_proto(split, btf__add_ptr(split, t_int));
	add_functions(split, proto, module_names, sizeof(module_names) / sizeof(*module_names));
	raw = btf__raw_data(split, &size);
	put(w, "sys/kernel/btf/mod", raw, size);
	btf__free(split);
	btf__free(base);
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	char command[256];

	assert_non_null(w);
	strcpy(w->root, "/tmp/test-facts-XXXXXX");
	assert_non_null(mkdtemp(w->root));
	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p run proc/sys/kernel/random sys/module sys/kernel/btf "
		 "sys/kernel/tracing sys/kernel/debug/kprobes",
		 w->root);
	assert_int_equal(system(command), 0);
	put_btf(w);
	put(w, "sys/kernel/tracing/available_filter_functions", list, sizeof(list) - 1);
	put(w, "sys/kernel/debug/kprobes/blacklist", blacklist, sizeof(blacklist) - 1);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", w->root);
	assert_int_equal(system(command), 0);
	free(w);
	return 0;
}

/* In words, so that a difference can be read. */
static void describe(const struct world *w, bool all_first, const char *module, const char *name,
		     char *buf, size_t size)
{
	struct facts *f = facts_open(w->root, NULL);
	struct facts_function fn, *fns;
	struct error e = {};
	size_t n, skipped;

	assert_non_null(f);
	if (all_first) {
		assert_int_equal(facts_match_functions(f, NULL, "*", &fns, &n, &skipped), 0);
		free(fns);
	}
	if (facts_find_function(f, module, name, &fn, &e))
		snprintf(buf, size, "%s: %s; %s", e.what, e.why, e.next);
	else
		snprintf(buf, size, "%s:%s btf %u seen %d kprobe %d %s shared %d ret %d/%d args %u",
			 fn.module, fn.name, fn.btf_id, fn.seen_by_ftrace, fn.kprobe_ok,
			 fn.denied ? fn.denied : "allowed", fn.shared, fn.ret.type, fn.ret.bytes,
			 fn.n_args);
	facts_close(f);
}

static void test_same(void **state)
{
	static const char *const names[] = {
		"read",         "vfs_read",
		"vfs_readv",    "x_vfs_read",
		"twice",        "hidden",
		"twice_not",    "barred",
		"barred_not",   "both",
		"last",         "no_btf",
		"mod_fn",       "no_btf_twice",
		"mod_twice",    "tail",
		"mod_hidden",   "vfs_rea",
		"fs_read",      "",
		"bare_fn",      "bare_twice",
		"[mod]",        "read [other",
		"read\nbarred", "__ftrace_invalid_address___8",
	};
	static const char *const modules[] = { NULL, "", "mod", "mode" };
	char alone[512], among[512];
	size_t i, m;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		for (m = 0; m < sizeof(modules) / sizeof(*modules); m++) {
			describe(*state, false, modules[m], names[i], alone, sizeof(alone));
			describe(*state, true, modules[m], names[i], among, sizeof(among));
			assert_string_equal(alone, among);
		}
	}
}

static void known(void **state, const char *module, const char *name, const char *want)
{
	char text[512];

	describe(*state, false, module, name, text, sizeof(text));
	assert_string_equal(text, want);
}

static void test_known(void **state)
{
#define INT " ret 2/4 args 1"
	known(state, NULL, "vfs_read", ":vfs_read btf 14 seen 1 kprobe 1 allowed shared 0" INT);
	known(state, NULL, "twice",
	      ":twice btf 17 seen 1 kprobe 1 several functions have this name shared 0" INT);
	known(state, NULL, "twice_not", ":twice_not btf 18 seen 0 kprobe 1 allowed shared 0" INT);
	known(state, NULL, "barred", ":barred btf 20 seen 1 kprobe 0 allowed shared 0" INT);
	known(state, NULL, "last", ":last btf 23 seen 1 kprobe 0 allowed shared 0" INT);
	known(state, NULL, "no_btf",
	      ":no_btf btf 0 seen 1 kprobe 0 allowed shared 0 ret 0/0 args 0");
	known(state, "mod", "both",
	      "mod:both btf 28 seen 1 kprobe 1 allowed shared 1 ret 5/8 args 0");
	known(state, NULL, "mod_twice",
	      "mod:mod_twice btf 27 seen 1 kprobe 1 several functions have this name shared 0"
	      " ret 5/8 args 0");
	known(state, "mod", "mod_hidden",
	      "mod:mod_hidden btf 29 seen 0 kprobe 1 allowed shared 1 ret 5/8 args 0");
	/* Modules without BTF: only ftrace knows their functions. */
	known(state, "mo", "mod_hidden",
	      "mo:mod_hidden btf 0 seen 1 kprobe 1 allowed shared 1 ret 0/0 args 0");
	known(state, NULL, "bare_fn",
	      "bare:bare_fn btf 0 seen 1 kprobe 1 allowed shared 0 ret 0/0 args 0");
	known(state, "bare", "bare_twice",
	      "bare:bare_twice btf 0 seen 1 kprobe 1 several functions have this name shared 0"
	      " ret 0/0 args 0");
}

static void preempts(const struct world *w, bool want, const char *why)
{
	struct facts *f = facts_open(w->root, NULL);

	assert_non_null(f);
	assert_string_equal(facts_preempts_why(f), why);
	assert_int_equal(facts_preempts(f), want);
	facts_close(f);
}

static void put_text(const struct world *w, const char *path, const char *text)
{
	put(w, path, text, strlen(text));
}

/* ftrace's list is kept in a file of the root; which of the two was used shows in "hidden". */
#define KEPT "run/kstats-bpf.functions"
#define BOOT "proc/sys/kernel/random/boot_id"

static int seen(const struct world *w)
{
	struct facts *f = facts_open(w->root, NULL);
	struct facts_function fn = {};

	assert_non_null(f);
	assert_int_equal(facts_find_function(f, NULL, "hidden", &fn, NULL), 0);
	facts_close(f);
	return fn.seen_by_ftrace;
}

/* What is used, after a list with "hidden" was kept, and a list without it is there now. */
static int seen_after(const struct world *w, void (*change)(const struct world *w))
{
	static const char with[] = "hidden\n", without[] = "vfs_read\n";

	put_text(w, BOOT, "one\n");
	put_text(w, "sys/kernel/tracing/available_filter_functions", with);
	unlink_in(w, KEPT);
	assert_int_equal(seen(w), 1);
	put_text(w, "sys/kernel/tracing/available_filter_functions", without);
	change(w);
	return seen(w);
}

static void change_nothing(const struct world *w)
{
	(void)w;
}

static void change_boot(const struct world *w)
{
	put_text(w, BOOT, "two\n");
}

static void change_modules(const struct world *w)
{
	put_text(w, "sys/kernel/btf/new", "");
}

static void change_modules_without_btf(const struct world *w)
{
	put_text(w, "sys/module/new", "");
}

static void hide_modules(const struct world *w)
{
	char path[256], other[256];

	assert_int_equal(rename(path_in(w, "sys/module", path, sizeof(path)),
				path_in(w, "hidden", other, sizeof(other))),
			 0);
}

static void change_rights(const struct world *w)
{
	char path[512];

	assert_int_equal(chmod(path_in(w, KEPT, path, sizeof(path)), 0620), 0);
}

static void change_size(const struct world *w)
{
	char path[512];
	struct stat st;

	assert_int_equal(stat(path_in(w, KEPT, path, sizeof(path)), &st), 0);
	assert_int_equal(truncate(path, st.st_size - 1), 0);
}

static void change_to_link(const struct world *w)
{
	char path[512], other[512];

	path_in(w, KEPT ".other", other, sizeof(other));
	assert_int_equal(rename(path_in(w, KEPT, path, sizeof(path)), other), 0);
	assert_int_equal(symlink(other, path), 0);
}

static void hide_list(const struct world *w)
{
	unlink_in(w, "sys/kernel/tracing/available_filter_functions");
}

static void test_kept(void **state)
{
	const struct world *w = *state;
	char path[512];
	struct stat st;

	assert_int_equal(seen_after(w, change_nothing), 1);
	assert_int_equal(stat(path_in(w, KEPT, path, sizeof(path)), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(seen_after(w, change_boot), 0);
	assert_int_equal(seen_after(w, change_rights), 0);
	assert_int_equal(seen_after(w, change_size), 0);
	assert_int_equal(seen_after(w, change_to_link), 0);
	assert_int_equal(seen_after(w, hide_list), -1);
	assert_int_equal(seen_after(w, change_modules), 0);
	assert_int_equal(seen_after(w, change_modules_without_btf), 0);
	assert_int_equal(seen_after(w, hide_modules), 0);
}

/* Each thing that tells, from the weakest to the strongest, against those before. */
static void test_preempts(void **state)
{
	static const struct {
		const char *path, *text;
		bool preempts;
		const char *why;
	} rows[] = {
		{ "proc/cmdline", "quiet\n", true, "assumed, since this kernel does not tell" },
		{ "proc/config.gz", "# CONFIG_PREEMPT is not set\nCONFIG_PREEMPT_VOLUNTARY=y\n",
		  false, "preempt=voluntary, as it was built" },
		{ "proc/sys/kernel/osrelease", "6.12.9-amd64\n", false,
		  "preempt=voluntary, as it was built" },
		{ "lib/modules/6.12.9-amd64/config", "CONFIG_PREEMPT=y\n", true,
		  "preempt=full, as it was built" },
		{ "boot/config-6.12.9-amd64", "CONFIG_X=y\nCONFIG_PREEMPT_NONE=y\n", false,
		  "preempt=none, as it was built" },
		{ "boot/config-6.12.9-amd64", "CONFIG_PREEMPT_LAZY=y\n", true,
		  "preempt=lazy, as it was built" },
		{ "proc/cmdline", "preempt=full quiet preempt=voluntary preempt=rubbish\n", false,
		  "preempt=voluntary, on its command line" },
		/* Kernels that always preempt pass over the word. */
		{ "proc/sys/kernel/osrelease", "7.3.1\n", true,
		  "preempt=full, on its command line" },
		{ "proc/cmdline", "preempt=none\n", false, "preempt=voluntary, as it was built" },
		{ "proc/cmdline", "preempt=lazy preempt=none\n", true,
		  "preempt=lazy, on its command line" },
		{ "sys/kernel/debug/sched/preempt", "none (voluntary) full\n", false,
		  "preempt=voluntary, as its scheduler says" },
		{ "sys/kernel/debug/sched/preempt", "full (lazy) \n", true,
		  "preempt=lazy, as its scheduler says" },
		{ "sys/kernel/debug/sched/preempt", "none voluntary (full)\n", true,
		  "preempt=full, as its scheduler says" },
		{ "proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian\n", true,
		  "preempt=full, as its scheduler says" },
		{ "proc/sys/kernel/version", "#1 SMP Debian\n", false, "built without preemption" },
		{ "proc/sys/kernel/version", "#1 SMP PREEMPT Debian\n", true,
		  "built with full or lazy preemption" },
		{ "proc/sys/kernel/version", "#1 SMP PREEMPT_RT Debian\n", true, "PREEMPT_RT" },
		{ "proc/sys/kernel/version", "#1 SMP Debian\n", false, "built without preemption" },
		{ "sys/kernel/realtime", "1\n", true, "PREEMPT_RT" },
	};
	const struct world *w = *state;
	char command[256];
	size_t i;

	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p proc/sys/kernel sys/kernel/debug/sched boot "
		 "lib/modules/6.12.9-amd64",
		 w->root);
	assert_int_equal(system(command), 0);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_text(w, rows[i].path, rows[i].text);
		preempts(w, rows[i].preempts, rows[i].why);
	}
}

#define BTF_ROOM 8192

static size_t get_btf(const struct world *w, char data[BTF_ROOM])
{
	char path[128];
	size_t size;
	FILE *in;

	snprintf(path, sizeof(path), "%s/sys/kernel/btf/vmlinux", w->root);
	in = fopen(path, "r");
	assert_non_null(in);
	size = fread(data, 1, BTF_ROOM, in);
	fclose(in);
	assert_in_range(size, 100, BTF_ROOM - 1);
	return size;
}

/* Whatever of it is there: an answer, or an error, and nothing read behind its end. */
static void test_short(void **state)
{
	const struct world *w = *state;
	char data[BTF_ROOM];
	struct facts *f;
	size_t size, n;

	size = get_btf(w, data);
	for (n = 0; n < size; n++) {
		put(w, "sys/kernel/btf/vmlinux", data, n);
		assert_null(facts_open(w->root, NULL));
	}
	put(w, "sys/kernel/btf/vmlinux", data, size);
	f = facts_open(w->root, NULL);
	assert_non_null(f);
	facts_close(f);
}

/* Each byte turned over: whatever becomes of it, nothing outside is touched. */
static void test_broken(void **state)
{
	const struct world *w = *state;
	char data[BTF_ROOM];
	struct facts_function fn;
	struct facts *f;
	size_t size, i;

	size = get_btf(w, data);
	for (i = 0; i < size; i++) {
		data[i] ^= 0xff;
		put(w, "sys/kernel/btf/vmlinux", data, size);
		data[i] ^= 0xff;
		f = facts_open(w->root, NULL);
		if (f)
			facts_find_function(f, NULL, "last", &fn, NULL);
		facts_close(f);
	}
	put(w, "sys/kernel/btf/vmlinux", data, size);
	f = facts_open(w->root, NULL);
	assert_non_null(f);
	assert_int_equal(facts_find_function(f, NULL, "last", &fn, NULL), 0);
	facts_close(f);
}

/* ---- symbols ---- */

#define SYMBOLS 3001 /* many times what one read() gives */

static uint64_t address_of(unsigned int i)
{
	return 0xffffffff9abcdef0 + i;
}

static int take_symbol(void *ctx, const struct facts_symbol *symbol)
{
	unsigned int *n = ctx;
	char name[64];

	snprintf(name, sizeof(name), "function_%0*u", *n % 40, *n);
	assert_string_equal(symbol->name, name);
	assert_string_equal(symbol->module, *n % 3 ? "" : "some_module");
	assert_int_equal(symbol->address, address_of(*n));
	assert_int_equal(symbol->type, 't');
	return ++*n == SYMBOLS ? 77 : 0;
}

/* Each line of a list that takes many reads; the last line but one ends it. */
static void test_symbols(void **state)
{
	const struct world *w = *state;
	unsigned int i, n = 0;
	char path[256];
	FILE *f;

	assert_int_equal(facts_symbols(w->root, NULL, take_symbol, &n), -ENOENT);
	f = fopen(path_in(w, "proc/kallsyms", path, sizeof(path)), "w");
	assert_non_null(f);
	fprintf(f, "no address\n123\n\n");
	for (i = 0; i <= SYMBOLS; i++)
		fprintf(f, "%016" PRIx64 " t function_%0*u%s\n", address_of(i), i % 40, i,
			i % 3 ? "" : "\t[some_module]");
	assert_int_equal(fclose(f), 0);
	assert_int_equal(facts_symbols(w->root, NULL, take_symbol, &n), 77);
	assert_int_equal(n, SYMBOLS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_same, setup, teardown),
		cmocka_unit_test_setup_teardown(test_known, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(test_preempts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_short, setup, teardown),
		cmocka_unit_test_setup_teardown(test_broken, setup, teardown),
		cmocka_unit_test_setup_teardown(test_symbols, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
