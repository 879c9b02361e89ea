// SPDX-License-Identifier: GPL-2.0-only
/* comments.c - what stands before tables of numbers, in lines that plotting tools ignore. */
#include <stdlib.h>

#include "format/priv.h"
#include "report/costs.h"
#include "util/text.h"

void format_comments(FILE *out, const struct recording *rec, const struct report_look *o)
{
	char *subtracted = costs_subtracted(rec->whole), stepped[COSTS_WARNING];

	if (o->titled)
		text_comment(out, "recording ", rec->source);
	if (o->period)
		fprintf(out, "# period %u\n", o->period);
	if (*rec->whole->unit)
		text_comment(out, "unit: ", rec->whole->unit);
	if (subtracted)
		text_comment(out, "floor: ", subtracted);
	if (costs_warning(rec, stepped))
		text_comment(out, "", stepped);
	free(subtracted);
}
