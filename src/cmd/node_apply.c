// SPDX-License-Identifier: GPL-2.0-only
/*
 * node_apply.c - `node apply`: the nodes that a file asks for, each line the words of `node add`.
 * A node keeps its file and its line, so that only what differs is changed.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "ui/nodes.h"
#include "util/safe_str.h"
#include "util/words.h"

#define WORDS_MAX 128 /* of a line */

/* A line that asks for a node. */
struct apply_line {
	char *text; /* owned; without comment and spaces around it */
	unsigned int number;
	bool there; /* a node of this line exists */
};

struct apply {
	struct nodes nodes;
	bool remove; /* all nodes of the file go, and none is made */
	char *file; /* owned; see apply_path() */
	struct apply_line *lines; /* owned */
	size_t n;
	int status; /* of the last line that failed */
};

#define OPTIONS_OF struct apply

static const struct option_row apply_options[] = {
	{ "remove", 0, NULL, "Options", "remove the nodes of this file, and make none",
	  OPTION_FLAG(remove) },
	NODES_PIN_ROOT("Options", nodes.path),
	{},
};

static const struct verb_help apply_help = {
	.usage = "node apply FILE [options]",
	.about = "Make the nodes that a file asks for. Each line has the words of 'node add';\n"
		 "quotes hold words together, and # begins a comment. Nodes of lines that have\n"
		 "not changed go on, those of lines that are gone are removed, and nodes that\n"
		 "were made otherwise stay as they are.",
	.examples = "  kstats-bpf node apply /etc/kstats-bpf/nodes.conf\n",
};

/* ---- words of a line ---- */

/* @text is cut into @argv, behind the word "add". Return: their number, or -EINVAL. */
static int apply_split(char *text, char *argv[WORDS_MAX + 1], struct error *e)
{
	int n = 0, i;

	argv[n++] = "add";
	while (text && n <= WORDS_MAX && (argv[n] = words_next(&text)))
		n++;
	if (!text)
		return error_set(e, EXIT_USAGE, -EINVAL, "a quote is not closed", "close it",
				 "cannot use the line");
	for (i = 1; i < n; i++)
		if (!strncmp(argv[i], "--pin-root", strlen("--pin-root")))
			return error_set(
				e, EXIT_USAGE, -EINVAL, "all nodes of a file are in one folder",
				"give it to 'node apply'", "cannot use --pin-root in a line");
	if (n > 1 && !strcasecmp(argv[1], "trace"))
		return error_set(e, EXIT_USAGE, -EINVAL, "it is written for 'control'",
				 "'trace vfs_read bits 3' is now 'vfs_read --bits 3'",
				 "cannot use the line");
	if (n > WORDS_MAX)
		return error_set(e, EXIT_USAGE, -E2BIG, "it has more than 127 words", "shorten it",
				 "cannot use the line");
	return n;
}

/* ---- the file ---- */

/* A # begins a comment at the begin of a line or behind a space, outside of quotes. */
static char *apply_strip(char *line)
{
	char *p, *end, quote = 0;

	line += strspn(line, " \t");
	for (p = line; *p && *p != '\n'; p++) {
		if (*p == '\\' && quote != '\'' && p[1])
			p++;
		else if (quote ? *p == quote : *p == '\'' || *p == '"')
			quote = quote ? 0 : *p;
		else if (!quote && *p == '#' && (p == line || isspace((unsigned char)p[-1])))
			break;
	}
	*p = '\0';
	for (end = p; end > line && isspace((unsigned char)end[-1]);)
		*--end = '\0';
	return line;
}

static int apply_keep(struct apply *a, const char *text, unsigned int number)
{
	struct apply_line *lines = realloc(a->lines, (a->n + 1) * sizeof(*lines));

	if (!lines)
		return -ENOMEM;
	a->lines = lines;
	lines[a->n] = (struct apply_line){ .text = strdup(text), .number = number };
	return lines[a->n].text ? (a->n++, 0) : -ENOMEM;
}

static int apply_read(struct apply *a, struct error *e)
{
	FILE *in = fopen(a->file, "re");
	unsigned int number = 0;
	char *text = NULL, *line;
	size_t size = 0;
	ssize_t got;
	int err = in ? 0 : -errno;

	while (!err && (got = getline(&text, &size, in)) > 0) {
		number++;
		line = strlen(text) == (size_t)got ? apply_strip(text) : NULL;
		if (!line)
			err = -EILSEQ;
		else if (*line)
			err = apply_keep(a, line, number);
	}
	if (!err && ferror(in))
		err = -errno;
	free(text);
	if (in)
		fclose(in);
	if (err == -EILSEQ)
		return error_set(e, EXIT_USAGE, err, "it contains a NUL byte", "name a text file",
				 "cannot use '%s'", a->file);
	return err ? error_set(e, EXIT_USAGE, err, NULL, "no node was changed", "cannot read '%s'",
			       a->file)
		   : 0;
}

/* ---- what differs ---- */

/* Is it of this file, and of none of its lines? */
static bool apply_is_old(struct apply *a, const char *name)
{
	struct error e = {};
	struct node *node = node_open(&a->nodes.root, name, NODE_LIST, &e);
	struct node_words words = node ? node_words(node) : (struct node_words){};
	bool old = words.file && !strcmp(words.file, a->file);
	size_t i;

	/* It may be of this file. One that has just been removed is not. */
	if (!node && !nodes_gone(&a->nodes, &e))
		a->status = error_print(&e);

	for (i = 0; old && i < a->n; i++) {
		if (a->lines[i].there || strcmp(a->lines[i].text, words.line))
			continue;
		a->lines[i].there = true;
		old = false;
	}
	node_close(node);
	return old;
}

/* Remove the nodes that none of the lines asks for. */
static int apply_remove(struct apply *a, struct error *e)
{
	struct nodes gone;
	bool wrong = a->status;
	int i, err, status;
	char **names;

	a->nodes.all = true;
	err = nodes_find(&a->nodes, NULL, 0, e);
	if (err)
		return err;
	names = calloc(a->nodes.n + 1, sizeof(*names));
	if (!names)
		return error_no_memory(e, "cannot apply the file");
	gone = a->nodes;
	gone.names = names;
	gone.n = 0;
	for (i = 0; i < a->nodes.n; i++)
		if (apply_is_old(a, a->nodes.names[i]))
			names[gone.n++] = a->nodes.names[i];
	status = gone.n && !wrong ? cmd_change_nodes(&gone, "rm", e) : 0;
	if (gone.n && wrong)
		fprintf(stderr, "kstats-bpf: no node was removed, because a line is wrong: "
				"correct it, and apply the file again\n");
	if (status)
		a->status = status;
	free(names);
	return 0;
}

/* Add the node of a line, or, with @check, only look at its words. */
static void apply_one(struct apply *a, struct apply_line *l, bool check)
{
	char *argv[WORDS_MAX + 1], *text = strdup(l->text), safe[512];
	const char *path = a->nodes.path;
	struct error e = {};
	int n, err;

	a->nodes.file = a->file;
	a->nodes.line = l->text;
	a->nodes.check = check;
	n = text ? apply_split(text, argv, &e) : error_no_memory(&e, "cannot use the line");
	err = n < 0 ? n : cmd_add_node(&a->nodes, n, argv, &e);
	a->nodes.path = path; /* whatever the line said */
	if (err) {
		l->there = true; /* it is said once */
		fprintf(stderr, "kstats-bpf: line %u, '%s':\n", l->number,
			safe_str(safe, sizeof(safe), l->text));
		a->status = error_print(&e);
	}
	free(text);
}

static int apply_all(struct apply *a, struct error *e)
{
	size_t i;
	int err;

	for (i = 0; i < a->n; i++)
		apply_one(a, &a->lines[i], true);
	err = apply_remove(a, e);
	for (i = 0; !err && i < a->n; i++)
		if (!a->lines[i].there)
			apply_one(a, &a->lines[i], false);
	if (!err && a->remove && a->nodes.root.fd >= 0)
		pin_root_leave(a->nodes.path, a->nodes.root.fd);
	return err;
}

/*
 * What a node keeps of its file: its whole path, with its links as they are, since they may lead
 * elsewhere at the next time, and the file may be gone.
 */
static char *apply_path(const char *name)
{
	char *folder = *name == '/' ? strdup("") : getcwd(NULL, 0), *path = NULL;

	while (!strncmp(name, "./", 2))
		name += 2 + strspn(name + 2, "/");
	if (!folder || asprintf(&path, "%s%s%s", folder, *name == '/' ? "" : "/", name) < 0)
		path = NULL;
	free(folder);
	return path;
}

static int apply_run(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct apply a = { .nodes = { .root.fd = -1, .needs_bpf = v->needs_bpf } };
	int first, err = options_parse(v->options, &a, argc, argv, &first, e);

	if (!err && argc - first != 1)
		err = error_set(e, EXIT_USAGE, -EINVAL, "it takes exactly one file",
				"write kstats-bpf node apply FILE", "cannot apply the nodes");
	if (!err)
		a.file = apply_path(argv[first]);
	if (!err && !a.file)
		err = error_no_memory(e, "cannot apply the file");
	if (!err && !a.remove)
		err = apply_read(&a, e);
	if (!err)
		err = apply_all(&a, e);
	nodes_close(&a.nodes);
	while (a.n)
		free(a.lines[--a.n].text);
	free(a.lines);
	free(a.file);
	return err ? err : a.status;
}

const struct verb node_apply_verb = {
	.name = "apply",
	.line = "make the nodes that a file asks for, and change what differs",
	.help = &apply_help,
	.options = apply_options,
	.needs_bpf = true,
	.needs = CMD_NODE_NEEDS,
	.run = apply_run,
};
