// SPDX-License-Identifier: GPL-2.0-only
/*
 * hooks.c - hooks every probe by the first of its ways that works. In: a loaded
 * session. Out: hooks. Functions that share a link are collected first, and hooked
 * together at the end. Called by session.c.
 */
#include "session/priv.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hook/probe.h"
#include "hook/returns.h"
#include "util/refusal.h"

/* After so many refused links no smaller ones are tried. */
#define REFUSALS_MAX 64

/* After so many functions, check whether a signal asks to end. */
#define ASK_EACH 64

#define NO_CALLS "the kernel has no calls for session programs"

/* ---- one probe ---- */

static const struct plan_way *next_way(const struct session *s, uint32_t i)
{
	return &s->plan->probes[i].ways[s->probes[i].next];
}

static bool has_next(const struct session *s, uint32_t i)
{
	return s->probes[i].way < 0 && s->probes[i].next < s->plan->probes[i].n_ways;
}

/* Reasons are kept in the order of the ways. */
static void hooks_refuse(struct session_probe *sp, const char *why)
{
	size_t at = strlen(sp->why);

	snprintf(sp->why + at, sizeof(sp->why) - at, "%s%s", at ? "; " : "", why);
	sp->next++;
}

static void hooks_take(struct session_probe *sp)
{
	sp->way = sp->next;
}

/*
 * Global functions belong to pairing by task and by key. Up to 6.7 the kernel verifies them even
 * where the settings leave no call of them.
 */
static struct hook_template template_of(const struct session *s, enum plan_hook_type type,
					enum plan_role role, uint32_t guard)
{
	struct session_code code = session_code(s, type, role);
	bool calls_none = s->plan->spec->pairing == KSTATS_BY_CPU || plan_is_point(s->plan);

	return (struct hook_template){
		.insns = code.insns,
		.n = code.n,
		.funcs = calls_none ? (struct hook_funcs){} : code.funcs,
		.settings = s->skel->maps.rodata,
		.trims = plan_has(s->plan, FACTS_LINKS_REGISTERS),
		.module_btf = s->module_btf,
		.guard = guard,
	};
}

/* A kernel loads or refuses both ends of such a pair: the kind of the start stands for both. */
static enum plan_hook_type hooks_kind_of(enum plan_hook_type type)
{
	switch (type) {
	case PLAN_FEXIT:
		return PLAN_FENTRY;
	case PLAN_KRETPROBE:
		return PLAN_KPROBE;
	case PLAN_URETPROBE:
		return PLAN_UPROBE;
	case PLAN_URETPROBE_MULTI:
		return PLAN_UPROBE_MULTI;
	default:
		return type;
	}
}

/* A kind of which the kernel refuses every program is not tried again. */
static bool hooks_is_refused(const struct session *s, enum plan_hook_type type, char *why,
			     size_t size)
{
	const char *refused = s->refused[hooks_kind_of(type)];

	if (*refused)
		snprintf(why, size, "%s", refused);
	return *refused;
}

/*
 * The kernel may refuse this copy, or every program of its kind. A program of two
 * instructions tells which: if it is refused too, that is the reason, and else it is what
 * the verifier said of the copy.
 */
static void ask_kernel(struct session *s, enum plan_hook_type type)
{
	enum plan_hook_type kind = hooks_kind_of(type);
	char text[256];

	if ((s->loaded | s->asked) & 1U << kind)
		return;
	s->asked |= 1U << kind;
	if (probe_type(kind, text, sizeof(text)))
		snprintf(s->refused[kind], sizeof(s->refused[kind]), "%s refused: %s",
			 plan_types[kind].label, text);
}

/* Takes note of how a copy fared; @text is what the kernel said. */
static int conclude(struct session *s, enum plan_hook_type type, int err, const char *text,
		    char *why, size_t size)
{
	if (!err) {
		s->loaded |= 1U << hooks_kind_of(type);
		return 0;
	}
	if (refusal_is_by_limit(err)) {
		snprintf(why, size, "%s", text);
		return err;
	}
	ask_kernel(s, type);
	if (hooks_is_refused(s, type, why, size))
		return -EPERM;
	snprintf(why, size, "%s refused: %s", plan_types[type].label, text);
	return err;
}

static enum plan_role hooks_role(const struct plan_hook *hook, bool end)
{
	return end && hook->role ? hook->role : end ? PLAN_END : PLAN_START;
}

static int hooks_open_hook(struct session *s, struct hook *made, const struct plan_hook *hook,
			   bool end, uint32_t guard, char *why, size_t size)
{
	struct hook_template template = template_of(s, hook->type, hooks_role(hook, end), guard);
	char text[256] = NO_CALLS;
	int err = -EOPNOTSUPP;

	if (hooks_is_refused(s, hook->type, why, size))
		return -EPERM;
	if (template.insns)
		err = hook_open(made, hook, &template, text, sizeof(text));
	return conclude(s, hook->type, err, text, why, size);
}

static int open_way(struct session *s, struct session_probe *sp, const struct plan_way *way,
		    char *why, size_t size)
{
	uint32_t guard = sp - s->probes;
	int err = 0;

	if (way->start.type == PLAN_DIRECT)
		return session_direct_open(s, guard, why, size);
	if (way->end.type == PLAN_KRETPROBE && !s->returns_cleaned) {
		returns_clean();
		s->returns_cleaned = true;
	}
	if (plan_has_end(s->plan, way))
		err = hooks_open_hook(s, &sp->end, &way->end, true, guard, why, size);
	if (!err && plan_has_start(way))
		err = hooks_open_hook(s, &sp->start, &way->start, false, guard, why, size);
	if (err)
		hook_close(&sp->end);
	return err;
}

/* Tries the ways until one works, or until one shares a link: that is made later. */
static int open_probe(struct session *s, uint32_t i)
{
	struct session_probe *sp = &s->probes[i];
	char why[sizeof(sp->why)];
	int err = -ENOENT;

	while (has_next(s, i) && !plan_shares_link(s->plan, next_way(s, i))) {
		err = open_way(s, sp, next_way(s, i), why, sizeof(why));
		if (!err) {
			hooks_take(sp);
			return 0;
		}
		hooks_refuse(sp, why);
	}
	return err;
}

/* ---- one link for many ---- */

/* The probes that share a link. */
struct queue {
	struct session *s;
	uint32_t *probes;
	const struct plan_hook **starts;
	const struct plan_hook **ends;
	uint32_t n;
	unsigned int refusals;
};

static int open_link(struct session *s, struct hook *made, const struct plan_hook *const *hooks,
		     uint32_t n, bool end, char *why, size_t size)
{
	enum plan_hook_type type = hooks[0]->type;
	struct hook_template template = template_of(s, type, end, session_guard_of(s, s->n_many));
	char text[256] = NO_CALLS;
	int err = -EOPNOTSUPP;

	if (hooks_is_refused(s, type, why, size))
		return -EPERM;
	if (template.insns)
		err = hook_open_many(made, hooks, n, &template, text, sizeof(text));
	return conclude(s, type, err, text, why, size);
}

static int open_many(struct queue *q, uint32_t from, uint32_t n, char *why, size_t size)
{
	bool has_end = !plan_is_session(q->starts[from]->type);
	struct session_many *grown, *many;
	uint32_t i;
	int err = 0;

	grown = realloc(q->s->many, (q->s->n_many + 1) * sizeof(*grown));
	if (!grown) {
		snprintf(why, size, "out of memory");
		return -ENOMEM;
	}
	q->s->many = grown;
	many = &grown[q->s->n_many];
	*many = (struct session_many){ .hook = HOOK_NONE, .end = HOOK_NONE, .n = n };
	if (has_end)
		err = open_link(q->s, &many->end, q->ends + from, n, true, why, size);
	if (!err)
		err = open_link(q->s, &many->hook, q->starts + from, n, false, why, size);
	if (err) {
		hook_close(&many->end);
		return err;
	}
	for (i = from; i < from + n; i++) {
		q->s->probes[q->probes[i]].many = q->s->n_many;
		hooks_take(&q->s->probes[q->probes[i]]);
	}
	q->s->n_many++;
	return 0;
}

/* If one function is refused, the whole link is: halve the list until it is found. */
static int open_part(struct queue *q, uint32_t from, uint32_t n)
{
	char why[320];
	uint32_t i;
	int err, rest;

	err = open_many(q, from, n, why, sizeof(why));
	if (!err)
		return 0;
	if (n > 1 && err != -EPERM && err != -ENOMEM && err != -EOPNOTSUPP &&
	    q->refusals++ < REFUSALS_MAX) {
		err = open_part(q, from, n / 2);
		rest = open_part(q, from + n / 2, n - n / 2);
		return rest ? rest : err;
	}
	for (i = from; i < from + n; i++)
		hooks_refuse(&q->s->probes[q->probes[i]], why);
	return err;
}

static void queue_add(struct queue *q, uint32_t probe)
{
	q->probes[q->n] = probe;
	q->starts[q->n] = &next_way(q->s, probe)->start;
	q->ends[q->n++] = &next_way(q->s, probe)->end;
}

/*
 * A session that hooks several functions pays for all of them at each call inside another. So few
 * functions get a link each.
 */
static int open_parts(struct queue *q)
{
	uint32_t i;
	int err = 0, last;

	if (q->starts[0]->type != PLAN_KPROBE_SESSION || q->s->plan->n_calls > PLAN_MANY)
		return open_part(q, 0, q->n);
	for (i = 0; i < q->n; i++) {
		last = open_part(q, i, 1);
		err = last ? last : err;
	}
	return err;
}

static int open_queue(struct session *s, int last)
{
	const struct plan_way *first = NULL;
	struct queue q = { .s = s };
	int err = -ENOMEM;
	uint32_t i;

	q.probes = calloc(s->plan->n_probes, sizeof(*q.probes));
	q.starts = calloc(s->plan->n_probes, sizeof(*q.starts));
	q.ends = calloc(s->plan->n_probes, sizeof(*q.ends));
	if (!q.probes || !q.starts || !q.ends)
		goto out;
	/* Those that have other links come in the next round. */
	for (i = 0; i < s->plan->n_probes; i++) {
		if (!has_next(s, i))
			continue;
		first = first ? first : next_way(s, i);
		if (plan_with(first, next_way(s, i)))
			queue_add(&q, i);
	}
	err = q.n ? open_parts(&q) : last;
out:
	free(q.probes);
	free(q.starts);
	free(q.ends);
	return err;
}

/* ---- all ---- */

/* Signals are blocked until the measurement begins, and thousands of functions take long. */
static bool is_interrupted(uint32_t i)
{
	sigset_t set;

	return i % ASK_EACH == ASK_EACH - 1 && !sigpending(&set) &&
	       (sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) ||
		sigismember(&set, SIGHUP));
}

static uint32_t open_round(struct session *s, int *err)
{
	uint32_t i, left = 0;
	int last;

	for (i = 0; i < s->plan->n_probes; i++) {
		if (is_interrupted(i)) {
			*err = -EINTR;
			return 0;
		}
		if (!has_next(s, i))
			continue;
		last = open_probe(s, i);
		if (last)
			*err = last;
		left += has_next(s, i);
	}
	if (left)
		*err = open_queue(s, *err);
	return left;
}

static int check_place(const struct plan_places *p, struct error *e)
{
	char why[384];

	if (!user_file_moved(p->path, &p->file, why, sizeof(why)))
		return 0;
	return error_set(e, EXIT_KERNEL, -ESTALE, why, "begin again", "cannot trace programs");
}

/*
 * Places are of the file that was read, and the kernel takes the one that is there when they are
 * hooked. In another file they may be inside instructions.
 */
static int check_files(const struct session *s, struct error *e)
{
	const struct plan_way *way;
	const char *last = "";
	uint32_t i, end;
	int err = 0;

	for (i = 0; i < s->plan->n_probes; i++) {
		way = session_way(s, i);
		for (end = 0; way && !err && end < 2; end++) {
			const struct plan_places *p = end ? &way->end.places : &way->start.places;

			if (!p->path || !strcmp(p->path, last))
				continue;
			last = p->path;
			err = check_place(p, e);
		}
	}
	return err;
}

/* A pair that lacks one of its points would be another one. */
static int several_failed(const struct session *s, uint32_t i, int err, struct error *e)
{
	const struct plan_way *way = &s->plan->probes[i].ways[0];

	return error_set(e, EXIT_KERNEL, err, s->probes[i].why, "see 'kstats-bpf doctor'",
			 "cannot trace '%s'",
			 plan_has_start(way) ? way->start.name : way->end.name);
}

int session_hook(struct session *s, struct error *e)
{
	const struct plan *plan = s->plan;
	uint32_t i;
	int err = 0;

	s->probes = calloc(plan->n_probes, sizeof(*s->probes));
	if (!s->probes)
		return error_no_memory(e, "cannot attach");
	for (i = 0; i < plan->n_probes; i++) {
		s->probes[i].way = -1;
		s->probes[i].many = -1;
		s->probes[i].start = HOOK_NONE;
		s->probes[i].end = HOOK_NONE;
	}
	while (open_round(s, &err))
		;
	if (err == -EINTR)
		return error_set(e, EXIT_LEDGER, err, "it was interrupted", NULL,
				 "nothing measured, not all functions were attached");
	for (i = 0; i < plan->n_probes && s->probes[i].way >= 0; i++)
		;
	if (i < plan->n_probes && plan->is_several)
		return several_failed(s, i, err, e);
	for (i = 0; i < plan->n_probes; i++)
		if (s->probes[i].way >= 0)
			return check_files(s, e);
	return error_set(e, EXIT_KERNEL, err, s->probes[0].why, "see 'kstats-bpf doctor'",
			 "cannot trace '%s'", plan->nodes[plan->probes[0].node].name);
}

/* ---- the module ---- */

static bool is_loadable(struct session *s, uint32_t i, const struct plan_hook *hook, bool end,
			char *why, size_t size)
{
	struct hook_template template = template_of(s, hook->type, hooks_role(hook, end), i);
	unsigned int bit = 1U << hooks_kind_of(hook->type);
	char text[256];
	int fd;

	if (!(plan_is_kprobe(hook->type) || plan_is_user(hook->type)) || !template.insns ||
	    s->loaded & bit || hooks_is_refused(s, hook->type, why, size))
		return true;
	fd = hook_copy(hook, &template, text, sizeof(text));
	if (fd < 0) {
		snprintf(why, size, "%s refused: %s", plan_types[hook->type].label, text);
		return false;
	}
	close(fd);
	s->loaded |= bit;
	return true;
}

bool session_lacks_module(struct session *s, char *why, size_t size)
{
	const struct plan_probe *probe;
	uint32_t i, w;

	for (i = 0; s->probes && i < s->plan->n_probes; i++) {
		probe = &s->plan->probes[i];
		for (w = 0; s->probes[i].way < 0 && w < probe->n_ways; w++)
			if (!is_loadable(s, i, &probe->ways[w].end, true, why, size) ||
			    !is_loadable(s, i, &probe->ways[w].start, false, why, size))
				return true;
	}
	return false;
}

void session_unhook(struct session *s)
{
	uint32_t i;

	session_callees_unhook(s);
	/* Else the functions would be taken until the nodes have gone, some moments later. */
	if (!s->plan->spec->stays)
		session_direct_detach(s);
	for (i = 0; s->probes && i < s->plan->n_probes; i++) {
		hook_close(&s->probes[i].start);
		hook_close(&s->probes[i].end);
	}
	for (i = 0; i < s->n_many; i++) {
		hook_close(&s->many[i].hook);
		hook_close(&s->many[i].end);
	}
	free(s->many);
	free(s->probes);
	s->many = NULL;
	s->n_many = 0;
	s->probes = NULL;
}

bool session_keeps_stamps(const struct session *s)
{
	const struct session_probe *sp;
	uint32_t i;

	for (i = 0; i < s->plan->n_probes; i++) {
		sp = &s->probes[i];
		if (sp->way >= 0 && !plan_keeps_start(s->plan->probes[i].ways[sp->way].start.type))
			return s->plan->spec->pairing == KSTATS_BY_TASK;
	}
	return false;
}

/* ---- off and on again ---- */

void session_detach(struct session *s)
{
	uint32_t i;

	for (i = 0; i < s->plan->n_probes; i++) {
		hook_detach(&s->probes[i].start);
		hook_detach(&s->probes[i].end);
	}
	for (i = 0; i < s->n_many; i++) {
		hook_detach(&s->many[i].hook);
		hook_detach(&s->many[i].end);
	}
	session_direct_detach(s);
}

static int link_many(struct session *s, int many, bool end, char *why, size_t size)
{
	struct hook *h = end ? &s->many[many].end : &s->many[many].hook;
	const struct plan_hook **hooks;
	uint32_t i, n = 0;
	int fd;

	if (h->prog_fd < 0)
		return 0;
	hooks = calloc(s->many[many].n, sizeof(*hooks));
	if (!hooks)
		return -ENOMEM;
	for (i = 0; i < s->plan->n_probes; i++)
		if (s->probes[i].many == many)
			hooks[n++] = end ? &session_way(s, i)->end : &session_way(s, i)->start;
	fd = hook_link_many(h->prog_fd, hooks, n, why, size);
	free(hooks);
	if (fd < 0)
		return fd;
	h->link_fd = fd;
	return 0;
}

/* The end is attached first, so that no start lacks its end. */
int session_attach(struct session *s, struct error *e)
{
	const struct plan_way *way;
	struct session_probe *sp;
	char why[256] = "";
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < s->plan->n_probes; i++) {
		way = session_way(s, i);
		sp = &s->probes[i];
		if (way && sp->end.prog_fd >= 0)
			err = hook_attach(&sp->end, &way->end, why, sizeof(why));
		if (way && !err && sp->start.prog_fd >= 0)
			err = hook_attach(&sp->start, &way->start, why, sizeof(why));
	}
	for (i = 0; !err && i < s->n_many; i++) {
		err = link_many(s, i, true, why, sizeof(why));
		if (!err)
			err = link_many(s, i, false, why, sizeof(why));
	}
	if (!err)
		err = session_direct_attach(s, why, sizeof(why));
	if (!err)
		return 0;
	return error_set(e, EXIT_KERNEL, err, why, NULL, "cannot attach again");
}
