// SPDX-License-Identifier: GPL-2.0-only
/*
 * why.c - single calls: programs beside the hooks that wait for wakeups and sample, and what the
 * programs have left for user space. See why.bpf.h and priv.h.
 */
#include "session/priv.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SAMPLES_PER_SECOND 997 /* a prime: nothing in the kernel happens as often */
#define BUDGET_FIRST 2 /* ordinary calls while nothing is known of their number */
#define BUDGET 64 /* the same from one session_why_chosen() to the next */

/* ---- settings ---- */

void session_why_want(struct session *s)
{
	bool waits = s->plan->spec->why && s->plan->parts_at;

	bpf_program__set_autoload(s->skel->progs.why_waking, waits);
	bpf_program__set_autoload(s->skel->progs.why_sample, waits);
}

/* Those that a program of a trampoline can read. */
uint32_t session_why_args(const struct plan *plan)
{
	const struct plan_probe *probe = &plan->probes[0];
	uint32_t n = 0;

	if (plan->is_pair)
		return 0;
	while (n < probe->n_args && n < KSTATS_WHY_ARGS && probe->args[n].type != FACTS_OTHER &&
	       probe->args[n].bytes <= sizeof(__u64))
		n++;
	return n;
}

int session_why_settings(struct kstats_bpf *skel, const struct plan *plan)
{
	const struct spec *spec = plan->spec;
	int err;

	if (!spec->why)
		return 0;
	skel->rodata->with_why = true;
	skel->rodata->why_args = session_why_args(plan);
	skel->rodata->why_shows = plan->show.n;
	skel->bss->why_threshold_ns = spec->slower.ns;
	skel->bss->why_base_ns = spec->slower.ns;
	/* All calls, until it is known how many there are. */
	skel->bss->why_chance = spec->slower.ns ? UINT32_MAX : 0;
	skel->bss->why_budget = BUDGET_FIRST;
	skel->bss->why_wait_ns = session_why_wait_ns(spec->slower.ns);
	err = bpf_map__set_max_entries(skel->maps.why_records, KSTATS_WHY_RECORDS);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.why_counts,
					       plan->n_cpus << KSTATS_WHY_PLACES_BITS);
	if (err || !plan->parts_at)
		return err;
	return bpf_map__set_max_entries(skel->maps.why_waits,
					bpf_map__max_entries(skel->maps.parts) * KSTATS_PARTS_WAYS);
}

/* ---- programs ---- */

/* Processors that are not online are left out. */
static int why_attach_sample(struct session *s, unsigned int cpu, struct bpf_link **link)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = SAMPLES_PER_SECOND,
		.exclude_idle = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno == ENODEV ? 0 : -errno;
	*link = bpf_program__attach_perf_event(s->skel->progs.why_sample, fd);
	if (*link)
		return 0;
	close(fd);
	return -errno;
}

static int why_attach_samples(struct session *s)
{
	unsigned int cpu;
	int err = 0;

	s->why_samples = calloc(s->plan->n_cpus, sizeof(*s->why_samples));
	if (!s->why_samples)
		return -ENOMEM;
	for (cpu = 0; !err && cpu < s->plan->n_cpus; cpu++)
		err = why_attach_sample(s, cpu, &s->why_samples[cpu]);
	return err;
}

int session_why_attach(struct session *s, struct error *e)
{
	int err;

	if (!s->plan->spec->why)
		return 0;
	err = table_open(&s->why_records, bpf_map__fd(s->skel->maps.why_records),
			 sizeof(struct kstats_why_record));
	if (!err)
		err = table_open(&s->why_counts, bpf_map__fd(s->skel->maps.why_counts),
				 sizeof(struct kstats_why_count));
	if (!err && s->plan->parts_at) {
		s->why_waking = bpf_program__attach_trace(s->skel->progs.why_waking);
		err = s->why_waking ? why_attach_samples(s) : -errno;
	}
	if (!err)
		return 0;
	return error_set(e, EXIT_KERNEL, err, NULL, "see 'kstats-bpf doctor'",
			 "cannot attach the programs that look at single calls");
}

void session_why_detach(struct session *s)
{
	unsigned int cpu;

	bpf_link__destroy(s->why_waking);
	for (cpu = 0; s->why_samples && cpu < s->plan->n_cpus; cpu++)
		bpf_link__destroy(s->why_samples[cpu]);
	free(s->why_samples);
	table_close(&s->why_records);
	table_close(&s->why_counts);
	s->why_samples = NULL;
	s->why_waking = NULL;
}

/* ---- what user space moves ---- */

/* Of what a slow call takes, a wait of an eighth is worth a look. */
#define WAIT_SHARE 8
#define WAIT_LEAST_NS 1000

uint64_t session_why_wait_ns(uint64_t threshold_ns)
{
	uint64_t ns = threshold_ns / WAIT_SHARE;

	return ns > WAIT_LEAST_NS ? ns : WAIT_LEAST_NS;
}

void session_why_limits(struct session *s, uint64_t threshold_ns, uint64_t base_ns)
{
	__atomic_store_n(&s->skel->bss->why_wait_ns, session_why_wait_ns(threshold_ns),
			 __ATOMIC_RELAXED);
	__atomic_store_n(&s->skel->bss->why_threshold_ns, threshold_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&s->skel->bss->why_base_ns, base_ns, __ATOMIC_RELAXED);
}

uint32_t session_why_chosen(struct session *s)
{
	int32_t last = s->why_budget ? s->why_budget : BUDGET_FIRST;

	s->why_budget = BUDGET;
	return last - __atomic_exchange_n(&s->skel->bss->why_budget, BUDGET, __ATOMIC_RELAXED);
}

void session_why_choose(struct session *s, double chance)
{
	__atomic_store_n(&s->skel->bss->why_chance, (uint32_t)(chance * UINT32_MAX),
			 __ATOMIC_RELAXED);
}

/* ---- what programs have left ---- */

void session_why_take(struct session *s, void (*each)(void *, const struct kstats_why_record *),
		      void *ctx)
{
	const struct kstats_why_record *records = s->why_records.at;
	__u32 *states = s->skel->bss->why_states;
	uint32_t i;

	for (i = 0; i < KSTATS_WHY_RECORDS; i++) {
		if (__atomic_load_n(&states[i], __ATOMIC_ACQUIRE) != KSTATS_WHY_FULL)
			continue;
		each(ctx, &records[i]);
		__atomic_store_n(&states[i], KSTATS_WHY_FREE, __ATOMIC_RELEASE);
	}
}

void session_why_count(struct session *s,
		       void (*each)(void *, uint32_t cpu, const struct kstats_why_count *),
		       void *ctx)
{
	const struct kstats_why_count *counts = s->why_counts.at;
	size_t i;

	for (i = 0; i < s->why_counts.n; i++)
		if (counts[i].all)
			each(ctx, i >> KSTATS_WHY_PLACES_BITS, &counts[i]);
}

uint64_t session_why_lost(const struct session *s, enum kstats_why_lost what)
{
	return __atomic_load_n(&s->skel->bss->why_lost[what], __ATOMIC_RELAXED);
}
