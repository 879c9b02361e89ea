// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_plan.c - facts of a kernel made up here, and the plans that follow. The
 * root folder is written by the test: BTF of three functions and a tracepoint,
 * ftrace's list, the functions forbidden to kprobes, kallsyms.
 */
#include "kstats_parts.h"
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

#include "plan/plan.h"

struct world {
	char root[64];
	bool regfunc; /* struct tracepoint has it */
	const char *hits; /* member of struct trace_kprobe; NULL: nothing leads to kprobes */
	struct facts *facts;
};

static void put(const struct world *w, const char *path, const void *data, size_t size)
{
	char full[256], *slash;
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", w->root, path);
	for (slash = full + strlen(w->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static void put_text(const struct world *w, const char *path, const char *text)
{
	put(w, path, text, strlen(text));
}

/* int good(long, void *); void empty(void); _Bool yes(int); int varies(long, ...); tracepoint
 * tick(int) */
static void put_btf(const struct world *w, enum facts_session session)
{
	struct btf *btf = btf__new_empty();
	int t_int = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), t_ptr = btf__add_ptr(btf, 0);
	int t_long = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
	int t_bool = btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL), proto;
	const void *raw;
	uint32_t size;
	int i;

	proto = btf__add_func_proto(btf, t_int);
	btf__add_func_param(btf, "a", t_long);
	btf__add_func_param(btf, "b", t_ptr);
	btf__add_func(btf, "good", BTF_FUNC_STATIC, proto);
	btf__add_func(btf, "good_twice", BTF_FUNC_STATIC, proto);
	btf__add_func(btf, "hidden", BTF_FUNC_STATIC, proto);
	btf__add_func(btf, "do_exit", BTF_FUNC_STATIC, proto);
	btf__add_func(btf, "migrate_disable", BTF_FUNC_STATIC, proto);
	proto = btf__add_func_proto(btf, 0);
	btf__add_func(btf, "empty", BTF_FUNC_STATIC, proto);
	proto = btf__add_func_proto(btf, t_bool);
	btf__add_func_param(btf, "a", t_int);
	btf__add_func(btf, "yes", BTF_FUNC_STATIC, proto);
	proto = btf__add_func_proto(btf, t_int);
	btf__add_func_param(btf, "a", t_long);
	btf__add_func_param(btf, NULL, 0);
	btf__add_func(btf, "varies", BTF_FUNC_STATIC, proto);
	btf__add_func(btf, "varies_barred", BTF_FUNC_STATIC, proto);
	proto = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, NULL, t_ptr);
	btf__add_func_param(btf, "n", t_int);
	btf__add_typedef(btf, "btf_trace_tick", btf__add_ptr(btf, proto));
	if (session == FACTS_SESSION_VOID) {
		btf__add_struct(btf, "fprobe", 8);
		btf__add_field(btf, "rethook", t_ptr, 0, 0);
	}
	if (session) {
		proto = btf__add_func_proto(btf, t_ptr);
		if (session == FACTS_SESSION)
			btf__add_func_param(btf, "ctx", t_ptr);
		btf__add_func(btf, "bpf_session_cookie", BTF_FUNC_STATIC, proto);
		proto = btf__add_func_proto(btf, t_int);
		for (i = 0; i < 7; i++)
			btf__add_func_param(btf, "a", t_ptr);
		btf__add_func(btf, "bpf_get_perf_event_info", BTF_FUNC_STATIC, proto);
	}
	if (w->hits) {
		btf__add_func(btf, "bpf_iter_bpf_link", BTF_FUNC_STATIC,
			      btf__add_func_proto(btf, t_int));
		btf__add_struct(btf, "bpf_perf_link", 8);
		btf__add_field(btf, "perf_file", t_ptr, 0, 0);
		btf__add_struct(btf, "trace_kprobe", 8);
		btf__add_field(btf, w->hits, t_ptr, 0, 0);
	}
	btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	btf__add_struct(btf, "tracepoint", 8);
	btf__add_field(btf, w->regfunc ? "regfunc" : "ext", t_ptr, 0, 0);
	raw = btf__raw_data(btf, &size);
	put(w, "/sys/kernel/btf/vmlinux", raw, size);
	btf__free(btf);
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	strcpy(w->root, "/tmp/test-plan-XXXXXX");
	assert_non_null(mkdtemp(w->root));
	put_btf(w, FACTS_NO_SESSION);
	put_text(w, "/sys/kernel/tracing/available_filter_functions",
		 "good\ngood_twice\ngood_twice\nempty\nyes\nno_btf\nno_btf_no_kprobe\n"
		 "varies\nvaries_barred\n"
		 "do_exit\nmigrate_disable\n__ftrace_invalid_address___64\n");
	put_text(w, "/sys/kernel/tracing/kprobe_events", "");
	put_text(w, "/sys/kernel/debug/kprobes/blacklist",
		 "0x01-0x02\tno_btf_no_kprobe\n0x03-0x04\tempty\n0x05-0x06\tvaries_barred\n");
	put_text(w, "/proc/kallsyms", "0 t changed.isra.0\n0 T good\n");
	put_text(w, "/proc/sys/kernel/version", "#1 SMP\n");
	w->facts = facts_open(w->root, NULL);
	assert_non_null(w->facts);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	char command[128];

	facts_close(w->facts);
	snprintf(command, sizeof(command), "rm -r %s", w->root);
	assert_int_equal(system(command), 0);
	free(w);
	return 0;
}

/* One line of words to a plan; the caller frees both after a 0. */
static int make(struct world *w, const char *line, struct spec *spec, struct plan *plan,
		struct error *e)
{
	char text[256], *argv[32], *save = NULL, *word;
	int argc = 0, err;

	snprintf(text, sizeof(text), "trace %s", line);
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	argv[argc] = NULL;
	err = spec_parse_trace(spec, argc, argv, e);
	assert_int_equal(err, 0);
	err = plan_make(plan, spec, w->facts, e);
	if (err) {
		plan_free(plan);
		spec_free(spec);
	}
	return err;
}

static void must_make(struct world *w, const char *line, struct spec *spec, struct plan *plan)
{
	struct error e = {};

	if (make(w, line, spec, plan, &e))
		fail_msg("%s: %s: %s", line, e.what, e.why);
}

static void refused(struct world *w, const char *line, int want, const char *why)
{
	struct error e = {};
	struct spec spec;
	struct plan plan;

	assert_int_equal(make(w, line, &spec, &plan, &e), want);
	if (!strstr(e.why, why) && !strstr(e.next, why))
		fail_msg("%s: %s: %s; %s", line, e.what, e.why, e.next);
}

static void test_refusals(void **state)
{
	refused(*state, "nothing_like_it_at_all", -ENOENT, "no function of that name");
	refused(*state, "goood", -ENOENT, "did you mean good");
	refused(*state, "good -m kprobe --by a,ret", -ENXIO, "cannot read its parameters");
	refused(*state, "good -m kprobe --key cpu --by a", -ENXIO, "cannot read its parameters");
	refused(*state, "changed", -ENOENT, "the compiler changed it");
	refused(*state, "good_twice", -EOPNOTSUPP, "several functions");
	refused(*state, "hidden", -EOPNOTSUPP, "notrace");
	refused(*state, "do_exit", -EOPNOTSUPP, "never returns");
	refused(*state, "migrate_disable", -EOPNOTSUPP, "recording a sample");
	refused(*state, "no_btf_no_kprobe", -EOPNOTSUPP, "forbids kprobes");
	refused(*state, "no_btf -m fentry", -EOPNOTSUPP, "no BTF");
	refused(*state, "module:good", -ENOENT, "module is not loaded");
	refused(*state, "empty --if ret==0", -EINVAL, "returns nothing");
	refused(*state, "no_btf --by ret<0", -EINVAL, "no BTF");
	refused(*state, "yes --by ret<0", -EINVAL, "no errors");
	refused(*state, "--start tp:tack --end good", -ENOENT, "did you mean tick");
	refused(*state, "--start good --end tp:tick --key arg1", -EINVAL, "fewer arguments");
	refused(*state, "--start good --end tp:tick --key arg2", -EINVAL, "fewer arguments");
	refused(*state, "z* ", -ENOENT, "no function matches");
	refused(*state, "good empty yes --limit functions=2", -E2BIG, "limit is 2");
}

static void test_ways(void **state)
{
	struct error e = {};
	struct spec spec;
	struct plan plan;

	assert_int_equal(make(*state, "good empty no_btf", &spec, &plan, &e), 0);
	assert_int_equal(plan.n_probes, 3);
	assert_int_equal(plan.probes[0].n_ways, 2);
	assert_int_equal(plan.probes[0].ways[0].start.type, PLAN_FENTRY);
	assert_int_equal(plan.probes[0].ways[0].end.type, PLAN_FEXIT);
	assert_int_equal(plan.probes[0].ways[1].start.type, PLAN_KPROBE);
	assert_int_equal(plan.probes[0].ways[1].end.type, PLAN_KRETPROBE);
	assert_int_equal(plan.probes[1].n_ways, 1);
	assert_int_equal(plan.probes[1].ways[0].start.type, PLAN_FENTRY);
	assert_int_equal(plan.probes[2].n_ways, 1);
	assert_int_equal(plan.probes[2].ways[0].start.type, PLAN_KPROBE);
	plan_free(&plan);
	spec_free(&spec);
}

static void test_backend(void **state)
{
	static const struct {
		const char *words;
		bool loaded, kmod, map;
		const char *reason;
	} rows[] = {
		{ "good", false, false, true, "the module kstats is not loaded" },
		{ "good --backend map", false, false, true, "" },
		{ "good", true, true, true, "" },
		{ "good --backend map", true, false, true, "" },
		{ "good --backend kmod", true, true, false, "" },
	};
	struct world *w = *state;
	struct error e = {};
	struct spec spec;
	struct plan plan;
	size_t i;

	refused(w, "good --backend kmod", -ENOENT, "modprobe kstats");
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].loaded)
			put_text(w, "/sys/kernel/btf/kstats", "");
		assert_int_equal(make(w, rows[i].words, &spec, &plan, &e), 0);
		assert_int_equal(plan.kmod, rows[i].kmod);
		assert_int_equal(plan.map, rows[i].map);
		assert_string_equal(plan.backend_reason, rows[i].reason);
		plan_free(&plan);
		spec_free(&spec);
	}
}

/* Where a start may be another call's, each owner has a place for such samples. */
static void test_unverified(void **state)
{
	static const struct {
		const char *version, *words;
		uint32_t at, n, owner;
	} rows[] = {
		{ "SMP", "good", 0, 1, 0 },
		{ "SMP", "--start good --end yes", 1, 2, 0 },
		{ "SMP", "--start good --end yes --key arg0", 1, 2, 0 },
		{ "PREEMPT_RT", "good --gap --by ret<0", 3, 4, 0 },
		{ "PREEMPT_RT", "good yes -m fentry --gap", 4, 6, 2 },
	};
	struct world *w = *state;
	struct error e = {};
	struct spec spec;
	struct plan plan;
	char version[64];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(version, sizeof(version), "#1 %s\n", rows[i].version);
		put_text(w, "/proc/sys/kernel/version", version);
		facts_close(w->facts);
		w->facts = facts_open(w->root, NULL);
		assert_int_equal(make(w, rows[i].words, &spec, &plan, &e), 0);
		assert_int_equal(plan.unverified_at, rows[i].at);
		assert_int_equal(plan.n_nodes, rows[i].n);
		if (rows[i].at) {
			assert_int_equal(plan.nodes[plan.n_nodes - 1].kind, SNAPSHOT_UNVERIFIED);
			assert_int_equal(plan.nodes[plan.n_nodes - 1].owner, rows[i].owner);
		}
		plan_free(&plan);
		spec_free(&spec);
	}
}

/* Parts come behind the nodes of all functions, and before those of unverified samples. */
static void test_parts(void **state)
{
	struct world *w = *state;
	struct error e = {};
	struct spec spec;
	struct plan plan;
	uint32_t i;

	assert_int_equal(make(w, "good yes --gap --parts", &spec, &plan, &e), 0);
	assert_int_equal(plan.parts_at, 4);
	assert_int_equal(plan.n_nodes, 4 + 2 * KSTATS_PARTS_N);
	for (i = 0; i < 2 * KSTATS_PARTS_N; i++) {
		assert_int_equal(plan.nodes[4 + i].kind, SNAPSHOT_RUNNING + i % KSTATS_PARTS_N);
		assert_int_equal(plan.nodes[4 + i].owner, i / KSTATS_PARTS_N * 2);
	}
	assert_string_equal(plan.nodes[5].name, "good:runnable");
	plan_free(&plan);
	spec_free(&spec);
}

/* A node for each stage, in the order of the points; their programs know them by number. */
static void test_vias(void **state)
{
	static const char *const names[] = { "good",           "good:to-tick",   "good:to-yes",
					     "good:to-tick-3", "good:to-return", "good:again",
					     "good:unverified" };
	struct world *w = *state;
	struct error e = {};
	struct spec spec;
	struct plan plan;
	uint32_t i;

	assert_int_equal(make(w, "good --via tp:tick,yes,tp:tick", &spec, &plan, &e), 0);
	assert_int_equal(plan.via_at, 1);
	assert_int_equal(plan.n_vias, 3);
	assert_int_equal(plan.n_nodes, 7);
	for (i = 0; i < plan.n_nodes; i++) {
		assert_string_equal(plan.nodes[i].name, names[i]);
		assert_int_equal(plan.nodes[i].kind, !i      ? SNAPSHOT_DURATION
						     : i < 5 ? SNAPSHOT_STAGE
						     : i < 6 ? SNAPSHOT_AGAIN
							     : SNAPSHOT_UNVERIFIED);
	}
	assert_string_equal(plan.nodes[2].what, "from tick to yes");
	/* The last function is hooked last, so that its program runs before those of the call. */
	assert_int_equal(plan.n_probes, 5);
	for (i = 0; i < 5; i++) {
		assert_int_equal(plan.probes[i].ways[0].end.role == PLAN_VIA,
				 i % 3 == 1 || i == 2 || i == 4);
		assert_int_equal(plan.probes[i].node, 0);
	}
	assert_int_equal((uint32_t)plan.probes[1].ways[0].end.word, 0);
	assert_int_equal((uint32_t)plan.probes[2].ways[0].end.word, 2);
	assert_int_equal((uint32_t)plan.probes[4].ways[0].end.word, 1);
	assert_int_equal(plan.probes[3].ways[0].end.type, PLAN_FEXIT);
	plan_free(&plan);
	spec_free(&spec);
	refused(w, "--start good --end yes --via tp:tick,yes,tp:tick,yes --if start.arg0==duration",
		-E2BIG, "keeps up to 4");
}

static void test_nodes(void **state)
{
	struct error e = {};
	struct spec spec;
	struct plan plan;
	uint64_t word;

	assert_int_equal(make(*state, "good --by ret<0 --gap", &spec, &plan, &e), 0);
	assert_int_equal(plan.n_nodes, 3);
	assert_string_equal(plan.nodes[1].name, "good:error");
	assert_int_equal(plan.nodes[1].owner, 0);
	assert_string_equal(plan.nodes[2].name, "GAP-good");
	word = plan.probes[0].ways[0].end.word;
	assert_int_equal((uint32_t)word, 0);
	assert_int_equal(word >> KSTATS_HOOK_RET_SHIFT & 0xff, 4);
	assert_true(word & KSTATS_HOOK_SIGNED);
	plan_free(&plan);
	spec_free(&spec);
	/* A glob leaves out what cannot be, and counts it. */
	assert_int_equal(make(*state, "*o* --merge", &spec, &plan, &e), 0);
	assert_int_equal(plan.n_probes, 2);
	assert_int_equal(plan.n_nodes, 1);
	assert_int_equal(plan.n_skipped, 3);
	plan_free(&plan);
	spec_free(&spec);
}

/* A name that was given is never passed over. */
static void test_names(void **state)
{
	static const struct {
		const char *words, *name, *what;
	} cases[] = {
		{ "good", "good", "entry to return of good" },
		{ "good -n N", "N", "entry to return of good" },
		{ "*o* -n N", "N:good", "entry to return of good" },
		{ "good --merge", "good", "entry to return of good" },
		{ "good --merge -n N", "N", "entry to return of good" },
		{ "*o* --merge", "merged", "entry to return of 2 functions" },
		{ "*o* --merge -n N", "N", "entry to return of 2 functions" },
	};
	struct error e = {};
	struct spec spec;
	struct plan plan;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(make(*state, cases[i].words, &spec, &plan, &e), 0);
		assert_string_equal(plan.nodes[0].name, cases[i].name);
		assert_string_equal(plan.nodes[0].what, cases[i].what);
		plan_free(&plan);
		spec_free(&spec);
	}
}

static void test_fsession(void **state)
{
	struct error e = {};
	struct spec spec;
	struct plan plan;

	assert_int_equal(make(*state, "good -m fsession --by ret<0", &spec, &plan, &e), 0);
	assert_int_equal(plan.probes[0].n_ways, 1);
	assert_int_equal(plan.probes[0].ways[0].start.type, PLAN_FSESSION);
	assert_string_equal(plan.probes[0].ways[0].method, "fsession");
	/* Its one program needs what an end needs. */
	assert_int_equal(plan.probes[0].ways[0].start.word >> KSTATS_HOOK_RET_SHIFT & 0xff, 4);
	assert_true(plan.probes[0].ways[0].start.word & KSTATS_HOOK_SIGNED);
	plan_free(&plan);
	spec_free(&spec);
	/* At one point it is another method, and says so. */
	assert_int_equal(make(*state, "good -m fsession --value a", &spec, &plan, &e), 0);
	assert_int_equal(plan.probes[0].ways[0].start.type, PLAN_FENTRY);
	assert_int_equal(strncmp(plan.probes[0].reason, "fsession hooks entry and return", 31), 0);
	plan_free(&plan);
	spec_free(&spec);
	refused(*state, "no_btf -m fsession", -EOPNOTSUPP, "no BTF");
	refused(*state, "good -m fsession --key cpu", -EINVAL, "not by CPU or key");
	refused(*state, "--start good --end yes -m fsession", -EINVAL, "pair of points");
}

static void test_kprobe_session(void **state)
{
	struct error e = {};
	struct spec spec;
	struct plan plan;

	assert_int_equal(make(*state, "good no_btf -m kprobe-session", &spec, &plan, &e), 0);
	assert_int_equal(plan.session, FACTS_NO_SESSION);
	assert_int_equal(plan.n_probes, 2);
	assert_int_equal(plan.probes[1].n_ways, 1);
	assert_int_equal(plan.probes[1].ways[0].start.type, PLAN_KPROBE_SESSION);
	assert_string_equal(plan.probes[1].ways[0].method, "kprobe session");
	assert_false(plan.probes[1].ways[0].start.shared);
	assert_int_equal(plan.probes[0].ways[0].start.word >> KSTATS_HOOK_RET_SHIFT & 0xff, 4);
	plan_free(&plan);
	spec_free(&spec);
	refused(*state, "empty -m kprobe-session", -EOPNOTSUPP, "forbids kprobes");
	refused(*state, "good -m kprobe-session --key cpu", -EINVAL, "not by CPU or key");
	refused(*state, "--start good --end yes -m kprobe-session", -EINVAL, "pair of points");
}

/* The kernel anew, with the calls of session programs in one form or the other. */
static void reopen(struct world *w, enum facts_session session)
{
	facts_close(w->facts);
	put_btf(w, session);
	w->facts = facts_open(w->root, NULL);
	assert_non_null(w->facts);
	assert_int_equal(facts_session(w->facts), session);
}

/* The target is a function of a library, which throws no exceptions. */
static void test_user_session(void **state)
{
	static const struct {
		enum facts_session session;
		const char *words, *first;
	} rows[] = {
		{ FACTS_SESSION, "", "uprobe session" },
		{ FACTS_NO_SESSION, "", "uprobe multi" },
		{ FACTS_SESSION, "--by comm", "uprobe session" },
		{ FACTS_SESSION, "--by ret", "uprobe session" },
		/* A word has no room for the key of an entry. */
		{ FACTS_SESSION, "--by arg0", "uprobe multi" },
	};
	struct spec spec;
	struct plan plan;
	char line[128];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		reopen(*state, rows[i].session);
		snprintf(line, sizeof(line), "u:libcmocka:mock_assert %s", rows[i].words);
		must_make(*state, line, &spec, &plan);
		assert_memory_equal(plan.probes[0].ways[0].method, rows[i].first,
				    strlen(rows[i].first));
		plan_free(&plan);
		spec_free(&spec);
	}
	refused(*state, "u:libcmocka:mock_assert -m uprobe-session --by arg0", -EINVAL,
		"no room for a key");
}

/* The words of the kernel's version, and its list of trace events; NULL: no list. */
static void put_events(struct world *w, const char *version, const char *events)
{
	char path[128];

	put_text(w, "/proc/sys/kernel/version", version);
	snprintf(path, sizeof(path), "%s/sys/kernel/tracing/available_events", w->root);
	unlink(path);
	if (events)
		put_text(w, "/sys/kernel/tracing/available_events", events);
	reopen(w, FACTS_NO_SESSION);
}

static void ways_are(const struct plan_probe *p, const char *reason, const char *methods)
{
	char all[256] = "";
	unsigned int i;

	for (i = 0; i < p->n_ways; i++)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? ", " : "",
			 p->ways[i].method);
	assert_string_equal(all, methods);
	assert_string_equal(p->reason, reason);
}

/* Without tracefs, a kretprobe has room for few calls. */
static void test_little_room(void **state)
{
	char path[128], words[] = "good";
	struct world *w = *state;
	struct error e = {};
	struct spec spec;
	struct plan plan;

	put_text(w, "/proc/sys/kernel/version", "#1 SMP PREEMPT_RT\n");
	snprintf(path, sizeof(path), "%s/sys/kernel/tracing/kprobe_events", w->root);
	assert_int_equal(unlink(path), 0);
	reopen(w, FACTS_NO_SESSION);
	assert_int_equal(make(w, words, &spec, &plan, &e), 0);
	ways_are(&plan.probes[0],
		 "kprobe/kretprobe loses no call to preemption, but has room for only ten calls at "
		 "once without tracefs",
		 "fentry/fexit, kprobe/kretprobe");
	assert_non_null(strstr(plan_way_risk(&plan, &plan.probes[0].ways[1]), "only ten calls"));
	plan_free(&plan);
	spec_free(&spec);
}

static void test_room_told(void **state)
{
	struct world *w = *state;
	struct error e = {};
	char *text = NULL;
	struct spec spec;
	struct plan plan;
	size_t size;
	FILE *out;

	reopen(w, FACTS_NO_SESSION);
	assert_int_equal(make(w, "good varies -m kprobe", &spec, &plan, &e), 0);
	plan.n_cpus = 2;
	assert_int_equal(plan.n_returns, 2);
	assert_int_equal(plan.probes[1].ways[0].end.calls, 4095);
	out = open_memstream(&text, &size);
	plan_print(&plan, out);
	fclose(out);
	assert_non_null(strstr(text,
			       "\nkretprobes: room for 4095 open calls of each function, up to "
			       "767.8 KiB of kernel memory for all\n"));
	free(text);
	plan_free(&plan);
	spec_free(&spec);
}

static void test_order(void **state)
{
	static const struct {
		enum facts_session session;
		const char *words, *reason, *methods;
	} rows[] = {
		{ FACTS_NO_SESSION, "good", "first choice", "fentry/fexit, kprobe/kretprobe" },
		{ FACTS_SESSION_VOID, "good", "first choice",
		  "fentry/fexit, kprobe session, kprobe/kretprobe" },
		{ FACTS_SESSION_VOID, "no_btf", "no BTF for fentry",
		  "kprobe session, kprobe/kretprobe" },
		{ FACTS_SESSION, "good", "first choice",
		  "fsession, fentry/fexit, kprobe session, kprobe/kretprobe" },
		{ FACTS_SESSION, "empty", "first choice", "fsession, fentry/fexit" },
		{ FACTS_SESSION, "good -m fentry", "asked for by --method", "fentry/fexit" },
		/* Stamps that lie with the calls are for pairing by task alone. */
		{ FACTS_SESSION, "good --key cpu", "first choice",
		  "fentry/fexit, kprobe/kretprobe" },
		{ FACTS_SESSION, "--start good --end yes", "first choice",
		  "function pair (fentry), function pair (kprobe)" },
	};
	struct error e = {};
	struct spec spec;
	struct plan plan;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		reopen(*state, rows[i].session);
		assert_int_equal(make(*state, rows[i].words, &spec, &plan, &e), 0);
		ways_are(&plan.probes[0], rows[i].reason, rows[i].methods);
		plan_free(&plan);
		/* What stays counts its calls in flight, which needs stamps in tasks. */
		spec.stays = true;
		assert_int_equal(plan_make(&plan, &spec, ((struct world *)*state)->facts, &e), 0);
		assert_int_not_equal(plan.probes[0].ways[0].start.type, PLAN_FSESSION);
		assert_int_not_equal(plan.probes[0].ways[0].start.type, PLAN_KPROBE_SESSION);
		plan_free(&plan);
		spec_free(&spec);
	}
}

/* Where tasks are preempted inside programs, what loses no call comes first. */
static void test_order_preempted(void **state)
{
#define NONE_LOST "it loses no call to the preemption of this kernel"
	static const struct {
		enum facts_session session;
		const char *words, *reason, *methods;
		bool risky;
	} rows[] = {
		{ FACTS_NO_SESSION, "good", NONE_LOST, "kprobe/kretprobe, fentry/fexit", false },
		{ FACTS_SESSION_VOID, "good", NONE_LOST,
		  "kprobe/kretprobe, fentry/fexit, kprobe session", false },
		{ FACTS_SESSION, "good", NONE_LOST,
		  "kprobe session, kprobe/kretprobe, fsession, fentry/fexit", false },
		{ FACTS_SESSION, "empty", "kprobes refuse this function", "fsession, fentry/fexit",
		  true },
		{ FACTS_SESSION, "good --key cpu", NONE_LOST, "kprobe/kretprobe, fentry/fexit",
		  false },
		{ FACTS_SESSION, "good -m fast", "asked for by --method fast",
		  "fsession, fentry/fexit, kprobe session, kprobe/kretprobe", true },
		{ FACTS_SESSION, "good -m fentry", "asked for by --method", "fentry/fexit", true },
		{ FACTS_SESSION_VOID, "good -m kprobe-session", "asked for by --method",
		  "kprobe session", true },
		{ FACTS_SESSION, "good -m kprobe-session", "asked for by --method",
		  "kprobe session", false },
		{ FACTS_SESSION, "--start good --end yes", NONE_LOST,
		  "function pair (kprobe), function pair (fentry)", false },
		{ FACTS_SESSION, "--start good --end yes -m fast", "asked for by --method fast",
		  "function pair (fentry), function pair (kprobe)", true },
	};
	struct world *w = *state;
	struct error e = {};
	const char *risk;
	struct spec spec;
	struct plan plan;
	size_t i;

	put_text(w, "/proc/sys/kernel/version", "#1 SMP PREEMPT_RT\n");
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		reopen(w, rows[i].session);
		assert_int_equal(make(w, rows[i].words, &spec, &plan, &e), 0);
		ways_are(&plan.probes[0], rows[i].reason, rows[i].methods);
		risk = plan_way_risk(&plan, &plan.probes[0].ways[0]);
		assert_int_equal(risk && strstr(risk, "share a CPU"), rows[i].risky);
		if (!rows[i].risky)
			assert_int_equal(risk != NULL, rows[i].session == FACTS_NO_SESSION);
		assert_int_equal(plan_has(&plan, FACTS_RUNS_SKIPPED_RETURN),
				 rows[i].session == FACTS_SESSION_VOID);
		assert_int_equal(plan_has(&plan, FACTS_COUNTS_KPROBES),
				 rows[i].session != FACTS_NO_SESSION);
		plan_free(&plan);
		/* What stays has no session method by itself, and is no less careful. */
		spec.stays = true;
		if (spec.method == SPEC_METHOD_AUTO) {
			assert_int_equal(plan_make(&plan, &spec, w->facts, &e), 0);
			assert_int_equal(plan.probes[0].ways[0].start.type,
					 rows[i].risky ? PLAN_FENTRY : PLAN_KPROBE);
			plan_free(&plan);
		}
		spec_free(&spec);
	}
}

/* Kernels that do not count what they skip: of kprobes we do, where their hits can be read. */
static void test_skips_counted(void **state)
{
	static const struct {
		enum facts_session session;
		const char *hits;
		const char *words;
		bool runs; /* programs count their runs */
		bool reads; /* hits of kprobes are read */
		const char *risk;
	} rows[] = {
		{ FACTS_NO_SESSION, NULL, "good -m kprobe", false, false,
		  "with kprobes are not counted" },
		{ FACTS_NO_SESSION, "hit", "good -m kprobe", false, false,
		  "with kprobes are not counted" },
		{ FACTS_NO_SESSION, "nhit", "good -m kprobe", true, true, NULL },
		{ FACTS_NO_SESSION, "nhit", "good", true, true, NULL },
		{ FACTS_NO_SESSION, "nhit", "good --gap", true, true, NULL },
		{ FACTS_NO_SESSION, "nhit", "good --gap -m kprobe", true, true,
		  "a gap may contain" },
		{ FACTS_SESSION, "nhit", "good --gap -m kprobe", false, false, NULL },
		{ FACTS_NO_SESSION, "nhit", "--start tp:tick --end tp:tick -m trace-event", true,
		  true, "with trace events are not counted" },
		{ FACTS_SESSION, "nhit", "good -m kprobe", false, false, NULL },
		{ FACTS_SESSION, "nhit", "--start tp:tick --end tp:tick -m trace-event", false,
		  true, NULL },
	};
	struct world *w = *state;
	struct error e = {};
	struct spec spec;
	struct plan plan;
	const char *risk;
	char line[128];
	size_t i;

	put_text(w, "/sys/kernel/tracing/available_events", "a:tick\n");
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		w->hits = rows[i].hits;
		reopen(w, rows[i].session);
		snprintf(line, sizeof(line), "%s", rows[i].words);
		assert_int_equal(make(w, line, &spec, &plan, &e), 0);
		assert_int_equal(plan.counts_runs, rows[i].runs);
		assert_int_equal(plan.reads_hits, rows[i].reads);
		risk = plan_way_risk(&plan, &plan.probes[0].ways[0]);
		assert_int_equal(risk != NULL, rows[i].risk != NULL);
		assert_true(!risk || strstr(risk, rows[i].risk));
		plan_free(&plan);
		spec_free(&spec);
	}
}

static void pair_is(struct world *w, const char *line, const char *reason, const char *methods,
		    bool risky)
{
	struct error e = {};
	struct spec spec;
	struct plan plan;
	const char *risk;

	assert_int_equal(make(w, line, &spec, &plan, &e), 0);
	ways_are(&plan.probes[0], reason, methods);
	risk = plan_way_risk(&plan, &plan.probes[0].ways[0]);
	assert_int_equal(risk && strstr(risk, "share a CPU"), risky);
	plan_free(&plan);
	spec_free(&spec);
}

/* tp_btf, or the trace event where tasks are preempted in the former. */
static void test_tracepoints(void **state)
{
#define BOTH "tracepoint pair (trace event), tracepoint pair (tp_btf)"
	static const struct {
		const char *version, *events, *words, *reason, *methods;
		bool risky;
	} rows[] = {
		{ "SMP", "a:tick\n", "", "first choice", "tracepoint pair (tp_btf)", false },
		{ "SMP", "a:tick\n", "-m trace-event", "asked for by --method",
		  "tracepoint pair (trace event)", false },
		{ "SMP", "a:tick\n", "-m tp_btf", "asked for by --method",
		  "tracepoint pair (tp_btf)", false },
		{ "PREEMPT_RT", "b:tock\na:tick\n", "", NONE_LOST, BOTH, false },
		{ "PREEMPT_RT", "a:tick", "--key cpu", NONE_LOST, BOTH, false },
		/* A method for functions leaves the choice. */
		{ "PREEMPT_RT", "a:tick\n", "-m kprobe", NONE_LOST, BOTH, false },
		{ "PREEMPT_RT", "a:tick\n", "-m trace-event", "asked for by --method",
		  "tracepoint pair (trace event)", false },
		{ "PREEMPT_RT", "a:tick\n", "-m tp_btf", "asked for by --method",
		  "tracepoint pair (tp_btf)", true },
		{ "PREEMPT_RT", "a:tick\n", "-m fast", "asked for by --method fast",
		  "tracepoint pair (tp_btf)", true },
		{ "PREEMPT_RT", "a:tick\n", "--key arg0",
		  "only tp_btf sees the arguments that --key needs", "tracepoint pair (tp_btf)",
		  true },
		{ "PREEMPT_RT", "a:tick\nb:tick\n", "",
		  "several trace events have the name of the tracepoint",
		  "tracepoint pair (tp_btf)", true },
		{ "PREEMPT_RT", "a:tick2\na:stick\ntick:a\n", "",
		  "the tracepoint has no trace event", "tracepoint pair (tp_btf)", true },
		{ "PREEMPT_RT", NULL, "", "the list of trace events in tracefs cannot be read",
		  "tracepoint pair (tp_btf)", true },
	};
	struct world *w = *state;
	char line[128];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_events(w, rows[i].version, rows[i].events);
		snprintf(line, sizeof(line), "--start tp:tick --end tp:tick %s", rows[i].words);
		pair_is(w, line, rows[i].reason, rows[i].methods, rows[i].risky);
	}
}

static void test_mixed(void **state)
{
#define MIXED(fn, tp) "function and tracepoint (" fn ", " tp ")"
	static const struct {
		const char *events, *words, *reason, *methods;
		bool risky;
	} rows[] = {
		{ "a:tick\n", "--start tp:tick --end good", NONE_LOST,
		  MIXED("kprobe", "trace event") ", " MIXED("kprobe", "tp_btf") ", " MIXED(
			  "fentry", "trace event") ", " MIXED("fentry", "tp_btf"),
		  false },
		{ "a:tock\n", "--start good --end tp:tick", "the tracepoint has no trace event",
		  MIXED("kprobe", "tp_btf") ", " MIXED("fentry", "tp_btf"), true },
		{ "a:tick\n", "--start good --end tp:tick -m fentry", "asked for by --method",
		  MIXED("fentry", "trace event") ", " MIXED("fentry", "tp_btf"), true },
		{ "a:tick\n", "--start good --end tp:tick -m trace-event", "asked for by --method",
		  MIXED("kprobe", "trace event") ", " MIXED("fentry", "trace event"), false },
		{ "a:tick\n", "--start good --end tp:tick -m fast", "asked for by --method fast",
		  MIXED("fentry", "tp_btf") ", " MIXED("kprobe", "tp_btf"), true },
	};
	struct world *w = *state;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_events(w, "PREEMPT_RT", rows[i].events);
		pair_is(w, rows[i].words, rows[i].reason, rows[i].methods, rows[i].risky);
	}
}

static void test_trace_event_refused(void **state)
{
	struct world *w = *state;

	refused(w, "good -m trace-event", -EINVAL, "no point is one");
	refused(w, "--start good --end yes -m tp_btf", -EINVAL, "no point is one");
	refused(w, "--start tp:tick --end tp:tick -m trace-event --key arg0", -EINVAL,
		"do not see the arguments");
	put_events(w, "PREEMPT_RT", "a:tock\n");
	refused(w, "--start tp:tick --end good -m trace-event", -EOPNOTSUPP, "has no trace event");
}

/* Ends without a start count unless a key that has no value may have left the start out. */
static void test_keys_that_fail(void **state)
{
	static const struct {
		const char *line;
		bool may_fail;
	} cases[] = {
		{ "good --by a", false },
		{ "good --by b,a%3", false },
		{ "good --by a,comm", false },
		{ "good --by a,comm==\"sh\"", false },
		{ "good --by a,cpu", false },
		{ "good --by 3%a", true },
		{ "good --by a,3/ret", true },
		{ "good --by a,(char*)b", true },
		{ "good --by a,(char*)b==\"sh\"", true },
		{ "good --by ((struct\ttracepoint*)b)->ext", true },
	};
	struct spec spec;
	struct plan plan;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		must_make(*state, cases[i].line, &spec, &plan);
		if (plan.by.may_fail != cases[i].may_fail)
			fail_msg("%s: %d", cases[i].line, plan.by.may_fail);
		plan_free(&plan);
		spec_free(&spec);
	}
}

static void not_direct(struct facts_function fn, const char *why)
{
	struct error e = {};

	assert_int_not_equal(plan_check_direct(&fn, &e), 0);
	assert_non_null(strstr(e.why, why));
}

static void test_direct_function(void **state)
{
	struct facts_function fn = {
		.module = "", .name = "f", .btf_id = 1, .seen_by_ftrace = 1, .n_args = 6
	};

	assert_int_equal(plan_check_direct(&fn, NULL), 0);
	fn.args[5].bytes = 8;
	assert_int_equal(plan_check_direct(&fn, NULL), 0);
	fn.args[5].bytes = 9;
	not_direct(fn, "may be on the stack");
	fn.args[5].bytes = 0;
	fn.ret.type = FACTS_OTHER;
	not_direct(fn, "returns a structure");
	fn.ret.type = FACTS_UNKNOWN;
	fn.n_args = 7;
	not_direct(fn, "takes arguments on the stack");
	fn.n_args = 0;
	fn.noreturn = true;
	not_direct(fn, "never returns");
	fn.noreturn = false;
	fn.seen_by_ftrace = 0;
	not_direct(fn, "notrace");
}

static void test_direct_refused(void **state)
{
	struct world *w = *state;

	refused(w, "good -m direct -t 1", -EINVAL, "process, command and CPU only");
	refused(w, "good -m direct --comm sh", -EINVAL, "process, command and CPU only");
	refused(w, "good -m direct -c /", -EINVAL, "process, command and CPU only");
	refused(w, "good -m direct -p 1 -- true", -EINVAL, "not by both");
	refused(w, "good -m direct -C 1 --limit overhead=1", -EINVAL, "does not count what");
	refused(w, "good -m direct -p 1 -a -- true", -ENOENT, "not loaded");
	refused(w, "good -m direct -C 1 -- true", -ENOENT, "not loaded");
	refused(w, "good -m direct --limit overhead=1", -ENOENT, "not loaded");
}

static void test_direct_plan(void **state)
{
	struct world *w = *state;
	struct plan plan;
	struct spec spec;
	char text[256];

	put_text(w, "/sys/kernel/btf/kstats", "");
	must_make(w, "good -m direct", &spec, &plan);
	assert_string_equal(plan.probes[0].reason, "a stub of the module, asked for by --method");
	assert_string_equal(plan_pairing(&spec, text, sizeof(text)), "by call");
	plan_free(&plan);
	spec_free(&spec);
	put_text(w, "/sys/module/kstats/parameters/direct_free", "2\n");
	must_make(w, "good yes -m direct", &spec, &plan);
	plan_free(&plan);
	spec_free(&spec);
	put_text(w, "/sys/module/kstats/parameters/direct_free", "1\n");
	refused(w, "good yes -m direct", -ENOSPC, "it has 64, and 1 is free");
	assert_non_null(strstr(plan_preemption(true, "x", FACTS_NO_SESSION, text, sizeof(text)),
			       ": kprobe, direct (needs the module kstats); for tracepoints"));
}

static void test_event_id(void **state)
{
	struct world *w = *state;

	assert_int_equal(facts_event_id(w->root, "tick"), -ENOENT);
	put_events(w, "SMP", "b:tock\na:tick\n");
	assert_int_equal(facts_event_id(w->root, "tick"), -ENOENT);
	put_text(w, "/sys/kernel/tracing/events/a/tick/id", "317\n");
	assert_int_equal(facts_event_id(w->root, "tick"), 317);
	assert_int_equal(facts_event_id(w->root, "ick"), -ENOENT);
	put_events(w, "SMP", "b:tick\na:tick\n");
	assert_int_equal(facts_event_id(w->root, "tick"), -ENOTUNIQ);
}

/* Kernels that switch preemption off at tracepoints are known by a member. */
static void test_tracepoints_stay(void **state)
{
	struct world *w = *state;

	put_events(w, "PREEMPT_RT", "a:tick\n");
	assert_true(facts_tp_preempts(w->facts));
	assert_string_equal(plan_tracepoint_method(w->facts, "tick"), "trace event");
	assert_string_equal(plan_tracepoint_method(w->facts, "tock"), "tp_btf");
	w->regfunc = true;
	reopen(w, FACTS_NO_SESSION);
	assert_true(facts_preempts(w->facts));
	assert_false(facts_tp_preempts(w->facts));
	assert_string_equal(plan_tracepoint_method(w->facts, "tick"), "tp_btf");
	pair_is(w, "--start tp:tick --end tp:tick", "first choice", "tracepoint pair (tp_btf)",
		false);
	pair_is(w, "--start good --end tp:tick", NONE_LOST,
		MIXED("kprobe", "tp_btf") ", " MIXED("fentry", "tp_btf"), false);
	put_events(w, "SMP", "a:tick\n");
	assert_false(facts_tp_preempts(w->facts));
}

static void test_ftrace_off(void **state)
{
	struct error e = {};
	struct spec spec;
	struct plan plan;

	put_text(*state, "/proc/sys/kernel/ftrace_enabled", "0\n");
	refused(*state, "good", -EOPNOTSUPP, "ftrace is off");
	refused(*state, "good -m kprobe", -EOPNOTSUPP, "ftrace is off");
	refused(*state, "--start tp:tick --end good", -EOPNOTSUPP, "ftrace is off");
	assert_int_equal(make(*state, "--start tp:tick --end tp:tick", &spec, &plan, &e), 0);
	plan_free(&plan);
	spec_free(&spec);
	put_text(*state, "/proc/sys/kernel/ftrace_enabled", "1\n");
	assert_int_equal(make(*state, "good", &spec, &plan, &e), 0);
	plan_free(&plan);
	spec_free(&spec);
}

/* What the verb list tells is what a plan takes first. */
static void test_first(void **state)
{
	static const struct {
		const char *version;
		enum facts_session session;
		const char *name, *method;
	} rows[] = {
		{ "SMP", FACTS_NO_SESSION, "good", "fentry/fexit" },
		{ "SMP", FACTS_SESSION_VOID, "good", "fentry/fexit" },
		{ "SMP", FACTS_SESSION, "good", "fsession" },
		{ "SMP", FACTS_NO_SESSION, "no_btf", "kprobe/kretprobe" },
		{ "SMP", FACTS_SESSION, "no_btf", "kprobe session" },
		{ "SMP", FACTS_SESSION, "empty", "fsession" },
		{ "SMP", FACTS_SESSION, "no_btf_no_kprobe", NULL },
		{ "SMP PREEMPT_RT", FACTS_NO_SESSION, "good", "kprobe/kretprobe" },
		{ "SMP PREEMPT_RT", FACTS_SESSION_VOID, "good", "kprobe/kretprobe" },
		{ "SMP PREEMPT_RT", FACTS_SESSION, "good", "kprobe session" },
		{ "SMP PREEMPT_RT", FACTS_SESSION, "empty", "fsession" },
		{ "SMP", FACTS_NO_SESSION, "varies", "kprobe/kretprobe" },
		{ "SMP", FACTS_SESSION, "varies", "kprobe session" },
		{ "SMP", FACTS_SESSION, "varies_barred", NULL },
	};
	struct world *w = *state;
	struct facts_function fn;
	struct error e = {};
	const char *got;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_text(w, "/proc/sys/kernel/version", rows[i].version);
		reopen(w, rows[i].session);
		assert_int_equal(facts_find_function(w->facts, "", rows[i].name, &fn, &e), 0);
		assert_int_equal(fn.varargs, !strncmp(rows[i].name, "varies", 4));
		assert_int_equal(fn.n_args, fn.varargs ? 1U : fn.n_args);
		got = plan_first_method(w->facts, &fn, 0);
		assert_string_equal(got ? got : "none", rows[i].method ? rows[i].method : "none");
		got = plan_first_method(w->facts, &fn, 1U << SPEC_METHOD_FENTRY);
		assert_true(!got || strcmp(got, "fentry/fexit"));
		assert_null(plan_first_method(w->facts, &fn, ~0U));
	}
}

/* From 33 functions on, those that one link can take go by it first. */
static void test_many(void **state)
{
	char list[1024] = "good\nempty\n";
	struct error e = {};
	struct spec spec;
	struct plan plan;
	unsigned int i;

	for (i = 0; i < PLAN_MANY; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "many_%02u\n", i);
	put_text(*state, "/sys/kernel/tracing/available_filter_functions", list);
	reopen(*state, FACTS_SESSION);
	assert_int_equal(make(*state, "good many_*", &spec, &plan, &e), 0);
	assert_int_equal(plan.n_calls, PLAN_MANY + 1);
	ways_are(&plan.probes[0], "one link hooks many functions at once",
		 "kprobe session, fsession, fentry/fexit, kprobe/kretprobe");
	plan_free(&plan);
	spec_free(&spec);
	assert_int_equal(make(*state, "empty many_*", &spec, &plan, &e), 0);
	ways_are(&plan.probes[0], "first choice", "fsession, fentry/fexit");
	ways_are(&plan.probes[1], "one link hooks many functions at once",
		 "kprobe session, kprobe/kretprobe");
	plan_free(&plan);
	spec_free(&spec);
	assert_int_equal(make(*state, "many_*", &spec, &plan, &e), 0);
	ways_are(&plan.probes[0], "no BTF for fentry", "kprobe session, kprobe/kretprobe");
	plan_free(&plan);
	spec_free(&spec);
	/* By one link only where that loses nothing. */
	put_text(*state, "/proc/sys/kernel/version", "#1 SMP PREEMPT_RT\n");
	reopen(*state, FACTS_SESSION);
	assert_int_equal(make(*state, "good many_*", &spec, &plan, &e), 0);
	ways_are(&plan.probes[0], "one link hooks many functions at once",
		 "kprobe session, kprobe/kretprobe, fsession, fentry/fexit");
	plan_free(&plan);
	spec_free(&spec);
	reopen(*state, FACTS_SESSION_VOID);
	assert_int_equal(make(*state, "good many_*", &spec, &plan, &e), 0);
	ways_are(&plan.probes[0], NONE_LOST, "kprobe/kretprobe, kprobe session, fentry/fexit");
	plan_free(&plan);
	spec_free(&spec);
}

/* Without --limit functions more are taken where one link hooks them all. */
static void test_most(void **state)
{
	const struct {
		const char *version, *words;
		enum facts_session session;
		bool taken;
	} rows[] = {
		{ "#1 SMP\n", "many_*", FACTS_SESSION, true },
		{ "#1 SMP\n", "many_* -m fast", FACTS_SESSION, true },
		{ "#1 SMP\n", "many_* -m kprobe", FACTS_SESSION, false },
		{ "#1 SMP\n", "many_* --key cpu", FACTS_SESSION, false },
		{ "#1 SMP\n", "many_*", FACTS_NO_SESSION, false },
		{ "#1 SMP PREEMPT_RT\n", "many_*", FACTS_SESSION, true },
		{ "#1 SMP PREEMPT_RT\n", "many_*", FACTS_SESSION_VOID, false },
		{ "#1 SMP PREEMPT_RT\n", "many_* -m kprobe-session", FACTS_SESSION_VOID, true },
		{ "#1 SMP\n", "many_* --limit functions=64", FACTS_SESSION, false },
	};
	char list[1024] = "";
	unsigned int i;

	for (i = 0; i <= PLAN_FUNCTIONS_MAX; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "many_%02u\n", i);
	put_text(*state, "/sys/kernel/tracing/available_filter_functions", list);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct error e = {};
		struct spec spec;
		struct plan plan;

		put_text(*state, "/proc/sys/kernel/version", rows[i].version);
		reopen(*state, rows[i].session);
		assert_int_equal(make(*state, rows[i].words, &spec, &plan, &e),
				 rows[i].taken ? 0 : -E2BIG);
		if (!rows[i].taken)
			assert_string_equal(e.why, "they name 65 functions and the limit is 64");
		plan_free(&plan);
		spec_free(&spec);
	}
}

static void test_pair(void **state)
{
	struct error e = {};
	struct spec spec;
	struct plan plan;

	assert_int_equal(make(*state, "--start good --end tp:tick --key arg0", &spec, &plan, &e),
			 0);
	assert_true(plan.is_pair);
	assert_string_equal(plan.nodes[0].name, "good..tick");
	assert_int_equal(plan.probes[0].n_ways, 2);
	assert_int_equal(plan.probes[0].ways[0].start.type, PLAN_FENTRY);
	assert_int_equal(plan.probes[0].ways[0].end.type, PLAN_TP_BTF);
	assert_int_equal(plan.probes[0].ways[0].start.word >> KSTATS_HOOK_KEY_SHIFT & 0xff, 8);
	assert_int_equal(plan.probes[0].ways[0].end.word >> KSTATS_HOOK_KEY_SHIFT & 0xff, 4);
	assert_int_equal(plan.probes[0].ways[1].start.type, PLAN_KPROBE);
	plan_free(&plan);
	spec_free(&spec);
	/* No method was chosen where there is no choice. */
	assert_int_equal(make(*state, "--start tp:tick --end tp:tick -m kprobe", &spec, &plan, &e),
			 0);
	assert_string_equal(plan.probes[0].reason, "first choice");
	plan_free(&plan);
	spec_free(&spec);
}

/* A condition stands before both programs of a call, or before neither. */
static void test_gates(void **state)
{
	static const struct {
		const char *line;
		bool is_gate;
	} cases[] = {
		{ "good --if a>5", true },
		{ "good --if b", true },
		{ "good --if a%3==1&&!b", true },
		{ "good --if a>5&&ret<0", true },
		{ "good --if a>5||pid==7", true },
		{ "good --if a>5 --key cpu", true },
		{ "good --if a>5 -m fsession", true },
		{ "good --value a --if a>5", true },
		{ "tp:tick --value arg0 --if arg0>5", true },
		{ "good --value a --if a>cpu", true },
		{ "good --value a --if comm=='sh'", true },
		{ "good --value a --if 3%a", false },
		{ "good --if 3%a", false },
		{ "good --if a>cpu", false },
		/* A thread that calls exec() takes the number of the first one. */
		{ "good --if tid==7", false },
		/* The kernel gives the return no parameters, or the points are two. */
		{ "good --if a>5 -m kprobe", false },
		{ "good --value a --if a>5 -m kprobe", false },
		{ "--start good --end yes --if a>5", false },
		/* Calls that are left out are counted. */
		{ "good --if a>5 --limit overhead=1", false },
	};
	const struct plan_way *way;
	struct spec spec;
	struct plan plan;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		must_make(*state, cases[i].line, &spec, &plan);
		way = &plan.probes[0].ways[0];
		if ((way->start.gate.n > 0) != cases[i].is_gate ||
		    (!plan_is_point(&plan) && (way->end.gate.n > 0) != cases[i].is_gate))
			fail_msg("%s: %d, %d", cases[i].line, way->start.gate.n, way->end.gate.n);
		/* A value is asked there as well. */
		assert_int_equal(way->start.if_start.n > 0, !cases[i].is_gate || spec.value);
		plan_free(&plan);
		spec_free(&spec);
	}
}

/* Parts of conditions that the programs compare by themselves, and what is left of the rest. */
static void test_quick(void **state)
{
	static const struct {
		const char *words;
		uint64_t min_ns;
		enum kstats_ret_op op;
		int64_t value;
		bool rest; /* something at the return is code of its own */
	} rows[] = {
		{ "good --if ret<0", 0, KSTATS_RET_LT, 0, false },
		{ "good --if 0<ret", 0, KSTATS_RET_GT, 0, false },
		{ "good --if ret==-EIO&&a", 0, KSTATS_RET_EQ, -EIO, false },
		{ "good --if ret<=-5&&ret!=-7", 0, KSTATS_RET_LE, -5, true },
		{ "good --if ret>=4KiB&&duration>10us", 10001, KSTATS_RET_GE, 4096, false },
		{ "good --if duration>=1.5ms&&2us<duration", 1500000, KSTATS_RET_ANY, 0, false },
		{ "good --if ret<0||duration>1s", 0, KSTATS_RET_ANY, 0, true },
		{ "good --if ret", 0, KSTATS_RET_ANY, 0, true },
		{ "good --if duration<1s", 0, KSTATS_RET_ANY, 0, true },
		{ "good --if duration>-1", 0, KSTATS_RET_ANY, 0, true },
		{ "good --if ret<0 --value ret", 0, KSTATS_RET_ANY, 0, true },
		/* C converts -1 to the type of the value, the programs do not. */
		{ "yes --if ret>-1", 0, KSTATS_RET_ANY, 0, true },
		{ "yes --if ret==1", 0, KSTATS_RET_EQ, 1, false },
		{ "good yes --if ret>-1", 0, KSTATS_RET_ANY, 0, true },
		{ "--start good --end yes --if duration>1us", 1001, KSTATS_RET_ANY, 0, false },
	};
	struct error e = {};
	struct spec spec;
	struct plan plan;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(make(*state, rows[i].words, &spec, &plan, &e), 0);
		assert_int_equal(plan.quick.min_ns, rows[i].min_ns);
		assert_int_equal(plan.quick.ret_op, rows[i].op);
		assert_int_equal(plan.quick.ret_value, rows[i].value);
		assert_int_equal(!!plan.probes[0].ways[0].end.if_end.n ||
					 !!plan.probes[0].ways[0].start.if_end.n ||
					 (spec.value && plan.probes[0].ways[0].start.if_start.n),
				 rows[i].rest);
		plan_free(&plan);
		spec_free(&spec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ways, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nodes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_little_room, setup, teardown),
		cmocka_unit_test_setup_teardown(test_room_told, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unverified, setup, teardown),
		cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_vias, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_backend, setup, teardown),
		cmocka_unit_test_setup_teardown(test_user_session, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fsession, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kprobe_session, setup, teardown),
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_order_preempted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_skips_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tracepoints, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mixed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_trace_event_refused, setup, teardown),
		cmocka_unit_test(test_direct_function),
		cmocka_unit_test_setup_teardown(test_direct_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_direct_plan, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tracepoints_stay, setup, teardown),
		cmocka_unit_test_setup_teardown(test_event_id, setup, teardown),
		cmocka_unit_test_setup_teardown(test_first, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ftrace_off, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many, setup, teardown),
		cmocka_unit_test_setup_teardown(test_most, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pair, setup, teardown),
		cmocka_unit_test_setup_teardown(test_gates, setup, teardown),
		cmocka_unit_test_setup_teardown(test_quick, setup, teardown),
		cmocka_unit_test_setup_teardown(test_keys_that_fail, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
