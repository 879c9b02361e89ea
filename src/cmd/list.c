// SPDX-License-Identifier: GPL-2.0-only
/* list.c - the verb `list`: what can be traced, how, or why not. */
#include "cmd/cmd.h"

#include <errno.h>
#include <fnmatch.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "ui/output.h"
#include "facts/facts.h"
#include "hook/probe.h"
#include "plan/plan.h"
#include "util/options.h"
#include "util/refusal.h"
#include "util/safe_str.h"

struct list {
	const char *pattern; /* as it was typed, or NULL */
	const char *glob; /* of names; NULL: all */
	char *owner; /* glob of modules and subsystems; NULL: all */
	bool as_tp; /* it began with tp: */
	bool functions;
	bool tracepoints;
	bool json;
	bool types; /* with parameters */
	unsigned int refused; /* methods that do not load, by enum spec_method */
	size_t n;
	struct facts *facts;
};

#define OPTIONS_OF struct list

static const struct option_row list_options[] = {
	{ "functions", 'F', NULL, "Options", "functions only", OPTION_FLAG(functions) },
	{ "tracepoints", 'T', NULL, "Options", "tracepoints only", OPTION_FLAG(tracepoints) },
	{ "long", 'l', NULL, "Options", "parameters with their types, for expressions",
	  OPTION_FLAG(types) },
	{ "json", 0, NULL, "Options", "one JSON object a line", OPTION_FLAG(json) },
	{},
};

static const struct verb_help list_help = {
	.usage = "list [GLOB|MODULE:GLOB|tp:GLOB|tp:SUBSYS:GLOB] [options]",
	.about = "What can be traced, with the method each gets first, or why not. As root it\n"
		 "also knows what ftrace and kprobes refuse.",
	.examples = "  kstats-bpf list 'tcp_*'\n"
		    "  kstats-bpf list 'tp:sched:*'\n"
		    "  kstats-bpf list -l vfs_read\n"
		    "  kstats-bpf list --json vfs_read\n",
};

/* A user who may not load programs is shown the methods that root gets. */
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
	if (!fclose(out))
		safe = malloc(4 * size + 1);
	if (safe)
		safe_str(safe, 4 * size + 1, text);
	free(text);
	return safe;
}

static void print_json(const struct row *row)
{
	struct json_object *o = json_object_new_object();
	char *types = row->point ? prototype(row) : NULL;

	json_object_object_add(o, "kind", json_object_new_string(row->kind));
	json_object_object_add(o, "module", json_object_new_string(row->module));
	json_object_object_add(o, "name", json_object_new_string(row->name));
	json_object_object_add(o, "method",
			       row->method ? json_object_new_string(row->method) : NULL);
	json_object_object_add(o, "why_not", row->why ? json_object_new_string(row->why) : NULL);
	if (types)
		json_object_object_add(o, "prototype", json_object_new_string(types));
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
	free(types);
}

static void print_row(struct list *l, const struct row *row)
{
	bool is_tp = !strcmp(row->kind, "tracepoint");
	char text[256], full[256], *types;

	l->n++;
	if (l->json) {
		print_json(row);
		return;
	}
	snprintf(full, sizeof(full), "%s%s%s%s", is_tp ? "tp:" : "", is_tp ? "" : row->module,
		 row->module[0] && !is_tp ? ":" : "", row->name);
	printf("%-44s  %s%s\n", safe_str(text, sizeof(text), full),
	       row->method ? row->method : "no: ", row->method ? "" : row->why);
	types = row->point ? prototype(row) : NULL;
	if (types)
		printf("    %s\n", types);
	free(types);
}

static int print_function(void *ctx, const struct facts_function *fn)
{
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
	print_row(l, &row);
	return ferror(stdout) ? -EPIPE : 0;
}

/* If tracefs cannot be read, a word with tp: is taken to name the right subsystem. */
static bool is_owned(const struct list *l, const char *name)
{
	int in = l->owner ? facts_in_subsystem(l->facts, name, l->owner) : 1;

	return in > 0 || (in < 0 && l->as_tp);
}

static int print_tracepoint(void *ctx, const struct facts_tracepoint *tp)
{
	struct list *l = ctx;
	struct row row = { .kind = "tracepoint", .module = tp->module, .name = tp->name };
	struct expr_point point;

	if ((l->glob && fnmatch(l->glob, tp->name, 0)) || !is_owned(l, tp->name))
		return 0;
	row.method = plan_tracepoint_method(l->facts, tp->name);
	if (l->types) {
		facts_tracepoint_point(l->facts, tp, &point);
		row.point = &point;
	}
	print_row(l, &row);
	return ferror(stdout) ? -EPIPE : 0;
}

static int list(struct list *l, struct facts *facts, struct error *e)
{
	bool all = l->functions == l->tracepoints;
	bool functions = !l->as_tp && (all || l->functions);
	char next[384];
	int err = 0;

	l->facts = facts;
	if (functions)
		try_methods(l);
	if (functions)
		err = facts_each_function(facts, true, print_function, l);
	if (!err && (all || l->tracepoints))
		err = facts_each_tracepoint(facts, true, print_tracepoint, l);
	/* It is no failure if the reader has closed the pipe. */
	if (fflush(stdout) || err == -EPIPE)
		return errno == EPIPE ? 0 : output_failed("the list", e);
	if (err || l->n)
		return err;
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

static int run(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct list l = {};
	struct facts *facts = NULL;
	int first, err;

	err = options_parse(v->options, &l, argc, argv, &first, e);
	if (!err && argc - first > 1)
		err = error_set(e, EXIT_USAGE, -EINVAL, "one pattern is enough",
				"quote it, so that the shell does not expand it", "cannot use '%s'",
				argv[first + 1]);
	if (!err)
		err = set_pattern(&l, first < argc ? argv[first] : NULL, e);
	if (!err)
		facts = facts_open("/", e);
	if (!err && !facts)
		err = -ENOENT;
	if (!err)
		err = list(&l, facts, e);
	facts_close(facts);
	free(l.owner);
	return err;
}

const struct verb list_verb = {
	.name = "list",
	.line = "what can be traced, and how",
	.help = &list_help,
	.options = list_options,
	.takes = OFFER_POINTS,
	.run = run,
};
