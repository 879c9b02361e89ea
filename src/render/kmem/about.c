// SPDX-License-Identifier: GPL-2.0-only
/* about.c - what is known of a measurement of memory events beside the figures. */
#include "render/kmem/priv.h"

void kmem_about_each(const struct kmem *k, const struct about *to)
{
	const struct recording_machine *m = &k->machine;

	/* Only a report from a file needs these: somebody who is measuring knows them. */
	if (k->source) {
		about_tell_time(to, &k->span, 1);
		if (m->cpu && *m->cpu)
			about_tell_made(to, "machine", "%s, %u CPUs online", m->cpu,
					m->cpus_online);
		about_tell_tags(to, &k->tags);
	}
	about_tell(to, "measured", k->filters);
	if (k->skip)
		about_tell_made(to, "call sites", "callers of %s", k->skip);
	about_tell_command(to, k->command, k->status);
}
