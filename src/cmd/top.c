// SPDX-License-Identifier: GPL-2.0-only
/* top.c - the verb `top`: rows of figures that are shown again and again. */
#include "cmd/cmd.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recipes/recipes.h"
#include "top/top.h"
#include "ui/calibrated.h"
#include "ui/nodes.h"
#include "util/refusal.h"

#define BETWEEN "+" /* stands between the words of rows */
#define INTERVAL_NS 1000000000 /* usual one */
#define INTERVAL_LEAST_NS 100000000
#define FRAMES_MOST 1000000
#define WORDS_MAX 32 /* of a usual row */

/** struct top_words - the words of some rows */
struct top_words {
	struct spec spec; /* comes first, as spec_parse_with() wants it */
	unsigned int frames; /* of --frames */
	const char *nodes; /* of --nodes */
	const char *pin_root; /* of --pin-root */
};

#define OPTIONS_OF struct top_words

static const struct option_row top_options[] = {
	{ "nodes", 0, "GLOB", "Options", "also rows for the nodes that match, like '*'",
	  OPTION_FILLED(nodes), .offers = OFFER_NODES },
	NODES_PIN_ROOT("Options", pin_root),
	{ "frames", 0, "N", "Options", "print N screens as text, without a terminal",
	  OPTION_NUMBER(frames, 1, FRAMES_MOST) },
	{},
};

static const struct verb_help top_help = {
	.usage = "top [TARGET...] [options] [+ TARGET... [options]]...\n"
		 "       kstats-bpf top --start X --end Y [options] [+ ...]",
	.about = "Watch functions, pairs and nodes on the terminal, a row each: rate, quantiles,\n"
		 "share of time, and the last minute. Without arguments it shows what a first\n"
		 "look at a machine needs. The key ? lists the keys. It takes the arguments of\n"
		 "'kstats-bpf trace', recipes among them; + separates groups of rows. The options\n"
		 "-i, -d, --record, --tag, --sort and --unit apply to all groups.",
	.examples = "  kstats-bpf top\n"
		    "  kstats-bpf top 'tcp_*' --pid 1234\n"
		    "  kstats-bpf top vfs_read vfs_write --by comm\n"
		    "  kstats-bpf top @biolat -i 5\n"
		    "  kstats-bpf top vfs_read + --start tp:irq:softirq_entry \\\n"
		    "      --end tp:irq:softirq_exit --key cpu\n"
		    "  kstats-bpf top --nodes '*'\n",
};

/*
 * What a first look at a machine needs: a recipe, or words where there is none of that name. Each
 * has one row, so recipes are not split by what they name.
 */
static const struct {
	const char *recipe; /* or NULL */
	const char *name; /* of the row */
	const char *words[WORDS_MAX];
} top_usual[] = {
	{ "runqlat",
	  "run-queue",
	  { "--start", "tp:sched:sched_wakeup[p->pid]", "--end",
	    "tp:sched:sched_switch[next->pid]" } },
	{ "biolat",
	  "disks",
	  { "--start", "tp:block:block_rq_issue", "--end", "tp:block:block_rq_complete", "--key",
	    "rq" } },
	{ "syscalls",
	  "system-calls",
	  { "--start", "tp:raw_syscalls:sys_enter", "--end", "tp:raw_syscalls:sys_exit" } },
	{ "softirq",
	  "softirqs",
	  { "--start", "tp:irq:softirq_entry", "--end", "tp:irq:softirq_exit", "--key", "cpu" } },
	{ "pagefault", "page-faults", { "handle_mm_fault" } },
	{ NULL, "allocations", { "tp:kmem:kmalloc", "--value", "bytes_alloc", "--unit", "bytes" } },
};

/* What is asked of all rows. */
struct top_asked {
	struct top top;
	struct top_words common; /* what was said of all of them; owns nothing */
	struct facts *facts;
	struct costs costs;
	struct option_row *rows; /* owned; the options of both tables */
	struct recipe_words *taken; /* owned; of each source; their specs point into them */
	bool usual; /* the usual rows */
	bool split; /* --by was said */
	bool dry_run;
};

/* ---- words ---- */

/* Options of trace that are about reports, gates and commands. */
static bool top_takes(const struct option_row *row)
{
	static const char *const others[] = {
		"runs",       "warmup",   "vs",          "format",       "output",  "buckets",
		"floor",      "quiet",    "verbose",     "as-root",      "assert",  "max-increase",
		"confidence", "max-loss", "allow-empty", "inconclusive", "require",
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(row->name, others[i]))
			return false;
	return true;
}

static int top_make_rows(struct top_asked *a, struct error *e)
{
	const struct option_row *row;
	size_t n = 0;

	for (row = spec_options; row->name; row++)
		n++;
	a->rows = calloc(n + sizeof(top_options) / sizeof(*top_options), sizeof(*a->rows));
	if (!a->rows)
		return error_no_memory(e, "cannot read the words");
	n = 0;
	for (row = spec_options; row->name; row++)
		if (top_takes(row))
			a->rows[n++] = *row;
	for (row = top_options; row->name; row++)
		a->rows[n++] = *row;
	return 0;
}

/* Keep what is asked of all rows, in whichever of them it is said. */
static void top_keep_common(struct top_asked *a, const struct top_words *w)
{
	struct top_words *c = &a->common;

	c->frames = w->frames ?: c->frames;
	c->nodes = w->nodes ?: c->nodes;
	c->pin_root = w->pin_root ?: c->pin_root;
	c->spec.interval_ns = w->spec.interval_ns ?: c->spec.interval_ns;
	c->spec.duration_ns = w->spec.duration_ns ?: c->spec.duration_ns;
	c->spec.record = w->spec.record ?: c->spec.record;
	c->spec.sort = w->spec.sort ?: c->spec.sort;
	if (!c->spec.unit || strcmp(w->spec.unit, "auto"))
		c->spec.unit = w->spec.unit;
	a->dry_run |= w->spec.dry_run;
}

static void top_fold(struct spec *spec)
{
	for (; spec->n_by; spec->n_by--) {
		free(spec->by[spec->n_by - 1]);
		spec->by[spec->n_by - 1] = NULL;
	}
}

static struct top_source *top_add_source(struct top_asked *a, struct error *e)
{
	unsigned int n = a->top.n_sources;
	struct top_source *all = reallocarray(a->top.sources, n + 1, sizeof(*all));
	struct recipe_words *taken = NULL;

	if (all) {
		a->top.sources = all;
		taken = reallocarray(a->taken, n + 1, sizeof(*taken));
	}
	if (!taken) {
		error_no_memory(e, "cannot read the words");
		return NULL;
	}
	a->taken = taken;
	all[n] = (struct top_source){};
	taken[n] = (struct recipe_words){};
	a->top.n_sources++;
	return &all[n];
}

/* The name of its row if it is refused. */
static char *top_name(const struct spec *spec)
{
	if (spec->name)
		return strdup(spec->name);
	return strdup(spec->n_targets ? spec->targets[0].name : "?");
}

static int top_plan(struct top_asked *a, struct top_source *s, struct error *e)
{
	s->name = top_name(&s->spec);
	if (!s->name || !s->words)
		return error_no_memory(e, "cannot read the words");
	if (spec_has_markers(&s->spec))
		error_set(&s->refused, EXIT_USAGE, -EINVAL, "it shows markers of nodes only",
			  "add one: 'kstats-bpf node add --user NAME'", "cannot watch m:%s",
			  s->name);
	else if (!plan_make(&s->plan, &s->spec, a->facts, &s->refused))
		return 0;
	recipe_explain(&a->taken[a->top.n_sources - 1], &s->refused);
	s->refused.err = s->refused.err ?: -EINVAL;
	return 0;
}

/* @argv: the verb, and the words of one source; reordered */
static int top_add(struct top_asked *a, int argc, char **argv, struct error *e)
{
	struct top_source *s = top_add_source(a, e);
	struct top_words w = {};
	struct recipe_words *taken;
	int err;

	if (!s)
		return -ENOMEM;
	s->words = nodes_join(argc - 1, argv + 1);
	taken = &a->taken[a->top.n_sources - 1];
	err = recipe_take(taken, argc, argv, RECIPE_NAMES, e);
	if (!err)
		err = spec_parse_with(&w.spec, a->rows, taken->argc, taken->argv, e);
	s->spec = w.spec;
	if (err && a->usual) { /* words that are wrong for all were found before */
		s->refused = *e;
		s->name = strdup(argv[2]);
		return s->name ? 0 : error_no_memory(e, "cannot read the words");
	}
	if (!err && s->spec.max_overhead)
		err = error_set(e, EXIT_USAGE, -EINVAL, "it does not end what it watches",
				"use 'kstats-bpf trace'", "cannot use --limit overhead with top");
	if (err)
		return err;
	if (a->usual && !a->split)
		top_fold(&s->spec);
	top_keep_common(a, &w);
	return top_plan(a, s, e);
}

static bool top_has_recipe(const char *name)
{
	struct recipe *r = name ? recipe_open(name, NULL) : NULL;

	recipe_free(r);
	return r;
}

/* Each of the usual rows, with the words that are said of all. */
static int top_add_usual(struct top_asked *a, int argc, char **argv, struct error *e)
{
	const char *words[2 * WORDS_MAX + 4];
	char recipe[UNITS_TEXT];
	int n, i, err = 0;
	size_t row;

	if (argc > WORDS_MAX)
		return error_set(e, EXIT_USAGE, -EINVAL, "there are more than 31 words", NULL,
				 "cannot use them for the usual rows");
	a->usual = true;
	for (row = 0; !err && row < sizeof(top_usual) / sizeof(*top_usual); row++) {
		n = 0;
		words[n++] = argv[0];
		words[n++] = "--name";
		words[n++] = top_usual[row].name;
		snprintf(recipe, sizeof(recipe), "@%s", top_usual[row].recipe ?: "");
		if (top_has_recipe(top_usual[row].recipe))
			words[n++] = recipe;
		else
			for (i = 0; top_usual[row].words[i]; i++)
				words[n++] = top_usual[row].words[i];
		for (i = 1; i < argc; i++)
			words[n++] = argv[i];
		words[n] = NULL;
		err = top_add(a, n, (char **)words, e);
	}
	return err;
}

/* Whether words say what to measure. @argv: not changed */
static int top_says_what(struct top_asked *a, int argc, char **argv, bool *what, struct error *e)
{
	char **copy = calloc(argc + 1, sizeof(*copy));
	struct top_words w = {};
	int err, first = argc;

	if (!copy)
		return error_no_memory(e, "cannot read the words");
	memcpy(copy, argv, argc * sizeof(*copy));
	w.spec.unit = "auto";
	err = options_parse(a->rows, &w, argc, copy, &first, e);
	if (!err)
		top_keep_common(a, &w);
	a->split |= w.spec.n_by;
	*what = first < argc || w.spec.start.kind != SPEC_NONE || w.spec.end.kind != SPEC_NONE;
	spec_free(&w.spec);
	free(copy);
	return err;
}

/* @argv: the verb, and words without "+" */
static int top_add_group(struct top_asked *a, int argc, char **argv, struct error *e)
{
	bool what = false;
	int err = top_says_what(a, argc, argv, &what, e);

	if (err)
		return err;
	if (what)
		return top_add(a, argc, argv, e);
	if (a->common.nodes) /* only the nodes are asked for */
		return 0;
	return top_add_usual(a, argc, argv, e);
}

static int top_read_words(struct top_asked *a, int argc, char **argv, struct error *e)
{
	char **words = calloc(argc + 1, sizeof(*words));
	int i, n = 1, err = words ? 0 : error_no_memory(e, "cannot read the words");

	for (i = 1; !err && i < argc; i++)
		if (!strcmp(argv[i], "--"))
			err = error_set(e, EXIT_USAGE, -EINVAL, "it would write to this screen",
					"start it in another terminal, and name it by --pid, "
					"--comm or --cgroup",
					"cannot run a command beside 'top'");
	for (i = 1; !err && i <= argc; i++) {
		if (i < argc && strcmp(argv[i], BETWEEN)) {
			words[n++] = argv[i];
			continue;
		}
		words[0] = argv[0];
		words[n] = NULL;
		err = top_add_group(a, n, words, e);
		n = 1;
	}
	free(words);
	return err;
}

/* ---- nodes ---- */

static int top_add_nodes(struct top_asked *a, struct error *e)
{
	struct nodes n = { .path = a->common.pin_root, .root.fd = -1, .all = true };
	int i, err = nodes_find(&n, NULL, 0, e);
	struct top_source *s;

	for (i = 0; !err && i < n.n; i++) {
		if (fnmatch(a->common.nodes, n.names[i], 0))
			continue;
		s = top_add_source(a, e);
		if (!s) {
			err = -ENOMEM;
			break;
		}
		s->is_node = true;
		s->name = strdup(n.names[i]);
		s->words = strdup("a node, see 'kstats-bpf node ls'");
		err = s->name && s->words ? 0 : error_no_memory(e, "cannot show the nodes");
	}
	a->top.root = n.root;
	n.root.fd = -1;
	nodes_close(&n);
	if (!err && !a->top.n_sources)
		err = error_set(e, EXIT_USAGE, -ENOENT, "there is none with such a name",
				"see 'kstats-bpf node ls'", "cannot show nodes '%s'",
				a->common.nodes);
	return err;
}

/* ---- what is shown ---- */

static void top_settle(struct top_asked *a)
{
	static const enum screen_order orders[] = {
		[SORT_TOTAL] = SCREEN_BY_TIME, [SORT_COUNT] = SCREEN_BY_RATE,
		[SORT_P50] = SCREEN_BY_P50,    [SORT_P99] = SCREEN_BY_P99,
		[SORT_MAX] = SCREEN_BY_MAX,
	};
	const struct top_words *c = &a->common;
	struct top *t = &a->top;

	t->facts = a->facts;
	t->costs = &a->costs;
	t->out = stdout;
	t->frames = c->frames;
	t->record = c->spec.record;
	t->interval_ns = c->spec.interval_ns ?: INTERVAL_NS;
	t->duration_ns = c->spec.duration_ns;
	t->screen.unit = c->spec.unit ?: "auto";
	t->screen.order = a->usual && !c->spec.sort ? SCREEN_AS_GIVEN : orders[c->spec.sort];
}

static int top_check_words(const struct top_asked *a, struct error *e)
{
	const struct top *t = &a->top;

	if (t->interval_ns < INTERVAL_LEAST_NS)
		return error_set(e, EXIT_USAGE, -EINVAL, "nobody could read it",
				 "give 100ms or more", "cannot show a screen so often");
	/* Of one thing alone there is nothing else to show. */
	if (t->n_sources == 1 && t->sources[0].refused.err) {
		*e = t->sources[0].refused;
		return e->err;
	}
	return 0;
}

static void top_print_plans(const struct top *t)
{
	unsigned int i;

	for (i = 0; i < t->n_sources; i++) {
		printf("%s%s: %s\n", i ? "\n" : "", t->sources[i].name, t->sources[i].words);
		if (t->sources[i].refused.err)
			printf("not measured: %s\n", t->sources[i].refused.why);
		else if (!t->sources[i].is_node)
			plan_print(&t->sources[i].plan, stdout);
	}
}

/* The plans point to their specs, which must not move any more. */
static void top_point(struct top *t)
{
	unsigned int i;

	for (i = 0; i < t->n_sources; i++)
		t->sources[i].plan.spec = &t->sources[i].spec;
}

static int top_run_verb(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct top_asked a = { .top.root.fd = -1 };
	int err = top_make_rows(&a, e);
	unsigned int i;

	if (!err) {
		a.facts = facts_open("/", e);
		err = a.facts ? 0 : -ENOENT;
	}
	if (!err)
		err = top_read_words(&a, argc, argv, e);
	if (!err && a.common.nodes)
		err = top_add_nodes(&a, e);
	top_settle(&a);
	top_point(&a.top);
	if (!err)
		err = top_check_words(&a, e);
	if (!err && a.dry_run) {
		top_print_plans(&a.top);
		goto out;
	}
	if (!err)
		err = top_check(&a.top, e);
	if (!err)
		err = refusal_check_user(v->needs_bpf, "top", e);
	if (!err) {
		calibrated_load(true, &a.costs);
		a.top.tags = &a.top.sources[0].spec.tags;
		err = top_run(&a.top, e);
	}
	if (a.top.kept)
		fprintf(stderr, "kstats-bpf: %s\n", a.top.kept);
out:
	for (i = 0; i < a.top.n_sources; i++)
		recipe_drop(&a.taken[i]);
	free(a.taken);
	top_close(&a.top);
	costs_free(&a.costs);
	facts_close(a.facts);
	free(a.rows);
	return err;
}

const struct verb top_verb = {
	.name = "top",
	.line = "watch functions, pairs and nodes on the terminal",
	.help = &top_help,
	.options = top_options,
	.more = spec_options,
	.takes = OFFER_FUNCTIONS,
	.needs_bpf = true,
	.run = top_run_verb,
};
