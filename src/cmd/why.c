// SPDX-License-Identifier: GPL-2.0-only
/* why.c - the verb `why`: what makes the slow calls of a function or pair slow. */
#include "cmd/cmd.h"

#include <stdlib.h>

#include "spec/spec.h"

static const struct verb_help why_help = {
	.usage = "why TARGET [options] [-- COMMAND [ARGS]]\n"
		 "       kstats-bpf why --start X --end Y [options] [-- COMMAND [ARGS]]\n"
		 "       kstats-bpf why @RECIPE [PARAMETER] [options] [-- COMMAND [ARGS]]",
	.about = "Find out what makes the slow calls of a function, or of a pair of points, slow:\n"
		 "where their time goes, what sets them apart from ordinary calls, where they\n"
		 "wait and who wakes them, and the worst ones. It takes the arguments of\n"
		 "'kstats-bpf trace' about what is measured, whom, and how long. Its formats are\n"
		 "summary, json, csv, html and perfetto; others, like hgrm, show the distribution.",
	.examples = "  kstats-bpf why vfs_read -d 10\n"
		    "  kstats-bpf why vfs_fsync_range --slower 1ms -- make\n"
		    "  kstats-bpf why u:./server:handle -p 1234\n"
		    "  kstats-bpf why @biolat -d 10\n",
};

/* The rows of `trace` and its own. */
static struct option_row *why_join_rows(void)
{
	size_t n = 0, own = 0;
	struct option_row *rows;

	while (spec_options[n].name)
		n++;
	while (spec_why_options[own].name)
		own++;
	rows = calloc(n + own + 1, sizeof(*rows));
	if (!rows)
		return NULL;
	for (n = 0; spec_options[n].name; n++)
		rows[n] = spec_options[n];
	for (own = 0; spec_why_options[own].name; own++)
		rows[n + own] = spec_why_options[own];
	return rows;
}

static int why_parse(struct spec *spec, int argc, char **argv, struct error *e)
{
	struct option_row *rows = why_join_rows();
	int err = rows ? spec_parse_why(spec, rows, argc, argv, e)
		       : error_no_memory(e, "cannot read the words");

	free(rows);
	return err;
}

static int why_run(const struct verb *v, int argc, char **argv, struct error *e)
{
	return cmd_measure(v, why_parse, argc, argv, e);
}

const struct verb why_verb = {
	.name = "why",
	.line = "find out what makes the slow calls of a function slow",
	.help = &why_help,
	.options = spec_why_options,
	.more = spec_options,
	.takes = OFFER_FUNCTIONS,
	.needs_bpf = true,
	.run = why_run,
};
