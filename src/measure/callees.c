// SPDX-License-Identifier: GPL-2.0-only
/* callees.c - the time of single calls in callees, as far as these could be traced. See priv.h. */
#include "measure/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int collect_name_callees(const struct collect *c, struct why *w)
{
	const struct plan *plan = c->plan;
	uint32_t i;

	if (!plan->n_callees)
		return 0;
	w->callees = calloc(plan->n_callees, sizeof(*w->callees));
	for (i = 0; w->callees && i < plan->n_callees; i++) {
		if (!session_traces_callee(c->session, i))
			continue;
		w->callees[w->n_callees] = strdup(plan->callees[i].start.name);
		if (!w->callees[w->n_callees])
			return -ENOMEM;
		w->n_callees++;
	}
	return w->callees ? 0 : -ENOMEM;
}

/* Those that are left out have no time. */
int collect_divide(const struct collect *c, const struct why *w, const struct collect_call *from,
		   struct why_call *call)
{
	const struct plan *plan = c->plan;
	uint32_t i;
	size_t n = 0;

	if (!from->is_divided)
		return 0;
	call->callee_ns = calloc(w->n_callees + 1, sizeof(*call->callee_ns));
	if (!call->callee_ns)
		return -ENOMEM;
	for (i = 0; i < plan->n_callees; i++)
		if (session_traces_callee(c->session, i))
			call->callee_ns[n++] = from->callee_ns[i];
	call->callee_ns[n] = from->callee_ns[KSTATS_CALLEES_MAX];
	return 0;
}
