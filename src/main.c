// SPDX-License-Identifier: GPL-2.0-only
/* main.c - the table of verbs, and the exit code. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "ui/output.h"
#include "util/error.h"
#include "util/streams.h"

static int run_help(const struct verb *v, int argc, char **argv, struct error *e);

static const struct verb help_verb, complete_verb, completion_verb;

static const struct verb *const verbs[] = {
	&trace_verb,    &kmem_verb, &report_verb,    &diff_verb,   &check_verb, &node_verb,
	&control_verb,  &list_verb, &calibrate_verb, &doctor_verb, &help_verb,  &completion_verb,
	&complete_verb, NULL,
};

static const struct verb_help program_help = {
	.usage = "VERB [options]",
	.about = "Measure how long functions of the kernel and of programs take.",
	.examples = "'kstats-bpf VERB --help' tells more, and so does kstats-bpf(8).\n"
		    "'kstats-bpf completion bash|zsh|fish' prints a completion script.\n\n"
		    "Example:\n  sudo kstats-bpf trace vfs_read\n",
};

static const struct verb program = { .name = "", .help = &program_help, .verbs = verbs };

static const struct verb help_verb = {
	.name = "help",
	.takes = OFFER_VERBS,
	.verbs = verbs,
	.run = run_help,
};

static const struct option_row no_options[] = { {} };

static const struct verb_help completion_help = {
	.usage = "completion bash|zsh|fish",
	.about = "Print a script that lets a shell complete the words of kstats-bpf.",
	.examples = "  eval \"$(kstats-bpf completion bash)\"\n",
};

static const struct verb completion_verb = {
	.name = "completion",
	.help = &completion_help,
	.options = no_options,
	.takes = OFFER_SHELLS,
	.run = cmd_completion,
};

/* Called by the completion scripts of shells, and not shown to users. */
static const struct verb complete_verb = {
	.name = "complete",
	.verbs = verbs,
	.run = cmd_complete,
};

/* ---- help ---- */

static void list_verbs(const struct verb *v, FILE *out)
{
	const struct verb *const *sub;
	int width = 0;

	fprintf(out, "Usage: kstats-bpf %s\n\n%s\n\nVerbs:\n", v->help->usage, v->help->about);
	for (sub = v->verbs; *sub; sub++)
		if ((*sub)->line && (int)strlen((*sub)->name) >= width)
			width = strlen((*sub)->name) + 1;
	for (sub = v->verbs; *sub; sub++)
		if ((*sub)->line)
			fprintf(out, "  %-*s%s\n", width, (*sub)->name, (*sub)->line);
	fprintf(out, "\n%s", v->help->examples);
}

static bool asks_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}

/* ---- a verb ---- */

static int choose(const struct verb *v, int argc, char **argv, struct error *e);

static int run(const struct verb *v, int argc, char **argv, struct error *e)
{
	int err = v->run ? v->run(v, argc, argv, e) : choose(v, argc, argv, e);

	if (err != OPTIONS_HELP)
		return err;
	options_help(v->options, v->help, stdout);
	if (v->needs_bpf)
		printf("\n%s\n", v->needs
					 ?: "It needs root, or CAP_BPF and CAP_PERFMON: see "
					    "'kstats-bpf doctor'.");
	return EXIT_DONE;
}

/* Run the verb of @v that the second word names. Messages name both words. */
static int choose(const struct verb *v, int argc, char **argv, struct error *e)
{
	const char *space = *v->name ? " " : "";
	const struct verb *const *sub;
	char name[64];

	if (argc < 2 || asks_help(argv[1])) {
		list_verbs(v, argc < 2 ? stderr : stdout);
		return argc < 2 ? EXIT_USAGE : EXIT_DONE;
	}
	for (sub = v->verbs; *sub && strcmp((*sub)->name, argv[1]); sub++)
		;
	if (!*sub) {
		snprintf(name, sizeof(name), "see 'kstats-bpf %s%s--help'", v->name, space);
		return error_set(e, EXIT_USAGE, -EINVAL, "there is no such verb", name,
				 "cannot run '%s%s%s'", v->name, space, argv[1]);
	}
	snprintf(name, sizeof(name), "%s%s%s", v->name, space, argv[1]);
	argv[1] = name;
	return run(*sub, argc - 1, argv + 1, e);
}

/* "help VERB" does what "VERB --help" does. */
static int run_help(const struct verb *v, int argc, char **argv, struct error *e)
{
	char *words[] = { argv[0], argc > 1 ? argv[1] : "--help", "--help", NULL };

	return choose(&program, 3, words, e);
}

/* Write what is still in the buffer; at exit a failure would not be noticed. */
static int finish(void)
{
	bool failed = ferror(stdout);
	struct error e;

	/* Another write tells why the earlier one failed. */
	errno = EIO;
	if (failed)
		putchar('\n');
	failed |= fflush(stdout) != 0;
	/* The reader has closed the pipe, as head(1) does. */
	if (!failed || errno == EPIPE)
		return EXIT_DONE;
	output_failed("the output", &e);
	return error_print(&e);
}

int main(int argc, char **argv)
{
	struct error e = {};
	int status;

	streams_reserve();
	/* A write that exceeds the file size limit then fails with EFBIG, which is reported. */
	signal(SIGXFSZ, SIG_IGN);
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		printf("kstats-bpf %s\n", KSTATS_VERSION);
		return finish();
	}
	status = run(&program, argc, argv, &e);
	if (status < 0)
		status = error_print(&e);
	return status == EXIT_DONE ? finish() : status;
}
