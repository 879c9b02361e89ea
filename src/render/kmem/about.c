// SPDX-License-Identifier: GPL-2.0-only
/* about.c - what is known of memory events beside the figures. */
#include "render/kmem/priv.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

struct teller {
	const struct kmem *k;
	void (*say)(void *ctx, const char *name, const char *text);
	void *ctx;
};

static void tell(const struct teller *t, const char *name, const char *text)
{
	if (text && *text)
		t->say(t->ctx, name, text);
}

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

/* Whoever is measuring knows these. */
static void tell_kept(const struct teller *t)
{
	const struct recording_machine *m = &t->k->machine;
	const struct tags *tags = &t->k->tags;
	time_t begin = t->k->span.wall_ns / 1000000000;
	char text[64] = "", *all = NULL;
	struct tm tm;
	size_t size, i;
	FILE *f;

	if (gmtime_r(&begin, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm);
	tell(t, "recorded", text);
	if (m->cpu && *m->cpu)
		tell_made(t, "machine", "%s, %u CPUs online", m->cpu, m->cpus_online);
	f = open_memstream(&all, &size);
	for (i = 0; f && i < tags->n; i++)
		fprintf(f, "%s%s=%s", i ? ", " : "", tags->rows[i].key, tags->rows[i].value);
	if (f && !fclose(f))
		tell(t, "tags", all);
	free(all);
}

void kmem_about_each(const struct kmem *k,
		     void (*say)(void *ctx, const char *name, const char *text), void *ctx)
{
	const struct teller t = { k, say, ctx };

	if (k->source)
		tell_kept(&t);
	tell(&t, "measured", k->filters);
	if (k->status && *k->command)
		tell_made(&t, "command", "%s (its exit status was %u)", k->command, k->status);
	else
		tell(&t, "command", k->command);
}
