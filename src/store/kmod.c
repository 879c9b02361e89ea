// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmod.c - slots in the kernel module. A map holds its nodes. They are released with the map:
 * if only this process holds it, when the process ends, however it ends.
 */
#include "store/priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "node.skel.h"
#include "util/refusal.h"

static struct bpf_map *owners_of(const struct store *st)
{
	return bpf_map__autocreate(st->module->maps.owners) ? st->module->maps.owners
							    : st->module->maps.old_owners;
}

static struct bpf_program *create_of(const struct store *st)
{
	return bpf_program__autoload(st->module->progs.node_create)
		       ? st->module->progs.node_create
		       : st->module->progs.node_create_old;
}

/* @old: for kernels before 6.4. NULL and errno on failure. */
static struct node_bpf *load_for(uint32_t n_nodes, bool old)
{
	struct node_bpf *m = node_bpf__open();
	int err;

	if (!m)
		return NULL;
	bpf_program__set_autoload(m->progs.node_create, !old);
	bpf_program__set_autoload(m->progs.node_create_old, old);
	bpf_map__set_autocreate(m->maps.owners, !old);
	bpf_map__set_autocreate(m->maps.old_owners, old);
	err = bpf_map__set_max_entries(old ? m->maps.old_owners : m->maps.owners, n_nodes);
	if (!err)
		err = node_bpf__load(m);
	if (!err)
		return m;
	node_bpf__destroy(m);
	errno = -err;
	return NULL;
}

/* Kernels before 6.4 know pointers in maps by another type tag: try that one if they refuse. */
static struct node_bpf *load_any(uint32_t n_nodes)
{
	struct node_bpf *m = load_for(n_nodes, false);

	return m || errno != EACCES ? m : load_for(n_nodes, true);
}

static int load(struct store *st, struct error *e)
{
	char why[256] = "";
	int err;

	st->module = load_any(st->n_nodes);
	if (st->module)
		return 0;
	err = -errno;
	refusal_blame_module(err, why, sizeof(why));
	return error_set(e, EXIT_KERNEL, err, why, "see 'kstats-bpf doctor'",
			 "cannot use the module kstats");
}

/* Explain the errno of the module, and say what to do. */
static int refused(int err, const char *name, struct error *e)
{
	static const struct {
		int err;
		const char *why;
		const char *next;
	} words[] = {
		{ -EEXIST, "the module kstats has one of that name", "choose another name" },
		{ -EINVAL, "the module kstats takes names of at most 63 letters, digits, _ . - :",
		  "choose a shorter name, or use --backend map" },
		{ -ENOSPC, "the module kstats has no room left",
		  "raise its parameters max_mib or max_nodes, or use --backend map" },
		{ -ENOMEM, "the kernel has no memory for its slots on every CPU",
		  "use fewer bits, or fewer functions" },
	};
	const char *why = NULL, *next = "use --backend map";
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (words[i].err == err) {
			why = words[i].why;
			next = words[i].next;
		}
	}
	return error_set(e, err == -EEXIST ? EXIT_USAGE : EXIT_KERNEL, err, why, next,
			 "cannot make %s%s%s", name[0] ? "the node '" : "a node", name,
			 name[0] ? "'" : "");
}

static int create(struct store *st, uint32_t node, const char *name, struct error *e)
{
	struct node_bpf__bss *v = st->module->bss;
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	v->place = node;
	v->frac_bits = st->bits;
	snprintf(v->name, sizeof(v->name), "%s", name);
	err = bpf_prog_test_run_opts(bpf_program__fd(create_of(st)), &opts);
	if (!err && v->id < 0)
		err = v->id;
	if (err)
		return refused(err, name, e);
	st->ids[node] = v->id;
	return 0;
}

/* Make one node that holds all; the distribution 0 is not used. */
static int create_array(struct store *st, uint32_t blocks, struct error *e)
{
	uint32_t i;
	int err;

	st->module->bss->array_n = st->n_nodes + 1;
	st->module->bss->array_blocks = blocks;
	err = create(st, 0, "", e);
	for (i = 1; !err && i < st->n_nodes; i++)
		st->ids[i] = st->ids[0];
	return err;
}

/*
 * Put the node's id into its cells. These are still zero, since no program is attached. In an
 * array an index is never 0, which tells the two kinds apart.
 */
static int tell_cell(struct store *st, uint32_t node, struct error *e)
{
	struct kstats_cell *cell;
	unsigned int cpu;

	memset(st->cells, 0, st->n_cpus * st->cell_size);
	for (cpu = 0; cpu < st->n_cpus; cpu++) {
		cell = (void *)((char *)st->cells + cpu * st->cell_size);
		cell->id = st->ids[node];
		cell->index = st->in_array ? node + 1 : 0;
	}
	if (bpf_map_update_elem(st->cells_fd, &node, st->cells, BPF_ANY))
		return error_set(e, EXIT_KERNEL, -errno, NULL, NULL, "cannot make a node");
	return 0;
}

static int make(struct store *st, const struct store_setup *setup, struct error *e)
{
	uint32_t i;
	int err = 0;

	st->in_array = setup->array_blocks;
	if (st->in_array)
		err = create_array(st, setup->array_blocks, e);
	for (i = 0; !err && i < st->n_nodes; i++) {
		if (!st->in_array)
			err = create(st, i, setup->names ? setup->names[i] : "", e);
		if (!err)
			err = tell_cell(st, i, e);
	}
	return err;
}

/* The nodes exist already, and their ids are in the cells. */
static int find(struct store *st, struct error *e)
{
	const struct kstats_cell *cell = st->cells;
	uint32_t i;

	for (i = 0; i < st->n_nodes; i++) {
		if (bpf_map_lookup_elem(st->cells_fd, &i, st->cells))
			return error_set(e, EXIT_KERNEL, -errno, NULL, NULL,
					 "cannot find the nodes of the module");
		st->ids[i] = cell->id;
		st->in_array = cell->index;
	}
	return 0;
}

/* The module stays loaded as long as it has nodes, so all nodes name the same functions. */
static int open_calls(struct store *st, const struct store_setup *setup,
		      const struct store_call_ids *ids, struct error *e)
{
	struct store_calls *calls = setup->shared ? *setup->shared : NULL;
	int err = setup->module_btf < 0 ? setup->module_btf : 0;
	char why[256];

	if (calls)
		err = store_calls_are(calls, ids) ? 0 : -EINVAL;
	else if (!err)
		err = store_calls_open(&calls, ids, setup->module_btf);
	if (err) {
		refusal_blame(err, why, sizeof(why));
		return error_set(e, EXIT_KERNEL, err, why, "see 'kstats-bpf doctor'",
				 "cannot use the module kstats");
	}
	st->calls = calls;
	st->borrowed = setup->shared;
	if (st->borrowed)
		*setup->shared = calls;
	return 0;
}

int store_kmod_open(struct store *st, const struct store_setup *setup, struct error *e)
{
	struct store_call_ids ids = {};
	int err;

	st->ids = calloc(st->n_nodes, sizeof(*st->ids));
	if (!st->ids)
		return error_no_memory(e, "cannot make the nodes");
	err = setup->made ? 0 : load(st, e);
	if (err)
		return err;
	ids = setup->made ? *setup->made : store_calls_of(st);
	err = open_calls(st, setup, &ids, e);
	if (err)
		return err;
	return setup->made ? find(st, e) : make(st, setup, e);
}

/* Functions of the module that a program calls, in their order. */
static void called_by(const struct bpf_program *prog, uint32_t *ids, size_t room)
{
	const struct bpf_insn *insns = bpf_program__insns(prog);
	size_t n = bpf_program__insn_cnt(prog), i;

	for (i = 0; i < n && room; i++) {
		if (insns[i].code != (BPF_JMP | BPF_CALL) ||
		    insns[i].src_reg != BPF_PSEUDO_KFUNC_CALL)
			continue;
		*ids++ = insns[i].imm;
		room--;
	}
}

struct store_call_ids store_calls_of(const struct store *st)
{
	uint32_t ids[4] = {};

	if (st->module)
		called_by(st->module->progs.node_calls, ids, 4);
	return (struct store_call_ids){ ids[0], ids[1], ids[2], ids[3] };
}

int store_owners(const struct store *st)
{
	return st->module ? bpf_map__fd(owners_of(st)) : -1;
}

int store_control(struct store *st, uint32_t node, enum kstats_op op)
{
	return store_calls_control(st->calls, st->ids[node], op);
}

int store_kmod_reset(struct store *st, uint32_t node)
{
	if (st->in_array && node)
		return 0;
	return store_calls_control(st->calls, st->ids[node], KSTATS_OP_RESET);
}

int store_kmod_read(struct store *st, uint32_t node, unsigned int cpu,
		    const struct kstats_slot **slots)
{
	int n = store_calls_read(st->calls, st->ids[node], cpu, slots);

	if (n < 0)
		return n;
	return n == (int)kstats_n_slots(st->bits) ? 0 : -EIO;
}

/*
 * Call @use for the blocks of each CPU, in the order of the CPUs. A call reads no further if a CPU
 * may have more blocks than there is room left.
 */
static int array_each(struct store *st, uint32_t node,
		      void (*use)(const struct store *st, const struct kstats_block *blocks,
				  unsigned int n, void *data),
		      void *data)
{
	const struct kstats_block *blocks;
	unsigned int cpu = 0, i, same;
	int n;

	while (cpu < st->n_cpus) {
		n = store_calls_array(st->calls, st->ids[node], node + 1, cpu, &blocks);
		if (n < 0)
			return n;
		for (i = 0; i < (unsigned int)n; i += same) {
			cpu = blocks[i].next;
			for (same = 1; i + same < (unsigned int)n; same++)
				if (blocks[i + same].next != cpu)
					break;
			use(st, blocks + i, same, data);
		}
		if (n + KSTATS_N_BLOCKS_MAX <= STORE_BLOCKS)
			break;
		cpu++;
	}
	return 0;
}

static void add_blocks(const struct store *st, const struct kstats_block *blocks, unsigned int n,
		       void *data)
{
	blocks_add(blocks, n, st->bits, blocks->next, data);
}

int store_array_add(struct store *st, uint32_t node, struct counts_writer *w)
{
	return array_each(st, node, add_blocks, w);
}

static void add_samples(const struct store *st, const struct kstats_block *blocks, unsigned int n,
			void *data)
{
	uint64_t *sum = data;
	unsigned int i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < KSTATS_BLOCK_SLOTS; k++)
			*sum += blocks[i].slots[k].samples;
}

int store_array_samples(struct store *st, uint32_t node, uint64_t *n)
{
	return array_each(st, node, add_samples, n);
}

void store_shared_free(struct store_calls *calls)
{
	store_calls_free(calls);
}

void store_kmod_close(struct store *st)
{
	if (!st->borrowed)
		store_calls_free(st->calls);
	store_direct_close(st);
	node_bpf__destroy(st->module);
	free(st->ids);
}

int store_probe_kmod(void)
{
	struct node_bpf *skel = load_any(1);
	int err = skel ? 0 : -errno;

	node_bpf__destroy(skel);
	return err;
}
