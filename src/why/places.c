// SPDX-License-Identifier: GPL-2.0-only
/* places.c - the functions in which slow calls waited and ran, and who woke them. */
#include "why/priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions through which every task goes to sleep; those around them say more. */
static const char *const passed[] = {
	"__schedule",
	"schedule",
	"schedule_timeout",
	"io_schedule",
	"io_schedule_timeout",
	"schedule_preempt_disabled",
	"preempt_schedule",
	"preempt_schedule_common",
	"preempt_schedule_irq",
	"preempt_schedule_notrace",
	"preempt_schedule_thunk",
	"__cond_resched",
	"schedule_hrtimeout_range",
	"schedule_hrtimeout_range_clock",
	"schedule_hrtimeout",
	"schedule_timeout_interruptible",
	"schedule_timeout_killable",
	"schedule_timeout_uninterruptible",
	"schedule_timeout_idle",
	"irqentry_exit",
	"asm_sysvec_apic_timer_interrupt",
	"bit_wait_io",
	"bit_wait",
	"__wait_on_bit",
	"__wait_on_bit_lock",
	"wait_woken",
	"schedule_rtlock",
};

/* Beginnings of functions that wait for others: who called them says what for. */
static const char *const waits[] = {
	"__mutex_lock", "mutex_lock",  "__ww_mutex_lock", "ww_mutex_lock",       "rwsem_down_",
	"down_",        "__down",      "percpu_rwsem_",   "__percpu_down_",      "rt_mutex_",
	"__rt_mutex_",  "rtlock_slow", "__wait_for_",     "wait_for_completion",
};

static bool frames_wait(const char *frame)
{
	size_t i;

	for (i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (!strncmp(waits[i], frame, strlen(waits[i])))
			return true;
	return false;
}

static bool frames_pass(const char *frame, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		if (strlen(passed[i]) == len && !strncmp(passed[i], frame, len))
			return true;
	return false;
}

/* Without the offset in the function. */
static size_t frames_length(const char *frame)
{
	const char *plus = strstr(frame, "+0x");

	return plus ? plus - frame : strlen(frame);
}

/* Without that, and without what the compiler has added to the name. */
static int frames_plain(const char *frame)
{
	return strcspn(frame, ".+");
}

/* The function in which a stack waits or runs, as "f", or as "f (mutex_lock)". NULL: no memory */
static char *frames_place(const struct why_stack *stack)
{
	uint32_t f, caller;
	char *place;

	for (f = 0; f + 1 < stack->n; f++)
		if (!frames_pass(stack->frames[f], frames_length(stack->frames[f])))
			break;
	for (caller = f; caller + 1 < stack->n && frames_wait(stack->frames[caller]); caller++)
		f = caller;
	if (caller == f)
		return strndup(stack->frames[f], frames_length(stack->frames[f]));
	if (asprintf(&place, "%.*s (%.*s)", (int)frames_length(stack->frames[caller]),
		     stack->frames[caller], frames_plain(stack->frames[f]), stack->frames[f]) < 0)
		return NULL;
	return place;
}

int frames_find(struct study *s, const struct why *w)
{
	size_t i;

	s->frames = calloc(w->n_stacks + 1, sizeof(*s->frames));
	if (!s->frames)
		return -ENOMEM;
	s->n_frames = w->n_stacks;
	for (i = 0; i < w->n_stacks; i++) {
		if (!w->stacks[i].n)
			continue;
		s->frames[i] = frames_place(&w->stacks[i]);
		if (!s->frames[i])
			return -ENOMEM;
	}
	return 0;
}

/* ---- places ---- */

/* A wait of a call, or a sample of it on the processor. */
struct place_row {
	const char *frame; /* or "" */
	enum kstats_part part;
	uint32_t stack;
	const char *waker; /* or "" */
	uint32_t waker_stack;
	double ns;
	bool slow;
};

static int places_by_name(const void *a, const void *b)
{
	const struct place_row *x = a, *y = b;
	int order = strcmp(x->frame, y->frame);

	if (!order)
		order = (x->part > y->part) - (x->part < y->part);
	return order ? order : strcmp(x->waker, y->waker);
}

static bool places_same(const struct place_row *x, const struct place_row *y)
{
	return x->part == y->part && !strcmp(x->frame, y->frame);
}

static const char *places_text(const char *text)
{
	return text ? text : "";
}

/* @n rows of one place, those of each waker beside each other. */
static struct study_place places_sum(const struct study *s, const struct place_row *x, size_t n)
{
	struct study_place p = { .stack = x->stack,
				 .frame = *x->frame ? x->frame : NULL,
				 .part = x->part,
				 .waker_stack = WHY_NO_STACK };
	double mean = 0;
	size_t i, same = 0;

	for (i = 0; i < n; i++) {
		mean += x[i].slow ? x[i].ns / s->n_slow : -x[i].ns / s->n_ordinary;
		same = i && !strcmp(x[i].waker, x[i - 1].waker) ? same : 0;
		if (!x[i].slow)
			continue;
		p.ns += x[i].ns;
		p.calls++;
		if (!*x[i].waker || ++same <= p.waker_calls)
			continue;
		p.waker = x[i].waker;
		p.waker_calls = same;
		p.waker_stack = x[i].waker_stack;
	}
	p.share =
		s->whole.slow > s->whole.ordinary ? mean / (s->whole.slow - s->whole.ordinary) : 0;
	return p;
}

static int places_by_time(const void *a, const void *b)
{
	const struct study_place *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return strcmp(places_text(x->frame), places_text(y->frame));
}

/* Rows become places, the one with most time first; those of ordinary calls alone are left out. */
static int places_join(const struct study *s, struct place_row *x, size_t n,
		       struct study_place **places, size_t *n_places)
{
	size_t first = 0, i;
	struct study_place p;

	*places = calloc(n + 1, sizeof(**places));
	if (!*places)
		return -ENOMEM;
	if (n)
		qsort(x, n, sizeof(*x), places_by_name);
	for (i = 1; i <= n; i++) {
		if (i < n && places_same(&x[i], &x[first]))
			continue;
		p = places_sum(s, &x[first], i - first);
		if (p.calls)
			(*places)[(*n_places)++] = p;
		first = i;
	}
	if (*n_places)
		qsort(*places, *n_places, sizeof(**places), places_by_time);
	return 0;
}

static const char *places_frame(const struct study *s, uint32_t stack)
{
	return stack == WHY_NO_STACK ? "" : places_text(s->frames[stack]);
}

static int places_of_waits(struct study *s, const struct why *w)
{
	struct place_row *x = calloc(w->n_calls_kept + 1, sizeof(*x));
	const struct why_call *c;
	size_t n = 0, i;
	int err = x ? 0 : -ENOMEM;

	for (i = 0; !err && i < w->n_calls_kept; i++) {
		c = &w->calls[i];
		if (c->wait.ns)
			x[n++] = (struct place_row){ places_frame(s, c->wait.stack),
						     c->wait.part,
						     c->wait.stack,
						     places_text(c->wait.waker),
						     c->wait.waker_stack,
						     c->wait.ns,
						     c->is_slow };
	}
	if (!err)
		err = places_join(s, x, n, &s->waits, &s->n_waits);
	free(x);
	return err;
}

static size_t places_samples(const struct why *w)
{
	size_t n = 0, i;

	for (i = 0; i < w->n_calls_kept; i++)
		n += w->calls[i].n_samples;
	return n;
}

static int places_of_samples(struct study *s, const struct why *w)
{
	struct place_row *x = calloc(places_samples(w) + 1, sizeof(*x));
	size_t n = 0, i;
	uint32_t k;
	int err = x ? 0 : -ENOMEM;

	for (i = 0; !err && i < w->n_calls_kept; i++)
		for (k = 0; k < w->calls[i].n_samples; k++)
			x[n++] = (struct place_row){ places_frame(s, w->calls[i].samples[k]),
						     KSTATS_PART_RUNNING,
						     w->calls[i].samples[k],
						     "",
						     WHY_NO_STACK,
						     1,
						     true };
	if (!err)
		err = places_join(s, x, n, &s->runs, &s->n_runs);
	for (i = 0; !err && i < s->n_runs; i++)
		s->runs[i].share = s->runs[i].ns / n;
	free(x);
	return err;
}

int places_find(struct study *s, const struct why *w)
{
	int err = places_of_waits(s, w);

	return err ? err : places_of_samples(s, w);
}
