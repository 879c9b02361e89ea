// SPDX-License-Identifier: GPL-2.0-only
/* check.c - the verb `check`: the gate of a pipeline. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "spec/spec.h"
#include "ui/gate.h"
#include "ui/input.h"

#define LAST 20 /* sets of a history */

struct words {
	struct spec_gate rules;
	struct gate gate;
	char **base; /* files of --base */
	size_t n_base;
	const char *history; /* folder of accepted sets */
	struct past past;
	const char *output;
};

/* ---- options ---- */

/* For --base=FILE. The form --base FILE... is handled earlier, by take_base(). */
static int set_base(void *to, const char *value, struct error *e)
{
	struct words *w = to;

	w->base[w->n_base++] = (char *)value;
	return 0;
}

#define RULES "Rules"
#define RUNS "Runs"
#define RESULT "Result"

#define OPTIONS_OF struct words

static const struct option_row check_options[] = {
	SPEC_GATE_OPTIONS(RULES, rules, "the base", false),
	{ "base", 0, "FILE...", RUNS, "recordings to compare with", .set = set_base },
	{ "history", 0, "FOLDER", RUNS, "compare with the accepted sets in it",
	  OPTION_FILLED(history) },
	{ "last", 0, "N", RUNS, "compare with the last N accepted sets (20)",
	  OPTION_NUMBER(gate.terms.last, HISTORY_LAST_LEAST, HISTORY_SETS_MOST) },
	{ "accept", 0, NULL, RUNS, "add the new set to the history if it passes",
	  OPTION_FLAG(gate.accept) },
	{ "rebase", 0, NULL, RUNS, "accept at any level, and begin anew with it",
	  OPTION_FLAG(gate.rebase) },
	{ "across-methods", 0, NULL, RUNS, "methods may differ; allow for their floors",
	  OPTION_FLAG(gate.terms.across) },
	{ "force", 0, NULL, RUNS, "judge even if they were recorded differently",
	  OPTION_FLAG(gate.terms.force) },
	{ "format", 'f', "FORMAT", RESULT, "text junit tap github json gobench html series",
	  OPTION_BY(gate, gate_set_format), .offers = OFFER_VERDICTS },
	{ "output", 'o', "FILE", RESULT, "write to this file, complete or not at all",
	  OPTION_TEXT(output) },
	{},
};

static const struct verb_help check_help = {
	.usage = "check FILE... [--base FILE... | --history FOLDER] [options]",
	.about = "Check that recordings are within bounds, and not slower than others. The exit\n"
		 "status is 0 if all rules hold, 1 if one fails, and 3 if the recordings do not\n"
		 "decide it.",
	.examples =
		"  kstats-bpf check run.json --assert 'p99<10us' --assert 'loss==0'\n"
		"  kstats-bpf check new-*.json --base old-*.json --max-increase p99=5%\n"
		"  kstats-bpf check new-*.json --base old-*.json --max-increase p50=3% -f junit\n"
		"  kstats-bpf check new-*.json --history accepted --accept --max-increase p99=5%\n",
};

/* ---- words ---- */

/* "-" is standard input. */
static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

/* Take the words between --base and the next option out of @argv. */
static int take_base(struct words *w, int argc, char **argv)
{
	bool in_base = false;
	int i, n = 1;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--base"))
			in_base = true;
		else if (in_base && !is_option(argv[i]))
			w->base[w->n_base++] = argv[i];
		else
			in_base = false;
		if (!in_base)
			argv[n++] = argv[i];
	}
	argv[n] = NULL;
	return n;
}

static int check_history(const struct words *w, int n_files, struct error *e)
{
	if (w->history && w->n_base)
		return error_set(e, EXIT_USAGE, -EINVAL, "each of them says what to compare with",
				 "leave one of them out", "cannot use --history with --base");
	if (!w->history && (w->gate.accept || w->gate.terms.last))
		return error_set(e, EXIT_USAGE, -EINVAL, "there is no history",
				 "add --history FOLDER", "cannot use %s",
				 w->gate.accept ? "--accept" : "--last");
	if (w->gate.rebase && !w->gate.accept)
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "the new level begins with an accepted set", "add --accept",
				 "cannot use --rebase");
	if (w->gate.accept && !n_files)
		return error_set(e, EXIT_USAGE, -EINVAL, "the newest set of the folder is in it",
				 "name recordings to judge", "cannot use --accept");
	return 0;
}

static int cmd_check_words(const struct words *w, int n_files, struct error *e)
{
	if (n_files < 1 && !w->history)
		return error_set(e, EXIT_USAGE, -EINVAL, "no recording is named",
				 "name files of 'trace --record'", "nothing to check");
	if (!w->rules.n_rules)
		return error_set(e, EXIT_USAGE, -EINVAL, "there is no rule",
				 "add --assert 'p99<10us', or --base with --max-increase p99=5%",
				 "nothing to check");
	if (w->gate.relative && !w->n_base && !w->history)
		return error_set(e, EXIT_USAGE, -EINVAL, "there is nothing to compare with",
				 "add --base FILE... or --history FOLDER",
				 "cannot use --max-increase");
	if (w->gate.terms.across && !w->n_base)
		return error_set(e, EXIT_USAGE, -EINVAL,
				 w->history ? "the sets of a history are of one method"
					    : "there is nothing to compare with",
				 w->history ? "leave it out, or name --base FILE... instead"
					    : "add --base FILE...",
				 "cannot use --across-methods");
	if ((w->n_base || w->history) && !w->gate.relative)
		return error_set(e, EXIT_USAGE, -EINVAL, "no rule compares with it",
				 "add --max-increase p99=5%", "cannot use %s",
				 w->n_base ? "--base" : "--history");
	return check_history(w, n_files, e);
}

/* ---- memory events ---- */

static int cmd_check_memory_words(const struct words *w, const char *path, struct error *e)
{
	const char *option = w->gate.relative       ? "--max-increase"
			     : w->n_base            ? "--base"
			     : w->history           ? "--history"
			     : w->gate.terms.across ? "--across-methods"
			     : w->gate.terms.force  ? "--force"
						    : NULL;

	if (!option)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "it is a recording of memory events",
			 "leave it out; 'kstats-bpf diff' compares these", "cannot use %s for '%s'",
			 option, path);
}

/* ---- the recipe ---- */

static int load_history(struct words *w, struct runs *runs, struct error *e)
{
	int err = past_open(&w->past, w->history, w->gate.accept, e);

	w->gate.past = &w->past;
	w->gate.terms.accepted = &w->past.accepted;
	w->gate.terms.last = w->gate.terms.last ? w->gate.terms.last : LAST;
	return err || runs->n ? err : past_newest(&w->past, runs, e);
}

static int judge_files(struct words *w, char **files, int n, struct runs *runs, struct runs *base,
		       struct error *e)
{
	int err = input_load_runs(runs, NULL, files, n, e);

	if (!err && runs->memory)
		err = cmd_check_memory_words(w, runs->memory[0]->source, e);
	if (!err)
		err = input_load_runs(base, runs, w->base, w->n_base, e);
	if (!err && w->history)
		err = load_history(w, runs, e);
	if (!err)
		err = gate_open(&w->gate, w->output, e);
	return err ? err : gate_judge(&w->gate, runs, base, e);
}

static int check_judge(const struct verb *v, struct words *w, int argc, char **argv,
		       struct error *e)
{
	struct runs runs = {}, base = {};
	int first, err;

	argc = take_base(w, argc, argv);
	err = options_parse(v->options, w, argc, argv, &first, e);
	if (!err)
		err = gate_take(&w->gate, &w->rules, e);
	if (!err)
		err = cmd_check_words(w, argc - first, e);
	if (!err)
		err = judge_files(w, argv + first, argc - first, &runs, &base, e);
	runs_free(&runs);
	runs_free(&base);
	return err;
}

static int check_run(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct words w = { .rules = SPEC_NO_GATE };
	int status;

	gate_init(&w.gate);
	w.base = calloc(argc + 1, sizeof(*w.base));
	if (!w.base)
		return error_no_memory(e, "cannot read the words");
	status = check_judge(v, &w, argc, argv, e);
	gate_close(&w.gate);
	past_close(&w.past);
	free(w.base);
	return status;
}

const struct verb check_verb = {
	.name = "check",
	.line = "check that recordings are within bounds and not slower",
	.help = &check_help,
	.options = check_options,
	.run = check_run,
};
