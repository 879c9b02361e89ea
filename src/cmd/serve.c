// SPDX-License-Identifier: GPL-2.0-only
/* serve.c - the verb `serve`: all nodes over HTTP, for Prometheus. */
#include "cmd/cmd.h"

#include <errno.h>
#include <unistd.h>

#include "serve/serve.h"
#include "ui/exposed.h"
#include "ui/output.h"

struct serving {
	const char *listen;
	const char *root;
	struct buckets buckets;
};

#define OPTIONS_OF struct serving

static const struct option_row serve_options[] = {
	{ "listen", 0, "ADDRESS", "Options", "address and port (" SERVE_ADDRESS ")",
	  OPTION_TEXT(listen) },
	{ "buckets", 0, "BOUNDS", "Options", "of classic histograms, like 8 or 1us..1s/8",
	  OPTION_BY(buckets, buckets_set) },
	NODES_PIN_ROOT("Options", root),
	{},
};

static const struct verb_help serve_help = {
	.usage = "serve [options]",
	.about = "Answer GET /metrics with all nodes, for Prometheus, until SIGINT or SIGTERM. A\n"
		 "server that asks for native histograms gets these in protobuf, one series for\n"
		 "each distribution; others get classic histograms as text.",
	.examples = "  kstats-bpf serve\n"
		    "  kstats-bpf serve --listen 10.0.0.7:9937\n"
		    "  systemctl enable --now kstats-bpf-serve.socket\n",
};

static int serve_page(void *ctx, enum serve_type type, FILE *out)
{
	static const char *const formats[SERVE_TYPES] = {
		[SERVE_TEXT] = "openmetrics",
		[SERVE_OPENMETRICS] = "openmetrics",
		[SERVE_PROTOBUF] = "protobuf",
	};
	const struct serving *s = ctx;
	const struct report_look look = { .buckets = s->buckets,
					  .families = type == SERVE_OPENMETRICS };
	struct exposed nodes;
	struct error e = {};
	int err = exposed_read(&nodes, s->root, &e);

	if (err)
		error_print(&e);
	else
		err = exposed_write(&nodes, format_find(formats[type], REPORT_TRACE), out, &look);
	exposed_close(&nodes);
	return err;
}

static int run_serve(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct serve server = { .fd = -1 };
	struct serving s = {};
	int first, fd = -1, err = options_parse(v->options, &s, argc, argv, &first, e);

	if (!err && first < argc)
		err = error_set(e, EXIT_USAGE, -EINVAL, "all nodes are served",
				"leave out the names", "cannot use '%s'", argv[first]);
	if (!err)
		err = serve_listen(s.listen, &fd, e);
	if (!err)
		err = serve_begin(&server, fd, e);
	/* Names of call sites are read again and again, and nothing is attached or changed. */
	if (!err)
		err = output_drop_caps(false, false, OUTPUT_KERNEL, e);
	if (!err)
		err = serve_run(&server, serve_page, &s, e);
	serve_end(&server);
	return err;
}

const struct verb serve_verb = {
	.name = "serve",
	.line = "give Prometheus the figures of all nodes, over HTTP",
	.help = &serve_help,
	.options = serve_options,
	.takes = OFFER_NOTHING,
	.run = run_serve,
};
