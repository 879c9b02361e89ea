// SPDX-License-Identifier: GPL-2.0-only
/* about.c - the description of a node that is not of functions. See priv.h. */
#include "node/priv.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

static struct snapshot *make_about(const struct node_about *what)
{
	struct snapshot *s = snapshot_new(what->bits, what->n_cpus, 1);
	struct snapshot_node *node;
	struct utsname uts;

	if (!s)
		return NULL;
	uname(&uts);
	node = &s->nodes[0];
	s->program = strdup(KSTATS_VERSION);
	s->kernel = strdup(uts.release);
	s->backend = strdup(what->backend);
	s->backend_reason = strdup("");
	s->pairing = strdup(what->pairing);
	s->filters = strdup("");
	s->command = strdup("");
	if (what->unit)
		snprintf(s->unit, sizeof(s->unit), "%s", what->unit);
	node->name = strdup(what->name);
	node->what = strdup(what->what);
	node->method = strdup(what->method);
	node->reason = strdup("asked for");
	if (s->program && s->kernel && s->backend && s->backend_reason && s->pairing &&
	    s->filters && s->command && node->name && node->what && node->method && node->reason)
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
