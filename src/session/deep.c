// SPDX-License-Identifier: GPL-2.0-only
/*
 * deep.c - calls of kprobe sessions that are nested deeper than the kernel keeps; see
 * deep.bpf.h and priv.h.
 */
#include "session/priv.h"

#include <errno.h>

bool session_counts_deep(const struct session *s)
{
	return bpf_program__autoload(s->skel->progs.task_depths);
}

static int read_tasks(const struct session *s, struct rows *rows)
{
	struct bpf_link *link = bpf_program__attach_iter(s->skel->progs.task_depths, NULL);
	int err;

	if (!link)
		return -errno;
	err = rows_read(rows, sizeof(struct kstats_deep), bpf_link__fd(link));
	bpf_link__destroy(link);
	return err;
}

static const struct kstats_deep *deep_row_of(const struct rows *rows, size_t i)
{
	return (const struct kstats_deep *)rows->data + i;
}

int session_deep_begin(struct session *s)
{
	int err = session_counts_deep(s) ? read_tasks(s, &s->deep) : 0;
	const struct kstats_deep *row;
	__u32 calls;
	size_t i;

	for (i = 0; !err && i < s->deep.n; i++) {
		row = deep_row_of(&s->deep, i);
		calls = row->calls;
		if (bpf_map_update_elem(bpf_map__fd(s->skel->maps.deep_before), &row->task, &calls,
					BPF_ANY))
			err = -errno;
	}
	*(volatile __u64 *)&s->skel->bss->deep_ended = 0;
	return err;
}

/* A task that ends between the two readings is missing, and none is counted twice. */
int session_deep_read(struct session *s, struct session_deep *deep)
{
	const struct kstats_deep *row, *before;
	struct rows now = {};
	size_t i;
	int err;

	*deep = (struct session_deep){};
	if (!session_counts_deep(s))
		return 0;
	deep->ended = *(volatile __u64 *)&s->skel->bss->deep_ended;
	err = read_tasks(s, &now);
	for (i = 0; !err && i < now.n; i++) {
		row = deep_row_of(&now, i);
		before = rows_find(&s->deep, row->task);
		deep->alive += row->calls;
		if (before && before->start_time == row->start_time)
			deep->alive -= before->calls;
	}
	rows_free(&now);
	return err;
}
