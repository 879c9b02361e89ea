// SPDX-License-Identifier: GPL-2.0-only
/* sample.c - record the numbers of standard input by the marker "work". Built by serve.py. */
#include <stdio.h>

#include "kstats_user.h"

int main(void)
{
	unsigned long v;

	while (scanf("%lu", &v) == 1)
		KSTATS_SAMPLE(work, v);
	return KSTATS_USER_STATE(work) != KSTATS_USER_RECORDS;
}
