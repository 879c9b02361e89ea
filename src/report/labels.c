// SPDX-License-Identifier: GPL-2.0-only
/* labels.c - labels of metrics. */
#include "report/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/safe_str.h"
#include "util/tags.h"

/* ---- names that are told apart ---- */

static int labels_compare(const struct labels_name *x, const struct labels_name *y)
{
	int diff = strcmp(x->name, y->name);

	return diff ? diff : strcmp(x->by ? x->by : "", y->by ? y->by : "");
}

static int labels_by_name(const void *a, const void *b)
{
	const struct labels_name *x = a, *y = b;
	int diff = labels_compare(x, y);

	if (!diff)
		diff = x->kind - y->kind;
	return diff ? diff : (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
	const struct labels_name *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

/* Number equal names, in their original order. */
static void tell_apart(struct labels_name *names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		names[i].index = i;
	qsort(names, n, sizeof(*names), labels_by_name);
	for (i = 0; i < n; i++) {
		names[i].nth = 1;
		if (i && !labels_compare(&names[i], &names[i - 1]) &&
		    names[i].kind == names[i - 1].kind)
			names[i].nth = names[i - 1].nth + 1;
	}
	qsort(names, n, sizeof(*names), by_index);
}

static char *safe_copy(const char *text)
{
	size_t size = 4 * strlen(text ? text : "") + 1;
	char *safe = malloc(size);

	return safe ? safe_str(safe, size, text) : NULL;
}

/* "vfs_read" of "entry to return of vfs_read"; "A to B" of a pair. */
static const char *function_of(const struct snapshot *s, uint32_t node)
{
	static const char *const before[] = { "entry to return of ", "from " };
	const char *what = s->nodes[s->nodes[node].owner].what;
	size_t i;

	for (i = 0; i < sizeof(before) / sizeof(*before); i++)
		if (!strncmp(what, before[i], strlen(before[i])))
			return what + strlen(before[i]);
	return what;
}

static char *labels_key(const struct tags *by)
{
	char *text = NULL, *safe;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; f && i < by->n; i++) {
		safe = safe_copy(by->rows[i].value);
		fputs(by->rows[i].key, f);
		tags_quote(f, safe ? safe : "");
		free(safe);
	}
	return f && !fclose(f) ? text : NULL;
}

/* Keys have the name of their owner, and labels of their own. */
static bool labels_name_node(struct labels_name *to, const struct snapshot *s, uint32_t node,
			     bool live)
{
	const struct snapshot_node *n = &s->nodes[node];
	bool is_key = n->kind == SNAPSHOT_KEY;

	to->kind = n->kind;
	to->raw = live                      ? function_of(s, node)
		  : n->kind >= SNAPSHOT_KEY ? s->nodes[n->owner].name
					    : n->name;
	to->name = safe_copy(to->raw);
	to->by = is_key ? labels_key(&n->by) : NULL;
	return to->name && (to->by || !is_key);
}

static bool labels_name_nodes(struct labels *l)
{
	uint32_t i;
	bool ok;

	l->nodes = calloc(l->s->n_nodes, sizeof(*l->nodes));
	ok = l->nodes;
	for (i = 0; ok && i < l->s->n_nodes; i++)
		ok = labels_name_node(&l->nodes[i], l->s, i, l->live);
	if (ok)
		tell_apart(l->nodes, l->s->n_nodes);
	return ok;
}

struct labels *labels_make(const struct report_set *recs, bool live)
{
	struct labels *labels = calloc(recs->n, sizeof(*labels));
	struct labels_name *names = calloc(recs->n, sizeof(*names));
	bool ok = labels && names;
	size_t i;

	for (i = 0; ok && i < recs->n; i++) {
		names[i].raw = recs->recs[i]->source;
		ok = (names[i].name = safe_copy(names[i].raw));
	}
	if (ok)
		tell_apart(names, recs->n);
	for (i = 0; labels && names && i < recs->n; i++) {
		labels[i] = (struct labels){ recs->recs[i]->whole, live, live || recs->n > 1,
					     names[i], NULL };
		ok = ok && labels_name_nodes(&labels[i]);
	}
	free(names);
	if (ok)
		return labels;
	labels_free(labels, recs->n);
	return NULL;
}

void labels_free(struct labels *labels, size_t n)
{
	uint32_t node;
	size_t i;

	for (i = 0; labels && i < n; i++) {
		free(labels[i].recording.name);
		for (node = 0; labels[i].nodes && node < labels[i].s->n_nodes; node++) {
			free(labels[i].nodes[node].name);
			free(labels[i].nodes[node].by);
		}
		free(labels[i].nodes);
	}
	free(labels);
}

/* ---- telling ---- */

static void labels_tell_name(struct report_metrics *to, const char *key,
			     const struct labels_name *n)
{
	char nth_key[32], nth[16];

	to->label(to, key, n->raw);
	if (n->nth < 2)
		return;
	snprintf(nth_key, sizeof(nth_key), "%s_nth", key);
	snprintf(nth, sizeof(nth), "%u", n->nth);
	to->label(to, nth_key, nth);
}

/* A running node is identified by its name, and what it measures is a label. */
void labels_tell_recording(const struct labels *l, struct report_metrics *to)
{
	if (l->named)
		labels_tell_name(to, l->live ? "node" : "recording", &l->recording);
}

void labels_tell_node(const struct labels *l, uint32_t node, struct report_metrics *to)
{
	const struct snapshot_node *n = &l->s->nodes[node];
	size_t i;

	labels_tell_recording(l, to);
	labels_tell_name(to, l->live ? "function" : "node", &l->nodes[node]);
	if (l->live)
		to->label(to, "backend", l->s->backend);
	to->label(to, "kind", snapshot_kind_name(l->s, n->kind));
	for (i = 0; n->kind == SNAPSHOT_KEY && i < n->by.n; i++)
		to->label(to, n->by.rows[i].key, n->by.rows[i].value);
}
