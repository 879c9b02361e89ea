// SPDX-License-Identifier: GPL-2.0-only
/* labels.c - labels of an exposition. */
#include "render/labels.h"

#include <stdlib.h>
#include <string.h>

#include "util/safe_str.h"
#include "util/tags.h"

/* ---- names that are told apart ---- */

/* Something with a name; tell_apart() finds the other two members. */
struct named {
	char *name; /* owned; as it is shown, since the shown names must differ */
	char *by; /* owned; the labels of a key behind it, each with a comma in front; or NULL */
	int kind;
	size_t index;
	unsigned int nth; /* position among equal names, from 1 */
};

static int labels_compare(const struct named *x, const struct named *y)
{
	int diff = strcmp(x->name, y->name);

	return diff ? diff : strcmp(x->by ? x->by : "", y->by ? y->by : "");
}

static int labels_by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int diff = labels_compare(x, y);

	if (!diff)
		diff = x->kind - y->kind;
	return diff ? diff : (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

/* Number equal names, in their original order. */
static void tell_apart(struct named *names, size_t n)
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

static void labels_free_names(struct named *names, size_t n)
{
	size_t i;

	for (i = 0; names && i < n; i++) {
		free(names[i].name);
		free(names[i].by);
	}
	free(names);
}

/* ---- text ---- */

static char *safe_copy(const char *text)
{
	size_t size = 4 * strlen(text ? text : "") + 1;
	char *safe = malloc(size);

	return safe ? safe_str(safe, size, text) : NULL;
}

static void print_quoted(FILE *out, const char *key, const char *safe)
{
	fprintf(out, "%s=", key);
	tags_quote(out, safe ? safe : "");
}

void labels_print(FILE *out, char before, const char *key, const char *value)
{
	char *safe = safe_copy(value);

	fputc(before, out);
	print_quoted(out, key, safe);
	free(safe);
}

static void print_named(FILE *out, const char *key, const struct named *n)
{
	print_quoted(out, key, n->name);
	if (n->nth > 1)
		fprintf(out, ",%s_nth=\"%u\"", key, n->nth);
}

/* ---- labels ---- */

/* A running node is identified by its name, and what it measures is a label. */
static char *recording_label(const struct named *name, bool wanted, bool live)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	if (wanted) {
		print_named(f, live ? "node" : "recording", name);
		fputc(',', f);
	}
	return fclose(f) ? NULL : text;
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

static char *node_label(const char *recording, const struct named *name, const struct snapshot *s,
			bool live)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fputs(recording, f);
	print_named(f, live ? "function" : "node", name);
	if (live)
		labels_print(f, ',', "backend", s->backend);
	fprintf(f, ",kind=\"%s\"%s", snapshot_kind_name(s, name->kind), name->by ? name->by : "");
	return fclose(f) ? NULL : text;
}

static char *key_labels(const struct tags *by)
{
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (i = 0; i < by->n; i++)
		labels_print(f, ',', by->rows[i].key, by->rows[i].value);
	return fclose(f) ? NULL : text;
}

/* Keys have the name of their owner, and labels of their own. */
static bool labels_name_node(struct named *to, const struct snapshot *s, uint32_t node, bool live)
{
	const struct snapshot_node *n = &s->nodes[node];
	bool is_key = n->kind == SNAPSHOT_KEY;

	to->kind = n->kind;
	to->name = safe_copy(live                      ? function_of(s, node)
			     : n->kind >= SNAPSHOT_KEY ? s->nodes[n->owner].name
						       : n->name);
	to->by = is_key ? key_labels(&n->by) : NULL;
	return to->name && (to->by || !is_key);
}

static bool labels_make_nodes(struct labels *l, const struct snapshot *s, bool live)
{
	struct named *names = calloc(s->n_nodes, sizeof(*names));
	bool ok = names;
	uint32_t i;

	l->nodes = calloc(s->n_nodes, sizeof(*l->nodes));
	for (i = 0; ok && i < s->n_nodes; i++)
		ok = labels_name_node(&names[i], s, i, live);
	if (ok)
		tell_apart(names, s->n_nodes);
	for (i = 0; ok && l->nodes && i < s->n_nodes; i++)
		ok = (l->nodes[i] = node_label(l->recording, &names[i], s, live));
	labels_free_names(names, s->n_nodes);
	return ok && l->nodes;
}

struct labels *labels_make(const struct render_set *recs, bool live)
{
	struct labels *labels = calloc(recs->n, sizeof(*labels));
	struct named *names = calloc(recs->n, sizeof(*names));
	bool ok = labels && names;
	size_t i;

	for (i = 0; ok && i < recs->n; i++)
		ok = (names[i].name = safe_copy(recs->recs[i]->source));
	if (ok)
		tell_apart(names, recs->n);
	for (i = 0; ok && i < recs->n; i++) {
		labels[i].recording = recording_label(&names[i], live || recs->n > 1, live);
		ok = labels[i].recording &&
		     labels_make_nodes(&labels[i], recs->recs[i]->whole, live);
	}
	labels_free_names(names, recs->n);
	if (ok)
		return labels;
	labels_free(labels, recs);
	return NULL;
}

void labels_free(struct labels *labels, const struct render_set *recs)
{
	uint32_t node;
	size_t i;

	for (i = 0; labels && i < recs->n; i++) {
		for (node = 0; labels[i].nodes && node < recs->recs[i]->whole->n_nodes; node++)
			free(labels[i].nodes[node]);
		free(labels[i].nodes);
		free(labels[i].recording);
	}
	free(labels);
}
