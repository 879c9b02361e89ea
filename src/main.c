// SPDX-License-Identifier: GPL-2.0-only
/* main.c - the table of verbs, and the exit code. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "ui/output.h"
#include "util/error.h"
#include "util/streams.h"

struct verb {
	const char *name;
	const char *help; /* NULL: not shown */
	int (*run)(int argc, char **argv);
};

static const struct verb verbs[] = {
	{ "trace", "measure functions, or the time between two points", cmd_trace },
	{ "report", "recordings in any format", cmd_report },
	{ "diff", "what changed from some recordings to others", cmd_diff },
	{ "check", "are recordings within bounds, and not slower than others", cmd_check },
	{ "node", "measurements that outlive the command", cmd_node },
	{ "control", "the same in the classic words, also from a file", cmd_control },
	{ "list", "what can be traced, and how", cmd_list },
	{ "calibrate", "what measuring takes on this machine", cmd_calibrate },
	{ "doctor", "what this kernel, user and policy allow", cmd_doctor },
	{ "complete", NULL, cmd_complete },
	{ "completion", NULL, cmd_complete },
};

#define N_VERBS (sizeof(verbs) / sizeof(*verbs))

static void help(FILE *out)
{
	size_t i;

	fprintf(out, "Usage: kstats-bpf VERB [options]\n\n"
		     "How long does a kernel function really take?\n\nVerbs:\n");
	for (i = 0; i < N_VERBS; i++)
		if (verbs[i].help)
			fprintf(out, "  %-10s%s\n", verbs[i].name, verbs[i].help);
	fprintf(out, "\n'kstats-bpf VERB --help' tells more, and so does kstats-bpf(8).\n"
		     "'kstats-bpf completion bash|zsh|fish' prints a completion script.\n\n"
		     "Example:\n  sudo kstats-bpf trace vfs_read\n");
}

static const struct verb *find(const char *name)
{
	size_t i;

	for (i = 0; i < N_VERBS; i++)
		if (!strcmp(name, verbs[i].name))
			return &verbs[i];
	return NULL;
}

static int unknown(const char *name)
{
	struct error e;

	error_set(&e, EXIT_USAGE, -22, "there is no such verb", "see 'kstats-bpf --help'",
		  "cannot run '%s'", name);
	return error_print(&e);
}

/* "help VERB" is "VERB --help". */
static int help_verb(const char *name)
{
	char *words[] = { (char *)name, "--help", NULL };
	const struct verb *verb = find(name);

	return verb ? verb->run(2, words) : unknown(name);
}

static int run(int argc, char **argv)
{
	const struct verb *verb;

	if (argc < 2) {
		help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		if (argc > 2)
			return help_verb(argv[2]);
		help(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("kstats-bpf %s\n", KSTATS_VERSION);
		return EXIT_DONE;
	}
	verb = find(argv[1]);
	return verb ? verb->run(argc - 1, argv + 1) : unknown(argv[1]);
}

/* What still waits in the buffer is written when a program ends, or lost without a word. */
static int finish(void)
{
	struct error e;

	/* Somebody who had enough, like head(1). */
	if (!fflush(stdout) || errno == EPIPE)
		return EXIT_DONE;
	output_failed("the output", &e);
	return error_print(&e);
}

int main(int argc, char **argv)
{
	int status;

	streams_reserve();
	/* Of a file that may not grow further the write tells. */
	signal(SIGXFSZ, SIG_IGN);
	status = run(argc, argv);
	return status == EXIT_DONE ? finish() : status;
}
