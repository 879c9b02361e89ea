// SPDX-License-Identifier: GPL-2.0-only
/* doctor.c - the verb `doctor`: what is allowed here, and what to do. */
#include "cmd/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "calibrate/calibrate.h"
#include "facts/facts.h"
#include "plan/plan.h"
#include "hook/probe.h"
#include "session/session.h"
#include "ui/nodes.h"
#include "util/file.h"
#include "util/json.h"
#include "util/options.h"
#include "util/refusal.h"
#include "util/safe_str.h"
#include "util/units.h"
#include "util/text.h"
#include "ui/output.h"

enum answer {
	NO,
	YES,
	UNKNOWN,
	FACT, /* neither good nor bad */
};

struct doctor {
	bool json;
	bool can_trace;
	char holders[256]; /* names of nodes that keep the module; as many as have room */
	unsigned int n_holders;
	unsigned int n_untold; /* those that have none */
};

/* A function in a stub of the module. */
struct stub {
	char name[128];
	uint64_t started;
	uint64_t ended;
	char state[32]; /* as the module says it */
};

static const char *const answers[] = { "no", "ok", "unknown", "-" };

#define OPTIONS_OF struct doctor

static const struct option_row doctor_options[] = {
	{ "json", 0, NULL, "Options", "print one JSON object on each line", OPTION_FLAG(json) },
	{},
};

static const struct verb_help doctor_help = {
	.usage = "doctor [options]",
	.about = "Show what this kernel, this user and the security policy allow. It loads small\n"
		 "programs to find out. The exit status is 4 if nothing can be measured.",
	.examples = "  sudo kstats-bpf doctor\n  kstats-bpf doctor --json\n",
};

/* On a terminal, what does not fit goes to further lines; else a line is a line. */
static void doctor_print_line(const char *what, const char *answer, const char *detail,
			      const char *next)
{
	struct text_flow flow = { .out = stdout, .width = UINT_MAX, .indent = 32 };
	char text[384];

	if (isatty(STDOUT_FILENO))
		flow.width = output_columns(stdout);
	flow.column = printf("%-22s %-8s ", what, answer);
	snprintf(text, sizeof(text), "%s%s", detail, next ? ";" : "");
	text_flow_words(&flow, text);
	text_flow_words(&flow, next);
	putchar('\n');
}

static void say(const struct doctor *d, const char *what, enum answer a, const char *detail,
		const char *next)
{
	struct json_object *o;

	if (!d->json) {
		doctor_print_line(what, answers[a], detail, next);
		return;
	}
	o = json_object_new_object();
	json_add_text(o, "what", what);
	json_add_text(o, "answer", answers[a]);
	json_add_text(o, "detail", detail);
	json_add_known(o, "next", next);
	json_write_line(o, stdout);
	json_object_put(o);
}

/* ---- facts ---- */

/*
 * No kernel up to 7.3 offers programs a cheaper clock of that resolution. Reading it takes from
 * 20 ns to a microsecond, depending on the clock source.
 */
static void tell_clock(const struct doctor *d, const struct facts *facts)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "jiffies", "pit" };
	char clock[FACTS_CLOCK], text[128];
	bool is_slow = false;
	size_t i;

	facts_clock(facts, clock);
	if (!clock[0]) {
		say(d, "clock", UNKNOWN, "the kernel does not tell its clock source", NULL);
		return;
	}
	for (i = 0; i < sizeof(slow) / sizeof(*slow); i++)
		is_slow |= !strcmp(clock, slow[i]);
	snprintf(text, sizeof(text), "monotonic, read from %s%s", clock,
		 is_slow ? ", which takes long" : "");
	say(d, "clock", is_slow ? NO : YES, text,
	    is_slow ? "see in dmesg why the kernel gave up tsc" : NULL);
}

static void tell_preemption(const struct doctor *d, const struct facts *facts)
{
	char text[256];

	say(d, "preemption", FACT,
	    plan_preemption(facts_preempts(facts), facts_preempts_why(facts), facts_session(facts),
			    text, sizeof(text)),
	    NULL);
}

static void tell_kernel(const struct doctor *d)
{
	struct facts *facts;
	struct utsname uts;
	struct error e = {};

	uname(&uts);
	say(d, "kernel", FACT, uts.release, NULL);
	facts = facts_open("/", &e);
	say(d, "BTF", facts ? YES : NO, facts ? "the kernel describes its types" : e.why,
	    facts ? NULL : e.next);
	if (facts) {
		tell_clock(d, facts);
		tell_preemption(d, facts);
	}
	facts_close(facts);
}

static void tell_caps(const struct doctor *d)
{
	bool admin = refusal_has_cap(CAP_SYS_ADMIN);
	bool may = refusal_may_load();

	if (refusal_in_user_namespace()) {
		say(d, "privileges", NO, "those of a user namespace do not count for BPF",
		    "run it outside of the container, or in one that root started");
		return;
	}
	say(d, "privileges", may ? YES : NO,
	    admin ? "CAP_SYS_ADMIN"
	    : may ? "CAP_BPF and CAP_PERFMON; functions of modules need CAP_SYS_ADMIN"
		  : "neither CAP_SYS_ADMIN nor CAP_BPF with CAP_PERFMON",
	    may ? NULL : "run it with sudo");
}

static void tell_policy(const struct doctor *d)
{
	char text[256];

	if (!file_first_line("", "/proc/sys/kernel/unprivileged_bpf_disabled", text, sizeof(text)))
		say(d, "unprivileged BPF", FACT, strcmp(text, "0") ? "disabled" : "enabled", NULL);
	if (!file_first_line("", "/sys/kernel/security/lockdown", text, sizeof(text)))
		say(d, "lockdown", strstr(text, "[none]") ? YES : NO, text,
		    strstr(text, "[none]") ? NULL : "boot without secure boot or lockdown=");
	else
		say(d, "lockdown", FACT, "not there, or not readable", NULL);
	if (!file_first_line("", "/sys/kernel/security/lsm", text, sizeof(text)))
		say(d, "security modules", FACT, text, NULL);
}

static void tell_mount(const struct doctor *d, const char *what, const char *path, long magic,
		       const char *good, const char *next)
{
	struct statfs st;
	bool there = !statfs(path, &st) && st.f_type == magic;

	say(d, what, there ? YES : NO, there ? good : "not mounted", there ? NULL : next);
}

static void tell_switch(const struct doctor *d, const char *what, const char *path,
			const char *next)
{
	char text[64];

	if (file_first_line("", path, text, sizeof(text)))
		say(d, what, UNKNOWN,
		    geteuid() ? "the kernel has no such switch, or root is needed"
			      : "the kernel has no such switch",
		    NULL);
	else
		say(d, what, strcmp(text, "0") ? YES : NO,
		    strcmp(text, "0") ? "enabled" : "disabled", strcmp(text, "0") ? NULL : next);
}

/* ---- probes ---- */

struct probe_row {
	const char *what;
	enum plan_hook_type type; /* used if there is no @run */
	int (*run)(char *why, size_t size);
	const char *good;
	const char *next;
	bool enough; /* something can be measured with this one alone */
};

static const struct probe_row probes[] = {
	{ "tp_btf", PLAN_TP_BTF, NULL, "tracepoint pairs can be measured", NULL, true },
	{ "trace event", PLAN_TRACE_EVENT, NULL,
	  "tracepoint pairs can be measured without a loss to preemption",
	  "mount -t tracefs none /sys/kernel/tracing", true },
	{ "fentry/fexit", PLAN_FENTRY, NULL, "functions can be measured with the least overhead",
	  "kprobes are tried instead", true },
	{ "fsession", PLAN_FSESSION, NULL,
	  "functions can be measured with the start kept in the call",
	  "fentry/fexit and kprobes are used instead", true },
	{ "kprobe session", PLAN_KPROBE_SESSION, NULL,
	  "hundreds of functions can be hooked at once", "functions are hooked one by one instead",
	  true },
	{ "kprobe/kretprobe", PLAN_KPROBE, NULL, "functions can be measured where fentry cannot",
	  NULL, true },
	{ "uprobe session", PLAN_UPROBE_SESSION, NULL,
	  "functions of programs can be measured with the start kept in the call",
	  "uprobe multi or uprobes are used instead", true },
	{ "uprobe multi", PLAN_UPROBE_MULTI, NULL, "one link hooks all places of a static probe",
	  "uprobes are used instead", true },
	{ "uprobe/uretprobe", PLAN_UPROBE, NULL, "functions of programs can be measured", NULL,
	  true },
	{ "task iterator", 0, probe_task_iter, "a command can be followed", "use --all, or --comm",
	  false },
	{ "module kstats", 0, probe_kmod, "slots can be kept in it",
	  "the map backend is used instead", false },
	{ "direct", PLAN_DIRECT, NULL, "functions can be measured by stubs, with -m direct", NULL,
	  false },
};

static void run_probes(struct doctor *d)
{
	const struct probe_row *row;
	char why[256];
	int err;

	for (row = probes; row < probes + sizeof(probes) / sizeof(*probes); row++) {
		err = row->run ? row->run(why, sizeof(why))
			       : probe_type(row->type, why, sizeof(why));
		/* Without the privileges no other step helps. */
		say(d, row->what, err ? NO : YES, err ? why : row->good,
		    err && refusal_may_load() ? row->next : NULL);
		if (!err && row->enough)
			d->can_trace = true;
	}
}

/* Loads and attaches what a trace of these words would; nothing is recorded. */
static int load_real(struct facts *facts, const char *const *words, struct error *e)
{
	struct session *s = NULL;
	char *argv[8] = {};
	struct spec spec;
	struct plan plan = {};
	int n, err;

	for (n = 0; words[n]; n++)
		argv[n] = (char *)words[n];
	err = spec_parse_trace(&spec, n, argv, e);
	if (!err)
		err = plan_make(&plan, &spec, facts, e);
	if (!err) {
		s = session_open(&plan, e);
		err = s ? 0 : e->err;
	}
	session_close(s);
	plan_free(&plan);
	spec_free(&spec);
	return err;
}

/*
 * The programs of a trace need more of the kernel than those of the probes: below 6.1 the small
 * ones load, and no trace does.
 */
static void run_real(struct doctor *d)
{
	static const char *const each[][4] = {
		{ "trace", "--start=tp:sched:sched_process_exec",
		  "--end=tp:sched:sched_process_exit" },
		{ "trace", "kernel_restart" },
		{ "trace", "u:/proc/self/exe:calibrate_on_nop" },
	};
	struct error e = {}, first = {};
	struct facts *facts = facts_open("/", &first);
	char text[sizeof(first.what) + sizeof(first.why) + 2];
	size_t i;

	d->can_trace = false;
	for (i = 0; facts && !d->can_trace && i < sizeof(each) / sizeof(*each); i++) {
		d->can_trace = !load_real(facts, each[i], &e);
		if (!i)
			first = e;
	}
	facts_close(facts);
	snprintf(text, sizeof(text), "%s%s%s", first.what, first.why[0] ? ": " : "", first.why);
	say(d, "measurement", d->can_trace ? YES : NO,
	    d->can_trace ? "the programs of a trace were loaded and attached" : text,
	    d->can_trace ? NULL : "use Linux 6.1 or later, where it is older");
}

/* A line of the module's list: FUNCTION [MODULE] STARTED ENDED STATE. */
static bool read_stub(const char *line, struct stub *stub)
{
	const char *module = strchr(line, ']');
	const char *counts = module ? module + 1 : line + strcspn(line, " ");

	return sscanf(line, "%127s", stub->name) == 1 &&
	       sscanf(counts, "%" SCNu64 " %" SCNu64 " %31s", &stub->started, &stub->ended,
		      stub->state) == 3;
}

/* One that does not measure any more: its calls return into it. */
static void tell_left(const struct doctor *d, const struct stub *stub)
{
	uint64_t open = stub->started - stub->ended;
	char text[256];

	snprintf(text, sizeof(text), "%s %s, %" PRIu64 " call%s open", stub->name, stub->state,
		 open, units_plural(open));
	say(d, "stubs in use", FACT, text,
	    open ? "the module stays until they end; "
		   "'grep -l direct_stub /proc/[0-9]*/task/*/stack' finds their tasks"
		 : "the module stays until its trace ends or its node is removed");
}

/* They keep the module, also when the program that attached them has ended. */
static void tell_stubs(const struct doctor *d)
{
	FILE *in = fopen("/sys/module/" KSTATS_MODULE "/parameters/direct", "re");
	char line[256], text[256] = "";
	struct stub stub;
	size_t n = 0;

	while (in && fgets(line, sizeof(line), in)) {
		if (!read_stub(line, &stub))
			continue;
		if (strcmp(stub.state, "attached"))
			tell_left(d, &stub);
		else if (n < sizeof(text))
			n += snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "attached to ",
				      stub.name);
	}
	if (in)
		fclose(in);
	if (n)
		say(d, "stubs in use", FACT, text,
		    "the module stays until their traces end and their nodes are removed");
}

/* Its programs use the module, also while it is stopped. */
static bool holds_module(const struct snapshot *about)
{
	uint32_t i;

	for (i = 0; i < about->n_nodes; i++)
		if (!strncmp(about->nodes[i].method, "direct", strlen("direct")))
			return true;
	return !strcmp(about->backend, "kmod");
}

static void add_holder(struct doctor *d, const char *name)
{
	size_t used = strlen(d->holders), room = sizeof(d->holders) - used;
	char safe[280];
	int n = snprintf(d->holders + used, room, "%s%s", used ? ", " : "",
			 safe_str(safe, sizeof(safe), name));

	d->n_holders++;
	if ((size_t)n < room)
		return;
	d->holders[used] = '\0';
	d->n_untold++;
}

/* A node that cannot be read has a verb that says so. */
static void doctor_tell_node(struct doctor *d, struct node_root *root, const char *name)
{
	struct error e = {};
	struct node *n = node_open(root, name, NODE_LIST, &e);
	struct node_status st;
	char what[300], safe[280];
	bool known = n && !node_look(n, &st, &e);

	if (known && st.running && st.lost) {
		snprintf(what, sizeof(what), "node %s", safe_str(safe, sizeof(safe), name));
		say(d, what, NO, st.lost, "remove it, and add it again");
	}
	if (known && holds_module(st.about))
		add_holder(d, name);
	node_close(n);
}

/* rmmod can only say that the module is in use. */
static void tell_holders(const struct doctor *d)
{
	char text[sizeof(d->holders) + 64], more[32] = "";

	if (!d->n_holders)
		return;
	if (d->n_untold)
		snprintf(more, sizeof(more), " and %u more", d->n_untold);
	snprintf(text, sizeof(text), "in use by the node%s %s%s", units_plural(d->n_holders),
		 d->holders, more);
	say(d, "module kstats", FACT, text,
	    "rmmod refuses until 'kstats-bpf node rm' has removed them");
}

/* Nodes of which something is not measured any more, though they run; and what keeps the module. */
static void tell_nodes(struct doctor *d)
{
	struct nodes nodes = { .root.fd = -1, .all = true };
	struct error e = {};
	int i;

	if (!nodes_find(&nodes, NULL, 0, &e))
		for (i = 0; i < nodes.n; i++)
			doctor_tell_node(d, &nodes.root, nodes.names[i]);
	nodes_close(&nodes);
	tell_holders(d);
}

static void tell_calibration(const struct doctor *d)
{
	struct costs c = {};
	struct error e = {};
	char text[96];
	int err = calibrate_load(&calibrate_here, &c, &e);

	snprintf(text, sizeof(text), "known for %zu combination%s of method, backend and pairing",
		 c.n, units_plural(c.n));
	if (!err)
		say(d, "calibration", YES, text, NULL);
	else
		say(d, "calibration", err == -ENOENT ? FACT : NO,
		    err == -ENOENT ? "floor and overhead are not known" : e.why,
		    "run 'kstats-bpf calibrate'");
	costs_free(&c);
}

static int doctor_run(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct doctor d = {};
	int first, err;

	err = options_parse(v->options, &d, argc, argv, &first, e);
	if (!err && first < argc)
		err = error_set(e, EXIT_USAGE, -EINVAL, "doctor takes no other words",
				"see 'kstats-bpf doctor --help'", "cannot use '%s'", argv[first]);
	if (err)
		return err;
	tell_kernel(&d);
	tell_caps(&d);
	tell_policy(&d);
	tell_mount(&d, "tracefs", "/sys/kernel/tracing", TRACEFS_MAGIC,
		   "the list of functions that ftrace can hook is there",
		   "mount -t tracefs none /sys/kernel/tracing");
	tell_switch(&d, "ftrace", "/proc/sys/kernel/ftrace_enabled",
		    "sysctl kernel.ftrace_enabled=1");
	tell_switch(&d, "kprobes", "/sys/kernel/debug/kprobes/enabled",
		    "echo 1 > /sys/kernel/debug/kprobes/enabled");
	run_probes(&d);
	if (d.can_trace)
		run_real(&d);
	tell_stubs(&d);
	tell_nodes(&d);
	tell_calibration(&d);
	say(&d, "verdict", d.can_trace ? YES : NO,
	    d.can_trace ? "something can be measured here" : "nothing can be measured here",
	    d.can_trace ? NULL : "try another kernel or user; the lines above say what is missing");
	return d.can_trace ? EXIT_DONE : EXIT_KERNEL;
}

const struct verb doctor_verb = {
	.name = "doctor",
	.line = "show what this kernel, user and policy allow",
	.help = &doctor_help,
	.options = doctor_options,
	.run = doctor_run,
};
