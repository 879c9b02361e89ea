// SPDX-License-Identifier: GPL-2.0-only
/* keys.c - names and order of the keys of --by. */
#include "report/keys.h"

#include <stdio.h>
#include <string.h>

double keys_figure(const struct dist *d, enum sort_by sort)
{
	switch (sort) {
	case SORT_COUNT:
		return d->samples;
	case SORT_P50:
		return dist_quantile(d, 500000).hi;
	case SORT_P99:
		return dist_quantile(d, 990000).hi;
	case SORT_MAX:
		return dist_quantile(d, DIST_ONE).hi;
	default:
		return dist_total(d);
	}
}

bool keys_belong(const struct snapshot *s, uint32_t node, uint32_t owner)
{
	return s->nodes[node].owner == owner && s->nodes[node].kind >= SNAPSHOT_KEY;
}

bool keys_is_stack(const struct tag *part)
{
	return !strncmp(part->key, "kstack", 6) || !strncmp(part->key, "ustack", 6);
}

/* What is called last comes first, since lines are cut at their end. */
static void print_stack(FILE *f, const char *folded)
{
	const char *end = folded + strlen(folded), *begin;

	for (; end > folded; end = begin > folded ? begin - 1 : folded) {
		for (begin = end; begin > folded && begin[-1] != ';';)
			begin--;
		fprintf(f, "%.*s%s", (int)(end - begin), begin, begin > folded ? " < " : "");
	}
}

char *keys_name(const struct snapshot_node *node)
{
	char *text = NULL;
	size_t size, i;
	FILE *f;

	if (node->kind != SNAPSHOT_KEY)
		return strdup("other");
	f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	for (i = 0; i < node->by.n; i++) {
		fputs(i ? ", " : "", f);
		if (keys_is_stack(&node->by.rows[i]))
			print_stack(f, node->by.rows[i].value);
		else
			fputs(node->by.rows[i].value, f);
	}
	return fclose(f) ? NULL : text;
}

const char *keys_heading(const struct snapshot *s, int owner, char buf[KEYS_HEADING])
{
	const struct tags *by = NULL;
	size_t at = snprintf(buf, KEYS_HEADING, "by"), n;
	uint32_t i;

	for (i = 0; !by && i < s->n_nodes; i++)
		if (s->nodes[i].by.n && (owner < 0 || s->nodes[i].owner == (uint32_t)owner))
			by = &s->nodes[i].by;
	for (n = 0; by && n < by->n && at < KEYS_HEADING; n++)
		at += snprintf(buf + at, KEYS_HEADING - at, "%s %s", n ? "," : "", by->rows[n].key);
	return buf;
}
