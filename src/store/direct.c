// SPDX-License-Identifier: GPL-2.0-only
/* direct.c - functions that the kernel module measures without a BPF program. */
#include "store/priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "direct.skel.h"
#include "util/refusal.h"

static int open_programs(struct store *st)
{
	if (st->direct)
		return 0;
	st->direct = direct_bpf__open_and_load();
	return st->direct ? 0 : -errno;
}

/* Returns what the module's function returned, or -errno if it could not be called. */
static int run(const struct store *st, uint32_t node, const struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	st->direct->bss->id = st->ids[node];
	err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);
	return err ? err : (int)opts.retval;
}

static void explain(int err, char *why, size_t size)
{
	static const struct {
		int err;
		const char *why;
	} words[] = {
		{ -EBUSY, "another tracer or a livepatch has the function" },
		{ -EINVAL, "ftrace cannot hook it, or another tracer has it" },
		{ -ENOSPC, "all stubs of the module are in use, see 'kstats-bpf doctor'" },
		{ -EOPNOTSUPP, "the kernel lacks direct calls, or its time stamp counter is not "
			       "stable" },
		{ -ENOMEM, "the module has no memory left, see its parameter max_mib" },
		{ -ESTALE, "its module was unloaded" },
		{ -EALREADY, "one distribution takes one function only" },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (words[i].err == err) {
			snprintf(why, size, "%s", words[i].why);
			return;
		}
	}
	refusal_blame_module(err, why, size);
}

int store_direct_attach(struct store *st, uint32_t node, uint64_t address, char *why, size_t size)
{
	int err = st->ids ? open_programs(st) : -EOPNOTSUPP;

	if (!err) {
		st->direct->bss->address = address;
		err = run(st, node, st->direct->progs.direct_attach);
	}
	if (err)
		explain(err, why, size);
	return err;
}

int store_direct_filter(struct store *st, uint32_t node, const struct kstats_direct_filter *filter,
			char *why, size_t size)
{
	int err = st->ids ? open_programs(st) : -EOPNOTSUPP;

	if (!err) {
		st->direct->bss->filter = *filter;
		st->direct->bss->filter.like = filter->like == node ? 0 : st->ids[filter->like];
		err = run(st, node, st->direct->progs.direct_filter);
	}
	if (err)
		explain(err, why, size);
	return err;
}

int store_direct_follow(struct store *st, uint32_t node, uint32_t process)
{
	st->direct->bss->process = process;
	return run(st, node, st->direct->progs.direct_follow);
}

int store_direct_detach(struct store *st, uint32_t node)
{
	int err = st->ids ? open_programs(st) : -EOPNOTSUPP;

	return err ? err : run(st, node, st->direct->progs.direct_detach);
}

int store_direct_read(struct store *st, uint32_t node, struct kstats_direct_counts *counts)
{
	return store_calls_direct(st->calls, st->ids[node], counts);
}

void store_direct_close(struct store *st)
{
	direct_bpf__destroy(st->direct);
}
