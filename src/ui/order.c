// SPDX-License-Identifier: GPL-2.0-only
#include "ui/order.h"

#include <errno.h>
#include <string.h>

const char *const order_names[] = { "total", "count", "p50",  "p99",  "max",
				    "waste", "bytes", "live", "rate", NULL };

/* Its place in a list, or -1. */
static int order_place_of(const char *word, const char *const *names)
{
	int i;

	for (i = 0; names[i]; i++)
		if (!strcmp(names[i], word))
			return i;
	return -1;
}

int order_find(const char *word, bool trace, bool kmem, struct order *order, struct error *e)
{
	int of_trace = word && trace ? order_place_of(word, sort_names) : -1;
	int of_kmem = word && kmem ? order_place_of(word, kmem_sort_names) : -1;

	*order = (struct order){ of_trace < 0 ? SORT_TOTAL : (enum sort_by)of_trace,
				 of_kmem < 0 ? KMEM_SORT_WASTE : (enum kmem_sort)of_kmem };
	if (!word || of_trace >= 0 || of_kmem >= 0 || !(trace || kmem))
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL,
			 kmem ? "memory events are shown" : "no memory events are shown",
			 kmem ? "sort by waste, bytes, count, live or rate"
			      : "sort by total, count, p50, p99 or max",
			 "cannot sort by '%s'", word);
}
