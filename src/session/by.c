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

#define ERRNO_MAX 4095

/* A number, or the name of an error. */
static void write_number(const struct expr_part *part, uint64_t v, char *to, size_t size)
{
	const char *error = NULL;

	if (part->is_ret && (int64_t)v < 0 && (int64_t)v >= -ERRNO_MAX)
		error = strerrorname_np(-(int64_t)v);
	if (error)
		snprintf(to, size, "-%s", error);
	else if (part->is_pointer)
		snprintf(to, size, "0x%" PRIx64, v);
	else if (part->is_signed)
		snprintf(to, size, "%" PRId64, (int64_t)v);
	else
		snprintf(to, size, "%" PRIu64, v);
}

static void write_part(const struct expr_part *part, const __u64 *words, char *to, size_t size)
{
	if (part->is_text)
		snprintf(to, size, "%.*s", 8 * part->words, (const char *)words);
	else
		write_number(part, *words, to, size);
}

/* The name: that of its owner, and the parts of the key. */
static int name_node(const struct plan *plan, struct snapshot_node *node, const __u64 *words)
{
	char value[EXPR_TEXT_MAX + 2];
	unsigned int i;
	size_t size;
	FILE *f = open_memstream(&node->name, &size);
	int err = f ? 0 : -ENOMEM;

	if (f)
		fprintf(f, "%s{", plan->nodes[node->owner].name);
	for (i = 0; !err && i < plan->spec->n_by; i++) {
		write_part(&plan->by.parts[i], words, value, sizeof(value));
		words += plan->by.parts[i].words;
		fprintf(f, "%s%s=\"%s\"", i ? "," : "", plan->by.labels[i], value);
		err = tags_set(&node->by, plan->by.labels[i], value, NULL);
	}
	if (f)
		fputc('}', f);
	if (f && fclose(f))
		err = -ENOMEM;
	return err;
}

static int take_place(const struct plan *plan, const struct kstats_by *b, struct snapshot *snap)
{
	uint32_t number = __atomic_load_n(&b->number, __ATOMIC_ACQUIRE);
	uint32_t i = number - KSTATS_BY_NUMBER;
	const struct snapshot_node *owner;
	struct snapshot_node *node;

	if (number < KSTATS_BY_NUMBER || i < plan->by.first || i >= snap->n_nodes ||
	    snap->nodes[i].name || b->node >= plan->n_nodes)
		return 0;
	node = &snap->nodes[i];
	owner = &snap->nodes[b->node];
	node->owner = b->node;
	node->what = strdup(owner->what);
	node->method = strdup(owner->method);
	node->reason = strdup(owner->reason);
	if (!node->what || !node->method || !node->reason)
		return -ENOMEM;
	return name_node(plan, node, b->words);
}

static int open_table(const struct session *s, struct table *t)
{
	return table_open(t, bpf_map__fd(s->skel->maps.by_keys), session_by_size(s->plan));
}

int session_by_name(const struct session *s, struct snapshot *snap)
{
	size_t size = session_by_size(s->plan), i;
	struct table t = {};
	int err = s->plan->by.most ? open_table(s, &t) : 0;

	for (i = 0; !err && i < t.n; i++)
		err = take_place(s->plan, (void *)((char *)t.at + i * size), snap);
	table_close(&t);
	return err;
}

int session_by_forget(struct session *s)
{
	struct table t = {};
	int err = s->plan->by.most ? open_table(s, &t) : 0;

	if (t.at)
		memset(t.at, 0, t.size);
	s->skel->bss->by_taken = 0;
	table_close(&t);
	return err;
}
