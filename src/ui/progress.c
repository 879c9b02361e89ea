// SPDX-License-Identifier: GPL-2.0-only
/* progress.c - how far a measurement is. */
#include "ui/progress.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/units.h"

#define LINE_NS 10000000000ULL /* between two lines, if lines stay on the terminal */

void progress_open(struct progress *p, bool quiet, bool lines)
{
	const char *term = getenv("TERM");

	*p = (struct progress){ .lines = lines, .next_ns = LINE_NS };
	p->shown = !quiet && isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
}

void progress_name(struct progress *p, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(p->name, sizeof(p->name), format, ap);
	va_end(ap);
	p->next_ns = LINE_NS;
}

/* Cut the line unless it stays: a line that wraps cannot be overwritten. */
static void print(const struct progress *p, const struct measure_progress *m, bool stays)
{
	char n[UNITS_TEXT], text[160];
	struct winsize ws = {};
	int width = sizeof(text);

	snprintf(text, sizeof(text), "kstats-bpf: %s%s%.0f s, %s samples", p->name,
		 *p->name ? ": " : "", m->elapsed_ns / 1e9, units_count(n, m->samples));
	if (!stays && !ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) && ws.ws_col)
		width = ws.ws_col - 1;
	fprintf(stderr, "%.*s", width, text);
}

void progress_tell(void *ctx, const struct measure_progress *m)
{
	struct progress *p = ctx;

	if (!p->shown || (p->lines && m->elapsed_ns < p->next_ns))
		return;
	p->next_ns = m->elapsed_ns + LINE_NS;
	progress_clear(p);
	print(p, m, p->lines);
	if (p->lines)
		fputc('\n', stderr);
	p->drawn = !p->lines;
}

void progress_done(struct progress *p, const struct measure_progress *m)
{
	if (!p->shown)
		return;
	progress_clear(p);
	print(p, m, true);
	fputc('\n', stderr);
}

void progress_say(struct progress *p, const char *format, ...)
{
	va_list ap;

	if (!p->shown)
		return;
	progress_clear(p);
	fputs("kstats-bpf: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void progress_clear(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
}
