// SPDX-License-Identifier: GPL-2.0-only
/* cost.c - rows of costs. */
#include "result/cost.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BY_KEY "by key"

const char *cost_pairing(const char *pairing)
{
	return pairing && !strncmp(pairing, BY_KEY, strlen(BY_KEY)) ? BY_KEY : pairing;
}

const char *cost_state_name(enum cost_state state)
{
	return state == COST_HOT ? "hot" : "cold";
}

const struct cost *costs_find(const struct costs *c, const char *method, const char *backend,
			      const char *pairing)
{
	size_t i;

	pairing = cost_pairing(pairing);
	if (!method || !backend || !pairing)
		return NULL;
	for (i = 0; i < c->n; i++)
		if (!strcmp(c->rows[i].method, method) && !strcmp(c->rows[i].backend, backend) &&
		    !strcmp(c->rows[i].pairing, pairing))
			return &c->rows[i];
	return NULL;
}

int costs_put(struct costs *c, const struct cost *row)
{
	const struct cost *old = costs_find(c, row->method, row->backend, row->pairing);
	struct cost *grown;

	if (old) {
		c->rows[old - c->rows] = *row;
		return 0;
	}
	if (c->n == COSTS_MAX)
		return -E2BIG;
	grown = reallocarray(c->rows, c->n + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	c->rows = grown;
	grown[c->n++] = *row;
	return 0;
}

int costs_put_all(struct costs *c, const struct costs *others)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < others->n; i++)
		err = costs_put(c, &others->rows[i]);
	return err;
}

void costs_agree(struct costs *c, const struct costs *other)
{
	const struct cost *same;
	size_t i, n = 0;

	for (i = 0; i < c->n; i++) {
		same = costs_find(other, c->rows[i].method, c->rows[i].backend, c->rows[i].pairing);
		if (same && !memcmp(same->floor_ns, c->rows[i].floor_ns, sizeof(same->floor_ns)) &&
		    !memcmp(same->added_ns, c->rows[i].added_ns, sizeof(same->added_ns)))
			c->rows[n++] = c->rows[i];
	}
	c->n = n;
}

void costs_free(struct costs *c)
{
	free(c->rows);
	*c = (struct costs){};
}
