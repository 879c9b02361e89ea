// SPDX-License-Identifier: GPL-2.0-only
#include "measure/counting.h"

#include <errno.h>
#include <unistd.h>

#include "measure/caller.h"

/* The command's programs may count, and so may all others of that user. */
static int counting_open_markers(struct counting *s, const struct plan *plan, struct error *e)
{
	struct caller caller = {};
	int err = plan->spec->as_root ? 0 : caller_find(&caller, e);

	/* Without a command it is enough that root's programs count. */
	if (err && plan->spec->command)
		return err;
	if (err)
		caller = (struct caller){};
	s->markers = markers_open(plan, caller.other ? caller.uid : geteuid(), e);
	return s->markers ? 0 : -EOPNOTSUPP;
}

int counting_open(struct counting *s, const struct plan *plan, struct error *e)
{
	if (spec_has_markers(plan->spec))
		return counting_open_markers(s, plan, e);
	s->session = session_open(plan, e);
	return s->session ? 0 : -EOPNOTSUPP;
}

int counting_again(struct counting *s, const struct plan *plan, struct error *e)
{
	return s->markers ? markers_again(s->markers, plan, e) : session_again(s->session, plan, e);
}

int counting_start(struct counting *s, struct error *e)
{
	if (s->markers)
		return markers_start(s->markers, e);
	session_start(s->session);
	return 0;
}

void counting_stop(struct counting *s)
{
	if (s->markers)
		markers_stop(s->markers);
	else
		session_stop(s->session);
}

struct snapshot *counting_about(const struct counting *s, struct error *e)
{
	return s->markers ? markers_about(s->markers, e) : session_about(s->session, e);
}

struct snapshot *counting_snapshot(struct counting *s, struct error *e)
{
	return s->markers ? markers_snapshot(s->markers, e) : session_snapshot(s->session, e);
}

void counting_close(struct counting *s)
{
	markers_close(s->markers);
	session_close(s->session);
	*s = (struct counting){};
}
