// SPDX-License-Identifier: GPL-2.0-only
/* diff.c - the verb `diff`: two sets of recordings side by side. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

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
};

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
	{ "output", 'o', "FILE", "Options", "write there, all or nothing", OPTION_TEXT(output) },
	{ "across-methods", 0, NULL, "Options", "methods may differ; allow for their floors",
	  OPTION_FLAG(across) },
	{ "force", 0, NULL, "Options", "also if they were not recorded alike", OPTION_FLAG(force) },
	{},
};

static const struct verb_help diff_help = {
	.usage = "diff BEFORE... -- AFTER... [options]",
	.about = "What changed from one set of recordings of 'trace --record' to another, with\n"
		 "intervals over the runs, of 95% together. It judges nothing; 'check' does.",
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

static int load_both(const struct sides *s, char *const *before, int n_before, char *const *after,
		     int n_after, struct error *e)
{
	struct runs a = {}, b = {};
	int err = 0;

	if (!n_before || !n_after)
		err = error_set(e, EXIT_USAGE, -EINVAL, "it takes two sets of recordings",
				"write diff BEFORE... -- AFTER...", "nothing to compare");
	if (!err)
		err = runs_load(&a, before, n_before, e);
	if (!err)
		err = runs_load(&b, after, n_after, e);
	if (!err)
		err = show(s, &a, &b, e);
	runs_free(&a);
	runs_free(&b);
	return err;
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
	return load_both(&s, argv + first, split - first, argv + second, argc - second, e);
}

const struct verb diff_verb = {
	.name = "diff",
	.line = "what changed between two sets of recordings",
	.help = &diff_help,
	.options = diff_options,
	.run = run,
};
