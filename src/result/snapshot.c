// SPDX-License-Identifier: GPL-2.0-only
/* snapshot.c - the life of snapshots, and their sums. */
#include "result/texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct snapshot *snapshot_new(unsigned int bits, unsigned int n_cpus, unsigned int n_nodes)
{
	struct snapshot *s = calloc(1, sizeof(*s));
	uint32_t i;

	if (!s)
		return NULL;
	s->bits = bits;
	s->n_cpus = n_cpus;
	s->nodes = calloc(n_nodes ? n_nodes : 1, sizeof(*s->nodes));
	if (!s->nodes) {
		free(s);
		return NULL;
	}
	s->n_nodes = n_nodes;
	for (i = 0; i < n_nodes; i++)
		s->nodes[i].owner = i;
	return s;
}

static bool set_text(char **to, const char *text)
{
	*to = strdup(text ? text : "");
	return *to;
}

int snapshot_set_words(struct snapshot *s, const struct snapshot_words *words)
{
	bool made = set_text(&s->program, KSTATS_VERSION) && set_text(&s->kernel, words->kernel) &&
		    set_text(&s->backend, words->backend) &&
		    set_text(&s->backend_reason, words->backend_reason) &&
		    set_text(&s->pairing, words->pairing) &&
		    set_text(&s->filters, words->filters) && set_text(&s->command, words->command);

	return made ? 0 : -ENOMEM;
}

int snapshot_set_node_words(struct snapshot_node *node, const struct snapshot_node_words *words)
{
	bool made = set_text(&node->name, words->name) && set_text(&node->what, words->what) &&
		    set_text(&node->method, words->method) &&
		    set_text(&node->reason, words->reason);

	return made ? 0 : -ENOMEM;
}

static void free_texts(const void *of, const struct snapshot_text *row)
{
	for (; row->key; row++)
		free(*snapshot_text(of, row));
}

const char *snapshot_unit(const struct snapshot *s, const char *time)
{
	return *s->unit ? s->unit : time;
}

uint64_t snapshot_samples(const struct snapshot *s)
{
	const struct snapshot_node *node;
	uint64_t sum = 0;

	for (node = s->nodes; node < s->nodes + s->n_nodes; node++)
		if (snapshot_is_recorded(node->kind))
			sum += counts_samples(node->counts);
	return sum;
}

void snapshot_free_node(struct snapshot_node *node)
{
	tags_free(&node->by);
	tags_free(&node->numbers);
	free_texts(node, snapshot_node_texts);
	counts_drop(node->counts);
}

void snapshot_free(struct snapshot *s)
{
	uint32_t i;

	if (!s)
		return;
	for (i = 0; i < s->n_nodes; i++)
		snapshot_free_node(&s->nodes[i]);
	snapshot_forget_names(s);
	free(s->nodes);
	free_texts(s, snapshot_texts);
	free(s);
}

static int copy_texts(void *to, const void *from, const struct snapshot_text *row)
{
	char **text;

	for (; row->key; row++) {
		if (!*snapshot_text(from, row))
			continue;
		text = snapshot_text(to, row);
		*text = strdup(*snapshot_text(from, row));
		if (!*text)
			return -ENOMEM;
	}
	return 0;
}

static int copy_node_texts(struct snapshot_node *to, const struct snapshot_node *from)
{
	int err = copy_texts(to, from, snapshot_node_texts);

	if (!err)
		err = tags_copy(&to->by, &from->by, NULL);
	return err ? err : tags_copy(&to->numbers, &from->numbers, NULL);
}

struct snapshot *snapshot_shape(const struct snapshot *s, uint32_t n_cpus)
{
	struct snapshot *c = snapshot_new(s->bits, n_cpus, s->n_nodes);
	uint32_t i;

	if (c)
		strcpy(c->unit, s->unit);
	for (i = 0; c && i < s->n_nodes; i++) {
		c->nodes[i].kind = s->nodes[i].kind;
		c->nodes[i].owner = s->nodes[i].owner;
		c->nodes[i].subtract_ns = s->nodes[i].subtract_ns;
	}
	return c;
}

struct snapshot *snapshot_like(const struct snapshot *s, uint32_t n_cpus)
{
	struct snapshot *c = snapshot_shape(s, n_cpus);
	uint32_t i;
	int err;

	if (!c)
		return NULL;
	err = copy_texts(c, s, snapshot_texts);
	for (i = 0; !err && i < s->n_nodes; i++)
		err = copy_node_texts(&c->nodes[i], &s->nodes[i]);
	if (!err)
		return c;
	snapshot_free(c);
	return NULL;
}

static struct snapshot *share_counts(struct snapshot *to, const struct snapshot *from)
{
	uint32_t i;

	if (!to)
		return NULL;
	to->span = from->span;
	for (i = 0; i < to->n_nodes; i++) {
		memcpy(to->nodes[i].ledger, from->nodes[i].ledger, sizeof(to->nodes[i].ledger));
		to->nodes[i].counts = counts_share(from->nodes[i].counts);
	}
	return to;
}

struct snapshot *snapshot_copy(const struct snapshot *s)
{
	return share_counts(snapshot_like(s, s->n_cpus), s);
}

struct snapshot *snapshot_gaps(const struct snapshot *s)
{
	struct snapshot *c = snapshot_copy(s);
	uint32_t i, n = 0;

	for (i = 0; c && i < s->n_nodes; i++) {
		if (c->nodes[i].kind != SNAPSHOT_GAP) {
			snapshot_free_node(&c->nodes[i]);
			continue;
		}
		c->nodes[n] = c->nodes[i];
		c->nodes[n].owner = n;
		n++;
	}
	if (c)
		c->n_nodes = n;
	return c;
}

struct snapshot *snapshot_bare(const struct snapshot *s)
{
	return share_counts(snapshot_shape(s, s->n_cpus), s);
}

struct snapshot *snapshot_named(const struct snapshot *s, const struct snapshot *like)
{
	return share_counts(snapshot_like(like, s->n_cpus), s);
}

/* ---- two snapshots ---- */

bool snapshot_same_slots(const struct snapshot *a, const struct snapshot *b)
{
	uint32_t i;

	for (i = 0; i < a->n_nodes; i++)
		if (!counts_same(a->nodes[i].counts, b->nodes[i].counts))
			return false;
	return true;
}

static bool add_ledger(struct snapshot_node *to, const struct snapshot_node *from)
{
	bool over = false;
	int i;

	for (i = 0; i < KSTATS_LEDGER_N; i++)
		over |= __builtin_add_overflow(to->ledger[i], from->ledger[i], &to->ledger[i]);
	return !over;
}

static bool add_span(struct snapshot_span *a, const struct snapshot_span *b)
{
	if (b->wall_ns < a->wall_ns)
		a->wall_ns = b->wall_ns;
	a->final &= b->final;
	return !__builtin_add_overflow(a->end_ns, b->end_ns - b->begin_ns, &a->end_ns);
}

static int add_all(struct snapshot *to, const struct snapshot *from)
{
	uint32_t i;
	int err = add_span(&to->span, &from->span) ? 0 : -EOVERFLOW;

	if (from->n_cpus > to->n_cpus)
		to->n_cpus = from->n_cpus;
	for (i = 0; !err && i < to->n_nodes; i++) {
		if (!add_ledger(&to->nodes[i], &from->nodes[i]))
			return -EOVERFLOW;
		err = counts_sum(to->nodes[i].counts, from->nodes[i].counts, &to->nodes[i].counts);
	}
	return err;
}

struct snapshot *snapshot_add(const struct snapshot *a, const struct snapshot *b, struct error *e)
{
	struct snapshot *sum = snapshot_copy(a);
	int err = sum ? add_all(sum, b) : -ENOMEM;

	if (!err)
		return sum;
	snapshot_free(sum);
	if (err == -EOVERFLOW)
		error_set(e, EXIT_USAGE, err, "a counter would overflow", NULL,
			  "cannot add two snapshots");
	else
		error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot add two snapshots");
	return NULL;
}
