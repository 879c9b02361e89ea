/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of this folder share. Included by this folder only. */
#ifndef KSTATS_WHY_PRIV_H
#define KSTATS_WHY_PRIV_H

#include "why/why.h"

/**
 * struct burst - slow calls that end one soon after the other, which may have one reason
 * @n: number of @calls
 * @calls: indexes of them
 * @end_ns: when the first of them ends
 * @n_threads: several threads have them: 2 stands for any number
 */
struct burst {
	size_t n;
	size_t *calls; /* in an array of all */
	uint64_t end_ns;
	int n_threads;
};

/** struct bursts - all slow calls, in bursts by time */
struct bursts {
	size_t n;
	struct burst *rows; /* owned */
	size_t *calls; /* owned */
	size_t n_calls;
};

/** bursts_make() - find them; @b: freed with bursts_free(). Return: 0 or -ENOMEM */
int bursts_make(struct bursts *b, const struct why *w);

/** bursts_free() - release; @b may be zero-filled */
void bursts_free(struct bursts *b);

/** excess_of() - compare the parts of slow and ordinary calls. Return: 0 or -ENOMEM */
int excess_of(struct study *s, const struct why *w, const struct bursts *b);

/** causes_find() - what sets slow calls apart. Return: 0 or -ENOMEM */
int causes_find(struct study *s, const struct why *w, const struct bursts *b);

/** frames_find() - the functions of the stacks. Return: 0 or -ENOMEM */
int frames_find(struct study *s, const struct why *w);

/** places_find() - where slow calls waited, and where they ran. Return: 0 or -ENOMEM */
int places_find(struct study *s, const struct why *w);

/**
 * struct pool_call - a call that is looked at
 * @call: not owned
 * @of: number of its observation: a burst, or behind these an ordinary call
 * @weight: its share of the observation
 * @of_thread: its share of all threads, each of which counts as much: by its ordinary calls, or
 *	by its slow ones where it has no others
 */
struct pool_call {
	const struct why_call *call;
	uint32_t of;
	double weight;
	double of_thread;
};

/** struct pool - what is compared: bursts of slow calls, and ordinary calls */
struct pool {
	const struct why *why;
	char *const *frames; /* functions of the stacks */
	size_t n_bursts;
	size_t n; /* observations */
	size_t n_calls;
	struct pool_call *calls; /* owned; slow ones first */
	double shared; /* share of the bursts that are of several threads */
};

/**
 * pool_make() - choose
 * @p: freed with pool_free()
 * @frames: functions of the stacks
 *
 * Return: 0 or -ENOMEM.
 */
int pool_make(struct pool *p, const struct why *w, const struct bursts *b, char *const *frames);

/** pool_free() - release; @p may be zero-filled */
void pool_free(struct pool *p);

#define TRAIT_NONE UINT32_MAX /* the value is not known */

/** enum trait_test - how values of a trait are compared */
enum trait_test {
	TRAIT_COUNTED, /* with the exact share of all calls */
	TRAIT_SAMPLED, /* with the ordinary calls kept */
	TRAIT_RATE, /* by time in the call */
	TRAIT_SHARE, /* by its share of the time of ordinary calls */
};

/**
 * struct trait_value - a value of a trait
 * @text: of each field; not owned
 * @calls: all calls that have it, of TRAIT_COUNTED
 * @slow_calls: slow ones of them
 * @q: share of all calls, or of the ordinary ones, that chance would give the slow ones
 * @known: the share itself, without what is allowed for threads
 * @k: bursts that have it
 * @m: ordinary calls that have it
 * @p: probability of as many by chance, of this value alone
 */
struct trait_value {
	const char *text[2];
	uint64_t calls;
	uint64_t slow_calls;
	double q;
	double known;
	double k;
	double m;
	double p;
};

/** struct trait - a field of calls, or two at once */
struct trait {
	enum trait_test test;
	int n_fields;
	const char *name[2]; /* not owned */
	size_t of[2]; /* of a pair: indexes of its traits */
	size_t n;
	struct trait_value *values; /* owned */
	uint32_t *ids; /* owned; of each call of the pool, a value or TRAIT_NONE */
	double *times; /* owned; of TRAIT_RATE: time in which each call may have met it, ns */
	double least; /* share of the bursts that must have a value, if it is to be told */
};

/** trait_is_during() - whether its values come about in the call */
static inline bool trait_is_during(const struct trait *t)
{
	return t->test == TRAIT_RATE || t->test == TRAIT_SHARE;
}

/** struct traits - all that is compared */
struct traits {
	size_t n;
	struct trait *rows; /* owned */
};

/** traits_make() - @t: freed with traits_free(). Return: 0 or -ENOMEM */
int traits_make(struct traits *t, const struct pool *p);

/** traits_free() - release; @t may be zero-filled */
void traits_free(struct traits *t);

/** rate_p() - chance that slow calls meet a value as often by the same rate; @id: of the value */
double rate_p(const struct pool *p, const struct trait *t, uint32_t id);

#define FAMILY_DRAWS 999

/**
 * family_draw() - what chance does to all values at once
 * @best: smallest @p of all values
 * @least: receives the smallest p of each draw; room for FAMILY_DRAWS
 * @n: receives their number, which is smaller as soon as nothing can be named
 *
 * Return: 0 or -ENOMEM.
 */
int family_draw(const struct traits *t, const struct pool *p, double best, double *least,
		size_t *n);

/** family_alone() - probability that @k or more bursts have a value by chance, of it alone */
double family_alone(const struct pool *p, const struct trait *t, const struct trait_value *v,
		    double k);

#endif /* KSTATS_WHY_PRIV_H */
