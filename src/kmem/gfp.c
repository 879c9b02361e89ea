// SPDX-License-Identifier: GPL-2.0-only
/* gfp.c - see gfp.h. */
#include "kmem/gfp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 8

/* Names for several flags, the longest first; @parts as in struct kmem_gfp. */
static const struct word {
	const char *name;
	const char *parts[PARTS_MAX];
} words[] = {
	{ "GFP_HIGHUSER_MOVABLE",
	  { "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "IO", "FS", "HARDWALL", "HIGHMEM", "MOVABLE" } },
	{ "GFP_HIGHUSER",
	  { "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "IO", "FS", "HARDWALL", "HIGHMEM" } },
	{ "GFP_USER", { "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "IO", "FS", "HARDWALL" } },
	{ "GFP_KERNEL_ACCOUNT", { "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "IO", "FS", "ACCOUNT" } },
	{ "GFP_KERNEL", { "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "IO", "FS" } },
	{ "GFP_NOFS", { "DIRECT_RECLAIM", "KSWAPD_RECLAIM", "IO" } },
	{ "GFP_ATOMIC", { "HIGH", "KSWAPD_RECLAIM" } },
	{ "GFP_NOIO", { "DIRECT_RECLAIM", "KSWAPD_RECLAIM" } },
	{ "GFP_NOWAIT", { "KSWAPD_RECLAIM" } },
	{},
};

void kmem_gfp_old(struct kmem_gfp *g)
{
	static const char *const names[] = {
		"DMA",
		"HIGHMEM",
		"DMA32",
		"MOVABLE",
		"RECLAIMABLE",
		"HIGH",
		"IO",
		"FS",
		"ZERO",
		"ATOMIC",
		"DIRECT_RECLAIM",
		"KSWAPD_RECLAIM",
		"WRITE",
		"NOWARN",
		"RETRY_MAYFAIL",
		"NOFAIL",
		"NORETRY",
		"MEMALLOC",
		"COMP",
		"NOMEMALLOC",
		"HARDWALL",
		"THISNODE",
		"ACCOUNT",
	};
	size_t i;

	*g = (struct kmem_gfp){};
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		strcpy(g->names[i], names[i]);
}

static uint32_t flag_of(const struct kmem_gfp *g, const char *name, size_t n)
{
	unsigned int i;

	for (i = 0; i < KMEM_GFP_BITS; i++)
		if (*g->names[i] && strlen(g->names[i]) == n && !strncmp(g->names[i], name, n))
			return 1U << i;
	return 0;
}

static uint32_t mask_of(const struct kmem_gfp *g, const struct word *w)
{
	uint32_t mask = 0, flag;
	size_t i;

	for (i = 0; i < PARTS_MAX && w->parts[i]; i++) {
		flag = flag_of(g, w->parts[i], strlen(w->parts[i]));
		if (!flag)
			return 0;
		mask |= flag;
	}
	return mask;
}

char *kmem_gfp_text(const struct kmem_gfp *g, uint32_t flags)
{
	const struct word *w;
	const char *sep = "";
	char *text = NULL;
	size_t size = 0;
	unsigned int i;
	uint32_t mask;
	FILE *out;

	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	for (w = words; w->name; w++) {
		mask = mask_of(g, w);
		if (!mask || (flags & mask) != mask)
			continue;
		fputs(w->name, out);
		flags &= ~mask;
		sep = "|";
		break;
	}
	for (i = 0; i < KMEM_GFP_BITS; i++) {
		if (!(flags & 1U << i) || !*g->names[i])
			continue;
		fprintf(out, "%s__GFP_%s", sep, g->names[i]);
		flags &= ~(1U << i);
		sep = "|";
	}
	if (flags || !*sep)
		fprintf(out, flags ? "%s0x%x" : "%s0", sep, flags);
	return fclose(out) ? NULL : text;
}

uint32_t kmem_gfp_flags(const struct kmem_gfp *g, const char *name, size_t n)
{
	const struct word *w;

	for (w = words; w->name; w++)
		if (strlen(w->name) == n && !strncmp(w->name, name, n))
			return mask_of(g, w);
	if (n > 6 && !strncmp(name, "__GFP_", 6))
		return flag_of(g, name + 6, n - 6);
	return 0;
}

int kmem_gfp_parse(const struct kmem_gfp *g, const char *text, uint32_t *flags, struct error *e)
{
	const char *p = text;
	uint32_t mask;
	size_t n;

	*flags = 0;
	do {
		n = strcspn(p, "|,");
		mask = kmem_gfp_flags(g, p, n);
		if (!mask)
			return error_set(e, EXIT_USAGE, -EINVAL,
					 "a name in it is not a GFP flag of this kernel",
					 "write flags like GFP_ATOMIC or __GFP_ZERO,__GFP_COMP",
					 "cannot use '%s' for --gfp", text);
		*flags |= mask;
		p += n;
	} while (*p++);
	return 0;
}
