// SPDX-License-Identifier: GPL-2.0-only
#include "util/sort.h"

#include <stddef.h>

const char *const sort_names[] = {
	[SORT_TOTAL] = "total", [SORT_COUNT] = "count", [SORT_P50] = "p50",
	[SORT_P99] = "p99",     [SORT_MAX] = "max",     NULL,
};
