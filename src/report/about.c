// SPDX-License-Identifier: GPL-2.0-only
/* about.c - what is known of a recording beside its figures. */
#include "report/about.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/costs.h"

const char *about_paired(const struct snapshot *s)
{
	return s->pairing && !strcmp(s->pairing, SNAPSHOT_ONE_POINT) ? "" : "paired ";
}

void about_tell(const struct about *to, const char *name, const char *text)
{
	if (text && *text)
		to->say(to->ctx, name, text);
}

void about_tell_made(const struct about *to, const char *name, const char *format, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	va_end(ap);
	about_tell(to, name, text);
	free(text);
}

void about_tell_time(const struct about *to, const struct snapshot_span *span, uint32_t runs)
{
	time_t begin = span->wall_ns / 1000000000;
	char text[64] = "";
	struct tm tm;

	if (gmtime_r(&begin, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm);
	if (runs > 1)
		about_tell_made(to, "recorded", "%s, %u runs", text, runs);
	else
		about_tell(to, "recorded", text);
}

void about_tell_tags(const struct about *to, const struct tags *tags)
{
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; f && i < tags->n; i++)
		fprintf(f, "%s%s=%s", i ? ", " : "", tags->rows[i].key, tags->rows[i].value);
	if (f && !fclose(f))
		about_tell(to, "tags", text);
	free(text);
}

void about_tell_command(const struct about *to, const char *command, uint32_t status)
{
	if (status && command && *command)
		about_tell_made(to, "command", "%s (its exit status was %u)", command, status);
	else
		about_tell(to, "command", command);
}

static void tell_machine(const struct about *to, const struct recording *rec)
{
	const struct recording_machine *m = &rec->machine;

	if (m->cpu && *m->cpu)
		about_tell_made(to, "machine", "%s, %u of %u CPUs online, clock %s", m->cpu,
				m->cpus_online, rec->whole->n_cpus, m->clock ? m->clock : "");
}

static void tell_subtracted(const struct about *to, const struct recording *rec)
{
	char *text = costs_subtracted(rec->whole);

	about_tell(to, "floor", text);
	free(text);
}

void about_each(const struct recording *rec, bool kept, const struct about *to)
{
	const struct snapshot *s = rec->whole;

	if (kept) {
		about_tell_time(to, &s->span, rec->runs);
		tell_machine(to, rec);
		about_tell_tags(to, &rec->tags);
	}
	about_tell(to, "MISSING", s->unseen);
	tell_subtracted(to, rec);
	about_tell(to, "measured", s->filters);
	about_tell_command(to, s->command, rec->status);
}
