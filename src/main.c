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
#include "util/instead.h"
#include "util/near.h"
#include "util/streams.h"

static int run_help(const struct verb *v, int argc, char **argv, struct error *e);

static const struct verb help_verb, complete_verb, completion_verb;

static const struct verb *const verbs[] = {
	&trace_verb,     &why_verb,    &top_verb,   &kmem_verb,       &report_verb,   &diff_verb,
	&check_verb,     &node_verb,   &serve_verb, &control_verb,    &list_verb,     &recipes_verb,
	&calibrate_verb, &doctor_verb, &help_verb,  &completion_verb, &complete_verb, NULL,
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

static int main_choose(const struct verb *v, int argc, char **argv, struct error *e);

static int run(const struct verb *v, int argc, char **argv, struct error *e)
{
	int err = v->run ? v->run(v, argc, argv, e) : main_choose(v, argc, argv, e);

	if (err != OPTIONS_HELP && err != OPTIONS_HELP_ALL)
		return err;
	options_help(v->options, v->help, err == OPTIONS_HELP_ALL, stdout);
	if (v->needs_bpf)
		printf("\n%s\n", v->needs
					 ?: "It needs root, or CAP_BPF and CAP_PERFMON: see "
					    "'kstats-bpf doctor'.");
	return EXIT_DONE;
}

/* Whether a word has only letters of names of functions, tracepoints and programs, and of globs. */
static bool main_is_name(const char *word)
{
	return strlen(word) < 100 &&
	       strlen(word) == strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					    "0123456789_.:/+-*?[]@");
}

/* What to type in place of a first word that is no verb. */
static const char *instead_of_target(const char *word, char *buf, size_t size)
{
	const char *quote = strpbrk(word, "*?[") ? "\"" : "";

	if (word[0] == '-')
		snprintf(buf, size, "the verb comes first, as in 'kstats-bpf trace vfs_read'");
	else if (!main_is_name(word))
		snprintf(buf, size, "see 'kstats-bpf --help'");
	else if (!strncmp(word, "tp:", 3) || !strncmp(word, "usdt:", 5))
		snprintf(buf, size,
			 "write 'kstats-bpf trace %s --value 1' to count, or --start %s "
			 "and --end for the time to another point",
			 word, word);
	else
		snprintf(buf, size, "write 'kstats-bpf trace %s%s%s', or see 'kstats-bpf --help'",
			 quote, word, quote);
	return buf;
}

static int no_verb(const struct verb *v, const char *word, struct error *e)
{
	const char *space = *v->name ? " " : "", *next = instead_of(v->name, word);
	struct nearest near = { .wanted = word };
	const struct verb *const *sub;
	char buf[400], did[128];

	for (sub = v->verbs; *sub; sub++)
		if ((*sub)->line && word[0] != '-')
			near_consider(&near, (*sub)->name);
	near.n = near.n && near.best[0].distance <= 2;
	if (!next && near.n) {
		snprintf(buf, sizeof(buf), "%s See 'kstats-bpf %s%s--help'",
			 near_words(&near, did, sizeof(did)), v->name, space);
		next = buf;
	}
	if (!next && *v->name) {
		snprintf(buf, sizeof(buf), "see 'kstats-bpf %s --help'", v->name);
		next = buf;
	}
	if (!next)
		next = instead_of_target(word, buf, sizeof(buf));
	return error_set(e, EXIT_USAGE, -EINVAL, "there is no such verb", next,
			 "cannot run '%s%s%s'", v->name, space, word);
}

static bool is_verb(const struct verb *v, const char *word)
{
	return !strcmp(v->name, word) || (v->also && !strcmp(v->also, word));
}

/* Run the verb of @v that the second word names. Messages name both words. */
static int main_choose(const struct verb *v, int argc, char **argv, struct error *e)
{
	const char *space = *v->name ? " " : "";
	const struct verb *const *sub;
	char name[64];

	if (argc < 2 || asks_help(argv[1]) || (*v->name && !strcmp(argv[1], "help"))) {
		list_verbs(v, argc < 2 ? stderr : stdout);
		return argc < 2 ? EXIT_USAGE : EXIT_DONE;
	}
	for (sub = v->verbs; *sub && !is_verb(*sub, argv[1]); sub++)
		;
	if (!*sub)
		return no_verb(v, argv[1], e);
	/* No function is called that, but a node or a file may be. */
	if (argc == 3 && !strcmp(argv[2], "help") &&
	    ((*sub)->takes == OFFER_FUNCTIONS || (*sub)->takes == OFFER_POINTS))
		argv[2] = "--help";
	snprintf(name, sizeof(name), "%s%s%s", v->name, space, (*sub)->name);
	argv[1] = name;
	return run(*sub, argc - 1, argv + 1, e);
}

/* "help VERB" does what "VERB --help" does. */
static int run_help(const struct verb *v, int argc, char **argv, struct error *e)
{
	char *words[] = { argv[0], argc > 1 ? argv[1] : "--help", "--help", NULL };

	return main_choose(&program, 3, words, e);
}

/* Write what is still in the buffer; at exit a failure would not be noticed. */
static int main_finish(void)
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
		return main_finish();
	}
	status = run(&program, argc, argv, &e);
	if (status < 0)
		status = error_print(&e);
	return status == EXIT_DONE ? main_finish() : status;
}
