// SPDX-License-Identifier: GPL-2.0-only
/*
 * slot.c - the slot arithmetic in BPF against the one in user space, at every
 * slot edge, one below and one above, for every bits. Prints TAP. Run in guests
 * by slot.t.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>

#include "kstats_slot.h"
#include "slot.h"
#include "slot.skel.h"

struct batch {
	struct slot_bpf *skel;
	struct slot_case cases[SLOT_BATCH];
	__u32 n;
	unsigned long checked;
	unsigned long wrong;
};

static void check(struct batch *b, const struct slot_case *c)
{
	__u32 i = kstats_slot_index(c->value, c->bits);

	b->checked++;
	if (c->index == i && c->first == kstats_slot_first(i, c->bits) &&
	    c->last == kstats_slot_last(i, c->bits) &&
	    c->scaled == kstats_slot_scale(c->value, i, c->bits) && c->first <= c->value &&
	    c->value <= c->last)
		return;
	if (!b->wrong++)
		printf("# %llu at bits %u: slot %u, not %u\n", (unsigned long long)c->value,
		       c->bits, c->index, i);
}

static int flush(struct batch *b)
{
	int fd = bpf_map__fd(b->skel->maps.cases);
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct slot_case c;
	__u32 i;

	for (i = 0; i < b->n; i++)
		if (bpf_map_update_elem(fd, &i, &b->cases[i], BPF_ANY))
			return -1;
	if (bpf_prog_test_run_opts(bpf_program__fd(b->skel->progs.slot_run), &opts) || opts.retval)
		return -1;
	for (i = 0; i < b->n; i++) {
		if (bpf_map_lookup_elem(fd, &i, &c))
			return -1;
		check(b, &c);
	}
	b->n = 0;
	return 0;
}

static int add(struct batch *b, __u64 value, __u32 bits)
{
	b->cases[b->n++] = (struct slot_case){ .value = value, .bits = bits };
	return b->n == SLOT_BATCH ? flush(b) : 0;
}

static int all(struct batch *b)
{
	__u32 bits, i;
	__u64 v;
	int err = 0;

	for (bits = 0; bits <= KSTATS_BITS_MAX; bits++) {
		for (i = 0; !err && i + 1 < kstats_n_slots(bits); i++) {
			v = kstats_slot_first(i, bits);
			err = add(b, v, bits) || add(b, v + 1, bits) || (v && add(b, v - 1, bits));
		}
		err = err || add(b, ~0ULL, bits);
	}
	return err || flush(b);
}

int main(void)
{
	struct batch b = { .skel = slot_bpf__open_and_load() };
	int err = !b.skel || all(&b);

	printf("1..1\n%sok 1 - %lu values, %lu wrong\n", err || b.wrong || !b.checked ? "not " : "",
	       b.checked, b.wrong);
	slot_bpf__destroy(b.skel);
	return err || b.wrong;
}
