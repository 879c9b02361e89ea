// SPDX-License-Identifier: GPL-2.0-only
/* kmem.c - the verb `kmem`: words, programs, reports. */
#include "cmd/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "facts/facts.h"
#include "heap/heap.h"
#include "kmem/account.h"
#include "kmem/periods.h"
#include "measure/run.h"
#include "spec/spec_kmem.h"
#include "ui/output.h"
#include "util/refusal.h"

static const struct verb_help kmem_help = {
	.usage = "kmem [options] [-- COMMAND [ARGS]]",
	.about = "Show which code of the kernel allocates memory, how much of it is wasted, and\n"
		 "how long it lives. Ctrl-C prints the result.",
	.examples = "  kstats-bpf kmem -d 10\n"
		    "  kstats-bpf kmem --by cache --sort bytes -- make\n"
		    "  kstats-bpf kmem --lifetime --record k.json -d 60\n",
};

/* Everything a measurement holds, so that there is one way out. */
struct kmem_run {
	struct spec_kmem want;
	struct facts *facts;
	struct run run;
	struct heap *heap;
	struct kmem *result;
	struct output output;
	struct outfile record;
	unsigned int period;
	struct kmem_periods *periods; /* what was seen at the ends of intervals */
	struct kmem *before; /* what the last report of an interval showed */
	bool closed; /* nobody reads standard output any more */
};

static int open_files(struct kmem_run *r, struct error *e)
{
	const struct spec *spec = &r->want.spec;
	int err = output_kmem_format(&r->output, spec->format, e);

	r->output.options.unit = spec->unit;
	if (!err)
		err = output_open(&r->output, spec->output, e);
	if (!err && spec->record)
		err = outfile_open(&r->record, spec->record, e);
	return err;
}

static int kmem_prepare(struct kmem_run *r, struct error *e)
{
	const struct spec *spec = &r->want.spec;
	int err = open_files(r, e);

	if (err)
		return err;
	r->facts = facts_open("/", e);
	if (!r->facts)
		return -ENOENT;
	err = run_open(&r->run, spec, e);
	if (err)
		return err;
	r->heap = heap_open(&r->want, r->facts, e);
	if (!r->heap)
		return -EOPNOTSUPP;
	err = r->run.child ? heap_follow(r->heap, r->run.child, e) : 0;
	if (err)
		return err;
	return output_drop_caps(spec->output || spec->record, spec->command, OUTPUT_KERNEL, e);
}

static int kmem_show(struct kmem_run *r, const struct kmem *k, struct error *e)
{
	const struct report_kmem_set one = { 1, &k };
	const struct report_kmem_look how = {
		.by = r->want.by,
		.sort = r->want.sort,
		.top = r->want.top,
		.before = r->before,
	};

	return output_kmem(&r->output, &one, &how, e);
}

/* What was seen since the begin, not since the last report: what is live belongs to it. */
static int cmd_kmem_report(struct kmem_run *r, struct error *e)
{
	struct kmem *k = heap_read(r->heap, e);
	int err = -EIO;

	if (!k)
		return err;
	r->output.options.period = ++r->period;
	err = kmem_show(r, k, e);
	r->output.options.period = 0;
	if (!err && kmem_periods_add(&r->periods, k))
		err = error_no_memory(e, "cannot keep the intervals");
	kmem_free(r->before);
	r->before = k;
	return err;
}

static void kmem_talk_start(const struct spec *spec)
{
	if (spec->quiet)
		return;
	fprintf(stderr, "kstats-bpf: watching allocations%s\n",
		spec->command       ? " until the command ends"
		: spec->duration_ns ? ""
				    : "; Ctrl-C ends and shows the result");
}

static void talk_lines(const struct kmem_run *r)
{
	char text[1024];

	if (r->want.spec.verbose && heap_lines_missing(r->heap, text, sizeof(text)))
		fprintf(stderr, "kstats-bpf: %s\n", text);
}

static int wait_for_end(struct kmem_run *r, struct error *e)
{
	enum run_event event;
	int err = 0;

	while (!err && !r->output.closed) {
		event = run_wait(&r->run);
		if (event == RUN_END)
			break;
		if (event == RUN_CLOSED) {
			r->closed = true;
			break;
		}
		err = cmd_kmem_report(r, e);
	}
	return err;
}

static int cmd_kmem_measure(struct kmem_run *r, struct error *e)
{
	int status, err;

	heap_start(r->heap);
	kmem_talk_start(&r->want.spec);
	err = run_start(&r->run, &r->want.spec, e);
	if (!err)
		err = wait_for_end(r, e);
	heap_stop(r->heap);
	status = run_close(&r->run);
	if (err)
		return err;
	r->result = heap_read(r->heap, e);
	if (!r->result)
		return -EIO;
	r->result->status = status;
	if (kmem_periods_put(r->periods, r->result))
		return error_no_memory(e, "cannot keep the intervals");
	talk_lines(r);
	return 0;
}

static int check_kmem_loss(const struct kmem_run *r, double percent, struct error *e)
{
	struct kmem_account a = kmem_account(r->result);
	char text[KMEM_ACCOUNT_TEXT];

	if (heap_untracked(r->heap))
		return error_set(e, EXIT_LEDGER, -EIO, "not all tasks of the command were followed",
				 "use --comm or --cgroup", "not exact");
	if (kmem_account_closes(&a) &&
	    kmem_account_lost(&a) <= percent / 100 * (double)kmem_account_events(&a))
		return 0;
	return error_set(e, EXIT_LEDGER, -EIO, kmem_account_verdict(r->result, &a, text),
			 "see the account in the summary", "not exact");
}

/* What cannot be shown is kept all the same, and what cannot be kept is shown. */
static int kmem_conclude(struct kmem_run *r, struct error *e)
{
	const struct spec *spec = &r->want.spec;
	const double max_loss = spec->series.gate.max_loss;
	uint64_t lost = heap_untracked(r->heap);
	int kept = spec->record ? output_save_kmem(r->result, &r->record, e) : 0, err;

	if (lost)
		fprintf(stderr,
			"kstats-bpf: %" PRIu64 " tasks of the command were not followed: their "
			"table was full\n",
			lost);
	if (r->closed || r->output.closed)
		r->output.out = stderr;
	err = kmem_show(r, r->result, kept ? NULL : e);
	if (!err)
		err = output_commit(&r->output, kept ? NULL : e);
	if (kept)
		return kept;
	return !err && max_loss >= 0 ? check_kmem_loss(r, max_loss, e) : err;
}

/* Needs no privileges: nothing is loaded, and no file is opened. */
static int dry_run(struct kmem_run *r, struct error *e)
{
	int err = output_kmem_format(&r->output, r->want.spec.format, e);

	if (!err)
		r->facts = facts_open("/", e);
	if (err || !r->facts)
		return err ? err : -ENOENT;
	return heap_dry_run(&r->want, r->facts, stdout, e);
}

static int cmd_kmem_run(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct kmem_run r = { .run = RUN_NONE };
	int err = spec_parse_kmem(&r.want, argc, argv, e);

	if (!err && r.want.spec.dry_run) {
		err = dry_run(&r, e);
		goto out;
	}
	if (!err)
		err = refusal_check_user(v->needs_bpf, "watch allocations", e);
	if (!err)
		err = kmem_prepare(&r, e);
	if (!err)
		err = cmd_kmem_measure(&r, e);
	if (!err)
		err = kmem_conclude(&r, e);
	if (!err)
		err = r.result->status;
out:
	heap_close(r.heap);
	run_close(&r.run);
	run_free(&r.run);
	kmem_free(r.result);
	kmem_free(r.before);
	kmem_periods_free(r.periods);
	output_abort(&r.output);
	outfile_abort(&r.record);
	facts_close(r.facts);
	spec_free(&r.want.spec);
	return err;
}

const struct verb kmem_verb = {
	.name = "kmem",
	.line = "show who allocates the kernel's memory, and how much is wasted",
	.help = &kmem_help,
	.options = spec_kmem_options,
	.needs_bpf = true,
	.needs = "It needs root, or CAP_BPF, CAP_PERFMON and CAP_SYSLOG: see 'kstats-bpf doctor'.",
	.run = cmd_kmem_run,
};
