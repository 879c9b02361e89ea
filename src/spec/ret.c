// SPDX-License-Identifier: GPL-2.0-only
/* ret.c - the comparison of --ret, and how values are refused. */
#include "spec/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int spec_bad(struct error *e, const char *option, const char *value, const char *why,
	     const char *next)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, next, "cannot use '%s' for %s", value,
			 option);
}

static int errno_of(const char *name, int64_t *value)
{
	int number = *name == '-' ? error_number(name + 1) : 0;

	*value = -number;
	return number ? 0 : -EINVAL;
}

int spec_set_ret(void *to, const char *value, struct error *e)
{
	static const struct {
		const char *text;
		enum kstats_ret_op op;
	} ops[] = {
		{ "<=", KSTATS_RET_LE }, { ">=", KSTATS_RET_GE }, { "==", KSTATS_RET_EQ },
		{ "!=", KSTATS_RET_NE }, { "<", KSTATS_RET_LT },  { ">", KSTATS_RET_GT },
	};
	struct spec *spec = to;
	const char *p = value;
	char *end;
	size_t i;

	for (i = 0; i < 6 && strncmp(value, ops[i].text, strlen(ops[i].text)); i++)
		;
	if (i < 6) {
		p += strlen(ops[i].text);
		errno = 0;
		spec->ret_value = strtoll(p, &end, 0);
		if (*p && *p != ' ' && ((!errno && !*end) || !errno_of(p, &spec->ret_value))) {
			spec->ret_op = ops[i].op;
			return 0;
		}
	}
	return spec_bad(e, "--ret", value, "it is a comparison with a number or an error name",
			"write '<0', '==0', '!=-EAGAIN' or the like, in quotes");
}
