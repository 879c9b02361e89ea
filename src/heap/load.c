// SPDX-License-Identifier: GPL-2.0-only
/*
 * load.c - the programs on memory events, loaded: what is asked for as constants of their
 * instructions, the sizes of the tables, and the tables mapped for reading. See priv.h.
 */
#include "heap/priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hook/hook.h"
#include "hook/splice.h"
#include "hook/trim.h"
#include "objects/objects.h"
#include "session/session.h"
#include "util/refusal.h"

#define KMEM_PAGE 4096 /* as in bpf/kmem_rows.bpf.h */

#define LOG_SIZE (1024 * 1024)
#define STRIPES_BYTES (64UL * 1024 * 1024) /* that all copies of the tables may take */
#define LIFES_PER_SITE 8
#define NODES_MAX 1024

struct bpf_map *heap_map(const struct heap *h, enum heap_table table)
{
	struct bpf_map *const maps[HEAP_TABLES] = {
		[HEAP_ROWS] = h->skel->maps.rows,     [HEAP_LIVE] = h->skel->maps.live,
		[HEAP_LIFES] = h->skel->maps.lifes,   [HEAP_CACHES] = h->skel->maps.caches,
		[HEAP_COUNTS] = h->skel->maps.counts,
	};

	return maps[table];
}

/* ---- settings ---- */

/* As many copies as there are CPUs, if they do not take too much memory. */
static void set_sizes(struct heap *h)
{
	const struct spec_kmem *want = h->want;
	uint32_t lifes = want->lifetimes ? LIFES_PER_SITE * want->max_sites : 1;
	uint32_t live = want->lifetimes ? want->max_live : 1;
	uint32_t cpus = kstats_kmem_places(h->n_cpus), stripes = cpus, *set = h->settings;
	size_t each = want->max_sites * sizeof(struct kstats_kmem_row) +
		      lifes * sizeof(struct kstats_kmem_life) +
		      KSTATS_KMEM_CACHES * sizeof(struct kstats_kmem_cache);

	while (stripes > 1 && stripes * each > STRIPES_BYTES)
		stripes /= 2;
	set[KSTATS_KMEM_CPU_MASK] = cpus - 1;
	set[KSTATS_KMEM_STRIPE_MASK] = stripes - 1;
	set[KSTATS_KMEM_ROWS_MASK] = want->max_sites - 1;
	set[KSTATS_KMEM_ROWS_BITS] = __builtin_ctz(want->max_sites);
	set[KSTATS_KMEM_ROWS_ALL] = stripes * want->max_sites - 1;
	set[KSTATS_KMEM_LIFES_MASK] = lifes - 1;
	set[KSTATS_KMEM_LIFES_BITS] = __builtin_ctz(lifes);
	set[KSTATS_KMEM_LIFES_ALL] = stripes * lifes - 1;
	set[KSTATS_KMEM_CACHES_ALL] = stripes * KSTATS_KMEM_CACHES - 1;
	set[KSTATS_KMEM_LIVE_ALL] = live - 1;
	set[KSTATS_KMEM_LIVE_FIRST] = (live - 1) & ~(KSTATS_KMEM_WAYS - 1);
	h->tables[HEAP_ROWS].size = stripes * want->max_sites * sizeof(struct kstats_kmem_row);
	h->tables[HEAP_LIFES].size = stripes * lifes * sizeof(struct kstats_kmem_life);
	h->tables[HEAP_CACHES].size =
		stripes * KSTATS_KMEM_CACHES * sizeof(struct kstats_kmem_cache);
	h->tables[HEAP_LIVE].size = live * sizeof(struct kstats_kmem_live);
	h->tables[HEAP_COUNTS].size = cpus * sizeof(struct kstats_kmem_counts);
}

/* Where a function of the kernel lies. Returns how many ranges that are: 0 if it has none. */
static uint32_t range_of(struct heap *h, const char *name, struct kstats_kmem_range *at)
{
	uint64_t address, size;

	if (!symbols_find(&h->symbols, name, &address, &size))
		return 0;
	*at = (struct kstats_kmem_range){ address, size };
	return 1;
}

/* Whether kvmalloc() lies among functions that are surely of mm/slub.c. */
static bool is_kvmalloc_of_slub(struct heap *h, struct kstats_kmem_range *at)
{
	static const char *const names[] = { "kfree", "kmem_cache_alloc_bulk_noprof",
					     "__kmalloc_noprof", "__kmalloc_cache_noprof",
					     "___kmalloc_large_node" };
	uint64_t address, size, low = ~0ULL, high = 0;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!symbols_find(&h->symbols, names[i], &address, &size))
			continue;
		low = address < low ? address : low;
		high = address > high ? address : high;
	}
	if (!symbols_find(&h->symbols, "__kvmalloc_node_noprof", &address, &size))
		return false;
	*at = (struct kstats_kmem_range){ address, size };
	return address > low && address < high;
}

/*
 * The functions of the allocator that call it again for more than two pages, and their parts that
 * the compiler put elsewhere, as seldom used. kvmalloc() is one of them only where it is compiled
 * together with the others: else it is an ordinary caller.
 */
static void set_inner(struct heap *h)
{
	static const char *const names[] = { "__kmalloc_noprof",
					     "__kmalloc_node_noprof",
					     "__kmalloc_node_track_caller_noprof",
					     "__do_kmalloc_node",
					     "__kmalloc",
					     "__kmalloc_node",
					     "__kmalloc_node_track_caller" };
	struct kstats_kmem_range *to = (void *)h->skel->rodata->inner;
	char cold[64];
	uint32_t n = 0;
	size_t i;

	_Static_assert(2 * sizeof(names) / sizeof(*names) < KSTATS_KMEM_INNER, "and kvmalloc()");
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(cold, sizeof(cold), "%s.cold", names[i]);
		n += range_of(h, names[i], &to[n]);
		n += range_of(h, cold, &to[n]);
	}
	n += is_kvmalloc_of_slub(h, &to[n]);
	h->settings[KSTATS_KMEM_INNER_N] = n;
}

/* The NUMA node of each CPU, as sysfs tells it. */
static int set_numa(struct heap *h, struct error *e)
{
	bool found = false;
	uint16_t *to = (void *)h->skel->rodata->kmem_numa;
	const char *numa = h->want->numa;
	unsigned int cpu, node;
	char path[64];

	for (cpu = 0; cpu < h->n_cpus && cpu < KSTATS_CPUS_MAX; cpu++) {
		for (node = 0; node < NODES_MAX; node++) {
			snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/node%u", cpu,
				 node);
			if (access(path, F_OK))
				continue;
			to[cpu] = node;
			h->settings[KSTATS_KMEM_NODES] |= node;
			found |= numa && node == strtoul(numa, NULL, 10);
			break;
		}
	}
	h->settings[KSTATS_KMEM_NUMA] = numa ? strtoul(numa, NULL, 10) + 1 : 0;
	if (!numa || found)
		return 0;
	return error_set(e, EXIT_USAGE, -EINVAL, "this machine has no CPU on that node",
			 "see 'lscpu'", "cannot use '%s' for --numa", numa);
}

/* ---- instructions ---- */

/* By name: newer versions of libbpf do not tell the descriptor of a map before all is loaded. */
static bool is_table(const struct heap *h, int fd)
{
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);
	enum heap_table t;

	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return false;
	for (t = 0; t < HEAP_TABLES; t++)
		if (!strcmp(bpf_map__name(heap_map(h, t)), info.name))
			return true;
	return false;
}

/* In dead code a function that the kernel does not have becomes an assignment to its result. */
static struct bpf_insn call_of(uint32_t function)
{
	if (!function)
		return (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K };
	return (struct bpf_insn){
		.code = BPF_JMP | BPF_CALL,
		.src_reg = BPF_PSEUDO_KFUNC_CALL,
		.imm = (int32_t)function,
	};
}

/* Pointers to tables become pointers to their values; settings get their values. */
static void patch(const struct heap *h, struct bpf_insn *insns, size_t n)
{
	struct bpf_insn *i;
	uint32_t setting;

	for (i = insns; i < insns + n; i++) {
		if (i->code == (BPF_LD | BPF_IMM | BPF_DW)) {
			if (i->src_reg == BPF_PSEUDO_MAP_FD && is_table(h, i->imm)) {
				i->src_reg = BPF_PSEUDO_MAP_VALUE;
				i[1].imm = 0;
			}
			i++;
			continue;
		}
		setting = i->imm - KSTATS_KMEM_MAGIC;
		if (i->code == (BPF_JMP | BPF_CALL) &&
		    (setting == KSTATS_KMEM_GET_CACHE || setting == KSTATS_KMEM_CAST))
			*i = call_of(h->settings[setting]);
		if ((BPF_CLASS(i->code) == BPF_ALU64 || BPF_CLASS(i->code) == BPF_ALU) &&
		    BPF_SRC(i->code) == BPF_K && setting < KSTATS_KMEM_SETTINGS)
			i->imm = h->settings[setting];
	}
}

/* Not before: for a program of this type libbpf would read all types of the kernel again. */
static int attach_by_btf(struct bpf_program *prog, const struct heap_hook *hook,
			 struct bpf_prog_load_opts *opts)
{
	int err = bpf_program__set_expected_attach_type(prog, hook->attach);

	opts->attach_btf_id = hook->btf_id;
	opts->expected_attach_type = hook->attach;
	return err ? err : bpf_program__set_type(prog, BPF_PROG_TYPE_TRACING);
}

/* libbpf loads the program next, and only then are the records of its functions read. */
static int take_functions(struct heap *h, struct splice_program *p,
			  const struct bpf_prog_load_opts *opts)
{
	size_t funcs = (size_t)opts->func_info_cnt * opts->func_info_rec_size;

	free(h->funcs);
	h->funcs = malloc(funcs ? funcs : 1);
	if (!h->funcs)
		return -ENOMEM;
	if (funcs)
		memcpy(h->funcs, opts->func_info, funcs);
	p->funcs = h->funcs;
	p->n_funcs = opts->func_info_cnt;
	p->func_size = opts->func_info_rec_size;
	return 0;
}

/* Programs on frees ask nothing. */
static int change_code(struct heap *h, struct splice_program *p, struct bpf_prog_load_opts *opts)
{
	int err = take_functions(h, p, opts);

	patch(h, p->insns, p->n);
	if (!err && h->n_code)
		err = splice_function(p, KSTATS_EXPR_BY_MAGIC, h->code, h->n_code);
	if (err && err != -ENOENT)
		return err;
	if (h->trims)
		trim_program(p);
	opts->func_info = opts->func_info_cnt ? h->funcs : NULL;
	opts->func_info_cnt = p->n_funcs;
	/* Lines are those of the instructions before. */
	opts->line_info = NULL;
	opts->line_info_cnt = 0;
	return 0;
}

/* libbpf calls it for each program when it has relocated it. */
static int prepare(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	struct heap *h = (struct heap *)cookie;
	struct splice_program p = { .n = bpf_program__insn_cnt(prog) };
	int err = 0, i;

	p.insns = malloc(p.n * sizeof(*p.insns));
	if (!p.insns)
		return -ENOMEM;
	for (i = HEAP_EVENTS; !err && i < HEAP_HOOKS; i++)
		if (h->hooks[i].prog == prog)
			err = attach_by_btf(prog, &h->hooks[i], opts);
	memcpy(p.insns, bpf_program__insns(prog), p.n * sizeof(*p.insns));
	if (!err)
		err = change_code(h, &p, opts);
	if (!err)
		err = bpf_program__set_insns(prog, p.insns, p.n);
	free(p.insns);
	return err;
}

static const struct {
	const char *name;
	enum bpf_prog_type type;
} sections[HEAP_SECTIONS] = {
	{ "kmem_raw", BPF_PROG_TYPE_RAW_TRACEPOINT },
	{ "kmem_event", BPF_PROG_TYPE_TRACEPOINT },
	{ "kmem_fentry", BPF_PROG_TYPE_SOCKET_FILTER },
	{ "kmem_fexit", BPF_PROG_TYPE_SOCKET_FILTER },
};

/* Without types nothing is on functions; flags have the names that they always had. */
static int handle_sections(struct heap *h)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)h,
		    .prog_prepare_load_fn = prepare);
	int i, err = session_handlers();

	if (!h->types.n && facts_types_read(&h->types, FACTS_KERNEL_BTF, NULL))
		h->types = (struct facts_types){};
	h->trims = facts_types_find(&h->types, BTF_KIND_STRUCT, FACTS_LINKED_REGISTERS);
	for (i = 0; !err && i < HEAP_SECTIONS; i++) {
		h->handlers[i] =
			libbpf_register_prog_handler(sections[i].name, sections[i].type, 0, &opts);
		err = h->handlers[i] < 0 ? h->handlers[i] : 0;
	}
	return err || !h->types.n ? err : session_points_begin(&h->types, h->points);
}

static void release_sections(struct heap *h)
{
	int i;

	for (i = 0; i < HEAP_SECTIONS; i++) {
		if (h->handlers[i] > 0)
			libbpf_unregister_prog_handler(h->handlers[i]);
		h->handlers[i] = 0;
	}
	session_points_end(h->points);
	free(h->funcs);
	h->funcs = NULL;
	if (h->slice > 0)
		close(h->slice);
	h->slice = 0;
}

/* ---- loading ---- */

static int size_tables(struct heap *h)
{
	enum heap_table t;
	int err = 0;

	for (t = 0; !err && t < HEAP_TABLES; t++)
		err = bpf_map__set_value_size(heap_map(h, t), h->tables[t].size);
	if (!err && h->skel->rodata->who_by_command)
		err = bpf_map__set_max_entries(h->skel->maps.command_tasks, session_tasks_max());
	return err;
}

static void choose(struct heap *h)
{
	bool command = h->skel->rodata->who_by_command;
	struct bpf_program *prog;
	int i;

	bpf_object__for_each_program(prog, h->skel->obj) bpf_program__set_autoload(prog, false);
	for (i = 0; i < HEAP_HOOKS; i++)
		if (h->hooks[i].prog)
			bpf_program__set_autoload(h->hooks[i].prog, true);
	bpf_program__set_autoload(h->skel->progs.task_birth, command);
	bpf_program__set_autoload(h->skel->progs.command_task_free, command);
	bpf_program__set_autoload(h->skel->progs.tell_task, command);
	bpf_program__set_autoload(h->skel->progs.tell_misses, h->want->lifetimes);
}

/* From here on nothing but mapped memory and descriptors is used to read and to attach. */
static int map_tables(struct heap *h)
{
	struct heap_hook *hook;
	enum heap_table t;
	void *at;

	for (t = 0; t < HEAP_TABLES; t++) {
		at = mmap(NULL, h->tables[t].size, PROT_READ, MAP_SHARED,
			  bpf_map__fd(heap_map(h, t)), 0);
		if (at == MAP_FAILED)
			return -errno;
		h->tables[t].at = at;
	}
	h->on = &h->skel->bss->kmem_on;
	for (hook = h->hooks; hook < h->hooks + HEAP_HOOKS; hook++) {
		if (!hook->prog)
			continue;
		hook->fd = fcntl(bpf_program__fd(hook->prog), F_DUPFD_CLOEXEC, 0);
		if (hook->fd < 0)
			return -errno;
	}
	return 0;
}

static int load_failed(struct heap *h, int err, char *log, struct error *e)
{
	char why[256];

	if (err == -ENOMEM || err == -E2BIG)
		return error_set(e, EXIT_KERNEL, err, "the kernel has no memory for the tables",
				 "give a smaller --limit sites=N,live=N", "cannot start");
	if (*log)
		hook_verifier_words(log, why, sizeof(why), err);
	else
		refusal_blame(err, why, sizeof(why));
	return error_set(e, EXIT_KERNEL, err, why, "see 'kstats-bpf doctor'",
			 "the kernel refused the BPF programs");
}

static int load(struct heap *h, char *log, struct error *e)
{
	struct bpf_program *prog;
	int err = size_tables(h);

	if (err)
		return error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot size the tables");
	bpf_object__for_each_program(prog, h->skel->obj)
		bpf_program__set_log_buf(prog, log, LOG_SIZE);
	choose(h);
	err = kmem_bpf__load(h->skel);
	if (!err) {
		*log = '\0';
		err = store_globals(h->skel->obj);
	}
	if (!err)
		err = map_tables(h);
	return err ? load_failed(h, err, log, e) : heap_doubt_begin(h, e);
}

static struct kmem_bpf *open_bytes(void *bytes, size_t size, const char *btf)
{
	struct kmem_bpf *skel = calloc(1, sizeof(*skel));
	int err = -ENOMEM;

	if (skel && !kmem_bpf__create_skeleton(skel))
		err = objects_open(skel->skeleton, bytes, size, btf);
	if (!err)
		return skel;
	kmem_bpf__destroy(skel);
	errno = -err;
	return NULL;
}

static struct kmem_bpf *open_skel(struct heap *h)
{
	struct kmem_bpf *skel;
	char path[32];
	void *bytes;
	size_t size;

	bytes = objects_unpack(OBJECTS_KMEM, &size);
	if (!bytes)
		return NULL;
	if (!h->dry && !h->slice && h->types.n)
		h->slice = facts_slice_object(&h->types, bytes, path, sizeof(path));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", h->slice);
	skel = open_bytes(bytes, size, h->slice > 0 ? path : NULL);
	free(bytes);
	return skel;
}

static int open_object(struct heap *h, struct error *e)
{
	uint32_t gfp = 0;
	int err;

	h->skel = open_skel(h);
	if (!h->skel)
		return error_set(e, EXIT_KERNEL, -errno, NULL, NULL,
				 "cannot open the BPF programs");
	err = SESSION_SET_WHO(h->skel->rodata, &h->want->spec, e);
	if (err)
		return err;
	SESSION_SET_FIRST(h->skel->rodata);
	h->settings[KSTATS_KMEM_FILTERED] = h->skel->rodata->who_any;
	set_sizes(h);
	set_inner(h);
	/* A dry run prints the plan even if the kernel hides its symbols. */
	if (!h->dry || h->symbols.n)
		err = heap_skip(h, e);
	if (!err)
		err = set_numa(h, e);
	if (err)
		return err;
	h->settings[KSTATS_KMEM_LIFETIMES] = h->want->lifetimes;
	err = heap_ask(h, e);
	if (!err && h->want->gfp)
		heap_gfp(h);
	err = !err && h->want->gfp ? kmem_gfp_parse(&h->gfp, h->want->gfp, &gfp, e) : err;
	if (err)
		return err;
	h->settings[KSTATS_KMEM_GFP] = gfp;
	h->settings[KSTATS_KMEM_PLAIN] =
		!gfp && !h->settings[KSTATS_KMEM_ASKS] && !h->settings[KSTATS_KMEM_BY] &&
		!h->settings[KSTATS_KMEM_NUMA] && !h->settings[KSTATS_KMEM_SKIP];
	heap_doubt_choose(h);
	heap_hooks(h);
	heap_functions(h);
	return 0;
}

static bool has_functions(const struct heap *h)
{
	int i;

	for (i = HEAP_EVENTS; i < HEAP_HOOKS; i++)
		if (h->hooks[i].prog)
			return true;
	return false;
}

/* The programs on functions are extras: if the kernel refuses one, the rest goes on. */
static int open_and_load(struct heap *h, char *log, struct error *e)
{
	int err = open_object(h, e);
	struct error first;

	if (err)
		return err;
	err = load(h, log, &first);
	if (err && has_functions(h)) {
		heap_unload(h);
		err = open_object(h, e);
		if (err)
			return err;
		heap_lose_functions(h, first.why);
		err = load(h, log, &first);
	}
	if (err && e)
		*e = first;
	return err;
}

int heap_load(struct heap *h, struct error *e)
{
	int err = refusal_check_pages(KMEM_PAGE, "count memory events", e);
	char *log;

	if (err)
		return err;
	log = calloc(1, LOG_SIZE);
	err = log ? handle_sections(h) : -ENOMEM;
	if (err)
		error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot open the BPF programs");
	else
		err = open_and_load(h, log, e);
	release_sections(h);
	free(log);
	return err;
}

int heap_choose(struct heap *h, struct error *e)
{
	int err = handle_sections(h);

	h->dry = true;
	symbols_read(&h->symbols, "/", NULL); /* as text: the iterator is a program, too */
	if (err)
		error_set(e, EXIT_KERNEL, err, NULL, NULL, "cannot open the BPF programs");
	else
		err = open_object(h, e);
	release_sections(h);
	return err;
}

void heap_unload(struct heap *h)
{
	enum heap_table t;
	int i;

	for (t = 0; t < HEAP_TABLES; t++) {
		if (h->tables[t].at)
			munmap((void *)h->tables[t].at, h->tables[t].size);
		h->tables[t].at = NULL;
	}
	if (h->variables.at)
		munmap((void *)h->variables.at, h->variables.size);
	h->variables.at = NULL;
	for (i = 0; i < HEAP_HOOKS; i++)
		heap_close_fd(&h->hooks[i].fd);
	kmem_bpf__destroy(h->skel);
	h->skel = NULL;
}
