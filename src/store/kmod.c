// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmod.c - slots in the kernel module. The open device holds the nodes, and so they go with the
 * process, however it ends. Nodes that stay are held by a map, too.
 */
#include "store/priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kstats_dev.h"
#include "node.skel.h"
#include "util/refusal.h"

static struct bpf_map *owners_of(const struct store *st)
{
	return bpf_map__autocreate(st->module->maps.owners) ? st->module->maps.owners
							    : st->module->maps.old_owners;
}

static struct bpf_program *keeper_of(const struct store *st)
{
	return bpf_program__autoload(st->module->progs.node_keep) ? st->module->progs.node_keep
								  : st->module->progs.node_keep_old;
}

/* Of others, such as those of constant texts, the skeleton knows nothing. */
static bool is_in_skeleton(const struct bpf_map *map)
{
	const char *section = strrchr(bpf_map__name(map), '.');

	return section && (!strcmp(section, ".bss") || !strcmp(section, ".rodata"));
}

int store_globals(const struct bpf_object *obj)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj)
	{
		if (bpf_map__is_internal(map) && is_in_skeleton(map) &&
		    (bpf_map__fd(map) < 0 || !(bpf_map__map_flags(map) & BPF_F_MMAPABLE)))
			return -ENODATA;
	}
	return 0;
}

/* @old: for kernels before 6.4. NULL and errno on failure. */
static struct node_bpf *load_for(uint32_t n_nodes, bool old)
{
	struct node_bpf *m = node_bpf__open();
	int err;

	if (!m)
		return NULL;
	bpf_program__set_autoload(m->progs.node_keep, !old);
	bpf_program__set_autoload(m->progs.node_keep_old, old);
	bpf_map__set_autocreate(m->maps.owners, !old);
	bpf_map__set_autocreate(m->maps.old_owners, old);
	err = bpf_map__set_max_entries(old ? m->maps.old_owners : m->maps.owners, n_nodes);
	if (!err)
		err = node_bpf__load(m);
	if (!err)
		err = store_globals(m->obj);
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

static int no_module(int err, char *why, size_t size, struct error *e)
{
	refusal_blame_module(err, why, size);
	return error_set(e, EXIT_KERNEL, err, why, "see 'kstats-bpf doctor'",
			 "cannot use the module kstats");
}

/* Let a map hold the nodes. */
static int keep_all(struct store *st, struct error *e)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	char why[256] = "";
	uint32_t i;
	int err = 0;

	st->module = load_any(st->n_nodes);
	if (!st->module)
		return no_module(-errno, why, sizeof(why), e);
	for (i = 0; !err && i < (st->in_array ? 1 : st->n_nodes); i++) {
		st->module->bss->place = i;
		st->module->bss->id = st->ids[i];
		err = bpf_prog_test_run_opts(bpf_program__fd(keeper_of(st)), &opts);
		if (!err && opts.retval)
			err = -ENOENT;
	}
	return err ? no_module(err, why, sizeof(why), e) : 0;
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

static int create(struct store *st, uint32_t node, const char *name, uint32_t n, uint32_t blocks,
		  struct error *e)
{
	struct kstats_dev_create now = { .frac_bits = st->bits, .n = n, .blocks = blocks };
	int err = strlen(name) < sizeof(now.name) ? 0 : -EINVAL;

	if (!err) {
		strcpy(now.name, name);
		err = store_dev_create(st->dev, &now);
	}
	if (err)
		return refused(err, name, e);
	st->ids[node] = now.id;
	return 0;
}

/* Make one node that holds all; the distribution 0 is not used. */
static int create_array(struct store *st, uint32_t blocks, struct error *e)
{
	int err = create(st, 0, "", st->n_nodes + 1, blocks, e);
	uint32_t i;

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
			err = create(st, i, setup->names ? setup->names[i] : "", 0, 0, e);
		if (!err)
			err = tell_cell(st, i, e);
	}
	return err || !setup->names ? err : keep_all(st, e);
}

/* The nodes exist already, and their ids are in the cells. */
static int kmod_find(struct store *st, struct error *e)
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

int store_kmod_open(struct store *st, const struct store_setup *setup, struct error *e)
{
	char why[256] = "";
	int err;

	st->ids = calloc(st->n_nodes, sizeof(*st->ids));
	if (!st->ids)
		return error_no_memory(e, "cannot make the nodes");
	err = store_dev_open(&st->dev, why, sizeof(why));
	if (err)
		return no_module(err, why, sizeof(why), e);
	return setup->made ? kmod_find(st, e) : make(st, setup, e);
}

int store_owners(const struct store *st)
{
	return st->module ? bpf_map__fd(owners_of(st)) : -1;
}

int store_control(struct store *st, uint32_t node, enum kstats_op op)
{
	return store_dev_control(st->dev, st->ids[node], op);
}

int store_kmod_reset(struct store *st, uint32_t node)
{
	if (st->in_array && node)
		return 0;
	return store_dev_control(st->dev, st->ids[node], KSTATS_OP_RESET);
}

int store_kmod_read(struct store *st, uint32_t node, unsigned int cpu,
		    const struct kstats_slot **slots)
{
	int n = store_dev_read(st->dev, st->ids[node], cpu, slots);

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
		n = store_dev_array(st->dev, st->ids[node], node + 1, cpu, &blocks);
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

static void kmod_add_samples(const struct store *st, const struct kstats_block *blocks,
			     unsigned int n, void *data)
{
	uint64_t *sum = data;
	unsigned int i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < KSTATS_BLOCK_SLOTS; k++)
			*sum += blocks[i].slots[k].samples;
}

int store_array_samples(struct store *st, uint32_t node, uint64_t *n)
{
	return array_each(st, node, kmod_add_samples, n);
}

void store_kmod_close(struct store *st)
{
	store_dev_close(st->dev);
	node_bpf__destroy(st->module);
	free(st->ids);
}

int store_probe_kmod(char *why, size_t size)
{
	struct node_bpf *skel = load_any(1);
	struct store_dev *dev = NULL;
	int err = skel ? 0 : -errno;

	if (!err)
		err = store_dev_open(&dev, why, size);
	store_dev_close(dev);
	node_bpf__destroy(skel);
	return err;
}
