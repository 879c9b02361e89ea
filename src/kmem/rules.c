// SPDX-License-Identifier: GPL-2.0-only
/* rules.c - bounds: read, and judged. */
#include "kmem/rules.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kmem/account.h"
#include "util/units.h"

/* The unit of a limit. */
enum measure {
	IS_NUMBER,
	IS_BYTES,
	IS_TIME,
	IS_SHARE,
};

static const struct figure {
	const char *name;
	enum measure is;
	bool share; /* a limit may also be a share */
	bool lifetimes; /* known only with lifetimes */
} figures[] = {
	[KMEM_FIGURE_WASTE] = { "waste", IS_BYTES, true, false },
	[KMEM_FIGURE_BYTES] = { "bytes", IS_BYTES, false, false },
	[KMEM_FIGURE_REQUESTED] = { "requested", IS_BYTES, false, false },
	[KMEM_FIGURE_COUNT] = { "count", IS_NUMBER, false, false },
	[KMEM_FIGURE_RATE] = { "rate", IS_NUMBER, false, false },
	[KMEM_FIGURE_LIVE] = { "live", IS_BYTES, false, true },
	[KMEM_FIGURE_OBJECTS] = { "objects", IS_NUMBER, false, true },
	[KMEM_FIGURE_OLDEST] = { "oldest", IS_TIME, false, true },
	[KMEM_FIGURE_OTHER_CPU] = { "other-cpu", IS_SHARE, true, true },
	[KMEM_FIGURE_LOSS] = { "loss", IS_NUMBER, true, false },
	[KMEM_FIGURE_QUANTILE] = { "p", IS_TIME, false, true },
};

/* ---- words ---- */

#define LIMIT_MOST 9.2e18 /* more than any figure of a recording, and a number of 64 bits */

static int bad(struct error *e, const char *text, const char *why, const char *next)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, next, "cannot use '%s' for --assert", text);
}

static bool parse_quantile(const char *text, size_t n, uint32_t *millionths)
{
	char *end;
	double percent;

	if (n < 2 || text[0] != 'p' || strspn(text + 1, "0123456789.") != n - 1)
		return false;
	percent = strtod(text + 1, &end);
	if (percent > 100)
		return false;
	*millionths = lround(percent * (DIST_ONE / 100));
	return end == text + n && *millionths && *millionths <= DIST_ONE;
}

static bool parse_figure(struct kmem_rule *rule, const char *text, size_t n)
{
	int i;

	for (i = 0; i < KMEM_FIGURE_QUANTILE; i++) {
		if (strlen(figures[i].name) == n && !strncmp(figures[i].name, text, n)) {
			rule->figure = i;
			return true;
		}
	}
	rule->figure = KMEM_FIGURE_QUANTILE;
	return parse_quantile(text, n, &rule->millionths);
}

static const char *parse_relation(const char *text, enum kmem_relation *relation)
{
	static const char *const words[] = {
		[KMEM_LE] = "<=", [KMEM_GE] = ">=", [KMEM_EQ] = "==",
		[KMEM_LT] = "<",  [KMEM_GT] = ">",
	};
	static const enum kmem_relation order[] = { KMEM_LE, KMEM_GE, KMEM_EQ, KMEM_LT, KMEM_GT };
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (strncmp(text, words[order[i]], strlen(words[order[i]])))
			continue;
		*relation = order[i];
		text += strlen(words[order[i]]);
		return text + strspn(text, " ");
	}
	return NULL;
}

static bool unit_of(const char *text, double *factor)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t i;

	*factor = 1;
	if (!*text)
		return true;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++, *factor *= 1024)
		if (!strcmp(text, names[i]))
			return true;
	return false;
}

static bool parse_limit(struct kmem_rule *rule, const char *text)
{
	const struct figure *f = &figures[rule->figure];
	double factor;
	uint64_t ns;
	char *end;

	if (f->is == IS_TIME) {
		if (units_parse_duration(text, 1, &ns))
			return false;
		rule->limit = ns;
		return true;
	}
	if (!*text || !strchr("0123456789", *text))
		return false;
	if (strspn(text, "0123456789.") < strcspn(text, "%BKMGT"))
		return false;
	rule->limit = strtod(text, &end);
	if (f->share && !strcmp(end, "%")) {
		rule->share = true;
		rule->limit /= 100;
		return true;
	}
	if (f->is == IS_SHARE || !isfinite(rule->limit))
		return false;
	if (f->is == IS_BYTES && unit_of(end, &factor)) {
		rule->limit *= factor;
		return true;
	}
	return !*end;
}

/* Where the figure's name begins, and its length. */
static const char *find_name(const char *text, size_t *n)
{
	const char *colon = strrchr(text, ':'), *name = colon ? colon + 1 : text;

	name += strspn(name, " ");
	*n = strcspn(name, "<=> ");
	return name;
}

bool kmem_rule_knows(const char *text)
{
	struct kmem_rule rule;
	const char *name;
	size_t n;

	name = find_name(text, &n);
	return parse_figure(&rule, name, n) && rule.figure != KMEM_FIGURE_QUANTILE;
}

int kmem_rule_parse(struct kmem_rule *rule, const char *text, struct error *e)
{
	const char *colon = strrchr(text, ':'), *name, *rest;
	size_t n;

	*rule = (struct kmem_rule){};
	if (strlen(text) >= sizeof(rule->text))
		return bad(e, text, "it is longer than 47 characters",
			   "match the site by a shorter pattern, like 'ext4_*:waste<10%'");
	strcpy(rule->text, text);
	if (colon)
		memcpy(rule->target, text, colon - text);
	name = find_name(text, &n);
	rest = name + n + strspn(name + n, " ");
	if (!parse_figure(rule, name, n))
		return bad(e, text, "it does not begin with a known figure of memory events",
			   "write waste, bytes, requested, count, rate, live, objects, oldest, "
			   "other-cpu, loss or a quantile of the lifetimes like p99");
	if (rule->figure == KMEM_FIGURE_LOSS && colon)
		return bad(e, text, "losses are not known by site", "write loss alone");
	rest = parse_relation(rest, &rule->relation);
	if (!rest)
		return bad(e, text, "it has no comparison",
			   "write one of < <= == >= >, as in 'waste<10%'");
	if (!parse_limit(rule, rest))
		return bad(e, text, "its limit cannot be read",
			   "write bytes like 1MiB, a time like 10ms, a number, or a percentage "
			   "for waste, other-cpu and loss");
	if (rule->limit > LIMIT_MOST)
		return bad(e, text, "its limit is larger than any figure can be",
			   "write a smaller one");
	return 0;
}

/* ---- what is judged ---- */

/* The pattern matches a site, with or without the offset in its function, or a cache. */
static bool is_named(const char *pattern, const struct kmem_entry *e)
{
	char function[512];

	snprintf(function, sizeof(function), "%s", e->name);
	function[strcspn(function, "+")] = '\0';
	return !fnmatch(pattern, e->name, 0) || !fnmatch(pattern, function, 0) ||
	       (e->cache && !fnmatch(pattern, e->cache, 0));
}

static bool is_target(const struct kmem_rule *rule, const struct kmem_entry *e)
{
	int kind;

	if (!rule->target[0])
		return e->kind != KSTATS_KMEM_PAGES;
	for (kind = 1; kind <= KMEM_KINDS; kind++)
		if (!strcmp(rule->target, kmem_kind_name(kind)))
			return e->kind == (enum kstats_kmem_kind)kind;
	return is_named(rule->target, e);
}

/* Everything that a rule may ask of its target. */
struct found {
	struct kmem_sums sums;
	struct dist lifetimes;
};

static void add_sums(struct kmem_sums *to, const struct kmem_sums *s)
{
	to->count += s->count;
	to->req += s->req;
	to->alloc += s->alloc;
	to->waste += s->waste;
	to->live += s->live;
	to->live_alloc += s->live_alloc;
	to->freed += s->freed;
	to->other_cpu += s->other_cpu;
	if (s->live_oldest_ns > to->live_oldest_ns)
		to->live_oldest_ns = s->live_oldest_ns;
}

static int add_entry(struct found *f, const struct kmem_table *t, const struct kmem_entry *e)
{
	struct dist d;
	int err;

	add_sums(&f->sums, &e->sums);
	if (!e->n_lifes)
		return 0;
	err = kmem_lifetimes(&d, t, e);
	if (!err && !f->lifetimes.slots) {
		f->lifetimes = d;
		return 0;
	}
	if (!err)
		dist_add(&f->lifetimes, &d);
	dist_close(&d);
	return err;
}

static void add_no_row(struct found *f, const struct kmem_rule *rule, const struct kmem *k)
{
	struct kmem_entry of = { .name = "", .sums = {} };
	int kind;

	for (kind = 1; kind <= KMEM_KINDS; kind++) {
		of.kind = kind;
		if (rule->target[0] && strcmp(rule->target, kmem_kind_name(kind)))
			continue;
		if (!is_target(rule, &of))
			continue;
		of.sums = (struct kmem_sums){
			.count = k->counts[KSTATS_KMEM_N_NO_ROW + kind - 1],
			.req = k->counts[KSTATS_KMEM_REQ_NO_ROW + kind - 1],
			.alloc = k->counts[KSTATS_KMEM_ALLOC_NO_ROW + kind - 1],
		};
		of.sums.waste = of.sums.alloc > of.sums.req ? of.sums.alloc - of.sums.req : 0;
		add_sums(&f->sums, &of.sums);
	}
}

static int find(struct found *f, const struct kmem_rule *rule, const struct kmem *k)
{
	struct kmem_table t;
	size_t i;
	int err = kmem_table_make(&t, k, KMEM_GROUP_SITE, KMEM_SORT_BYTES);

	*f = (struct found){};
	for (i = 0; !err && i < t.n; i++)
		if (is_target(rule, &t.entries[i]))
			err = add_entry(f, &t, &t.entries[i]);
	if (!err)
		add_no_row(f, rule, k);
	kmem_table_free(&t);
	return err;
}

static double share_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / whole : 0;
}

static uint64_t all_events(const struct kmem_account *a)
{
	return a->seen + a->frees + a->skipped;
}

/* The figure, or its bounds. */
static void figure_of(const struct kmem_rule *rule, const struct kmem *k, const struct found *f,
		      double *lo, double *hi)
{
	const struct kmem_sums *s = &f->sums;
	const struct kmem_account a = kmem_account(k);
	const double seconds = (k->span.end_ns - k->span.begin_ns) / 1e9;
	const double values[] = {
		[KMEM_FIGURE_WASTE] = rule->share ? share_of(s->waste, s->alloc) : s->waste,
		[KMEM_FIGURE_BYTES] = s->alloc,
		[KMEM_FIGURE_REQUESTED] = s->req,
		[KMEM_FIGURE_COUNT] = s->count,
		[KMEM_FIGURE_RATE] = seconds > 0 ? s->count / seconds : 0,
		[KMEM_FIGURE_LIVE] = s->live_alloc,
		[KMEM_FIGURE_OBJECTS] = s->live,
		[KMEM_FIGURE_OLDEST] = s->live_oldest_ns,
		[KMEM_FIGURE_OTHER_CPU] = share_of(s->other_cpu, s->freed),
		[KMEM_FIGURE_LOSS] = rule->share ? share_of(kmem_account_lost(&a), all_events(&a))
						 : kmem_account_lost(&a),
	};
	struct dist_bounds b;

	if (rule->figure != KMEM_FIGURE_QUANTILE) {
		*lo = *hi = values[rule->figure];
		return;
	}
	b = dist_quantile(&f->lifetimes, rule->millionths);
	*lo = b.lo;
	*hi = b.hi;
}

/* ---- the verdict ---- */

static enum kmem_verdict compare(const struct kmem_rule *rule, double lo, double hi)
{
	const double l = rule->limit;
	bool yes, no;

	switch (rule->relation) {
	case KMEM_LT:
		yes = hi < l;
		no = lo >= l;
		break;
	case KMEM_LE:
		yes = hi <= l;
		no = lo > l;
		break;
	case KMEM_GE:
		yes = lo >= l;
		no = hi < l;
		break;
	case KMEM_GT:
		yes = lo > l;
		no = hi <= l;
		break;
	default:
		yes = lo == l && hi == l;
		no = hi < l || lo > l;
	}
	return yes ? KMEM_PASS : no ? KMEM_FAIL : KMEM_INCONCLUSIVE;
}

static const char *say_figure(const struct kmem_rule *rule, double v, char buf[UNITS_TEXT])
{
	if (rule->share || figures[rule->figure].is == IS_SHARE)
		return units_share(buf, 100 * v);
	v = fmin(v, LIMIT_MOST); /* a rate over a very short time is larger */
	switch (figures[rule->figure].is) {
	case IS_BYTES:
		return units_bytes(buf, v);
	case IS_TIME:
		return units_duration(buf, v, "auto");
	default:
		if (rule->figure == KMEM_FIGURE_RATE)
			return units_rate(buf, v, 1000000000);
		return units_count(buf, v);
	}
}

static void say(struct kmem_finding *f, enum kmem_verdict verdict, const char *why,
		const char *next)
{
	f->verdict = verdict;
	snprintf(f->why, sizeof(f->why), "%s", why);
	snprintf(f->next, sizeof(f->next), "%s", next);
}

/* Why a figure cannot be judged; false where it can. */
static bool refuse(const struct kmem_rule *rule, const struct kmem *k, double max_loss,
		   struct kmem_finding *f)
{
	const struct kmem_account a = kmem_account(k);
	char lost[UNITS_TEXT], why[KMEM_RULE_WHY];
	double share = share_of(kmem_account_lost(&a), all_events(&a));

	if (rule->figure == KMEM_FIGURE_LOSS)
		return false;
	if (figures[rule->figure].lifetimes && !k->lifetimes)
		say(f, KMEM_INCONCLUSIVE, "allocations were not matched with their frees",
		    "measure with --lifetime");
	else if (!kmem_account_closes(&a))
		say(f, KMEM_INCONCLUSIVE, "the account of the recording does not close",
		    "please report it");
	else if (share > max_loss) {
		snprintf(why, sizeof(why), "%s of the events were skipped or found no room",
			 units_share(lost, 100 * share));
		say(f, KMEM_INCONCLUSIVE, why,
		    "measure with larger --max-sites and --max-live, or allow more with "
		    "--max-loss");
	} else {
		return false;
	}
	return true;
}

static bool is_empty(const struct kmem_rule *rule, const struct found *f)
{
	if (rule->figure == KMEM_FIGURE_LOSS || rule->figure == KMEM_FIGURE_COUNT ||
	    rule->figure == KMEM_FIGURE_RATE)
		return false;
	if (rule->figure == KMEM_FIGURE_QUANTILE || rule->figure == KMEM_FIGURE_OTHER_CPU)
		return !f->lifetimes.samples;
	return !f->sums.count;
}

static void judge(const struct kmem_rule *rule, const struct kmem *k, const struct found *found,
		  struct kmem_finding *f)
{
	char a[UNITS_TEXT], b[UNITS_TEXT], limit[UNITS_TEXT];
	double lo, hi;

	figure_of(rule, k, found, &lo, &hi);
	f->verdict = compare(rule, lo, hi);
	f->next[0] = '\0';
	say_figure(rule, rule->limit, limit);
	if (lo == hi)
		snprintf(f->why, sizeof(f->why), "%s, limit %s", say_figure(rule, lo, a), limit);
	else
		snprintf(f->why, sizeof(f->why), "%s .. %s, limit %s", say_figure(rule, lo, a),
			 say_figure(rule, hi, b), limit);
	if (f->verdict == KMEM_INCONCLUSIVE)
		snprintf(f->next, sizeof(f->next),
			 "the limit lies between these bounds: choose another limit");
}

int kmem_rule_judge(const struct kmem_rule *rule, const struct kmem *k, double max_loss,
		    bool allow_empty, struct kmem_finding *f)
{
	struct found found;
	int err;

	if (refuse(rule, k, max_loss, f))
		return 0;
	err = find(&found, rule, k);
	if (!err && is_empty(rule, &found))
		say(f, allow_empty ? KMEM_PASS : KMEM_FAIL,
		    figures[rule->figure].lifetimes && found.sums.count
			    ? "nothing that it names was freed"
			    : "nothing that it names was allocated",
		    allow_empty ? "" : "see that the work was running, or add --allow-empty");
	else if (!err)
		judge(rule, k, &found, f);
	dist_close(&found.lifetimes);
	return err;
}
