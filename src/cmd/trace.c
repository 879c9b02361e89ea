// SPDX-License-Identifier: GPL-2.0-only
/* trace.c - the verb `trace`: words, plan, session, reports. See cmd.h. */
#include "cmd/cmd.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "facts.h"
#include "ledger.h"
#include "plan.h"
#include "render/render.h"
#include "run.h"
#include "session.h"
#include "util/caps.h"
#include "util/outfile.h"
#include "util/safe_str.h"

static const struct verb_help trace_help = {
	.usage = "trace TARGET... [options] [-- COMMAND [ARGS]]\n"
		 "       kstats-bpf trace --start X --end Y [options] [-- COMMAND [ARGS]]\n"
		 "       kstats-bpf trace S [bits B] [start X] [end Y] [options]",
	.about = "Measure how long kernel functions take, from entry to return, or the time\n"
		 "between two points. Ctrl-C prints the summary. TARGET is FUNCTION,\n"
		 "MODULE:FUNCTION or a glob in quotes.",
	.examples =
		"  kstats-bpf trace vfs_read\n"
		"  kstats-bpf trace 'tcp_*' -d 10\n"
		"  kstats-bpf trace vfs_read vfs_write -- dd if=/dev/zero of=/tmp/x count=1000\n"
		"  kstats-bpf trace --start tp:block:block_rq_issue \\\n"
		"      --end tp:block:block_rq_complete --key arg0 -i 1\n",
};

/* Everything a measurement holds, so that there is one way out. */
struct trace {
	struct spec spec;
	const struct render_format *format;
	struct facts *facts;
	struct plan plan;
	struct run run;
	struct session *session;
	struct outfile file;
	FILE *out;
	struct snapshot *base; /* begin of the period */
	unsigned int period;
	bool reported; /* there was a report before */
	bool closed; /* nobody reads standard output */
	struct timespec begin; /* of the program */
};

/* ---- reports ---- */

static unsigned int columns(FILE *out)
{
	struct winsize ws;

	if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &ws) || ws.ws_col < 40)
		return 80;
	return ws.ws_col;
}

static bool utf8(void)
{
	const char *names[] = { "LC_ALL", "LC_CTYPE", "LANG" }, *value;
	size_t i;

	for (i = 0; i < 3; i++) {
		value = getenv(names[i]);
		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

static int render(struct trace *t, const struct snapshot *s, unsigned int period, struct error *e)
{
	bool tty = isatty(fileno(t->out));
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
	const struct render_options o = {
		.unit = t->spec.unit,
		.width = columns(t->out),
		.color = tty && !(no_color && *no_color) && term && strcmp(term, "dumb"),
		.bars = tty && utf8(),
		.per_cpu_rows = t->spec.per_cpu_rows,
		.period = period,
		.continued = t->reported,
	};

	t->reported = true;
	if (!t->format->render(t->out, s, &o) && !fflush(t->out))
		return 0;
	/* Somebody who had enough, like head(1): the last report goes elsewhere. */
	if (errno == EPIPE && !t->spec.output) {
		t->closed = true;
		return 0;
	}
	return error_set(e, EXIT_USAGE, -EIO, strerror(errno ? errno : EIO),
			 "make room, or write elsewhere", "cannot write the report");
}

/* From the begin of the period to @now. */
static int report_period(struct trace *t, const struct snapshot *now, struct error *e)
{
	struct snapshot *diff;
	int err;

	if (!t->base)
		return render(t, now, t->period, e);
	diff = snapshot_subtract(now, t->base, e);
	if (!diff)
		return -EINVAL;
	err = render(t, diff, t->period, e);
	snapshot_free(diff);
	return err;
}

static int report(struct trace *t, bool new_period, struct error *e)
{
	struct snapshot *now = session_snapshot(t->session, e);
	int err;

	if (!now)
		return -EIO;
	if (!t->period)
		t->period = 1;
	err = report_period(t, now, e);
	if (err || !new_period) {
		snapshot_free(now);
		return err;
	}
	snapshot_free(t->base);
	t->base = now;
	t->period++;
	return 0;
}

/* ---- the measurement ---- */

static void talk_start(const struct trace *t)
{
	const char *name, *why;
	unsigned int i;

	for (i = 0; (name = session_left_out(t->session, i, &why)); i++)
		fprintf(stderr, "kstats-bpf: left out '%s': %s\n", name, why);
	if (t->spec.quiet)
		return;
	if (t->plan.n_probes == 1)
		fprintf(stderr, "kstats-bpf: measuring %s", t->plan.nodes[0].what);
	else
		fprintf(stderr, "kstats-bpf: measuring %u functions", t->plan.n_probes);
	if (t->spec.command)
		fprintf(stderr, " until the command ends\n");
	else
		fprintf(stderr,
			t->spec.duration_ns ? "\n" : "; Ctrl-C ends and shows the result\n");
}

/* What the end still needs: to write the file, and to signal the command. */
static uint32_t caps_needed(const struct spec *spec)
{
	return (spec->output ? 1U << CAP_DAC_OVERRIDE : 0) | (spec->command ? 1U << CAP_KILL : 0);
}

static int prepare(struct trace *t, struct error *e)
{
	int err = 0;

	if (t->spec.output)
		err = outfile_open(&t->file, t->spec.output, e);
	if (!err)
		err = run_open(&t->run, &t->spec, e);
	if (err)
		return err;
	t->out = t->spec.output ? t->file.stream : stdout;
	t->session = session_open(&t->plan, e);
	if (!t->session)
		return -EOPNOTSUPP;
	if (t->run.child)
		err = session_follow(t->session, t->run.child, e);
	return err ? err : caps_keep(caps_needed(&t->spec), e);
}

static double seconds_since(const struct timespec *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - begin->tv_sec + (now.tv_nsec - begin->tv_nsec) / 1e9;
}

static int measure(struct trace *t, struct error *e)
{
	enum run_event event = RUN_PERIOD;
	int err;

	talk_start(t);
	if (t->spec.verbose)
		fprintf(stderr, "kstats-bpf: attached after %.3f s\n", seconds_since(&t->begin));
	session_start(t->session);
	err = run_start(&t->run, &t->spec, e);
	while (!err && !t->closed) {
		event = run_wait(&t->run);
		if (event == RUN_END || event == RUN_CLOSED)
			break;
		err = report(t, event == RUN_PERIOD, e);
	}
	t->closed |= event == RUN_CLOSED;
	session_stop(t->session);
	return err;
}

static int strict_status(const struct snapshot *s, struct error *e)
{
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++) {
		if (!ledger_is_owner(s, i))
			continue;
		if (ledger_balance(s, i))
			return error_set(e, EXIT_LEDGER, -EIO, "its ledger does not balance",
					 "see the ledger in the summary", "not exact: '%s'",
					 s->nodes[i].name);
		if (ledger_lost(s, i))
			return error_set(e, EXIT_LEDGER, -EIO, "events were lost",
					 "see the ledger in the summary", "not exact: '%s'",
					 s->nodes[i].name);
	}
	return 0;
}

/* The last period, where there were any, and the whole. */
static int conclude(struct trace *t, struct error *e)
{
	struct snapshot *all = session_snapshot(t->session, e);
	int err = 0;

	if (!all)
		return -EIO;
	if (t->closed)
		t->out = stderr;
	else if (t->base)
		err = report_period(t, all, e);
	if (t->closed)
		t->out = stderr;
	if (!err)
		err = render(t, all, 0, e);
	if (session_untracked(t->session))
		fprintf(stderr,
			"kstats-bpf: %llu processes of the command were not followed: "
			"there are too many\n",
			(unsigned long long)session_untracked(t->session));
	if (!err && t->spec.output)
		err = outfile_commit(&t->file, e);
	if (!err && t->spec.strict)
		err = strict_status(all, e);
	snapshot_free(all);
	return err;
}

/* ---- the recipe ---- */

static int find_format(struct trace *t, struct error *e)
{
	char next[256] = "it is one of";
	const struct render_format *f;

	t->format = render_find(t->spec.format);
	if (t->format)
		return 0;
	for (f = render_formats; f->name; f++)
		snprintf(next + strlen(next), sizeof(next) - strlen(next), " %s", f->name);
	return error_set(e, EXIT_USAGE, -EINVAL, "there is no such format", next,
			 "cannot use '%s' for --format", t->spec.format);
}

static int make_plan(struct trace *t, int argc, char **argv, struct error *e)
{
	int err = spec_parse_trace(&t->spec, argc, argv, e);

	if (!err)
		err = find_format(t, e);
	if (err)
		return err;
	t->facts = facts_open("/", e);
	if (!t->facts)
		return -ENOENT;
	err = plan_make(&t->plan, &t->spec, t->facts, e);
	return err;
}

static void trace_free(struct trace *t)
{
	session_close(t->session);
	snapshot_free(t->base);
	outfile_abort(&t->file);
	plan_free(&t->plan);
	facts_close(t->facts);
	spec_free(&t->spec);
}

int cmd_trace(int argc, char **argv)
{
	struct trace t = { .run = { -1, -1, -1, -1, -1, 0, false, 0 }, .out = stdout };
	struct error e = {};
	int err, status = 0;

	clock_gettime(CLOCK_MONOTONIC, &t.begin);
	err = make_plan(&t, argc, argv, &e);
	if (err == OPTIONS_HELP) {
		options_help(spec_options, &trace_help, stdout);
		goto out;
	}
	if (!err && t.spec.dry_run) {
		plan_print(&t.plan, stdout);
		goto out;
	}
	if (!err)
		err = prepare(&t, &e);
	if (!err)
		err = measure(&t, &e);
	if (!err)
		err = conclude(&t, &e);
	status = run_close(&t.run);
	if (err)
		status = error_print(&e);
out:
	trace_free(&t);
	return status;
}
