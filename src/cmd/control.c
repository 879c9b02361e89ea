// SPDX-License-Identifier: GPL-2.0-only
/* control.c - the verb `control`: nodes in the classic words. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/nodes.h"
#include "spec/spec.h"
#include "util/safe_str.h"

struct control {
	struct nodes nodes;
	bool keep_going;
};

#define OPTIONS_OF struct control

static const struct option_row control_options[] = {
	{ "keep-going", 'k', NULL, "Options", "go on with the next line if one fails",
	  OPTION_FLAG(keep_going) },
	NODES_PIN_ROOT("Options", nodes.path),
	{},
};

static const struct verb_help control_help = {
	.usage = "control LINE... | - [options]",
	.about =
		"Do what the lines say, in their order; '-' reads them from standard input, where\n"
		"# begins a comment:\n"
		"  trace S [bits B] [start X] [end Y]\n"
		"  remove|start|stop|reset S\n"
		"  list",
	.examples = "  kstats-bpf control 'trace vfs_read bits 3'\n"
		    "  kstats-bpf control - --keep-going < lines\n",
};

/* ---- a line ---- */

/* Do "remove S", "start S", "stop S" or "reset S". Return: 1 if it is none of them. */
static int change(struct control *c, const char *line, struct error *e)
{
	static const struct {
		const char *word;
		const char *verb;
	} words[] = {
		{ "remove", "rm" },
		{ "start", "start" },
		{ "stop", "stop" },
		{ "reset", "reset" },
	};
	char word[KSTATS_LINE_MAX + 1], name[KSTATS_LINE_MAX + 1], rest[2];
	int n = sscanf(line, "%255s %255s %1s", word, name, rest);
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (n < 1 || strcasecmp(word, words[i].word))
			continue;
		if (n == 2)
			return nodes_change(&c->nodes, words[i].verb, name, e);
		return error_set(e, EXIT_USAGE, -EINVAL, "it takes the name of one node",
				 "write it as 'remove S'", "cannot use the line");
	}
	return 1;
}

static int run_line(struct control *c, const char *line, struct error *e)
{
	struct spec spec = {};
	int err;

	if (strlen(line) > KSTATS_LINE_MAX)
		return error_set(e, EXIT_USAGE, -EINVAL, "it is longer than 255 bytes", NULL,
				 "cannot use the line");
	if (!strcasecmp(line, "list"))
		return nodes_print(&c->nodes, e);
	err = change(c, line, e);
	if (err <= 0)
		return err;
	err = spec_parse_line(&spec, line, e);
	if (!err)
		err = nodes_add(&c->nodes, &spec, line, e);
	spec_free(&spec);
	return err;
}

/* ---- all lines ---- */

/* @number: number of the line; 0 if it is a word of the command line. */
static int control_say(unsigned int number, const char *line, struct error *e)
{
	char safe[512];

	if (number)
		fprintf(stderr, "kstats-bpf: line %u, '%s':\n", number,
			safe_str(safe, sizeof(safe), line));
	return error_print(e);
}

static char *strip(char *line)
{
	char *end;

	line[strcspn(line, "#\n")] = '\0';
	line += strspn(line, " \t");
	end = line + strlen(line);
	while (end > line && strchr(" \t\r", end[-1]))
		*--end = '\0';
	return line;
}

/*
 * Without its newline, a line is whole only at the end of the file: what was read before an error
 * may be another command. Return: 1, 0 at the end, or -errno.
 */
static int control_read_line(FILE *in, char **text, size_t *size, size_t *n)
{
	ssize_t got;

	errno = 0;
	got = getline(text, size, in);
	*n = got;
	if (got > 0 && ((*text)[got - 1] == '\n' || !ferror(in)))
		return 1;
	return feof(in) && !ferror(in) ? 0 : -(errno ? errno : EIO);
}

static void run_text(struct control *c, unsigned int number, char *text, size_t n, int *status)
{
	bool has_nul = strlen(text) != n; /* what is behind it would be ignored */
	char *line = strip(text);
	struct error e = {};

	if (has_nul)
		error_set(&e, EXIT_USAGE, -EINVAL, "it is not text: there is a NUL in it", NULL,
			  "cannot use the line");
	if (has_nul || (*line && run_line(c, line, &e)))
		*status = control_say(number, line, &e);
}

static int run_file(struct control *c, FILE *in)
{
	int status = EXIT_DONE, got = 0;
	unsigned int number = 0;
	struct error e = {};
	char *text = NULL;
	size_t size = 0, n;

	while ((status == EXIT_DONE || c->keep_going) &&
	       (got = control_read_line(in, &text, &size, &n)) > 0)
		run_text(c, ++number, text, n, &status);
	free(text);
	if (got >= 0)
		return status;
	error_set(&e, EXIT_USAGE, got, NULL, "give it the lines, as in 'control - < FILE'",
		  "cannot read standard input");
	return error_print(&e);
}

static int run_words(struct control *c, char **lines, int n)
{
	struct error e;
	int status = EXIT_DONE, i;

	for (i = 0; i < n && (status == EXIT_DONE || c->keep_going); i++) {
		e = (struct error){};
		if (!strcmp(lines[i], "-"))
			status = run_file(c, stdin);
		else if (run_line(c, lines[i], &e))
			status = control_say(0, lines[i], &e);
	}
	return status;
}

static int control_run(const struct verb *v, int argc, char **argv, struct error *e)
{
	struct control c = { .nodes.root.fd = -1, .nodes.needs_bpf = v->needs_bpf };
	int first, err = options_parse(v->options, &c, argc, argv, &first, e);

	if (!err && first == argc)
		err = error_set(e, EXIT_USAGE, -EINVAL, "there is no line",
				"write 'trace vfs_read bits 3', or - for standard input",
				"nothing to do");
	if (!err)
		err = run_words(&c, argv + first, argc - first);
	nodes_close(&c.nodes);
	return err;
}

const struct verb control_verb = {
	.name = "control",
	.line = "manage nodes by the commands of the original kstats",
	.help = &control_help,
	.options = control_options,
	.needs_bpf = true,
	.needs = CMD_NODE_NEEDS,
	.run = control_run,
};
