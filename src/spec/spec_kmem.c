// SPDX-License-Identifier: GPL-2.0-only
/* spec_kmem.c - the options of `kmem`. */
#include "spec/spec_kmem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spec/priv.h"
#include "util/units.h"

#define TOP_MOST 1000000
#define SITES_DEFAULT 16384
#define SITES_MOST 1048576
#define LIVE_DEFAULT 1048576
#define LIVE_MOST 16777216
#define KINDS_ALL (1U << KSTATS_KMEM_KMALLOC | 1U << KSTATS_KMEM_CACHE | 1U << KSTATS_KMEM_PAGES)

const char *const kmem_names[] = {
	[KMEM_SITE] = "site",
	[KMEM_CACHE] = "cache",
	[KMEM_KIND] = "kind",
	[KMEM_SIZE] = "size",
	[KMEM_ORDER] = "order",
	[KMEM_WORDS] = "comm",
	"gfp",
	"numa",
	"cpu",
	"pid",
	"tid",
	"uid",
	"cgroup",
	"given",
	NULL,
};

const char *const kmem_sort_names[] = {
	[KMEM_SORT_WASTE] = "waste", [KMEM_SORT_BYTES] = "bytes", [KMEM_SORT_COUNT] = "count",
	[KMEM_SORT_LIVE] = "live",   [KMEM_SORT_RATE] = "rate",   NULL,
};

static const char *const kind_names[] = {
	[KSTATS_KMEM_NONE] = "",
	[KSTATS_KMEM_KMALLOC] = "kmalloc",
	[KSTATS_KMEM_CACHE] = "cache",
	[KSTATS_KMEM_PAGES] = "pages",
};

/* A list of kinds, like "kmalloc,cache". */
static int set_kind(void *to, const char *value, struct error *e)
{
	unsigned int *kinds = to, kind;
	const char *p = value;
	size_t n;

	*kinds = 0;
	do {
		n = strcspn(p, ",");
		for (kind = KSTATS_KMEM_KMALLOC; kind <= KSTATS_KMEM_PAGES; kind++)
			if (strlen(kind_names[kind]) == n && !strncmp(p, kind_names[kind], n))
				break;
		if (kind > KSTATS_KMEM_PAGES)
			return spec_bad(e, "--kind", value, "a kind is kmalloc, cache or pages",
					"write one, or several with commas");
		*kinds |= 1U << kind;
		p += n;
	} while (*p++);
	return 0;
}

static int spec_kmem_set_numa(void *to, const char *value, struct error *e)
{
	const char **numa = to;

	if (!*value || strlen(value) > 4 || strspn(value, "0123456789") != strlen(value))
		return spec_bad(e, "--numa", value, "it is not the number of a NUMA node",
				"see 'lscpu'");
	*numa = value;
	return 0;
}

/* Which functions there are is looked up later. */
static int set_skip(void *to, const char *value, struct error *e)
{
	const char **skip = to;

	if (!*value || *value == ',' || value[strlen(value) - 1] == ',' || strstr(value, ",,"))
		return spec_bad(e, "--skip", value, "a name in it is empty",
				"write names of functions with commas, like 'kmemdup*,kvasprintf'");
	*skip = value;
	return 0;
}

bool kmem_same_part(const char *text, size_t n, const char *as)
{
	const char *end = text + n;
	char quote = '\0'; /* within a text, blanks count */

	for (;; text++, as++) {
		while (!quote && text < end && *text == ' ')
			text++;
		while (!quote && *as == ' ')
			as++;
		if (text == end || !*as)
			return text == end && !*as;
		if (*text != *as)
			return false;
		if (*text == quote)
			quote = '\0';
		else if (!quote && (*text == '"' || *text == '\''))
			quote = *text;
	}
}

enum kmem_word kmem_word_of(const char *text, size_t n)
{
	enum kmem_word word = KMEM_SITE;

	while (word < KMEM_WORDS && !kmem_same_part(text, n, kmem_names[word]))
		word++;
	return word;
}

/* What each row has needs no expression in the kernel. */
static int spec_kmem_set_by(void *to, const char *value, struct error *e)
{
	struct spec_kmem *k = to;
	struct expr *x;
	unsigned int i, n;
	int err;

	if (k->by != kmem_names[KMEM_SITE])
		return spec_bad(e, "--by", value, "it is there twice", "join both with a comma");
	err = spec_set_by(&k->spec, value, e);
	n = k->spec.n_by;
	k->by = value;
	for (i = k->spec.n_by = 0; i < n; i++) {
		x = k->spec.by[i];
		k->spec.by[i] = NULL;
		if (!err && kmem_word_of(x->text, strlen(x->text)) < KMEM_WORDS) {
			k->by_word = true;
			free(x);
		} else {
			k->spec.by[k->spec.n_by++] = x;
		}
	}
	return err;
}

#define WHAT "What is measured"
#define WHO "Who is measured"
#define WHEN "When"
#define OUTPUT "What is shown"

#define OPTIONS_OF struct spec_kmem

static const struct option_row kmem_limits[] = {
	{ "sites", .arg = "N", OPTION_NUMBER(max_sites, 16, SITES_MOST) },
	{ "live", .arg = "N", OPTION_NUMBER(max_live, 16, LIVE_MOST) },
	{},
};

const struct option_row spec_kmem_options[] = {
	{ "lifetime", 0, NULL, WHAT, "match each allocation with its free",
	  OPTION_FLAG(lifetimes) },
	{ "kind", 0, "LIST", WHAT, "only these: kmalloc, cache, pages (all)",
	  OPTION_BY(kinds, set_kind) },
	{ "if", 0, "EXPR", WHAT, "only if true, like 'size > 4096 && uid != 0'",
	  OPTION_BY(spec.condition, spec_set_if), .words = &kmem_names[KMEM_SIZE] },
	{ "gfp", 0, "FLAGS", WHAT, "only with all these flags, like GFP_ATOMIC",
	  OPTION_FILLED(gfp) },
	{ "numa", 0, "NODE", WHAT, "only on CPUs of this NUMA node",
	  OPTION_BY(numa, spec_kmem_set_numa) },
	{ "skip", 0, "GLOBS", WHAT, "name the callers of these functions instead",
	  OPTION_BY(skip, set_skip) },
	{ "page-sites", 0, NULL, WHAT, "find the call sites of pages too, by the stack",
	  OPTION_FLAG(page_sites) },
	{ "limit", 0, "WHAT=N,...", WHAT, "room for sites=N (16384), live=N objects (1048576)",
	  OPTION_GROUP(kmem_limits),
	  .why = "the limits are sites and live, as in sites=65536,live=4194304" },
	SPEC_WHO_OPTIONS(spec.who, spec.all, WHO, ""),
	{ "duration", 'd', "SECONDS", WHEN, "stop after this time (also 500ms, 1m)",
	  OPTION_SECONDS(spec.duration_ns) },
	{ "interval", 'i', "SECONDS", WHEN, "also report at this interval",
	  OPTION_SECONDS(spec.interval_ns) },
	{ "as-root", 0, NULL, WHEN, "run the command as root under sudo",
	  OPTION_FLAG(spec.as_root) },
	{ "by", 0, "EXPR,...", OUTPUT, "a row for each value: site, comm, 'size > 4096' ...",
	  .set = spec_kmem_set_by, .words = kmem_names },
	{ "sort", 0, "WHAT", OUTPUT, "waste, bytes, count, live or rate",
	  OPTION_INDEX(sort, enum kmem_sort, kmem_sort_names) },
	{ "top", 0, "N", OUTPUT, "rows of each table (20)", OPTION_NUMBER(top, 1, TOP_MOST) },
	{ "format", 'f', "FORMAT", OUTPUT, "as of report, see kstats-bpf-formats(5)",
	  OPTION_TEXT(spec.format), .offers = OFFER_KMEMS },
	{ "output", 'o', "FILE", OUTPUT, "write to this file, complete or not at all",
	  OPTION_FILLED(spec.output) },
	{ "record", 0, "FILE", OUTPUT, "write a recording, for report, diff and check",
	  OPTION_FILLED(spec.record) },
	{ "tag", 0, "KEY=VALUE", OUTPUT, "put this into the recording",
	  OPTION_BY(spec.tags, spec_set_tag) },
	{ "unit", 'u', "UNIT", OUTPUT, "auto, ns, us, ms or s",
	  OPTION_WORD(spec.unit, units_names) },
	{ "dry-run", 0, NULL, OUTPUT, "print the plan, attach nothing", OPTION_FLAG(spec.dry_run) },
	{ "max-loss", 0, "PERCENT", OUTPUT, "exit 3 if more events were lost",
	  OPTION_PERCENT(spec.series.gate.max_loss, 0, 100) },
	{ "quiet", 'q', NULL, OUTPUT, "only errors on standard error", OPTION_FLAG(spec.quiet) },
	{ "verbose", 'v', NULL, OUTPUT, "also say why source lines are missing",
	  OPTION_FLAG(spec.verbose) },
	{},
};

static void set_defaults(struct spec_kmem *k)
{
	*k = (struct spec_kmem){
		.spec = { .format = "summary", .unit = "auto", .series.gate = SPEC_NO_GATE },
		.kinds = KINDS_ALL,
		.by = kmem_names[KMEM_SITE],
		.max_sites = SITES_DEFAULT,
		.max_live = LIVE_DEFAULT,
	};
}

/* Options that contradict each other. */
static int check(struct spec_kmem *k, struct error *e)
{
	if (k->spec.tags.n && !k->spec.record)
		return error_set(e, EXIT_USAGE, -EINVAL, "there is no --record",
				 "add it, tags are kept in the recording", "cannot use --tag");
	if (k->sort == KMEM_SORT_LIVE && !k->lifetimes)
		return error_set(e, EXIT_USAGE, -EINVAL, "they are known only with --lifetime",
				 "add it", "cannot sort by live objects");
	if (k->page_sites && !(k->kinds & 1U << KSTATS_KMEM_PAGES))
		return error_set(e, EXIT_USAGE, -EINVAL, "--kind leaves pages out",
				 "add pages to it", "cannot use --page-sites");
	/* Tables are found by masks. */
	k->max_sites = kstats_kmem_places(k->max_sites);
	k->max_live = kstats_kmem_places(k->max_live);
	if (k->spec.record && k->spec.output && !strcmp(k->spec.record, k->spec.output))
		return error_set(e, EXIT_USAGE, -EINVAL, "they name the same file", "leave one out",
				 "cannot combine --record with --output");
	return spec_check_command(&k->spec, e);
}

int spec_parse_kmem(struct spec_kmem *k, int argc, char **argv, struct error *e)
{
	int first, err;

	set_defaults(k);
	err = spec_take_command(&k->spec, &argc, argv, e);
	if (!err)
		err = options_parse(spec_kmem_options, k, argc, argv, &first, e);
	if (err)
		return err;
	if (first < argc)
		return error_set(e, EXIT_USAGE, -EINVAL, "kmem takes no words but options",
				 "write -- before a command", "cannot use '%s'", argv[first]);
	return check(k, e);
}

/* ---- of a node ---- */

static int spec_kmem_refuse(const char *option, const char *next, struct error *e)
{
	return error_set(e, EXIT_USAGE, -EINVAL, "a node stays, and is looked at later", next,
			 "cannot use %s for a node", option);
}

static int check_node(const struct spec_kmem *k, struct error *e)
{
	static const char of_show[] = "it is an option of 'kstats-bpf node show'";
	const struct spec *s = &k->spec;

	if (s->command)
		return spec_kmem_refuse("a command", "filter by --comm, --pid or --cgroup", e);
	if (s->duration_ns)
		return spec_kmem_refuse("--duration", "stop it with 'kstats-bpf node stop'", e);
	if (s->series.gate.max_loss >= 0)
		return spec_kmem_refuse("--max-loss", "its account is in 'kstats-bpf node show'",
					e);
	if (s->tags.n)
		return spec_kmem_refuse("--tag", "tags are of recordings, see 'kstats-bpf kmem'",
					e);
	if (s->interval_ns)
		return spec_kmem_refuse("--interval", of_show, e);
	if (s->output || s->record || strcmp(s->format, "summary") || strcmp(s->unit, "auto"))
		return spec_kmem_refuse("--output, --record, --format or --unit",
					"they are options of 'kstats-bpf node show'", e);
	if (k->by_word)
		return spec_kmem_refuse("site, cache, kind, size or order in --by",
					"leave them out: 'kstats-bpf node show' always has them",
					e);
	if (k->sort || k->top)
		return spec_kmem_refuse(k->sort ? "--sort" : "--top", of_show, e);
	return 0;
}

int spec_parse_kmem_node(struct spec_kmem *k, int argc, char **argv, struct error *e)
{
	int first, err, i, kept = 1;

	set_defaults(k);
	for (i = 1; i < argc; i++)
		if (strcmp(argv[i], "--kmem"))
			argv[kept++] = argv[i];
	argc = kept;
	err = spec_take_command(&k->spec, &argc, argv, e);
	if (!err)
		err = options_parse(spec_kmem_options, k, argc, argv, &first, e);
	if (err)
		return err;
	k->node = first < argc ? argv[first] : "kmem";
	if (first + 1 < argc)
		return error_set(e, EXIT_USAGE, -EINVAL, "memory events have no target",
				 "leave it out", "cannot use '%s' with --kmem", argv[first + 1]);
	if (!spec_node_name_ok(k->node))
		return error_set(e, EXIT_USAGE, -EINVAL, SPEC_NODE_NAME, NULL,
				 "cannot use '%s' for a node", k->node);
	err = check_node(k, e);
	return err ? err : check(k, e);
}
