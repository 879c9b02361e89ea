// SPDX-License-Identifier: GPL-2.0-only
/* check.c - the verb `check`: the gate of a pipeline. See cmd.h. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cmd/runs.h"
#include "render/verdict.h"
#include "util/outfile.h"

#define RULES_MAX 64
#define CONFIDENCE 0.99

struct gate {
	struct check_rule rules[RULES_MAX];
	size_t n_rules;
	bool relative;
	char **base; /* files of --base */
	size_t n_base;
	const char *format;
	const char *output;
	double confidence;
	enum check_verdict undecided; /* what inconclusive counts as */
	bool force;
};

/* ---- options ---- */

static struct check_rule *next_rule(struct gate *g, const char *value, struct error *e)
{
	if (g->n_rules < RULES_MAX)
		return &g->rules[g->n_rules++];
	error_set(e, EXIT_USAGE, -E2BIG, "there are 64 rules already", "run check twice",
		  "cannot use '%s'", value);
	return NULL;
}

static int set_assert(void *to, const char *value, struct error *e)
{
	struct check_rule *rule = next_rule(to, value, e);

	return rule ? check_parse_assert(rule, value, e) : -EINVAL;
}

static int set_increase(void *to, const char *value, struct error *e)
{
	struct check_rule *rule = next_rule(to, value, e);

	((struct gate *)to)->relative = true;
	return rule ? check_parse_increase(rule, value, e) : -EINVAL;
}

/* --base=FILE; the words after --base are taken before, see take_base(). */
static int set_base(void *to, const char *value, struct error *e)
{
	struct gate *g = to;

	g->base[g->n_base++] = (char *)value;
	return 0;
}

static int set_format(void *to, const char *value, struct error *e)
{
	char next[128] = "it is one of";
	const struct verdict_format *f;

	((struct gate *)to)->format = value;
	if (verdict_find(value))
		return 0;
	for (f = verdict_formats; f->name; f++)
		snprintf(next + strlen(next), sizeof(next) - strlen(next), " %s", f->name);
	return error_set(e, EXIT_USAGE, -EINVAL, "there is no such format", next,
			 "cannot use '%s' for --format", value);
}

static int set_output(void *to, const char *value, struct error *e)
{
	((struct gate *)to)->output = value;
	return 0;
}

static int set_confidence(void *to, const char *value, struct error *e)
{
	struct gate *g = to;
	char *end;

	g->confidence = strtod(value, &end) / 100;
	if (end != value && (!*end || !strcmp(end, "%")) && g->confidence >= 0.5 &&
	    g->confidence <= 0.9999)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "it is a percentage from 50 to 99.99", NULL,
			 "cannot use '%s' for --confidence", value);
}

static int set_inconclusive(void *to, const char *value, struct error *e)
{
	struct gate *g = to;

	if (!strcmp(value, "pass"))
		g->undecided = CHECK_PASS;
	else if (!strcmp(value, "fail"))
		g->undecided = CHECK_FAIL;
	else
		return error_set(e, EXIT_USAGE, -EINVAL, "it is pass or fail",
				 "leave it out for an exit code of its own",
				 "cannot use '%s' for --inconclusive", value);
	return 0;
}

static int set_force(void *to, const char *value, struct error *e)
{
	((struct gate *)to)->force = true;
	return 0;
}

#define RULES "Rules"
#define RUNS "Runs"
#define RESULT "Result"

const struct option_row check_options[] = {
	{ "assert", 'a', "RULE", RULES, "like 'p99<10us', 'count>=1000', 'loss==0'", set_assert },
	{ "max-increase", 'm', "RULE", RULES, "over the base, like p99=5%", set_increase },
	{ "confidence", 0, "PERCENT", RULES, "of the intervals, all together (99)",
	  set_confidence },
	{ "base", 0, "FILE...", RUNS, "recordings to compare with", set_base },
	{ "force", 0, NULL, RUNS, "although they were not recorded alike", set_force },
	{ "format", 'f', "FORMAT", RESULT, "text, junit, tap, github, json or gobench",
	  set_format },
	{ "output", 'o', "FILE", RESULT, "write there, all or nothing", set_output },
	{ "inconclusive", 0, "AS", RESULT, "pass or fail: what it counts as (exit 3)",
	  set_inconclusive },
	{ NULL, 0, NULL, NULL, NULL, NULL },
};

static const struct verb_help check_help = {
	.usage = "check FILE... [--base FILE...] [options]",
	.about = "Are recordings of 'trace --record' within their bounds, and not slower than\n"
		 "others? Exits 0 when all rules hold, 1 when one fails, 3 when that cannot be\n"
		 "told.",
	.examples =
		"  kstats-bpf check run.json --assert 'p99<10us' --assert 'loss==0'\n"
		"  kstats-bpf check new-*.json --base old-*.json --max-increase p99=5%\n"
		"  kstats-bpf check new-*.json --base old-*.json -m p50=3% -f junit -o out.xml\n",
};

/* ---- words ---- */

/* The words after --base up to the next option; the others stay in @argv. */
static int take_base(struct gate *g, int argc, char **argv)
{
	bool in_base = false;
	int i, n = 1;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--base"))
			in_base = true;
		else if (in_base && argv[i][0] != '-')
			g->base[g->n_base++] = argv[i];
		else
			in_base = false;
		if (!in_base)
			argv[n++] = argv[i];
	}
	argv[n] = NULL;
	return n;
}

static int check_words(const struct gate *g, int n_files, struct error *e)
{
	if (n_files < 1)
		return error_set(e, EXIT_USAGE, -EINVAL, "no recording is named",
				 "name files of 'trace --record'", "nothing to check");
	if (!g->n_rules)
		return error_set(e, EXIT_USAGE, -EINVAL, "there is no rule",
				 "add --assert 'p99<10us', or --base with --max-increase p99=5%",
				 "nothing to check");
	if (g->relative && !g->n_base)
		return error_set(e, EXIT_USAGE, -EINVAL, "there is nothing to compare with",
				 "add --base FILE...", "cannot use --max-increase");
	if (g->n_base && !g->relative)
		return error_set(e, EXIT_USAGE, -EINVAL, "no rule compares with it",
				 "add --max-increase p99=5%", "cannot use --base");
	return 0;
}

/* ---- the gate ---- */

static int write_results(const struct gate *g, const struct check *c,
			 const struct compare_set *runs, struct error *e)
{
	struct outfile file = {};
	int err = g->output ? outfile_open(&file, g->output, e) : 0;

	if (err)
		return err;
	if (verdict_find(g->format)->render(g->output ? file.stream : stdout, c, runs) ||
	    (!g->output && fflush(stdout)))
		err = error_set(e, EXIT_USAGE, -EIO, NULL, "make room, or write elsewhere",
				"cannot write the results");
	if (!err && g->output)
		err = outfile_commit(&file, e);
	outfile_abort(&file);
	return err;
}

static int status_of(const struct gate *g, enum check_verdict v)
{
	if (v == CHECK_INCONCLUSIVE)
		v = g->undecided;
	return v == CHECK_PASS ? EXIT_DONE : v == CHECK_FAIL ? EXIT_CHECK : EXIT_LEDGER;
}

static int judge(const struct gate *g, const struct runs *runs, const struct runs *base,
		 struct error *e)
{
	struct compare_set a = runs_set(runs), b = runs_set(base);
	struct check c;
	int err, status;

	if (!g->force && runs_check(runs, base, e))
		return error_print(e);
	if (check_make(&c, g->rules, g->n_rules, &a, &b, g->confidence, e))
		return error_print(e);
	err = write_results(g, &c, &a, e);
	status = err ? error_print(e) : status_of(g, c.verdict);
	check_free(&c);
	return status;
}

static int run(struct gate *g, int argc, char **argv, struct error *e)
{
	struct runs runs = {}, base = {};
	int first, err, status;

	argc = take_base(g, argc, argv);
	err = options_parse(check_options, g, argc, argv, &first, e);
	if (err == OPTIONS_HELP) {
		options_help(check_options, &check_help, stdout);
		return EXIT_DONE;
	}
	if (!err)
		err = check_words(g, argc - first, e);
	if (!err)
		err = runs_load(&runs, argv + first, argc - first, e);
	if (!err)
		err = runs_load(&base, g->base, g->n_base, e);
	status = err ? error_print(e) : judge(g, &runs, &base, e);
	runs_free(&runs);
	runs_free(&base);
	return status;
}

int cmd_check(int argc, char **argv)
{
	struct gate g = { .format = "text",
			  .confidence = CONFIDENCE,
			  .undecided = CHECK_INCONCLUSIVE };
	struct error e = {};
	int status;

	g.base = calloc(argc + 1, sizeof(*g.base));
	if (!g.base)
		return EXIT_KERNEL;
	status = run(&g, argc, argv, &e);
	free(g.base);
	return status;
}
