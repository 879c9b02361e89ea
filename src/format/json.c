// SPDX-License-Identifier: GPL-2.0-only
/* json.c - a report as named values on one line, written part by part. */
#include <errno.h>

#include "format/priv.h"

int format_json(FILE *out, const struct report *r)
{
	struct json_out w = { .out = out };

	if (!r->err)
		r->values(r, &w);
	return json_out_line(&w) || r->err ? -EIO : 0;
}
