/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cost.h - overhead as values: for a method, a backend and a pairing the floor and the added
 * time of a call, hot and cold. In: from calibrate, or from a document that is not trusted.
 * Out: to recording, render and cmd/. Pure.
 */
#ifndef KSTATS_RESULT_COST_H
#define KSTATS_RESULT_COST_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/json.h"

#define COST_TEXT 64
#define COSTS_MAX 128
#define COST_NS_MAX 1000000000 /* a second: no call costs more */

/** enum cost_state - state of the processor's caches at a call */
enum cost_state {
	COST_HOT, /* called back to back */
	COST_COLD, /* caches used by others, and no call for a millisecond */
	COST_STATES,
};

/** struct cost_figure - one figure, over the repetitions */
struct cost_figure {
	uint64_t median; /* of them */
	uint64_t min; /* the smallest */
	uint64_t max; /* the largest */
};

/** struct cost - overhead of one way of measuring */
struct cost {
	char method[COST_TEXT]; /* as struct snapshot_node has it */
	char backend[COST_TEXT]; /* "map" or "kmod" */
	char pairing[COST_TEXT]; /* "by task", "by call", "per CPU", "by key": see cost_pairing() */
	struct cost_figure floor_ns[COST_STATES]; /* the sample that an empty function gives */
	struct cost_figure added_ns[COST_STATES]; /* how much longer a traced call takes */
};

/** struct costs - some of them */
struct costs {
	size_t n; /* number of @rows */
	struct cost *rows; /* owned; no two of the same method, backend and pairing */
};

/** cost_pairing() - the pairing by which costs are looked up: @pairing, or "by key" for any key */
const char *cost_pairing(const char *pairing);

/** cost_state_name() - "hot" or "cold" */
const char *cost_state_name(enum cost_state state);

/**
 * costs_find() - the costs of a way of measuring, in the words of a snapshot
 *
 * Return: a row of @c, or NULL if they are not known.
 */
const struct cost *costs_find(const struct costs *c, const char *method, const char *backend,
			      const char *pairing);

/**
 * costs_put() - add a copy of a row; it replaces one of the same way
 *
 * Return: 0, -ENOMEM, or -E2BIG past COSTS_MAX.
 */
int costs_put(struct costs *c, const struct cost *row);

/**
 * costs_put_all() - add copies of all rows of another set
 *
 * Return: as costs_put(); after an error some rows have been added.
 */
int costs_put_all(struct costs *c, const struct costs *others);

/** costs_agree() - keep only the rows that are equal in both */
void costs_agree(struct costs *c, const struct costs *other);

/** costs_free() - release; @c may be zero-filled; is zero-filled afterwards */
void costs_free(struct costs *c);

/** costs_json() - as a JSON array. Return: a new array, or NULL when out of memory */
struct json_object *costs_json(const struct costs *c);

/**
 * costs_read() - read what costs_json() made; the input is not trusted
 * @from: object with the member "calibration"
 * @c: empty; receives the rows, freed by the caller also after an error
 */
int costs_read(struct json_object *from, struct costs *c, struct error *e);

#endif /* KSTATS_RESULT_COST_H */
