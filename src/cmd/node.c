// SPDX-License-Identifier: GPL-2.0-only
/* node.c - the verbs of `node`: add and change. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hook/returns.h"
#include "recipes/recipes.h"
#include "ui/nodes.h"
#include "spec/spec.h"

/* ---- add ---- */

static const struct verb_help add_help = {
	.usage = "node add NAME [TARGET...] [options]\n"
		 "       kstats-bpf node add @RECIPE|--user NAME|--kmem [NAME] [options]",
	.about =
		"Add a node: it records at once, until it is removed. Without a target or a pair,\n"
		"NAME is also the function. With --user, programs that were compiled with\n"
		"markers of this name record into it, see kstats_user(3). With --kmem, it counts\n"
		"allocations, and takes the options of 'kmem' that say which.",
	.examples = "  kstats-bpf node add vfs_read\n"
		    "  kstats-bpf node add reads vfs_read --comm postgres --bits 3\n"
		    "  kstats-bpf node add readers vfs_read --by comm --limit keys=64\n"
		    "  kstats-bpf node add disk --start tp:block:block_rq_issue \\\n"
		    "      --end tp:block:block_rq_complete --key arg0\n"
		    "  kstats-bpf node add sizes tp:kmem:kmalloc --value bytes_alloc\n"
		    "  kstats-bpf node add @biolat\n"
		    "  kstats-bpf node add u:/usr/sbin/nginx:ngx_http_process_request\n"
		    "  kstats-bpf node add --user request --group www-data\n"
		    "  kstats-bpf node add --kmem --lifetime --kind kmalloc,cache\n"
		    "\n'kstats-bpf trace --help' tells what can be measured, and of whom.\n",
};

/* Take --pin-root out of the words, since trace has no such option. */
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

/* Whether the words name what is measured; @named: whether they name the distribution. */
static bool names_target(int argc, char **argv, bool *named)
{
	struct spec spec = {};
	struct error e = {};
	char **copy = calloc(argc + 1, sizeof(*copy));
	bool found = true;
	int first;

	*named = false;
	if (!copy)
		return true;
	memcpy(copy, argv, argc * sizeof(*copy));
	if (!options_parse(spec_options, &spec, argc, copy, &first, &e)) {
		found = first < argc || spec.start.kind || spec.end.kind || spec.cancel.kind;
		*named = spec.name;
	}
	spec_free(&spec);
	free(copy);
	return found;
}

static bool asks_for(int argc, char **argv, const char *option)
{
	size_t len = strlen(option);
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strncmp(argv[i], option, len) && (!argv[i][len] || argv[i][len] == '='))
			return true;
	return false;
}

static int add_help_asked(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return 1;
	return 0;
}

#define NAME_SIZE 512 /* of a name that may be too long */

/* "add NAME WORD..." is "trace --name NAME WORD...", with NAME for a missing target. */
static char **trace_words(int argc, char **argv, char *name, int *n, bool *named)
{
	char **words = calloc(argc + 4, sizeof(*words));

	if (!words)
		return NULL;
	words[0] = "trace";
	memcpy(words + 1, argv + 2, (argc - 2) * sizeof(*words));
	*n = argc - 1;
	if (!names_target(*n, words, named)) {
		words[(*n)++] = argv[1];
		spec_target_name(argv[1], name, NAME_SIZE);
	}
	words[(*n)++] = "--name";
	words[(*n)++] = name;
	return words;
}

/* The words of a node that has a name. */
static int node_add_as(struct nodes *n, int argc, char **argv, struct error *e)
{
	struct recipe_words recipe = {};
	struct spec spec = {};
	char **words, *text = NULL, name[NAME_SIZE];
	bool is_name, named = false;
	int n_words = 0, err;

	snprintf(name, sizeof(name), "%s", argv[1]);
	words = trace_words(argc, argv, name, &n_words, &named);
	/* The name of a function alone does not tell in which program it is. */
	is_name = !strcmp(name, argv[1]);
	text = is_name ? nodes_join(argc - 2, argv + 2) : nodes_join(argc - 1, argv + 1);
	if (named)
		err = error_set(e, EXIT_USAGE, -EINVAL, "the first word is its name",
				"leave out --name", "cannot give a node two names");
	else
		err = words && text ? recipe_take(&recipe, n_words, words, RECIPE_NAMELESS, e)
				    : error_no_memory(e, "cannot add the node");
	if (!err && !named)
		err = spec_parse_trace(&spec, recipe.argc, recipe.argv, e);
	if (!err) {
		err = nodes_add(n, &spec, *text ? text : argv[1], e);
		if (err)
			recipe_explain(&recipe, e);
	}
	spec_free(&spec);
	recipe_drop(&recipe);
	free(words);
	free(text);
	return err;
}

static int add_traced(struct nodes *n, int argc, char **argv, struct error *e)
{
	char **words;
	int err;

	if (argc < 2 || argv[1][0] == '-')
		return error_set(e, EXIT_USAGE, -EINVAL, "the first word is its name",
				 "write kstats-bpf node add NAME", "cannot add a node");
	if (argv[1][0] != RECIPE_MARK)
		return node_add_as(n, argc, argv, e);
	/* "add @NAME" is "add NAME @NAME". */
	words = calloc(argc + 2, sizeof(*words));
	if (!words)
		return error_no_memory(e, "cannot add the node");
	words[0] = argv[0];
	words[1] = argv[1] + 1;
	memcpy(words + 2, argv + 1, (argc - 1) * sizeof(*words));
	err = node_add_as(n, argc + 1, words, e);
	free(words);
	return err;
}

/* "add --kmem WORD..." is "kmem WORD..." with a name. */
static int add_kmem(struct nodes *n, int argc, char **argv, struct error *e)
{
	char *text = nodes_join(argc - 1, argv + 1);
	struct spec_kmem want;
	int err = spec_parse_kmem_node(&want, argc, argv, e);

	if (!err)
		err = text ? nodes_add_kmem(n, &want, text, e)
			   : error_no_memory(e, "cannot add the node");
	spec_free(&want.spec);
	free(text);
	return err;
}

int cmd_add_node(struct nodes *n, int argc, char **argv, struct error *e)
{
	if (asks_for(argc, argv, "--user"))
		return cmd_add_user(n, argc, argv, e);
	argc = take_root(n, argc, argv);
	if (asks_for(argc, argv, "--kmem"))
		return add_kmem(n, argc, argv, e);
	return add_traced(n, argc, argv, e);
}

static int run_add(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct nodes n = { .root.fd = -1, .needs_bpf = v->needs_bpf };
	int err = add_help_asked(argc, argv) ? OPTIONS_HELP : cmd_add_node(&n, argc, argv, e);

	nodes_close(&n);
	return err;
}

/* ---- start, stop, reset, rm ---- */

#define OPTIONS_OF struct nodes

static const struct option_row change_options[] = {
	{ "all", 0, NULL, "Options", "all nodes", OPTION_FLAG(all) },
	NODES_PIN_ROOT("Options", path),
	{},
};

static const struct verb_help change_help = {
	.usage = "node start|stop|reset|rm NAME...|--all [options]",
	.about = "start: record again. stop: stop recording and keep the counts. reset: set all\n"
		 "counts to zero; calls that began before give no sample. rm: remove the node.",
	.examples = "  kstats-bpf node stop vfs_read\n"
		    "  kstats-bpf node rm --all\n",
};

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

static unsigned int node_count_returns(const struct nodes *n)
{
	unsigned int sum = 0;
	int i;

	for (i = 0; i < n->n; i++)
		sum += node_returns(n->root.fd, n->names[i]);
	return sum;
}

int cmd_change_nodes(struct nodes *n, const char *verb, struct error *e)
{
	unsigned int events = 0, going = 0;
	bool remove = !strcmp(verb, "rm");
	int status;

	if (remove) {
		going = node_count_returns(n);
		events = returns_clean();
	}
	status = change_all(n, verb, e);
	/* Sessions and other nodes keep theirs. */
	if (going)
		returns_wait(events > going ? events - going : 0);
	return status;
}

static int run_change(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct nodes n = { .root.fd = -1 };
	int first, status = EXIT_DONE, err = options_parse(v->options, &n, argc, argv, &first, e);

	if (!err)
		err = nodes_find(&n, argv + first, argc - first, e);
	if (!err)
		status = cmd_change_nodes(&n, v->name, e);
	if (!err && n.all && n.root.fd >= 0 && !strcmp(v->name, "rm"))
		pin_root_leave(n.path, n.root.fd);
	nodes_close(&n);
	return err ? err : status;
}

/* ---- which ---- */

#define CHANGE(word, what, ...)                                                              \
	{                                                                                    \
		.name = word, .line = what, .help = &change_help, .options = change_options, \
		.takes = OFFER_NODES, .run = run_change, __VA_ARGS__                         \
	}

static const struct verb change_verbs[] = {
	CHANGE("start", "record again"),
	CHANGE("stop", "stop recording, keep the counts"),
	CHANGE("reset", "set all counts to zero"),
	CHANGE("rm", "remove", .also = "remove"),
};

static const struct verb add_verb = {
	.name = "add",
	.line = "add a node, which records at once",
	.help = &add_help,
	.options = node_add_options,
	.more = spec_options,
	.beside = "--kmem",
	.instead = spec_kmem_options,
	.takes = OFFER_FUNCTIONS,
	.needs_bpf = true,
	.needs = CMD_NODE_NEEDS,
	.run = run_add,
};

static const struct verb *const node_verbs[] = {
	&add_verb,        &node_apply_verb, &node_ls_verb,    &node_show_verb,  &node_export_verb,
	&change_verbs[0], &change_verbs[1], &change_verbs[2], &change_verbs[3], NULL,
};

static const struct verb_help node_help = {
	.usage = "node VERB [options]",
	.about = "A node records while no process runs, until it is removed.",
	.examples = "'kstats-bpf node VERB --help' tells more, and so does kstats-bpf-node(8).\n",
};

const struct verb node_verb = {
	.name = "node",
	.line = "manage measurements that outlive the command",
	.help = &node_help,
	.verbs = node_verbs,
};
