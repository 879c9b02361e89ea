// SPDX-License-Identifier: GPL-2.0-only
/* source.c - what rows are read from: a session or a node. */
#include "top/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/outfile.h"

/* ---- life ---- */

int source_open(struct top *t, struct top_source *s)
{
	if (s->refused.err || s->is_node)
		return s->refused.err;
	s->session = session_open(&s->plan, &s->refused);
	if (!s->session)
		return s->refused.err ?: -EOPNOTSUPP;
	session_start(s->session);
	return 0;
}

int source_left_out(struct top *t, unsigned int i)
{
	const struct top_source *s = &t->sources[i];
	struct screen_refused row = { .source = i, .what = s->words };
	unsigned int n;
	int err = 0;

	if (s->refused.err) {
		row.name = s->name;
		row.why = *s->refused.why ? s->refused.why : s->refused.what;
		return screen_refuse(&t->screen, &row);
	}
	for (n = 0; !err && s->session; n++) {
		row.name = session_left_out(s->session, n, &row.why);
		if (!row.name)
			break;
		err = screen_refuse(&t->screen, &row);
	}
	return err;
}

static void source_forget(struct top_source *s)
{
	recording_free(s->rec);
	snapshot_free(s->rec_base);
	s->rec = NULL;
	s->rec_base = NULL;
}

void source_close(struct top_source *s)
{
	session_close(s->session);
	snapshot_free(s->now);
	snapshot_free(s->base);
	source_forget(s);
	plan_free(&s->plan);
	spec_free(&s->spec);
	free(s->name);
	free(s->words);
}

/* ---- intervals ---- */

static struct snapshot *source_read_node(struct top *t, const struct top_source *s, struct error *e)
{
	struct node *node = node_open(&t->root, s->name, NODE_READ, e);
	struct recording *rec = NULL;
	struct snapshot *whole = NULL;

	if (node && node_is_kmem(node))
		error_set(e, EXIT_USAGE, -EINVAL, "it is of memory events",
			  "see 'kstats-bpf node show'", "cannot show '%s'", s->name);
	else if (node)
		rec = node_read(node, e);
	node_close(node);
	if (!rec)
		return NULL;
	whole = rec->whole;
	rec->whole = NULL;
	recording_free(rec);
	return whole;
}

static struct snapshot *source_read(struct top *t, const struct top_source *s, struct error *e)
{
	return s->session ? session_snapshot(s->session, e) : source_read_node(t, s, e);
}

/* What came since @base. All of it where that is NULL, or where a node was reset since. */
static struct snapshot *source_since(const struct snapshot *now, const struct snapshot *base)
{
	if (!base || base->span.wall_ns != now->span.wall_ns || base->n_nodes != now->n_nodes)
		return snapshot_copy(now);
	return snapshot_subtract(now, base, NULL);
}

static int source_feed(struct top *t, unsigned int i, const struct snapshot *period)
{
	struct snapshot *total = snapshot_total(period);
	int err = total ? screen_feed(&t->screen, i, total) : -ENOMEM;

	snapshot_free(total);
	return err;
}

/* A node that is read the first time has counted since it was made: only what follows is shown. */
static int source_first(struct top_source *s, struct snapshot *now)
{
	s->now = now;
	s->base = snapshot_copy(now);
	return s->base ? 0 : -ENOMEM;
}

/* @now: handed over */
static int source_take(struct top *t, unsigned int i, struct snapshot *now)
{
	struct top_source *s = &t->sources[i];
	struct snapshot *period;
	int err;

	if (s->is_node && !s->now)
		return source_first(s, now);
	period = source_since(now, s->now);
	err = period ? source_feed(t, i, period) : -ENOMEM;
	if (!err && s->rec)
		err = recording_add_period(s->rec, period);
	snapshot_free(period);
	snapshot_free(s->now);
	s->now = now;
	return err;
}

int source_tick(struct top *t, unsigned int i, struct error *e)
{
	struct top_source *s = &t->sources[i];
	struct snapshot *now;
	int err;

	if (s->refused.err)
		return 0;
	now = source_read(t, s, &s->refused);
	if (!now && s->is_node) /* it was removed, or another kind has its name */
		return source_left_out(t, i) ? error_no_memory(e, "cannot show '%s'", s->name) : 0;
	if (!now) {
		*e = s->refused;
		return -EIO;
	}
	err = source_take(t, i, now);
	return err ? error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot show '%s'", s->name) : 0;
}

int source_reset(struct top_source *s, struct error *e)
{
	if (!s->now)
		return 0;
	snapshot_free(s->base);
	s->base = snapshot_copy(s->now);
	return s->base ? 0 : error_no_memory(e, "cannot show '%s'", s->name);
}

struct snapshot *source_view(const struct top_source *s)
{
	struct snapshot *view = s->now ? source_since(s->now, s->base) : NULL;
	struct snapshot *total = view ? snapshot_total(view) : NULL;

	snapshot_free(view);
	return total;
}

/* ---- recording ---- */

int source_record(struct top *t, struct top_source *s, struct error *e)
{
	int err = 0;

	s->rec = recording_new(NULL);
	if (!s->rec || facts_machine(t->facts, &s->rec->machine))
		err = -ENOMEM;
	if (!err && tags_copy(&s->rec->tags, t->tags, e))
		err = -ENOMEM;
	if (!err && s->now) {
		s->rec_base = snapshot_copy(s->now);
		err = s->rec_base ? 0 : -ENOMEM;
	}
	if (!err)
		return 0;
	source_forget(s);
	return error_no_memory(e, "cannot record '%s'", s->name);
}

static int source_write(const struct recording *rec, const char *path, struct error *e)
{
	struct outfile file = {};
	int err = outfile_open(&file, path, e);

	if (!err)
		err = recording_save(rec, file.stream, e);
	if (!err)
		err = outfile_commit(&file, e);
	outfile_abort(&file);
	return err;
}

int source_save(struct top *t, struct top_source *s, const char *path, struct error *e)
{
	struct snapshot *whole = s->now ? source_since(s->now, s->rec_base) : NULL;
	int err;

	if (!whole) {
		source_forget(s);
		return error_set(e, EXIT_KERNEL, -ENODATA, "nothing was read yet", NULL,
				 "cannot record '%s'", s->name);
	}
	s->rec->whole = whole;
	recording_drop_unused(s->rec);
	if (recording_set_costs(s->rec, whole, t->costs))
		err = error_no_memory(e, "cannot record '%s'", s->name);
	else
		err = source_write(s->rec, path, e);
	source_forget(s);
	return err;
}
