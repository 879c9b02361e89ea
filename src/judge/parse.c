// SPDX-License-Identifier: GPL-2.0-only
/* parse.c - read rules; see check.h. */
#include "judge/check.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

static int bad(struct error *e, const char *option, const char *text, const char *why,
	       const char *next)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, next, "cannot use '%s' for %s", text, option);
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
	static const char *const names[CHECK_FIELDS] = {
		[CHECK_MEAN] = "mean",   [CHECK_MIN] = "min",   [CHECK_MAX] = "max",
		[CHECK_COUNT] = "count", [CHECK_RATE] = "rate", [CHECK_LOSS] = "loss",
	};
	int i;

	for (i = 0; i < CHECK_FIELDS; i++) {
		if (!names[i] || strcmp(rule->metric_name, names[i]))
			continue;
		rule->field = i;
		rule->millionths = i == CHECK_MEAN ? COMPARE_MEAN : i == CHECK_MAX ? DIST_ONE : 0;
		return true;
	}
	rule->field = CHECK_QUANTILE;
	return parse_quantile(rule->metric_name, &rule->millionths);
}

/* The field's name and the rule's text; what follows the name. */
static const char *take_name(struct check_rule *rule, const char *text)
{
	size_t n = strcspn(text, "<=> ");

	*rule = (struct check_rule){};
	if (strlen(text) >= sizeof(rule->text) || n >= sizeof(rule->metric_name))
		return NULL;
	memcpy(rule->text, text, strlen(text));
	memcpy(rule->metric_name, text, n);
	return parse_field(rule) ? text + n + strspn(text + n, " ") : NULL;
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

static bool parse_limit(struct check_rule *rule, const char *text)
{
	bool percent = false;

	switch (rule->field) {
	case CHECK_COUNT:
	case CHECK_RATE:
		return parse_number(text, &percent, &rule->limit) && !percent;
	case CHECK_LOSS:
		return parse_number(text, &rule->share, &rule->limit);
	default:
		return !units_parse_value(text, &rule->limit, rule->unit);
	}
}

int check_parse_assert(struct check_rule *rule, const char *text, struct error *e)
{
	const char *rest = take_name(rule, text);

	if (!rest)
		return bad(e, "--assert", text, "it does not begin with a known figure",
			   "write count, rate, mean, min, max, loss or a quantile like p99.9; for "
			   "recordings of kmem see kstats-bpf-check(8)");
	rest = parse_op(rest, &rule->op);
	if (!rest)
		return bad(e, "--assert", text, "it has no comparison",
			   "write one of < <= == >= >, as in 'p99<10us'");
	if (!parse_limit(rule, rest))
		return bad(e, "--assert", text, "its limit cannot be read",
			   "write a time like 10us or a size like 4KiB, a number for count and "
			   "rate, a number or a percentage for loss");
	return 0;
}

int check_parse_increase(struct check_rule *rule, const char *text, struct error *e)
{
	const char *rest = take_name(rule, text);
	bool percent = false;

	if (!rest || (rule->field != CHECK_QUANTILE && rule->field != CHECK_MEAN))
		return bad(e, "--max-increase", text, "it does not begin with a known figure",
			   "write mean or a quantile, as in 'p99=5%'");
	if (*rest != '=' || !parse_number(rest + 1, &percent, &rule->limit) || !percent)
		return bad(e, "--max-increase", text, "its limit cannot be read",
			   "write a percentage, as in 'p99=5%'");
	rule->relative = true;
	rule->op = CHECK_LE;
	return 0;
}
