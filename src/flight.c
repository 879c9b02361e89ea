// SPDX-License-Identifier: GPL-2.0-only
/* flight.c - see flight.h. */
#include "flight.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

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

int flight_count(const struct flight *f, struct snapshot *s)
{
	int err;

	if (f->pairing == KSTATS_BY_CPU)
		return 0;
	if (f->pairing == KSTATS_BY_KEY)
		return count_pending(f, s);
	err = count_tasks(f, s);
	return err ? err : count_idle(f, s);
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
