// SPDX-License-Identifier: GPL-2.0-only
/*
 * traits.c - what calls may differ by, as values with numbers: the fields of the recording, two of
 * them at once, the place of the longest wait and who ended it, the callee in which most of the
 * time went, and whether interrupts took much of it.
 *
 * A burst of several threads may be a stall that catches one call of each, however rarely it calls.
 * So chance gives a value the larger of its share of the calls and its share of the threads.
 */
#include "why/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAIRED 8 /* fields that are also tried two at once, of those that differ */

/* Those that are always there. */
enum {
	WAITS_IN,
	WOKEN_BY,
	WAIT_TRAITS,
	LONGEST_IN = WAIT_TRAITS,
	INTERRUPTED_FOR,
	OWN_TRAITS
};

/* Shares of a call's time; the first that is MUCH_MORE times that of ordinary calls is taken. */
static const struct {
	double share;
	const char *text;
} traits_much[] = {
	{ 0.1, "10% or more" }, { 0.2, "20% or more" }, { 0.4, "40% or more" },
	{ 0.6, "60% or more" }, { 0.8, "80% or more" },
};

#define TRAITS_MUCH (sizeof(traits_much) / sizeof(*traits_much))
#define MUCH_MORE 3
#define MOSTLY 0.99 /* share of the ordinary calls of which it must be known */

static int traits_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int traits_by_value(const void *a, const void *b)
{
	return strcmp(((const struct trait_value *)a)->text[0],
		      ((const struct trait_value *)b)->text[0]);
}

/* ---- values ---- */

/* Of a field that is counted, in the order of their texts. */
static int traits_take_counts(struct trait *t, const struct why *w, size_t field)
{
	const struct why_value *v;

	t->values = calloc(w->n_values + 1, sizeof(*t->values));
	if (!t->values)
		return -ENOMEM;
	for (v = w->values; v < w->values + w->n_values; v++)
		if (v->field == field && v->calls)
			t->values[t->n++] = (struct trait_value){
				.text = { v->text },
				.calls = v->calls,
				.slow_calls = v->slow,
				.known = (double)v->calls / w->n_calls,
			};
	if (t->n)
		qsort(t->values, t->n, sizeof(*t->values), traits_by_value);
	return 0;
}

/* Of other fields, those that the calls have. */
static int traits_take_texts(struct trait *t, const char *const *texts, size_t n)
{
	const char **sorted = calloc(n + 1, sizeof(*sorted));
	size_t known = 0, i;

	t->values = calloc(n + 1, sizeof(*t->values));
	for (i = 0; sorted && i < n; i++)
		if (texts[i])
			sorted[known++] = texts[i];
	if (known)
		qsort(sorted, known, sizeof(*sorted), traits_by_text);
	for (i = 0; t->values && i < known; i++)
		if (!i || strcmp(sorted[i], sorted[i - 1]))
			t->values[t->n++].text[0] = sorted[i];
	free(sorted);
	return sorted && t->values ? 0 : -ENOMEM;
}

/* What each call has. */
static int traits_number(struct trait *t, const char *const *texts, size_t n)
{
	struct trait_value key = {}, *found;
	size_t i;

	t->ids = calloc(n + 1, sizeof(*t->ids));
	for (i = 0; t->ids && i < n; i++) {
		key.text[0] = texts[i];
		found = texts[i] ? bsearch(&key, t->values, t->n, sizeof(key), traits_by_value)
				 : NULL;
		t->ids[i] = found ? found - t->values : TRAIT_NONE;
	}
	return t->ids ? 0 : -ENOMEM;
}

/* How many observations have each value, and what chance would give. */
static void traits_count(struct trait *t, const struct pool *p)
{
	double ordinary = p->n - p->n_bursts, threads;
	struct trait_value *v;
	size_t i;

	for (i = 0; i < p->n_calls; i++) {
		if (t->ids[i] == TRAIT_NONE)
			continue;
		v = &t->values[t->ids[i]];
		if (p->calls[i].of < p->n_bursts)
			v->k += p->calls[i].weight;
		else
			v->m++;
		v->q += p->calls[i].of_thread;
	}
	for (v = t->values; v < t->values + t->n; v++) {
		if (t->test != TRAIT_COUNTED)
			v->known = ordinary ? v->m / ordinary : 0;
		threads = p->shared * (v->q - v->known);
		v->q = v->known + (threads > 0 ? threads : 0);
	}
}

static int traits_finish(struct trait *t, const struct pool *p, const char *const *texts)
{
	int err = t->test == TRAIT_COUNTED ? 0 : traits_take_texts(t, texts, p->n_calls);

	if (!err)
		err = traits_number(t, texts, p->n_calls);
	if (!err)
		traits_count(t, p);
	return err;
}

/* ---- fields ---- */

/*
 * Time in which each call may have met it. While a task sleeps it neither returns nor begins to
 * sleep, so the longest wait is no such time.
 */
static int traits_add_times(struct trait *t, const struct pool *p, enum why_when when)
{
	const struct why_call *c;
	size_t i;

	t->test = TRAIT_RATE;
	t->times = calloc(p->n_calls + 1, sizeof(*t->times));
	for (i = 0; t->times && i < p->n_calls; i++) {
		c = p->calls[i].call;
		t->times[i] = c->duration_ns - (when == WHY_AWAKE ? c->wait.ns : 0);
	}
	return t->times ? 0 : -ENOMEM;
}

static int traits_add_field(struct trait *t, const struct pool *p, size_t field, const char **texts)
{
	const struct why_field *f = &p->why->fields[field];
	size_t i;
	int err = 0;

	*t = (struct trait){ .test = TRAIT_SAMPLED, .n_fields = 1, .name = { f->name } };
	for (i = 0; i < p->n_calls; i++)
		texts[i] = p->calls[i].call->values[field];
	if (f->when == WHY_AT_ENTRY && f->is_counted) {
		t->test = TRAIT_COUNTED;
		err = traits_take_counts(t, p->why, field);
	} else if (f->when != WHY_AT_ENTRY) {
		err = traits_add_times(t, p, f->when);
	}
	return err ? err : traits_finish(t, p, texts);
}

static int traits_add_wait(struct trait *t, const struct pool *p, int which, const char **texts)
{
	const struct why_call *c;
	size_t i;

	*t = (struct trait){ .n_fields = 1,
			     .name = { which == WAITS_IN ? "waits in" : "woken by" },
			     .least = 0.5 };
	for (i = 0; i < p->n_calls; i++) {
		c = p->calls[i].call;
		texts[i] = which == WOKEN_BY ? c->wait.waker : NULL;
		if (which == WAITS_IN && c->wait.ns && c->wait.stack != WHY_NO_STACK)
			texts[i] = p->frames[c->wait.stack];
	}
	return traits_add_times(t, p, WHY_AWAKE) ? -ENOMEM : traits_finish(t, p, texts);
}

/* ---- shares of the time ---- */

/*
 * Whatever makes a call long may come at any moment of it, and so lies in a callee as often as this
 * has of the time of ordinary calls. And what is longest in an ordinary call may be in a slow one,
 * too. So chance gives a value the larger of both shares.
 */
static void traits_allow(struct trait *t, double all, const double *ns)
{
	size_t i;

	for (i = 0; all > 0 && i < t->n; i++)
		if (ns[i] / all > t->values[i].q)
			t->values[i].q = ns[i] / all;
}

/*
 * Of calls that are not divided, or not split, nothing is known. Where ordinary calls are such, as
 * they come in interrupts, what slow ones have is no difference. A slow one only has less.
 */
static bool traits_mostly(const struct pool *p, bool (*is_known)(const struct why_call *c))
{
	size_t ordinary = 0, known = 0, i;

	for (i = 0; i < p->n_calls; i++) {
		if (p->calls[i].of < p->n_bursts)
			continue;
		ordinary++;
		known += is_known(p->calls[i].call);
	}
	return known >= MOSTLY * ordinary;
}

static bool traits_is_divided(const struct why_call *c)
{
	return c->callee_ns;
}

static bool traits_is_split(const struct why_call *c)
{
	return c->is_split;
}

static const char *traits_longest_in(const struct pool *p, const struct why_call *c)
{
	int longest = why_longest_in(p->why, c);

	return longest < 0 ? NULL : why_callee_name(p->why, longest);
}

static int traits_add_callee(struct trait *t, const struct pool *p, const char **texts)
{
	const struct why *w = p->why;
	const struct why_call *c;
	struct trait_value key = {}, *v;
	const bool mostly = traits_mostly(p, traits_is_divided);
	double *ns, all = 0;
	size_t i, k;
	int err;

	*t = (struct trait){
		.test = TRAIT_SHARE, .n_fields = 1, .name = { "longest in" }, .least = 0.5
	};
	for (i = 0; i < p->n_calls; i++)
		texts[i] = mostly ? traits_longest_in(p, p->calls[i].call) : NULL;
	err = traits_finish(t, p, texts);
	ns = calloc(t->n + 1, sizeof(*ns));
	if (err || !ns) {
		free(ns);
		return -ENOMEM;
	}
	for (k = 0; t->n && k <= w->n_callees; k++) {
		key.text[0] = why_callee_name(w, k);
		v = bsearch(&key, t->values, t->n, sizeof(key), traits_by_value);
		for (i = 0; i < p->n_calls; i++) {
			c = p->calls[i].call;
			if (!c->callee_ns || p->calls[i].of < p->n_bursts)
				continue;
			ns[v ? v - t->values : t->n] += c->callee_ns[k];
			all += c->callee_ns[k];
		}
	}
	traits_allow(t, all, ns);
	free(ns);
	return 0;
}

static double traits_interrupted(const struct why_call *c)
{
	return c->is_split && c->duration_ns
		       ? (double)c->part_ns[KSTATS_PART_INTERRUPTED] / c->duration_ns
		       : 0;
}

/* Long calls have the share of the time that interrupts take of all time, and short ones vary. */
static int traits_add_interrupted(struct trait *t, const struct pool *p, const char **texts)
{
	const bool mostly = traits_mostly(p, traits_is_split);
	double ns = 0, all = 0;
	const struct why_call *c;
	size_t i, much = 0;

	for (i = 0; i < p->n_calls; i++) {
		c = p->calls[i].call;
		if (p->calls[i].of < p->n_bursts || !c->is_split)
			continue;
		ns += c->part_ns[KSTATS_PART_INTERRUPTED];
		all += c->duration_ns;
	}
	while (much < TRAITS_MUCH && MUCH_MORE * ns > traits_much[much].share * all)
		much++;
	for (i = 0; i < p->n_calls; i++)
		texts[i] = mostly && much < TRAITS_MUCH &&
					   traits_interrupted(p->calls[i].call) >=
						   traits_much[much].share
				   ? traits_much[much].text
				   : NULL;
	*t = (struct trait){
		.test = TRAIT_SHARE, .n_fields = 1, .name = { "interrupted for" }, .least = 0.5
	};
	return traits_finish(t, p, texts);
}

/* ---- pairs ---- */

static int traits_by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t traits_used(const struct trait *t)
{
	size_t n = 0, i;

	for (i = 0; i < t->n; i++)
		n += t->values[i].k > 0 || t->values[i].m > 0;
	return n;
}

static uint64_t traits_both(const struct trait *a, const struct trait *b, size_t call)
{
	return (uint64_t)a->ids[call] << 32 | b->ids[call];
}

/* Numbers of both values of each call, sorted, each once. Return: how many. */
static size_t traits_join(uint64_t *keys, const struct trait *a, const struct trait *b, size_t n)
{
	size_t known = 0, unique = 0, i;

	for (i = 0; i < n; i++)
		if (a->ids[i] != TRAIT_NONE && b->ids[i] != TRAIT_NONE)
			keys[known++] = traits_both(a, b, i);
	if (known)
		qsort(keys, known, sizeof(*keys), traits_by_number);
	for (i = 0; i < known; i++)
		if (!i || keys[i] != keys[unique - 1])
			keys[unique++] = keys[i];
	return unique;
}

static int traits_fill_pair(struct trait *t, const struct trait *a, const struct trait *b,
			    const uint64_t *keys, const struct pool *p)
{
	uint64_t key;
	size_t i;

	t->values = calloc(t->n + 1, sizeof(*t->values));
	t->ids = calloc(p->n_calls + 1, sizeof(*t->ids));
	if (!t->values || !t->ids)
		return -ENOMEM;
	for (i = 0; i < t->n; i++) {
		t->values[i].text[0] = a->values[keys[i] >> 32].text[0];
		t->values[i].text[1] = b->values[(uint32_t)keys[i]].text[0];
	}
	for (i = 0; i < p->n_calls; i++) {
		key = traits_both(a, b, i);
		t->ids[i] = TRAIT_NONE;
		if (a->ids[i] != TRAIT_NONE && b->ids[i] != TRAIT_NONE)
			t->ids[i] = (const uint64_t *)bsearch(&key, keys, t->n, sizeof(key),
							      traits_by_number) -
				    keys;
	}
	traits_count(t, p);
	return 0;
}

/* A pair says nothing more where one field tells the other, as the process tells its name. */
static int traits_add_pair(struct traits *ts, const struct pool *p, size_t i, size_t k)
{
	const struct trait *a = &ts->rows[i], *b = &ts->rows[k];
	uint64_t *keys = calloc(p->n_calls + 1, sizeof(*keys));
	struct trait *t = &ts->rows[ts->n];
	int err = 0;

	if (!keys)
		return -ENOMEM;
	*t = (struct trait){ .test = TRAIT_SAMPLED,
			     .n_fields = 2,
			     .name = { a->name[0], b->name[0] },
			     .of = { i, k },
			     .n = traits_join(keys, a, b, p->n_calls) };
	if (t->n > traits_used(a) && t->n > traits_used(b)) {
		ts->n++;
		err = traits_fill_pair(t, a, b, keys, p);
	}
	free(keys);
	return err;
}

/* What is the same in all calls tells no more with another field than that alone. */
static bool traits_can_pair(const struct trait *t)
{
	return !trait_is_during(t) && traits_used(t) > 1;
}

static int traits_add_pairs(struct traits *t, const struct pool *p)
{
	size_t single = t->n, first, second, a = 0, b;
	int err = 0;

	for (first = 0; !err && first < single && a < PAIRED; first++) {
		if (!traits_can_pair(&t->rows[first]))
			continue;
		b = ++a;
		for (second = first + 1; !err && second < single && b < PAIRED; second++) {
			if (!traits_can_pair(&t->rows[second]))
				continue;
			b++;
			err = traits_add_pair(t, p, first, second);
		}
	}
	return err;
}

/* ---- all ---- */

int traits_make(struct traits *t, const struct pool *p)
{
	size_t most = p->why->n_fields + OWN_TRAITS + PAIRED * (PAIRED - 1) / 2, i;
	const char **texts = calloc(p->n_calls + 1, sizeof(*texts));
	int err = 0, which;

	*t = (struct traits){ .rows = calloc(most, sizeof(*t->rows)) };
	if (!texts || !t->rows)
		err = -ENOMEM;
	for (i = 0; !err && i < p->why->n_fields; i++)
		if (p->why->fields[i].when != WHY_SHOWN)
			err = traits_add_field(&t->rows[t->n++], p, i, texts);
	for (which = 0; !err && which < WAIT_TRAITS; which++)
		err = traits_add_wait(&t->rows[t->n++], p, which, texts);
	if (!err && p->why->n_callees)
		err = traits_add_callee(&t->rows[t->n++], p, texts);
	if (!err)
		err = traits_add_interrupted(&t->rows[t->n++], p, texts);
	if (!err)
		err = traits_add_pairs(t, p);
	free(texts);
	return err;
}

void traits_free(struct traits *t)
{
	size_t i;

	for (i = 0; t->rows && i < t->n; i++) {
		free(t->rows[i].values);
		free(t->rows[i].ids);
		free(t->rows[i].times);
	}
	free(t->rows);
	*t = (struct traits){};
}
