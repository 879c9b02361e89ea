// SPDX-License-Identifier: GPL-2.0-only
/* costs.c - overhead in words. */
#include "report/costs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

const char *costs_text(const struct cost *c, const char *unit, char buf[COSTS_TEXT])
{
	char floor[COST_STATES][UNITS_TEXT], added[COST_STATES][UNITS_TEXT];
	int i;

	for (i = 0; i < COST_STATES; i++) {
		units_duration(floor[i], c->floor_ns[i].median, unit);
		units_duration(added[i], c->added_ns[i].median, unit);
	}
	snprintf(buf, COSTS_TEXT, "%s hot, %s cold; added per call %s hot, %s cold",
		 floor[COST_HOT], floor[COST_COLD], added[COST_HOT], added[COST_COLD]);
	return buf;
}

/* ---- single steps ---- */

bool costs_is_stepped(const struct snapshot *s, uint32_t node)
{
	const char *method = s->nodes[s->nodes[node].owner].method;

	return s->nodes[node].kind != SNAPSHOT_GAP && !snapshot_is_part(s->nodes[node].kind) &&
	       !*s->unit && method && strstr(method, ", single-stepped");
}

bool costs_any_stepped(const struct snapshot *s)
{
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++)
		if (costs_is_stepped(s, i))
			return true;
	return false;
}

const char *costs_warning(const struct recording *rec, char buf[COSTS_WARNING])
{
	const struct snapshot *s = rec->whole;
	char time[UNITS_TEXT], more[32] = "";
	const struct cost *c = NULL;
	uint32_t i, n = 0, first = 0;

	for (i = 0; i < s->n_nodes; i++) {
		if (s->nodes[i].kind != SNAPSHOT_DURATION || s->nodes[i].subtract_ns ||
		    !costs_is_stepped(s, i))
			continue;
		first = n++ ? first : i;
		c = c ? c : recording_cost(rec, i);
	}
	if (!n)
		return NULL;
	if (n > 1)
		snprintf(more, sizeof(more), " and %u more", n - 1);
	if (c)
		snprintf(buf, COSTS_WARNING,
			 "each duration of %.63s%s contains %s of a probe that is "
			 "single-stepped: --floor subtract takes it off",
			 s->nodes[first].name, more,
			 units_duration(time, c->floor_ns[COST_HOT].median, "auto"));
	else
		snprintf(buf, COSTS_WARNING,
			 "each duration of %.63s%s contains the time of a probe that is "
			 "single-stepped, some microseconds: --floor subtract takes it off",
			 s->nodes[first].name, more);
	return buf;
}

/* ---- subtracted ---- */

int costs_subtract(struct costs_view *v, const struct recording *rec)
{
	const struct cost *c;
	uint32_t i;

	v->recording = *rec;
	v->whole = *rec->whole;
	v->recording.whole = &v->whole;
	v->whole.nodes = calloc(v->whole.n_nodes, sizeof(*v->whole.nodes));
	if (!v->whole.nodes)
		return -ENOMEM;
	for (i = 0; i < v->whole.n_nodes; i++) {
		c = recording_cost(rec, i);
		v->whole.nodes[i] = rec->whole->nodes[i];
		v->whole.nodes[i].subtract_ns = c ? c->floor_ns[COST_HOT].median : 0;
	}
	return 0;
}

void costs_view_close(struct costs_view *v)
{
	free(v->whole.nodes);
	*v = (struct costs_view){};
}

static bool told_before(const struct snapshot *s, uint32_t node)
{
	uint32_t i;

	for (i = 0; i < node; i++)
		if (s->nodes[i].subtract_ns == s->nodes[node].subtract_ns)
			return true;
	return false;
}

/* Name the distributions with this floor: the first few by name, the others by number. */
static void costs_tell_nodes(FILE *out, const struct snapshot *s, uint32_t first)
{
	uint32_t i, n = 0, more = 0;

	for (i = first; i < s->n_nodes; i++) {
		if (s->nodes[i].subtract_ns != s->nodes[first].subtract_ns)
			continue;
		if (n++ < 3)
			fprintf(out, "%s%s", n > 1 ? ", " : "",
				s->nodes[i].name ? s->nodes[i].name : "");
		else
			more++;
	}
	if (more)
		fprintf(out, " and %u more", more);
}

char *costs_subtracted(const struct snapshot *s)
{
	char *text = NULL;
	size_t size = 0;
	bool any = false;
	uint32_t i;
	FILE *out;

	for (i = 0; i < s->n_nodes; i++)
		any |= s->nodes[i].subtract_ns;
	out = any ? open_memstream(&text, &size) : NULL;
	if (!out)
		return NULL;
	for (i = 0; i < s->n_nodes; i++) {
		if (told_before(s, i))
			continue;
		fputs(i ? "; " : "", out);
		if (s->nodes[i].subtract_ns)
			fprintf(out, "%llu ns taken off every sample of ",
				(unsigned long long)s->nodes[i].subtract_ns);
		else
			fputs("nothing off those of ", out);
		costs_tell_nodes(out, s, i);
	}
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

bool costs_below(const struct cost *c, const struct dist *d, uint64_t most)
{
	return c && most + d->subtract_ns <= c->floor_ns[COST_HOT].median;
}
