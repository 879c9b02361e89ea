// SPDX-License-Identifier: GPL-2.0-only
/* values.c - named values that several kinds of reports have. */
#include "report/figures.h"
#include "report/priv.h"

void values_bounds(struct json_out *w, const char *key, struct dist_bounds b)
{
	json_out_open(w, key, '{');
	json_out_u64(w, "lo", b.lo);
	json_out_u64(w, "hi", b.hi);
	json_out_close(w, '}');
}

void values_quantiles(struct json_out *w, const char *key, const struct dist *d)
{
	int i;

	json_out_open(w, key, '{');
	for (i = 0; i < FIGURES_QUANTILES; i++)
		values_bounds(w, figures_quantiles[i].name,
			      dist_quantile(d, figures_quantiles[i].millionths));
	json_out_close(w, '}');
}
