// SPDX-License-Identifier: GPL-2.0-only
/* skips.c - what the kernel does when it skips a program, and whether it counts that. */
#include "facts/priv.h"

#include <stdio.h>
#include <unistd.h>

#include "util/file.h"

#define ARGS_WITH_MISSES 7

/* Kernels that count skipped kprobes report them by an additional argument of this function. */
static bool counts_kprobes(const struct facts *f)
{
	const struct facts_entry *entry = facts_entry_find(&f->kernel, "bpf_get_perf_event_info");
	struct facts_function fn = {};

	if (entry && entry->btf_id)
		facts_btf_function(&f->kernel, entry->btf_id, &fn);
	return fn.n_args >= ARGS_WITH_MISSES;
}

/* What an iterator over links needs to find a kprobe and its count of hits. */
static bool shows_hits(const struct facts *f)
{
	const struct facts_entry *entry = facts_entry_find(&f->kernel, "bpf_iter_bpf_link");

	return entry && entry->btf_id && facts_btf_has_member(&f->kernel, "trace_kprobe", "nhit") &&
	       facts_btf_has_member(&f->kernel, "bpf_perf_link", "perf_file");
}

static bool is_hookable(const struct facts *f, const char *name)
{
	const struct facts_entry *entry = facts_entry_find(&f->kernel, name);

	return entry && entry->btf_id;
}

static bool may_make_events(const struct facts *f)
{
	static const char *const lists[] = { "/sys/kernel/tracing/kprobe_events",
					     "/sys/kernel/debug/tracing/kprobe_events" };
	char path[4200];
	size_t i;
	int dir;

	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		snprintf(path, sizeof(path), "%s%s", f->root, lists[i]);
		if (!access(path, W_OK))
			return true;
	}
	dir = *f->root ? -1 : file_mount("tracefs");
	if (dir >= 0)
		close(dir);
	return dir >= 0;
}

void facts_skips_read(struct facts *f)
{
	f->returns = may_make_events(f);
	facts_preempt_read(f);
	f->rethook = facts_btf_has_member(&f->kernel, "fprobe", "rethook");
	f->misses = counts_kprobes(f);
	f->deep = !f->rethook && facts_btf_has_member(&f->kernel, "task_struct", "trace_overrun");
	f->hits = shows_hits(f);
	f->bpf_calls = is_hookable(f, "__sys_bpf");
}

bool facts_runs_skipped_return(const struct facts *f)
{
	return f->rethook;
}

bool facts_counts_kprobes(const struct facts *f)
{
	return f->misses;
}

bool facts_room_for_returns(const struct facts *f)
{
	return f->returns;
}

bool facts_counts_deep(const struct facts *f)
{
	return f->deep;
}

bool facts_shows_hits(const struct facts *f)
{
	return f->hits;
}

bool facts_hooks_bpf_calls(const struct facts *f)
{
	return f->bpf_calls;
}
