// SPDX-License-Identifier: GPL-2.0-only
/*
 * skip.c - the code that is no call site: functions by name as sorted ranges of addresses, once,
 * when the measurement begins. See priv.h.
 */
#include "heap/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The page allocator's own functions, of all kernels. */
static const char *const pagers[] = {
	"__alloc_pages*",
	"__alloc_frozen_pages*",
	"alloc_pages*",
	"alloc_frozen_pages*",
	"alloc_page_interleave",
	"__folio_alloc",
	"folio_alloc",
	"folio_alloc_mpol",
	"vma_alloc_folio",
	"__get_free_pages",
	"get_free_pages",
	"get_zeroed_page",
	"alloc_contig_*",
	"free_contig_*",
	"__free_pages*",
	"___free_pages*",
	"free_pages",
	"free_pages_prepare",
	"free_pages_exact",
	"free_pages_nolock",
	"free_one_page",
	"free_tail_page_prepare",
	"__free_frozen_pages*",
	"free_frozen_page*",
	"free_unref_*",
	"free_compound_page",
	"free_transhuge_page",
	"destroy_large_folio",
	"__folio_put*",
	"folio_put",
	"folios_put_refs",
	"put_page",
	"put_pages_list",
	"release_pages",
};

static int too_many(struct error *e)
{
	return error_set(e, EXIT_USAGE, -E2BIG, "the functions lie in too many places",
			 "name fewer functions", "cannot skip all that --skip names");
}

/* Each glob must match: a name that is misspelt would leave call sites as they are. */
static int fill_skipped(struct heap *h, const struct symbols_globs *globs, struct error *e)
{
	struct kstats_kmem_range *to = (void *)h->skel->rodata->skipped;
	size_t i;

	if (symbols_ranges(&h->symbols, globs, to))
		return too_many(e);
	for (i = 0; i < globs->n; i++)
		if (!globs->used[i])
			return error_set(e, EXIT_USAGE, -ENOENT,
					 "no function of the kernel or of a loaded module has "
					 "such a name",
					 "see /proc/kallsyms", "cannot skip '%s'", globs->at[i]);
	return 0;
}

static int set_skipped(struct heap *h, struct error *e)
{
	size_t most = strlen(h->want->skip) + 1;
	char *words = strdup(h->want->skip), *rest = words, *word;
	const char **at = calloc(most, sizeof(*at));
	struct symbols_globs globs = { at, 0, calloc(most, sizeof(*globs.used)) };
	int err;

	if (words && at && globs.used) {
		while ((word = strsep(&rest, ",")))
			at[globs.n++] = word;
		err = fill_skipped(h, &globs, e);
	} else {
		err = error_no_memory(e, "cannot start");
	}
	free(globs.used);
	free(at);
	free(words);
	return err;
}

static int set_pagers(struct heap *h, struct error *e)
{
	bool used[sizeof(pagers) / sizeof(*pagers)] = {};
	const struct symbols_globs globs = { pagers, sizeof(pagers) / sizeof(*pagers), used };

	return symbols_ranges(&h->symbols, &globs, (void *)h->skel->rodata->pagers) ? too_many(e)
										    : 0;
}

int heap_skip(struct heap *h, struct error *e)
{
	struct kstats_kmem_range *entries = (void *)&h->skel->rodata->entries;
	uint64_t first, end, size;

	h->settings[KSTATS_KMEM_SKIP] = h->want->skip != NULL;
	if (!h->symbols.n) /* nothing will be loaded */
		return 0;
	if (symbols_find(&h->symbols, "__entry_text_start", &first, &size) &&
	    symbols_find(&h->symbols, "__entry_text_end", &end, &size))
		*entries = (struct kstats_kmem_range){ first, end - first };
	if (h->want->page_sites && set_pagers(h, e))
		return -E2BIG;
	return h->want->skip ? set_skipped(h, e) : 0;
}
