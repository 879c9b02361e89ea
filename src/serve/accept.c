// SPDX-License-Identifier: GPL-2.0-only
/* accept.c - which form of a page a client prefers. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "serve/priv.h"

#define QUALITY_ONE 1000 /* "q=1" */

/* A media range or a coding: its words, between commas; its parameters follow after semicolons. */
struct range {
	const char *at;
	size_t n;
};

static bool accept_space(char c)
{
	return c == ' ' || c == '\t';
}

static struct range accept_trim(struct range r)
{
	while (r.n && accept_space(*r.at))
		r.at++, r.n--;
	while (r.n && accept_space(r.at[r.n - 1]))
		r.n--;
	return r;
}

/* The next part before @end. Return: false if there are no more; @from: goes on. */
static bool accept_next(struct range *from, char end, struct range *part)
{
	const char *stop;

	if (!from->at)
		return false;
	stop = memchr(from->at, end, from->n);
	part->at = from->at;
	part->n = stop ? (size_t)(stop - from->at) : from->n;
	from->n -= stop ? part->n + 1 : part->n;
	from->at = stop ? stop + 1 : NULL;
	*part = accept_trim(*part);
	return true;
}

static bool accept_is(struct range r, const char *word)
{
	return r.n == strlen(word) && !strncasecmp(r.at, word, r.n);
}

/* "q=0.75" in thousandths; -1 if the parameter is another one. */
static int accept_quality(struct range p)
{
	int q = 0, digit, scale;

	if (p.n < 3 || strncasecmp(p.at, "q=", 2))
		return -1;
	q = p.at[2] >= '1' ? QUALITY_ONE : 0;
	for (digit = 4, scale = 100; q < QUALITY_ONE && digit < (int)p.n && scale; digit++) {
		if (p.at[digit] < '0' || p.at[digit] > '9')
			break;
		q += (p.at[digit] - '0') * scale;
		scale /= 10;
	}
	return q;
}

/* What a range asks for. */
struct wish {
	int quality;
	bool family, delimited; /* parameters of protobuf */
	bool other; /* a version that is not ours */
};

static void accept_parameter(struct range p, struct wish *w)
{
	int q = accept_quality(p);

	if (q >= 0)
		w->quality = q;
	else if (accept_is(p, "proto=io.prometheus.client.MetricFamily"))
		w->family = true;
	else if (accept_is(p, "encoding=delimited"))
		w->delimited = true;
	else if (p.n > 8 && !strncasecmp(p.at, "version=", 8))
		w->other = !accept_is(p, "version=1.0.0") && !accept_is(p, "version=0.0.1") &&
			   !accept_is(p, "version=0.0.4");
}

/* The type that one range names, or SERVE_TYPES. */
static enum serve_type accept_range(struct range r, int *quality)
{
	struct wish w = { .quality = QUALITY_ONE };
	struct range name, p;

	accept_next(&r, ';', &name);
	while (accept_next(&r, ';', &p))
		accept_parameter(p, &w);
	*quality = w.quality;
	if (w.other)
		return SERVE_TYPES;
	if (accept_is(name, "application/vnd.google.protobuf") && w.family && w.delimited)
		return SERVE_PROTOBUF;
	if (accept_is(name, "application/openmetrics-text"))
		return SERVE_OPENMETRICS;
	if (accept_is(name, "text/plain") || accept_is(name, "text/*") || accept_is(name, "*/*"))
		return SERVE_TEXT;
	return SERVE_TYPES;
}

enum serve_type serve_type_of(const char *accept)
{
	enum serve_type best = SERVE_TEXT, type;
	struct range all = { accept, accept ? strlen(accept) : 0 }, r;
	int most = 0, quality;

	while (accept_next(&all, ',', &r)) {
		type = accept_range(r, &quality);
		if (type == SERVE_TYPES || quality <= most)
			continue;
		best = type;
		most = quality;
	}
	return best;
}

bool serve_takes_gzip(const char *header)
{
	struct range all = { header, header ? strlen(header) : 0 }, r, name, p;
	int quality;

	while (accept_next(&all, ',', &r)) {
		quality = QUALITY_ONE;
		accept_next(&r, ';', &name);
		while (accept_next(&r, ';', &p))
			quality = accept_quality(p);
		if (accept_is(name, "gzip"))
			return quality > 0;
	}
	return false;
}

const char *serve_type_name(enum serve_type type)
{
	static const char *const names[SERVE_TYPES] = {
		[SERVE_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
		[SERVE_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
		[SERVE_PROTOBUF] = "application/vnd.google.protobuf; "
				   "proto=io.prometheus.client.MetricFamily; encoding=delimited",
	};

	return names[type];
}
