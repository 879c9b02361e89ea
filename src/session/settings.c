// SPDX-License-Identifier: GPL-2.0-only
/*
 * settings.c - what a plan asks for, as constants of the programs, so
 * that the kernel removes what they leave unused.
 */
#include "session/priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kstats_frames.h"

#define BY_BITS_LEAST 8 /* of the number of a place in the table of keys */
#define BY_HASH_BITS 64 /* the upper ones are that number */
/* Buckets of tasks with parts: so many that of 1,000 sleeping tasks hardly one finds no place. */
#define PARTS_BITS_LEAST 10
#define PARTS_BITS_MOST 14
#define PARTS_BUCKETS_PER_CPU 64
#define TASKS_MAX 262144
#define TASKS_ENDED 16384 /* tasks that have ended and are not freed yet */

/* A power of two: the upper bits of a product are then the number of a task slot. */
static int set_task_slots(struct kstats_bpf *skel)
{
	int n_cpus = libbpf_num_possible_cpus();
	uint32_t n = KSTATS_TASK_SLOTS_PER_CPU, bits;

	while (n < KSTATS_TASK_SLOTS_MAX && (int)n < n_cpus * KSTATS_TASK_SLOTS_PER_CPU)
		n *= 2;
	bits = __builtin_ctz(n);
	skel->rodata->task_slot_shift = 32 - bits;
	return bpf_map__set_max_entries(skel->maps.task_slots, n);
}

/* As many tasks as the kernel allows. An unused entry takes 16 bytes in each table. */
uint32_t session_tasks_max(void)
{
	FILE *f = fopen("/proc/sys/kernel/threads-max", "re");
	uint32_t n = TASKS_MAX;

	if (f && fscanf(f, "%" SCNu32, &n) != 1)
		n = TASKS_MAX;
	if (f)
		fclose(f);
	return (n < TASKS_MAX ? n : TASKS_MAX) + TASKS_ENDED;
}

/* The upper bits of a product are the number of a bucket. */
static int size_parts(struct kstats_bpf *skel, const struct plan *plan)
{
	uint32_t bits = PARTS_BITS_LEAST;

	if (!plan->parts_at)
		return 0;
	while (1U << bits < PARTS_BUCKETS_PER_CPU * plan->n_cpus && bits < PARTS_BITS_MOST)
		bits++;
	skel->rodata->parts_shift = 32 - bits;
	return bpf_map__set_max_entries(skel->maps.parts, 1U << bits);
}

static int size_slots(struct kstats_bpf *skel, const struct plan *plan, bool kmod)
{
	uint32_t blocks = plan->blocks_of_cpu;
	int err = bpf_map__set_value_size(skel->maps.cells,
					  store_cell_size(plan->spec->bits, kmod, blocks));

	skel->rodata->blocks_of_cpu = blocks;
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.cells, plan_all_nodes(plan));
	if (!err && blocks && !kmod)
		err = bpf_map__set_max_entries(skel->maps.blocks, blocks * plan->n_cpus);
	return err;
}

/* As bits: the words of a key at which the name of a task begins. */
static uint32_t comms_of(const struct plan *plan)
{
	uint32_t bits = 0, at = 0, i;

	for (i = 0; i < plan->spec->n_by; at += plan->by.parts[i++].words)
		bits |= (uint32_t)plan->by.parts[i].is_comm << at;
	return bits;
}

/* As bits: the words of a key that programs fill in by the stack. */
static uint32_t frames_of(const struct plan *plan, enum expr_frames frames)
{
	uint32_t bits = 0, at = 0, i;

	for (i = 0; i < plan->spec->n_by; at += plan->by.parts[i++].words)
		bits |= (uint32_t)(plan->by.parts[i].frames == frames) << at;
	return bits;
}

/* Half of the places are in use at most. */
static int size_frames(struct kstats_bpf *skel, const struct plan *plan)
{
	uint32_t bits = BY_BITS_LEAST, stacks;
	int err;

	skel->rodata->by_callers = frames_of(plan, EXPR_FRAMES_CALLER);
	skel->rodata->by_kstacks = frames_of(plan, EXPR_FRAMES_KERNEL);
	skel->rodata->by_ustacks = frames_of(plan, EXPR_FRAMES_PROGRAM);
	skel->rodata->by_user_calls = plan->by.of_user_calls;
	stacks = __builtin_popcount(skel->rodata->by_kstacks | skel->rodata->by_ustacks);
	if (!stacks)
		return 0;
	while (1U << bits < 2 * stacks * plan->by.most)
		bits++;
	skel->rodata->frames_shift = BY_HASH_BITS - bits;
	err = bpf_map__set_max_entries(skel->maps.frames_rooms, KSTATS_FRAMES_ROOMS);
	return err ? err : bpf_map__set_max_entries(skel->maps.frames, 1U << bits);
}

/* A quarter of the places are in use at most, so that a key is near its first place. */
static int size_keys(struct kstats_bpf *skel, const struct plan *plan)
{
	uint32_t bits = BY_BITS_LEAST;
	int err;

	if (!plan->by.most)
		return 0;
	while (1U << bits < 4 * plan->by.most)
		bits++;
	skel->rodata->by_words = plan->by.words;
	skel->rodata->by_comms = comms_of(plan);
	skel->rodata->by_at_start = plan->by.at_start;
	skel->rodata->by_may_fail = plan->by.may_fail;
	skel->rodata->by_first = plan->by.first;
	skel->rodata->by_most = plan->by.most;
	skel->rodata->by_shift = BY_HASH_BITS - bits;
	skel->rodata->by_bits = bits - 1;
	err = bpf_map__set_value_size(skel->maps.by_keys, session_by_size(&plan->by));
	return err ? err : bpf_map__set_max_entries(skel->maps.by_keys, 1U << bits);
}

/* What is kept of starts has a place beside each stamp. */
static int size_kept(struct kstats_bpf *skel, enum kstats_pairing pairing)
{
	int err = 0;

	if (pairing == KSTATS_BY_KEY)
		return bpf_map__set_max_entries(skel->maps.kept_keys, KSTATS_KEY_BUCKETS);
	if (pairing == KSTATS_BY_TASK) {
		err = bpf_map__set_max_entries(skel->maps.kept_slots,
					       bpf_map__max_entries(skel->maps.task_slots));
		if (!err)
			err = bpf_map__set_max_entries(skel->maps.kept_tasks, session_tasks_max());
	}
	return err;
}

static int size_maps(struct kstats_bpf *skel, const struct plan *plan, bool kmod)
{
	const struct spec *spec = plan->spec;
	int err = size_slots(skel, plan, kmod);

	if (!err)
		err = size_parts(skel, plan);
	if (!err)
		err = session_why_settings(skel, plan);
	if (!err)
		err = size_keys(skel, plan);
	if (!err)
		err = size_frames(skel, plan);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.guards, 2 * plan->n_probes);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.guards_seen, 2 * plan->n_probes);
	if (!err)
		err = session_callees_settings(skel, plan);
	if (!err && plan->counts_runs)
		err = bpf_map__set_max_entries(skel->maps.runs, 2 * plan->n_probes);
	if (!err && plan->reads_hits)
		err = bpf_map__set_max_entries(skel->maps.hit_places, 2 * plan->n_probes);
	if (!err && spec->pairing == KSTATS_BY_TASK)
		err = set_task_slots(skel);
	if (!err && spec->pairing == KSTATS_BY_TASK)
		err = bpf_map__set_max_entries(skel->maps.task_stacks, session_tasks_max());
	if (!err && plan->n_kept + plan->n_vias)
		err = size_kept(skel, spec->pairing);
	if (!err && skel->rodata->who_by_command)
		err = bpf_map__set_max_entries(skel->maps.command_tasks, session_tasks_max());
	if (!err && spec->pairing == KSTATS_BY_KEY)
		err = bpf_map__set_max_entries(skel->maps.keys, KSTATS_KEY_BUCKETS);
	return err;
}

/* The constant value 1 counts events. */
static void settings_set_value(struct kstats_bpf *skel, const struct plan *plan)
{
	const struct expr *x = plan->spec->value;

	skel->rodata->by_value = x;
	if (!x || !plan_is_point(plan) || plan->spec->condition ||
	    x->nodes[x->root].op != EXPR_NUMBER)
		return;
	skel->rodata->value_is_fixed = true;
	skel->rodata->value_fixed = x->nodes[x->root].number;
	/* What stays is read by others, from its slots. */
	skel->rodata->point_counts = !plan->spec->n_by && !plan->spec->stays;
	skel->rodata->point_counts_all = skel->rodata->point_counts && skel->rodata->is_alone &&
					 !spec_leaves_out(plan->spec);
}

/* All probes ask at the same points. */
static void set_conditions(struct kstats_bpf *skel, const struct plan *plan)
{
	const struct plan_way *way = &plan->probes[0].ways[0];
	const struct spec_point *p;
	uint32_t i;

	skel->rodata->if_at_start = way->start.if_start.n || way->start.gate.n;
	skel->rodata->key_by_expr = plan->spec->keys[0];
	settings_set_value(skel, plan);
	skel->rodata->point_at_return = plan->spec->at_return;
	skel->rodata->if_at_end = way->start.if_end.n || way->end.if_end.n;
	if (!plan->is_several)
		return;
	/* Of several points each is a start or an end, and all of a kind ask for the same. */
	for (i = 0; i < plan->n_probes; i++) {
		way = &plan->probes[i].ways[0];
		skel->rodata->if_at_start |= way->start.if_start.n > 0;
		skel->rodata->if_at_end |= way->end.if_end.n > 0;
	}
	for (p = &plan->spec->start; p; p = p->next)
		skel->rodata->points_leave_out |= p->condition != NULL;
	skel->rodata->first_counts = plan->spec->first;
	skel->rodata->kept_words = plan->n_kept + plan->n_vias;
	skel->rodata->kept_exprs = plan->n_kept;
	skel->rodata->n_vias = plan->n_vias;
	skel->rodata->via_at = plan->via_at;
	skel->rodata->key_by_expr = plan->spec->pairing == KSTATS_BY_KEY;
	skel->rodata->n_points = plan->n_probes;
}

/* The kernel skips no program on a program's function. */
static bool may_doubt(const struct plan *plan)
{
	if (plan_is_point(plan) || (plan->has_user && !plan->is_pair))
		return false;
	return plan->preempts || plan->spec->pairing == KSTATS_BY_KEY;
}

/*
 * Of a pair per CPU or by a key, the end of a start may be another task's: its programs look for
 * the start first. At a single point nothing is counted that is left out.
 */
static void settings_set_first(struct kstats_bpf *skel, const struct plan *plan)
{
	enum kstats_pairing pairing = plan->spec->pairing;

	if (pairing == KSTATS_BY_KEY || pairing == KSTATS_BY_POINT ||
	    (pairing == KSTATS_BY_CPU && plan->is_pair)) {
		skel->rodata->who_later = skel->rodata->who_any;
		return;
	}
	SESSION_SET_FIRST(skel->rodata);
	if (skel->rodata->count_others && skel->rodata->who_first)
		skel->rodata->who_first = KSTATS_WHO_COUNTED + KSTATS_WHO_LISTED;
	else if (!skel->rodata->who_first && !skel->rodata->count_others &&
		 skel->rodata->who_later && pairing == KSTATS_BY_TASK)
		skel->rodata->who_first = KSTATS_WHO_CHANGING;
}

int session_settings(struct kstats_bpf *skel, const struct plan *plan, bool kmod, struct error *e)
{
	const struct spec *spec = plan->spec;
	int err;

	skel->rodata->kstats_bits = spec->bits;
	skel->rodata->kstats_n_map = kstats_n_slots(spec->bits);
	skel->rodata->pairing = spec->pairing;
	skel->rodata->is_pair = plan->is_pair;
	/* Programs on programs are preempted, and the kernel then runs them again on that CPU. */
	skel->rodata->is_alone = (!plan_one_node(plan) || plan->n_probes == 1) && !plan->has_user;
	skel->rodata->by_gap = spec->gap;
	skel->rodata->count_others = spec->max_overhead > 0;
	skel->rodata->by_ret = spec->split_ret || plan->quick.ret_op != KSTATS_RET_ANY;
	skel->rodata->split_ret = spec->split_ret;
	skel->rodata->ret_op = plan->quick.ret_op;
	skel->rodata->ret_value = plan->quick.ret_value;
	skel->rodata->min_ns = plan->quick.min_ns;
	set_conditions(skel, plan);
	skel->rodata->may_doubt = may_doubt(plan);
	skel->rodata->counts_switches = spec_asks_switches(spec);
	skel->rodata->keeps_switches = may_doubt(plan) || spec_asks_switches(spec);
	skel->rodata->cookie_may_be_old = plan->preempts && plan->session == FACTS_SESSION_VOID;
	skel->rodata->count_runs = plan->counts_runs;
	skel->rodata->unverified_at = plan->unverified_at;
	skel->rodata->with_parts = plan->parts_at;
	skel->rodata->parts_numbered = plan->parts_at && (plan->spec->why || plan->n_callees);
	skel->rodata->parts_at = plan->parts_at;
	skel->rodata->n_of_owner = plan_stride(plan);
	skel->rodata->n_possible_cpus = libbpf_num_possible_cpus();
	skel->rodata->deep_in_container = session_in_container();
	skel->rodata->key_start = spec->key_start;
	skel->rodata->key_end = spec->key_end;
	err = SESSION_SET_WHO(skel->rodata, spec, e);
	if (err)
		return err;
	/* The module follows the command. */
	if (spec->method == SPEC_METHOD_DIRECT)
		skel->rodata->who_by_command = false;
	settings_set_first(skel, plan);
	err = size_maps(skel, plan, kmod);
	return err ? error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot size the maps") : 0;
}
