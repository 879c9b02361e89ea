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
#include "result/ledger.h"

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
	uint64_t pairs; /* those of @starts whose ends are counted in @ends */
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

static void session_skips_add(const struct session *s, struct skips *to, const struct plan_way *way,
			      const struct session_skips *now, const struct session_skips *begin)
{
	uint64_t runs = now->start.runs - begin->start.runs;
	enum plan_hook_type type = way->start.type;

	to->starts += now->start.hits - begin->start.hits;
	if (!plan_is_session(type)) {
		to->starts += runs;
		to->pairs += all(now->start) - all(begin->start);
		to->ends += all(now->end) - all(begin->end);
		return;
	}
	to->preempted |=
		plan_may_skip(s->plan, type) || (s->plan->preempts && plan_is_kprobe(type));
	if (type == PLAN_FSESSION || plan_has(s->plan, FACTS_RUNS_SKIPPED_RETURN))
		to->twice += runs;
	else
		to->once += runs;
}

/** struct told - the same in calls */
struct told {
	uint64_t calls; /* whose start was skipped */
	uint64_t ends; /* ends that were skipped */
	uint64_t lost; /* those of @ends that belong to calls that had started; rather too many */
};

/* What one program saw of both. */
static struct told entries(const struct skips *n, uint64_t unmatched, uint64_t no_end)
{
	struct told told;
	uint64_t alone = n->preempted ? least(no_end, n->twice + n->once) : 0;
	uint64_t of_once = least(alone, n->once), twice;

	alone -= of_once;
	twice = n->preempted ? n->twice + least(unmatched, n->twice) : n->twice + 1;
	twice = (twice - least(alone, twice)) / 2;
	told.lost = n->preempted ? least(no_end, n->twice + n->once) : 0;
	told.ends = n->twice - twice + of_once;
	told.calls = twice + n->once - of_once;
	return told;
}

/* What programs of ends saw. @whose_known: else the starts may be those of tasks left out. */
static struct told pairs(const struct skips *n, uint64_t unmatched, bool whose_known)
{
	const uint64_t ledger[KSTATS_LEDGER_N] = {
		[KSTATS_UNMATCHED] = unmatched,
		[KSTATS_SKIPPED] = whose_known ? n->pairs : 0,
		[KSTATS_SKIPPED_ENDS] = n->ends,
	};

	return (struct told){ n->starts, n->ends, ledger_ends_lost(ledger) };
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
static struct told skips_tell(const struct session *s, const struct skips *n,
			      const uint64_t *ledger, bool whose_known, uint64_t *told)
{
	struct told one = entries(n, ledger[KSTATS_UNMATCHED], ledger[KSTATS_NO_END]);
	struct told two = pairs(n, ledger[KSTATS_UNMATCHED], whose_known);
	bool early = n->preempted && !s->stopped;

	two.calls += one.calls;
	two.ends += early ? 0 : one.ends;
	two.lost += early ? 0 : one.lost;
	if (two.calls > *told)
		*told = two.calls;
	two.calls = *told;
	return two;
}

static void add_probe(const struct session *s, uint32_t probe, struct skips *n)
{
	const struct session_probe *sp = &s->probes[probe];
	struct session_skips now;

	if (sp->way < 0 || sp->many >= 0)
		return;
	now = s->stopped ? sp->stop : read_probe(s, probe);
	session_skips_add(s, n, &s->plan->probes[probe].ways[sp->way], &now, &sp->begin);
}

static void add_many(const struct session *s, uint32_t many, struct skips *n)
{
	const struct session_many *m = &s->many[many];
	struct session_skips now = s->stopped ? m->stop : read_many(m);
	uint32_t i;

	for (i = 0; i < s->plan->n_probes && s->probes[i].many != (int)many; i++)
		;
	if (i < s->plan->n_probes)
		session_skips_add(s, n, &s->plan->probes[i].ways[s->probes[i].way], &now,
				  &m->begin);
}

/* The kernel tells whose calls they were only if there is one function, or one node for all. */
static bool is_known(const struct session *s, const struct session_many *m)
{
	return m->n == 1 || plan_one_node(s->plan);
}

static bool leaves_tasks_out(const struct session *s)
{
	const struct spec_point *p;

	for (p = &s->plan->spec->start; p; p = p->next)
		if (p->condition)
			return true;
	return spec_leaves_out(s->plan->spec) || spec_asks_at_entry(s->plan->spec);
}

/* The probes of one node: all of them, or this one. */
static void tell_node(struct session *s, struct snapshot *snap, uint32_t probe)
{
	bool merge = plan_one_node(s->plan);
	bool leaves_out = leaves_tasks_out(s);
	struct session_probe *sp = &s->probes[probe];
	uint64_t *ledger = snap->nodes[s->plan->probes[probe].node].ledger;
	struct skips n = {};
	struct told told;
	uint32_t i;

	for (i = merge ? 0 : probe; i < (merge ? s->plan->n_probes : probe + 1); i++)
		add_probe(s, i, &n);
	for (i = 0; i < s->n_many; i++)
		if (is_known(s, &s->many[i]) && (merge || sp->many == (int)i))
			add_many(s, i, &n);
	told = skips_tell(s, &n, ledger, !leaves_out, &sp->told);
	ledger[leaves_out ? KSTATS_SKIPPED_ANYONE : KSTATS_SKIPPED] += told.calls;
	ledger[KSTATS_SKIPPED_ENDS] += told.ends;
	/* Of tasks left out nobody knows how many: see ledger_may_be_lost(). */
	ledger[KSTATS_ENDS_LOST] += leaves_out ? 0 : told.lost;
}

/* Any of the ends may be of any of the functions: each gets its part, so the total is right. */
static void share_lost(struct session *s, struct snapshot *snap, uint32_t many, uint64_t lost)
{
	uint64_t no_end = 0, *ledger;
	uint32_t i;

	for (i = 0; i < s->plan->n_probes; i++)
		if (s->probes[i].many == (int)many)
			no_end += ledger_no_end(snap->nodes[s->plan->probes[i].node].ledger);
	for (i = 0; i < s->plan->n_probes; i++) {
		if (s->probes[i].many != (int)many)
			continue;
		ledger = snap->nodes[s->plan->probes[i].node].ledger;
		ledger[KSTATS_ENDS_LOST] += ledger_share(&lost, &no_end, ledger_no_end(ledger));
	}
}

static void tell_many(struct session *s, struct snapshot *snap, uint32_t many)
{
	struct session_many *m = &s->many[many];
	uint64_t seen[KSTATS_LEDGER_N] = {}, *ledger;
	struct skips n = {};
	struct told told;
	uint32_t i;

	if (is_known(s, m))
		return;
	add_many(s, many, &n);
	for (i = 0; i < s->plan->n_probes; i++) {
		if (s->probes[i].many != (int)many)
			continue;
		ledger = snap->nodes[s->plan->probes[i].node].ledger;
		seen[KSTATS_UNMATCHED] += ledger[KSTATS_UNMATCHED];
		seen[KSTATS_NO_END] += ledger[KSTATS_NO_END];
	}
	told = skips_tell(s, &n, seen, true, &m->told);
	for (i = 0; i < s->plan->n_probes; i++) {
		if (s->probes[i].many != (int)many)
			continue;
		ledger = snap->nodes[s->plan->probes[i].node].ledger;
		ledger[KSTATS_SKIPPED_SHARED] += told.calls;
		ledger[KSTATS_SKIPPED_ENDS] += leaves_tasks_out(s) ? told.ends : 0;
	}
	if (!leaves_tasks_out(s))
		share_lost(s, snap, many, told.lost);
}

/* ---- nested too deep ---- */

static bool by_session(const struct session *s, uint32_t i)
{
	const struct plan_way *way = session_way(s, i);

	return way && way->start.type == PLAN_KPROBE_SESSION;
}

/* The filters knew the tasks that have ended; of the others nobody knows which are measured. */
static bool tells_apart(const struct session *s, uint32_t n)
{
	const struct spec *spec = s->plan->spec;

	return spec_leaves_out(spec) && !spec_asks_at_entry(spec) &&
	       (n == 1 || plan_one_node(s->plan));
}

static void tell_deep_of(const struct session *s, uint64_t *ledger, bool shared)
{
	const struct spec *spec = s->plan->spec;
	const struct session_deep *n = &s->deep_told;
	enum kstats_ledger ended =
		spec_asks_at_entry(spec) ? KSTATS_SKIPPED_ANYONE : KSTATS_SKIPPED;
	enum kstats_ledger alive = spec_leaves_out(spec) ? KSTATS_SKIPPED_ANYONE : ended;

	ledger[shared ? KSTATS_SKIPPED_SHARED : ended] += n->ended;
	ledger[shared ? KSTATS_SKIPPED_SHARED : alive] += n->alive;
}

static int tell_deep(struct session *s, struct snapshot *snap)
{
	struct session_deep now = s->deep_stop;
	uint32_t i, n = 0, first = 0;
	int err = s->stopped ? s->deep_err : session_deep_read(s, &now);

	for (i = s->plan->n_probes; i > 0; i--) {
		n += by_session(s, i - 1);
		first = by_session(s, i - 1) ? i - 1 : first;
	}
	if (!n)
		return err;
	session_deep_told(&s->deep_told, now, tells_apart(s, n));
	for (i = first; i < (plan_one_node(s->plan) ? first + 1 : s->plan->n_probes); i++)
		if (by_session(s, i))
			tell_deep_of(s, snap->nodes[s->plan->probes[i].node].ledger,
				     n > 1 && !plan_one_node(s->plan));
	return err;
}

int session_skips_tell(struct session *s, struct snapshot *snap)
{
	uint32_t i;
	int err;

	if (!s->stopped)
		read_hits(s, true);
	for (i = 0; i < (plan_one_node(s->plan) ? 1 : s->plan->n_probes); i++)
		tell_node(s, snap, i);
	for (i = 0; i < s->n_many; i++)
		tell_many(s, snap, i);
	err = tell_deep(s, snap);
	return s->hits_err ? s->hits_err : err;
}
