// SPDX-License-Identifier: GPL-2.0-only
/* formats.c - the table of formats of memory events. */
#include "render/kmem/priv.h"

#include <string.h>

const struct render_kmem_format render_kmem_formats[] = {
	{ "summary", "totals, the first rows and the account (default)", render_kmem_summary,
	  NULL },
	{ "json", "everything, one object a report", render_kmem_json, NULL },
	{ "csv", "a line for each row, for spreadsheets", render_kmem_csv, NULL },
	{ "openmetrics", "for Prometheus", NULL, render_kmem_openmetrics },
	{ "html", "a page with drawings that needs nothing else", NULL, render_kmem_html },
	{},
};

const struct render_kmem_format *render_kmem_find(const char *name)
{
	const struct render_kmem_format *f;

	for (f = render_kmem_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

int render_kmem_write(const struct render_kmem_format *f, FILE *out,
		      const struct render_kmem_set *recs, const struct render_kmem_options *o)
{
	struct render_kmem_options each = *o;
	size_t i;
	int err = 0;

	if (f->all)
		return f->all(out, recs, o);
	each.base.titled |= recs->n > 1;
	for (i = 0; !err && i < recs->n; i++) {
		err = f->one(out, recs->recs[i], &each);
		each.base.continued = true;
	}
	return err;
}
