// SPDX-License-Identifier: GPL-2.0-only
/* check.c - rules and verdicts; see check.h. */
#include "check.h"

const char *check_verdict_name(enum check_verdict v)
{
	static const char *const names[CHECK_VERDICTS] = {
		[CHECK_PASS] = "pass",
		[CHECK_FAIL] = "fail",
		[CHECK_INCONCLUSIVE] = "inconclusive",
	};

	return names[v];
}

enum check_verdict check_increase(const struct compare_row *row, double limit)
{
	if (!row->known)
		return CHECK_INCONCLUSIVE;
	if (row->lo > 0 && row->lo > limit)
		return CHECK_FAIL;
	return row->hi <= limit ? CHECK_PASS : CHECK_INCONCLUSIVE;
}
