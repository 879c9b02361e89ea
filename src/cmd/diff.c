// SPDX-License-Identifier: GPL-2.0-only
/* diff.c - the verb `diff`: two sets of recordings side by side. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "render/kmem/diff.h"
#include "ui/input.h"
#include "ui/kmems.h"
#include "ui/output.h"
#include "ui/runs.h"
#include "render/diff/diff.h"
#include "util/outfile.h"

#define CONFIDENCE 0.95

struct sides {
	const char *format;
	const char *output;
	bool across;
	bool force;
	enum kmem_group by;
	enum kmem_sort sort;
	unsigned int top;
};

#define TOP_MOST 1000000
#define MEMORY "Memory events"

static int set_format(void *to, const char *value, struct error *e)
{
	char next[128] = "it is one of";
	const struct diff_format *f;

	((struct sides *)to)->format = value;
	if (diff_find(value))
		return 0;
	for (f = diff_formats; f->name; f++)
		snprintf(next + strlen(next), sizeof(next) - strlen(next), " %s", f->name);
	return error_set(e, EXIT_USAGE, -EINVAL, "there is no such format", next,
			 "cannot use '%s' for --format", value);
}

#define OPTIONS_OF struct sides

static const struct option_row diff_options[] = {
	{ "format", 'f', "FORMAT", "Options", "text, markdown, html or json", .set = set_format,
	  .offers = OFFER_DIFFS },
	{ "output", 'o', "FILE", "Options", "write to this file, complete or not at all",
	  OPTION_TEXT(output) },
	{ "across-methods", 0, NULL, "Options", "methods may differ; allow for their floors",
	  OPTION_FLAG(across) },
	{ "force", 0, NULL, "Options", "compare even if they were recorded differently",
	  OPTION_FLAG(force) },
	{ "by", 0, "WHAT", MEMORY, "site, cache, size, order, kind; comm, gfp, numa, cpu",
	  OPTION_INDEX(by, enum kmem_group, kmem_group_names) },
	{ "sort", 0, "WHAT", MEMORY, "by the change of waste, bytes, count, live, rate",
	  OPTION_INDEX(sort, enum kmem_sort, kmem_sort_names) },
	{ "top", 0, "N", MEMORY, "rows that are shown (20)", OPTION_NUMBER(top, 1, TOP_MOST) },
	{},
};

static const struct verb_help diff_help = {
	.usage = "diff BEFORE... -- AFTER... [options]",
	.about = "Show what changed from one set of recordings to another. For 'trace --record',\n"
		 "each change has an interval; all intervals together have a confidence of 95%.\n"
		 "For 'kmem --record', it shows which call sites waste more. For a verdict, use\n"
		 "'check'.",
	.examples = "  kstats-bpf diff old.json -- new.json\n"
		    "  kstats-bpf diff -f markdown old-*.json -- new-*.json\n",
};

static int show(const struct sides *s, const struct runs *before, const struct runs *after,
		struct error *e)
{
	struct compare_set a = runs_set(before, s->across), b = runs_set(after, s->across);
	struct outfile file = {};
	struct compare c = {};
	int err = s->force ? 0 : runs_check(before, after, s->across, e);

	if (!err)
		err = compare_make(&c, &a, &b, compare_metrics, CONFIDENCE, e);
	if (!err && s->output)
		err = outfile_open(&file, s->output, e);
	if (!err && (diff_find(s->format)->render(s->output ? file.stream : stdout, &c) ||
		     (!s->output && fflush(stdout))))
		err = output_failed("the comparison", e);
	if (!err && s->output)
		err = outfile_commit(&file, e);
	outfile_abort(&file);
	compare_free(&c);
	return err;
}

/* ---- memory events ---- */

static int check_memory(const struct sides *s, const struct kmems *set, struct error *e)
{
	size_t i;

	if (s->across || s->force)
		return error_set(e, EXIT_USAGE, -EINVAL, "these are recordings of memory events",
				 "leave it out", "cannot use --%s",
				 s->across ? "across-methods" : "force");
	for (i = 0; i < set->n; i++)
		if (!kmem_can_group(set->recs[i], s->by))
			return error_set(e, EXIT_USAGE, -ENODATA, "kmem ran without this --by",
					 "record again with it", "cannot compare '%s' by %s",
					 set->recs[i]->source, kmem_group_names[s->by]);
		else if (s->sort == KMEM_SORT_LIVE && !set->recs[i]->lifetimes)
			return error_set(e, EXIT_USAGE, -ENODATA, "it does not tell what is live",
					 "measure it with --lifetime",
					 "cannot compare '%s' by live bytes", set->recs[i]->source);
	return 0;
}

static int show_memory(const struct sides *s, const struct kmems *before, const struct kmems *after,
		       struct error *e)
{
	const struct kmem_side a = { before->n, (const struct kmem *const *)before->recs };
	const struct kmem_side b = { after->n, (const struct kmem *const *)after->recs };
	const size_t top = s->top ? s->top : RENDER_KMEM_TOP;
	struct outfile file = {};
	struct kmem_compare c = {};
	int err = kmem_compare_make(&c, &a, &b, s->by, s->sort);

	if (err)
		error_no_memory(e, "cannot compare the recordings");
	if (!err && s->output)
		err = outfile_open(&file, s->output, e);
	if (!err && (kmem_diff_find(s->format)->render(s->output ? file.stream : stdout, &c, top) ||
		     (!s->output && fflush(stdout))))
		err = output_failed("the comparison", e);
	if (!err && s->output)
		err = outfile_commit(&file, e);
	outfile_abort(&file);
	kmem_compare_free(&c);
	return err;
}

/* ---- both kinds ---- */

/* What was named on both sides; the first file says of which kind all are. */
struct named {
	char *const *before;
	int n_before;
	char *const *after;
	int n_after;
};

/* @first: of the first file; released */
static int diff_memory(const struct sides *s, const struct named *n, struct kmem *first,
		       struct error *e)
{
	struct kmems a = {}, b = {};
	int err = kmems_add(&a, first) ? error_no_memory(e, "cannot read the files") : 0;

	if (!err)
		err = kmems_load(&a, n->before + 1, n->n_before - 1, e);
	if (!err)
		err = kmems_load(&b, n->after, n->n_after, e);
	if (!err)
		err = check_memory(s, &a, e);
	if (!err)
		err = check_memory(s, &b, e);
	if (!err)
		err = show_memory(s, &a, &b, e);
	kmems_free(&a);
	kmems_free(&b);
	return err;
}

static int diff_runs(const struct sides *s, const struct named *n, struct recording *first,
		     struct error *e)
{
	struct runs a = {}, b = {};
	int err = runs_add(&a, first) ? error_no_memory(e, "cannot read the files") : 0;

	if (!err && (s->by || s->sort || s->top))
		err = error_set(e, EXIT_USAGE, -EINVAL, "these are recordings of 'trace'",
				"leave it out", "cannot use --%s",
				s->by     ? "by"
				: s->sort ? "sort"
					  : "top");
	if (!err)
		err = runs_load_more(&a, n->before + 1, n->n_before - 1, e);
	if (!err)
		err = runs_load(&b, n->after, n->n_after, e);
	if (!err)
		err = show(s, &a, &b, e);
	runs_free(&a);
	runs_free(&b);
	return err;
}

static int load_both(const struct sides *s, const struct named *n, struct error *e)
{
	struct input in;
	int err;

	if (!n->n_before || !n->n_after)
		return error_set(e, EXIT_USAGE, -EINVAL, "it takes two sets of recordings",
				 "write diff BEFORE... -- AFTER...", "nothing to compare");
	err = input_load_any(n->before[0], &in, e);
	if (err) {
		input_free(&in);
		return err;
	}
	return in.kmem ? diff_memory(s, n, in.kmem, e) : diff_runs(s, n, in.rec, e);
}

/* Options may stand on either side of "--". */
static int run(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct sides s = { .format = "text" };
	int split, first, second, err;

	for (split = 1; split < argc && strcmp(argv[split], "--"); split++)
		;
	err = options_parse(v->options, &s, split, argv, &first, e);
	second = split;
	if (!err && split < argc) {
		err = options_parse(v->options, &s, argc - split, argv + split, &second, e);
		second += split;
	}
	if (err)
		return err;
	return load_both(
		&s, &(struct named){ argv + first, split - first, argv + second, argc - second },
		e);
}

const struct verb diff_verb = {
	.name = "diff",
	.line = "show what changed between two sets of recordings",
	.help = &diff_help,
	.options = diff_options,
	.run = run,
};
