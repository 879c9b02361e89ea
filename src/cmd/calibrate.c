// SPDX-License-Identifier: GPL-2.0-only
/* calibrate.c - the verb `calibrate`: floor and overhead on this machine. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ui/calibrated.h"
#include "ui/output.h"
#include "util/options.h"
#include "util/refusal.h"
#include "util/units.h"

struct calibrate {
	struct calibrate_want want;
	bool show;
	bool json;
	bool quiet;
	enum spec_method method;
	struct facts *facts;
	struct costs costs;
};

/* ---- words ---- */

#define OPTIONS_OF struct calibrate

static const struct option_row calibrate_options[] = {
	{ "show", 0, NULL, "Options", "show the last result, and measure nothing",
	  OPTION_FLAG(show) },
	{ "method", 'm', "METHOD", "Options", "only this one",
	  OPTION_INDEX(method, enum spec_method, spec_method_names),
	  .why = "there is no such method", .next = "leave it out, all are measured" },
	{ "backend", 0, "BACKEND", "Options", "only this one: map or kmod",
	  OPTION_INDEX(want.backend, enum spec_backend, spec_backend_names),
	  .next = "leave it out, both are measured" },
	{ "json", 0, NULL, "Options", "print one JSON object", OPTION_FLAG(json) },
	{ "quiet", 'q', NULL, "Options", "only errors on standard error", OPTION_FLAG(quiet) },
	{},
};

static const struct verb_help calibrate_help = {
	.usage = "calibrate [options]",
	.about = "Measure, for each method and backend that loads here, the duration that is\n"
		 "recorded for an empty function (the floor), and how much longer a traced call\n"
		 "takes (the overhead), with hot and with cold caches. The result is kept until\n"
		 "the next boot; 'trace' shows it beside its figures.",
	.examples = "  sudo kstats-bpf calibrate\n  kstats-bpf calibrate --show --json\n",
};

/* ---- the result ---- */

static void print_costs(const struct costs *costs)
{
	char hot[UNITS_TEXT], cold[UNITS_TEXT], add_hot[UNITS_TEXT], add_cold[UNITS_TEXT];
	const struct cost *c;

	printf("%-39s %-7s %-7s %9s %9s %9s\n", "", "", "", "floor", "", "added");
	printf("%-39s %-7s %-7s %9s %9s %9s %9s\n", "method", "backend", "paired", "hot", "cold",
	       "hot", "cold");
	for (c = costs->rows; c < costs->rows + costs->n; c++)
		printf("%-39s %-7s %-7s %9s %9s %9s %9s\n", c->method, c->backend, c->pairing,
		       units_duration(hot, c->floor_ns[COST_HOT].median, "auto"),
		       units_duration(cold, c->floor_ns[COST_COLD].median, "auto"),
		       units_duration(add_hot, c->added_ns[COST_HOT].median, "auto"),
		       units_duration(add_cold, c->added_ns[COST_COLD].median, "auto"));
}

static int calibrate_show(const struct calibrate *c, struct error *e)
{
	int err = 0;

	if (c->json)
		err = calibrate_write(&calibrate_here, &c->costs, stdout);
	else
		print_costs(&c->costs);
	if (!err && !fflush(stdout))
		return 0;
	return output_failed("the result", e);
}

/* ---- the recipe ---- */

static int cmd_calibrate_load(struct calibrate *c, struct error *e)
{
	int err;

	if (c->method != SPEC_METHOD_AUTO || c->want.backend != SPEC_BACKEND_AUTO)
		return error_set(e, EXIT_USAGE, -EINVAL, "it shows all that is kept",
				 "leave one out",
				 "cannot combine --show with --method or --backend");
	err = calibrate_load(&calibrate_here, &c->costs, e);
	if (err)
		e->status = EXIT_USAGE;
	if (err != -ENOENT)
		return err;
	return error_set(e, EXIT_USAGE, err, "nothing was calibrated since the boot",
			 "run 'kstats-bpf calibrate'", "nothing to show");
}

static int cmd_calibrate_measure(const struct verb *v, struct calibrate *c, struct error *e)
{
	int err = refusal_check_user(v->needs_bpf, "calibrate", e);

	if (err)
		return err;
	c->facts = facts_open("/", e);
	if (!c->facts)
		return -ENOENT;
	if (c->method != SPEC_METHOD_AUTO && c->method != SPEC_METHOD_FAST)
		c->want.method = spec_method_names[c->method];
	return calibrated_measure(c->facts, &c->want, c->quiet, &c->costs, e);
}

static int cmd_calibrate_run(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct calibrate c = {};
	struct error late = {};
	int first, err;

	err = options_parse(v->options, &c, argc, argv, &first, e);
	if (!err && first < argc)
		err = error_set(e, EXIT_USAGE, -EINVAL, "calibrate takes no other words",
				"see 'kstats-bpf calibrate --help'", "cannot use '%s'",
				argv[first]);
	if (!err)
		err = c.show ? cmd_calibrate_load(&c, e) : cmd_calibrate_measure(v, &c, e);
	/* What was measured is shown even if it cannot be kept. */
	if (c.costs.n && calibrate_show(&c, &late) && !err) {
		err = late.err;
		*e = late;
	}
	costs_free(&c.costs);
	facts_close(c.facts);
	return err;
}

const struct verb calibrate_verb = {
	.name = "calibrate",
	.line = "measure floor and overhead on this machine",
	.help = &calibrate_help,
	.options = calibrate_options,
	.needs_bpf = true,
	.run = cmd_calibrate_run,
};
