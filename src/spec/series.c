// SPDX-License-Identifier: GPL-2.0-only
/* series.c - the words about several runs and their gate. */
#include "spec/priv.h"

#include <errno.h>

static int series_add_rule(struct spec_gate *g, bool relative, const char *value, struct error *e)
{
	if (g->n_rules == SPEC_RULES_MAX)
		return spec_bad(e, relative ? "--max-increase" : "--assert", value,
				"there are 64 rules already",
				"check recordings twice, with some of the rules each time");
	g->rules[g->n_rules++] = (struct spec_rule){ relative, value };
	return 0;
}

int spec_set_assert(void *to, const char *value, struct error *e)
{
	return series_add_rule(to, false, value, e);
}

int spec_set_increase(void *to, const char *value, struct error *e)
{
	return series_add_rule(to, true, value, e);
}

/* ---- do they fit together ---- */

static int missing(struct error *e, const char *option, const char *why, const char *next)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, next, "cannot use %s", option);
}

static bool compares(const struct spec_series *s)
{
	size_t i;

	for (i = 0; i < s->gate.n_rules; i++)
		if (s->gate.rules[i].relative)
			return true;
	return false;
}

static int series_check_looks(const struct spec *spec, struct error *e)
{
	const struct spec_series *s = &spec->series;
	char range[40];

	if (!s->first)
		return 0;
	snprintf(range, sizeof(range), "--runs %u..%u", s->first, s->runs);
	if (!s->vs || !compares(s))
		return missing(e, range, "no rule that compares can end it",
			       "add --vs 'COMMAND' and --max-increase p99=5%, or name one number");
	if (s->first < 2)
		return missing(e, range,
			       "one run on a side does not show how much runs differ by chance",
			       "begin with 6");
	return 0;
}

static int check_vs(const struct spec *spec, struct error *e)
{
	const struct spec_series *s = &spec->series;

	if (!s->vs && compares(s))
		return missing(e, "--max-increase", "there is nothing to compare with",
			       "add --vs 'COMMAND', or keep the runs and use 'kstats-bpf check'");
	if (!s->vs)
		return 0;
	if (!spec->command)
		return missing(e, "--vs", "there is no command to compare with it",
			       "add -- COMMAND");
	if (s->runs < 2)
		return missing(e, "--vs",
			       "one run on a side does not show how much runs differ by chance",
			       "add --runs 6");
	if (!compares(s) && !spec->record)
		return missing(e, "--vs", "no rule compares with it",
			       "add --max-increase p99=5%, or --record FOLDER");
	return 0;
}

int spec_check_series(struct spec *spec, struct error *e)
{
	struct spec_series *s = &spec->series;
	const struct spec_gate *g = &s->gate;
	int err;

	if (!s->runs && g->n_rules)
		s->runs = 1;
	if (!g->n_rules && (g->confidence >= 0 || g->undecided || g->allow_empty))
		return missing(e,
			       g->confidence >= 0 ? "--confidence"
			       : g->allow_empty   ? "--allow-empty"
						  : "--inconclusive",
			       "there is no rule", "add --assert 'p99<10us'");
	if (s->runs && !g->n_rules && !spec->record)
		return missing(e, "--runs", "there is nothing to do with them",
			       "add --assert 'p99<10us', or --record FOLDER");
	if (s->runs && !spec->command && !spec->duration_ns)
		return missing(e, g->n_rules ? "--assert" : "--runs", "a run would not end",
			       "add -- COMMAND, or --duration");
	err = check_vs(spec, e);
	return err ? err : series_check_looks(spec, e);
}
