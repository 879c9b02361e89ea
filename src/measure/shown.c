// SPDX-License-Identifier: GPL-2.0-only
/* shown.c - the values of --show as texts. See priv.h. */
#include "measure/priv.h"

#include <errno.h>

int collect_show(const struct collect *c, const struct collect_call *from, char **values)
{
	const struct plan_show *show = &c->plan->show;
	const uint64_t *words = from->shown + 1;
	uint32_t i;

	for (i = 0; i < show->n; words += show->parts[i++].words) {
		if (!(from->shown[0] >> i & 1))
			continue;
		values[i] = session_part_text(&show->parts[i], words);
		if (!values[i])
			return -ENOMEM;
	}
	return 0;
}
