// SPDX-License-Identifier: GPL-2.0-only
/* node_export.c - all nodes as a text for Prometheus. See cmd.h. */
#include "cmd/cmd.h"

#include <errno.h>

#include "ui/exposed.h"
#include "ui/output.h"

struct export
{
	const char *path;
	const char *root;
	struct buckets buckets;
};

#define OPTIONS_OF struct export

static const struct option_row node_export_options[] = {
	{ "output", 'o', "FILE", "Options", "write to this file, which all users may read",
	  OPTION_TEXT(path) },
	{ "buckets", 0, "BOUNDS", "Options", "like 8 or 1us..1s/8; the same on all hosts",
	  OPTION_BY(buckets, buckets_set) },
	NODES_PIN_ROOT("Options", root),
	{},
};

static const struct verb_help export_help = {
	.usage = "node export [options]",
	.about = "Write all nodes as one text for Prometheus, for the textfile folder of a node\n"
		 "exporter.",
	.examples = "  kstats-bpf node export -o /var/lib/prometheus/node-exporter/kstats.prom\n",
};

/* A closed pipe is no failure. */
static int export_written(FILE *out, const char *path, int err, struct error *e)
{
	if (!err && !fflush(out))
		return 0;
	if (err && err != -EIO)
		errno = -err;
	return errno == EPIPE && !path ? 0 : output_failed("the report", e);
}

static int export_write(const struct export *x, const struct exposed *nodes, struct error *e)
{
	struct report_look look = { .buckets = x->buckets };
	const struct format *f = format_find("openmetrics", REPORT_TRACE);
	struct output out = {};
	int err = output_open(&out, x->path, e);

	if (!err)
		err = export_written(out.out, x->path, exposed_write(nodes, f, out.out, &look), e);
	/* For the exporter, which is another user. */
	if (!err && x->path)
		outfile_set_mode(&out.file, 0644);
	if (!err)
		err = output_commit(&out, e);
	output_abort(&out);
	return err;
}

static int run_export(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct exposed nodes = { .nodes.root.fd = -1 };
	struct export x = {};
	int first, err = options_parse(v->options, &x, argc, argv, &first, e);

	if (!err && first < argc)
		err = error_set(e, EXIT_USAGE, -EINVAL, "all nodes are exported",
				"leave out the names", "which nodes");
	if (!err)
		err = exposed_read(&nodes, x.root, e);
	if (!err)
		err = export_write(&x, &nodes, e);
	if (!err)
		err = nodes.status;
	exposed_close(&nodes);
	return err;
}

const struct verb node_export_verb = {
	.name = "export",
	.line = "write all nodes for Prometheus",
	.help = &export_help,
	.options = node_export_options,
	.takes = OFFER_NODES,
	.run = run_export,
};
