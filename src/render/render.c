// SPDX-License-Identifier: GPL-2.0-only
/* render.c - the table of formats; see render.h. */
#include "render/render.h"

#include <string.h>

#include "render/formats.h"

const struct render_format render_formats[] = {
	{ "summary", "figures, shape and ledger on one screen (default)", render_summary },
	{ "hist", "a row for every occupied slot", render_hist },
	{ "classic", "a row for every slot and CPU, for grep and gnuplot", render_classic },
	{ "json", "everything, one object a report", render_json },
	{ "csv", "a row for every occupied slot, for spreadsheets", render_csv },
	{},
};

const struct render_format *render_find(const char *name)
{
	const struct render_format *f;

	for (f = render_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
