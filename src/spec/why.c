// SPDX-License-Identifier: GPL-2.0-only
/* why.c - the words of `why`: those of `trace`, and which calls are slow. */
#include "spec/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

#define WHY_QUANTILE 990000 /* p99, in millionths */
#define WHY_ONE 1000000

/* "p99.9": a quantile that leaves some calls above it. */
static bool why_quantile(const char *text, unsigned int *millionths)
{
	double percent;
	char *end;

	if (*text != 'p' || text[1] < '0' || text[1] > '9')
		return false;
	percent = strtod(text + 1, &end);
	*millionths = percent * (WHY_ONE / 100) + 0.5;
	return !*end && *millionths >= WHY_ONE / 2 && *millionths < WHY_ONE;
}

static int why_set_slower(void *to, const char *value, struct error *e)
{
	struct spec_slower *slower = to;

	*slower = (struct spec_slower){};
	if (why_quantile(value, &slower->millionths))
		return 0;
	if (!units_parse_duration(value, 1, &slower->ns) && slower->ns)
		return 0;
	return spec_bad(e, "--slower", value,
			"it is a quantile from p50 to p99.9999, or a duration like 1ms", NULL);
}

static int why_set_show(void *to, const char *value, struct error *e)
{
	struct spec *spec = to;
	char text[EXPR_LENGTH_MAX + 2];
	const char *part = value;
	size_t length;
	int err;

	for (;; part += length + 1) {
		if (spec->n_show == KSTATS_WHY_SHOW)
			return spec_bad(e, "--show", value, "it has more than four expressions",
					NULL);
		spec->show[spec->n_show] = malloc(sizeof(*spec->show[0]));
		if (!spec->show[spec->n_show])
			return error_no_memory(e, "cannot read the words");
		part += strspn(part, " ");
		length = expr_cut(part);
		snprintf(text, sizeof(text), "%.*s", (int)length, part);
		err = expr_parse(spec->show[spec->n_show++], "--show", text, e);
		if (err || !part[length])
			return err;
	}
}

#define OPTIONS_OF struct spec

const struct option_row spec_why_options[] = {
	{ "slower", 0, "WHAT", "What is slow", "calls from this quantile or duration on (p99)",
	  OPTION_BY(slower, why_set_slower) },
	{ "show", 0, "EXPR[,EXPR]", "What is shown",
	  "values to keep with each call, like str(filename)", .set = why_set_show,
	  .offers = OFFER_EXPRESSIONS },
	{},
};

static int why_clash(struct error *e, const char *option, const char *why)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, "leave it out", "cannot use %s with why",
			 option);
}

static int why_check(const struct spec *spec, struct error *e)
{
	const struct {
		bool is_used;
		const char *option, *why;
	} rows[] = {
		{ spec->value, "--value", "it looks at durations" },
		{ spec_has_markers(spec), "m:NAME", "programs record no single calls" },
		{ spec->via.kind != SPEC_NONE, "--via",
		  "it tells the parts of a call, not its stages" },
		{ spec->gap, spec->classic ? "the classic words" : "--gap",
		  "it looks at durations" },
		{ spec->interval_ns, "--interval", "there is one answer for the whole time" },
		{ spec->series.runs, "--runs, --vs or a rule", "it looks at one run" },
		{ spec->split_ret, "--by 'ret < 0'", "it compares return values anyway" },
		{ spec->floor == SPEC_FLOOR_SUBTRACT, "--floor subtract",
		  "parts add up to the duration as it was measured" },
		{ spec->method == SPEC_METHOD_DIRECT, "--method direct",
		  "this method has no program that could look at a call" },
		{ spec->method == SPEC_METHOD_TRACE_EVENT, "--method trace-event",
		  "this method does not look at single calls" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].is_used)
			return why_clash(e, rows[i].option, rows[i].why);
	return 0;
}

int spec_parse_why(struct spec *spec, const struct option_row *rows, int argc, char **argv,
		   struct error *e)
{
	int err;

	spec_set_defaults(spec);
	spec->why = true;
	err = spec_parse_words(spec, rows, argc, argv, e);
	if (!err)
		err = why_check(spec, e);
	if (err)
		return err;
	if (!spec->slower.millionths && !spec->slower.ns)
		spec->slower.millionths = WHY_QUANTILE;
	/* A start and an end that a key joins may be in two tasks, and parts are of one. */
	spec->parts = spec->pairing == KSTATS_BY_TASK;
	return 0;
}
