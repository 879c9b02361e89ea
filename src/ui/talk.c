// SPDX-License-Identifier: GPL-2.0-only
/* talk.c - messages about a measurement. */
#include "ui/talk.h"

#include <errno.h>
#include <stdio.h>

#include "calibrate/calibrate.h"
#include "result/dist.h"
#include "result/ledger.h"
#include "util/units.h"

/* For samples shorter than this, the floor may be a large part. */
#define SHORT_NS 1000

void talk_left_out(const struct measure *m)
{
	const char *name, *why;
	unsigned int i;

	for (i = 0; (name = measure_left_out(m, i, &why)); i++)
		fprintf(stderr, "kstats-bpf: left out '%s': %s\n", name, why);
}

void talk_calls_left_out(const struct recording *r)
{
	if (r->why_left_out)
		fputs("kstats-bpf: single calls are left out: each measurement has a threshold "
		      "of its own; report them one by one\n",
		      stderr);
}

void talk_end(const struct measure *m)
{
	uint64_t n = measure_untracked(m);

	if (n)
		fprintf(stderr,
			"kstats-bpf: %llu tasks of the command were not followed: "
			"there are too many\n",
			(unsigned long long)n);
}

static bool is_short(const struct snapshot *s, uint32_t node)
{
	struct dist d;
	bool is = !dist_open(&d, s, node, DIST_ALL_CPUS) && d.samples &&
		  dist_quantile(&d, DIST_ONE / 2).lo < SHORT_NS;

	dist_close(&d);
	return is;
}

void talk_floor(const struct recording *r)
{
	uint32_t i;

	for (i = 0; i < r->whole->n_nodes; i++) {
		if (!ledger_is_owner(r->whole, i) || !is_short(r->whole, i))
			continue;
		if (calibrate_hint(&calibrate_here))
			fprintf(stderr, "kstats-bpf: the floor on this machine is not known; "
					"'kstats-bpf calibrate' measures it\n");
		return;
	}
}

int talk_overhead(const struct measure *m, const struct spec *spec, struct error *e)
{
	char share[UNITS_TEXT], allowed[UNITS_TEXT], took[64], why[160];
	unsigned int cpus;
	double percent;
	bool ended, over = measure_overhead(m, &percent, &cpus, &ended);

	snprintf(took, sizeof(took), "%s of %u CPU%s", units_share(share, percent), cpus,
		 units_plural(cpus));
	snprintf(why, sizeof(why), "the overhead was about %s, more than the %s allowed", took,
		 units_share(allowed, spec->max_overhead));
	if (over)
		return error_set(e, EXIT_OVERHEAD, -EDQUOT, why,
				 "measure what is called less often, or allow more",
				 ended ? "measurement ended" : "overhead limit passed");
	if (!spec->quiet)
		fprintf(stderr, "kstats-bpf: largest overhead: about %s\n", took);
	return 0;
}

int talk_unseen(const struct snapshot *s, struct error *e)
{
	if (!s->unseen || !*s->unseen)
		return 0;
	return error_set(e, EXIT_LEDGER, -EIO, s->unseen, "remove the cause, and measure again",
			 "not exact, calls may be missing");
}

int talk_followed(const struct measure *m, struct error *e)
{
	if (!measure_untracked(m))
		return 0;
	return error_set(e, EXIT_LEDGER, -EIO, "not all tasks of the command were followed",
			 "use --comm or --cgroup", "not exact");
}

static int refuse_loss(const char *name, const char *why, struct error *e)
{
	return error_set(e, EXIT_LEDGER, -EIO, why, "see the ledger in the summary",
			 "not exact: '%s'", name);
}

static int check_node_loss(const struct snapshot *s, uint32_t i, double percent, struct error *e)
{
	const struct snapshot_node *n = &s->nodes[i];
	const uint64_t shared = n->ledger[KSTATS_SKIPPED_SHARED];
	const uint64_t started = n->ledger[KSTATS_STARTED] + n->ledger[KSTATS_SKIPPED] + shared;
	const uint64_t lost = ledger_lost(s, i) + shared;
	const uint64_t unsure = n->ledger[KSTATS_SKIPPED_ANYONE] + ledger_may_be_lost(s, i);
	const double most = percent / 100 * (double)started;
	char share[UNITS_TEXT], allowed[UNITS_TEXT], why[160];

	if (ledger_balance(s, i))
		return refuse_loss(n->name, "its ledger does not balance", e);
	if (lost + unsure <= most)
		return 0;
	if (lost <= most)
		return error_set(e, EXIT_LEDGER, -EIO,
				 "the kernel skipped calls, and it is not known whether "
				 "measured tasks made any of them",
				 "see the ledger in the summary",
				 "cannot tell whether %s was lost: '%s'",
				 percent > 0 ? "more than --max-loss" : "anything", n->name);
	if (percent <= 0)
		return refuse_loss(n->name, "events were lost", e);
	snprintf(why, sizeof(why), "%s of its events were lost, --max-loss allows %s",
		 units_percent(share, lost, started), units_share(allowed, percent));
	return refuse_loss(n->name, why, e);
}

int talk_loss(const struct snapshot *s, double percent, struct error *e)
{
	uint32_t i;
	int err = talk_unseen(s, e);

	for (i = 0; !err && i < s->n_nodes; i++)
		if (ledger_is_owner(s, i))
			err = check_node_loss(s, i, percent, e);
	return err;
}
