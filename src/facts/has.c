// SPDX-License-Identifier: GPL-2.0-only
/* has.c - what the kernel has or does, a row for each such fact. */
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

static bool links_uprobes(const struct facts *f)
{
	return facts_entry_find(&f->kernel, "bpf_uprobe_multi_link_attach");
}

/* Kernels before 6.14 keep the calls of kprobe sessions in a pool. */
static bool has_rethook(const struct facts *f)
{
	return facts_btf_has_member(&f->kernel, "fprobe", "rethook");
}

static bool counts_deep(const struct facts *f)
{
	return !has_rethook(f) && facts_btf_has_member(&f->kernel, "task_struct", "trace_overrun");
}

static bool hooks_bpf_calls(const struct facts *f)
{
	return is_hookable(f, "__sys_bpf");
}

static bool links_registers(const struct facts *f)
{
	return facts_btf_has_member(&f->kernel, FACTS_LINKED_REGISTERS, "cnt");
}

void facts_has_read(struct facts *f)
{
	static bool (*const rows[])(const struct facts *f) = {
		[FACTS_LINKS_UPROBES] = links_uprobes,
		[FACTS_RUNS_SKIPPED_RETURN] = has_rethook,
		[FACTS_COUNTS_KPROBES] = counts_kprobes,
		[FACTS_ROOM_FOR_RETURNS] = may_make_events,
		[FACTS_COUNTS_DEEP] = counts_deep,
		[FACTS_SHOWS_HITS] = shows_hits,
		[FACTS_HOOKS_BPF_CALLS] = hooks_bpf_calls,
		[FACTS_LINKS_REGISTERS] = links_registers,
	};
	unsigned int i;

	for (i = 0; i < FACTS_HAS_N; i++)
		f->has |= (uint32_t)rows[i](f) << i;
}

uint32_t facts_has(const struct facts *f)
{
	return f->has;
}
