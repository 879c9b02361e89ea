// SPDX-License-Identifier: GPL-2.0-only
/* by.c - the dimension of the rows beside the call site. See priv.h. */
#include "heap/priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BIT "___GFP_DMA_BIT"
#define PREFIX "___GFP_"
#define SUFFIX "_BIT"

enum kstats_kmem_by heap_by(const struct spec_kmem *want)
{
	switch (want->by) {
	case KMEM_GROUP_COMM:
		return KSTATS_KMEM_BY_COMM;
	case KMEM_GROUP_GFP:
		return KSTATS_KMEM_BY_GFP;
	case KMEM_GROUP_NUMA:
		return KSTATS_KMEM_BY_NUMA;
	case KMEM_GROUP_CPU:
		return KSTATS_KMEM_BY_CPU;
	default:
		return KSTATS_KMEM_BY_NOTHING;
	}
}

/* No word of a dimension is 0, see by_words() in kmem_rows.bpf.h. */
static char *comm_text(const struct kstats_kmem_row *row)
{
	char name[sizeof(row->by) + 1] = "";

	if (row->by[0] != ~0ULL)
		memcpy(name, row->by, sizeof(row->by) - 1);
	return strdup(name);
}

char *heap_by_text(const struct heap *h, const struct kstats_kmem_row *row)
{
	uint64_t value = row->by[0] - 1;
	char text[32];

	switch (heap_by(h->want)) {
	case KSTATS_KMEM_BY_COMM:
		return comm_text(row);
	case KSTATS_KMEM_BY_GFP:
		return kmem_gfp_text(&h->gfp, value);
	case KSTATS_KMEM_BY_NUMA:
		if ((int32_t)value < 0)
			return strdup("any");
		break;
	default:
		break;
	}
	snprintf(text, sizeof(text), "%" PRIu64, value);
	return strdup(text);
}

/* ---- GFP flags ---- */

/* "___GFP_ZERO_BIT" is 8. */
static void take_bit(struct kmem_gfp *g, const char *name, uint32_t bit)
{
	size_t n = strlen(name), around = strlen(PREFIX) + strlen(SUFFIX);

	if (n <= around || bit >= KMEM_GFP_BITS || n - around >= KMEM_GFP_NAME ||
	    strncmp(name, PREFIX, strlen(PREFIX)) || strcmp(name + n - strlen(SUFFIX), SUFFIX))
		return;
	memcpy(g->names[bit], name + strlen(PREFIX), n - around);
}

static bool take_enum(struct kmem_gfp *g, const struct facts_types *types, const struct btf_type *t)
{
	const struct btf_enum *values = btf_enum(t);
	unsigned int i;

	if (!btf_vlen(t) || strcmp(facts_type_name(types, values->name_off), FIRST_BIT))
		return false;
	*g = (struct kmem_gfp){};
	for (i = 0; i < btf_vlen(t); i++)
		take_bit(g, facts_type_name(types, values[i].name_off), values[i].val);
	return true;
}

void heap_gfp(struct heap *h)
{
	const struct facts_types *types = &h->types;
	uint32_t i = types->kinds[BTF_KIND_ENUM];

	kmem_gfp_old(&h->gfp);
	for (; i < types->kinds[BTF_KIND_ENUM + 1]; i++)
		if (take_enum(&h->gfp, types, types->at[types->of_kind[i]]))
			break;
}
