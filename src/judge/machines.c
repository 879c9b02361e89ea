// SPDX-License-Identifier: GPL-2.0-only
/* machines.c - whether both sides were recorded on the same machine; see judge.h. */
#include <stdio.h>
#include <string.h>

#include "judge/judge.h"
#include "util/safe_str.h"

#define MACHINE_WORDS 72 /* of a processor or kernel */

/* "" is not known, and the same as anything. */
static bool machines_text_differs(const char *a, const char *b)
{
	return a && b && *a && *b && strcmp(a, b);
}

static bool machines_differ(const struct recording *a, const struct recording *b)
{
	return machines_text_differs(a->machine.cpu, b->machine.cpu) ||
	       machines_text_differs(a->whole->kernel, b->whole->kernel) ||
	       machines_text_differs(a->machine.build_id, b->machine.build_id) ||
	       (a->machine.cpus_online && b->machine.cpus_online &&
		a->machine.cpus_online != b->machine.cpus_online);
}

static void machines_name(char *text, size_t size, const struct recording *r)
{
	char cpu[MACHINE_WORDS], kernel[MACHINE_WORDS];

	safe_str(cpu, sizeof(cpu), r->machine.cpu ? r->machine.cpu : "");
	safe_str(kernel, sizeof(kernel), r->whole->kernel ? r->whole->kernel : "");
	snprintf(text, size, "%u x %s, Linux %s", r->machine.cpus_online, *cpu ? cpu : "unknown",
		 *kernel ? kernel : "unknown");
}

bool judge_machines(char *text, size_t size, const struct runs *runs, const struct runs *base)
{
	char before[2 * MACHINE_WORDS + 32], after[2 * MACHINE_WORDS + 32];
	size_t i;

	for (i = 0; i < base->n; i++) {
		if (!machines_differ(runs->recordings[0], base->recordings[i]))
			continue;
		machines_name(before, sizeof(before), base->recordings[i]);
		machines_name(after, sizeof(after), runs->recordings[0]);
		snprintf(text, size,
			 "other machines or kernels, which may explain a change: base %s; new %s%s",
			 before, after, strcmp(before, after) ? "" : " of another build");
		return true;
	}
	*text = '\0';
	return false;
}
