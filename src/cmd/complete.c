// SPDX-License-Identifier: GPL-2.0-only
/*
 * complete.c - the hidden verb `complete` gives the words that may come next;
 * `completion` prints the script that makes a shell ask for them. See cmd.h.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "facts/facts.h"
#include "pin/pin.h"
#include "recipes/recipes.h"
#include "format/format.h"
#include "spec/spec.h"
#include "util/options.h"

/* Bash splits words at : and =, which ours may contain, so they are read from the line. */
static const char bash_script[] =
	"_kstats_bpf() {\n"
	"\tlocal words last\n"
	"\tread -ra words <<<\"${COMP_LINE:0:COMP_POINT}x\"\n"
	"\tlast=${words[-1]%x}\n"
	"\twords[-1]=$last\n"
	"\tlocal IFS=$'\\n'\n"
	"\tCOMPREPLY=($(kstats-bpf complete \"${words[@]:1}\" 2>/dev/null))\n"
	"\t[[ $last == @* && $COMP_WORDBREAKS == *@* ]] && COMPREPLY=(\"${COMPREPLY[@]#@}\")\n"
	"\tlast=${last%\"${last##*:}\"}\n"
	"\t[[ ${COMPREPLY[0]-} == *[:/] ]] && compopt -o nospace\n"
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

static void complete_offer(const char *word, const char *begin)
{
	if (!strncmp(word, begin, strlen(begin)))
		puts(word);
}

static int offer_function(void *ctx, const struct facts_function *fn)
{
	if (!fn->denied)
		complete_offer(fn->name, ctx);
	return 0;
}

/* The tracepoints to offer; @subsystem is "" unless the word names one. */
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

/* Nobody can choose from thousands of names, so the first letter must be typed. */
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
		complete_offer(word, begin);
	}
}

static void offer_list(const char *const *words, const char *begin)
{
	for (; *words; words++)
		complete_offer(*words, begin);
}

/* Verbs that are not listed and take no words are for scripts only. */
static void offer_verbs(const struct verb *const *verbs, const char *begin)
{
	for (; *verbs; verbs++)
		if ((*verbs)->line || (*verbs)->takes)
			complete_offer((*verbs)->name, begin);
}

static void offer_nodes(const char *begin)
{
	int root = pin_root(PIN_ROOT, false, NULL), n, i;
	char **names = NULL;

	if (root < 0)
		return;
	n = pin_list(root, &names);
	for (i = 0; i < n; i++)
		complete_offer(names[i], begin);
	if (n > 0)
		pin_list_free(names, n);
	close(root);
}

/* @begin: with the mark or without, as the names are offered then. */
static void offer_recipe(void *begin, const struct recipe *r, const struct error *bad)
{
	char word[100];

	if (!r)
		return;
	snprintf(word, sizeof(word), "%s%s", *(char *)begin == RECIPE_MARK ? "@" : "", r->name);
	complete_offer(word, begin);
}

static void offer_recipes(const char *begin)
{
	recipes_each(offer_recipe, (void *)begin, NULL);
}

static void offer_formats(enum offer what, const struct verb *v, const char *begin)
{
	static const unsigned int kinds[] = {
		[OFFER_FORMATS] = REPORT_TRACE,           [OFFER_KMEMS] = REPORT_KMEM,
		[OFFER_VERDICTS] = REPORT_VERDICT,        [OFFER_DIFFS] = REPORT_DIFF,
		[OFFER_WHYS] = REPORT_TRACE | REPORT_WHY,
	};
	const struct format *f = NULL;

	/* `why` has the options of `trace`, but reports of its own. */
	while ((f = format_next(f, v == &why_verb ? REPORT_WHY : kinds[what])))
		complete_offer(f->name, begin);
}

static void offer_words(enum offer what, const struct verb *v, const char *begin)
{
	static const char *const shells[] = { "bash", "zsh", "fish", NULL };

	if (what == OFFER_RECIPES || (what == OFFER_FUNCTIONS && begin[0] == RECIPE_MARK)) {
		offer_recipes(begin);
		return;
	}
	if ((what == OFFER_FUNCTIONS || what == OFFER_POINTS) && cmd_complete_user(begin))
		return;
	if (what == OFFER_FUNCTIONS || what == OFFER_POINTS)
		offer_points(begin, what == OFFER_POINTS || !strncmp(begin, "tp:", 3));
	else if (what == OFFER_NODES)
		offer_nodes(begin);
	else if (what == OFFER_VERBS)
		offer_verbs(v->verbs, begin);
	else if (what == OFFER_SHELLS)
		offer_list(shells, begin);
	else if (what >= OFFER_FORMATS)
		offer_formats(what, v, begin);
}

static void offer_any(void *unused, const char *word)
{
	puts(word);
}

/* The point that one of the words names. */
static bool find_point(struct facts *facts, int argc, char **argv, struct expr_point *point)
{
	struct facts_tracepoint tp;
	struct facts_function fn;
	char subsystem[64], name[128];
	int i;

	for (i = 1; i < argc; i++) {
		if (sscanf(argv[i], "tp:%63[^:]:%127s", subsystem, name) == 2 &&
		    !facts_find_tracepoint(facts, NULL, name, &tp, NULL)) {
			facts_tracepoint_point(facts, &tp, point);
			return true;
		}
		if (argv[i][0] != '-' && !facts_find_function(facts, NULL, argv[i], &fn, NULL)) {
			facts_function_point(facts, &fn, point);
			return true;
		}
	}
	return false;
}

static void offer_expressions(int argc, char **argv)
{
	struct facts *facts = facts_open("/", NULL);
	struct expr_point point;

	if (facts && find_point(facts, argc - 2, argv, &point))
		expr_offer(&point, argv[argc - 1], offer_any, NULL);
	facts_close(facts);
}

static const struct option_row *find_option(const struct option_row *rows, const char *word)
{
	if (!rows || word[0] != '-')
		return NULL;
	for (; rows->name; rows++)
		if (word[1] == '-' ? !strcmp(word + 2, rows->name)
				   : word[1] && word[1] == rows->letter && !word[2])
			return rows;
	return NULL;
}

/* Options of another verb that a verb takes, too. */
static const struct option_row *more_of(const struct verb *v, int argc, char **argv)
{
	int i;

	for (i = 1; v->beside && i < argc - 1; i++)
		if (!strcmp(argv[i], v->beside))
			return v->instead;
	return v->more;
}

/* Offer values of the option before. False if there are none to offer. */
static bool offer_value(const struct verb *v, int argc, char **argv)
{
	const char *option = argv[argc - 2], *begin = argv[argc - 1];
	const struct option_row *row = find_option(v->options, option);

	if (!row)
		row = find_option(more_of(v, argc, argv), option);
	if (!row || (!row->words && !row->offers))
		return false;
	if (row->offers == OFFER_EXPRESSIONS)
		offer_expressions(argc, argv);
	else if (row->words)
		offer_list(row->words, begin);
	else
		offer_words(row->offers, v, begin);
	return true;
}

/* @argv: the verb and the words after it; the last one is incomplete. */
static void offer_next(const struct verb *v, int argc, char **argv)
{
	const char *begin = argv[argc - 1];
	int i;

	/* The words after -- belong to the command. */
	for (i = 1; v->takes == OFFER_FUNCTIONS && i < argc - 1; i++)
		if (!strcmp(argv[i], "--"))
			return;
	if (argc > 2 && offer_value(v, argc, argv))
		return;
	if (begin[0] != '-') {
		offer_words(v->takes, v, begin);
		return;
	}
	offer_options(v->options, begin);
	offer_options(more_of(v, argc, argv), begin);
	complete_offer("--help", begin);
}

int cmd_complete(const struct verb *v, int argc, char **argv, struct error *e)
{
	const struct verb *const *verbs = v->verbs;

	for (; argc > 2; argc--, argv++) {
		while (*verbs && strcmp((*verbs)->name, argv[1]))
			verbs++;
		if (!*verbs)
			return EXIT_DONE;
		if ((*verbs)->run) {
			offer_next(*verbs, argc - 1, argv + 1);
			return EXIT_DONE;
		}
		verbs = (*verbs)->verbs;
	}
	offer_verbs(verbs, argc > 1 ? argv[1] : "");
	return EXIT_DONE;
}

int cmd_completion(const struct verb *v, int argc, char **argv, struct error *e)
{
	const char *shell = argc > 1 ? argv[1] : "";

	if (!strcmp(shell, "bash"))
		fputs(bash_script, stdout);
	else if (!strcmp(shell, "zsh"))
		fputs(zsh_script, stdout);
	else if (!strcmp(shell, "fish"))
		fputs(fish_script, stdout);
	else if (!strcmp(shell, "--help") || !strcmp(shell, "-h"))
		return OPTIONS_HELP;
	else
		return error_set(e, EXIT_USAGE, -EINVAL, "it is bash, zsh or fish", NULL,
				 "cannot complete for '%s'", shell);
	return EXIT_DONE;
}
