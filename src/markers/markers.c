// SPDX-License-Identifier: GPL-2.0-only
/* markers.c - the markers of one measurement. */
#include "markers/markers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kstats_user_abi.h"
#include "util/clock.h"
#include "util/users.h"

/** struct markers_one - one of them */
struct markers_one {
	struct marker marker;
	struct user_maps maps;
	int claim; /* by pin_user_claim(), or -1 */
};

struct markers {
	const struct plan *plan; /* not owned */
	char *who; /* owned; whose programs may count, in words; "": all */
	uint32_t n; /* number of @of */
	struct markers_one *of; /* owned */
	bool running;
	bool stopped;
	uint64_t wall_ns;
	uint64_t begin_ns;
	uint64_t end_ns;
};

static int cannot_measure(const struct marker *m, int err, const char *why, const char *next,
			  struct error *e)
{
	return error_set(e, err == -ENOMEM ? EXIT_KERNEL : EXIT_USAGE, err, why, next,
			 "cannot measure the markers '%s'", m->name);
}

/* ---- life ---- */

static char *say_who(const struct spec *spec, uid_t owner)
{
	struct users_user user;
	char *text = NULL;
	int err;

	if (spec->all || !owner)
		return strdup(spec->all ? "" : "programs of root");
	err = users_find(owner, &user);
	if (err)
		err = asprintf(&text, "programs of user %u and of root", owner) < 0 ? -ENOMEM : 0;
	else
		err = asprintf(&text, "programs of %s and of root", user.name) < 0 ? -ENOMEM : 0;
	if (err)
		text = NULL;
	users_free(&user);
	return text;
}

/* Its name is claimed for as long as this process lives: what a killed one left can be told. */
static int markers_publish(struct markers_one *o, int folder, struct error *e)
{
	int err;

	o->claim = pin_user_claim(folder, o->marker.name);
	if (o->claim == -EWOULDBLOCK)
		return cannot_measure(&o->marker, o->claim, "another process measures them now",
				      "wait until it ends, or add a node: 'kstats-bpf node add "
				      "--user'",
				      e);
	if (o->claim == -EEXIST)
		return cannot_measure(&o->marker, o->claim, "a node has them",
				      "see 'kstats-bpf node show', or remove the node", e);
	err = o->claim < 0 ? o->claim : marker_publish(&o->marker, folder);
	return err ? cannot_measure(&o->marker, err, NULL, NULL, e) : 0;
}

static int markers_make(struct markers *m, uid_t owner, struct error *e)
{
	const struct spec *spec = m->plan->spec;
	int folder = pin_user_open(KSTATS_USER_FOLDER, true, e), err = 0;
	struct markers_one *o;

	if (folder < 0)
		return folder;
	marker_sweep(folder);
	for (o = m->of; !err && o < m->of + m->n; o++) {
		o->marker = (struct marker){
			.name = spec->targets[o - m->of].name,
			.folder = KSTATS_USER_FOLDER,
			.access = { spec->all ? 0666 : 0600, owner, -1 },
			.maps = &o->maps,
		};
		err = user_maps_make(&o->maps, spec->bits, e);
		if (!err)
			err = markers_publish(o, folder, e);
	}
	close(folder);
	return err;
}

struct markers *markers_open(const struct plan *plan, uid_t owner, struct error *e)
{
	struct markers *m = calloc(1, sizeof(*m));
	uint32_t i;

	if (m) {
		m->plan = plan;
		m->who = say_who(plan->spec, owner);
		m->of = calloc(plan->n_nodes, sizeof(*m->of));
	}
	if (!m || !m->who || !m->of) {
		error_no_memory(e, "cannot measure markers");
		markers_close(m);
		return NULL;
	}
	m->n = plan->n_nodes;
	for (i = 0; i < m->n; i++) {
		m->of[i].maps = USER_NO_MAPS;
		m->of[i].claim = -1;
	}
	if (!markers_make(m, owner, e))
		return m;
	markers_close(m);
	return NULL;
}

int markers_again(struct markers *m, const struct plan *plan, struct error *e)
{
	struct markers_one *o;
	int err;

	m->plan = plan;
	m->stopped = false;
	for (o = m->of; o < m->of + m->n; o++) {
		if (user_is_frozen(&o->maps))
			return cannot_measure(&o->marker, -EPERM, MARKER_FROZEN,
					      "let only programs count that you trust", e);
		err = user_reset(&o->maps);
		if (err)
			return cannot_measure(&o->marker, err, NULL, NULL, e);
	}
	return 0;
}

void markers_close(struct markers *m)
{
	struct markers_one *o;
	int folder;

	if (!m)
		return;
	markers_stop(m);
	folder = m->n ? pin_user_open(KSTATS_USER_FOLDER, false, NULL) : -1;
	for (o = m->of; o < m->of + m->n; o++) {
		/* Without a claim it was not published. */
		if (o->claim >= 0) {
			marker_end(&o->marker);
			pin_user_unclaim(folder, o->marker.name, o->claim);
		}
		user_maps_close(&o->maps);
	}
	if (folder >= 0) {
		marker_announce(folder);
		close(folder);
	}
	free(m->of);
	free(m->who);
	free(m);
}

/* ---- running ---- */

int markers_start(struct markers *m, struct error *e)
{
	int folder = pin_user_open(KSTATS_USER_FOLDER, false, e), err = 0;
	struct markers_one *o;

	if (folder < 0)
		return folder;
	m->running = true;
	m->wall_ns = clock_ns(CLOCK_REALTIME);
	m->begin_ns = clock_ns(CLOCK_MONOTONIC);
	for (o = m->of; !err && o < m->of + m->n; o++) {
		err = marker_record(&o->marker, folder, m->begin_ns);
		if (err)
			cannot_measure(&o->marker, err, NULL, NULL, e);
	}
	close(folder);
	return err;
}

void markers_stop(struct markers *m)
{
	struct markers_one *o;

	if (!m->running)
		return;
	m->running = false;
	for (o = m->of; o < m->of + m->n; o++)
		marker_halt(&o->marker);
	m->end_ns = clock_ns(CLOCK_MONOTONIC);
	m->stopped = true;
}

/* ---- what was counted ---- */

static int markers_describe(const struct markers *m, struct snapshot *s)
{
	char *command = spec_command_text(m->plan->spec);
	struct utsname uts;
	uint32_t i;
	int err = command ? 0 : -ENOMEM;

	uname(&uts);
	if (!err)
		err = snapshot_set_words(s, &(struct snapshot_words){ .kernel = uts.release,
								      .backend = MARKERS_BACKEND,
								      .pairing = MARKERS_PAIRING,
								      .filters = m->who,
								      .command = command });
	free(command);
	strcpy(s->unit, m->plan->spec->value_unit);
	s->span.wall_ns = m->wall_ns;
	s->span.begin_ns = m->begin_ns;
	s->span.end_ns = m->stopped ? m->end_ns : clock_ns(CLOCK_MONOTONIC);
	s->span.final = m->stopped;
	for (i = 0; !err && i < m->n; i++)
		err = snapshot_set_node_words(
			&s->nodes[i], &(struct snapshot_node_words){ .name = m->plan->nodes[i].name,
								     .what = m->plan->nodes[i].what,
								     .method = MARKERS_METHOD,
								     .reason = "asked for" });
	return err;
}

struct snapshot *markers_about(const struct markers *m, struct error *e)
{
	struct snapshot *s = snapshot_new(m->plan->spec->bits, m->of[0].maps.n_cpus, m->n);

	if (s && !markers_describe(m, s))
		return s;
	error_no_memory(e, "cannot read what programs counted");
	snapshot_free(s);
	return NULL;
}

struct snapshot *markers_snapshot(struct markers *m, struct error *e)
{
	struct snapshot *s = markers_about(m, e);
	int err = 0;
	uint32_t i;

	for (i = 0; s && !err && i < m->n; i++) {
		err = marker_read(&m->of[i].marker, s, &s->nodes[i]);
		if (err)
			cannot_measure(&m->of[i].marker, err, NULL, NULL, e);
	}
	if (s && !err)
		return s;
	snapshot_free(s);
	return NULL;
}
