// SPDX-License-Identifier: GPL-2.0-only
/* about.c - the description of a node that is not of functions. See priv.h. */
#include "node/priv.h"

#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>

static struct snapshot *make_about(const struct node_about *what)
{
	struct snapshot *s = snapshot_new(what->bits, what->n_cpus, 1);
	struct utsname uts;
	int err;

	if (!s)
		return NULL;
	uname(&uts);
	err = snapshot_set_words(s, &(struct snapshot_words){ .kernel = uts.release,
							      .backend = what->backend,
							      .pairing = what->pairing });
	if (!err)
		err = snapshot_set_node_words(
			&s->nodes[0], &(struct snapshot_node_words){ .name = what->name,
								     .what = what->what,
								     .method = what->method,
								     .reason = "asked for" });
	if (what->unit)
		snprintf(s->unit, sizeof(s->unit), "%s", what->unit);
	if (!err)
		return s;
	snapshot_free(s);
	return NULL;
}

int node_describe(int *fd, struct node_meta *m, const struct node_about *what,
		  const struct facts *facts, struct error *e)
{
	struct snapshot *about = make_about(what);
	int err = -ENOMEM;

	m->variables.size = 8; /* of programs on functions, of which there are none */
	m->about = about ? recording_new(about) : NULL;
	if (m->about && !node_meta_words(m, what->words))
		err = facts_machine(facts, &m->about->machine);
	if (err)
		return error_no_memory(e, "cannot add the node");
	return node_meta_save(m, fd, e);
}
