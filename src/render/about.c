// SPDX-License-Identifier: GPL-2.0-only
/* about.c - what is known of a recording beside its figures. */
#include "render/about.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "render/costs.h"

struct teller {
	const struct recording *rec;
	void (*say)(void *ctx, const char *name, const char *text);
	void *ctx;
};

static void tell(const struct teller *t, const char *name, const char *text)
{
	if (text && *text)
		t->say(t->ctx, name, text);
}

/* Report a text made by printf; empty texts are left out. */
static void __attribute__((format(printf, 3, 4)))
tell_made(const struct teller *t, const char *name, const char *format, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	va_end(ap);
	tell(t, name, text);
	free(text);
}

static void tell_time(const struct teller *t)
{
	time_t begin = t->rec->whole->span.wall_ns / 1000000000;
	char text[64] = "";
	struct tm tm;

	if (gmtime_r(&begin, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm);
	if (t->rec->runs > 1)
		tell_made(t, "recorded", "%s, %u runs", text, t->rec->runs);
	else
		tell(t, "recorded", text);
}

static void tell_machine(const struct teller *t)
{
	const struct recording_machine *m = &t->rec->machine;

	if (m->cpu && *m->cpu)
		tell_made(t, "machine", "%s, %u of %u CPUs online, clock %s", m->cpu,
			  m->cpus_online, t->rec->whole->n_cpus, m->clock ? m->clock : "");
}

static void tell_tags(const struct teller *t)
{
	const struct tags *tags = &t->rec->tags;
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; f && i < tags->n; i++)
		fprintf(f, "%s%s=%s", i ? ", " : "", tags->rows[i].key, tags->rows[i].value);
	if (f && !fclose(f))
		tell(t, "tags", text);
	free(text);
}

static void tell_subtracted(const struct teller *t)
{
	char *text = costs_subtracted(t->rec->whole);

	tell(t, "floor", text);
	free(text);
}

void about_each(const struct recording *rec, bool kept,
		void (*say)(void *ctx, const char *name, const char *text), void *ctx)
{
	const struct teller t = { rec, say, ctx };
	const struct snapshot *s = rec->whole;

	if (kept) {
		tell_time(&t);
		tell_machine(&t);
		tell_tags(&t);
	}
	tell(&t, "MISSING", s->unseen);
	tell_subtracted(&t);
	tell(&t, "measured", s->filters);
	if (rec->status && s->command && *s->command)
		tell_made(&t, "command", "%s (its exit status was %u)", s->command, rec->status);
	else
		tell(&t, "command", s->command);
}
