// SPDX-License-Identifier: GPL-2.0-only
/*
 * folded.c - a line for each distribution: the functions of its stack, the outermost first, and
 * the total of its samples, for the tools that draw flame graphs.
 */
#include <errno.h>
#include <inttypes.h>

#include "format/priv.h"
#include "report/keys.h"
#include "util/text.h"
#include "result/dist.h"

static void folded_part(FILE *out, const struct tag *part)
{
	text_safe(out, part->value, 0);
	fputc(';', out);
}

/* Those of the kernel are called by those of the program, and what is no stack stands first. */
static void folded_key(FILE *out, const struct tags *by)
{
	size_t i;

	for (i = 0; i < by->n; i++)
		if (!keys_is_stack(&by->rows[i]))
			folded_part(out, &by->rows[i]);
	for (i = by->n; i--;)
		if (keys_is_stack(&by->rows[i]))
			folded_part(out, &by->rows[i]);
}

static int folded_line(FILE *out, const struct snapshot *s, uint32_t node)
{
	const struct snapshot_node *n = &s->nodes[node];
	struct dist d;
	int err = dist_open(&d, s, node, DIST_ALL_CPUS);

	if (!err && d.samples) {
		if (n->kind == SNAPSHOT_OTHER)
			fputs("[other];", out);
		folded_key(out, &n->by);
		text_safe(out, s->nodes[n->owner].name, 0);
		fprintf(out, " %.0f\n", dist_total(&d));
	}
	dist_close(&d);
	return err;
}

/* The samples of an owner are those of its keys, see snapshot_total(). */
int format_folded(FILE *out, const struct report *r)
{
	const struct snapshot *s = report_recording(r)->whole;
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < s->n_nodes; i++)
		if (snapshot_is_recorded(s->nodes[i].kind) && !snapshot_is_rest(s, i))
			err = folded_line(out, s, i);
	return err || ferror(out) ? -EIO : 0;
}
