// SPDX-License-Identifier: GPL-2.0-only
/*
 * skips.c - what the kernel did not run, in calls; see priv.h. Of two
 * programs each has its own count. For one program that sees entries and returns, the
 * kernel counts both together as events:
 *
 *   fsession, and kprobe session up to 6.13: where an entry was skipped, the return is
 *   either run all the same, and finds no start, or skipped too. So
 *       events = skipped entries + returns skipped of those + of others
 *       entries = (events + ends without a start - returns skipped of others) / 2
 *   kprobe session since 6.14: where an entry was skipped, the return is not run.
 *       entries = events - returns skipped of others
 *
 * The others are calls whose return was skipped, but not their entry. They exist only
 * where a task was preempted meanwhile inside the program or, of kprobes, inside a bpf(2)
 * map call, since the calls of an interrupt begin and end inside the interrupt. Such a
 * call has no end. While calls are open, too few entries are counted, never too many.
 */
#include "session/priv.h"

/** struct skips - what was skipped of one node, or of one program of several */
struct skips {
	uint64_t starts; /* starts; calls */
	uint64_t ends; /* ends, of programs that see nothing else */
	/*
	 * events of programs that see both, where the return of a skipped entry is run, or skipped
	 * too
	 */
	uint64_t twice;
	uint64_t once; /* the same, where the return of a skipped entry is not run */
	bool preempted; /* a return may have been skipped though its entry was not */
};

static uint64_t all(struct hook_skips n)
{
	return n.runs + n.hits;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void add(const struct session *s, struct skips *to, const struct plan_way *way,
		const struct session_skips *now, const struct session_skips *begin)
{
	uint64_t runs = now->start.runs - begin->start.runs;
	enum plan_hook_type type = way->start.type;

	to->starts += now->start.hits - begin->start.hits;
	if (!plan_is_session(type)) {
		to->starts += runs;
		to->ends += all(now->end) - all(begin->end);
		return;
	}
	to->preempted |=
		plan_may_skip(s->plan, type) || (s->plan->preempts && plan_is_kprobe(type));
	if (type == PLAN_FSESSION || s->plan->skipped_returns)
		to->twice += runs;
	else
		to->once += runs;
}

/* Returns the calls; @returns receives the returns among the events. */
static uint64_t entries(const struct skips *n, uint64_t unmatched, uint64_t no_end,
			uint64_t *returns)
{
	uint64_t alone = n->preempted ? least(no_end, n->twice + n->once) : 0;
	uint64_t of_once = least(alone, n->once), twice;

	alone -= of_once;
	twice = n->preempted ? n->twice + least(unmatched, n->twice) : n->twice + 1;
	twice = (twice - least(alone, twice)) / 2;
	*returns = n->twice - twice + of_once;
	return twice + n->once - of_once;
}

/* ---- reading ---- */

static void skips_add(struct hook_skips *to, struct hook_skips more)
{
	to->runs += more.runs;
	to->hits += more.hits;
}

int session_hits_read(struct rows *hits, int link_fd, bool settle)
{
	int err = hook_hits_read(hits, link_fd);
	struct rows later = {};

	if (err || link_fd < 0 || !settle)
		return err;
	session_wait_programs();
	err = hook_hits_read(&later, link_fd);
	if (!err)
		hook_hits_least(hits, &later);
	rows_free(&later);
	return err;
}

static void read_hits(struct session *s, bool settle)
{
	int fd = s->hits_link ? bpf_link__fd(s->hits_link) : -1;
	int err = session_hits_read(&s->hits, fd, settle);

	if (err)
		s->hits_err = err;
}

/* After read_hits(). */
static struct session_skips read_probe(const struct session *s, uint32_t probe)
{
	const struct session_probe *sp = &s->probes[probe];
	struct session_skips n = { hook_skips(&sp->start), hook_skips(&sp->end) };
	const struct plan_way *way = session_way(s, probe);

	if (way && plan_is_point(s->plan)) {
		skips_add(&n.start,
			  hook_hits(&s->hits, probe, session_counts_as_end(way->start.type)));
		return n;
	}
	skips_add(&n.start, hook_hits(&s->hits, probe, false));
	skips_add(&n.end, hook_hits(&s->hits, probe, true));
	return n;
}

static struct session_skips read_many(const struct session_many *m)
{
	return (struct session_skips){ hook_skips(&m->hook), hook_skips(&m->end) };
}

void session_skips_read(struct session *s, bool stop)
{
	struct session_probe *sp;
	uint32_t i;

	if (!stop)
		s->hits_err = 0;
	read_hits(s, stop);
	for (i = 0; i < s->plan->n_probes; i++) {
		sp = &s->probes[i];
		*(stop ? &sp->stop : &sp->begin) = read_probe(s, i);
		sp->told = stop ? sp->told : 0;
	}
	for (i = 0; i < s->n_many; i++) {
		*(stop ? &s->many[i].stop : &s->many[i].begin) = read_many(&s->many[i]);
		s->many[i].told = stop ? s->many[i].told : 0;
	}
}

/* ---- telling ---- */

/*
 * The number that is reported never decreases. While calls are open it may be too low, since it
 * is known only after the stop which end was skipped.
 */
static uint64_t tell(const struct session *s, const struct skips *n, uint64_t unmatched,
		     uint64_t no_end, uint64_t *told, uint64_t *ends)
{
	uint64_t returns, calls = n->starts + entries(n, unmatched, no_end, &returns);

	*ends = n->ends + (n->preempted && !s->stopped ? 0 : returns);
	if (calls > *told)
		*told = calls;
	return *told;
}

static void add_probe(const struct session *s, uint32_t probe, struct skips *n)
{
	const struct session_probe *sp = &s->probes[probe];
	struct session_skips now;

	if (sp->way < 0 || sp->many >= 0)
		return;
	now = s->stopped ? sp->stop : read_probe(s, probe);
	add(s, n, &s->plan->probes[probe].ways[sp->way], &now, &sp->begin);
}

static void add_many(const struct session *s, uint32_t many, struct skips *n)
{
	const struct session_many *m = &s->many[many];
	struct session_skips now = s->stopped ? m->stop : read_many(m);
	uint32_t i;

	for (i = 0; i < s->plan->n_probes && s->probes[i].many != (int)many; i++)
		;
	if (i < s->plan->n_probes)
		add(s, n, &s->plan->probes[i].ways[s->probes[i].way], &now, &m->begin);
}

/* The kernel tells whose calls they were only if there is one function, or one node for all. */
static bool is_known(const struct session *s, const struct session_many *m)
{
	return m->n == 1 || s->plan->spec->merge;
}

/* The probes of one node: all of them, or this one. */
static void tell_node(struct session *s, struct snapshot *snap, uint32_t probe)
{
	bool merge = s->plan->spec->merge;
	bool leaves_out = spec_leaves_out(s->plan->spec) || spec_asks_at_entry(s->plan->spec);
	struct session_probe *sp = &s->probes[probe];
	uint64_t *ledger = snap->nodes[s->plan->probes[probe].node].ledger, calls, ends;
	struct skips n = {};
	uint32_t i;

	for (i = merge ? 0 : probe; i < (merge ? s->plan->n_probes : probe + 1); i++)
		add_probe(s, i, &n);
	for (i = 0; i < s->n_many; i++)
		if (is_known(s, &s->many[i]) && (merge || sp->many == (int)i))
			add_many(s, i, &n);
	calls = tell(s, &n, ledger[KSTATS_UNMATCHED], ledger[KSTATS_NO_END], &sp->told, &ends);
	ledger[leaves_out ? KSTATS_SKIPPED_ANYONE : KSTATS_SKIPPED] += calls;
	ledger[KSTATS_SKIPPED_ENDS] += ends;
}

static void tell_many(struct session *s, struct snapshot *snap, uint32_t many)
{
	struct session_many *m = &s->many[many];
	uint64_t unmatched = 0, no_end = 0, calls, ends;
	struct skips n = {};
	uint32_t i;

	if (is_known(s, m))
		return;
	add_many(s, many, &n);
	for (i = 0; i < s->plan->n_probes; i++) {
		if (s->probes[i].many != (int)many)
			continue;
		unmatched += snap->nodes[s->plan->probes[i].node].ledger[KSTATS_UNMATCHED];
		no_end += snap->nodes[s->plan->probes[i].node].ledger[KSTATS_NO_END];
	}
	calls = tell(s, &n, unmatched, no_end, &m->told, &ends);
	for (i = 0; i < s->plan->n_probes; i++)
		if (s->probes[i].many == (int)many)
			snap->nodes[s->plan->probes[i].node].ledger[KSTATS_SKIPPED_SHARED] += calls;
}

int session_skips_tell(struct session *s, struct snapshot *snap)
{
	uint32_t i;

	if (!s->stopped)
		read_hits(s, true);
	for (i = 0; i < (s->plan->spec->merge ? 1 : s->plan->n_probes); i++)
		tell_node(s, snap, i);
	for (i = 0; i < s->n_many; i++)
		tell_many(s, snap, i);
	return s->hits_err;
}
