// SPDX-License-Identifier: GPL-2.0-only
/*
 * by.c - the keys of --by that have come: what programs wrote into their table, as names
 * and texts of nodes.
 */
#include "session/priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/table.h"

#define NAMED_MOST 256 /* bytes of a value; longer paths of groups end with their number */

/* @number: receives what the name is of; "" without a name */
static void write_number(struct session_frames *frames, const struct expr_part *part, uint64_t v,
			 char *to, char *number, size_t size)
{
	bool has_name;

	if (part->is_pointer)
		snprintf(to, size, "0x%" PRIx64, v);
	else if (part->is_signed)
		snprintf(to, size, "%" PRId64, (int64_t)v);
	else
		snprintf(to, size, "%" PRIu64, v);
	memcpy(number, to, size);
	if (part->is_pointer)
		has_name = frames && session_frames_pointer(frames, v, to, size);
	else
		has_name = part->naming && session_named(part->naming, v, to, size);
	if (!has_name)
		number[0] = '\0';
	/* What was cut may be alike for two numbers. */
	else if (strlen(to) == size - 1)
		sprintf(to + size - 2 - strlen(number), "~%s", number);
}

static void write_text(const struct expr_part *part, const char *text, char *to, size_t size)
{
	bool is_cut = part->cut && text[part->cut] == EXPR_CUT;

	snprintf(to, size, "%.*s%s", is_cut ? part->cut : 8 * part->words, text,
		 is_cut ? "..." : "");
}

/* Return: the text of a part, owned by the caller, or NULL. */
static char *write_part(struct session_frames *frames, const struct expr_part *part,
			const __u64 *words, char *number, size_t size)
{
	char to[NAMED_MOST];

	number[0] = '\0';
	if (part->frames)
		return frames ? session_frames_text(frames, part, *words) : NULL;
	if (part->is_text)
		write_text(part, (const char *)words, to, sizeof(to));
	else
		write_number(frames, part, *words, to, number, size);
	return strdup(to);
}

char *session_part_text(const struct expr_part *part, const uint64_t *words)
{
	char number[NAMED_MOST];

	return write_part(NULL, part, (const __u64 *)words, number, sizeof(number));
}

/* The name: that of its owner, and the parts of the key. */
static int name_node(const struct plan_by *by, struct session_frames *frames, const char *owner,
		     const __u64 *words, struct snapshot_node *node)
{
	char *value, number[NAMED_MOST];
	unsigned int i;
	size_t size;
	FILE *f = open_memstream(&node->name, &size);
	int err = f ? 0 : -ENOMEM;

	if (f)
		fprintf(f, "%s{", owner);
	for (i = 0; !err && i < by->n; i++) {
		value = write_part(frames, &by->parts[i], words, number, sizeof(number));
		if (!value) {
			err = -ENOMEM;
			break;
		}
		words += by->parts[i].words;
		fprintf(f, "%s%s=", i ? "," : "", by->labels[i]);
		tags_quote(f, value); /* no two keys have one name */
		err = tags_set(&node->by, by->labels[i], value, NULL);
		free(value);
		if (!err && *number)
			err = tags_set(&node->numbers, by->labels[i], number, NULL);
	}
	if (f)
		fputc('}', f);
	if (f && (fclose(f) || !node->name))
		err = -ENOMEM;
	return err;
}

/* The node of a key; 0: it has no number yet, or no node of its own. */
static uint32_t node_of(const struct plan_by *by, const struct kstats_by *b)
{
	uint32_t number = __atomic_load_n(&b->number, __ATOMIC_ACQUIRE);
	uint32_t i = number - KSTATS_BY_NUMBER;

	return number < KSTATS_BY_NUMBER || i < by->first || i - by->first >= by->most ||
			       b->node >= by->first
		       ? 0
		       : i;
}

static int take_place(const struct plan_by *by, struct session_frames *frames,
		      const struct kstats_by *b, struct snapshot *snap)
{
	const struct snapshot_node *owner;
	struct snapshot_node *node;
	uint32_t i = node_of(by, b);

	if (!i || i >= snap->n_nodes || snap->nodes[i].name)
		return 0;
	node = &snap->nodes[i];
	owner = &snap->nodes[b->node];
	node->owner = b->node;
	node->what = strdup(owner->what);
	node->method = strdup(owner->method);
	node->reason = strdup(owner->reason);
	if (!node->what || !node->method || !node->reason)
		return -ENOMEM;
	return name_node(by, frames, owner->name, b->words, node);
}

static int open_table(const struct plan_by *by, int fd, struct table *t)
{
	return by->most ? table_open(t, fd, session_by_size(by)) : 0;
}

static struct kstats_by *place(const struct plan_by *by, const struct table *t, size_t i)
{
	return (struct kstats_by *)((char *)t->at + i * session_by_size(by));
}

/* Name the nodes of the keys that have come. */
static int name_all(const struct plan_by *by, const struct session_by_tables *tables,
		    struct snapshot *snap)
{
	struct table t = {};
	int err = open_table(by, tables->keys, &t);
	size_t i;

	for (i = 0; !err && i < t.n; i++)
		err = take_place(by, tables->frames, place(by, &t, i), snap);
	table_close(&t);
	return err;
}

/* How many nodes can be read: up to the first key without a name. */
static uint32_t used(const struct plan_by *by, const struct snapshot *snap)
{
	uint32_t i = by->most ? by->first : snap->n_nodes;

	while (i < snap->n_nodes && snap->nodes[i].name)
		i++;
	return i;
}

int session_by_tally(const struct plan_by *by, const char *whose,
		     const struct session_by_tables *tables, const struct flight *f,
		     struct store *st, struct snapshot *snap, bool final, struct error *e)
{
	int err = name_all(by, tables, snap);

	if (err)
		return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot read the keys of %s",
				 whose);
	st->n_used = used(by, snap);
	err = flight_tally(f, st, snap, final, e);
	if (err || !by->most)
		return err;
	err = snapshot_join_keys(snap);
	return err ? error_set(e, EXIT_KERNEL, err, NULL, NULL,
			       "cannot add up the samples of the keys of %s", whose)
		   : 0;
}

static int by_words(const void *pa, const void *pb, void *by)
{
	const struct kstats_by *a = *(struct kstats_by *const *)pa;
	const struct kstats_by *b = *(struct kstats_by *const *)pb;
	int order = (a->node > b->node) - (a->node < b->node);

	return order ? order
		     : memcmp(a->words, b->words,
			      ((const struct plan_by *)by)->words * sizeof(*a->words));
}

int session_by_count_in(const struct plan_by *by, const struct table *t, struct session_keys *n)
{
	const struct kstats_by **rows = calloc(by->most + 1, sizeof(*rows));
	uint32_t node, used = 0, r;
	size_t i;

	*n = (struct session_keys){};
	if (!rows)
		return -ENOMEM;
	for (i = 0; i < t->n && used < by->most; i++) {
		node = node_of(by, place(by, t, i));
		if (!node)
			continue;
		rows[used++] = place(by, t, i);
		if (node - by->first >= n->nodes)
			n->nodes = node - by->first + 1;
	}
	qsort_r(rows, used, sizeof(*rows), by_words, (void *)by);
	for (r = 0; r < used; r++)
		n->keys += !r || by_words(&rows[r - 1], &rows[r], (void *)by);
	free(rows);
	return 0;
}

int session_by_count(const struct plan_by *by, int fd, struct session_keys *n)
{
	struct table t = {};
	int err = open_table(by, fd, &t);

	if (!err)
		err = session_by_count_in(by, &t, n);
	table_close(&t);
	return err;
}

int session_by_forget(const struct plan_by *by, int fd, uint32_t *taken)
{
	struct table t = {};
	int err = open_table(by, fd, &t);

	if (t.at)
		memset(t.at, 0, t.size);
	*taken = 0;
	table_close(&t);
	return err;
}
