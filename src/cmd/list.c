// SPDX-License-Identifier: GPL-2.0-only
/* list.c - the verb `list`: what can be traced, how, or why not. */
#include "cmd/cmd.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/output.h"
#include "facts/facts.h"
#include "hook/probe.h"
#include "kstats_abi.h"
#include "plan/plan.h"
#include "util/json.h"
#include "util/options.h"
#include "util/refusal.h"
#include "util/safe_str.h"

#define MODULE_NODES "/sys/kernel/debug/kstats"

struct list {
	const char *pattern; /* as it was typed, or NULL */
	const char *glob; /* of names; NULL: all */
	char *owner; /* glob of modules and subsystems; NULL: all */
	bool as_tp; /* it began with tp: */
	bool functions;
	bool tracepoints;
	bool json;
	bool types; /* with parameters */
	bool markers; /* with who listens, and the nodes of the module */
	bool heard; /* only what somebody listens to */
	struct facts_listener *listeners; /* owned */
	size_t n_listeners;
	bool *told; /* which of them have been printed; owned */
	unsigned int pid; /* process that has the program mapped; 0: any */
	unsigned int refused; /* methods that do not load, by enum spec_method */
	bool guessed; /* a method was printed that this user cannot try */
	bool unowned; /* the subsystems of tracepoints cannot be read */
	size_t n;
	struct facts *facts;
};

#define OPTIONS_OF struct list

static const struct option_row list_options[] = {
	{ "functions", 'F', NULL, "Options", "functions only", OPTION_FLAG(functions) },
	{ "tracepoints", 'T', NULL, "Options", "tracepoints only", OPTION_FLAG(tracepoints) },
	{ "long", 'l', NULL, "Options", "parameters with their types, for expressions",
	  OPTION_FLAG(types) },
	{ "markers", 0, NULL, "Options", "tracepoints, what is attached, nodes of modules",
	  OPTION_FLAG(markers) },
	{ "listened", 0, NULL, "Options", "with --markers: only where something is attached",
	  OPTION_FLAG(heard) },
	{ "pid", 'p', "PID", "Options", "find the program or library in this process",
	  OPTION_NUMBER(pid, 1, 4194304) },
	{ "json", 0, NULL, "Options", "print one JSON object on each line", OPTION_FLAG(json) },
	{},
};

static const struct verb_help list_help = {
	.usage = "list [GLOB|MODULE:GLOB|tp:GLOB|tp:SUBSYS:GLOB] [options]\n"
		 "       kstats-bpf list u:BINARY[:GLOB]|usdt:BINARY[:GLOB] [-p PID] [--markers]",
	.about =
		"List functions and tracepoints, each with the method that is tried first, or why\n"
		"it cannot be traced. Only root can read what ftrace and kprobes refuse. For a\n"
		"program or library, list its functions or static probes, each with its first\n"
		"instruction, on which the overhead depends.",
	.examples = "  kstats-bpf list 'tcp_*'\n"
		    "  kstats-bpf list 'tp:sched:*'\n"
		    "  kstats-bpf list -l vfs_read\n"
		    "  kstats-bpf list --json vfs_read\n"
		    "  kstats-bpf list --markers --listened\n"
		    "  kstats-bpf list 'u:libc:*alloc*'\n",
};

/* A user who may not load programs is shown methods that are not tried: see tell_limits(). */
static void try_methods(struct list *l)
{
	static const struct {
		enum spec_method method;
		enum plan_hook_type type;
	} rows[] = {
		{ SPEC_METHOD_FENTRY, PLAN_FENTRY },
		{ SPEC_METHOD_FSESSION, PLAN_FSESSION },
		{ SPEC_METHOD_KPROBE_SESSION, PLAN_KPROBE_SESSION },
		{ SPEC_METHOD_KPROBE, PLAN_KPROBE },
	};
	char why[256];
	size_t i;

	if (!refusal_may_load())
		return;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (probe_type(rows[i].type, why, sizeof(why)))
			l->refused |= 1U << rows[i].method;
}

/* The method, or NULL and the reason. */
static const char *method_of(const struct list *l, const struct facts_function *fn,
			     const char **why)
{
	const char *method;

	*why = fn->denied;
	if (!*why && fn->noreturn)
		*why = "it never returns";
	if (!*why && !fn->seen_by_ftrace)
		*why = "notrace: the kernel does not allow tracing it";
	if (*why)
		return NULL;
	method = plan_first_method(l->facts, fn, l->refused);
	if (!method && plan_first_method(l->facts, fn, 0))
		*why = "no method for it loads here, see 'kstats-bpf doctor'";
	else if (!method)
		*why = fn->twin      ? "several modules have it, and kprobes refuse it"
		       : fn->varargs ? "its number of arguments varies, and kprobes refuse it"
				     : "no BTF, and kprobes refuse it";
	return method;
}

struct row {
	const char *kind;
	const char *module;
	const char *name;
	const char *method; /* or NULL */
	const char *why; /* there is no method */
	const struct expr_point *point; /* with --long */
	bool exact; /* it alone was asked for */
	bool tells_direct; /* with @exact, and with --long in JSON */
	const char *not_direct; /* with @tells_direct: why a stub does not take it, or NULL */
};

/* Owned by the caller; NULL without memory. */
static char *prototype(const struct row *row)
{
	char *text = NULL, *safe = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	facts_write_point(row->point, !strcmp(row->kind, "function"), out);
	if (!fclose(out) && text)
		safe = malloc(4 * size + 1);
	if (safe)
		safe_str(safe, 4 * size + 1, text);
	free(text);
	return safe;
}

/* ---- what is attached ---- */

/* The next one of a tracepoint after @at; NULL: the first. */
static const struct facts_listener *next_listener(const struct list *l, const char *tracepoint,
						  const struct facts_listener *at)
{
	size_t i = at ? at - l->listeners + 1 : 0;

	for (; i < l->n_listeners; i++)
		if (!strcmp(l->listeners[i].tracepoint, tracepoint))
			return &l->listeners[i];
	return NULL;
}

static struct json_object *listeners_json(const struct list *l, const char *tracepoint)
{
	struct json_object *all = json_object_new_array();
	const struct facts_listener *at = NULL;

	while ((at = next_listener(l, tracepoint, at))) {
		l->told[at - l->listeners] = true;
		json_object_array_add(all, cmd_listener_json(at));
	}
	return all;
}

static void print_listeners(const struct list *l, const char *tracepoint)
{
	const struct facts_listener *at = NULL;

	while ((at = next_listener(l, tracepoint, at))) {
		l->told[at - l->listeners] = true;
		cmd_print_listener(at);
	}
}

static void list_print_json(const struct list *l, const struct row *row)
{
	struct json_object *o = json_object_new_object();
	char *types = row->point ? prototype(row) : NULL;

	json_add_text(o, "kind", row->kind);
	json_add_text(o, "module", row->module);
	json_add_text(o, "name", row->name);
	json_add_known(o, "method", row->method);
	json_add_known(o, "why_not", row->why);
	if (row->tells_direct) {
		json_object_object_add(o, "direct", json_object_new_boolean(!row->not_direct));
		json_add_known(o, "why_not_direct", row->not_direct);
	}
	if (types)
		json_add_text(o, "prototype", types);
	if (l->markers && strcmp(row->kind, "node"))
		json_object_object_add(o, "listeners", listeners_json(l, row->name));
	json_write_line(o, stdout);
	json_object_put(o);
	free(types);
}

static void print_direct(const struct list *l, const struct row *row)
{
	bool loaded = facts_has_module(l->facts, KSTATS_MODULE);

	if (row->not_direct)
		printf("    direct: no: %s\n", row->not_direct);
	else
		printf("    direct: yes, by the module kstats%s\n",
		       loaded ? "" : ", which is not loaded");
}

static void list_print_row(struct list *l, const struct row *row)
{
	bool is_tp = !strcmp(row->kind, "tracepoint"), is_node = !strcmp(row->kind, "node");
	const char *prefix = is_tp ? "tp:" : is_node ? "node:" : "";
	char text[256], full[256], *types;

	l->n++;
	l->guessed |= row->method && !is_node && !refusal_may_load();
	if (l->json) {
		list_print_json(l, row);
		return;
	}
	snprintf(full, sizeof(full), "%s%s%s%s", prefix, is_tp ? "" : row->module,
		 row->module[0] && !is_tp ? ":" : "", row->name);
	printf("%-44s  %s%s\n", safe_str(text, sizeof(text), full),
	       row->method ? row->method : "no: ", row->method ? "" : row->why);
	/* Else the line above has given the reason. */
	if (row->exact && row->method)
		print_direct(l, row);
	types = row->point ? prototype(row) : NULL;
	if (types)
		printf("    %s\n", types);
	free(types);
	if (l->markers)
		print_listeners(l, row->name);
}

/*
 * Why a stub cannot measure the function, or NULL. What only root is told may be missing; of many
 * functions and without the module, also whether there is another one of that name that cannot be
 * traced: this takes twice as long as all the rest.
 */
static const char *not_direct(const struct list *l, const struct facts_function *fn, bool alone,
			      struct error *e)
{
	struct facts_address at = { .module = fn->module, .name = fn->name };
	struct facts_function whole;
	int err = facts_find_function(l->facts, fn->module, fn->name, &whole, e);

	if (!err)
		err = plan_check_direct(&whole, e);
	if (err || !alone || !facts_has_module(l->facts, KSTATS_MODULE))
		return err ? e->why : NULL;
	err = facts_addresses("", facts_kernel_types(l->facts), &at, 1);
	if (!err)
		err = facts_address_check(&at);
	return err && err != -EACCES ? facts_address_refusal(err) : NULL;
}

static int print_function(void *ctx, const struct facts_function *fn)
{
	struct error e = {};
	struct list *l = ctx;
	struct expr_point point;
	struct row row = { .kind = "function", .module = fn->module, .name = fn->name };

	if (l->glob && fnmatch(l->glob, fn->name, 0))
		return 0;
	if (l->owner && fnmatch(l->owner, fn->module[0] ? fn->module : "vmlinux", 0))
		return 0;
	row.method = method_of(l, fn, &row.why);
	if (l->types) {
		facts_function_point(l->facts, fn, &point);
		row.point = &point;
	}
	row.exact = l->glob && !strpbrk(l->glob, "*?[");
	row.tells_direct = row.exact || (l->json && l->types);
	if (row.tells_direct)
		row.not_direct = not_direct(l, fn, row.exact, &e);
	list_print_row(l, &row);
	return ferror(stdout) ? -EPIPE : 0;
}

/* If tracefs cannot be read, a word with tp: is taken to name the right subsystem. */
static bool is_owned(struct list *l, const char *name)
{
	int in = l->owner ? facts_in_subsystem(l->facts, name, l->owner) : 1;

	l->unowned |= in < 0 && l->as_tp;
	return in > 0 || (in < 0 && l->as_tp);
}

static int print_tracepoint(void *ctx, const struct facts_tracepoint *tp)
{
	struct list *l = ctx;
	struct row row = { .kind = "tracepoint", .module = tp->module, .name = tp->name };
	struct expr_point point;

	if ((l->glob && fnmatch(l->glob, tp->name, 0)) || !is_owned(l, tp->name))
		return 0;
	if (l->heard && !next_listener(l, tp->name, NULL))
		return 0;
	row.method = plan_tracepoint_method(l->facts, tp->name);
	if (l->types) {
		facts_tracepoint_point(l->facts, tp, &point);
		row.point = &point;
	}
	list_print_row(l, &row);
	return ferror(stdout) ? -EPIPE : 0;
}

/* Events that are no tracepoint of their own, such as those of each system call. */
static void print_events(struct list *l)
{
	struct row row = { .kind = "event", .module = "", .method = "trace event" };
	size_t i;

	for (i = 0; i < l->n_listeners; i++) {
		row.name = l->listeners[i].tracepoint;
		if (!l->told[i] && (!l->glob || !fnmatch(l->glob, row.name, 0)) &&
		    is_owned(l, row.name))
			list_print_row(l, &row);
	}
}

/* The nodes that modules and BPF programs keep in the module kstats; none if it is not loaded. */
static void print_nodes(struct list *l)
{
	struct row row = { .kind = "node", .module = "", .method = "records" };
	DIR *dir = opendir(MODULE_NODES);
	struct dirent *at;

	while (dir && (at = readdir(dir))) {
		if (at->d_name[0] == '.' || !strcmp(at->d_name, "_control") ||
		    (l->glob && fnmatch(l->glob, at->d_name, 0)))
			continue;
		row.name = at->d_name;
		list_print_row(l, &row);
	}
	if (dir)
		closedir(dir);
}

static int find_listeners(struct list *l, struct error *e)
{
	int err = cmd_listeners(false, &l->listeners, &l->n_listeners, e);

	if (err)
		return err;
	l->told = calloc(l->n_listeners + 1, sizeof(*l->told));
	return l->told ? 0 : error_no_memory(e, "cannot list tracepoints");
}

/* What the list could not find out. */
static void tell_limits(const struct list *l)
{
	if (l->unowned)
		fprintf(stderr,
			"kstats-bpf: cannot tell which tracepoints belong to '%s', so those of all "
			"subsystems are listed: tracefs cannot be read; %s\n",
			l->owner,
			geteuid() ? "use sudo" : "mount -t tracefs none /sys/kernel/tracing");
	if (l->guessed)
		fprintf(stderr, "kstats-bpf: the methods are not verified: this user may not "
				"load programs to try them; use sudo\n");
}

static int list_named(struct list *l, struct facts *facts, struct error *e)
{
	bool all = l->functions == l->tracepoints && !l->markers;
	bool functions = !l->as_tp && (all || l->functions);
	char next[384];
	int err = 0;

	l->facts = facts;
	if (functions)
		try_methods(l);
	if (functions)
		err = facts_each_function(facts, true, print_function, l);
	if (!err && (all || l->tracepoints || l->markers))
		err = facts_each_tracepoint(facts, true, print_tracepoint, l);
	if (!err && l->markers)
		print_events(l);
	if (!err && l->markers && !l->as_tp && !l->owner && !l->heard)
		print_nodes(l);
	/* It is no failure if the reader has closed the pipe. */
	if (fflush(stdout) || err == -EPIPE)
		return errno == EPIPE ? 0 : output_failed("the list", e);
	if (!err && l->n)
		tell_limits(l);
	if (err || l->n)
		return err;
	if (l->heard)
		fprintf(stderr, "kstats-bpf: nothing is attached to %s%s\n",
			l->pattern ? "tracepoints that match " : "any tracepoint",
			l->pattern ?: "");
	if (l->heard)
		return 0;
	facts_near(facts, l->glob ? l->glob : "", next, sizeof(next));
	return error_set(e, EXIT_USAGE, -ENOENT, "nothing matches", next, "cannot list '%s'",
			 l->pattern ? l->pattern : "*");
}

/* "tp:SUBSYS:GLOB", "tp:GLOB", "MODULE:GLOB" or "GLOB". */
static int set_pattern(struct list *l, const char *pattern, struct error *e)
{
	const char *colon;

	l->pattern = pattern;
	if (!pattern)
		return 0;
	l->as_tp = !strncmp(pattern, "tp:", 3);
	l->glob = pattern + (l->as_tp ? 3 : 0);
	colon = strchr(l->glob, ':');
	if (!colon)
		return 0;
	l->owner = strndup(l->glob, colon - l->glob);
	l->glob = colon + 1;
	return l->owner ? 0 : error_no_memory(e, "cannot list '%s'", pattern);
}

static int list_check_words(struct list *l, struct error *e)
{
	if (l->heard && !l->markers)
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "only --markers finds out what is attached",
				 "write 'list --markers --listened'", "cannot use --listened");
	if (l->markers && l->functions)
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "--markers lists tracepoints, not functions",
				 "leave one of the two out", "cannot use --markers with -F");
	l->types |= l->markers;
	return 0;
}

static int check_user_words(const struct list *l, bool user, struct error *e)
{
	if (!user && l->pid)
		return error_set(e, EXIT_USAGE, -EINVAL, "the kernel is the same for all processes",
				 "name a program with u: or usdt:", "cannot use --pid");
	if (user && (l->functions || l->tracepoints || (l->types && !l->markers)))
		return error_set(e, EXIT_USAGE, -EINVAL, "they are for the kernel",
				 "--pid, --markers, --listened and --json are for a program",
				 "cannot use these options with u: or usdt:");
	return 0;
}

static int list_run(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct list l = {};
	struct facts *facts = NULL;
	struct cmd_list_of of;
	int first, err;

	err = options_parse(v->options, &l, argc, argv, &first, e);
	if (!err && argc - first > 1)
		err = error_set(e, EXIT_USAGE, -EINVAL, "one pattern is enough",
				"quote it, so that the shell does not expand it", "cannot use '%s'",
				argv[first + 1]);
	if (!err)
		err = list_check_words(&l, e);
	if (!err)
		err = check_user_words(&l, cmd_is_user(argv[first]), e);
	if (!err && cmd_is_user(argv[first])) {
		of = (struct cmd_list_of){ argv[first], l.pid, l.json, l.markers, l.heard };
		return cmd_list_user(&of, e);
	}
	if (!err)
		err = set_pattern(&l, first < argc ? argv[first] : NULL, e);
	if (!err && l.markers)
		err = find_listeners(&l, e);
	if (!err)
		facts = facts_open("/", e);
	if (!err && !facts)
		err = -ENOENT;
	if (!err)
		err = list_named(&l, facts, e);
	facts_close(facts);
	free(l.listeners);
	free(l.told);
	free(l.owner);
	return err;
}

const struct verb list_verb = {
	.name = "list",
	.line = "list what can be traced, and how",
	.help = &list_help,
	.options = list_options,
	.takes = OFFER_POINTS,
	.run = list_run,
};
