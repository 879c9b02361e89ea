// SPDX-License-Identifier: GPL-2.0-only
/* join.c - merge the descriptions of two recordings. */
#include "result/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/texts.h"

/* Whether @part is one of the parts of @all, which are separated by "; ". */
static bool has_part(const char *all, const char *part)
{
	size_t len = strlen(part);
	const char *at;

	for (at = strstr(all, part); at; at = strstr(at + 1, part))
		if ((at == all || (at - all >= 2 && !strncmp(at - 2, "; ", 2))) &&
		    (!at[len] || !strncmp(at + len, "; ", 2)))
			return true;
	return false;
}

/* If the texts differ, join them with "; ". */
static int join_text(char **to, const char *more)
{
	char *both;

	if (!more || !*more || has_part(recording_text(*to), more))
		return 0;
	if (!*recording_text(*to))
		both = strdup(more);
	else if (asprintf(&both, "%s; %s", *to, more) < 0)
		both = NULL;
	if (!both)
		return -ENOMEM;
	free(*to);
	*to = both;
	return 0;
}

static int join_texts(void *to, const void *from, const struct snapshot_text *row)
{
	int err = 0;

	for (; row->key; row++)
		err |= join_text(snapshot_text(to, row), *snapshot_text(from, row));
	return err;
}

static int join_words(struct snapshot *to, const struct snapshot *from, const uint32_t *map)
{
	int err = join_texts(to, from, snapshot_texts);
	uint32_t i;

	for (i = 0; i < from->n_nodes; i++)
		err |= join_texts(&to->nodes[map[i]], &from->nodes[i], snapshot_node_texts);
	return err;
}

static int join_tags(struct tags *to, const struct tags *from)
{
	const struct tag *tag;
	const char *have;
	char *value;
	int err = 0;

	for (tag = from->rows; !err && tag < from->rows + from->n; tag++) {
		have = tags_get(to, tag->key);
		value = strdup(have ? have : tag->value);
		if (!value || join_text(&value, tag->value))
			err = -ENOMEM;
		else
			err = tags_set(to, tag->key, value, NULL);
		free(value);
	}
	return err;
}

int recording_join_words(struct recording *to, const struct recording *from, struct snapshot *whole,
			 const uint32_t *map)
{
	int err = join_words(whole, from->whole, map);

	err |= join_text(&to->source, from->source);
	err |= join_text(&to->machine.cpu, from->machine.cpu);
	err |= join_text(&to->machine.build_id, from->machine.build_id);
	if (err)
		return -ENOMEM;
	if (from->machine.cpus_online > to->machine.cpus_online)
		to->machine.cpus_online = from->machine.cpus_online;
	costs_agree(&to->costs, &from->costs);
	if (!to->status)
		to->status = from->status;
	to->runs += from->runs;
	return join_tags(&to->tags, &from->tags);
}
