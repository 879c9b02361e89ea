// SPDX-License-Identifier: GPL-2.0-only
/* collect.c - records are read, and the threshold follows the distribution. */
#include "measure/priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/dist.h"
#include "util/clock.h"

#define LOOK_NS 100000000 /* the threshold moves so often at most */
#define LOOK_SHARE 100 /* reading the distribution takes one part in so many of the time */
#define LEARN_SLOW 10 /* slow calls after which the threshold is good enough to count */
#define BASE_SHARE 4 /* counting begins so far below the threshold */
#define MAY_SHARE 3 / 2 /* so many times as many leave a record, as the threshold may fall */
#define CALLS_MOST 20000 /* that are kept */
#define CHOOSE_NS 500000000 /* the chance of ordinary calls stays for so long */
#define CHOOSE_LEAST 4 /* or until so many were chosen, at first; then twice as many, and so on */
#define CHOOSE_MOST 64
#define CHOOSE_STEP 8 /* it rises by so much at most */
#define WORST 16 /* the longest calls, which are kept always */
#define AN_INTERRUPT "an interrupt" /* in place of the task that it came upon */
#define SAMPLES_MOST 1000000

/* ---- thresholds ---- */

/* Of what leaves a record from now on: some calls turn out to be slow only later. */
static uint64_t may_be_slow_from(const struct collect *c, const struct snapshot *all,
				 uint64_t threshold)
{
	uint32_t share = (DIST_ONE - c->plan->spec->slower.millionths) * MAY_SHARE;
	uint64_t samples, from = collect_slow_from(
				  c->bits, all, share < DIST_ONE ? DIST_ONE - share : 0, &samples);

	from = from < threshold ? from : threshold;
	return from < c->base_ns ? c->base_ns : from;
}

/* ---- records ---- */

static struct collect_frames collect_frames_of(const __u64 *at, int32_t bytes)
{
	return (struct collect_frames){ at, bytes > 0 ? bytes / sizeof(*at) : 0 };
}

static uint32_t keep_stack(struct collect *c, struct collect_trace t)
{
	int64_t i = collect_stack(&c->stacks, &t);

	if (i >= 0)
		return i;
	c->err = -ENOMEM;
	return WHY_NO_STACK;
}

static void keep_sample(struct collect *c, const struct kstats_why_record *r)
{
	size_t room = c->room_samples ? 2 * c->room_samples : 256;
	struct collect_sample *grown;

	if (c->n_samples == SAMPLES_MOST) {
		c->lost_samples++;
		return;
	}
	if (c->n_samples == c->room_samples) {
		grown = realloc(c->samples, room * sizeof(*grown));
		if (!grown) {
			c->err = -ENOMEM;
			return;
		}
		c->samples = grown;
		c->room_samples = room;
	}
	c->samples[c->n_samples++] = (struct collect_sample){
		.tid = r->tid,
		.ns = r->start_ns + r->duration_ns,
		.stack = keep_stack(
			c,
			(struct collect_trace){ .place = COLLECT_SAMPLE,
						.kernel = collect_frames_of(r->stack, r->n_stack),
						.user = collect_frames_of(r->user, r->n_user),
						.tgid = r->tgid }),
	};
}

/*
 * Where a task waited: what it saw itself when it went to sleep, as far as the first frame that its
 * waker saw too, and all of those. @room: receives the frames
 */
static struct collect_trace waits_at(const struct kstats_why_wait *w, __u64 *room)
{
	struct collect_frames in = collect_frames_of(w->inner, w->n_inner);
	struct collect_frames all = collect_frames_of(w->frames, w->n_frames);
	uint32_t i;

	for (i = 0; i < in.n && all.n && in.at[i] != all.at[0]; i++)
		room[i] = in.at[i];
	if (i == in.n || !all.n)
		return (struct collect_trace){ .place = COLLECT_WAIT, .kernel = all };
	memcpy(room + i, all.at, all.n * sizeof(*room));
	return (struct collect_trace){ .kernel = { room, i + all.n } };
}

static void keep_wait(struct collect *c, struct why_call *call, const struct kstats_why_wait *w)
{
	__u64 room[KSTATS_WHY_INNER_FRAMES + KSTATS_WHY_WAIT_FRAMES];
	struct collect_trace at = waits_at(w, room);
	struct collect_trace by = { .kernel =
					    collect_frames_of(w->other_frames, w->n_other_frames) };
	bool by_interrupt;

	call->wait.stack = call->wait.waker_stack = WHY_NO_STACK;
	if (!w->ns)
		return;
	call->wait.ns = w->ns;
	call->wait.part = w->part;
	call->wait.stack = keep_stack(c, at);
	call->wait.waker_stack = keep_stack(c, by);
	by_interrupt = call->wait.waker_stack != WHY_NO_STACK &&
		       c->stacks.in_interrupt[call->wait.waker_stack];
	call->wait.waker_tid = by_interrupt ? 0 : w->other;
	call->wait.waker = by_interrupt
				   ? strdup(AN_INTERRUPT)
				   : strndup((const char *)w->other_comm, sizeof(w->other_comm));
	if (!call->wait.waker)
		c->err = -ENOMEM;
}

static int collect_longest_first(const void *a, const void *b)
{
	const struct collect_call *x = a, *y = b;

	return x->call.duration_ns < y->call.duration_ns   ? 1
	       : x->call.duration_ns > y->call.duration_ns ? -1
							   : 0;
}

/* Drop every second call, but not the longest ones. */
static void collect_thin_out(struct collect *c)
{
	size_t i, n = WORST;

	c->keep_every *= 2;
	qsort(c->calls, c->n_calls, sizeof(*c->calls), collect_longest_first);
	c->worst_ns = c->calls[WORST - 1].call.duration_ns;
	for (i = WORST; i < c->n_calls; i++) {
		if (i % 2) {
			free(c->calls[i].call.wait.waker);
			continue;
		}
		c->calls[n++] = c->calls[i];
	}
	c->n_calls = n;
}

static struct collect_call *collect_next(struct collect *c, uint64_t duration_ns)
{
	size_t room = c->room ? 2 * c->room : 256;
	struct collect_call *grown;

	if (c->n_come++ % c->keep_every && duration_ns < c->worst_ns)
		return NULL;
	if (c->n_calls == CALLS_MOST)
		collect_thin_out(c);
	if (c->n_calls == c->room) {
		grown = realloc(c->calls, room * sizeof(*grown));
		if (!grown) {
			c->err = -ENOMEM;
			return NULL;
		}
		c->calls = grown;
		c->room = room;
	}
	return &c->calls[c->n_calls++];
}

static void keep_call(struct collect *c, const struct kstats_why_record *r)
{
	struct collect_call *kept = collect_next(c, r->duration_ns);

	if (!kept)
		return;
	*kept = (struct collect_call){
		.call.start_ns = r->start_ns,
		.call.duration_ns = r->duration_ns,
		.call.is_split = r->is_split,
		.call.pid = r->tgid,
		.call.tid = r->tid,
		.call.cpu_begin = r->cpu_begin,
		.call.cpu_end = r->cpu_end,
		.node = r->node,
		.cgroup = r->cgroup,
		.ret = r->ret,
		.uid = r->uid,
		.is_chosen = r->is_chosen,
		.is_counted = r->is_counted,
		.is_divided = r->is_divided,
	};
	memcpy(kept->call.part_ns, r->part_ns, sizeof(r->part_ns));
	memcpy(kept->callee_ns, r->callee_ns, sizeof(r->callee_ns));
	memcpy(kept->args, r->args, sizeof(r->args));
	memcpy(kept->shown, r->shown, sizeof(r->shown));
	memcpy(kept->comm, r->comm, sizeof(r->comm));
	kept->call.caller = keep_stack(
		c, (struct collect_trace){ .kernel = collect_frames_of(r->stack, r->n_stack) });
	kept->call.user_caller =
		keep_stack(c, (struct collect_trace){ .user = collect_frames_of(r->user, r->n_user),
						      .tgid = r->tgid });
	keep_wait(c, &kept->call, &r->wait);
}

static void keep_record(void *ctx, const struct kstats_why_record *r)
{
	if (r->kind == KSTATS_WHY_SAMPLE)
		keep_sample(ctx, r);
	else
		keep_call(ctx, r);
}

/* ---- while it runs ---- */

struct collect *collect_begin(struct session *s, const struct plan *plan, struct error *e)
{
	struct collect *c = calloc(1, sizeof(*c));

	if (c)
		c->stacks.names = stacks_open("");
	if (!c || !c->stacks.names) {
		free(c);
		error_no_memory(e, "cannot look at single calls");
		return NULL;
	}
	/* That takes long. Once programs record, their records are to be taken in time. */
	stacks_read(c->stacks.names);
	c->stacks.knows_programs = !session_in_container();
	if (c->stacks.knows_programs)
		stacks_follow(c->stacks.names);
	c->stacks.has_user = plan->has_user;
	c->session = s;
	c->plan = plan;
	c->base_ns = plan->spec->slower.ns;
	c->bits = plan->spec->bits < KSTATS_WHY_BITS ? plan->spec->bits : KSTATS_WHY_BITS;
	c->chance = plan->spec->slower.ns ? 1 : 0;
	c->chance_ns = clock_ns(CLOCK_MONOTONIC);
	c->choose_most = CHOOSE_LEAST;
	c->keep_every = 1;
	c->worst_ns = UINT64_MAX;
	return c;
}

static void begin_counting(struct collect *c, uint64_t threshold_ns)
{
	uint64_t base = threshold_ns / BASE_SHARE;

	c->base_ns = base ? kstats_slot_first(kstats_slot_index(base, c->bits), c->bits) : 1;
	c->base_ns = c->base_ns ? c->base_ns : 1;
}

/* So many calls, each of which leaves a record, tell where counting is to begin. */
static uint64_t collect_enough(const struct collect *c)
{
	return (uint64_t)LEARN_SLOW * DIST_ONE / (DIST_ONE - c->plan->spec->slower.millionths);
}

static void collect_follow(struct collect *c)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), threshold, end_ns, samples;
	struct snapshot *all;

	if (!c->plan->spec->slower.millionths || begin_ns < c->look_ns)
		return;
	if (!c->base_ns && c->n_come < collect_enough(c))
		return;
	all = session_snapshot(c->session, NULL);
	threshold =
		all ? collect_slow_from(c->bits, all, c->plan->spec->slower.millionths, &samples)
		    : 0;
	if (threshold && !c->base_ns && samples >= collect_enough(c))
		begin_counting(c, threshold);
	if (threshold && c->base_ns)
		session_why_limits(c->session, may_be_slow_from(c, all, threshold), c->base_ns);
	if (c->base_ns && !c->counting_ns)
		c->counting_ns = clock_ns(CLOCK_MONOTONIC);
	snapshot_free(all);
	end_ns = clock_ns(CLOCK_MONOTONIC);
	if (!c->base_ns)
		return;
	c->look_ns = end_ns + LOOK_SHARE * (end_ns - begin_ns);
	if (c->look_ns < begin_ns + LOOK_NS)
		c->look_ns = begin_ns + LOOK_NS;
}

/*
 * One ordinary call in a tick is wanted. The chance of each is the same for long, whatever happens
 * meanwhile: if it followed each pause, the calls behind slow ones would be chosen.
 */
static void collect_choose(struct collect *c)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), ns = now - c->chance_ns;
	double wanted = (double)ns / COLLECT_TICK_NS, factor;

	if (!c->chance) {
		/* Every call has come so far. */
		c->chance = 1;
		c->n_chosen = c->n_come;
	} else {
		c->n_chosen += session_why_chosen(c->session);
		if (c->n_chosen < c->choose_most && ns < CHOOSE_NS)
			return;
	}
	if (c->choose_most < CHOOSE_MOST)
		c->choose_most *= 2;
	factor = c->n_chosen ? wanted / c->n_chosen : CHOOSE_STEP;
	c->chance = fmin(1, c->chance * fmin(factor, CHOOSE_STEP));
	c->chance_ns = now;
	c->n_chosen = 0;
	session_why_choose(c->session, c->chance);
}

/* What processes map comes first: they may be gone by now. */
static void collect_take(struct collect *c)
{
	stacks_catch_up(c->stacks.names);
	session_why_take(c->session, keep_record, c);
}

int collect_tick(struct collect *c)
{
	collect_take(c);
	collect_follow(c);
	if (c->base_ns)
		collect_choose(c);
	return c->err;
}

/* ---- the end ---- */

/* The longest duration of which enough calls are as long; all calls are known. */
static uint64_t threshold_of_all(struct collect *c)
{
	double share = (double)(DIST_ONE - c->plan->spec->slower.millionths) / DIST_ONE;
	size_t n = ceil(c->n_calls * share);

	if (!c->n_calls)
		return 1;
	qsort(c->calls, c->n_calls, sizeof(*c->calls), collect_longest_first);
	return c->calls[n - 1].call.duration_ns;
}

/* Of those that slow calls were counted for. */
static uint64_t threshold_counted(const struct collect *c, const struct snapshot *all)
{
	uint64_t samples, most,
		threshold =
			collect_slow_from(c->bits, all, c->plan->spec->slower.millionths, &samples);

	if (!c->plan->spec->slower.millionths)
		return c->base_ns;
	most = kstats_slot_first(kstats_slot_index(c->base_ns, KSTATS_WHY_BITS) + KSTATS_WHY_TAIL -
					 1,
				 KSTATS_WHY_BITS);
	if (threshold > most)
		threshold = most;
	return threshold > c->base_ns ? threshold : c->base_ns;
}

struct why *collect_end(struct collect *c, const struct snapshot *all, struct error *e)
{
	struct why *w = calloc(1, sizeof(*w));
	int err = -ENOMEM;

	collect_take(c);
	if (w) {
		w->no_task = !c->plan->parts_at;
		w->quantile = (double)c->plan->spec->slower.millionths / DIST_ONE;
		w->threshold_ns = c->base_ns ? threshold_counted(c, all) : threshold_of_all(c);
		err = c->err ? c->err : collect_describe(c, all, w);
	}
	if (!err)
		return w;
	error_no_memory(e, "cannot keep single calls");
	why_free(w);
	return NULL;
}

void collect_free(struct collect *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->n_calls; i++)
		free(c->calls[i].call.wait.waker);
	free(c->calls);
	free(c->samples);
	collect_stacks_free(&c->stacks);
	free(c);
}
