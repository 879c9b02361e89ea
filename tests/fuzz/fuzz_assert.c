// SPDX-License-Identifier: GPL-2.0-only
/* fuzz_assert.c - any text as a rule of `check`: read, or refused with a reason. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "judge/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(const char *text, int (*run)(struct check_rule *, const char *, struct error *))
{
	struct check_rule rule;
	struct error e = {};
	int err = run(&rule, text, &e);

	if (err && (!e.what[0] || !e.why[0] || !e.next[0]))
		abort();
	if (!err && (strcmp(rule.text, text) || !(rule.limit >= 0)))
		abort();
	if (!err && rule.field == CHECK_QUANTILE &&
	    (!rule.millionths || rule.millionths > DIST_ONE))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1);

	if (!text)
		abort();
	if (size)
		memcpy(text, data, size);
	parse(text, check_parse_assert);
	parse(text, check_parse_increase);
	free(text);
	return 0;
}
