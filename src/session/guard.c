// SPDX-License-Identifier: GPL-2.0-only
/*
 * guard.c - find where the kernel counts the programs of each hook that it skips. In: a
 * session whose programs are loaded. Out: the guards by which an end verifies its start.
 * Called by session.c.
 */
#include "session/priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "facts/facts.h"
#include "hook/rows.h"

/* ---- programs and maps ---- */

/* The rows of the iterators, and per-CPU addresses. */
struct kernel {
	struct rows progs;
	struct rows maps;
	uint64_t here; /* of the map "here" */
	uint64_t active; /* of the count of kprobe programs that run; 0: hidden, or not needed */
};

static int rows_of(struct rows *rows, size_t size, const struct bpf_program *iterator)
{
	struct bpf_link *link = bpf_program__attach_iter(iterator, NULL);
	int err;

	if (!link)
		return -errno;
	err = rows_read(rows, size, bpf_link__fd(link));
	bpf_link__destroy(link);
	return err;
}

static int kernel_read(struct kernel *k, const struct session *s)
{
	const struct kstats_map_base *base;
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int err;

	err = rows_of(&k->progs, sizeof(struct kstats_prog_counts), s->skel->progs.prog_counts);
	if (!err)
		err = rows_of(&k->maps, sizeof(*base), s->skel->progs.map_bases);
	if (!err && bpf_obj_get_info_by_fd(bpf_map__fd(s->skel->maps.here), &info, &len))
		err = -errno;
	if (err)
		return err;
	base = rows_find(&k->maps, info.id);
	if (!base || !base->base)
		return -ENOENT;
	k->here = base->base;
	s->skel->bss->here_base = k->here;
	return 0;
}

static void kernel_free(struct kernel *k)
{
	rows_free(&k->progs);
	rows_free(&k->maps);
}

static const struct kstats_prog_counts *counts_of_fd(const struct kernel *k, int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (prog_fd < 0 || bpf_obj_get_info_by_fd(prog_fd, &info, &len))
		return NULL;
	return rows_find(&k->progs, info.id);
}

static const struct kstats_prog_counts *counts_of(const struct kernel *k, const struct hook *h)
{
	return counts_of_fd(k, h->prog_fd);
}

/* ---- guards ---- */

static int take_active(void *address, const struct facts_symbol *symbol)
{
	if (strcmp(symbol->name, "bpf_prog_active"))
		return 0;
	*(uint64_t *)address = symbol->address;
	return 1;
}

/* Whether an end or a cancel of the pair is a kprobe, which the kernel skips inside of others. */
static bool ends_by_kprobe(const struct session *s)
{
	const struct plan_way *way;
	uint32_t i;

	for (i = 0; i < s->plan->n_probes; i++) {
		way = session_way(s, i);
		if (way && plan_is_kprobe(way->end.type))
			return true;
	}
	return false;
}

/*
 * The kernel skips a kprobe program while any kprobe program runs on that CPU. If the end is a
 * kprobe program too, it is skipped as well, and needs no such check.
 */
static bool needs_active(const struct session *s, const struct plan_way *way)
{
	return plan_is_kprobe(way->start.type) &&
	       !(s->plan->is_several ? ends_by_kprobe(s) : plan_is_kprobe(way->end.type));
}

static bool any_needs_active(const struct session *s)
{
	const struct plan_way *way;
	uint32_t i;

	for (i = 0; i < s->plan->n_probes; i++) {
		way = session_way(s, i);
		if (way && needs_active(s, way))
			return true;
	}
	return false;
}

/* Of a start: what counts the programs by which the kernel skips it, as the guards have it. */
static uint64_t active_of(const struct session *s, const struct kernel *k,
			  const struct kstats_prog_counts *start, const struct plan_way *way)
{
	if (!plan_is_kprobe(way->start.type))
		return start->active - k->here;
	return k->active && needs_active(s, way) ? k->active - k->here : 0;
}

static int guard_put(const struct session *s, uint32_t place, const struct kstats_guard *guard)
{
	int fd = bpf_map__fd(s->skel->maps.guards);

	return bpf_map_update_elem(fd, &place, guard, BPF_ANY) ? -errno : 0;
}

static bool is_counted(const struct session *s, enum plan_hook_type type)
{
	return plan_has(s->plan, FACTS_COUNTS_KPROBES) || !plan_is_kprobe(type);
}

/* Without the programs that count calls of bpf(2), the guard stays empty. */
static void guard_by_bpf_calls(const struct session *s, const struct kernel *k,
			       struct kstats_guard *guard)
{
	const struct kstats_prog_counts *begins, *ends;

	begins = counts_of_fd(k, bpf_program__fd(s->skel->progs.bpf_begins));
	ends = counts_of_fd(k, bpf_program__fd(s->skel->progs.bpf_ends));
	if (!begins || !ends)
		return;
	guard->by_bpf_calls = true;
	guard->misses[0] = begins->misses - k->here;
	guard->misses[1] = ends->misses - k->here;
}

/* One of several points. An end looks at the guards of all. */
static int guard_point(const struct session *s, uint32_t i, const struct kernel *k)
{
	const struct plan_way *way = session_way(s, i);
	bool starts = way && plan_has_start(way);
	const struct hook *hook = starts ? &s->probes[i].start : &s->probes[i].end;
	enum plan_hook_type type = !way ? PLAN_NO_HOOK : starts ? way->start.type : way->end.type;
	const struct kstats_prog_counts *counts = counts_of(k, hook);
	struct kstats_guard guard = {};

	if (!counts)
		return -ENOENT;
	if (starts)
		guard.active = active_of(s, k, counts, way);
	if (is_counted(s, type))
		guard.misses[0] = counts->misses - k->here;
	else
		guard_by_bpf_calls(s, k, &guard);
	return guard_put(s, i, &guard);
}

/* An end of a pair does not tell to which start it belongs, so skipped ends count too. */
static int guard_probe(const struct session *s, uint32_t i, const struct kernel *k)
{
	const struct plan_way *way = session_way(s, i);
	const struct session_probe *sp = &s->probes[i];
	const struct kstats_prog_counts *start, *end;
	struct kstats_guard guard = {};

	if (!way || sp->many >= 0 || sp->direct)
		return 0;
	if (s->plan->is_several)
		return guard_point(s, i, k);
	start = counts_of(k, &sp->start);
	end = counts_of(k, &sp->end);
	if (!start || (s->plan->is_pair && !end))
		return -ENOENT;
	guard.active = active_of(s, k, start, way);
	if (is_counted(s, way->start.type) && is_counted(s, way->end.type)) {
		guard.misses[0] = start->misses - k->here;
		*(s->plan->is_pair ? &guard.misses[1] : &guard.end_misses) =
			end ? end->misses - k->here : 0;
	} else if (!is_counted(s, way->start.type) && !is_counted(s, way->end.type)) {
		guard_by_bpf_calls(s, k, &guard);
	}
	return guard_put(s, i, &guard);
}

static int guard_many(const struct session *s, uint32_t i, const struct kernel *k)
{
	const struct kstats_prog_counts *both = counts_of(k, &s->many[i].hook);
	struct kstats_guard guard = {};

	if (!both)
		return -ENOENT;
	guard.misses[0] = both->misses - k->here;
	return guard_put(s, session_guard_of(s, i), &guard);
}

/* Of a callee, what is skipped of both programs counts. One that is left out has no guard. */
static int guard_callee(const struct session *s, uint32_t i, const struct kernel *k)
{
	const struct kstats_prog_counts *start = counts_of(k, &s->callees[i].start);
	const struct kstats_prog_counts *end = counts_of(k, &s->callees[i].end);
	struct kstats_guard guard = {};

	if (!start || !end)
		return 0;
	guard.misses[0] = start->misses - k->here;
	guard.misses[1] = end->misses - k->here;
	return guard_put(s, s->skel->rodata->callees_guard + i, &guard);
}

int session_guard(struct session *s, struct error *e)
{
	struct kernel k = {};
	int err = kernel_read(&k, s);
	uint32_t i;

	if (!err && any_needs_active(s))
		facts_symbols("", facts_kernel_types(s->plan->facts), take_active, &k.active);
	for (i = 0; !err && i < s->plan->n_probes; i++)
		err = guard_probe(s, i, &k);
	for (i = 0; !err && i < s->n_many; i++)
		err = guard_many(s, i, &k);
	for (i = 0; !err && i < s->plan->n_callees; i++)
		err = guard_callee(s, i, &k);
	kernel_free(&k);
	if (!err)
		return 0;
	return error_set(e, EXIT_KERNEL, err, NULL, "see 'kstats-bpf doctor'",
			 "cannot read where the kernel counts the programs it skips");
}
