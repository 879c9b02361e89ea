// SPDX-License-Identifier: GPL-2.0-only
/* summary_about.c - what is told of a recording in front of its figures; see summary.h. */
#include "render/summary.h"

#include <stdlib.h>
#include <stdarg.h>
#include <time.h>

#define LABEL 10 /* columns of what stands in front */

/* "name: text", wrapped, where there is any. */
static void print_line(const struct report *r, const char *name, const char *text)
{
	struct text_flow f = { r->out, r->o->width, LABEL, LABEL, false };

	if (!text || !*text)
		return;
	fprintf(r->out, "%-*s ", LABEL - 1, name);
	text_flow_words(&f, text);
	fputc('\n', r->out);
}

/* The same of what @format makes. */
static void __attribute__((format(printf, 3, 4)))
print_made(const struct report *r, const char *name, const char *format, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	va_end(ap);
	print_line(r, name, text);
	free(text);
}

static void print_time(const struct report *r)
{
	time_t begin = r->s->span.wall_ns / 1000000000;
	char text[64] = "";
	struct tm tm;

	if (gmtime_r(&begin, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm);
	if (r->rec->runs > 1)
		print_made(r, "recorded:", "%s, %u runs", text, r->rec->runs);
	else
		print_line(r, "recorded:", text);
}

static void print_machine(const struct report *r)
{
	const struct recording_machine *m = &r->rec->machine;

	if (m->cpu && *m->cpu)
		print_made(r, "machine:", "%s, %u of %u CPUs online, clock %s", m->cpu,
			   m->cpus_online, r->s->n_cpus, m->clock ? m->clock : "");
}

static void print_tags(const struct report *r)
{
	const struct tags *tags = &r->rec->tags;
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; f && i < tags->n; i++)
		fprintf(f, "%s%s=%s", i ? ", " : "", tags->rows[i].key, tags->rows[i].value);
	if (f && !fclose(f))
		print_line(r, "tags:", text);
	free(text);
}

void report_about(const struct report *r)
{
	bool kept = r->rec->source;

	if (kept && !r->o->period) {
		print_time(r);
		print_machine(r);
		print_tags(r);
	}
	print_line(r, "measured:", r->s->filters);
	if (kept && r->rec->status && r->s->command && *r->s->command)
		print_made(r, "command:", "%s (its exit status was %u)", r->s->command,
			   r->rec->status);
	else
		print_line(r, "command:", r->s->command);
}
