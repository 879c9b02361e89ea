// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_node.c - any bytes as the description of a node: refused with a reason, or read, and what
 * was read is within its limits.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "node/priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct node_meta *m)
{
	const struct snapshot *s = m->about->whole;
	uint32_t i;

	for (i = 0; i < m->n_probes; i++)
		if (m->probes[i].node >= s->n_nodes || m->probes[i].start.type >= PLAN_HOOK_TYPES)
			abort();
	for (i = 0; i < s->n_nodes; i++)
		if (s->nodes[i].owner >= s->n_nodes)
			abort();
	if (m->by.words > KSTATS_BY_WORDS || m->by.n > KSTATS_BY_PARTS ||
	    m->variables.on_at + 4 > m->variables.size)
		abort();
}

/* The corpus has these two words, so that a new version does not stop all of it at the door. */
static char *put_current(const uint8_t *data, size_t size)
{
	static const char version[] = "@VERSION", layout[] = "@LAYOUT";
	size_t most = size + size / strlen(layout) * NODE_LAYOUT_SIZE;
	char *text = calloc(1, most + 8), *end = text, room[NODE_LAYOUT_SIZE];
	size_t i = 0;

	while (text && i < size) {
		if (size - i >= strlen(version) && !memcmp(data + i, version, strlen(version))) {
			end += sprintf(end, "%d", NODE_META_VERSION);
			i += strlen(version);
		} else if (size - i >= strlen(layout) &&
			   !memcmp(data + i, layout, strlen(layout))) {
			end += sprintf(end, "%s", node_meta_layout(room));
			i += strlen(layout);
		} else {
			*end++ = data[i++];
		}
	}
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = put_current(data, size);
	struct node_meta m;
	struct error e = {};
	int err;

	if (!text)
		return 0;
	err = node_meta_read(&m, text, &e);
	if (!err)
		check(&m);
	else if (!e.err || !e.what[0] || !e.why[0])
		abort();
	node_meta_free(&m);
	free(text);
	return 0;
}
