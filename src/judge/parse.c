// SPDX-License-Identifier: GPL-2.0-only
/* parse.c - read rules; see check.h. */
#include "judge/check.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

#define LIMIT_MOST 9.2e18 /* more than any figure, and a number of 64 bits */
#define BOTH (CHECK_CALLS | CHECK_MEMORY)

/* What a limit may be; a bit each. */
enum limit {
	IS_NUMBER = 1,
	IS_SHARE = 2, /* a percentage */
	IS_BYTES = 4,
	IS_TIME = 8,
	IS_ANY = 16, /* in the unit of the samples */
};

static const struct figure {
	const char *name;
	unsigned int kinds; /* of recordings that have it, see enum check_kind */
	unsigned int limits; /* see enum limit */
	uint32_t millionths; /* of the quantile that it is, or COMPARE_MEAN */
} figures[CHECK_FIELDS] = {
	[CHECK_QUANTILE] = { "", BOTH, IS_ANY, 0 },
	[CHECK_MEAN] = { "mean", CHECK_CALLS, IS_ANY, COMPARE_MEAN },
	[CHECK_MIN] = { "min", CHECK_CALLS, IS_ANY, 0 },
	[CHECK_MAX] = { "max", CHECK_CALLS, IS_ANY, DIST_ONE },
	[CHECK_COUNT] = { "count", BOTH, IS_NUMBER, 0 },
	[CHECK_RATE] = { "rate", BOTH, IS_NUMBER, 0 },
	[CHECK_LOSS] = { "loss", BOTH, IS_NUMBER | IS_SHARE, 0 },
	[CHECK_WASTE] = { "waste", CHECK_MEMORY, IS_BYTES | IS_SHARE, 0 },
	[CHECK_BYTES] = { "bytes", CHECK_MEMORY, IS_BYTES, 0 },
	[CHECK_REQUESTED] = { "requested", CHECK_MEMORY, IS_BYTES, 0 },
	[CHECK_LIVE] = { "live", CHECK_MEMORY, IS_BYTES, 0 },
	[CHECK_OBJECTS] = { "objects", CHECK_MEMORY, IS_NUMBER, 0 },
	[CHECK_OLDEST] = { "oldest", CHECK_MEMORY, IS_TIME, 0 },
	[CHECK_OTHER_CPU] = { "other-cpu", CHECK_MEMORY, IS_SHARE, 0 },
};

#define OF_CALLS "count, rate, loss, mean, min, max or a quantile like p99.9"
#define OF_MEMORY                                                                            \
	"count, rate, loss, waste, bytes, requested, live, objects, oldest, other-cpu or a " \
	"quantile of the lifetimes like p99"

static int bad(struct error *e, const char *option, const char *text, const char *why,
	       const char *next)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, next, "cannot use '%s' for %s", text, option);
}

static int bad_assert(struct error *e, const char *text, const char *why, const char *next)
{
	return bad(e, "--assert", text, why, next);
}

/* "p99.9": up to four digits behind the point, above 0 and up to 100. */
static bool parse_quantile(const char *name, uint32_t *millionths)
{
	size_t whole, part = 0, i;
	uint32_t n = 0;

	if (*name != 'p')
		return false;
	whole = strspn(name + 1, "0123456789");
	for (i = 0; i < whole; i++)
		n = n * 10 + (name[1 + i] - '0');
	name += 1 + whole;
	if (*name == '.') {
		part = strspn(++name, "0123456789");
		if (!part)
			return false;
	}
	if (!whole || whole > 3 || part > 4 || name[part])
		return false;
	for (i = 0; i < 4; i++)
		n = n * 10 + (i < part ? name[i] - '0' : 0);
	*millionths = n;
	return n && n <= DIST_ONE;
}

static bool parse_field(struct check_rule *rule)
{
	int i;

	for (i = CHECK_QUANTILE + 1; i < CHECK_FIELDS; i++)
		if (!strcmp(rule->metric_name, figures[i].name))
			break;
	rule->field = i < CHECK_FIELDS ? i : CHECK_QUANTILE;
	rule->kinds = figures[rule->field].kinds;
	rule->millionths = figures[rule->field].millionths;
	return i < CHECK_FIELDS || parse_quantile(rule->metric_name, &rule->millionths);
}

/* The figure at the begin of @text. Return: what follows it, or NULL. */
static const char *take_name(struct check_rule *rule, const char *text)
{
	size_t n = strcspn(text, "<=> ");

	if (n >= sizeof(rule->metric_name))
		return NULL;
	memcpy(rule->metric_name, text, n);
	return parse_field(rule) ? text + n + strspn(text + n, " ") : NULL;
}

/* What is named before the last colon has the figure; names of C++ have colons themselves. */
static const char *take_target(struct check_rule *rule, const char *text)
{
	const char *colon = strrchr(text, ':');

	if (!colon)
		return text;
	memcpy(rule->target, text, colon - text);
	return colon + 1 + strspn(colon + 1, " ");
}

static const char *parse_op(const char *text, enum check_op *op)
{
	static const struct {
		const char *text;
		enum check_op op;
	} ops[] = {
		{ "<=", CHECK_LE }, { ">=", CHECK_GE }, { "==", CHECK_EQ },
		{ "<", CHECK_LT },  { ">", CHECK_GT },
	};
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		if (strncmp(text, ops[i].text, strlen(ops[i].text)))
			continue;
		*op = ops[i].op;
		text += strlen(ops[i].text);
		return text + strspn(text, " ");
	}
	return NULL;
}

/* A number of at least 0; @percent tells whether "%" follows it. */
static bool parse_number(const char *text, bool *percent, double *value)
{
	char *end;

	if (!strchr("0123456789", *text) || !*text || text[strspn(text, "0123456789.%")])
		return false;
	*value = strtod(text, &end);
	*percent = *end == '%';
	if (*percent)
		*value /= 100;
	return !end[*percent] && isfinite(*value);
}

/* A value with a unit; @rule becomes one for the recordings that can have that unit. */
static bool parse_value(struct check_rule *rule, const char *text, unsigned int limits)
{
	bool bytes, plain;

	if (units_parse_value(text, &rule->limit, rule->unit))
		return false;
	plain = !*rule->unit;
	bytes = !strcmp(rule->unit, UNITS_BYTES);
	if (limits & IS_BYTES)
		return plain || bytes;
	if (!plain && strcmp(rule->unit, "ns"))
		rule->kinds &= ~CHECK_MEMORY;
	return rule->kinds;
}

static bool parse_limit(struct check_rule *rule, const char *text)
{
	unsigned int limits = figures[rule->field].limits;
	bool percent;

	if (!(limits & (IS_TIME | IS_ANY)) && parse_number(text, &percent, &rule->limit)) {
		rule->share = percent;
		return limits & (percent ? IS_SHARE : IS_NUMBER | IS_BYTES);
	}
	return limits & (IS_BYTES | IS_TIME | IS_ANY) && parse_value(rule, text, limits);
}

static int parse_rest(struct check_rule *rule, const char *text, const char *rest, struct error *e)
{
	rest = parse_op(rest, &rule->op);
	if (!rest)
		return bad_assert(e, text, "it has no comparison",
				  "write one of < <= == >= >, as in 'p99<10us'");
	if (!parse_limit(rule, rest))
		return bad_assert(e, text, "its limit cannot be read",
				  "write a time like 10us or a size like 4KiB, a number for "
				  "counts and rates, a number or a percentage for shares and loss");
	if (rule->limit > LIMIT_MOST)
		return bad_assert(e, text, "its limit is larger than any figure can be",
				  "write a smaller one");
	return 0;
}

int check_parse_assert(struct check_rule *rule, const char *text, struct error *e)
{
	const char *rest;

	*rule = (struct check_rule){};
	if (strlen(text) >= sizeof(rule->text))
		return bad_assert(e, text, "it is longer than 191 characters",
				  "match names by a shorter pattern, like 'ext4_*:waste<10%'");
	strcpy(rule->text, text);
	rest = take_name(rule, take_target(rule, text));
	if (!rest)
		return bad_assert(e, text, "it does not begin with a known figure",
				  "write " OF_CALLS "; of memory events, " OF_MEMORY);
	/* Losses of memory events are not known by site. */
	if (rule->target[0] && rule->field == CHECK_LOSS)
		rule->kinds = CHECK_CALLS;
	return parse_rest(rule, text, rest, e);
}

int check_rules_fit(const struct check_rule *rules, size_t n, enum check_kind kind, struct error *e)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!(rules[i].kinds & kind))
			return bad_assert(
				e, rules[i].text,
				kind == CHECK_CALLS ? "recordings of calls have no such figure"
						    : "recordings of memory events have no such "
						      "figure",
				kind == CHECK_CALLS ? "write " OF_CALLS : "write " OF_MEMORY);
	return 0;
}

int check_parse_increase(struct check_rule *rule, const char *text, struct error *e)
{
	const char *rest;
	bool percent = false;

	*rule = (struct check_rule){};
	snprintf(rule->text, sizeof(rule->text), "%s", text);
	rest = strlen(text) < sizeof(rule->text) ? take_name(rule, take_target(rule, text)) : NULL;
	if (!rest || (rule->field != CHECK_QUANTILE && rule->field != CHECK_MEAN))
		return bad(e, "--max-increase", text, "it does not begin with a known figure",
			   "write mean or a quantile, as in 'p99=5%' or 'work:p99=5%'");
	if (*rest != '=' || !parse_number(rest + 1, &percent, &rule->limit) || !percent)
		return bad(e, "--max-increase", text, "its limit cannot be read",
			   "write a percentage, as in 'p99=5%'");
	rule->relative = true;
	rule->kinds = CHECK_CALLS;
	rule->op = CHECK_LE;
	return 0;
}
