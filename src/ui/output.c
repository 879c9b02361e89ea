// SPDX-License-Identifier: GPL-2.0-only
/* output.c - writing reports. */
#include "ui/output.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/caps.h"

#define WATCHED_MAX 8 /* distributions: more are shown as a table, in each interval too */

/* @offered: of @kinds, those whose formats the refusal names */
static int find_format(struct output *o, const char *name, unsigned int kinds, unsigned int offered,
		       struct error *e)
{
	char next[FORMAT_WORDS];

	o->format = format_find(name, kinds);
	if (o->format)
		return 0;
	if (kinds == REPORT_TRACE && format_find(name, REPORT_WHY)) {
		snprintf(next, sizeof(next), "write 'kstats-bpf why FUNCTION -f %s'", name);
		return error_set(e, EXIT_USAGE, -EINVAL, "it shows single calls, which why keeps",
				 next, "cannot use '%s' for --format", name);
	}
	return error_set(e, EXIT_USAGE, -EINVAL,
			 kinds == REPORT_KMEM && format_find(name, REPORT_TRACE)
				 ? "memory events have no such format"
				 : "there is no such format",
			 format_words(offered, next), "cannot use '%s' for --format", name);
}

int output_format(struct output *o, const char *name, struct error *e)
{
	return find_format(o, name, REPORT_TRACE, REPORT_TRACE, e);
}

int output_any_format(struct output *o, const char *name, struct error *e)
{
	return find_format(o, name, REPORT_TRACE | REPORT_WHY, REPORT_TRACE | REPORT_WHY, e);
}

int output_why_format(struct output *o, const char *name, struct error *e)
{
	return find_format(o, name, REPORT_TRACE | REPORT_WHY, REPORT_WHY, e);
}

int output_kmem_format(struct output *o, const char *name, struct error *e)
{
	return find_format(o, name, REPORT_KMEM, REPORT_KMEM, e);
}

int output_buckets(struct output *o, const struct buckets *buckets, struct error *e)
{
	if (buckets->given && !(o->format && o->format->buckets))
		return error_set(e, EXIT_USAGE, -EINVAL,
				 "only the formats openmetrics and vmrange have bounds",
				 "add -f openmetrics, or leave it out", "cannot use --buckets");
	o->options.buckets = *buckets;
	return 0;
}

static unsigned int output_rows(FILE *out)
{
	struct winsize ws;

	return isatty(fileno(out)) && !ioctl(fileno(out), TIOCGWINSZ, &ws) ? ws.ws_row : 0;
}

unsigned int output_columns(FILE *out)
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

int output_open(struct output *o, const char *path, struct error *e)
{
	int err = path ? outfile_open(&o->file, path, e) : 0;

	o->out = path ? o->file.stream : stdout;
	return err;
}

static void output_look(struct output *o)
{
	bool tty = isatty(fileno(o->out));
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

	o->options.width = output_columns(o->out);
	o->options.height = output_rows(o->out);
	o->options.color = tty && !(no_color && *no_color) && term && *term && strcmp(term, "dumb");
	o->options.bars = tty && utf8();
}

int output_failed(const char *what, struct error *e)
{
	const char *next = errno == ENOMEM ? "free memory, or name fewer recordings"
					   : "make room, or write elsewhere";

	return error_set(e, EXIT_USAGE, -EIO, strerror(errno ? errno : EIO), next,
			 "cannot write %s", what);
}

/* After a report: @err is what its format returned. */
static int written(struct output *o, int err, struct error *e)
{
	o->options.continued = true;
	if (!err && !fflush(o->out))
		return 0;
	if (err && err != -EIO)
		errno = -err; /* it was not the writing that failed */
	/* The reader has closed the pipe, such as head(1). */
	if (errno == EPIPE && o->out == stdout) {
		o->closed = true;
		return 0;
	}
	return output_failed("the report", e);
}

/* A format of single calls alone. */
static int output_check_calls(const struct output *o, const struct report_set *recs,
			      struct error *e)
{
	size_t i;

	for (i = 0; !(o->format->kinds & REPORT_TRACE) && i < recs->n; i++)
		if (!recs->recs[i]->why)
			return error_set(e, EXIT_USAGE, -ENODATA, "no single calls are in it",
					 "record it with 'kstats-bpf why --record'",
					 "cannot show '%s' as %s",
					 recs->recs[i]->source ? recs->recs[i]->source : "it",
					 o->format->name);
	return 0;
}

int output_write(struct output *o, const struct report_set *recs, struct error *e)
{
	int err = output_check_calls(o, recs, e);

	if (err)
		return err;
	output_look(o);
	return written(o, format_trace(o->format, o->out, recs, &o->options), e);
}

int output_kmem(struct output *o, const struct report_kmem_set *recs,
		const struct report_kmem_look *how, struct error *e)
{
	struct report_kmem_look all = *how;

	output_look(o);
	all.base = o->options;
	return written(o, format_kmem(o->format, o->out, recs, &all), e);
}

int output_period(struct output *o, const struct recording *r, unsigned int period, struct error *e)
{
	const struct format *whole = o->format;
	const struct report_set one = { 1, &r };
	int err = 0;

	if (o->periods && r->whole->n_nodes <= WATCHED_MAX)
		o->format = o->periods;
	o->options.period = period;
	if (!o->format->together)
		err = output_write(o, &one, e);
	o->options.period = 0;
	o->format = whole;
	return err;
}

void output_watch(struct output *o)
{
	if (isatty(fileno(o->out)))
		o->periods = format_find("line", REPORT_TRACE);
}

int output_commit(struct output *o, struct error *e)
{
	return o->file.stream ? outfile_commit(&o->file, e) : 0;
}

void output_abort(struct output *o)
{
	outfile_abort(&o->file);
}

int output_save(const struct recording *r, struct outfile *file, struct error *e)
{
	int err = recording_save(r, file->stream, e);

	return err ? err : outfile_commit(file, e);
}

int output_save_kmem(const struct kmem *k, struct outfile *file, struct error *e)
{
	int err = kmem_save(k, file->stream, e);

	return err ? err : outfile_commit(file, e);
}

enum output_needs output_needs_of(const struct plan *plan)
{
	if (plan->spec->why || plan_by_has_programs(&plan->by))
		return OUTPUT_PROGRAMS;
	return spec_has_markers(plan->spec) ? OUTPUT_MARKERS : OUTPUT_NOTHING;
}

int output_drop_caps(bool files, bool command, enum output_needs needs, struct error *e)
{
	const uint64_t programs = 1ULL << CAP_SYS_PTRACE | 1ULL << CAP_DAC_READ_SEARCH;

	return caps_keep((files ? 1U << CAP_DAC_OVERRIDE : 0) | (command ? 1U << CAP_KILL : 0) |
				 (needs == OUTPUT_MARKERS ? 1ULL << CAP_BPF : 0) |
				 (needs >= OUTPUT_KERNEL ? 1ULL << CAP_SYSLOG : 0) |
				 (needs >= OUTPUT_PROGRAMS ? programs : 0),
			 e);
}
