// SPDX-License-Identifier: GPL-2.0-only
/* trace.c - the verb `trace`: words, plan, session, reports. */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>

#include "ui/calibrated.h"
#include "ui/output.h"
#include "ui/progress.h"
#include "ui/series.h"
#include "ui/talk.h"
#include "facts/facts.h"
#include "measure/measure.h"
#include "plan/plan.h"
#include "recipes/recipes.h"
#include "util/clock.h"
#include "util/refusal.h"

static const struct verb_help trace_help = {
	.usage = "trace TARGET... | @RECIPE [PARAMETER] [options] [-- COMMAND]\n"
		 "       kstats-bpf trace --start X --end Y [options] [-- COMMAND]\n"
		 "       kstats-bpf trace POINT --value EXPR [options] [-- COMMAND]",
	.about = "Measure how long functions take, the time between two points, or a number at\n"
		 "one point, until Ctrl-C. TARGET is [MODULE:]FUNCTION, u:BINARY:FUNCTION, a glob\n"
		 "in quotes, or m:NAME for markers in programs; @RECIPE: see 'kstats-bpf recipes'.",
	.examples =
		"  kstats-bpf trace vfs_read\n"
		"  kstats-bpf trace --start tp:block_rq_issue --end tp:block_rq_complete --key rq\n"
		"  kstats-bpf trace u:%:parse --runs 6 --vs ./old --max-increase p50=5% -- ./new\n",
};

/* Everything a measurement holds, so that there is one way out. */
struct trace {
	struct recipe_words words;
	struct spec spec;
	struct facts *facts;
	struct plan plan;
	struct costs costs; /* floor and overhead */
	struct measure *measure;
	struct recording *recording;
	struct output output;
	struct outfile record;
	struct error saved; /* why the recording is not where it should be */
	struct progress progress;
	bool hinted; /* advice was given while it ran */
	uint64_t begin_ns; /* of the program */
	uint64_t planned_ns; /* when the plan was complete */
};

/* ---- words ---- */

static double seconds_since(uint64_t begin_ns)
{
	return (clock_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9;
}

/* Whoever reads this may begin: all that happens from now on is recorded. */
static void talk_start(void *ctx)
{
	const struct trace *t = ctx;

	if (t->spec.verbose)
		fprintf(stderr, "kstats-bpf: attached after %.3f s, which took %.3f s\n",
			seconds_since(t->begin_ns), seconds_since(t->planned_ns));
	if (t->spec.quiet)
		return;
	if (t->plan.breaks)
		fprintf(stderr, "kstats-bpf: the program may end: an exception cannot leave a "
				"function that is measured to its return\n");
	if (t->plan.n_nodes == 1 || t->plan.n_probes == 1 || t->plan.is_several)
		fprintf(stderr, "kstats-bpf: measuring %s", t->plan.nodes[0].what);
	else
		fprintf(stderr, "kstats-bpf: measuring %u %s",
			t->plan.n_probes ? t->plan.n_probes : t->plan.n_nodes,
			t->plan.n_probes ? "functions" : PLAN_MARKERS);
	if (t->spec.command)
		fprintf(stderr, " until the command ends\n");
	else
		fprintf(stderr,
			t->spec.duration_ns ? "\n" : "; Ctrl-C ends and shows the result\n");
}

/* ---- the measurement ---- */

/* If costs are needed, calibrate the methods that were really attached. */
static int know_costs(struct trace *t, struct error *e)
{
	struct calibrate_want want = { .plan = &t->plan };
	bool needed = t->spec.floor == SPEC_FLOOR_SUBTRACT || t->spec.max_overhead;
	int err = needed || t->costs.n ? measure_know(t->measure, &t->costs, e) : 0;

	while (!err && needed && measure_unknown(t->measure)) {
		if (want.label && !strcmp(want.label, measure_unknown(t->measure)))
			return calibrated_missing(&t->spec, want.label, e);
		want.label = strdupa(measure_unknown(t->measure));
		if (!t->spec.quiet)
			fprintf(stderr, "kstats-bpf: calibrating %s first\n", want.label);
		if (!calibrated_renew(t->facts, &want, t->spec.quiet, &t->costs, e))
			*e = (struct error){};
		err = measure_know(t->measure, &t->costs, e);
	}
	return err;
}

static int trace_prepare(struct trace *t, struct error *e)
{
	int err = output_open(&t->output, t->spec.output, e);

	if (!err && t->spec.format == spec_usual_format)
		output_watch(&t->output);
	progress_open(&t->progress, t->spec.quiet, t->spec.command);
	if (!err && t->spec.record)
		err = outfile_open(&t->record, t->spec.record, e);
	if (err)
		return err;
	t->planned_ns = clock_ns(CLOCK_MONOTONIC);
	t->measure = measure_open(&t->plan, t->facts, e);
	if (!t->measure) {
		recipe_explain(&t->words, e);
		return -EOPNOTSUPP;
	}
	err = know_costs(t, e);
	if (err)
		return err;
	return output_drop_caps(t->spec.output || t->spec.record, t->spec.command,
				output_needs_of(&t->plan), e);
}

static int report_period(void *ctx, const struct recording *r, unsigned int period, struct error *e)
{
	struct trace *t = ctx;
	int err;

	progress_clear(&t->progress);
	err = output_period(&t->output, r, period, e);
	return err ? err : t->output.closed ? MEASURE_STOP : 0;
}

static void trace_tell(void *ctx, const struct measure_progress *p)
{
	struct trace *t = ctx;

	/* Once: whoever watches can end it and choose better words. */
	if (p->hint && !t->hinted) {
		progress_clear(&t->progress);
		fprintf(stderr, "kstats-bpf: so far %s\n", p->hint);
		t->hinted = true;
	}
	progress_tell(&t->progress, p);
}

static void tell_detached(void *ctx)
{
	struct trace *t = ctx;

	progress_clear(&t->progress);
	if (!t->spec.quiet)
		fprintf(stderr, "kstats-bpf: the overhead passed the limit, so "
				"measuring has ended; the command goes on\n");
}

static int measure(struct trace *t, struct error *e)
{
	const struct measure_watch watch = {
		.ctx = t,
		.keep_periods = t->spec.record || t->output.format->together,
		.spool = t->spec.record && t->spec.interval_ns ? outfile_spool(&t->record) : NULL,
		.started = talk_start,
		.report = report_period,
		.progress = t->progress.shown ? trace_tell : NULL,
		.detached = tell_detached,
	};
	int err;

	talk_left_out(t->measure);
	err = measure_run(t->measure, &watch, &t->recording, e);
	progress_clear(&t->progress);
	talk_end(t->measure);
	/* What was measured is kept even if it cannot be shown, and shown even if not kept. */
	if (t->recording && t->spec.record)
		output_save(t->recording, &t->record, &t->saved);
	return err;
}

static int trace_conclude(struct trace *t, struct error *e)
{
	const double max_loss = t->spec.series.gate.max_loss;
	const struct recording *r = t->recording;
	const struct report_set one = { 1, &r };
	int err;

	if (measure_closed(t->measure) || t->output.closed)
		t->output.out = stderr;
	if (t->output.periods && t->output.options.continued)
		fputc('\n', t->output.out); /* between the lines of the intervals and the whole */
	err = output_write(&t->output, &one, e);
	if (!err)
		err = output_commit(&t->output, e);
	if (!err && !t->spec.quiet && !strcmp(t->output.format->name, "summary") &&
	    (!t->costs.n || measure_unknown(t->measure)) && calibrate_can(t->facts, &t->plan))
		talk_floor(t->recording);
	if (t->recording->whole->unseen && !t->spec.quiet)
		fprintf(stderr, "kstats-bpf: calls may be missing: %s\n",
			t->recording->whole->unseen);
	if (!err && t->spec.max_overhead)
		err = talk_overhead(t->measure, &t->spec, e);
	if (!err && max_loss >= 0)
		err = talk_followed(t->measure, e);
	if (!err && max_loss >= 0)
		err = talk_loss(t->recording->whole, max_loss, e);
	return err;
}

/* Report both failures; the first one decides about the exit code. */
static int trace_finish(const struct trace *t, int err, const struct error *e)
{
	int status = err ? error_print(e) : 0;
	int unsaved = t->saved.err ? error_print(&t->saved) : 0;

	if (status || unsaved)
		return status ? status : unsaved;
	return t->recording->status;
}

/* ---- the recipe ---- */

static int check_tags(const struct spec *spec, struct error *e)
{
	if (!spec->tags.n || spec->record)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "there is no --record",
			 "add it, tags are kept in the recording", "cannot use --tag");
}

static int plan_again_merged(struct trace *t, struct error *e)
{
	int err;

	plan_free(&t->plan);
	t->spec.merge = true;
	err = plan_make(&t->plan, &t->spec, t->facts, e);
	if (!err && !t->spec.quiet)
		fprintf(stderr,
			"kstats-bpf: @%s measures %u functions: their calls are compared "
			"together, as with --merge\n",
			t->words.recipe->name, t->plan.n_probes);
	return err;
}

/* `why` looks at the calls of one distribution, which the functions of a recipe share. */
static int plan_one_dist(struct trace *t, struct error *e)
{
	if (plan_one_node(&t->plan) || t->plan.n_probes == 1)
		return 0;
	if (t->words.recipe)
		return plan_again_merged(t, e);
	return error_set(
		e, EXIT_USAGE, -EINVAL, "calls of one function are compared with each other",
		"name one, or add --merge", "cannot look at %u functions", t->plan.n_probes);
}

static int find_output(struct trace *t, struct error *e)
{
	if (t->spec.series.runs)
		return series_check(&t->spec, e);
	return t->spec.why ? output_why_format(&t->output, t->spec.format, e)
			   : output_format(&t->output, t->spec.format, e);
}

static int make_plan(struct trace *t, cmd_parse_spec *parse, int argc, char **argv, struct error *e)
{
	int err = recipe_take(&t->words, argc, argv, RECIPE_NAMES, e);

	if (!err)
		err = parse(&t->spec, t->words.argc, t->words.argv, e);
	if (!err)
		err = check_tags(&t->spec, e);
	if (!err)
		err = find_output(t, e);
	if (!err)
		err = output_buckets(&t->output, &t->spec.buckets, e);
	if (err)
		return err;
	t->output.options.unit = t->spec.unit;
	t->output.options.sort = t->spec.sort;
	t->output.options.keyed = t->spec.n_by;
	t->output.options.subtract_floor = t->spec.floor == SPEC_FLOOR_SUBTRACT;
	t->facts = facts_open("/", e);
	if (!t->facts)
		return -ENOENT;
	err = plan_make(&t->plan, &t->spec, t->facts, e);
	if (!err && t->spec.why)
		err = plan_one_dist(t, e);
	if (err)
		recipe_explain(&t->words, e);
	return err;
}

static int get_costs(struct trace *t, struct error *e)
{
	const struct calibrate_want want = { .plan = &t->plan };

	calibrated_load(t->spec.quiet, &t->costs);
	return t->spec.floor == SPEC_FLOOR_MEASURE
		       ? calibrated_renew(t->facts, &want, t->spec.quiet, &t->costs, e)
		       : 0;
}

static void trace_detach(struct trace *t)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	measure_close(t->measure);
	if (t->measure && t->spec.verbose)
		fprintf(stderr, "kstats-bpf: detached, which took %.3f s\n",
			seconds_since(begin_ns));
}

static void trace_free(struct trace *t)
{
	trace_detach(t);
	recording_free(t->recording);
	output_abort(&t->output);
	outfile_abort(&t->record);
	plan_free(&t->plan);
	costs_free(&t->costs);
	facts_close(t->facts);
	spec_free(&t->spec);
	recipe_drop(&t->words);
}

int cmd_measure(const struct verb *v, cmd_parse_spec *parse, int argc, char **argv, struct error *e)
{
	struct trace t = {};
	int err;

	t.begin_ns = clock_ns(CLOCK_MONOTONIC);
	err = make_plan(&t, parse, argc, argv, e);
	if (!err && t.spec.dry_run) {
		plan_print(&t.plan, stdout);
		goto out;
	}
	if (!err)
		err = get_costs(&t, e);
	if (!err)
		err = refusal_check_user(v->needs_bpf, v->name, e);
	if (err)
		goto out;
	if (t.spec.series.runs) {
		err = series_run(&t.plan, t.facts, &t.costs, e);
		goto out;
	}
	err = trace_prepare(&t, e);
	if (!err)
		err = measure(&t, e);
	if (!err)
		err = trace_conclude(&t, e);
	err = trace_finish(&t, err, e);
out:
	trace_free(&t);
	return err;
}

static int trace_run(const struct verb *v, int argc, char **argv, struct error *e)
{
	return cmd_measure(v, spec_parse_trace, argc, argv, e);
}

const struct verb trace_verb = {
	.name = "trace",
	.line = "measure functions, or the time between two points",
	.help = &trace_help,
	.options = spec_options,
	.takes = OFFER_FUNCTIONS,
	.needs_bpf = true,
	.run = trace_run,
};
