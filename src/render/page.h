/* SPDX-License-Identifier: GPL-2.0-only */
/* page.h - the parts of a page, one file each. Called by page.c. */
#ifndef KSTATS_RENDER_PAGE_H
#define KSTATS_RENDER_PAGE_H

#include "result/dist.h"
#include "render/render.h"

/* The page that is being written. */
struct page {
	FILE *out; /* stream */
	const struct render_options *o;
	const struct recording *rec; /* the recording; all keys are together in it */
	const struct snapshot *keys; /* the whole of it with its keys, or NULL */
	size_t index; /* of the recording, from 0 */
};

/** page_keys() - small drawings of the keys of @owner; @all: they together. 0 or -ENOMEM */
int page_keys(const struct page *p, uint32_t owner, const struct dist *all);

#endif /* KSTATS_RENDER_PAGE_H */
