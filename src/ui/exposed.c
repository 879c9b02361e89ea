// SPDX-License-Identifier: GPL-2.0-only
/* exposed.c - all nodes as one exposition; see exposed.h. */
#include "ui/exposed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Written all the same: a program that writes nonsense must not hide the others. */
static int exposed_doubts(const struct input *in, const char *name)
{
	const char *why = in->rec ? in->rec->whole->unseen : NULL;
	struct error e;

	if (!why || !*why)
		return EXIT_DONE;
	error_set(&e, EXIT_LEDGER, -EIO, why, "see 'kstats-bpf node show'",
		  "the figures of '%s' are not exact", name);
	return error_print(&e);
}

static int exposed_read_one(struct exposed *x, const char *name, struct input *in, struct error *e)
{
	char **source;

	if (nodes_read(&x->nodes, name, in, e))
		return -EIO;
	if (in->rec)
		recording_drop_unused(in->rec);
	source = in->rec ? &in->rec->source : &in->kmem->source;
	*source = strdup(name);
	if (*source)
		return 0;
	input_free(in);
	*in = (struct input){};
	return error_no_memory(e, "cannot show '%s'", name);
}

static void exposed_read_all(struct exposed *x)
{
	int i, doubts;

	for (i = 0; i < x->nodes.n; i++) {
		struct input *in = &x->all[x->n];
		struct error e = {};

		if (!exposed_read_one(x, x->nodes.names[i], in, &e)) {
			doubts = exposed_doubts(in, x->nodes.names[i]);
			x->status = x->status ? x->status : doubts;
			x->n++;
		} else if (!nodes_gone(&x->nodes, &e)) {
			x->status = error_print(&e);
		}
	}
}

int exposed_read(struct exposed *x, const char *root, struct error *e)
{
	int err;

	*x = (struct exposed){
		.nodes = { .root.fd = -1, .path = root, .all = true, .only_read = true },
	};
	err = nodes_find(&x->nodes, NULL, 0, e);
	if (err)
		return err;
	x->all = calloc(x->nodes.n + 1, sizeof(*x->all));
	if (!x->all)
		return error_no_memory(e, "cannot read the nodes");
	exposed_read_all(x);
	return 0;
}

int exposed_write(const struct exposed *x, const struct format *f, FILE *out,
		  const struct report_look *look)
{
	const struct recording **recs = calloc(x->n + 1, sizeof(*recs));
	const struct kmem **kmems = calloc(x->n + 1, sizeof(*kmems));
	struct report_kmem_look how = { .base = { .unit = "auto", .live = true } };
	struct report_look o = {
		.unit = "auto", .live = true, .buckets = look->buckets, .families = look->families
	};
	struct report_kmem_set of_memory = { 0, kmems };
	struct report_set set = { 0, recs };
	int i, err = recs && kmems ? 0 : -ENOMEM;

	for (i = 0; !err && i < x->n; i++) {
		if (x->all[i].rec)
			recs[set.n++] = x->all[i].rec;
		else
			kmems[of_memory.n++] = x->all[i].kmem;
	}
	how.base.families = look->families;
	how.base.titled = x->n > 1;
	o.followed = of_memory.n;
	/* A document without nodes is valid, too. */
	if (!err && (set.n || !of_memory.n))
		err = format_trace(f, out, &set, &o);
	if (!err && of_memory.n)
		err = format_kmem(f, out, &of_memory, &how);
	free((void *)recs);
	free((void *)kmems);
	return err;
}

void exposed_close(struct exposed *x)
{
	while (x->all && x->n > 0)
		input_free(&x->all[--x->n]);
	free(x->all);
	x->all = NULL;
	nodes_close(&x->nodes);
}
