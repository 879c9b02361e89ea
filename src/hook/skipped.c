// SPDX-License-Identifier: GPL-2.0-only
/* skipped.c - what the kernel left out, by its own counters; see hook.h. */
#include <bpf/bpf.h>

#include "hook/hook.h"

/* Of enum bpf_perf_event_type, newer than many headers. */
#define PERF_UPROBE 1
#define PERF_URETPROBE 2

/* Parts of struct bpf_link_info that older headers do not have. */
struct link_info {
	__u32 type;
	__u32 id;
	__u32 prog_id;
	__u32 pad;
	union {
		struct { /* since 6.7 */
			__u32 perf_type;
			__u32 pad2;
			__u64 func_name;
			__u32 name_len;
			__u32 offset;
			__u64 addr;
			__u64 missed;
			__u64 cookie;
		} kprobe;
		struct { /* since 6.6, @missed since 6.7 */
			__u64 addrs;
			__u32 count;
			__u32 flags;
			__u64 missed;
			__u64 cookies;
		} many;
	};
};

static uint64_t link_missed(int fd)
{
	struct link_info link = {};
	__u32 len = sizeof(link);

	if (bpf_obj_get_info_by_fd(fd, &link, &len))
		return 0;
	if (link.type == BPF_LINK_TYPE_KPROBE_MULTI)
		return link.many.missed;
	/* Of an uprobe other things are there. */
	if (link.type == BPF_LINK_TYPE_PERF_EVENT && len >= sizeof(link) &&
	    link.kprobe.perf_type != PERF_UPROBE && link.kprobe.perf_type != PERF_URETPROBE)
		return link.kprobe.missed;
	return 0;
}

struct hook_skips hook_skips(const struct hook *h)
{
	struct bpf_prog_info prog = {};
	__u32 len = sizeof(prog);
	struct hook_skips n = {};

	if (h->prog_fd >= 0 && !bpf_obj_get_info_by_fd(h->prog_fd, &prog, &len))
		n.runs = prog.recursion_misses;
	if (h->link_fd >= 0)
		n.hits = link_missed(h->link_fd);
	return n;
}

uint64_t hook_skipped(const struct hook *h)
{
	struct hook_skips n = hook_skips(h);

	return n.runs + n.hits;
}

int hook_hits_read(struct rows *hits, int link_fd)
{
	if (link_fd >= 0)
		return rows_read(hits, sizeof(struct kstats_hits), link_fd);
	rows_free(hits);
	return 0;
}

/* Counters wrap around: the sign of a small difference tells which reading is later. */
void hook_hits_least(struct rows *hits, const struct rows *later)
{
	struct kstats_hits *rows = (struct kstats_hits *)hits->data;
	const struct kstats_hits *row;
	size_t i;

	for (i = 0; i < hits->n; i++) {
		row = rows_find(later, rows[i].place);
		if (row && (int64_t)(row->skipped - rows[i].skipped) < 0)
			rows[i].skipped = row->skipped;
	}
}

struct hook_skips hook_hits(const struct rows *hits, uint32_t probe, bool end)
{
	const struct kstats_hits *row = rows_find(hits, 2ULL * probe + end);
	struct hook_skips n = {};

	if (row)
		n = (struct hook_skips){ .runs = row->skipped, .hits = row->missed };
	return n;
}
