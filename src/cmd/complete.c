// SPDX-License-Identifier: GPL-2.0-only
/*
 * complete.c - the hidden verb `complete` gives the words that may come next;
 * `completion` prints the script that makes a shell ask for them. See cmd.h.
 */
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "facts/facts.h"
#include "pin/pin.h"
#include "render/diff/diff.h"
#include "render/render.h"
#include "render/verdict/verdict.h"
#include "spec/spec.h"
#include "util/options.h"

/* Bash takes words apart at : and =, which ours may hold: they are read from the line. */
static const char bash_script[] =
	"_kstats_bpf() {\n"
	"\tlocal words last\n"
	"\tread -ra words <<<\"${COMP_LINE:0:COMP_POINT}x\"\n"
	"\tlast=${words[-1]%x}\n"
	"\twords[-1]=$last\n"
	"\tlocal IFS=$'\\n'\n"
	"\tCOMPREPLY=($(kstats-bpf complete \"${words[@]:1}\" 2>/dev/null))\n"
	"\tlast=${last%\"${last##*:}\"}\n"
	"\t[[ $COMP_WORDBREAKS == *:* ]] && COMPREPLY=(\"${COMPREPLY[@]#\"$last\"}\")\n"
	"}\n"
	"complete -o default -F _kstats_bpf kstats-bpf\n";

static const char zsh_script[] =
	"#compdef kstats-bpf\n"
	"local -a found\n"
	"found=(${(f)\"$(kstats-bpf complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
	"if (( $#found )); then compadd -a found; else _files; fi\n";

static const char fish_script[] =
	"function __kstats_bpf\n"
	"\tkstats-bpf complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null\n"
	"end\n"
	"complete -c kstats-bpf -f -a '(__kstats_bpf)'\n"
	"complete -c kstats-bpf -n 'not count (__kstats_bpf) >/dev/null' -F\n";

struct verb_options {
	const char *verb;
	const struct option_row *rows;
};

static const struct verb_options verbs[] = {
	{ "trace", spec_options },
	{ "report", report_options },
	{ "diff", diff_options },
	{ "check", check_options },
	{ "node", NULL },
	{ "control", control_options },
	{ "list", list_options },
	{ "calibrate", calibrate_options },
	{ "doctor", doctor_options },
	{ "help", NULL },
	{ "completion", NULL },
	{ NULL, NULL },
};

/* The verbs of "node". */
static const struct verb_options node_verbs[] = {
	{ "add", spec_options },
	{ "ls", node_ls_options },
	{ "show", node_show_options },
	{ "export", node_export_options },
	{ "start", node_change_options },
	{ "stop", node_change_options },
	{ "reset", node_change_options },
	{ "rm", node_change_options },
	{ NULL, NULL },
};

static void offer(const char *word, const char *begin)
{
	if (!strncmp(word, begin, strlen(begin)))
		puts(word);
}

static int offer_function(void *ctx, const struct facts_function *fn)
{
	if (!fn->denied)
		offer(fn->name, ctx);
	return 0;
}

/* Tracepoints that begin so; of one subsystem where that is written. */
struct tracepoints {
	struct facts *facts;
	const char *begin;
	char subsystem[64];
};

static int offer_tracepoint(void *ctx, const struct facts_tracepoint *tp)
{
	const struct tracepoints *t = ctx;
	const char *of = t->subsystem;
	struct facts_tracepoint found;
	char word[200];

	snprintf(word, sizeof(word), "tp:%s%s%s", of, *of ? ":" : "", tp->name);
	if (strncmp(word, t->begin, strlen(t->begin)) ||
	    (*of && facts_find_tracepoint(t->facts, of, tp->name, &found, NULL)))
		return 0;
	puts(word);
	return 0;
}

static void offer_tracepoints(struct facts *facts, const char *begin)
{
	struct tracepoints t = { .facts = facts, .begin = begin };

	if (sscanf(begin, "tp:%63[^:]", t.subsystem) != 1 || !strchr(begin + 3, ':'))
		t.subsystem[0] = '\0';
	facts_each_tracepoint(facts, false, offer_tracepoint, &t);
}

/* Thousands of names are no help: the first letter must be there. */
static void offer_points(const char *begin, bool tracepoints)
{
	struct facts *facts = facts_open("/", NULL);

	if (!facts)
		return;
	if (tracepoints)
		offer_tracepoints(facts, begin);
	if (begin[0])
		facts_each_function(facts, false, offer_function, (void *)begin);
	facts_close(facts);
}

static void offer_options(const struct option_row *rows, const char *begin)
{
	char word[64];

	for (; rows && rows->name; rows++) {
		snprintf(word, sizeof(word), "--%s", rows->name);
		offer(word, begin);
	}
	offer("--help", begin);
}

static void offer_list(const char *const *words, const char *begin)
{
	for (; *words; words++)
		offer(*words, begin);
}

static void offer_formats(const char *verb, const char *begin)
{
	const struct verdict_format *v;
	const struct render_format *r;
	const struct diff_format *d;

	if (!strcmp(verb, "check"))
		for (v = verdict_formats; v->name; v++)
			offer(v->name, begin);
	else if (!strcmp(verb, "diff"))
		for (d = diff_formats; d->name; d++)
			offer(d->name, begin);
	else
		for (r = render_formats; r->name; r++)
			offer(r->name, begin);
}

/* The value of the option that stands before; false where there is none to offer. */
static bool offer_value(const char *verb, const char *option, const char *begin)
{
	static const char *const units[] = { "auto", "ns", "us", "ms", "s", NULL };
	static const char *const backends[] = { "auto", "map", "kmod", NULL };
	static const char *const undecided[] = { "pass", "fail", NULL };

	if (!strcmp(option, "--start") || !strcmp(option, "--end")) {
		offer_points(begin, true);
	} else if (!strcmp(option, "--format") || !strcmp(option, "-f")) {
		offer_formats(verb, begin);
	} else if (!strcmp(option, "--unit") || !strcmp(option, "-u")) {
		offer_list(units, begin);
	} else if (!strcmp(option, "--method") || !strcmp(option, "-m")) {
		offer_list(spec_method_names, begin);
	} else if (!strcmp(option, "--backend")) {
		offer_list(backends, begin);
	} else if (!strcmp(option, "--inconclusive")) {
		offer_list(undecided, begin);
	} else {
		return false;
	}
	return true;
}

static void offer_verbs(const struct verb_options *v, const char *begin)
{
	for (; v->verb; v++)
		offer(v->verb, begin);
}

static void offer_nodes(const char *begin)
{
	int root = pin_root(PIN_ROOT, false, NULL), n, i;
	char **names = NULL;

	if (root < 0)
		return;
	n = pin_list(root, &names);
	for (i = 0; i < n; i++)
		offer(names[i], begin);
	if (n > 0)
		pin_list_free(names, n);
	close(root);
}

static int script(int argc, char **argv)
{
	const char *shell = argc > 1 ? argv[1] : "";
	struct error e;

	if (!strcmp(shell, "bash"))
		fputs(bash_script, stdout);
	else if (!strcmp(shell, "zsh"))
		fputs(zsh_script, stdout);
	else if (!strcmp(shell, "fish"))
		fputs(fish_script, stdout);
	else {
		error_set(&e, EXIT_USAGE, -22, "it is bash, zsh or fish", NULL,
			  "cannot complete for '%s'", shell);
		return error_print(&e);
	}
	return EXIT_DONE;
}

static const struct verb_options *find(const struct verb_options *v, const char *verb)
{
	while (v->verb && strcmp(v->verb, verb))
		v++;
	return v;
}

static bool takes_functions(const char *verb)
{
	return !strcmp(verb, "trace") || !strcmp(verb, "list") || !strcmp(verb, "add");
}

static const char *const shells[] = { "bash", "zsh", "fish", NULL };

/* @argv: the verb, and the words after it, of which the last has begun. */
static void offer_words(const struct verb_options *v, int argc, char **argv)
{
	const char *begin = argv[argc - 1];
	int i;

	/* The words of a command are its own. */
	for (i = 1; v->verb && !strcmp(v->verb, "trace") && i < argc - 1; i++)
		if (!strcmp(argv[i], "--"))
			return;
	if (!v->verb || (argc > 2 && offer_value(v->verb, argv[argc - 2], begin)))
		return;
	if (begin[0] == '-')
		offer_options(v->rows, begin);
	else if (takes_functions(v->verb))
		offer_points(begin, !strcmp(v->verb, "list"));
	else if (find(node_verbs, v->verb)->verb)
		offer_nodes(begin);
	else if (!strcmp(v->verb, "help"))
		offer_verbs(verbs, begin);
	else if (!strcmp(v->verb, "completion"))
		offer_list(shells, begin);
}

int cmd_complete(int argc, char **argv)
{
	const char *begin = argc > 1 ? argv[argc - 1] : "";
	const struct verb_options *all = verbs;

	if (!strcmp(argv[0], "completion"))
		return script(argc, argv);
	if (argc > 2 && !strcmp(argv[1], "node")) {
		all = node_verbs;
		argv++;
		argc--;
	}
	if (argc <= 2)
		offer_verbs(all, begin);
	else
		offer_words(find(all, argv[1]), argc - 1, argv + 1);
	return EXIT_DONE;
}
