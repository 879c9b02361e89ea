// SPDX-License-Identifier: GPL-2.0-only
/* list.c - the verb `list`: what can be traced, how, or why not. See cmd.h. */
#include "cmd/cmd.h"

#include <errno.h>
#include <fnmatch.h>
#include <json-c/json.h>
#include <string.h>

#include "ui/output.h"
#include "facts/facts.h"
#include "plan/plan.h"
#include "util/options.h"
#include "util/safe_str.h"

struct list {
	const char *glob; /* NULL: all */
	bool functions;
	bool tracepoints;
	bool json;
	size_t n;
	struct facts *facts;
};

#define OPTIONS_OF struct list

static const struct option_row list_options[] = {
	{ "functions", 'F', NULL, "Options", "functions only", OPTION_FLAG(functions) },
	{ "tracepoints", 'T', NULL, "Options", "tracepoints only", OPTION_FLAG(tracepoints) },
	{ "json", 0, NULL, "Options", "one JSON object a line", OPTION_FLAG(json) },
	{},
};

static const struct verb_help list_help = {
	.usage = "list [GLOB] [options]",
	.about = "What can be traced, with the method each gets first, or why not. As root it\n"
		 "also knows what ftrace and kprobes refuse.",
	.examples = "  kstats-bpf list 'tcp_*'\n"
		    "  kstats-bpf list -T 'sched_*'\n"
		    "  kstats-bpf list --json vfs_read\n",
};

/* The method, or NULL and the reason. */
static const char *method_of(const struct list *l, const struct facts_function *fn,
			     const char **why)
{
	const char *method;

	*why = fn->denied;
	if (!*why && fn->noreturn)
		*why = "it never returns";
	if (!*why && !fn->seen_by_ftrace)
		*why = "notrace: the kernel keeps tracing away from it";
	if (*why)
		return NULL;
	method = plan_first_method(l->facts, fn);
	if (!method)
		*why = fn->twin      ? "several modules have it, and kprobes refuse it"
		       : fn->varargs ? "its number of arguments varies, and kprobes refuse it"
				     : "no BTF, and kprobes refuse it";
	return method;
}

static void print_json(const char *kind, const char *module, const char *name, const char *method,
		       const char *why)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "kind", json_object_new_string(kind));
	json_object_object_add(o, "module", json_object_new_string(module));
	json_object_object_add(o, "name", json_object_new_string(name));
	json_object_object_add(o, "method", method ? json_object_new_string(method) : NULL);
	json_object_object_add(o, "why_not", why ? json_object_new_string(why) : NULL);
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
}

static void print_row(struct list *l, const char *kind, const char *module, const char *name,
		      const char *method, const char *why)
{
	char text[256], full[256];

	l->n++;
	if (l->json) {
		print_json(kind, module, name, method, why);
		return;
	}
	snprintf(full, sizeof(full), "%s%s%s%s", !strcmp(kind, "tracepoint") ? "tp:" : "",
		 !strcmp(kind, "tracepoint") ? "" : module,
		 module[0] && strcmp(kind, "tracepoint") ? ":" : "", name);
	printf("%-44s  %s%s\n", safe_str(text, sizeof(text), full),
	       method ? method : "no: ", method ? "" : why);
}

static int print_function(void *ctx, const struct facts_function *fn)
{
	struct list *l = ctx;
	const char *why, *method;

	if (l->glob && fnmatch(l->glob, fn->name, 0))
		return 0;
	method = method_of(l, fn, &why);
	print_row(l, "function", fn->module, fn->name, method, why);
	return ferror(stdout) ? -EPIPE : 0;
}

static int print_tracepoint(void *ctx, const struct facts_tracepoint *tp)
{
	struct list *l = ctx;

	if (!l->glob || !fnmatch(l->glob, tp->name, 0))
		print_row(l, "tracepoint", tp->module, tp->name,
			  plan_tracepoint_method(l->facts, tp->name), NULL);
	return ferror(stdout) ? -EPIPE : 0;
}

static int list(struct list *l, struct facts *facts, struct error *e)
{
	bool all = l->functions == l->tracepoints;
	char next[384];
	int err = 0;

	l->facts = facts;
	if (all || l->functions)
		err = facts_each_function(facts, true, print_function, l);
	if (!err && (all || l->tracepoints))
		err = facts_each_tracepoint(facts, true, print_tracepoint, l);
	/* A reader that had enough is no failure of ours. */
	if (fflush(stdout) || err == -EPIPE)
		return errno == EPIPE ? 0 : output_failed("the list", e);
	if (err || l->n)
		return err;
	facts_near(facts, l->glob ? l->glob : "", next, sizeof(next));
	return error_set(e, EXIT_USAGE, -ENOENT, "nothing matches", next, "cannot list '%s'",
			 l->glob ? l->glob : "*");
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
	l.glob = first < argc ? argv[first] : NULL;
	if (!err)
		facts = facts_open("/", e);
	if (!err && !facts)
		err = -ENOENT;
	if (!err)
		err = list(&l, facts, e);
	facts_close(facts);
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
