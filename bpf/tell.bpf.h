/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tell.bpf.h - ids, counts and addresses that only the kernel can give user space. In: iterators
 * over cgroups, programs and maps. Out: what user space reads from them. Part of kstats.bpf.c.
 */
#ifndef KSTATS_TELL_BPF_H
#define KSTATS_TELL_BPF_H

/* A group of cgroup version 2; user space sets the iterator to a file descriptor. */
SEC("iter/cgroup")
int tell_cgroup(struct bpf_iter__cgroup *ctx)
{
	struct cgroup *cgroup = ctx->cgroup;
	struct kstats_cgroup c = {};

	if (!cgroup)
		return 0;
	c.id = cgroup->kn->id;
	c.level = cgroup->level;
	bpf_seq_write(ctx->meta->seq, &c, sizeof(c));
	return 0;
}

/* The counts of each program, as a stream of struct kstats_prog_counts. */
SEC("iter/bpf_prog")
int prog_counts(struct bpf_iter__bpf_prog *ctx)
{
	struct kstats_prog_counts counts = {};
	struct bpf_prog *prog = ctx->prog;

	if (!prog)
		return 0;
	counts.id = prog->aux->id;
	bpf_probe_read_kernel(&counts.active, sizeof(counts.active), &prog->active);
	bpf_probe_read_kernel(&counts.misses, sizeof(counts.misses), &prog->stats);
	counts.misses += bpf_core_field_offset(struct bpf_prog_stats, misses);
	bpf_seq_write(ctx->meta->seq, &counts, sizeof(counts));
	return 0;
}

/*
 * The kprobes of our programs, as a stream of struct kstats_hits where the kernel does not
 * count them itself.
 */
SEC("iter/bpf_link")
int link_hits(struct bpf_iter__bpf_link *ctx)
{
	struct kstats_hits hits = {};
	struct bpf_link *link = ctx->link;
	struct trace_kprobe *tk;
	__u32 id, *place;

	if (!link)
		return 0;
	id = link->prog->aux->id;
	place = bpf_map_lookup_elem(&hit_places, &id);
	if (!place)
		return 0;
	tk = link_kprobe(link);
	guard_tell(tk, *place);
	if (!count_runs)
		return 0;
	hits_read(tk, *place, &hits);
	bpf_seq_write(ctx->meta->seq, &hits, sizeof(hits));
	return 0;
}

/* In a map, an address is a plain number to the verifier. */
static long here_put(__u32 cpu, void *unused)
{
	__u32 zero = 0;
	__u64 *at = bpf_map_lookup_percpu_elem(&here, &zero, cpu);
	struct kstats_heres *h = bpf_map_lookup_elem(&heres, &zero);

	if (at && h && cpu < KSTATS_CPUS_MAX)
		h->at[cpu] = (__u64)at;
	return 0;
}

/*
 * The address of each map's memory, as a stream of struct kstats_map_base. Before the first
 * row it fills @heres with the address of each CPU's memory.
 */
SEC("iter/bpf_map")
int map_bases(struct bpf_iter__bpf_map *ctx)
{
	struct kstats_map_base base = {};
	struct bpf_map *map = ctx->map;

	if (!map)
		return 0;
	if (!ctx->meta->seq_num)
		bpf_loop(n_possible_cpus, here_put, NULL, 0);
	base.id = map->id;
	bpf_probe_read_kernel(&base.base, sizeof(base.base),
			      (void *)map + bpf_core_field_offset(struct bpf_array, pptrs));
	bpf_seq_write(ctx->meta->seq, &base, sizeof(base));
	return 0;
}

#endif /* KSTATS_TELL_BPF_H */
