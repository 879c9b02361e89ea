// SPDX-License-Identifier: GPL-2.0-only
/* flight.c - see flight.h. */
#include "flight.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "ledger.h"

/* A task that just died shows neither among the tasks nor as gone, for a moment. */
#define SETTLE_TRIES 100
#define SETTLE_US 10000

static void count_open(struct snapshot *s, uint32_t node)
{
	if (node < s->n_nodes)
		s->nodes[s->nodes[node].owner].ledger[KSTATS_IN_FLIGHT]++;
}

static int count_tasks(const struct flight *f, struct snapshot *s)
{
	int fd = bpf_iter_create(f->iter_fd), err = 0;
	uint32_t nodes[1024];
	ssize_t n, i;

	if (fd < 0)
		return fd;
	/* The iterator writes whole words, and a read may be cut between two of them. */
	while ((n = read(fd, nodes, sizeof(nodes))) > 0)
		for (i = 0; i < n / (ssize_t)sizeof(*nodes); i++)
			count_open(s, nodes[i]);
	if (n < 0)
		err = -errno;
	close(fd);
	return err;
}

static bool is_open(const struct flight *f, const struct kstats_stamp *stamp)
{
	return stamp->start_ns && stamp->start_ns >= f->epoch_ns;
}

static int count_idle(const struct flight *f, struct snapshot *s)
{
	struct kstats_stack *stacks = calloc(f->n_cpus, sizeof(*stacks));
	unsigned int cpu, i;
	__u32 zero = 0;
	int err = 0;

	if (!stacks)
		return -ENOMEM;
	if (bpf_map_lookup_elem(f->idle_fd, &zero, stacks))
		err = -errno;
	for (cpu = 0; !err && cpu < f->n_cpus; cpu++)
		for (i = 0; i < KSTATS_STACK_DEPTH; i++)
			if (is_open(f, &stacks[cpu].stamps[i]))
				count_open(s, stacks[cpu].stamps[i].node);
	free(stacks);
	return err;
}

static int count_pending(const struct flight *f, struct snapshot *s)
{
	struct kstats_pending p;
	__u64 key, *last = NULL;

	while (!bpf_map_get_next_key(f->pending_fd, last, &key)) {
		last = &key;
		if (!bpf_map_lookup_elem(f->pending_fd, &key, &p) && p.start_ns)
			count_open(s, 0);
	}
	return 0;
}

/* Stamps of --per-cpu lie in the cells, and store_read() counts them. */
static int count(const struct flight *f, struct snapshot *s)
{
	int err;

	if (f->pairing == KSTATS_BY_CPU)
		return 0;
	if (f->pairing == KSTATS_BY_KEY)
		return count_pending(f, s);
	err = f->iter_fd < 0 ? 0 : count_tasks(f, s);
	return err ? err : count_idle(f, s);
}

static bool in_cookies(const struct flight *f, uint32_t node)
{
	return f->in_cookies && f->in_cookies[node];
}

/* What has not ended is known, and not why. */
static void tally_rest(const struct flight *f, struct snapshot *s, bool final)
{
	enum kstats_ledger rest;
	int64_t diff;
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++) {
		if (!ledger_is_owner(s, i) || (final && !in_cookies(f, i)))
			continue;
		rest = in_cookies(f, i) ? KSTATS_NO_END : KSTATS_IN_FLIGHT;
		diff = ledger_balance(s, i);
		s->nodes[i].ledger[rest] += diff > 0 ? diff : 0;
	}
}

static bool balanced(const struct flight *f, const struct snapshot *s)
{
	uint32_t i;

	for (i = 0; i < s->n_nodes; i++)
		if (ledger_is_owner(s, i) && !in_cookies(f, i) && ledger_balance(s, i))
			return false;
	return true;
}

static int tally_final(const struct flight *f, struct store *st, struct snapshot *s,
		       struct error *e)
{
	int i, err = 0;

	for (i = 0; i < SETTLE_TRIES; i++) {
		if (i)
			usleep(SETTLE_US);
		err = store_read(st, s, e);
		if (err)
			return err;
		err = count(f, s);
		if (err)
			return error_set(e, EXIT_KERNEL, err, NULL, NULL,
					 "cannot count the calls in flight");
		if (balanced(f, s))
			break;
	}
	return 0;
}

int flight_tally(const struct flight *f, struct store *st, struct snapshot *s, bool final,
		 struct error *e)
{
	int err = final ? tally_final(f, st, s, e) : store_read(st, s, e);

	if (!err)
		tally_rest(f, s, final);
	return err;
}

void flight_forget(const struct flight *f)
{
	__u64 key;

	if (f->pairing != KSTATS_BY_KEY)
		return;
	while (!bpf_map_get_next_key(f->pending_fd, NULL, &key))
		if (bpf_map_delete_elem(f->pending_fd, &key))
			break;
}
