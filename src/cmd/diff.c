// SPDX-License-Identifier: GPL-2.0-only
/* diff.c - the verb `diff`: two sets of recordings side by side. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "judge/judge.h"
#include "ui/input.h"
#include "ui/output.h"
#include "util/outfile.h"

#define CONFIDENCE 0.95

struct sides {
	const struct format *format;
	const char *output;
	bool across;
	bool force;
	const char *by; /* or NULL */
	enum kmem_sort sort;
	unsigned int top;
};

#define TOP_MOST 1000000
#define MEMORY "Memory events"

static int set_format(void *to, const char *value, struct error *e)
{
	const unsigned int kinds = REPORT_DIFF | REPORT_KMEM_DIFF;
	struct sides *s = to;
	char next[FORMAT_WORDS];

	s->format = format_find(value, kinds);
	if (s->format)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "there is no such format",
			 format_words(kinds, next), "cannot use '%s' for --format", value);
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
	{ "by", 0, "WHAT", MEMORY, "site, cache, kind, size, order, or a part of --by",
	  OPTION_TEXT(by), .words = kmem_names },
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

/* Writes a report and releases it. */
static int write_report(const struct sides *s, struct report *r, FILE *out, struct error *e)
{
	int err = format_write(s->format, out, r);

	report_free(r);
	return err ? output_failed("the comparison", e) : 0;
}

static int show_calls(const struct sides *s, const struct runs *before, const struct runs *after,
		      FILE *out, struct error *e)
{
	const struct report_sides sides = { before, after };
	struct compare_set a = runs_set(before, s->across), b = runs_set(after, s->across);
	struct compare c = {};
	struct report r;
	int err = s->force ? 0 : runs_check(before, after, s->across, e);

	if (!err)
		err = compare_make(&c, &a, &b, compare_metrics, CONFIDENCE, e);
	if (!err) {
		judge_machines(c.machines, sizeof(c.machines), after, before);
		report_diff(&r, &c, s->format->detail == REPORT_PAGE ? &sides : NULL);
		if (report_diff_slow(&r, before, after))
			r.err = -ENOMEM;
		err = write_report(s, &r, out, e);
	}
	compare_free(&c);
	return err;
}

/* ---- memory events ---- */

static int check_memory_words(const struct sides *s, const struct runs *set, struct error *e)
{
	size_t i;
	int err = 0;

	if (s->across || s->force)
		return error_set(e, EXIT_USAGE, -EINVAL, "these are recordings of memory events",
				 "leave it out", "cannot use --%s",
				 s->across ? "across-methods" : "force");
	for (i = 0; !err && i < set->n; i++) {
		err = kmem_group_check(set->memory[i], s->by, e);
		if (!err && s->sort == KMEM_SORT_LIVE && !set->memory[i]->lifetimes)
			err = error_set(e, EXIT_USAGE, -ENODATA, "it does not tell what is live",
					"measure it with --lifetime",
					"cannot compare '%s' by live bytes",
					set->memory[i]->source);
	}
	return err;
}

static int show_memory(const struct sides *s, const struct runs *before, const struct runs *after,
		       FILE *out, struct error *e)
{
	const struct kmem_side a = { before->n, (const struct kmem *const *)before->memory };
	const struct kmem_side b = { after->n, (const struct kmem *const *)after->memory };
	const struct report_sides sides = { before, after };
	const size_t top = s->top ? s->top : REPORT_KMEM_TOP;
	struct kmem_compare c = {};
	struct report r;
	int err = kmem_compare_make(&c, &a, &b, s->by, s->sort);

	if (err) {
		error_no_memory(e, "cannot compare the recordings");
	} else {
		report_kmem_diff(&r, &c, top, s->format->detail == REPORT_PAGE ? &sides : NULL);
		err = write_report(s, &r, out, e);
	}
	kmem_compare_free(&c);
	return err;
}

/* ---- both kinds ---- */

static int diff_check_words(const struct sides *s, const struct runs *before,
			    const struct runs *after, struct error *e)
{
	int err;

	if (before->memory) {
		err = check_memory_words(s, before, e);
		return err ? err : check_memory_words(s, after, e);
	}
	if (s->by || s->sort || s->top)
		return error_set(e, EXIT_USAGE, -EINVAL, "these are recordings of 'trace'",
				 "leave it out", "cannot use --%s",
				 s->by     ? "by"
				 : s->sort ? "sort"
					   : "top");
	return 0;
}

static int diff_show(const struct sides *s, const struct runs *before, const struct runs *after,
		     struct error *e)
{
	struct outfile file = {};
	FILE *out = stdout;
	int err = diff_check_words(s, before, after, e);

	if (!err && s->output)
		err = outfile_open(&file, s->output, e);
	if (!err && s->output)
		out = file.stream;
	if (!err)
		err = before->memory ? show_memory(s, before, after, out, e)
				     : show_calls(s, before, after, out, e);
	if (!err && !s->output && fflush(stdout))
		err = output_failed("the comparison", e);
	if (!err && s->output)
		err = outfile_commit(&file, e);
	outfile_abort(&file);
	return err;
}

static int diff_files(const struct sides *s, char *const *before, size_t n_before,
		      char *const *after, size_t n_after, struct error *e)
{
	struct runs a = {}, b = {};
	int err;

	if (!n_before || !n_after)
		return error_set(e, EXIT_USAGE, -EINVAL, "it takes two sets of recordings",
				 "write diff BEFORE... -- AFTER...", "nothing to compare");
	err = input_load_runs(&a, NULL, before, n_before, e);
	if (!err)
		err = input_load_runs(&b, &a, after, n_after, e);
	if (!err)
		err = diff_show(s, &a, &b, e);
	runs_free(&a);
	runs_free(&b);
	return err;
}

/* Options may stand on either side of "--". */
static int diff_run(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct sides s = { .format = format_find("text", REPORT_DIFF) };
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
	return diff_files(&s, argv + first, split - first, argv + second, argc - second, e);
}

const struct verb diff_verb = {
	.name = "diff",
	.line = "show what changed between two sets of recordings",
	.help = &diff_help,
	.options = diff_options,
	.run = diff_run,
};
