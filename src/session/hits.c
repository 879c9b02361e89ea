// SPDX-License-Identifier: GPL-2.0-only
/*
 * hits.c - tell the iterator over links which kprobes are ours; see hits.bpf.h. In: a
 * session whose programs are loaded. Out: the link of the iterator. Called by session.c.
 */
#include "session/priv.h"

#include <errno.h>

static int place_put(const struct session *s, const struct hook *h, uint32_t place)
{
	int fd = bpf_map__fd(s->skel->maps.hit_places);
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (h->prog_fd < 0)
		return 0;
	if (bpf_obj_get_info_by_fd(h->prog_fd, &info, &len))
		return -errno;
	return bpf_map_update_elem(fd, &info.id, &place, BPF_ANY) ? -errno : 0;
}

/* Programs of trace events have no hits that the kernel counts. */
static int places_put(const struct session *s, uint32_t i)
{
	const struct plan_way *way = session_way(s, i);
	int err = 0;

	if (way && plan_is_point(s->plan))
		return plan_is_kprobe(way->start.type)
			       ? place_put(s, &s->probes[i].start,
					   2 * i + session_counts_as_end(way->start.type))
			       : 0;
	if (way && way->start.type == PLAN_KPROBE)
		err = place_put(s, &s->probes[i].start, 2 * i);
	if (way && !err && (way->end.type == PLAN_KPROBE || way->end.type == PLAN_KRETPROBE))
		err = place_put(s, &s->probes[i].end, 2 * i + 1);
	return err;
}

int session_hits(struct session *s, struct error *e)
{
	uint32_t i;
	int err = 0;

	if (!bpf_program__autoload(s->skel->progs.link_hits))
		return 0;
	for (i = 0; !err && i < s->plan->n_probes; i++)
		err = places_put(s, i);
	if (!err) {
		s->hits_link = bpf_program__attach_iter(s->skel->progs.link_hits, NULL);
		err = s->hits_link ? 0 : -errno;
	}
	if (!err)
		return 0;
	return error_set(e, EXIT_KERNEL, err, NULL, "see 'kstats-bpf doctor'",
			 "cannot read how often the kernel hits kprobes");
}
