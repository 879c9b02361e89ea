// SPDX-License-Identifier: GPL-2.0-only
/* node.c - the verb `node`: add and change. See cmd.h. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/nodes.h"
#include "spec/spec.h"

/* ---- add ---- */

#define OPTIONS_OF struct nodes

const struct option_row node_add_options[] = {
	{ "pin-root", 0, "FOLDER", "Where", "where nodes are (" PIN_ROOT ")", OPTION_TEXT(path) },
	{},
};

static const struct verb_help add_help = {
	.usage = "node add NAME [TARGET...] [options of trace that say what is measured]",
	.about = "Measure until the node is removed, whatever becomes of this program. Without\n"
		 "a target or a pair, NAME is the function.",
	.examples = "  kstats-bpf node add vfs_read\n"
		    "  kstats-bpf node add reads vfs_read --comm postgres --bits 3\n"
		    "  kstats-bpf node add disk --start tp:block:block_rq_issue \\\n"
		    "      --end tp:block:block_rq_complete --key arg0\n",
};

/* --pin-root is no option of trace: it is taken out of the words. */
static int take_root(struct nodes *n, int argc, char **argv)
{
	static const char option[] = "--pin-root";
	int i, kept = 0;

	for (i = 0; i < argc; i++) {
		if (!strcmp(argv[i], option) && i + 1 < argc)
			n->path = argv[++i];
		else if (!strncmp(argv[i], "--pin-root=", sizeof(option)))
			n->path = argv[i] + sizeof(option);
		else
			argv[kept++] = argv[i];
	}
	argv[kept] = NULL;
	return kept;
}

static bool names_target(int argc, char **argv)
{
	struct spec spec = {};
	struct error e = {};
	char **copy = calloc(argc + 1, sizeof(*copy));
	bool found = true;
	int first;

	if (!copy)
		return true;
	memcpy(copy, argv, argc * sizeof(*copy));
	if (!options_parse(spec_options, &spec, argc, copy, &first, &e))
		found = first < argc || spec.start.kind || spec.end.kind;
	spec_free(&spec);
	free(copy);
	return found;
}

static int add_help_asked(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return 1;
	return 0;
}

/* "add NAME WORD..." is "trace --node NAME WORD...", with NAME for a missing target. */
static char **trace_words(int argc, char **argv, int *n)
{
	char **words = calloc(argc + 4, sizeof(*words));

	if (!words)
		return NULL;
	words[0] = "trace";
	memcpy(words + 1, argv + 2, (argc - 2) * sizeof(*words));
	*n = argc - 1;
	if (!names_target(*n, words))
		words[(*n)++] = argv[1];
	words[(*n)++] = "--node";
	words[(*n)++] = argv[1];
	return words;
}

static int add(struct nodes *n, int argc, char **argv, struct error *e)
{
	struct spec spec = {};
	char **words, *text;
	int n_words, err;

	if (argc < 2 || argv[1][0] == '-')
		return error_set(e, EXIT_USAGE, -EINVAL, "the first word is its name",
				 "write kstats-bpf node add NAME", "cannot add a node");
	words = trace_words(argc, argv, &n_words);
	text = nodes_join(argc - 2, argv + 2);
	err = words && text ? spec_parse_trace(&spec, n_words, words, e) : -ENOMEM;
	if (!err)
		err = nodes_open(n, true, e);
	if (!err)
		err = nodes_add(n, &spec, *text ? text : argv[1], e);
	spec_free(&spec);
	free(words);
	free(text);
	return err;
}

static int do_add(int argc, char **argv)
{
	struct nodes n = { .root.fd = -1 };
	struct error e = {};
	int err;

	argc = take_root(&n, argc, argv);
	if (add_help_asked(argc, argv)) {
		options_help(node_add_options, &add_help, stdout);
		puts("\n'kstats-bpf trace --help' tells what can be measured, and of whom.");
		return EXIT_DONE;
	}
	err = add(&n, argc, argv, &e);
	nodes_close(&n);
	return err ? error_print(&e) : EXIT_DONE;
}

/* ---- start, stop, reset, rm ---- */

const struct option_row node_change_options[] = {
	{ "all", 0, NULL, "Options", "every node there is", OPTION_FLAG(all) },
	{ "pin-root", 0, "FOLDER", "Options", "where nodes are (" PIN_ROOT ")", OPTION_TEXT(path) },
	{},
};

static const struct verb_help change_help = {
	.usage = "node start|stop|reset|rm NAME...|--all [options]",
	.about = "start: record again. stop: record nothing, keep the counts. reset: all counts\n"
		 "are zero, and no call that began before gives a sample. rm: remove.",
	.examples = "  kstats-bpf node stop vfs_read\n"
		    "  kstats-bpf node rm --all\n",
};

int nodes_change(struct nodes *n, const char *verb, const char *name, struct error *e)
{
	static const struct {
		const char *verb;
		int (*run)(struct node *n, struct error *e);
	} changes[] = {
		{ "start", node_start },
		{ "stop", node_stop },
		{ "reset", node_reset },
	};
	struct node *node;
	size_t i = 0;
	int err;

	if (!strcmp(verb, "rm"))
		return pin_remove(n->root.fd, name, e);
	node = node_open(&n->root, name, NODE_CHANGE, e);
	if (!node)
		return -ENOENT;
	while (strcmp(changes[i].verb, verb))
		i++;
	err = changes[i].run(node, e);
	node_close(node);
	return err;
}

static int change_all(struct nodes *n, const char *verb, struct error *e)
{
	int i, status = EXIT_DONE;

	for (i = 0; i < n->n; i++) {
		*e = (struct error){};
		if (nodes_change(n, verb, n->names[i], e) && !nodes_gone(n, e))
			status = error_print(e);
	}
	return status;
}

static int do_change(int argc, char **argv)
{
	struct nodes n = { .root.fd = -1 };
	const char *verb = argv[0];
	struct error e = {};
	int first, err, status = EXIT_DONE;

	err = options_parse(node_change_options, &n, argc, argv, &first, &e);
	if (err == OPTIONS_HELP) {
		options_help(node_change_options, &change_help, stdout);
		return EXIT_DONE;
	}
	if (!err)
		err = nodes_open(&n, false, &e);
	if (!err)
		err = nodes_name(&n, argv + first, argc - first, &e);
	if (!err)
		status = change_all(&n, verb, &e);
	if (!err && n.all && n.root.fd >= 0 && !strcmp(verb, "rm"))
		pin_root_leave(n.path, n.root.fd);
	nodes_close(&n);
	return err ? error_print(&e) : status;
}

/* ---- which ---- */

static const struct {
	const char *verb;
	const char *help;
	int (*run)(int argc, char **argv);
} verbs[] = {
	{ "add", "begin one that stays", do_add },
	{ "ls", "which there are", node_do_ls },
	{ "show", "what they counted, in every format of trace", node_do_show },
	{ "export", "all of them, for a node exporter", node_do_export },
	{ "start", "record again", do_change },
	{ "stop", "record nothing, keep the counts", do_change },
	{ "reset", "all counts are zero", do_change },
	{ "rm", "remove", do_change },
};

#define N_VERBS (sizeof(verbs) / sizeof(*verbs))

static void help(FILE *out)
{
	size_t i;

	fputs("Usage: kstats-bpf node VERB [options]\n\n"
	      "Nodes measure with no process alive, until they are removed.\n\nVerbs:\n",
	      out);
	for (i = 0; i < N_VERBS; i++)
		fprintf(out, "  %-7s%s\n", verbs[i].verb, verbs[i].help);
	fputs("\n'kstats-bpf node VERB --help' tells more, and so does kstats-bpf-node(8).\n", out);
}

int cmd_node(int argc, char **argv)
{
	struct error e = {};
	size_t i;

	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help(argc < 2 ? stderr : stdout);
		return argc < 2 ? EXIT_USAGE : EXIT_DONE;
	}
	for (i = 0; i < N_VERBS; i++)
		if (!strcmp(argv[1], verbs[i].verb))
			return verbs[i].run(argc - 1, argv + 1);
	error_set(&e, EXIT_USAGE, -EINVAL, "there is no such verb", "see 'kstats-bpf node --help'",
		  "cannot run 'node %s'", argv[1]);
	return error_print(&e);
}
